// See recording_root.hpp.
#include "facts/capture/recording_root.hpp"

#include <algorithm>

namespace halyard::facts {
namespace {

// "/proc/self/fd" seen from /dev/fd: "../proc/self/fd". A bundle must not hold absolute links.
std::string relative_target(const std::string& path, const std::string& target) {
  if (!target.starts_with('/')) return target;
  std::string up;
  for (auto n = std::count(path.begin(), path.end(), '/'); n > 1; --n) up += "../";
  return up + target.substr(1);
}

TreeRoot::Node node_of(const Entry& entry) {
  TreeRoot::Node node;
  node.kind = entry.kind == Kind::none ? Kind::file : entry.kind;
  node.access = entry.access;
  node.mode = entry.access == Access::refused ? 0 : entry.mode;
  node.owner = entry.owner;
  node.group = entry.group;
  return node;
}

}  // namespace

// What was read stays, whatever is learned of the place later; a name that was only listed gives way.
void RecordingRoot::keep(const std::string& path, TreeRoot::Node node) const {
  const auto known = kept_.nodes().find(path);
  if (known == kept_.nodes().end()) {
    kept_.put(path, std::move(node));
  } else if (known->second.kind != node.kind) {
    known->second = std::move(node);
  } else if (!node.text.empty() || node.access != Access::ok) {
    node.mode = known->second.mode;
    node.owner = known->second.owner;
    node.group = known->second.group;
    if (node.access == Access::refused) node.mode = 0;
    known->second = std::move(node);
  } else if (known->second.text.empty() && known->second.access == Access::ok) {
    known->second.mode = node.mode;
    known->second.owner = node.owner;
    known->second.group = node.group;
  }
}

Entry RecordingRoot::entry_at(const std::string& path) const {
  const Entry entry = inner_.entry_at(path);
  if (entry.access != Access::missing) keep(path, node_of(entry));
  return entry;
}

Reading RecordingRoot::read_at(const std::string& path, std::size_t most_bytes) const {
  Reading reading = inner_.read_at(path, most_bytes);
  if (reading.access == Access::unusable && inner_.entry_at(path).kind != Kind::file) return reading;
  TreeRoot::Node node;
  node.access = reading.access;
  node.text = reading.text;
  keep(path, std::move(node));
  return reading;
}

Listing RecordingRoot::list_at(const std::string& path) const {
  Listing listing = inner_.list_at(path);
  if (!listing.ok()) {
    if (listing.access == Access::refused) keep(path, {Kind::folder, Access::refused, 0});
    return listing;
  }
  for (const std::string& name : listing.names)
    if (const std::string place = path == "/" ? path + name : path + "/" + name; kept_.nodes().count(place) == 0)
      kept_.put(place, {});
  return listing;
}

Reading RecordingRoot::link_at(const std::string& path) const {
  Reading reading = inner_.link_at(path);
  if (!reading.ok()) return reading;
  TreeRoot::Node node{Kind::link};
  node.text = relative_target(path, reading.text);
  keep(path, std::move(node));
  return reading;
}

Reading RecordingRoot::output(std::string_view question) const {
  Reading reading = inner_.output(question);
  if (reading.access == Access::missing) return reading;
  TreeRoot::Node node;
  node.access = reading.access;
  node.text = reading.ok() ? reading.text : std::string{};
  kept_.put(output_path(question), std::move(node));
  return reading;
}

}  // namespace halyard::facts
