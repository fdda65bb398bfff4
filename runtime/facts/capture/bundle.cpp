// See bundle.hpp.
#include "facts/capture/bundle.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/file_descriptor.hpp"
#include "facts/capture/tar.hpp"
#include "facts/file_root.hpp"
#include "halyard/status.hpp"

namespace halyard::facts {
namespace {

constexpr std::size_t kMostArchive = std::size_t{256} << 20;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(StatusCode::invalid_argument, fmt::format("read the bundle '{}': {}", path, why));
}

std::string whole_file(const std::string& path, std::size_t bytes) {
  const base::FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) refuse(path, std::strerror(errno));
  std::string text(bytes, '\0');
  std::size_t have = 0;
  while (have < text.size()) {
    const ssize_t count = read(file.get(), text.data() + have, text.size() - have);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) refuse(path, std::strerror(errno));
    if (count == 0) break;
    have += static_cast<std::size_t>(count);
  }
  text.resize(have);
  return text;
}

}  // namespace

std::unique_ptr<Root> open_root(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) refuse(path, std::strerror(errno));
  if (S_ISDIR(found.st_mode)) return std::make_unique<FileRoot>(path);
  if (!S_ISREG(found.st_mode)) refuse(path, "neither a folder nor a file");
  if (static_cast<std::uint64_t>(found.st_size) > kMostArchive) refuse(path, "it is larger than 256 MiB");
  auto tree = std::make_unique<TreeRoot>(path);
  try {
    read_tar(whole_file(path, static_cast<std::size_t>(found.st_size)), *tree);
  } catch (const Error& error) {
    refuse(path, error.status().text());
  }
  return tree;
}

void write_bundle(const TreeRoot& tree, const std::string& path) {
  const base::FileDescriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (file.get() < 0)
    throw Error(StatusCode::invalid_argument,
                fmt::format("write the bundle '{}': {}; name a new file in a folder that you may write to", path,
                            std::strerror(errno)));
  const std::string archive = tar_of(tree);
  std::size_t done = 0;
  while (done < archive.size()) {
    const ssize_t count = write(file.get(), archive.data() + done, archive.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      throw Error(StatusCode::out_of_resources,
                  fmt::format("write the bundle '{}': {}; is the file system full?", path, std::strerror(errno)));
    done += static_cast<std::size_t>(count);
  }
}

}  // namespace halyard::facts
