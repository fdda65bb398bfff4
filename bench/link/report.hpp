// LinkReport: results of the link bench as a table on standard output and as JSON lines in a file. Rank 0 writes.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "common/json_file.hpp"
#include "common/machine.hpp"
#include "link/measure.hpp"

namespace halyard::bench {

struct LinkFacts {
  Machine machine;
  std::string commit;
  std::string mpi_name;
  std::vector<std::string> details;  // "verbs: rxe0:1, …", for the table's head
};

class LinkReport {
 public:
  /// Throws UsageError on both ranks when the file cannot be written. Collective.
  LinkReport(MPI_Comm comm, LinkFacts facts, const std::string& json_file);

  void add(std::int64_t bytes, const std::vector<LinkResult>& results);

 private:
  LinkFacts facts_;
  JsonFile json_;
};

/// One line per method that ran; the keys are listed in bench/README.md.
std::string json_lines(const LinkFacts& facts, std::int64_t bytes, const std::vector<LinkResult>& results);

}  // namespace halyard::bench
