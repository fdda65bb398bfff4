// Plan: a Pattern, the fields' shapes and PathFacts turned into messages: layout, path and reason for each neighbor.
//
// Pure data: it can be printed, hashed, compared, and built for rank 137 of 4,096 in a unit test. A Binding compares
// hashes between ranks before the first byte moves. Any thread may read a Plan.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "halyard/export.hpp"
#include "halyard/field.hpp"
#include "halyard/path.hpp"
#include "halyard/pattern.hpp"

namespace halyard {

/// Where each piece of each field lies in a message: section(field, piece) starts at offsets[field * pieces + piece].
/// Sections follow each other field by field, piece by piece, each aligned to kSectionAlignment.
struct MessageLayout {
  std::int64_t bytes = 0;
  std::vector<std::int64_t> offsets;
  std::uint64_t hash = 0;  // of cells, elements and order; equal at both ends
};
inline constexpr std::int64_t kSectionAlignment = 16;

/// The messages to and from one neighbor. A forward exchange sends `send` and receives `receive`; a reverse exchange
/// uses the same layouts the other way round.
struct PlanNeighbor {
  int rank = 0;
  Path path = Path::mpi;
  std::vector<Refusal> refused;
  bool is_staged = false;  // GPU memory by a path of host memory
  MessageLayout send;
  MessageLayout receive;
};

class HALYARD_API Plan {
 public:
  /// Throws Error(invalid_argument) for elements outside 1–64 bytes or more ranks in the pattern than in the facts.
  /// `memory` says where the fields will lie.
  Plan(Pattern pattern, std::vector<FieldShape> fields, const PathFacts& facts, Memory memory = Memory::host);

  const Pattern& pattern() const { return pattern_; }
  const std::vector<FieldShape>& fields() const { return fields_; }
  /// In the order of pattern().neighbors.
  const std::vector<PlanNeighbor>& neighbors() const { return neighbors_; }
  Memory memory() const { return memory_; }

  /// Of everything that decides this rank's messages; stable between runs and machines.
  std::uint64_t hash() const;
  std::size_t memory_bytes() const;
  /// A table: neighbor, path, bytes per step each way, pieces, and each better path with the reason it was refused.
  std::string explain() const;

 private:
  Pattern pattern_;
  std::vector<FieldShape> fields_;
  std::vector<PlanNeighbor> neighbors_;
  Memory memory_ = Memory::host;
};

}  // namespace halyard
