// See tree_text.hpp.
#include "support/machine/tree_text.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "facts/text.hpp"
#include "support/machine/devices.hpp"

namespace halyard::test {
namespace {

using facts::TreeRoot;

[[noreturn]] void refuse(std::string_view line, std::string_view why) {
  throw std::invalid_argument("'" + std::string(line) + "': " + std::string(why));
}

void must(bool is_done, std::string_view line) {
  if (!is_done) refuse(line, "the place is in the way of another, or no absolute path");
}

char unescape(std::string_view text, std::size_t& at) {
  switch (text[++at]) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case '0':
      return '\0';
    case 'x':
      at += 2;
      return static_cast<char>(facts::hex_in(text.substr(at - 1, 2)).value());
    default:
      return text[at];
  }
}

std::string content(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at)
    result += text[at] == '\\' && at + 1 < text.size() ? unescape(text, at) : text[at];
  return result + "\n";
}

void forbid(TreeRoot& tree, std::string_view path, std::string_view line) {
  if (tree.nodes().count(path) == 0) must(tree.put_file(path, ""), line);
  tree.nodes().find(path)->second.access = facts::Access::refused;
  tree.nodes().find(path)->second.mode = 0;
}

void apply_place(TreeRoot& tree, std::string_view line) {
  const std::size_t arrow = line.find(" -> ");
  const std::size_t colon = line.find(": ");
  if (arrow != std::string_view::npos)
    return must(tree.put_link(line.substr(0, arrow), std::string(line.substr(arrow + 4))), line);
  if (colon != std::string_view::npos)
    return must(tree.put_file(line.substr(0, colon), content(line.substr(colon + 2))), line);
  if (line.ends_with(':')) return must(tree.put_file(line.substr(0, line.size() - 1), "\n"), line);
  if (line.ends_with('/')) return must(tree.put_folder(line.substr(0, line.size() - 1)), line);
  if (line.ends_with(" !")) return forbid(tree, line.substr(0, line.size() - 2), line);
  if (line.ends_with(" -")) return tree.remove(line.substr(0, line.size() - 2));
  const std::size_t device = line.find(" device ");
  if (device == std::string_view::npos) refuse(line, "neither file, link, folder, '!', '-' nor device");
  TreeRoot::Node node{facts::Kind::device};
  node.mode = static_cast<std::uint32_t>(std::stoul(std::string(line.substr(device + 8)), nullptr, 8));
  must(tree.put(line.substr(0, device), std::move(node)), line);
}

void apply_environment(TreeRoot& tree, std::string_view variable) {
  const auto before = tree.read("/proc/self/environ");
  tree.put_file("/proc/self/environ", before.text + std::string(variable) + '\0');
}

void apply_run(TreeRoot& tree, std::string_view line) {
  const std::size_t colon = line.find(": ");
  if (colon == std::string_view::npos) refuse(line, "expected 'run <question>: <answer>'");
  tree.put_file(facts::output_path(line.substr(0, colon)), content(line.substr(colon + 2)));
}

void apply_line(TreeRoot& tree, std::string_view line) {
  if (line.starts_with('/')) return apply_place(tree, line);
  const std::string_view word = line.substr(0, line.find(' '));
  const std::string_view rest = facts::trimmed(line.substr(word.size()));
  if (word == "run") return apply_run(tree, rest);
  if (word == "env") return apply_environment(tree, rest);
  if (word == "pci") return put_pci(tree, rest);
  if (word == "config") return put_config(tree, rest);
  if (word == "rdma") return put_rdma(tree, rest);
  if (word == "gid") return put_gid(tree, rest);
  refuse(line, "unknown word " + std::string(word));
}

}  // namespace

void apply(TreeRoot& tree, std::string_view text) {
  for (const std::string_view line : facts::lines_of(text)) {
    const std::string_view bare = facts::trimmed(line);
    if (!bare.empty() && !bare.starts_with('#')) apply_line(tree, bare);
  }
}

std::unique_ptr<TreeRoot> tree_of(std::string_view text, std::string name) {
  auto tree = std::make_unique<TreeRoot>(std::move(name));
  apply(*tree, text);
  return tree;
}

std::unique_ptr<TreeRoot> fixture(const std::string& name, std::string_view changes) {
  const std::string path = HALYARD_TEST_FIXTURES "/machines/" + name + ".tree";
  std::ifstream file(path);
  if (!file) throw std::invalid_argument("there is no " + path);
  auto tree = tree_of(std::string(std::istreambuf_iterator<char>(file), {}), name);
  apply(*tree, changes);
  return tree;
}

}  // namespace halyard::test
