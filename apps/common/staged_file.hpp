// StagedFile: a file that appears under its name only when it is whole.
//
// It is written as "<path>.part" and renamed by commit(). Dropped without commit, it leaves
// nothing. One rank creates it; others may join it to write their part at an offset (the folder
// must then be one that all ranks see). Every failure throws std::runtime_error that names the file
// and what the system said.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace halyard::app {

class StagedFile {
 public:
  /// Creates "<path>.part", empty. Refuses a path that is a folder, or in one that does not exist
  /// or may not be written.
  static StagedFile create(const std::string& path);
  /// Opens the "<path>.part" of another rank. commit() then only closes it.
  static StagedFile join(const std::string& path);

  StagedFile(StagedFile&& other) noexcept;
  StagedFile& operator=(StagedFile&& other) noexcept;
  ~StagedFile();

  const std::string& path() const { return path_; }

  /// Appends at the file's end as this object knows it.
  void write(std::string_view bytes);
  void write_at(std::int64_t offset, std::span<const std::byte> bytes) const;
  /// Flushes to the disk and closes. After that only commit() is left.
  void close();
  /// Gives the file its name, in place of what had it. Closed first, when it was not.
  void commit();

 private:
  StagedFile(std::string path, bool is_mine) : path_(std::move(path)), is_mine_(is_mine) {}
  std::string part() const { return path_ + ".part"; }
  void drop() noexcept;

  std::string path_;
  bool is_mine_ = false;
  int fd_ = -1;
  std::int64_t end_ = 0;
};

}  // namespace halyard::app
