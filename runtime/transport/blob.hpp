// Blob as records: writing and reading plain values in the bytes that ranks exchange during set-up. Ranks run the same
// binary on like machines, so values travel as they lie in memory; every read is checked against the end.
#pragma once

#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "halyard/status.hpp"
#include "transport/channel.hpp"

namespace halyard::transport {

template <class T>
void append(Blob& blob, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  const std::size_t at = blob.size();
  blob.resize(at + sizeof(T));
  std::memcpy(blob.data() + at, &value, sizeof(T));
}

inline void append_bytes(Blob& blob, std::span<const std::byte> bytes) {
  append(blob, static_cast<std::uint64_t>(bytes.size()));
  blob.insert(blob.end(), bytes.begin(), bytes.end());
}

inline void append_text(Blob& blob, std::string_view text) {
  append_bytes(blob, std::as_bytes(std::span(text.data(), text.size())));
}

class BlobReader {
 public:
  explicit BlobReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <class T>
  T read() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }

  std::span<const std::byte> read_bytes() { return take(read<std::uint64_t>()); }

  std::string read_text() {
    const auto bytes = read_bytes();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

 private:
  std::span<const std::byte> take(std::size_t bytes) {
    if (bytes > rest_.size())
      throw Error(StatusCode::disagreement,
                  "read a peer's address: it is shorter than expected; do all ranks run the same "
                  "Halyard?");
    const auto taken = rest_.first(bytes);
    rest_ = rest_.subspan(bytes);
    return taken;
  }

  std::span<const std::byte> rest_;
};

}  // namespace halyard::transport
