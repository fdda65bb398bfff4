// Plan: layouts and paths, see halyard/plan.hpp.
#include "halyard/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/hash.hpp"
#include "halyard/status.hpp"

namespace halyard {
namespace {

std::uint64_t hash_of(std::uint64_t cells, const std::vector<FieldShape>& fields) {
  base::Hash hash;
  hash.add(cells).add(static_cast<std::uint64_t>(fields.size()));
  for (const FieldShape& field : fields) {
    hash.add(static_cast<int>(field.element.scalar)).add(static_cast<std::uint64_t>(field.element.count));
    for (const auto axis : field.order) hash.add(static_cast<int>(axis));
  }
  return hash.value();
}

MessageLayout layout_of(const std::vector<Piece>& pieces, std::uint64_t cells_hash,
                        const std::vector<FieldShape>& fields) {
  MessageLayout layout;
  if (pieces.empty()) return layout;
  layout.offsets.reserve(pieces.size() * fields.size());
  for (const FieldShape& field : fields)
    for (const Piece& piece : pieces) {
      layout.offsets.push_back(layout.bytes);
      const std::int64_t bytes = piece.num_cells * static_cast<std::int64_t>(field.element.bytes());
      layout.bytes += (bytes + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment;
    }
  layout.hash = hash_of(cells_hash, fields);
  return layout;
}

void check_field(const FieldShape& field) {
  if (field.element.bytes() < 1 || field.element.bytes() > 64)
    throw Error(StatusCode::invalid_argument,
                fmt::format("plan field '{}': its elements have {} bytes; 1 to 64 are possible", field.name,
                            field.element.bytes()));
  AxisOrder sorted = field.order;
  std::sort(sorted.begin(), sorted.end());
  if (sorted != AxisOrder{0, 1, 2})
    throw Error(StatusCode::invalid_argument,
                fmt::format("plan field '{}': its axis order ({}, {}, {}) must name each of "
                            "0, 1, 2 once",
                            field.name, field.order[0], field.order[1], field.order[2]));
}

}  // namespace

Plan::Plan(Pattern pattern, std::vector<FieldShape> fields, const PathFacts& facts, Memory memory)
    : pattern_(std::move(pattern)), fields_(std::move(fields)), memory_(memory) {
  if (pattern_.num_ranks != facts.num_ranks || pattern_.rank != facts.rank)
    throw Error(
        StatusCode::invalid_argument,
        fmt::format("make a plan: the pattern is for rank {} of {}, the context is rank {} of {}; build the pattern "
                    "with the context's rank and size",
                    pattern_.rank, pattern_.num_ranks, facts.rank, facts.num_ranks));
  for (const FieldShape& field : fields_) check_field(field);
  for (const PatternNeighbor& neighbor : pattern_.neighbors) {
    PathChoice choice = facts.choose(neighbor.rank, memory);
    neighbors_.push_back({neighbor.rank, choice.path, std::move(choice.refused), choice.is_staged,
                          layout_of(neighbor.sends, neighbor.send_hash, fields_),
                          layout_of(neighbor.receives, neighbor.receive_hash, fields_)});
  }
}

std::uint64_t Plan::hash() const {
  base::Hash hash;
  hash.add(pattern_.rank).add(pattern_.num_ranks).add(static_cast<int>(memory_));
  for (const PlanNeighbor& neighbor : neighbors_)
    hash.add(neighbor.rank).add(static_cast<int>(neighbor.path)).add(neighbor.send.hash).add(neighbor.receive.hash);
  return hash.value();
}

std::size_t Plan::memory_bytes() const {
  std::size_t bytes = sizeof(Plan) + pattern_.memory_bytes() + neighbors_.capacity() * sizeof(PlanNeighbor);
  for (const PlanNeighbor& neighbor : neighbors_) {
    bytes += (neighbor.send.offsets.capacity() + neighbor.receive.offsets.capacity()) * sizeof(std::int64_t);
    for (const Refusal& refusal : neighbor.refused) bytes += sizeof(Refusal) + refusal.reason.capacity();
  }
  return bytes;
}

}  // namespace halyard
