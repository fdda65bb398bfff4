// Reading of bundles, see tar.hpp. The archive is somebody else's: every number and name is checked before it is used.
#include <fmt/format.h>

#include <algorithm>

#include "facts/capture/tar.hpp"
#include "facts/capture/tar_header.hpp"
#include "facts/text.hpp"
#include "halyard/status.hpp"

namespace halyard::facts {
namespace {

[[noreturn]] void refuse(std::string_view member, std::string_view why) {
  throw Error(StatusCode::invalid_argument,
              fmt::format("member '{}': {}; make the bundle anew with 'halyard doctor --capture'",
                          quoted_text(member, 200), why));
}

struct Member {
  TarHeader header;
  std::string name;
  std::string link;
  std::string_view content;
};

class TarReader {
 public:
  explicit TarReader(std::string_view archive) : rest_(archive) {}

  /// False at the end.
  bool next(Member& member);

 private:
  bool take_header(Member& member);
  void take_extended(std::string_view records);

  std::string_view rest_;
  std::string long_name_, long_link_;  // said before the member that they belong to
};

bool TarReader::take_header(Member& member) {
  if (rest_.size() < kTarBlock) return false;
  std::memcpy(&member.header, rest_.data(), kTarBlock);
  rest_.remove_prefix(kTarBlock);
  const std::string_view name = tar_text(member.header.name);
  if (name.empty() && member.header.type == '\0') return false;
  if (tar_number(member.header.checksum) != tar_checksum(member.header))
    refuse(name, "its header is damaged (checksum)");
  const auto bytes = tar_number(member.header.size);
  if (!bytes || *bytes > rest_.size()) refuse(name, "it is larger than the archive");
  member.content = rest_.substr(0, *bytes);
  rest_.remove_prefix(std::min(rest_.size(), (*bytes + kTarBlock - 1) / kTarBlock * kTarBlock));
  return true;
}

// "30 mtime=1700000000.1\n": pax' records, of which only names matter.
void TarReader::take_extended(std::string_view records) {
  while (!records.empty()) {
    const std::size_t blank = records.find(' ');
    const auto bytes = number_in(records.substr(0, blank));
    if (blank == std::string_view::npos || !bytes || *bytes <= static_cast<std::int64_t>(blank) ||
        *bytes > static_cast<std::int64_t>(records.size()))
      refuse("pax header", "it is damaged");
    std::string_view record = records.substr(blank + 1, static_cast<std::size_t>(*bytes) - blank - 1);
    if (record.ends_with('\n')) record.remove_suffix(1);
    if (record.starts_with("path=")) long_name_ = record.substr(5);
    if (record.starts_with("linkpath=")) long_link_ = record.substr(9);
    records.remove_prefix(static_cast<std::size_t>(*bytes));
  }
}

bool TarReader::next(Member& member) {
  while (take_header(member)) {
    const auto text = member.content.substr(0, member.content.find('\0'));
    switch (member.header.type) {
      case 'L':
        long_name_ = text;
        continue;
      case 'K':
        long_link_ = text;
        continue;
      case 'x':
        take_extended(member.content);
        continue;
      case 'g':
        continue;
      default:
        break;
    }
    const std::string prefix(tar_text(member.header.prefix));
    member.name = std::exchange(long_name_, {});
    if (member.name.empty())
      member.name = (prefix.empty() ? "" : prefix + "/") + std::string(tar_text(member.header.name));
    member.link = std::exchange(long_link_, {});
    if (member.link.empty()) member.link = tar_text(member.header.link);
    return true;
  }
  return false;
}

// "./sys/class/": "/sys/class". Empty for the top itself.
std::string path_of(std::string_view name) {
  std::string path;
  for (const std::string_view part : split(name, "/")) {
    if (part == ".") continue;
    if (part == "..") refuse(name, "its name leads above the root");
    path += "/" + std::string(part);
  }
  if (name.starts_with('/')) refuse(name, "its name is an absolute path");
  return path;
}

// Whether following the link from where it lies, other links aside, would leave the tree.
void check_link(const std::string& path, std::string_view target) {
  if (target.starts_with('/')) refuse(path, fmt::format("a link to '{}', outside of the bundle", quoted_text(target)));
  auto depth = std::count(path.begin(), path.end(), '/') - 1;
  for (const std::string_view part : split(target, "/")) {
    if (part == ".") continue;
    depth += part == ".." ? -1 : 1;
    if (depth < 0) refuse(path, fmt::format("a link to '{}', outside of the bundle", quoted_text(target)));
  }
}

TreeRoot::Node node_of(const Member& member, const std::string& path) {
  TreeRoot::Node node;
  node.mode = static_cast<std::uint32_t>(tar_number(member.header.mode).value_or(0) & 07777U);
  node.owner = static_cast<std::uint32_t>(tar_number(member.header.owner).value_or(0));
  node.group = static_cast<std::uint32_t>(tar_number(member.header.group).value_or(0));
  switch (member.header.type) {
    case '\0':
    case '0':
    case '7':
      node.text = member.content.substr(0, Root::kMostBytes);
      if (node.mode == 0 && node.text.empty()) node.access = Access::refused;
      break;
    case '2':
      check_link(path, member.link);
      node.kind = Kind::link;
      node.text = member.link;
      break;
    case '3':
    case '4':
      node.kind = Kind::device;
      break;
    case '5':
      node.kind = Kind::folder;
      if (node.mode == 0) node.access = Access::refused;
      break;
    case '6':
      node.access = Access::unusable;
      break;
    default:
      refuse(path, fmt::format("a member of type '{}', which bundles do not have",
                               quoted_text(std::string(1, member.header.type))));
  }
  return node;
}

}  // namespace

void read_tar(std::string_view archive, TreeRoot& tree) {
  TarReader reader(archive);
  Member member;
  while (reader.next(member)) {
    const std::string path = path_of(member.name);
    if (path.empty()) continue;
    if (!tree.put(path, node_of(member, path)))
      refuse(path, fmt::format("it lies below a file, or the bundle has more than {} members", TreeRoot::kMostNodes));
  }
  if (tree.nodes().empty()) refuse("", "there is none: not a tar archive, or an empty one");
}

}  // namespace halyard::facts
