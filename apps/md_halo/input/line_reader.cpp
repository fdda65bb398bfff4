// See line_reader.hpp.
#include "input/line_reader.hpp"

#include <algorithm>

#include "input/words.hpp"

namespace halyard::md {

bool LineReader::take_line() {
  if (at_ >= text_.size()) return false;
  const std::size_t end = std::min(text_.find('\n', at_), text_.size());
  line_ = text_.substr(at_, end - at_);
  at_ = end + 1;
  ++number_;
  const std::size_t hash = line_.find('#');
  comment_ = hash == std::string_view::npos ? std::string_view() : line_.substr(hash + 1);
  line_ = line_.substr(0, hash);
  words_ = words_of(line_);
  return true;
}

void LineReader::skip_line() { take_line(); }

bool LineReader::next() {
  while (take_line())
    if (!words_.empty()) return true;
  line_ = {};
  words_.clear();
  return false;
}

void LineReader::fail(const std::string& expected) const {
  fail_at(number_, "expected " + expected + ", found " + in_quotes(line_));
}

void LineReader::fail_at(std::int64_t line, const std::string& what) const {
  throw InputError("read " + name_ + ": line " + std::to_string(line) + ": " + what);
}

void LineReader::fail_at_end(const std::string& expected) const {
  throw InputError("read " + name_ + ": it ends after line " + std::to_string(number_) + ", expected " + expected +
                   "; the file was cut off, or its header promises too much");
}

}  // namespace halyard::md
