// Stream: a GPU stream as its runtime names it.
//
// Halyard's headers include no GPU runtime: pass the cudaStream_t as it is. The default Stream is the legacy default
// stream; cudaStreamPerThread works too. A value; the stream itself stays the caller's.
#pragma once

namespace halyard {

struct Stream {
  void* native = nullptr;

  constexpr Stream() = default;
  /// A cudaStream_t (a pointer) converts by itself.
  constexpr Stream(void* stream) : native(stream) {}

  friend constexpr bool operator==(const Stream&, const Stream&) = default;
};

}  // namespace halyard
