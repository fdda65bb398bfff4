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
#include "facts/whole_file.hpp"
#include "halyard/status.hpp"

namespace halyard::facts {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(StatusCode::invalid_argument, fmt::format("read the bundle '{}': {}", path, why));
}

}  // namespace

std::unique_ptr<Root> open_root(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) refuse(path, std::strerror(errno));
  if (S_ISDIR(found.st_mode)) return std::make_unique<FileRoot>(path);
  const std::string archive = whole_file(path, "the bundle");
  auto tree = std::make_unique<TreeRoot>(path);
  try {
    read_tar(archive, *tree);
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
