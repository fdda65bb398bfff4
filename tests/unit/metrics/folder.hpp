// Folder: a fresh folder for one test, gone with it.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace halyard::test {

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "halyard_metrics_XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }

  std::string name(const std::string& file) const { return path_ + "/" + file; }
  std::string contents(const std::string& file) const {
    std::ifstream stream(name(file));
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  std::ptrdiff_t num_files() const {
    return std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator{});
  }

 private:
  std::string path_;
};

}  // namespace halyard::test
