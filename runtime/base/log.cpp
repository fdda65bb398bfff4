// spdlog behind three functions, so that no other file includes it.
#include "base/log.hpp"

#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <string>

namespace halyard::base {
namespace {

spdlog::logger& logger() {
  // A logger of our own: the application may use spdlog too, and its registry is not ours to touch.
  static const auto instance =
      std::make_unique<spdlog::logger>("halyard", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  return *instance;
}

}  // namespace

void set_log(std::string_view level, int rank) {
  logger().set_level(spdlog::level::from_str(std::string(level)));
  logger().set_pattern(fmt::format("halyard rank {}: %l: %v", rank));
}

void log_error(std::string_view text) { logger().error(text); }
void log_warn(std::string_view text) { logger().warn(text); }
void log_info(std::string_view text) { logger().info(text); }

}  // namespace halyard::base
