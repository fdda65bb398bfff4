// See text_file.hpp.
#include "input/text_file.hpp"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <system_error>

namespace halyard::md {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { (void)std::fclose(file); }
};

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw std::runtime_error("read " + path + ": " + why + "; name a file that exists and may be read");
}

}  // namespace

std::string read_text(const std::string& path) {
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
  if (!file) fail(path, std::generic_category().message(errno));
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) fail(path, "it is a folder");
  std::string text;
  std::string part(1 << 20, '\0');
  while (const std::size_t got = std::fread(part.data(), 1, part.size(), file.get())) text.append(part, 0, got);
  if (std::ferror(file.get()) != 0) fail(path, std::generic_category().message(errno));
  return text;
}

}  // namespace halyard::md
