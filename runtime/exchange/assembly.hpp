// Assembly: makes a HostBinding in steps, so that whoever carries the ranks' bytes to each other (MPI, or a test that
// plays all ranks in one process) stays outside.
//
//   Assembly a(plan, views, workers, around);        checks, throws
//   a.open(swap(a.windows()));                        channels with their memory
//   core = a.connect(swap(a.addresses()));
//
// swap() takes one blob per remote neighbor, in the order of remote_ranks(), and answers theirs.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "exchange/host_binding.hpp"
#include "pack/compile.hpp"

namespace halyard::exchange {

/// The open worker of each path; null where there is none.
using Workers = std::array<transport::Worker*, kNumPaths>;

class Assembly {
 public:
  Assembly(Plan plan, std::span<const FieldView> views, const Workers& workers, Surroundings around);

  std::vector<int> remote_ranks() const;
  std::vector<transport::Blob> windows() const;
  void open(const std::vector<transport::Blob>& peer_windows);
  std::vector<transport::Blob> addresses();
  std::unique_ptr<BindingCore> connect(const std::vector<transport::Blob>& peer_addresses);

 private:
  struct Cells;  // a neighbor's pieces and layouts, as one kind of exchange sees them

  Link make_self_link(std::size_t neighbor) const;
  Link make_link(std::size_t neighbor, const transport::Blob& window) const;
  Route make_route(const Cells& cells, bool sends_in_place, std::span<const pack::Grid> peer_grids) const;
  std::string why_packed(const Link& link, bool sends_in_place, bool receives_in_place) const;
  transport::Worker& worker_of(const PlanNeighbor& neighbor) const;
  pack::End own_fields() const;

  Plan plan_;
  std::vector<FieldView> views_;
  std::vector<pack::Grid> grids_;
  Workers workers_;
  Surroundings around_;
  std::vector<Link> links_;
};

}  // namespace halyard::exchange
