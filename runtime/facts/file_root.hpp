// FileRoot: a folder as a root: / for the live machine, or a captured tree. Opens for reading only, never follows a
// link itself (root.hpp resolves them), and reads nothing but regular files.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "base/file_descriptor.hpp"
#include "facts/root.hpp"

namespace halyard::facts {

class FileRoot : public Root {
 public:
  /// Throws Error(invalid_argument) when there is no such folder.
  explicit FileRoot(std::string folder);

  std::string name() const override { return folder_; }
  Reading output(std::string_view question) const override;

 protected:
  Entry entry_at(const std::string& path) const override;
  Reading read_at(const std::string& path, std::size_t most_bytes) const override;
  Listing list_at(const std::string& path) const override;
  Reading link_at(const std::string& path) const override;

 private:
  base::FileDescriptor open_at(const std::string& path, int flags) const;

  std::string folder_;
  base::FileDescriptor top_;
};

/// The machine that we run on. Runs the programs that checks ask for, without a shell, and the trials that were added.
class LiveRoot final : public FileRoot {
 public:
  LiveRoot() : FileRoot("/") {}

  std::string name() const override { return "this machine"; }
  bool is_live() const override { return true; }
  Reading output(std::string_view question) const override;

  /// `run` answers output("trial " + name) once; what it throws becomes the trouble of an unusable reading.
  void add_trial(std::string name, std::function<std::string()> run);

 private:
  std::map<std::string, std::function<std::string()>, std::less<>> trials_;
  mutable std::map<std::string, Reading, std::less<>> answers_;
};

}  // namespace halyard::facts
