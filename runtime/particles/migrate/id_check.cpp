// See id_check.hpp.
#include "particles/migrate/id_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/hash.hpp"
#include "halyard/status.hpp"
#include "transport/blob.hpp"

namespace halyard::particles {
namespace {

constexpr std::size_t kMostListed = 5;

struct Held {
  std::int64_t id = 0;
  std::int64_t holder = 0;

  friend bool operator<(const Held& a, const Held& b) { return a.id != b.id ? a.id < b.id : a.holder < b.holder; }
};

// What a keeper, or all together, found wrong. Lists hold the lowest ids.
struct Verdict {
  std::int64_t num_expected = 0;
  std::int64_t num_found = 0;
  std::uint64_t sum = 0;   // of ids, expected minus found
  std::uint64_t bits = 0;  // xor of all ids, expected and found
  std::int64_t num_missing = 0;
  std::vector<std::int64_t> missing;
  std::vector<std::int64_t> unknown;
  std::vector<Held> doubled;  // the second holders

  bool is_good() const { return num_missing == 0 && unknown.empty() && doubled.empty(); }
};

int keeper_of(std::int64_t id, int size) {
  return static_cast<int>(base::Hash().add(id).value() % static_cast<std::uint64_t>(size));
}

std::vector<Held> told_to_keeper(Everyone& everyone, const Particles& particles, const Roles& roles) {
  std::map<int, transport::Blob> told;
  for (std::int64_t i = 0; i < particles.num_owned; ++i) {
    const std::int64_t id = *id_of(particles, roles, i);
    transport::append(told[keeper_of(id, everyone.size())], id);
  }
  std::vector<Parcel> parcels;
  for (auto& [rank, blob] : told) parcels.push_back({rank, std::move(blob)});
  std::vector<Held> held;
  for (const Parcel& parcel : everyone.deliver(std::move(parcels)))
    for (std::size_t at = 0; at < parcel.bytes.size(); at += sizeof(std::int64_t)) {
      held.push_back({0, parcel.rank});
      std::memcpy(&held.back().id, parcel.bytes.data() + at, sizeof(std::int64_t));
    }
  std::sort(held.begin(), held.end());
  return held;
}

std::vector<std::int64_t> ids_of(const std::vector<Held>& held) {
  std::vector<std::int64_t> ids;
  for (const Held& h : held) ids.push_back(h.id);
  return ids;
}

template <class T>
void keep_lowest(std::vector<T>& list) {
  std::sort(list.begin(), list.end());
  if (list.size() > kMostListed) list.resize(kMostListed);
}

Verdict compare(const std::vector<std::int64_t>& expected, const std::vector<Held>& found) {
  Verdict verdict;
  verdict.num_expected = static_cast<std::int64_t>(expected.size());
  verdict.num_found = static_cast<std::int64_t>(found.size());
  for (const std::int64_t id : expected) {
    verdict.sum += static_cast<std::uint64_t>(id);
    verdict.bits ^= static_cast<std::uint64_t>(id);
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    verdict.sum -= static_cast<std::uint64_t>(found[i].id);
    verdict.bits ^= static_cast<std::uint64_t>(found[i].id);
    if (i > 0 && found[i].id == found[i - 1].id) verdict.doubled.push_back(found[i]);
  }
  const auto ids = ids_of(found);
  std::set_difference(expected.begin(), expected.end(), ids.begin(), ids.end(), std::back_inserter(verdict.missing));
  std::set_difference(ids.begin(), ids.end(), expected.begin(), expected.end(), std::back_inserter(verdict.unknown));
  for (const Held& twice : verdict.doubled) std::erase(verdict.unknown, twice.id);
  verdict.num_missing = static_cast<std::int64_t>(verdict.missing.size());
  keep_lowest(verdict.missing);
  keep_lowest(verdict.unknown);
  keep_lowest(verdict.doubled);
  return verdict;
}

template <class T>
void append_list(transport::Blob& blob, const std::vector<T>& list) {
  transport::append_bytes(blob, std::as_bytes(std::span(list)));
}

template <class T>
void read_list(transport::BlobReader& reader, std::vector<T>& list) {
  const auto bytes = reader.read_bytes();
  const std::size_t before = list.size();
  list.resize(before + bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(list.data() + before, bytes.data(), bytes.size());
}

// Rank 0's is that of all.
Verdict gathered(Everyone& everyone, const Verdict& mine) {
  transport::Blob blob;
  for (const std::int64_t number : {mine.num_expected, mine.num_found, mine.num_missing})
    transport::append(blob, number);
  transport::append(blob, mine.sum);
  transport::append(blob, mine.bits);
  append_list(blob, mine.missing);
  append_list(blob, mine.unknown);
  append_list(blob, mine.doubled);
  Verdict all;
  for (const Parcel& parcel : everyone.deliver({{0, std::move(blob)}})) {
    transport::BlobReader reader(parcel.bytes);
    for (std::int64_t* number : {&all.num_expected, &all.num_found, &all.num_missing})
      *number += reader.read<std::int64_t>();
    all.sum += reader.read<std::uint64_t>();
    all.bits ^= reader.read<std::uint64_t>();
    read_list(reader, all.missing);
    read_list(reader, all.unknown);
    read_list(reader, all.doubled);
  }
  keep_lowest(all.missing);
  keep_lowest(all.unknown);
  keep_lowest(all.doubled);
  return all;
}

std::string list_text(const std::vector<std::int64_t>& ids) {
  std::string text;
  for (const std::int64_t id : ids) text += fmt::format("{}{}", text.empty() ? "" : ", ", id);
  return text;
}

std::string words_of(const Verdict& verdict, const std::string& when) {
  std::string text =
      fmt::format("check the ids of particles {}: {} were there and {} are; sums differ by {}, xor by {:#x}", when,
                  verdict.num_expected, verdict.num_found, static_cast<std::int64_t>(verdict.sum), verdict.bits);
  if (verdict.num_missing > 0)
    text += fmt::format("; {} missing, the first: {}", verdict.num_missing, list_text(verdict.missing));
  if (!verdict.unknown.empty()) text += fmt::format("; not known before: {}", list_text(verdict.unknown));
  for (const Held& twice : verdict.doubled)
    text += fmt::format("; id {} is there twice, also on rank {}", twice.id, twice.holder);
  return text + "; after making or removing particles on purpose call Migrator::accept_ids()";
}

void throw_unless_good(Everyone& everyone, const Verdict& mine, const std::string& when) {
  if (everyone.any(mine.is_good() ? 0 : 1) == 0) return;
  const Verdict all = gathered(everyone, mine);
  everyone.together("check the ids of particles", [&] {
    if (everyone.rank() == 0) throw Error(StatusCode::disagreement, words_of(all, when));
  });
}

}  // namespace

void IdCheck::accept(Everyone& everyone, const Particles& particles, const Roles& roles) {
  const auto held = told_to_keeper(everyone, particles, roles);
  auto ids = ids_of(held);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  throw_unless_good(everyone, compare(ids, held), "to begin with");
  ids_ = std::move(ids);
  has_accepted_ = true;
}

void IdCheck::check(Everyone& everyone, const Particles& particles, const Roles& roles, const std::string& when) {
  throw_unless_good(everyone, compare(ids_, told_to_keeper(everyone, particles, roles)), when);
}

}  // namespace halyard::particles
