// TreeRoot: a root held in memory: what a bundle (tar) or a test's tree says. Bounded in files and bytes.
#pragma once

#include <map>
#include <string>

#include "facts/root.hpp"

namespace halyard::facts {

class TreeRoot final : public Root {
 public:
  /// What is kept of one place.
  struct Node {
    Kind kind = Kind::file;
    Access access = Access::ok;  // refused: there, and not readable
    std::uint32_t mode = 0644;
    std::uint32_t owner = 0;
    std::uint32_t group = 0;
    std::string text{};  // a file's content, a link's target
  };
  using Nodes = std::map<std::string, Node, std::less<>>;

  static constexpr std::size_t kMostNodes = 200'000;

  explicit TreeRoot(std::string name) : name_(std::move(name)) {}

  std::string name() const override { return name_; }
  /// The text of output_path(question).
  Reading output(std::string_view question) const override;

  /// Adds or replaces; makes the folders above. False, and nothing done, when the tree is full, or when the path is not
  /// absolute or has a component like . or ..
  bool put(std::string_view path, Node node);
  bool put_file(std::string_view path, std::string text);
  bool put_link(std::string_view path, std::string target);
  bool put_folder(std::string_view path);
  /// Removes a place and all below it.
  void remove(std::string_view path);

  const Nodes& nodes() const { return nodes_; }
  /// For those who damage trees on purpose.
  Nodes& nodes() { return nodes_; }

 protected:
  Entry entry_at(const std::string& path) const override;
  Reading read_at(const std::string& path, std::size_t most_bytes) const override;
  Listing list_at(const std::string& path) const override;
  Reading link_at(const std::string& path) const override;

 private:
  const Node* find(const std::string& path) const;

  std::string name_;
  Nodes nodes_;
};

/// Where a captured root keeps what was run: "/.halyard/output/ucx_info -v" (a slash becomes a %).
std::string output_path(std::string_view question);

}  // namespace halyard::facts
