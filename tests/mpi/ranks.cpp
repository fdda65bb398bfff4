// See ranks.hpp.
#include "mpi/ranks.hpp"

namespace halyard::test {
namespace {

std::string texts_joined(const std::vector<std::string>& texts) {
  std::string joined;
  for (std::size_t r = 0; r < texts.size(); ++r) joined += "\n  rank " + std::to_string(r) + ": " + texts[r];
  return joined;
}

std::string why_not_refused(const std::optional<Status>& error, StatusCode code,
                            const std::vector<std::string>& words) {
  if (!error) return "was not refused";
  if (error->code() != code)
    return "refused as " + std::string(name_of(error->code())) + ", not " + std::string(name_of(code)) + ": " +
           error->text();
  for (const std::string& word : words)
    if (error->text().find(word) == std::string::npos) return "no '" + word + "' in: " + error->text();
  return {};
}

}  // namespace

int rank_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

std::string first_wrong(MPI_Comm comm, const std::string& mine) {
  const int vote = mine.empty() ? size_of(comm) : rank_of(comm);
  int culprit = 0;
  MPI_Allreduce(&vote, &culprit, 1, MPI_INT, MPI_MIN, comm);
  if (culprit == size_of(comm)) return {};
  int length = static_cast<int>(mine.size());
  MPI_Bcast(&length, 1, MPI_INT, culprit, comm);
  std::string text = mine;
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), length, MPI_CHAR, culprit, comm);
  return "rank " + std::to_string(culprit) + ": " + text;
}

std::vector<std::string> all_texts(MPI_Comm comm, const std::string& mine) {
  std::vector<std::string> texts;
  for (int r = 0; r < size_of(comm); ++r) {
    int length = static_cast<int>(mine.size());
    MPI_Bcast(&length, 1, MPI_INT, r, comm);
    std::string text = mine;
    text.resize(static_cast<std::size_t>(length));
    MPI_Bcast(text.data(), length, MPI_CHAR, r, comm);
    texts.push_back(text);
  }
  return texts;
}

FirstRanks::FirstRanks(int num_ranks) {
  const int rank = rank_of(MPI_COMM_WORLD);
  MPI_Comm_split(MPI_COMM_WORLD, rank < num_ranks ? 0 : MPI_UNDEFINED, rank, &comm_);
}

FirstRanks::~FirstRanks() {
  if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
}

void for_first_ranks(const std::vector<int>& counts, const std::function<void(MPI_Comm)>& body) {
  for (const int count : counts) {
    if (count > size_of(MPI_COMM_WORLD)) continue;
    const FirstRanks ranks(count);
    if (ranks.has_me()) body(ranks.comm());
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

std::optional<Status> error_of(const std::function<void()>& step) {
  try {
    step();
  } catch (const Error& error) {
    return error.status();
  }
  return std::nullopt;
}

std::string not_refused_alike(MPI_Comm comm, StatusCode code, const std::vector<std::string>& words,
                              const std::function<void()>& step) {
  const auto error = error_of(step);
  if (auto wrong = first_wrong(comm, why_not_refused(error, code, words)); !wrong.empty()) return wrong;
  const auto texts = all_texts(comm, error->text());
  for (const std::string& text : texts)
    if (text != texts[0]) return "not the same text on all ranks:" + texts_joined(texts);
  return {};
}

}  // namespace halyard::test
