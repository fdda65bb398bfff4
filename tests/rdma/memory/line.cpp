// See line.hpp.
#include "rdma/memory/line.hpp"

#include <chrono>
#include <cstring>

#include "mpi/ranks.hpp"

namespace halyard::test {
namespace {

using namespace transport::verbs;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{60};
constexpr std::uint32_t kWrite = 0;
constexpr std::uint32_t kWord = 1;

Settings settings(std::shared_ptr<device::Device> gpu = nullptr) {
  Settings settings;
  settings.options = Options{}.with_environment().verbs;
  settings.device = std::move(gpu);
  return settings;
}

Rails opened(const Settings& settings, std::string& refusal) {
  Rails rails;
  try {
    const PortWish wish{settings.options.device, own_numa_node(), 0};
    rails.push_back(std::make_unique<Rail>(choose_ports(list_ports(), wish).front(), settings));
  } catch (const Error& error) {
    refusal = error.what();
  }
  return rails;
}

}  // namespace

std::unique_ptr<Line> Line::open(std::shared_ptr<device::Device> gpu, std::string& refusal) {
  Rails rails = opened(settings(std::move(gpu)), refusal);
  refusal = first_wrong(MPI_COMM_WORLD, refusal);
  return refusal.empty() ? std::unique_ptr<Line>(new Line(std::move(rails))) : nullptr;
}

Line::Line(Rails rails)
    : peer_(1 - rank_of(MPI_COMM_WORLD)),
      rails_(std::move(rails)),
      completions_(rails_),
      id_(completions_.join(*this)),
      queue_pair_(std::make_unique<QueuePair>(*rails_[0], completions_.queue(0), id_)) {
  queue_pair_->connect(swapped(queue_pair_->address()), peer_, settings());
  MPI_Barrier(MPI_COMM_WORLD);  // the other one is ready to receive
}

// The word behind the write asks for a completion, so that the queue pair comes to be idle.
std::string Line::write(const ibv_sge& from, const RemotePlace& to) {
  if (const int error = queue_pair_->write(from, to, kWrite); error != 0)
    return std::string("post a write: ") + std::strerror(error);
  if (const int error = queue_pair_->write_word(to, kWord, true); error != 0)
    return std::string("post a word: ") + std::strerror(error);
  ++num_wanted_;
  const auto end = Clock::now() + kPatience;
  while (num_come_[kWord] < num_wanted_ || !queue_pair_->is_idle()) {
    if (!trouble_.empty()) return trouble_;
    if (Clock::now() > end) return "nothing came";
    completions_.take_in();
  }
  return num_come_[kWrite] == num_wanted_ ? "" : "a word came before its write";
}

void Line::on_received(std::size_t, std::uint32_t number) {
  ++num_come_.at(number);
  if (const int error = queue_pair_->on_received(); error != 0)
    trouble_ = std::string("post receives: ") + std::strerror(error);
}

void Line::on_failed(std::size_t, const ibv_wc& completion) { trouble_ = ibv_wc_status_str(completion.status); }

}  // namespace halyard::test
