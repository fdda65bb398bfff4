// Folder: a temporary folder, and a tree written into it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "facts/tree_root.hpp"

namespace halyard::test {

class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "halyard-test-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp " + pattern);
    path_ = pattern;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }

  /// Files, links and folders; device nodes need rights that a test does not have.
  void fill(const facts::TreeRoot& tree) const {
    for (const auto& [place, node] : tree.nodes()) {
      const std::string at = path_ + place;
      if (node.kind == facts::Kind::folder) std::filesystem::create_directories(at);
      if (node.kind == facts::Kind::link) std::filesystem::create_symlink(node.text, at);
      if (node.kind == facts::Kind::file) std::ofstream(at, std::ios::binary) << node.text;
    }
  }

 private:
  std::string path_;
};

}  // namespace halyard::test
