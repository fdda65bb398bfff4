// See file_root.hpp.
#include "facts/file_root.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <memory>

#include "facts/program.hpp"
#include "facts/tree_root.hpp"
#include "halyard/status.hpp"

namespace halyard::facts {
namespace {

Access access_of(int error) {
  if (error == ENOENT || error == ENOTDIR) return Access::missing;
  if (error == EACCES || error == EPERM) return Access::refused;
  return error == ELOOP ? Access::outside : Access::unusable;
}

std::string trouble_of(int error) {
  const Access access = access_of(error);
  return access == Access::unusable ? std::strerror(error) : std::string{};
}

Reading reading_of(int error) { return {access_of(error), {}, false, trouble_of(error)}; }

Kind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return Kind::file;
  if (S_ISDIR(mode)) return Kind::folder;
  if (S_ISLNK(mode)) return Kind::link;
  return Kind::device;
}

std::string relative(const std::string& path) { return path == "/" ? "." : path.substr(1); }

}  // namespace

FileRoot::FileRoot(std::string folder)
    : folder_(std::move(folder)), top_(open(folder_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {
  if (top_.get() < 0)
    throw Error(StatusCode::invalid_argument,
                fmt::format("read the tree '{}': {}; name a folder that holds sys/ and proc/, or a bundle that "
                            "'halyard doctor --capture' made",
                            folder_, std::strerror(errno)));
}

// Every component is opened by itself, so that a link put there meanwhile is not followed.
base::FileDescriptor FileRoot::open_at(const std::string& path, int flags) const {
  base::FileDescriptor folder;
  int at = top_.get();
  std::size_t begin = 1;
  for (std::size_t slash = path.find('/', begin); slash != std::string::npos; slash = path.find('/', begin)) {
    const std::string part = path.substr(begin, slash - begin);
    base::FileDescriptor next(openat(at, part.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (next.get() < 0) return next;
    folder = std::move(next);
    at = folder.get();
    begin = slash + 1;
  }
  const std::string last = begin < path.size() ? path.substr(begin) : ".";
  return base::FileDescriptor(openat(at, last.c_str(), flags | O_NOFOLLOW | O_CLOEXEC));
}

Entry FileRoot::entry_at(const std::string& path) const {
  struct stat found {};
  if (fstatat(top_.get(), relative(path).c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) return {access_of(errno)};
  return {Access::ok,   kind_of(found.st_mode), found.st_mode & 07777U,
          found.st_uid, found.st_gid,           static_cast<std::uint64_t>(found.st_size)};
}

Reading FileRoot::read_at(const std::string& path, std::size_t most_bytes) const {
  // A pipe or a device must not be opened: that may wait, or do something.
  if (entry_at(path).kind != Kind::file) return {Access::unusable, {}, false, "not a regular file"};
  const auto file = open_at(path, O_RDONLY | O_NONBLOCK);
  if (file.get() < 0) return reading_of(errno);
  Reading reading{Access::ok, {}, false, {}};
  reading.text.resize(most_bytes + 1);
  std::size_t have = 0;
  while (have < reading.text.size()) {
    const ssize_t count = ::read(file.get(), reading.text.data() + have, reading.text.size() - have);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return reading_of(errno);
    if (count == 0) break;
    have += static_cast<std::size_t>(count);
  }
  reading.is_cut = have > most_bytes;
  reading.text.resize(std::min(have, most_bytes));
  return reading;
}

Listing FileRoot::list_at(const std::string& path) const {
  const auto folder = open_at(path, O_RDONLY | O_DIRECTORY);
  if (folder.get() < 0) return {access_of(errno), {}, false};
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(fdopendir(dup(folder.get())), &closedir);
  if (stream == nullptr) return {Access::unusable, {}, false};
  Listing listing{Access::ok, {}, false};
  while (const dirent* entry = readdir(stream.get())) {
    const std::string_view name(entry->d_name);
    if (name == "." || name == "..") continue;
    if (listing.names.size() == kMostNames) {
      listing.is_cut = true;
      break;
    }
    listing.names.emplace_back(name);
  }
  return listing;
}

Reading FileRoot::link_at(const std::string& path) const {
  char target[PATH_MAX];
  const ssize_t count = readlinkat(top_.get(), relative(path).c_str(), target, sizeof target);
  if (count < 0) return errno == EINVAL ? Reading{Access::unusable, {}, false, "not a link"} : reading_of(errno);
  return {Access::ok, std::string(target, static_cast<std::size_t>(count)), false, {}};
}

Reading FileRoot::output(std::string_view question) const { return read(output_path(question)); }

void LiveRoot::add_trial(std::string name, std::function<std::string()> run) {
  trials_.insert_or_assign("trial " + std::move(name), std::move(run));
}

Reading LiveRoot::output(std::string_view question) const {
  if (const auto known = answers_.find(question); known != answers_.end()) return known->second;
  Reading reading;
  if (!question.starts_with("trial ")) {
    reading = run_program(question);
  } else if (const auto trial = trials_.find(question); trial != trials_.end()) {
    try {
      reading = {Access::ok, trial->second(), false, {}};
    } catch (const std::exception& error) {
      reading = {Access::unusable, {}, false, error.what()};
    }
  }
  return answers_.emplace(question, std::move(reading)).first->second;
}

}  // namespace halyard::facts
