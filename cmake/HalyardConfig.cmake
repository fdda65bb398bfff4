# Writes <build>/generated/halyard_config.hpp: what was found when this build was configured.

find_package(Git QUIET)
set(HALYARD_GIT_COMMIT "unknown")
if(GIT_FOUND)
  execute_process(
    COMMAND "${GIT_EXECUTABLE}" -C "${PROJECT_SOURCE_DIR}" describe --always --dirty --abbrev=12
    OUTPUT_VARIABLE halyard_described
    RESULT_VARIABLE halyard_describe_result
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(halyard_describe_result EQUAL 0)
    set(HALYARD_GIT_COMMIT "${halyard_described}")
  endif()
endif()

set(HALYARD_GENERATED_DIR "${PROJECT_BINARY_DIR}/generated")
configure_file("${PROJECT_SOURCE_DIR}/cmake/config.hpp.in" "${HALYARD_GENERATED_DIR}/halyard_config.hpp"
               @ONLY)
