// CodedField: a field whose owned cells hold a code of their global coordinates, so that a wrong ghost names its
// origin.
//
// The oracle is independent of the pattern builder: for each cell of the patch with its halo it works out, cell by
// cell, whose value must be there after a forward exchange, or that nothing may have touched it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "halyard/box.hpp"
#include "halyard/field.hpp"
#include "halyard/pattern.hpp"

namespace halyard::test {

/// How the array is laid out beyond what the halo needs.
struct Storing {
  ElementType element = ElementType::of<double>();
  AxisOrder order{0, 1, 2};     // fastest axis first
  Index3 extra_below{0, 0, 0};  // cells of padding inside the array
  Index3 extra_above{0, 0, 0};
  std::int64_t extra_bytes = 0;  // between elements (a member of a record)
};

/// Takes memory from wherever the test wants it.
using Allocate = std::function<std::shared_ptr<std::byte[]>(std::size_t bytes)>;
std::shared_ptr<std::byte[]> allocate_plain(std::size_t bytes);

class CodedField {
 public:
  CodedField(const BoxHalo& halo, const LocalPatch& patch, const Storing& storing, int number,
             const Allocate& allocate = allocate_plain);

  const FieldView& view() const { return view_; }
  /// Codes in the owned cells, a sentinel everywhere else.
  void fill(std::uint64_t step);
  /// Empty when every cell of the array is as it must be after forward; else the first cell that is not.
  std::string check(std::uint64_t step) const;

  /// For reverse: `value` in each ghost that has an owner, `owned` in owned cells, as doubles of one component.
  void fill_for_reverse(double owned, double value);
  /// Times that a cell of this patch is somebody's ghost, counted over all patches and images: what reverse sum adds.
  double num_ghosts_of(const Index3& global) const;
  std::string check_reverse_sum(double owned, double value) const;

 private:
  enum class Content { own, ghost, untouched };

  std::byte* at(const Index3& relative) const;
  Content content(const Index3& global, Index3& source) const;
  template <class Visit>
  void for_each_cell(Visit visit) const;
  void write_code(std::byte* to, const Index3& global, std::uint64_t step) const;

  BoxHalo halo_;
  LocalPatch patch_;
  int number_;
  std::size_t num_bytes_ = 0;
  std::shared_ptr<std::byte[]> memory_;
  FieldView view_;
};

}  // namespace halyard::test
