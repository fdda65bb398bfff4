// What tests on several ranks need of MPI: subsets of ranks, and verdicts that all ranks share, so that a wrong value
// on one rank ends a test on all of them and nobody waits for the one that left.
#pragma once

#include <mpi.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "halyard/status.hpp"

namespace halyard::test {

int rank_of(MPI_Comm comm);
int size_of(MPI_Comm comm);

/// Collective. The complaint of the lowest rank that has one, on every rank: "rank 2: ghost (1, 0, 0) …"; else nothing.
std::string first_wrong(MPI_Comm comm, const std::string& mine);

/// Collective. Everybody's text, by rank.
std::vector<std::string> all_texts(MPI_Comm comm, const std::string& mine);

/// Collective over MPI_COMM_WORLD. The first `num_ranks` of its ranks; MPI_COMM_NULL on all others.
class FirstRanks {
 public:
  explicit FirstRanks(int num_ranks);
  FirstRanks(const FirstRanks&) = delete;
  FirstRanks& operator=(const FirstRanks&) = delete;
  ~FirstRanks();
  MPI_Comm comm() const { return comm_; }
  bool has_me() const { return comm_ != MPI_COMM_NULL; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// Collective over MPI_COMM_WORLD. Calls body(comm) on the first n ranks for each n that there are, the others waiting.
void for_first_ranks(const std::vector<int>& counts, const std::function<void(MPI_Comm)>& body);

/// What `step` threw; nothing when it came to its end.
std::optional<Status> error_of(const std::function<void()>& step);

/// Collective. What is wrong when `step` should throw an Error of this code that names all `words`, with the same text
/// on every rank; empty when it does.
std::string not_refused_alike(MPI_Comm comm, StatusCode code, const std::vector<std::string>& words,
                              const std::function<void()>& step);

}  // namespace halyard::test
