// output_name: a file name as a user gives it, with %r for the rank. Pure; throws Error(invalid_argument).
#pragma once

#include <string>
#include <string_view>

namespace halyard::metrics {

struct Writer {
  int rank = 0;
  int num_ranks = 1;
  int number = 1;  // of the contexts of this process that write such a file: the second one gets a name of its own
};

/// `per_rank`: every rank writes a file, so that with several ranks the name must have %r.
enum class Files { per_rank, one };

/// %r is the rank, %% a percent sign; anything else behind a percent sign is refused, in a text that begins with
/// `variable`. Contexts after the first write to "name.2.ext".
std::string output_name(std::string_view variable, std::string_view pattern, const Writer& writer, Files files);

}  // namespace halyard::metrics
