// Kernels of copy lists and of plain boxes; see ../copies.hpp.
#include "halo/cuda/handles.hpp"
#include "halo/cuda/kernels/copy_share.cuh"

namespace halyard::bench {
namespace {

constexpr std::uint32_t kMostBlocks = 1056;  // 8 a multiprocessor of an H200; more wait their turn
constexpr std::uint32_t kPlainThreads = 256;

template <int kCellsPerThread, class List>
__global__ void copy_boxes_kernel(const __grid_constant__ List list) {
  copy_share<kCellsPerThread>(list, blockIdx.x, gridDim.x, 0);
}

struct PlainBox {
  Strided from;
  Strided to;
  std::int64_t nx, ny, num_cells;
};

__global__ void plain_copy_kernel(PlainBox box) {
  const std::int64_t cell = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (cell >= box.num_cells) return;
  const std::int64_t x = cell % box.nx;
  const std::int64_t y = cell / box.nx % box.ny;
  const std::int64_t z = cell / (box.nx * box.ny);
  box.to.first[x + y * box.to.row + z * box.to.plane] = box.from.first[x + y * box.from.row + z * box.from.plane];
}

template <class List>
void launch_list(const List& list, const Tiling& tiling, cudaStream_t stream) {
  const std::uint32_t blocks = list.num_tiles < kMostBlocks ? list.num_tiles : kMostBlocks;
  switch (tiling.cells_per_thread) {
    case 8:
      copy_boxes_kernel<8><<<blocks, tiling.num_threads, 0, stream>>>(list);
      break;
    case 4:
      copy_boxes_kernel<4><<<blocks, tiling.num_threads, 0, stream>>>(list);
      break;
    case 2:
      copy_boxes_kernel<2><<<blocks, tiling.num_threads, 0, stream>>>(list);
      break;
    default:
      copy_boxes_kernel<1><<<blocks, tiling.num_threads, 0, stream>>>(list);
  }
  check_cuda(cudaGetLastError(), "launch of the copy kernel");
}

}  // namespace

// data path
void launch_copies(const CopyList& list, const Tiling& tiling, cudaStream_t stream) {
  if (list.num_tiles == 0) return;
  if (fits_faces(list))
    launch_list(faces_of(list), tiling, stream);
  else
    launch_list(list, tiling, stream);
}

void launch_plain_copy(const Strided& from, const Strided& to, const Index3& extent, cudaStream_t stream) {
  const PlainBox box{from, to, extent[0], extent[1], extent[0] * extent[1] * extent[2]};
  if (box.num_cells == 0) return;
  const auto blocks = static_cast<std::uint32_t>((box.num_cells + kPlainThreads - 1) / kPlainThreads);
  plain_copy_kernel<<<blocks, kPlainThreads, 0, stream>>>(box);
  check_cuda(cudaGetLastError(), "launch of the plain copy");
}

}  // namespace halyard::bench
