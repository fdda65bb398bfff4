// The class behind EmulatedDevice::make, see device/emulated.hpp. Its functions lie in device.cpp (GPUs), memory.cpp,
// peers.cpp and work.cpp (streams).
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "device/emulated.hpp"
#include "device/emulated/heap.hpp"
#include "device/emulated/remote_writes.hpp"
#include "device/emulated/script.hpp"
#include "device/emulated/streams.hpp"
#include "device/exported.hpp"
#include "device/lives.hpp"
#include "device/openings.hpp"

namespace halyard::device::emulated {

/// Of one device and its openings, which may outlive it.
struct Counters {
  std::atomic<std::uint64_t> allocations{0}, deallocations{0}, opens{0}, closes{0}, launches{0}, copies{0},
      synchronizes{0}, flushes{0}, stream_copies{0}, mapped_allocations{0};
};

/// Equal in all processes.
Uuid uuid_of_gpu(int gpu);

class EmulatedGpus final : public EmulatedDevice {
 public:
  explicit EmulatedGpus(std::vector<int> gpus);
  ~EmulatedGpus() override;

  std::string_view kind() const override { return "emulated"; }
  int num_gpus() const override { return static_cast<int>(gpus_.size()); }
  std::string describe(int ordinal) const override;
  Uuid uuid(int ordinal) const override;
  int current_gpu() const override { return 0; }
  int num_multiprocessors(int ordinal) const override;
  bool runs_processes_at_once(int) const override { return false; }
  std::uint64_t life(int ordinal) const override;

  MemoryFacts facts_of(const void* address) const override;
  void* allocate(int ordinal, std::size_t bytes) override;
  void* allocate_as(const EmulatedMemory& how, std::size_t bytes) override;
  void deallocate(void* memory) noexcept override;
  void* allocate_mapped(std::size_t bytes) override;
  void deallocate_mapped(void* memory) noexcept override;
  std::shared_ptr<void> pin(void* memory, std::size_t bytes) override;
  void copy(void* target, const void* source, std::size_t bytes) override;
  std::byte* host_view(const void* address) const override { return heap_.twin(address); }

  std::vector<std::byte> export_memory(const void* address) override;
  std::shared_ptr<Mapping> open(std::span<const std::byte> exported, int ordinal) override;
  bool stores_lines_whole(std::span<const std::byte>, int) const override { return true; }
  DmaBuf export_dma_buf(const void* address, std::size_t bytes) override;

  Stream create_stream(int ordinal) override;
  void destroy_stream(Stream stream) noexcept override { streams_.destroy(stream); }
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
  void write_remotely(void* target, const void* source, std::size_t bytes) override;
  Status enqueue(Stream stream, std::function<void()> work) override;
  void set_delay(Stream stream, std::chrono::microseconds delay) override;
  void begin_capture(Stream stream) override;
  std::shared_ptr<void> end_capture(Stream stream) override;
  void replay(const std::shared_ptr<void>& graph, Stream stream) override;

  void reset(int ordinal) override;
  void fail_next(DriverCall call, int times, std::string text) override;
  Counts counts() const override;

 private:
  /// The physical number of GPU `ordinal`; throws Error(invalid_argument) when this process does not see it.
  int gpu_of(int ordinal) const;
  int ordinal_of(int gpu) const;
  std::byte* last_freed(std::size_t bytes);
  void free_block(std::map<void*, std::size_t>::iterator block);
  BlockFacts demand_block(const void* address) const;
  std::byte* demand_view(const void* address, std::size_t bytes) const;
  std::shared_ptr<Opening> map_peer(const Exported& peer, int gpu) const;

  const std::vector<int> gpus_;  // physical number by ordinal
  Heap& heap_;
  const std::shared_ptr<Counters> counters_ = std::make_shared<Counters>();
  Script script_;
  RemoteWrites remote_writes_;
  Openings openings_;
  Lives lives_;                                   // GPU memory
  std::vector<std::atomic<std::uint64_t>> life_;  // by ordinal
  std::mutex mutex_;                              // guards the three members below
  std::map<void*, std::size_t> owned_;            // GPU memory that deallocate() has not seen
  std::map<void*, std::size_t> mapped_;           // host memory that deallocate_mapped() has not seen
  std::map<std::size_t, std::byte*> last_freed_;  // by size
  Streams streams_;                               // last: its work uses all of the above until it ends
};

}  // namespace halyard::device::emulated
