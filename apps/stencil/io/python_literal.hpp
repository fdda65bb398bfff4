// PythonLiteral: a scanner for the few Python literals that the head of a NumPy file is made of.
//
// Reads from left to right over text that it does not own. Every take_… throws
// std::invalid_argument when the text does not continue as asked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace halyard::stencil {

class PythonLiteral {
 public:
  explicit PythonLiteral(std::string_view text) : rest_(text) {}

  /// Takes the character when it is next.
  bool takes(char c);
  void take(char c);
  std::string take_string();
  bool take_bool();
  /// (1, 2, 3) or [1, 2, 3]; numbers are not negative and fit 63 bits.
  std::vector<std::int64_t> take_numbers();
  /// True when only white space is left.
  bool at_end();
  /// The next character that is no white space; 0 at the end.
  char next();

 private:
  std::int64_t take_number();
  [[noreturn]] void fail(const std::string& wanted);

  std::string_view rest_;
};

}  // namespace halyard::stencil
