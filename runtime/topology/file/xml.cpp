// See xml.hpp.
#include "topology/file/xml.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <tuple>
#include <utility>

namespace halyard::topology {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

// "&amp;" and "&#10;"; anything else stays as it is.
std::string decoded(std::string_view raw) {
  static constexpr std::array<std::pair<std::string_view, char>, 5> kEntities{
      {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}}};
  std::string text;
  for (std::size_t i = 0; i < raw.size();) {
    std::size_t taken = 1;
    char letter = raw[i];
    for (const auto& [entity, meaning] : kEntities)
      if (raw.substr(i).starts_with(entity)) std::tie(taken, letter) = std::pair(entity.size(), meaning);
    if (raw.substr(i).starts_with("&#")) {
      int code = 0;
      const auto [end, error] = std::from_chars(raw.data() + i + 2, raw.data() + raw.size(), code);
      if (error == std::errc{} && end != raw.data() + raw.size() && *end == ';') {
        letter = code > 0 && code < 128 ? static_cast<char>(code) : '?';
        taken = static_cast<std::size_t>(end + 1 - (raw.data() + i));
      }
    }
    text += letter;
    i += taken;
  }
  return text;
}

}  // namespace

std::string_view XmlTag::attribute(std::string_view wanted) const {
  for (const auto& attribute : attributes)
    if (attribute.name == wanted) return attribute.value;
  return {};
}

bool XmlScanner::stop() {
  is_truncated_ = true;
  at_ = text_.size();
  return false;
}

bool XmlScanner::skip_past(std::string_view mark) {
  const auto found = text_.find(mark, at_);
  if (found == std::string_view::npos) return stop();
  at_ = found + mark.size();
  return true;
}

// To behind the next '<' that opens an element.
bool XmlScanner::skip_to_tag() {
  for (;;) {
    at_ = text_.find('<', at_);
    if (at_ == std::string_view::npos) {
      at_ = text_.size();
      return false;
    }
    const auto rest = text_.substr(at_);
    if (rest.starts_with("<!--")) {
      if (!skip_past("-->")) return false;
    } else if (rest.starts_with("<?") || rest.starts_with("<!")) {
      if (!skip_past(">")) return false;
    } else {
      ++at_;
      return true;
    }
  }
}

void XmlScanner::skip_blanks() { at_ = std::min(text_.find_first_not_of(kBlanks, at_), text_.size()); }

std::string_view XmlScanner::read_name() {
  const auto end = std::min(text_.find_first_of(" \t\r\n=/><\"'", at_), text_.size());
  const auto name = text_.substr(at_, end - at_);
  at_ = end;
  return name;
}

bool XmlScanner::read_attribute(XmlTag& tag) {
  const auto name = read_name();
  skip_blanks();
  if (name.empty() || at_ >= text_.size() || text_[at_] != '=') return stop();
  ++at_;
  skip_blanks();
  if (at_ >= text_.size() || (text_[at_] != '"' && text_[at_] != '\'')) return stop();
  const auto end = text_.find(text_[at_], at_ + 1);
  if (end == std::string_view::npos) return stop();
  tag.attributes.push_back({name, decoded(text_.substr(at_ + 1, end - at_ - 1))});
  at_ = end + 1;
  return true;
}

bool XmlScanner::read_attributes(XmlTag& tag) {
  for (;;) {
    skip_blanks();
    if (at_ >= text_.size()) return stop();
    if (text_[at_] == '>') {
      ++at_;
      return true;
    }
    if (text_.substr(at_).starts_with("/>")) {
      at_ += 2;
      tag.kind = XmlTag::Kind::lone;
      return true;
    }
    if (!read_attribute(tag)) return false;
  }
}

bool XmlScanner::next(XmlTag& tag) {
  if (!skip_to_tag()) return false;
  tag.attributes.clear();
  tag.kind = XmlTag::Kind::open;
  if (at_ < text_.size() && text_[at_] == '/') {
    tag.kind = XmlTag::Kind::close;
    ++at_;
  }
  tag.name = read_name();
  if (tag.name.empty()) return stop();
  return read_attributes(tag);
}

}  // namespace halyard::topology
