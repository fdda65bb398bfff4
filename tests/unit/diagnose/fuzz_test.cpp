// A thousand machines damaged at random: no check throws, hangs, or calls a machine fine of which it could read
// nothing.
#include <random>

#include "support/machine/expect.hpp"

namespace halyard::test {
namespace {

using diagnose::Verdict;

constexpr const char* kTrees[] = {
    "dgx",           "hgx_reversed", "h100_pairs",   "one_nic_eight_gpus", "cloud_switchless", "far_nic",
    "power_domains", "roce_node",    "soft_roce_vm", "cpu_node",           "one_gpu_one_nic"};
constexpr int kMachines = 1000;

class Damage {
 public:
  explicit Damage(unsigned seed) : random_(seed) {}

  void apply(facts::TreeRoot& tree) {
    for (std::size_t turns = 1 + below(20); turns > 0; --turns) one(tree);
  }

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }

  std::string noise(std::size_t most) {
    static const std::string kLikely = "0123456789abcdefx:.,- \n\t/";
    std::string text(below(most), '\0');
    for (char& c : text) c = below(4) == 0 ? static_cast<char>(random_()) : kLikely[below(kLikely.size())];
    return text;
  }

  void one(facts::TreeRoot& tree) {
    auto& nodes = tree.nodes();
    if (nodes.empty()) return;
    auto place = std::next(nodes.begin(), static_cast<std::ptrdiff_t>(below(nodes.size())));
    std::string& text = place->second.text;
    switch (below(9)) {
      case 0:
        return tree.remove(std::string(place->first));
      case 1:
        nodes.erase(place);  // and leave what was below it
        return;
      case 2:
        place->second.access = static_cast<facts::Access>(below(5));
        return;
      case 3:
        text = noise(64);
        return;
      case 4:
        text = noise(2000);
        for (std::size_t doublings = below(8); doublings > 0; --doublings) text += text;
        return;
      case 5:
        text = text.substr(0, below(text.size() + 1));
        return;
      case 6:
        if (!text.empty()) text[below(text.size())] = static_cast<char>(random_());
        return;
      case 7:
        place->second.kind = static_cast<facts::Kind>(below(5));
        return;
      default:
        place->second.kind = facts::Kind::link;
        text = below(2) == 0 ? place->first.substr(place->first.rfind('/') + 1) : "../" + noise(12);
    }
  }

  std::mt19937 random_;
};

TEST(Fuzz, AThousandDamagedMachinesAreSurvived) {
  int num_findings = 0;
  for (int machine_number = 0; machine_number < kMachines; ++machine_number) {
    const auto tree = fixture(kTrees[static_cast<std::size_t>(machine_number) % std::size(kTrees)]);
    Damage(static_cast<unsigned>(machine_number)).apply(*tree);
    const diagnose::Machine machine(*tree);
    for (const diagnose::Check& check : diagnose::all_checks()) {
      diagnose::Findings findings;
      ASSERT_NO_THROW(findings = check.run(machine)) << check.id << " on machine " << machine_number;
      ASSERT_FALSE(findings.empty()) << check.id << " on machine " << machine_number;
      findings = diagnose::run(check, machine);
      for (const diagnose::Finding& finding : findings) {
        ++num_findings;
        ASSERT_FALSE(finding.summary.empty()) << check.id << whole_text(finding);
        ASSERT_EQ(finding.summary.find('\n'), std::string::npos) << finding.summary;
        for (const std::string& item : finding.evidence)
          ASSERT_EQ(item.find('\n'), std::string::npos) << check.id << item;
        if (finding.verdict >= Verdict::warn) {
          ASSERT_FALSE(finding.remedy.empty()) << check.id;
          ASSERT_FALSE(finding.evidence.empty()) << check.id;
        }
      }
    }
  }
  EXPECT_GT(num_findings, kMachines * 10);
}

TEST(Fuzz, OfAMachineThatMayNotBeReadNothingIsCalledFine) {
  for (const char* name : kTrees) {
    const auto tree = fixture(name);
    for (auto& [path, node] : tree->nodes()) node.access = facts::Access::refused;
    const diagnose::Machine machine(*tree);
    for (const diagnose::Check& check : diagnose::all_checks())
      EXPECT_NE(diagnose::worst_of(check.run(machine)), Verdict::ok) << check.id << " on " << name;
  }
}

TEST(Fuzz, OfAnEmptyTreeNothingIsCalledFineOrBroken) {
  const auto tree = tree_of("");
  const diagnose::Machine machine(*tree);
  for (const diagnose::Check& check : diagnose::all_checks()) {
    const Verdict verdict = diagnose::worst_of(check.run(machine));
    EXPECT_TRUE(verdict == Verdict::unknown || verdict == Verdict::not_applicable)
        << check.id << ' ' << name_of(verdict);
  }
}

}  // namespace
}  // namespace halyard::test
