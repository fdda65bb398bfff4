// See whole_file.hpp.
#include "facts/whole_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/file_descriptor.hpp"
#include "halyard/status.hpp"

namespace halyard::facts {

std::string whole_file(const std::string& path, const std::string& what, std::size_t most_bytes) {
  const auto refuse = [&](const std::string& why) {
    throw Error(StatusCode::invalid_argument, fmt::format("read {} '{}': {}", what, path, why));
  };
  const base::FileDescriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat found {};
  if (file.get() < 0 || fstat(file.get(), &found) != 0) refuse(std::strerror(errno));
  if (!S_ISREG(found.st_mode)) refuse("it is no regular file");
  const auto bytes = static_cast<std::size_t>(found.st_size);
  if (bytes > most_bytes) refuse(fmt::format("it is larger than {} MiB", most_bytes >> 20));
  std::string text(bytes, '\0');
  std::size_t have = 0;
  while (have < text.size()) {
    const ssize_t count = read(file.get(), text.data() + have, text.size() - have);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) refuse(std::strerror(errno));
    if (count == 0) break;
    have += static_cast<std::size_t>(count);
  }
  text.resize(have);
  return text;
}

}  // namespace halyard::facts
