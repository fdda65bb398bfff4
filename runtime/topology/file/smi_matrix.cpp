// The table of `nvidia-smi topo -m`: a header of names, then a row of cells for each. Copied through mail and trackers,
// blanks get lost, so that names and cells run together ("SYSSYS", "GPU0GPU1"): they are found by what they begin with.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "facts/text.hpp"
#include "topology/file/topo_file.hpp"

namespace halyard::topology {
namespace {

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

// nvidia-smi underlines its header with escape sequences: ESC [ … m.
std::string without_escapes(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\033') {
      i = std::min(text.find('m', i), text.size() - 1);
    } else {
      plain += text[i];
    }
  }
  return plain;
}

// A device's name at the front of `text`: GPU7, NIC3, mlx5_10, irdma0, bnxt_re1, rocep1s0f0. 0: there is none.
std::size_t name_length(std::string_view text) {
  for (const std::string_view prefix : {"GPU", "NIC", "mlx5_bond_", "mlx5_", "mlx4_", "bnxt_re", "irdma", "hfi1_"}) {
    if (!text.starts_with(prefix)) continue;
    std::size_t end = prefix.size();
    while (end < text.size() && is_digit(text[end])) ++end;
    return end > prefix.size() ? end : 0;
  }
  return 0;
}

// "GPU0GPU1" -> GPU0 GPU1. Ends at the first word that is no name ("CPU").
std::vector<std::string> names_in(std::string_view line, bool& is_run_together) {
  std::vector<std::string> names;
  for (std::string_view word : facts::split(line, " \t\r")) {
    for (bool is_first = true; !word.empty(); is_first = false) {
      const std::size_t length = name_length(word);
      if (length == 0) return names;
      is_run_together |= !is_first;
      names.emplace_back(word.substr(0, length));
      word.remove_prefix(length);
    }
  }
  return names;
}

struct Cell {
  Distance distance = Distance::unknown;
  bool is_nvlink = false;
  std::size_t length = 0;  // 0: no cell
};

Cell cell_in(std::string_view text) {
  static constexpr std::pair<std::string_view, Distance> kWords[] = {
      {"SYS", Distance::sys}, {"NODE", Distance::node}, {"PHB", Distance::phb}, {"PXB", Distance::pxb},
      {"PIX", Distance::pix}, {"SOC", Distance::sys},   {"X", Distance::pix}};
  for (const auto& [word, distance] : kWords)
    if (text.starts_with(word)) return {distance, false, word.size()};
  if (!text.starts_with("NV")) return {};
  std::size_t end = 2;
  while (end < text.size() && is_digit(text[end])) ++end;
  return {Distance::unknown, true, end};
}

std::vector<Cell> cells_in(std::string_view line, std::size_t most, bool& is_run_together) {
  std::vector<Cell> cells;
  for (std::string_view word : facts::split(line, " \t\r")) {
    for (bool is_first = true; !word.empty() && cells.size() < most; is_first = false) {
      const Cell cell = cell_in(word);
      if (cell.length == 0) return cells;
      is_run_together |= !is_first;
      cells.push_back(cell);
      word.remove_prefix(cell.length);
    }
  }
  return cells;
}

class SmiReader {
 public:
  TopoFile read(std::string_view text);

 private:
  void read_row(std::string_view line);
  void read_legend(std::string_view line);
  void fill(Topology& topology) const;

  TopoFile file_;
  std::vector<std::string> columns_;
  std::map<std::string, std::vector<Cell>, std::less<>> rows_;
  std::map<std::string, std::string, std::less<>> legend_;  // NIC0 -> mlx5_0
  bool is_run_together_ = false;
};

void SmiReader::read_row(std::string_view line) {
  const std::size_t length = name_length(line);
  if (length == 0 || line.substr(length).starts_with(':')) return;  // a row of the legend
  const std::string name(line.substr(0, length));
  if (std::find(columns_.begin(), columns_.end(), name) == columns_.end()) return;
  auto cells = cells_in(line.substr(length), columns_.size(), is_run_together_);
  if (cells.size() < columns_.size())
    file_.troubles.push_back(fmt::format("row {}: {} cells for {} columns; what is missing counts as unknown", name,
                                         cells.size(), columns_.size()));
  cells.resize(columns_.size());
  rows_.emplace(name, std::move(cells));
}

// "  NIC0: mlx5_0"
void SmiReader::read_legend(std::string_view line) {
  const auto colon = line.find(':');
  if (!line.starts_with("NIC") || colon == std::string_view::npos) return;
  legend_.emplace(line.substr(0, colon), facts::trimmed(line.substr(colon + 1)));
}

void SmiReader::fill(Topology& topology) const {
  std::vector<std::size_t> gpus, nics;
  for (std::size_t i = 0; i < columns_.size(); ++i) (columns_[i].starts_with("GPU") ? gpus : nics).push_back(i);
  for (const std::size_t i : nics) {
    const auto real = legend_.find(columns_[i]);
    topology.nics.push_back({real == legend_.end() ? columns_[i] : real->second, std::nullopt, -1, 0, true, false});
  }
  for (const std::size_t i : gpus) {
    topology.gpus.push_back({columns_[i], std::nullopt, -1});
    const auto row = rows_.find(columns_[i]);
    const auto cell = [&](std::size_t j) { return row == rows_.end() ? Cell{} : row->second[j]; };
    auto& to_nic = topology.to_nic.emplace_back();
    for (const std::size_t j : nics) to_nic.push_back(cell(j).distance);
    auto& to_gpu = topology.to_gpu.emplace_back();
    for (const std::size_t j : gpus) to_gpu.push_back(cell(j).distance);
  }
}

TopoFile SmiReader::read(std::string_view text) {
  file_.format = "nvidia-smi topo -m";
  const std::string plain = without_escapes(text);
  for (const std::string_view raw : facts::lines_of(plain)) {
    const auto line = facts::trimmed(raw);
    if (columns_.empty()) {
      columns_ = names_in(line, is_run_together_);
      if (columns_.size() > kMaxTopoDevices) columns_.resize(kMaxTopoDevices);
    } else {
      read_row(line);
      read_legend(line);
    }
  }
  if (is_run_together_)
    file_.troubles.push_back("columns are run together (as in 'SYSSYS'); they were told apart by name");
  for (const std::string& name : columns_)
    if (!rows_.contains(name)) file_.troubles.push_back(fmt::format("there is no row {}", name));
  fill(file_.topology);
  for (std::size_t a = 0; a < columns_.size(); ++a)
    for (std::size_t b = a + 1; b < columns_.size(); ++b)
      if (const auto row = rows_.find(columns_[a]); row != rows_.end() && row->second[b].is_nvlink)
        file_.nvlinks.push_back(fmt::format("{}-{}", columns_[a], columns_[b]));
  return std::move(file_);
}

}  // namespace

TopoFile read_smi_matrix(std::string_view text) { return SmiReader().read(text); }

}  // namespace halyard::topology
