// Device: what the runtime asks of a GPU driver. Two twins implement it, CudaDevice and EmulatedDevice; without either
// there is no Device, and all memory is host memory.
//
// One object serves all GPUs that the process sees; they are named by ordinal. It is made by the context (factory.hpp)
// and outlives bindings. Set-up calls throw Error and may block; they work from any thread, whether it has a GPU
// context or not, and leave the thread's current GPU as it was. Calls under "data path" neither throw, allocate nor
// block.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/file_descriptor.hpp"
#include "halyard/status.hpp"
#include "halyard/stream.hpp"

namespace halyard::device {

enum class MemoryKind : std::uint8_t {
  host,     // pageable, or unknown to the driver
  pinned,   // page-locked host memory that kernels can address
  managed,  // migrates between host and GPU
  device,   // lies on a GPU
};

std::string_view name_of(MemoryKind kind);

/// What the driver says of a pointer, asked anew each time: never remembered from an allocation hook.
struct MemoryFacts {
  MemoryKind kind = MemoryKind::host;
  int ordinal = -1;                // the GPU it lies on; -1 for host memory
  std::uintptr_t base = 0;         // of the whole allocation (device and managed memory)
  std::size_t bytes = 0;           // of the whole allocation
  std::uint64_t buffer_id = 0;     // unique for the process's life; a new allocation at an old address has another one
  std::string why_not_exportable;  // why other processes cannot map it ("from a memory pool"); empty: they can
};

/// A GPU's identity wherever it is seen from; ordinals differ between processes.
using Uuid = std::array<std::byte, 16>;

/// Another process's (or this one's) allocation, mapped here. Unmapped when the last owner lets go.
class Mapping {
 public:
  Mapping() = default;
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  virtual ~Mapping() = default;
  /// Where the byte that was exported lies for kernels of this process.
  virtual std::byte* data() const = 0;
};

/// GPU memory as a file that NIC drivers take. The memory stays until the file, and what was made from it, is closed.
struct DmaBuf {
  base::FileDescriptor file;
  std::uint64_t offset = 0;  // of the exported byte in the file
};

class Device {
 public:
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  virtual ~Device() = default;

  /// "cuda" or "emulated".
  virtual std::string_view kind() const = 0;
  virtual int num_gpus() const = 0;
  /// One GPU for people: "NVIDIA H200 (GPU-1b2c…)".
  virtual std::string describe(int ordinal) const = 0;
  virtual Uuid uuid(int ordinal) const = 0;
  /// The GPU that the calling thread uses now.
  virtual int current_gpu() const = 0;
  /// Blocks of an exchange kernel that are resident at once: how large a grid whose blocks wait may be.
  virtual int num_multiprocessors(int ordinal) const = 0;
  /// Whether kernels of several processes may run on the GPU at once (MPS); else processes take turns.
  virtual bool runs_processes_at_once(int ordinal) const = 0;
  /// Data path. The number of the GPU's context: another one after the program has reset the GPU (cudaDeviceReset), 0
  /// while there is none. Memory, streams and mappings of another life are gone: they must not be used, and to give
  /// them back does nothing.
  virtual std::uint64_t life(int ordinal) const = 0;

  // ---- memory ----------------------------------------------------------------------------------------------------

  virtual MemoryFacts facts_of(const void* address) const = 0;

  /// Zeroed memory on a GPU, exportable, aligned to 256 bytes. Throws Error(out_of_resources).
  virtual void* allocate(int ordinal, std::size_t bytes) = 0;
  /// Never throws, also after the driver has shut down (then it does nothing).
  virtual void deallocate(void* memory) noexcept = 0;
  /// Zeroed host memory that the host and kernels of every GPU address alike; aligned to 256 bytes.
  virtual void* allocate_mapped(std::size_t bytes) = 0;
  virtual void deallocate_mapped(void* memory) noexcept = 0;
  /// Makes existing host memory addressable by kernels at its own address until the result is destroyed.
  virtual std::shared_ptr<void> pin(void* memory, std::size_t bytes) = 0;

  /// Blocking copy between memory of any kinds, for set-up and tests.
  virtual void copy(void* target, const void* source, std::size_t bytes) = 0;

  // ---- peers -----------------------------------------------------------------------------------------------------

  /// What a peer's open() needs to reach the byte at `address`: handle, base, size and offset of its allocation, buffer
  /// id, UUID of its GPU, identity of this process (not the pid alone). Throws Error(not_supported) with the reason
  /// when the memory cannot be exported.
  virtual std::vector<std::byte> export_memory(const void* address) = 0;
  /// Maps a peer's memory for kernels on GPU `ordinal`. The same allocation is opened once per process and shared.
  /// Throws Error(not_supported) with what the driver said.
  virtual std::shared_ptr<Mapping> open(std::span<const std::byte> exported, int ordinal) = 0;
  /// Whether 128 aligned bytes that a warp of GPU `ordinal` stores at once arrive at once in the exported memory: on
  /// the same GPU and over NVLink. False where that cannot be known.
  virtual bool stores_lines_whole(std::span<const std::byte> exported, int ordinal) const = 0;
  /// `bytes` of device memory from `address` on, inside one allocation, for a NIC. Throws Error(not_supported) with
  /// what the driver said.
  virtual DmaBuf export_dma_buf(const void* address, std::size_t bytes) = 0;

  // ---- streams ---------------------------------------------------------------------------------------------------

  /// A stream of our own on a GPU (tests, set-up work). Not blocking on the default stream.
  virtual Stream create_stream(int ordinal) = 0;
  virtual void destroy_stream(Stream stream) noexcept = 0;
  /// Ok when `stream` belongs to GPU `ordinal`; the default streams belong to every GPU.
  virtual Status check_stream(Stream stream, int ordinal) const = 0;

  /// Data path. What is given to `after` from now on begins when all that is in `before` now has ended. Both belong to
  /// GPU `ordinal`. Does nothing when one of them is being captured and the other is not: a graph cannot wait for what
  /// is outside it. Costs an event: for callers that change streams.
  virtual Status order(Stream before, Stream after, int ordinal) = 0;
  /// Data path. What is given to the stream from now on begins when each of `words`, in memory of GPU `ordinal` or in
  /// mapped host memory, is at least `least`, as signed numbers. Unlike a kernel that polls, the stream keeps no other
  /// process from the GPU meanwhile. Not for streams in capture.
  virtual Status wait_for_words(Stream stream, std::span<std::uint64_t* const> words, std::uint64_t least,
                                int ordinal) = 0;
  /// Data path. Copies between GPU memory and pinned or mapped host memory when the stream comes there; on CUDA a copy
  /// engine does it, beside the kernels that run. Not for streams in capture.
  virtual Status copy_in(Stream stream, void* target, const void* source, std::size_t bytes, int ordinal) = 0;
  /// Data path. Stores into mapped host memory, or memory of GPU `ordinal`, when the stream comes there. Not for
  /// streams in capture.
  virtual Status store_word(Stream stream, std::uint64_t* word, std::uint64_t value, int ordinal) = 0;
  /// Data path. Whether work given to the stream is being recorded into a graph.
  virtual bool is_capturing(Stream stream) const = 0;
  /// Data path. Waits for everything in the stream.
  virtual Status synchronize(Stream stream, int ordinal) = 0;
  /// Data path. True when nothing in the stream is left to do.
  virtual bool is_idle(Stream stream, int ordinal) = 0;

  // ---- NICs ------------------------------------------------------------------------------------------------------

  /// Data path. What a NIC has written into memory of GPU `ordinal`, and the host knows of, is seen by work that the
  /// GPU begins after this. Does nothing where the GPU orders such writes itself.
  virtual Status flush_remote_writes(int ordinal) = 0;
};

}  // namespace halyard::device
