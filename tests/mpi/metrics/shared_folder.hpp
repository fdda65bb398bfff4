// SharedFolder: a fresh folder that all ranks of this node know. Collective to make and to destroy.
#pragma once

#include <mpi.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "mpi/ranks.hpp"

namespace halyard::test {

class SharedFolder {
 public:
  SharedFolder() {
    char name[] = "/tmp/halyard_metrics_XXXXXX";
    const bool is_made = rank_of(MPI_COMM_WORLD) != 0 || mkdtemp(name) != nullptr;
    EXPECT_TRUE(is_made);
    MPI_Bcast(name, sizeof(name), MPI_CHAR, 0, MPI_COMM_WORLD);
    path_ = name;
  }
  SharedFolder(const SharedFolder&) = delete;
  SharedFolder& operator=(const SharedFolder&) = delete;
  ~SharedFolder() {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_of(MPI_COMM_WORLD) == 0) std::filesystem::remove_all(path_);
  }

  std::string name(const std::string& file) const { return path_ + "/" + file; }
  /// Of the one file there whose name begins like this. Contexts after the first of a process write to "name.2.ext".
  std::string only_contents(const std::string& beginning = "") const {
    std::string contents = "no file";
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      if (!entry.path().filename().string().starts_with(beginning)) continue;
      EXPECT_EQ(contents, "no file") << "a second one: " << entry.path();
      std::ifstream stream(entry.path());
      contents.assign(std::istreambuf_iterator<char>(stream), {});
    }
    return contents;
  }

 private:
  std::string path_;
};

}  // namespace halyard::test
