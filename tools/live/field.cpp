// See field.hpp.
#include "live/field.hpp"

#include <algorithm>

namespace halyard::live {
namespace {

constexpr double kUnsetCell = -1.0;

}  // namespace

LiveField::LiveField(Context& context, std::shared_ptr<device::Device> device, int face)
    : rank_(context.rank()), num_ranks_(context.size()), face_(face), device_(std::move(device)) {
  on_host_.resize(static_cast<std::size_t>(std::int64_t{face_} * face_ * (kDepth + 2)));
  if (device_ == nullptr) {
    memory_ = {context.allocate(bytes()), [&context](void* memory) { context.deallocate(memory); }};
  } else {
    memory_ = {device_->allocate(device_->current_gpu(), bytes()),
               [gpu = device_.get()](void* memory) { gpu->deallocate(memory); }};
  }
}

std::size_t LiveField::bytes() const { return on_host_.size() * sizeof(double); }

BoxHalo LiveField::halo() const {
  const auto domain = Box::of_extent({face_, face_, kDepth * num_ranks_});
  return {Decomposition::grid(domain, {1, 1, num_ranks_}), {false, false, true}, Width::axes(0, 0, 1)};
}

Pattern LiveField::pattern() const { return box_halo(halo(), rank_); }

FieldView LiveField::view() const {
  return FieldView::grid(static_cast<double*>(memory_.get()), {face_, face_, kDepth}, halo().width);
}

// Tells the exchange, the plane of the whole ring and the cell in it. `plane` counts from this rank's first owned one
// and may lie beyond its ends.
double LiveField::code_of(int epoch, std::int64_t plane, std::int64_t cell) const {
  const std::int64_t planes = kDepth * num_ranks_;
  const std::int64_t global = (kDepth * rank_ + plane + planes) % planes;
  return 1.0 + static_cast<double>(((global * face_ * face_ + cell) << 8) + epoch % 256);
}

void LiveField::fill(int epoch) {
  const std::int64_t cells = std::int64_t{face_} * face_;
  for (std::int64_t plane = -1; plane <= kDepth; ++plane)
    for (std::int64_t cell = 0; cell < cells; ++cell)
      on_host_[static_cast<std::size_t>((plane + 1) * cells + cell)] =
          plane < 0 || plane == kDepth ? kUnsetCell : code_of(epoch, plane, cell);
  if (device_ == nullptr)
    std::copy(on_host_.begin(), on_host_.end(), static_cast<double*>(memory_.get()));
  else
    device_->copy(memory_.get(), on_host_.data(), bytes());
}

std::int64_t LiveField::num_wrong(int epoch) const {
  if (device_ == nullptr)
    std::copy_n(static_cast<const double*>(memory_.get()), on_host_.size(), on_host_.begin());
  else
    device_->copy(on_host_.data(), memory_.get(), bytes());
  const std::int64_t cells = std::int64_t{face_} * face_;
  std::int64_t wrong = 0;
  for (std::int64_t plane = -1; plane <= kDepth; ++plane)
    for (std::int64_t cell = 0; cell < cells; ++cell)
      wrong += on_host_[static_cast<std::size_t>((plane + 1) * cells + cell)] != code_of(epoch, plane, cell) ? 1 : 0;
  return wrong;
}

}  // namespace halyard::live
