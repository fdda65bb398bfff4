// whole_file: a file that the user names, read at once.
#pragma once

#include <cstddef>
#include <string>

namespace halyard::facts {

inline constexpr std::size_t kMostOfFile = std::size_t{256} << 20;

/// Throws Error(invalid_argument) when it is no regular file, is larger than `most_bytes`, or cannot be read: "read the
/// bundle 'x.tar': No such file or directory", where `what` is "the bundle".
std::string whole_file(const std::string& path, const std::string& what, std::size_t most_bytes = kMostOfFile);

}  // namespace halyard::facts
