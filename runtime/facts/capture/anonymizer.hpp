// Anonymizer: replaces what tells whose machine it was: host names, MAC addresses, GUIDs and UUIDs, IP addresses, home
// folders. The same original always gets the same replacement, so that what belongs together still does; what a check
// looks at stays (that an address is link-local, mapped IPv4, or empty).
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>

#include "facts/tree_root.hpp"

namespace halyard::facts {

class Anonymizer {
 public:
  /// Names of the machine; each becomes host<n> wherever it stands as a word. One or two letters are no name.
  void add_host(std::string_view name);

  /// Text with its numbers (addresses, GUIDs, UUIDs) and names replaced.
  std::string text(std::string_view original);
  /// Only numbers: for paths and links, where a host's name may be an innocent word.
  std::string path(std::string_view original);

 private:
  enum class Names { keep, replace };
  using Bytes = std::array<unsigned char, 16>;

  static std::string_view number_at(std::string_view text, std::size_t at);
  static std::string_view name_at(std::string_view text, std::size_t at);
  std::string replaced(std::string_view original, Names names);
  std::string number(std::string_view token);
  std::string dotted(std::string_view token);
  Bytes hidden(Bytes address);
  std::string address_v4(std::string_view token);
  std::string address_v6(std::string_view token);
  std::string numbered(std::string_view kind, std::string_view token, std::string_view form);

  std::map<std::string, std::string, std::less<>> hosts_;
  std::map<std::string, std::string, std::less<>> known_;
  std::map<std::string, int, std::less<>> counts_;
};

/// The whole tree without personal data. Of the environment only variables stay that checks look at; of the kernel's
/// command line no file systems and hosts.
void anonymize(const TreeRoot& tree, TreeRoot& result);

/// Whether a variable of that name stays in a bundle.
bool is_kept_variable(std::string_view name);

}  // namespace halyard::facts
