# halyard_module(NAME <m> SOURCES <file>... [USES <module>...] [LINK <external target>...])
#
# Makes the static library halyard_<m> (alias halyard::<m>) from the calling folder. Its headers are
# reached as "<m>/<file>.hpp" through an include root of its own, <build>/roots/<m>. A module sees its
# own root, the roots of the modules it names in USES (not those that they use) and include/. What it
# uses reaches the final link by itself: only include folders do not travel.
#
# A source may be a .cu file when HALYARD_HAVE_CUDA is 1; such a module LINKs ${HALYARD_CUDA_RUNTIME}.
#
# halyard_use_modules(<target> <module>...) gives any other target (a test) the same view.

set(HALYARD_MODULES "" CACHE INTERNAL "The modules made so far, in dependency order")

function(halyard_module)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "SOURCES;USES;LINK")
  halyard_refuse_unknown_arguments(halyard_module "${arg_UNPARSED_ARGUMENTS}")
  set(target halyard_${arg_NAME})
  add_library(${target} STATIC ${arg_SOURCES})
  add_library(halyard::${arg_NAME} ALIAS ${target})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON
                        CXX_VISIBILITY_PRESET hidden CUDA_VISIBILITY_PRESET hidden
                        VISIBILITY_INLINES_HIDDEN ON)
  halyard_own_target(${target})
  halyard_make_root(${arg_NAME})
  target_include_directories(${target} PRIVATE "${PROJECT_BINARY_DIR}/roots/${arg_NAME}")
  halyard_use_modules(${target} ${arg_USES})
  target_link_libraries(${target} PRIVATE Threads::Threads ${arg_LINK})
  set(HALYARD_MODULES ${HALYARD_MODULES} ${arg_NAME} CACHE INTERNAL "")
endfunction()

function(halyard_use_modules target)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/include" "${HALYARD_GENERATED_DIR}")
  foreach(used IN LISTS ARGN)
    if(NOT TARGET halyard_${used})
      message(FATAL_ERROR "${target} USES ${used}, but there is no module ${used} yet: "
                          "a module may only use modules listed before it in runtime/CMakeLists.txt")
    endif()
    target_include_directories(${target} PRIVATE "${PROJECT_BINARY_DIR}/roots/${used}")
    target_link_libraries(${target} PRIVATE $<LINK_ONLY:halyard_${used}>)
  endforeach()
endfunction()

function(halyard_make_root module)
  set(root "${PROJECT_BINARY_DIR}/roots/${module}")
  file(MAKE_DIRECTORY "${root}")
  file(CREATE_LINK "${CMAKE_CURRENT_SOURCE_DIR}" "${root}/${module}" SYMBOLIC)
endfunction()

function(halyard_refuse_unknown_arguments caller unknown)
  if(unknown)
    message(FATAL_ERROR "${caller}: unknown argument ${unknown}")
  endif()
endfunction()
