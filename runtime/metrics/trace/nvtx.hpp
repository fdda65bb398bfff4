// nvtx: ranges in the domain "halyard" for NVIDIA's profilers. Any thread; push and pop on the same one.
//
// Two twins: nvtx_cuda.cpp where CUDA's headers were found, nvtx_absent.cpp where they were not.
#pragma once

namespace halyard::metrics::nvtx {

/// Whether a profiler listens; fixed for the life of the process.
bool is_on();
/// Opens a range, and answers whether there is one to pop: only if a profiler listens.
bool push(const char* name);
void pop();

/// A range of ours: nothing where nobody listens.
class Range {
 public:
  explicit Range(const char* name) : is_open_(push(name)) {}
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;
  ~Range() {
    if (is_open_) pop();
  }

 private:
  bool is_open_;
};

}  // namespace halyard::metrics::nvtx
