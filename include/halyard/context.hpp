// Context: Halyard on one communicator. Opens the transports, probes what reaches whom, owns the shared memory.
//
// Collective to make and, before MPI_Finalize, to destroy. It duplicates the communicator and never uses the
// application's tags; several may live side by side. Destroying it after MPI_Finalize is allowed and silent. Plans
// and bindings keep what they need of it alive. Which threads may call is what MPI's thread level says: SINGLE and
// FUNNELED the thread that initialized MPI, SERIALIZED one at a time, MULTIPLE any (one thread per Binding at a time;
// bindings of one context are made one after the other, in the same order on all ranks).
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <memory_resource>
#include <string>
#include <vector>

#include "halyard/export.hpp"
#include "halyard/options.hpp"
#include "halyard/path.hpp"
#include "halyard/pattern.hpp"

namespace halyard {

class ContextCore;

class HALYARD_API Context {
 public:
  /// Collective over `comm`. Throws Error, the same on every rank, when set-up fails on any rank.
  explicit Context(MPI_Comm comm, const Options& options = {});
  Context(Context&&) noexcept;
  Context& operator=(Context&&) noexcept;
  ~Context();

  int rank() const;
  int size() const;
  const Options& options() const;
  const PathFacts& facts() const;

  /// Memory that neighbors on this node read directly: 64-byte aligned, in a shared segment, huge pages where the
  /// system gives them. Local call. Throws Error(out_of_resources) with the limit that was met. When shared memory
  /// cannot be had at all, plain memory is returned and facts() say why. Thread-safe.
  void* allocate(std::size_t bytes);
  /// The same for `count` objects of T, not initialized.
  template <class T>
  T* allocate_array(std::int64_t count) {
    return static_cast<T*>(allocate(static_cast<std::size_t>(count) * sizeof(T)));
  }
  /// Gives back memory of allocate(); nullptr is allowed. No Binding may still use it.
  void deallocate(void* memory) noexcept;
  /// The same as a polymorphic memory resource, for std::pmr containers. Lives as long as the context's bindings.
  std::pmr::memory_resource* memory() const;

  /// What was probed on this rank: each path, open or why not.
  std::string explain() const;

  const std::shared_ptr<ContextCore>& core() const { return core_; }

 private:
  std::shared_ptr<ContextCore> core_;
};

/// An index halo from each rank's own lists. Collective. Owners are found through a directory spread over the ranks;
/// no rank ever holds all ids. Throws the same Error on every rank when an id has two owners or a ghost has none.
HALYARD_API Pattern index_halo(Context& context, const IndexHalo& mine);

/// The patches of all ranks from each rank's own boxes, ready for Decomposition::patches: ascending by rank, each
/// rank's in the order given. Collective.
HALYARD_API std::vector<Patch> gather_patches(Context& context, const std::vector<Box>& mine);

}  // namespace halyard
