// Root: the machine as it can be read, below one given place: the live /, a captured folder, a bundle, or a tree that a
// test wrote. Everything that topology and diagnose know comes through it; nothing else opens files or runs programs.
//
// Reads are bounded and never throw for what lies below the root: a row that cannot be read says why. Links are
// resolved here, one component at a time, and one that points outside is refused. What was read is text of somebody
// else's: callers treat it as possibly damaged. Not thread-safe; used by one thread at set-up or by a tool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace halyard::facts {

/// What came back when a path was asked for.
enum class Access : std::uint8_t {
  ok,
  missing,   // no such file or folder
  refused,   // there, but not for us (EACCES, EPERM)
  outside,   // a link that leaves the root, or goes round in circles
  unusable,  // there, and not what was asked for: a folder read as a file, an I/O error
};

/// "missing", "permission denied", …
std::string_view name_of(Access access);

/// A file's first bytes, a link's target, or the output of a program.
struct Reading {
  Access access = Access::missing;
  std::string text{};     // as it is, with its line breaks
  bool is_cut = false;    // there was more than was asked for
  std::string trouble{};  // why not, where `access` does not say it all

  bool ok() const { return access == Access::ok; }
};

struct Listing {
  Access access = Access::missing;
  std::vector<std::string> names{};  // sorted, without . and ..
  bool is_cut = false;

  bool ok() const { return access == Access::ok; }
};

enum class Kind : std::uint8_t { none, file, folder, link, device };

/// One place of the tree itself, links not followed.
struct Entry {
  Access access = Access::missing;
  Kind kind = Kind::none;
  std::uint32_t mode = 0;  // permission bits
  std::uint32_t owner = 0;
  std::uint32_t group = 0;
  std::uint64_t bytes = 0;  // as the file system says; sysfs says 4096 of what is shorter
};

class Root {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{256} << 10;
  static constexpr std::size_t kMostNames = 4096;

  Root() = default;
  Root(const Root&) = delete;
  Root& operator=(const Root&) = delete;
  virtual ~Root();

  /// "the live machine", "tests/…/dgx.tree": for messages.
  virtual std::string name() const = 0;
  /// The live machine may be asked by trial and by running programs; anything else only says what is written in it.
  virtual bool is_live() const { return false; }

  /// Paths are absolute, as on the machine: "/sys/class/infiniband". Links are followed.
  Reading read(std::string_view path, std::size_t most_bytes = kMostBytes) const;
  Listing list(std::string_view path) const;
  Entry entry(std::string_view path) const;
  bool exists(std::string_view path) const { return entry(path).access != Access::missing; }
  /// Where a link points to, as it is written in it; its last component is often a name ("mlx5_core").
  Reading link(std::string_view path) const;
  /// The path without links ("/sys/devices/pci0000:40/0000:40:01.1/0000:41:00.0"): text says it.
  Reading resolve(std::string_view path) const;

  /// What the machine says when `question` is run: a command line without shell ("nvidia-smi -q", "ucx_info -v"), or
  /// the name of a trial ("trial register-gpu-page"). Errors and output come as one text. Missing when it cannot be
  /// run, or is not part of a captured root.
  virtual Reading output(std::string_view question) const = 0;

 protected:
  /// The same of a path that holds no link but maybe at its end.
  virtual Entry entry_at(const std::string& path) const = 0;
  virtual Reading read_at(const std::string& path, std::size_t most_bytes) const = 0;
  virtual Listing list_at(const std::string& path) const = 0;
  virtual Reading link_at(const std::string& path) const = 0;

 private:
  enum class Last : std::uint8_t { follow, keep };
  Reading walk(std::string_view path, Last last) const;

  friend class RecordingRoot;
};

}  // namespace halyard::facts
