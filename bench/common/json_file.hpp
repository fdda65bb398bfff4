// JsonFile: where a bench writes its results, one JSON value a line, behind the lines that are there: runs with other
// options or numbers of ranks belong in one file. Exists on every rank; rank 0 writes.
#pragma once

#include <mpi.h>

#include <fstream>
#include <string>
#include <string_view>

namespace halyard::bench {

class JsonFile {
 public:
  /// Empty name: none. Throws UsageError on every rank when the file cannot be written. Collective.
  JsonFile(MPI_Comm comm, const std::string& name);

  /// True where results are shown and written.
  bool is_writer() const { return is_writer_; }
  /// Lines with their ends.
  void write(std::string_view lines);

 private:
  bool is_writer_ = false;
  std::ofstream file_;
};

}  // namespace halyard::bench
