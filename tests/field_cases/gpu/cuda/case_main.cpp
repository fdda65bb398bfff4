// Field cases that a program of its own must show on CUDA, linked as a user links, with the static CUDA runtime:
//
//   case R06          GPU memory that peers had mapped is free again once bindings are gone
//   case R08          memory older than MPI and Halyard, of this program's runtime and of a shared one, is known for
//   GPU
//                     memory
//   case T02 <order>  the end of a good run in any order of r (cudaDeviceReset), p (exchange and context destroyed) and
//                     m (MPI_Finalize); n: new memory, perhaps where Halyard had its own, is whole at the end;
//                     a: a context and an exchange again
//
// Returns 0 when all is well, 77 where there is no GPU.
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "halyard/halyard.hpp"

namespace {

void must(cudaError_t error, const char* tried) {
  if (error != cudaSuccess) throw std::runtime_error(std::string(tried) + ": " + cudaGetErrorString(error));
}

double* gpu_memory(std::size_t bytes) {
  void* memory = nullptr;
  must(cudaMalloc(&memory, bytes), "allocate");
  return static_cast<double*>(memory);
}

/// Which of this node's ranks the process is, before MPI knows.
int local_rank() {
  const char* text = std::getenv("OMPI_COMM_WORLD_LOCAL_RANK");
  return text == nullptr ? 0 : std::atoi(text);
}

/// The sum over all ranks, so that nobody goes on alone.
int all_wrong(int wrong) {
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return wrong;
}

constexpr std::int64_t kCells = 4;

/// A ring of ranks, each with four cells that hold their global index; ghosts on both sides.
class Ring {
 public:
  /// `memory` holds at least bytes().
  Ring(halyard::Context& context, double* memory) : context_(context), memory_(memory) {
    const int size = context.size();
    const halyard::BoxHalo halo{
        halyard::Decomposition::grid(halyard::Box::of_extent({kCells * size, 1, 1}), {size, 1, 1}),
        {true, false, false},
        halyard::Width::axes(1, 0, 0)};
    const auto view = halyard::FieldView::grid(memory, {kCells, 1, 1}, halo.width);
    exchange_ =
        std::make_unique<halyard::HaloExchange>(context, halyard::box_halo(halo, context.rank()), std::vector{view});
  }
  static constexpr std::size_t bytes() { return (kCells + 2) * sizeof(double); }

  /// How many ghosts are wrong after an exchange.
  int run() {
    const double first = static_cast<double>(kCells * context_.rank());
    const double field[kCells + 2] = {-1, first, first + 1, first + 2, first + 3, -1};
    must(cudaMemcpy(memory_, field, bytes(), cudaMemcpyHostToDevice), "fill the field");
    MPI_Barrier(MPI_COMM_WORLD);
    exchange_->forward().wait().or_throw();
    double got[kCells + 2];
    must(cudaMemcpy(got, memory_, bytes(), cudaMemcpyDeviceToHost), "read the field");
    const double all = static_cast<double>(kCells * context_.size());
    const bool left = got[0] == (first == 0 ? all : first) - 1;
    const bool right = got[kCells + 1] == (first + kCells == all ? 0 : first + kCells);
    const bool known = exchange_->explain().find("fields on GPU") != std::string::npos;
    if (!left || !right) std::fprintf(stderr, "rank %d: ghosts %g and %g\n", context_.rank(), got[0], got[kCells + 1]);
    if (!known) std::fprintf(stderr, "rank %d: taken for host memory\n", context_.rank());
    return !left + !right + !known;
  }

 private:
  halyard::Context& context_;
  double* memory_;
  std::unique_ptr<halyard::HaloExchange> exchange_;
};

// ---- R06 ------------------------------------------------------------------------------------------------------------

std::size_t free_memory() {
  std::size_t free = 0;
  std::size_t total = 0;
  MPI_Barrier(MPI_COMM_WORLD);  // the other ranks of this GPU have let go too
  must(cudaMemGetInfo(&free, &total), "ask for free memory");
  MPI_Barrier(MPI_COMM_WORLD);
  return free;
}

int run_r06() {
  constexpr std::size_t kBytes = std::size_t{256} << 20;
  constexpr std::size_t kTolerance = std::size_t{4} << 20;
  halyard::Context context(MPI_COMM_WORLD);
  int wrong = 0;
  std::size_t base = 0;
  for (int cycle = 0; cycle < 10; ++cycle) {
    double* memory = gpu_memory(kBytes);
    wrong += Ring(context, memory).run();
    must(cudaFree(memory), "free");
    const std::size_t free = free_memory();
    if (cycle == 0) base = free;  // contexts and modules are loaded by now
    if (free + kTolerance >= base) continue;
    std::fprintf(stderr, "rank %d: cycle %d leaves %zu bytes less\n", context.rank(), cycle, base - free);
    ++wrong;
  }
  return all_wrong(wrong);
}

// ---- R08 ------------------------------------------------------------------------------------------------------------

using Malloc = cudaError_t (*)(void**, std::size_t);

/// cudaMalloc of a CUDA runtime of its own, as other libraries of a program bring it; null where there is none.
Malloc shared_malloc() {
  for (const char* name : {"libcudart.so.13", "libcudart.so.12", "libcudart.so"})
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL); library != nullptr)
      return reinterpret_cast<Malloc>(dlsym(library, "cudaMalloc"));
  std::printf("R08: no shared CUDA runtime here: the static one alone\n");
  return nullptr;
}

void allocate(std::vector<double*>& fields) {
  for (const Malloc take :
       {static_cast<Malloc>([](void**m, std::size_t n) { return cudaMalloc(m, n); }), shared_malloc()}) {
    void* memory = nullptr;
    if (take == nullptr) continue;
    must(take(&memory, Ring::bytes()), "allocate");
    fields.push_back(static_cast<double*>(memory));
  }
}

int run_r08(std::vector<double*>& fields) {
  halyard::Context context(MPI_COMM_WORLD);
  int wrong = 0;
  for (double* field : fields) wrong += Ring(context, field).run();
  return all_wrong(wrong);
}

// ---- T02 ------------------------------------------------------------------------------------------------------------

/// Memory of the program that goes on after a reset: as much as Halyard had, so that it lies where that lay.
class NewMemory {
 public:
  NewMemory() {
    for (std::size_t i = 0; i < kBlocks; ++i) {
      blocks_.push_back(gpu_memory(kBytes));
      must(cudaMemset(blocks_.back(), kByte, kBytes), "fill");
    }
  }
  /// How many blocks are not what they were.
  int num_wrong() const {
    std::vector<unsigned char> got(kBytes);
    int wrong = 0;
    for (double* block : blocks_) {
      const bool is_there = cudaMemcpy(got.data(), block, kBytes, cudaMemcpyDeviceToHost) == cudaSuccess;
      wrong += !is_there || std::count(got.begin(), got.end(), kByte) != std::ptrdiff_t{kBytes};
    }
    if (wrong != 0) std::fprintf(stderr, "%d of %zu blocks of new memory are gone or changed\n", wrong, kBlocks);
    return wrong;
  }

 private:
  static constexpr std::size_t kBlocks = 32;
  static constexpr std::size_t kBytes = std::size_t{2} << 20;
  static constexpr unsigned char kByte = 0x5A;
  std::vector<double*> blocks_;
};

int run_again() {
  halyard::Context context(MPI_COMM_WORLD);
  return all_wrong(Ring(context, gpu_memory(Ring::bytes())).run());
}

int run_t02(const std::string& order) {
  std::optional<halyard::Context> context(MPI_COMM_WORLD);
  double* memory = gpu_memory(Ring::bytes());
  std::optional<Ring> ring(std::in_place, *context, memory);
  int wrong = all_wrong(ring->run());
  std::optional<NewMemory> more;
  for (const char step : order) {
    if (step == 'r') {
      must(cudaDeviceReset(), "reset");
    } else if (step == 'm') {
      MPI_Finalize();
    } else if (step == 'n') {
      more.emplace();
    } else if (step == 'a') {
      wrong += run_again();
    } else {
      ring.reset();
      context.reset();
    }
  }
  return wrong + (more ? more->num_wrong() : 0);
}

int run(const std::string& which, const std::string& order, int* argc, char*** argv) {
  int num_gpus = 0;
  must(cudaGetDeviceCount(&num_gpus), "count GPUs");
  must(cudaSetDevice(local_rank() % num_gpus), "choose a GPU");
  std::vector<double*> fields;
  if (which == "R08") allocate(fields);
  MPI_Init(argc, argv);
  if (which == "T02") return run_t02(order);
  if (which == "R08") allocate(fields);
  const int wrong = which == "R08" ? run_r08(fields) : run_r06();
  MPI_Finalize();
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  int num_gpus = 0;
  if (cudaGetDeviceCount(&num_gpus) != cudaSuccess || num_gpus == 0) {
    std::printf("SKIP: no GPU here\n");
    return 77;
  }
  try {
    return run(argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : "", &argc, &argv) == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::_Exit(1);  // MPI's other ranks are ended by mpirun
  }
}
