// Blobs as records: what is written is read, and nothing is read beyond the end.
#include "transport/blob.hpp"

#include <gtest/gtest.h>

#include "unit/error_text.hpp"

namespace halyard::transport {
namespace {

TEST(Blob, IsReadAsItWasWritten) {
  Blob blob;
  append(blob, std::int32_t{-7});
  append(blob, 2.5);
  append_bytes(blob, std::as_bytes(std::span("abc", 3)));
  append(blob, char{'z'});
  BlobReader reader(blob);
  EXPECT_EQ(reader.read<std::int32_t>(), -7);
  EXPECT_EQ(reader.read<double>(), 2.5);
  const auto bytes = reader.read_bytes();
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), "abc");
  EXPECT_EQ(reader.read<char>(), 'z');
}

TEST(Blob, RefusesToBeReadBeyondItsEnd) {
  const std::string text = "read a peer's address: it is shorter than expected; do all ranks run the same Halyard?";
  Blob blob(7);
  EXPECT_EQ(halyard::test::error_text(StatusCode::disagreement, [&] { (void)BlobReader(blob).read<std::uint64_t>(); }),
            text);
  EXPECT_EQ(halyard::test::error_text(StatusCode::disagreement, [] { (void)BlobReader({}).read<char>(); }), text);
}

TEST(Blob, RefusesALengthThatIsLongerThanTheRest) {
  Blob blob;
  append(blob, UINT64_MAX);
  EXPECT_THROW((void)BlobReader(blob).read_bytes(), Error);
}

}  // namespace
}  // namespace halyard::transport
