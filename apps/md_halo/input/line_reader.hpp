// LineReader: a text, line by line, without comments; it knows where it is.
//
// Every complaint about a file goes through fail(), so that each names file, line, what was expected and what was
// found. Does not own the text.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace halyard::md {

/// "read melt.data: line 17: expected …, found …"
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class LineReader {
 public:
  LineReader(std::string name, std::string_view text) : name_(std::move(name)), text_(text) {}

  /// Whatever it holds.
  void skip_line();
  /// To the next line that holds more than blanks and a comment; false at the end of the text.
  bool next();

  /// Of the current line: everything before #, and what follows it.
  std::string_view line() const { return line_; }
  std::string_view comment() const { return comment_; }
  const std::vector<std::string_view>& words() const { return words_; }
  std::int64_t number() const { return number_; }
  const std::string& name() const { return name_; }

  [[noreturn]] void fail(const std::string& expected) const;
  /// The same, of an earlier line.
  [[noreturn]] void fail_at(std::int64_t line, const std::string& what) const;
  /// The text ended.
  [[noreturn]] void fail_at_end(const std::string& expected) const;

 private:
  bool take_line();

  std::string name_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::int64_t number_ = 0;
  std::string_view line_, comment_;
  std::vector<std::string_view> words_;
};

}  // namespace halyard::md
