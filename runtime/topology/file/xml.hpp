// XmlScanner: the elements of an XML text one after the other, for files that may end anywhere. No entities but the
// five of XML and numbers, no namespaces, no DTD; text between tags is skipped: hwloc and NCCL keep everything in
// attributes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace halyard::topology {

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

inline constexpr std::size_t kMaxXmlDepth = 256;

/// Calls enter(tag, level of the element around it) for each element and keeps what it returns for those inside.
/// Returns what is wrong with the text, in words.
template <class Level, class Enter>
std::vector<std::string> walk_xml(std::string_view text, Level outermost, Enter enter) {
  XmlScanner scanner(text);
  std::vector<Level> levels{std::move(outermost)};
  for (XmlTag tag; scanner.next(tag);) {
    if (tag.kind == XmlTag::Kind::close) {
      if (levels.size() > 1) levels.pop_back();
      continue;
    }
    Level level = enter(tag, levels.back());
    if (tag.kind == XmlTag::Kind::open) levels.push_back(std::move(level));
    if (levels.size() > kMaxXmlDepth) return {"elements are too deep inside each other: the rest is left out"};
  }
  if (scanner.is_truncated() || levels.size() > 1) return {"the XML ends too early: what should follow is missing"};
  return {};
}

}  // namespace halyard::topology
