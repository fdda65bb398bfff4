// CudaDevice: Device on the CUDA runtime and driver. Its functions lie in device.cpp (GPUs), facts.cpp, memory.cpp,
// peers.cpp and streams.cpp. Made by open_cuda() (factory.cpp) and never destroyed: what it holds in the driver ends
// with the driver, whose shutdown may come before that of our own statics.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "device/cuda/driver.hpp"
#include "device/cuda/gpu.hpp"
#include "device/device.hpp"
#include "device/exported.hpp"
#include "device/lives.hpp"
#include "device/openings.hpp"

namespace halyard::device::cuda {

class CudaDevice final : public Device {
 public:
  /// Throws Error when a GPU or the driver is not as it must be.
  CudaDevice(const Driver& driver, int num_gpus);

  std::string_view kind() const override { return "cuda"; }
  int num_gpus() const override { return static_cast<int>(gpus_.size()); }
  std::string describe(int ordinal) const override { return gpu(ordinal).description(); }
  Uuid uuid(int ordinal) const override { return gpu(ordinal).uuid(); }
  int current_gpu() const override;
  int num_multiprocessors(int ordinal) const override { return gpu(ordinal).num_multiprocessors(); }
  bool runs_processes_at_once(int ordinal) const override { return gpu(ordinal).has_mps(); }
  std::uint64_t life(int ordinal) const override { return gpu(ordinal).life(); }

  MemoryFacts facts_of(const void* address) const override;
  void* allocate(int ordinal, std::size_t bytes) override;
  void deallocate(void* memory) noexcept override;
  void* allocate_mapped(std::size_t bytes) override;
  void deallocate_mapped(void* memory) noexcept override;
  std::shared_ptr<void> pin(void* memory, std::size_t bytes) override;
  void copy(void* target, const void* source, std::size_t bytes) override;

  std::vector<std::byte> export_memory(const void* address) override;
  std::shared_ptr<Mapping> open(std::span<const std::byte> exported, int ordinal) override;
  bool stores_lines_whole(std::span<const std::byte> exported, int ordinal) const override;
  DmaBuf export_dma_buf(const void* address, std::size_t bytes) override;

  Stream create_stream(int ordinal) override;
  void destroy_stream(Stream stream) noexcept override;
  Status check_stream(Stream stream, int ordinal) const override;
  Status order(Stream before, Stream after, int ordinal) override;
  Status wait_for_words(Stream stream, std::span<std::uint64_t* const> words, std::uint64_t least,
                        int ordinal) override;
  Status copy_in(Stream stream, void* target, const void* source, std::size_t bytes, int ordinal) override;
  Status store_word(Stream stream, std::uint64_t* word, std::uint64_t value, int ordinal) override;
  bool is_capturing(Stream stream) const override;
  Status synchronize(Stream stream, int ordinal) override;
  bool is_idle(Stream stream, int ordinal) override;
  Status flush_remote_writes(int ordinal) override;

 private:
  /// Throws Error(invalid_argument) when this process does not see such a GPU.
  Gpu& gpu(int ordinal) const;
  /// The GPU that has this UUID, or null when this process does not see it.
  Gpu* gpu_with(const Uuid& uuid) const;
  /// The GPU whose context serves for what concerns all GPUs: the thread's own if it has one, else the first.
  Gpu& any_gpu() const;
  Gpu& gpu_of(const void* address) const;

  Status in_stream(const char* what, Stream stream, int ordinal, CUresult result) const;
  std::shared_ptr<Mapping> open_own(const Exported& own, Gpu& user);
  std::shared_ptr<Opening> map_peer(const Exported& peer, Gpu& user) const;

  const Driver driver_;
  std::vector<std::unique_ptr<Gpu>> gpus_;  // by ordinal
  Openings openings_;
  Lives lives_;  // memory
  std::mutex mapped_mutex_;
  std::map<void*, std::shared_ptr<void>> mapped_;  // pins of allocate_mapped
};

}  // namespace halyard::device::cuda
