// RecordingRoot: passes every question on to another root and keeps the answers. What checks asked of a machine is then
// exactly what a bundle holds: nothing is forgotten, and nothing else is taken along.
#pragma once

#include "facts/tree_root.hpp"

namespace halyard::facts {

class RecordingRoot final : public Root {
 public:
  /// `inner` outlives this.
  explicit RecordingRoot(const Root& inner) : inner_(inner), kept_(inner.name()) {}

  std::string name() const override { return inner_.name(); }
  bool is_live() const override { return inner_.is_live(); }
  Reading output(std::string_view question) const override;

  const TreeRoot& kept() const { return kept_; }

 protected:
  Entry entry_at(const std::string& path) const override;
  Reading read_at(const std::string& path, std::size_t most_bytes) const override;
  Listing list_at(const std::string& path) const override;
  Reading link_at(const std::string& path) const override;

 private:
  void keep(const std::string& path, TreeRoot::Node node) const;

  const Root& inner_;
  mutable TreeRoot kept_;
};

}  // namespace halyard::facts
