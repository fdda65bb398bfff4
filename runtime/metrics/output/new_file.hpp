// NewFile: a file's next contents, written beside it and put in its place when they are whole: readers see the old ones
// or the new ones. One thread.
#pragma once

#include <string>
#include <string_view>

#include "base/file_descriptor.hpp"

namespace halyard::metrics {

class NewFile {
 public:
  /// Throws Error: invalid_argument when something else than a regular file has that name, out_of_resources with what
  /// the system answered.
  explicit NewFile(std::string name);
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  /// Leaves nothing of contents that were not published.
  ~NewFile();

  /// Throws Error(out_of_resources), as publish() does.
  void write(std::string_view contents);
  void publish();

 private:
  [[noreturn]] void refuse(const char* call, int error) const;

  const std::string name_;
  const std::string beside_;
  base::FileDescriptor file_;
  bool is_published_ = false;
};

/// All at once.
void replace_file(const std::string& name, std::string_view contents);

}  // namespace halyard::metrics
