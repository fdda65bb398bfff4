# halyard_test(NAME <n> SOURCES <file>... [USES <module>...] [LINK <target>...]
#              [RANKS <count>...] [ARGS <arg>...] [LABELS <label>...])
#
# Makes a GoogleTest executable that may include every module named in USES and tests/support, and
# links the static modules (so internals can be tested). Without RANKS it is one serial test <n> with
# label "unit"; with RANKS it is one test "<n>.np<k>" per count with label "mpi", run under mpirun with
# the main function of tests/support/mpi_main.cpp. Exit code 77 says that the test could not run here.
# Label "threads" also runs it under ThreadSanitizer. Target tests_<label> builds what a label needs.
#
# All tests share one precompiled header, since most of a test's compile time goes into reading
# GoogleTest. A test still includes what it uses.

cmake_host_system_information(RESULT HALYARD_TEST_CORES QUERY NUMBER_OF_LOGICAL_CORES)

set(HALYARD_TEST_ENVIRONMENT OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 GTEST_COLOR=no)
if(HALYARD_SANITIZE STREQUAL "address")
  list(APPEND HALYARD_TEST_ENVIRONMENT
       ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1
       "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/support/lsan.supp:print_suppressions=0")
elseif(HALYARD_SANITIZE STREQUAL "thread")
  # UCX 1.13 leaves its hooks on malloc and munmap behind, which ThreadSanitizer's exit walks into.
  list(APPEND HALYARD_TEST_ENVIRONMENT UCX_MEM_EVENTS=no
       "TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/support/tsan.supp:ignore_noninstrumented_modules=1")
endif()

# What all tests are compiled with; a precompiled header only fits equal flags. Tests are compiled far
# more often than they run.
function(halyard_test_flags target)
  halyard_own_target(${target})
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANGUAGE:CXX>:-O0;-g1>" $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)
  target_link_libraries(${target} PRIVATE GTest::gtest GTest::gmock MPI::MPI_CXX Threads::Threads)
  if(HALYARD_CCACHE AND CMAKE_CXX_COMPILER_LAUNCHER STREQUAL HALYARD_CCACHE) # it must know of the header
    set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND};-E;env;CCACHE_SLOPPINESS=pch_defines,time_macros;${HALYARD_CCACHE}")
  endif()
endfunction()

file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/test_headers.cpp" CONTENT "")
add_library(halyard_test_headers OBJECT EXCLUDE_FROM_ALL "${PROJECT_BINARY_DIR}/test_headers.cpp")
halyard_test_flags(halyard_test_headers)
target_precompile_headers(halyard_test_headers PRIVATE
  <gmock/gmock.h> <gtest/gtest.h> <algorithm> <cstring> <functional> <map> <memory> <numeric> <random> <set> <string>
  <thread> <vector>)

function(halyard_use_test_headers target)
  halyard_test_flags(${target})
  target_precompile_headers(${target} REUSE_FROM halyard_test_headers)
endfunction()

# The main function of tests that run under mpirun.
add_library(halyard_test_mpi_main OBJECT EXCLUDE_FROM_ALL
  "${PROJECT_SOURCE_DIR}/tests/support/mpi_main.cpp"
  $<$<BOOL:${HALYARD_SANITIZE}>:${PROJECT_SOURCE_DIR}/tests/support/keep_loaded.cpp>)
halyard_use_test_headers(halyard_test_mpi_main)

function(halyard_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "SOURCES;USES;LINK;RANKS;ARGS;LABELS")
  halyard_refuse_unknown_arguments(halyard_test "${arg_UNPARSED_ARGUMENTS}")
  set(target test_${arg_NAME})
  add_executable(${target} ${arg_SOURCES})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${arg_NAME})
  halyard_use_test_headers(${target})
  halyard_use_modules(${target} ${arg_USES})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  target_link_libraries(${target} PRIVATE ${arg_LINK})
  set(kind unit)
  if(arg_RANKS)
    set(kind mpi)
    target_link_libraries(${target} PRIVATE halyard_test_mpi_main)
    foreach(ranks IN LISTS arg_RANKS)
      halyard_add_mpi_test(${arg_NAME}.np${ranks} ${ranks} $<TARGET_FILE:${target}> ${arg_ARGS})
      set_property(TEST ${arg_NAME}.np${ranks} PROPERTY LABELS ${kind} ${arg_LABELS})
    endforeach()
  else()
    target_link_libraries(${target} PRIVATE GTest::gtest_main)
    add_test(NAME ${arg_NAME} COMMAND ${target} ${arg_ARGS})
    set_tests_properties(${arg_NAME} PROPERTIES TIMEOUT 120 SKIP_RETURN_CODE 77
                         ENVIRONMENT "${HALYARD_TEST_ENVIRONMENT}")
    set_property(TEST ${arg_NAME} PROPERTY LABELS ${kind} ${arg_LABELS})
  endif()
  foreach(label IN LISTS kind arg_LABELS)
    halyard_add_to_label(${label} ${target})
  endforeach()
endfunction()

function(halyard_add_to_label label target)
  if(NOT TARGET tests_${label})
    add_custom_target(tests_${label})
  endif()
  add_dependencies(tests_${label} ${target})
endfunction()

# halyard_add_mpi_test(<name> <ranks> <command> [<arg>...]): one ctest that runs a command under mpirun.
function(halyard_add_mpi_test name ranks)
  add_test(NAME ${name} COMMAND "${MPIEXEC_EXECUTABLE}" --allow-run-as-root --oversubscribe
                                --bind-to none -np ${ranks} ${ARGN})
  set(environment ${HALYARD_TEST_ENVIRONMENT})
  if(ranks GREATER HALYARD_TEST_CORES)
    list(APPEND environment OMPI_MCA_mpi_yield_when_idle=1)
  endif()
  # LeakSanitizer's tracer can crash at the exit of a program that loaded UCX (docs/gotchas.md), the more likely the more
  # ranks there are. One and two ranks look for leaks.
  if(HALYARD_SANITIZE STREQUAL "address" AND ranks GREATER 2)
    list(APPEND environment ASAN_OPTIONS=detect_leaks=0)
  endif()
  set(processors ${ranks})
  if(processors GREATER 2)
    set(processors 2)
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT 120 PROCESSORS ${processors}
                       SKIP_RETURN_CODE 77 ENVIRONMENT "${environment}")
endfunction()
