// Way: one way to do what particle codes do all the time. run.cpp drives all of them in turn and does not know which
// one it has. One thread per rank.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "halyard/context.hpp"
#include "particles/system.hpp"

namespace halyard::bench {

/// Where a way keeps its particles, or a copy: positions x y z x y z …, ghosts behind owned ones.
struct Holding {
  double* x = nullptr;
  const double* v = nullptr;
  const std::int64_t* id = nullptr;
  std::int64_t num_owned = 0;
  std::int64_t num_ghosts = 0;
};

class Way {
 public:
  Way() = default;
  Way(const Way&) = delete;
  Way& operator=(const Way&) = delete;
  virtual ~Way() = default;

  virtual std::string_view name() const = 0;
  /// The library that does it and its version; empty where that is Halyard or MPI, which the results name anyway.
  virtual std::string_view library() const { return {}; }
  /// Where the particles lie; of those in GPU memory, or in another layout, a copy, whose positions put_back() writes
  /// where they are.
  virtual Holding holding() = 0;
  virtual void put_back() {}

  /// Data path. Ghosts get the positions that their owners have now.
  virtual void refresh() = 0;
  /// Waits for refreshes that are only enqueued.
  virtual void finish() {}
  /// Lists ghosts anew; their positions are there afterwards.
  virtual void borders() = 0;
  /// Particles go to their owners.
  virtual void migrate() = 0;
};

enum class Messages { per_peer, per_direction };
std::unique_ptr<Way> make_by_hand(MPI_Comm comm, const System& system, Messages messages);
enum class Keep { in_halyards_memory, in_user_memory };
std::unique_ptr<Way> make_with_halyard(Context& context, const System& system, Keep keep);
/// Null in a build without Cabana.
std::unique_ptr<Way> make_with_cabana(MPI_Comm comm, const System& system);

/// Particles in GPU memory: see cuda/. Throw UsageError in a build without CUDA.
void choose_gpu_for_particles(MPI_Comm comm);
enum class Landing { in_ghosts, in_buffer };
std::unique_ptr<Way> make_by_hand_on_gpu(MPI_Comm comm, const System& system, Landing landing);
enum class Wait { each_time, in_stream };
std::unique_ptr<Way> make_with_halyard_on_gpu(Context& context, const System& system, Wait wait);
/// Whether MPI takes pointers to GPU memory, as far as it says so itself.
bool mpi_takes_gpu_memory();

}  // namespace halyard::bench
