// CodedExchange: a RandomCase on this rank, bound by one Way, and checked after each exchange.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "conformance/random_case.hpp"
#include "mpi/ways.hpp"
#include "support/gpu/mirror.hpp"

namespace halyard::test {

class CodedExchange {
 public:
  /// Collective. The context must outlive this. `allocate` takes the memory on a GPU, for ways with fields there.
  CodedExchange(Context& context, const Way& way, const RandomCase& problem,
                const GpuMirror::Allocate& allocate = nullptr);

  /// Fills, exchanges forward, checks. Empty when all is right; else what is not.
  std::string run(std::uint64_t step);
  /// The same by another call than forward() and wait().
  std::string run_by(std::uint64_t step, const std::function<Status()>& exchange);
  /// What is wrong with the way taken, or nothing.
  std::string other_way() const { return test::other_way(binding_, way_); }

  RankFields& fields() { return fields_; }
  /// What is bound: the fields, or their mirrors on a GPU.
  const std::vector<FieldView>& views() const { return mirror_ ? mirror_->views() : fields_.views; }
  Binding& binding() { return binding_; }

 private:
  Way way_;
  Pattern pattern_;
  RankFields fields_;
  std::optional<GpuMirror> mirror_;
  Binding binding_;
};

/// One field of double on one domain, for tests that need no more.
RandomCase plain_case(const Decomposition& cells, const std::array<bool, 3>& periodic, const Width& width);

/// Collective over `comm`, the context's. Binds a case, runs three steps; the first complaint of any rank, with the
/// case's text.
std::string wrong_in_case(MPI_Comm comm, Context& context, const Way& way, const RandomCase& problem);

}  // namespace halyard::test
