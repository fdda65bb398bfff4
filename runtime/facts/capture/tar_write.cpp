// Writing of bundles, see tar.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "facts/capture/tar.hpp"
#include "facts/capture/tar_header.hpp"

namespace halyard::facts {
namespace {

constexpr char kLongName = 'L';
constexpr char kLongLink = 'K';

template <std::size_t N>
void put_octal(std::array<char, N>& field, std::uint64_t value) {
  const std::string digits = fmt::format("{:0{}o}", value, N - 1);
  std::copy_n(digits.data(), std::min(digits.size(), N - 1), field.data());
}

void append_block(std::string& archive, const TarHeader& header) {
  archive.append(reinterpret_cast<const char*>(&header), sizeof header);
}

void append_padded(std::string& archive, std::string_view content) {
  archive += content;
  archive.append((kTarBlock - content.size() % kTarBlock) % kTarBlock, '\0');
}

TarHeader header_of(std::string_view name, char type, std::uint64_t bytes, std::uint32_t mode) {
  TarHeader header{};
  std::copy_n(name.data(), std::min(name.size(), header.name.size()), header.name.data());
  put_octal(header.mode, mode);
  put_octal(header.owner, 0);
  put_octal(header.group, 0);
  put_octal(header.size, bytes);
  put_octal(header.time, 0);
  header.type = type;
  std::copy_n("ustar", 6, header.magic.data());
  std::copy_n("00", 2, header.version.data());
  return header;
}

void seal(TarHeader& header) {
  const std::string digits = fmt::format("{:06o}", tar_checksum(header));
  std::copy_n(digits.data(), 6, header.checksum.data());
  header.checksum[6] = '\0';
  header.checksum[7] = ' ';
}

void append_long(std::string& archive, char type, std::string text) {
  text += '\0';
  TarHeader header = header_of("././@LongLink", type, text.size(), 0644);
  seal(header);
  append_block(archive, header);
  append_padded(archive, text);
}

char type_of(const TreeRoot::Node& node) {
  if (node.access == Access::unusable) return '6';
  switch (node.kind) {
    case Kind::folder:
      return '5';
    case Kind::link:
      return '2';
    case Kind::device:
      return '3';
    default:
      return '0';
  }
}

void append_member(std::string& archive, const std::string& path, const TreeRoot::Node& node) {
  const char type = type_of(node);
  const std::string name = path.substr(1) + (type == '5' ? "/" : "");
  const std::string_view content = type == '0' && node.access == Access::ok ? std::string_view(node.text) : "";
  if (name.size() > 100) append_long(archive, kLongName, name);
  if (type == '2' && node.text.size() > 100) append_long(archive, kLongLink, node.text);
  TarHeader header = header_of(name, type, content.size(), node.access == Access::refused ? 0 : node.mode & 07777U);
  put_octal(header.owner, std::min<std::uint64_t>(node.owner, 07777777));
  put_octal(header.group, std::min<std::uint64_t>(node.group, 07777777));
  if (type == '2') std::copy_n(node.text.data(), std::min<std::size_t>(node.text.size(), 100), header.link.data());
  seal(header);
  append_block(archive, header);
  append_padded(archive, content);
}

}  // namespace

std::string tar_of(const TreeRoot& tree) {
  std::string archive;
  for (const auto& [path, node] : tree.nodes()) append_member(archive, path, node);
  archive.append(2 * kTarBlock, '\0');
  return archive;
}

}  // namespace halyard::facts
