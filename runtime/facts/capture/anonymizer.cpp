// See anonymizer.hpp. Numbers are found by their shape: runs of hexadecimal digits, colons, dots and dashes.
#include "facts/capture/anonymizer.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "facts/text.hpp"

namespace halyard::facts {
namespace {

bool is_hex(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_of_number(char c) { return is_hex(c) || c == ':' || c == '.' || c == '-'; }
bool is_of_name(char c) { return is_word(c) || c == '-' || c == '.'; }

bool is_all_hex(std::string_view text, std::size_t digits) {
  return text.size() == digits && std::all_of(text.begin(), text.end(), is_hex);
}

// Whether `token` is `count` groups of so many hexadecimal digits.
bool is_groups(std::string_view token, char separator, std::size_t count, std::size_t digits) {
  const auto parts = split(token, std::string_view(&separator, 1));
  return parts.size() == count && token.size() == count * (digits + 1) - 1 &&
         std::all_of(parts.begin(), parts.end(), [&](std::string_view part) { return is_all_hex(part, digits); });
}

bool is_uuid(std::string_view token) {
  static constexpr std::array<std::size_t, 5> kDigits{8, 4, 4, 4, 12};
  const auto parts = split(token, "-");
  if (parts.size() != kDigits.size() || token.size() != 36) return false;
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (!is_all_hex(parts[i], kDigits[i])) return false;
  return true;
}

template <class Iterator>
bool is_zero(Iterator begin, Iterator end) {
  return std::all_of(begin, end, [](unsigned char byte) { return byte == 0; });
}

bool has_only_zeros(std::string_view token) { return token.find_first_not_of("0:-.") == std::string_view::npos; }

// "/home/somebody/x" -> "/home/user/x"
void hide_homes(std::string& text) {
  constexpr std::string_view kHome = "/home/";
  for (std::size_t at = text.find(kHome); at != std::string::npos; at = text.find(kHome, at + kHome.size())) {
    const std::size_t begin = at + kHome.size();
    std::size_t end = begin;
    while (end < text.size() && is_of_name(text[end])) ++end;
    if (end > begin) text.replace(begin, end - begin, "user");
  }
}

}  // namespace

void Anonymizer::add_host(std::string_view name) {
  name = trimmed(name);
  if (name.size() < 3 || name == "localhost" || name == "(none)") return;
  const auto add = [&](std::string_view word) {
    if (word.size() >= 3 && hosts_.count(word) == 0) hosts_.emplace(word, fmt::format("host{}", hosts_.size() + 1));
  };
  add(name);
  add(name.substr(0, name.find('.')));
}

std::string Anonymizer::numbered(std::string_view kind, std::string_view token, std::string_view form) {
  const std::string key = std::string(kind) + std::string(token);
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  int& count = counts_.try_emplace(std::string(kind), 0).first->second;
  return known_.emplace(key, fmt::format(fmt::runtime(form), ++count)).first->second;
}

std::string Anonymizer::address_v4(std::string_view token) {
  std::array<unsigned char, 4> bytes{};
  if (inet_pton(AF_INET, std::string(token).c_str(), bytes.data()) != 1) return std::string(token);
  if (bytes[0] == 127 || bytes[0] == 0 || bytes[0] == 255) return std::string(token);
  const std::string number = numbered("v4 ", token, "{}");
  const int n = static_cast<int>(number_in(number).value_or(0));
  const bool is_link_local = bytes[0] == 169 && bytes[1] == 254;
  return fmt::format("{}.{}.{}", is_link_local ? "169.254" : "10.0", n / 250, n % 250 + 1);
}

// What a check looks at stays: mapped IPv4, link-local, or neither.
Anonymizer::Bytes Anonymizer::hidden(Bytes bytes) {
  static constexpr std::array<unsigned char, 8> kExample{0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0};
  static constexpr std::array<unsigned char, 8> kLinkLocal{0xfe, 0x80, 0, 0, 0, 0, 0, 0};
  if (is_zero(bytes.begin(), bytes.begin() + 10)) {
    const std::string v4 = address_v4(fmt::format("{}.{}.{}.{}", bytes[12], bytes[13], bytes[14], bytes[15]));
    inet_pton(AF_INET, v4.c_str(), bytes.data() + 12);
    return bytes;
  }
  const bool is_link_local = bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80;
  const std::string key(bytes.begin(), bytes.end());  // both spellings are one address
  const int n = static_cast<int>(number_in(numbered("v6 ", key, "{}")).value_or(0));
  std::copy_n((is_link_local ? kLinkLocal : kExample).data(), 8, bytes.data());
  std::fill(bytes.begin() + 8, bytes.end(), static_cast<unsigned char>(0));
  bytes[14] = static_cast<unsigned char>(n >> 8);
  bytes[15] = static_cast<unsigned char>(n);
  return bytes;
}

// Spelled as it was: eight groups of four digits, or short.
std::string Anonymizer::address_v6(std::string_view token) {
  Bytes bytes{};
  if (inet_pton(AF_INET6, std::string(token).c_str(), bytes.data()) != 1) return std::string(token);
  if (is_zero(bytes.begin(), bytes.end() - 1)) return std::string(token);
  const bool is_prefix_only = is_zero(bytes.begin() + 8, bytes.end());
  if (is_prefix_only && bytes[0] == 0xfe) return std::string(token);
  bytes = hidden(bytes);
  if (is_prefix_only) bytes[15] = 0;
  if (is_groups(token, ':', 8, 4)) {
    std::string full;
    for (std::size_t i = 0; i < bytes.size(); i += 2)
      full += fmt::format("{}{:02x}{:02x}", i == 0 ? "" : ":", bytes[i], bytes[i + 1]);
    return full;
  }
  std::array<char, INET6_ADDRSTRLEN> spelled{};
  inet_ntop(AF_INET6, bytes.data(), spelled.data(), spelled.size());
  return spelled.data();
}

// "10.1.2.3:80", "ofed-10.1.2.3": hidden rather than shown where it might be a version.
std::string Anonymizer::dotted(std::string_view token) {
  const std::size_t colon = std::min(token.find(':'), token.size());
  const std::size_t dash = token.substr(0, colon).rfind('-');
  const std::size_t begin = dash == std::string_view::npos ? 0 : dash + 1;
  return std::string(token.substr(0, begin)) + address_v4(token.substr(begin, colon - begin)) +
         std::string(token.substr(colon));
}

std::string Anonymizer::number(std::string_view token) {
  if (has_only_zeros(token)) return std::string(token);
  if (is_uuid(token)) return numbered("uuid ", token, "00000000-0000-0000-0000-{:012}");
  if (is_groups(token, ':', 6, 2)) return numbered("mac ", token, "02:00:00:00:00:{:02x}");
  if (is_groups(token, ':', 20, 2))
    return numbered("hw ", token, "00:00:00:00:fe:80:00:00:00:00:00:00:00:00:00:00:00:00:00:{:02x}");
  if (is_groups(token, ':', 4, 4)) return numbered("guid ", token, "0200:0000:0000:{:04x}");
  if (is_all_hex(token, 16)) return numbered("guid ", token, "02000000{:08x}");
  if (token.find("::") != std::string_view::npos || std::count(token.begin(), token.end(), ':') == 7)
    return address_v6(token);
  return std::count(token.begin(), token.end(), '.') == 3 ? dotted(token) : std::string(token);
}

// The number that begins at `at`: 0x and 16 digits, or a run of digits and separators that no word touches. Empty:
// none.
std::string_view Anonymizer::number_at(std::string_view text, std::size_t at) {
  std::size_t begin = at;
  if (text.substr(at, 2) == "0x" || text.substr(at, 2) == "0X") begin += 2;
  std::size_t end = begin;
  while (end < text.size() && is_of_number(text[end])) ++end;
  if (end < text.size() && is_word(text[end])) return {};
  while (end > begin && (text[end - 1] == '.' || text[end - 1] == '-')) --end;
  return text.substr(at, end - at);
}

std::string_view Anonymizer::name_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_of_name(text[end])) ++end;
  while (end > at && !is_word(text[end - 1])) --end;
  return text.substr(at, end - at);
}

std::string Anonymizer::replaced(std::string_view original, Names names) {
  std::string result;
  std::size_t at = 0;
  while (at < original.size()) {
    // "libibverbs.so.1.14.44.0" is no address: what follows a dot has begun before it.
    const bool is_start = at == 0 || (!is_word(original[at - 1]) && original[at - 1] != '.');
    const std::string_view name = is_start && names == Names::replace ? name_at(original, at) : "";
    const std::string_view digits = is_start ? number_at(original, at) : "";
    if (const auto host = hosts_.find(name); !name.empty() && host != hosts_.end()) {
      result += host->second;
      at += name.size();
    } else if (!digits.empty()) {
      const std::size_t prefix = digits.starts_with("0x") || digits.starts_with("0X") ? 2 : 0;
      result += std::string(digits.substr(0, prefix)) + number(digits.substr(prefix));
      at += digits.size();
    } else {
      result += original[at++];
    }
  }
  return result;
}

std::string Anonymizer::text(std::string_view original) {
  std::string result = replaced(original, Names::replace);
  hide_homes(result);
  return result;
}

std::string Anonymizer::path(std::string_view original) { return replaced(original, Names::keep); }

}  // namespace halyard::facts
