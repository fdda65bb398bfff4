// XmlScanner: the elements of an XML text one after the other, for files that may end anywhere. No entities but the five
// of XML and numbers, no namespaces, no DTD; text between tags is skipped: hwloc and NCCL keep everything in attributes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace halyard::diagnose {

struct XmlAttribute {
  std::string_view name;
  std::string value;
};

struct XmlTag {
  enum class Kind { open, close, lone };  // <a>, </a>, <a/>
  Kind kind = Kind::open;
  std::string_view name;
  std::vector<XmlAttribute> attributes;

  /// Empty when there is none of that name.
  std::string_view attribute(std::string_view wanted) const;
};

class XmlScanner {
 public:
  explicit XmlScanner(std::string_view text) : text_(text) {}

  /// The next tag; false at the end, or where the text stops making sense (then is_truncated()).
  bool next(XmlTag& tag);
  bool is_truncated() const { return is_truncated_; }

 private:
  bool skip_to_tag();
  bool skip_past(std::string_view mark);
  bool read_attributes(XmlTag& tag);
  bool read_attribute(XmlTag& tag);
  void skip_blanks();
  std::string_view read_name();
  bool stop();

  std::string_view text_;
  std::size_t at_ = 0;
  bool is_truncated_ = false;
};

}  // namespace halyard::diagnose
