# How Halyard's own targets are compiled: language, warnings, sanitizer, compiler cache.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

find_program(HALYARD_CCACHE ccache)
mark_as_advanced(HALYARD_CCACHE)
if(HALYARD_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${HALYARD_CCACHE}")
endif()

set(halyard_sanitizer_address -fsanitize=address,undefined -fno-sanitize-recover=undefined)
set(halyard_sanitizer_thread -fsanitize=thread)
if(HALYARD_SANITIZE)
  if(NOT DEFINED halyard_sanitizer_${HALYARD_SANITIZE})
    message(FATAL_ERROR "HALYARD_SANITIZE=${HALYARD_SANITIZE}: use address, thread or leave it empty")
  endif()
  add_compile_options(${halyard_sanitizer_${HALYARD_SANITIZE}} -fno-omit-frame-pointer)
  add_link_options(${halyard_sanitizer_${HALYARD_SANITIZE}})
endif()

# Strict warnings, for one of our own targets. Consumers and dependencies never see them.
function(halyard_own_target target)
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wconversion;-Wsign-conversion;-Wshadow>"
    # What nvcc generates does not pass -Wconversion; the rest does.
    $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>)
  if(HALYARD_WERROR)
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANGUAGE:CXX>:-Werror> $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>)
  endif()
endfunction()

# add_subdirectory for a folder that may not be there yet.
function(halyard_add_present)
  foreach(folder IN LISTS ARGN)
    if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/CMakeLists.txt")
      add_subdirectory(${folder})
    endif()
  endforeach()
endfunction()
