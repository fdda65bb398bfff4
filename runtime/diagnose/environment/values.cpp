// See values.hpp.
#include "diagnose/environment/values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/nearest_name.hpp"
#include "facts/text.hpp"

namespace halyard::diagnose {
namespace {

using Words = std::vector<std::string_view>;

// How the words of a value are compared.
enum class Letters { any_case, as_written };

// What one variable, or all that end alike, takes.
struct Rule {
  std::string_view variable;
  std::string_view words;  // that each word of the value must be one of
  Letters letters;
  std::string_view otherwise;  // what the library does with anything else
};

constexpr std::string_view kYesNo = "1 0 y n yes no on off true false";
constexpr std::string_view kYesNoTry = "1 0 y n yes no on off true false try";
constexpr std::string_view kDistances = "LOC NVL NVB C2C PIX PXB P2C PXN PHB SYS";
constexpr std::string_view kUcxLevels =
    "fatal error warn info debug trace diag req data async func poll trace_req "
    "trace_data trace_async trace_func trace_poll print";
constexpr std::string_view kUcxTransports =
    "all sm shm ib rc rc_v rc_x rc_verbs rc_mlx5 rc_gda ud ud_v ud_x ud_verbs ud_mlx5 dc dc_x dc_mlx5 srd gga gga_mlx5 "
    "tcp "
    "self cuda cuda_copy cuda_ipc gdr_copy rocm rocm_copy rocm_ipc ze ze_copy ze_ipc ze_gdr gaudi gaudi_gdr mm posix "
    "sysv "
    "xpmem cma knem ugni rdmacm tcpcm sockcm mlx5 verbs";
constexpr std::string_view kQuietlyDefault = "it says so at NCCL_DEBUG=INFO only and uses its default";
constexpr std::string_view kQuietlyIgnored = "it ignores others without a word";
constexpr std::string_view kRefuses = "it refuses others when it starts";

constexpr std::array kRules{
    Rule{"NCCL_ALGO", "Tree Ring CollNetDirect CollNetChain NVLS NVLSTree PAT", Letters::any_case, kRefuses},
    Rule{"NCCL_PROTO", "LL LL128 Simple", Letters::any_case, kRefuses},
    Rule{"NCCL_P2P_LEVEL", kDistances, Letters::as_written, kQuietlyIgnored},
    Rule{"NCCL_NET_GDR_LEVEL", kDistances, Letters::as_written, kQuietlyIgnored},
    Rule{"NCCL_DEBUG", "VERSION WARN INFO ABORT TRACE", Letters::any_case, kQuietlyIgnored},
    Rule{"UCX_TLS", kUcxTransports, Letters::as_written, "it warns and goes on without them"},
    Rule{"UCX_MEMTYPE_CACHE", kYesNoTry, Letters::any_case, kRefuses},
    Rule{"UCX_IB_GPU_DIRECT_RDMA", kYesNoTry, Letters::any_case, kRefuses},
    Rule{"UCX_RCACHE_ENABLE", kYesNoTry, Letters::any_case, kRefuses},
    Rule{"UCX_MEM_EVENTS", kYesNo, Letters::any_case, kRefuses},
    Rule{"UCX_PROTO_ENABLE", kYesNoTry, Letters::any_case, kRefuses},
    Rule{"UCX_CUDA_IPC_CACHE", kYesNo, Letters::any_case, kRefuses},
    Rule{"UCX_LOG_LEVEL", kUcxLevels, Letters::any_case, kRefuses},
    Rule{"OMPI_MCA_pml", "ob1 ucx cm monitoring v crcpw yalla bfo", Letters::as_written,
         "it aborts when none of them is there"},
    Rule{"OMPI_MCA_btl", "self tcp vader sm smcuda openib uct ofi usnic ugni portals4 scif template",
         Letters::as_written, "it aborts, or goes on without them"},
    Rule{"OMPI_MCA_btl_vader_single_copy_mechanism", "cma knem xpmem emulated none", Letters::as_written, kRefuses}};

// Read with strtol or strtoll: a word counts as 0, or as nothing.
constexpr std::string_view kNcclNumbers =
    "NCCL_P2P_DISABLE NCCL_IB_DISABLE NCCL_SHM_DISABLE NCCL_NVLS_ENABLE NCCL_CUMEM_ENABLE NCCL_DMABUF_ENABLE "
    "NCCL_NET_GDR_READ NCCL_GDRCOPY_ENABLE NCCL_IB_GID_INDEX NCCL_IB_TC NCCL_IB_TIMEOUT NCCL_IB_RETRY_CNT NCCL_IB_SL "
    "NCCL_IB_QPS_PER_CONNECTION NCCL_IB_PCI_RELAXED_ORDERING NCCL_CROSS_NIC NCCL_BUFFSIZE NCCL_NTHREADS "
    "NCCL_MAX_NCHANNELS NCCL_MIN_NCHANNELS NCCL_P2P_DIRECT_DISABLE NCCL_PXN_DISABLE NCCL_COLLNET_ENABLE";

bool is_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_taken(const Rule& rule, std::string_view word) {
  const auto words = facts::split(rule.words, ", ");
  return std::any_of(words.begin(), words.end(), [&](std::string_view taken) {
    return rule.letters == Letters::any_case ? same_word(taken, word) : taken == word;
  });
}

// The level of a distance may be a number from 0 to 5, as it was in NCCL 2.3.
bool takes_numbers(const Rule& rule) { return rule.words == kDistances; }

// "^Tree;allreduce:Ring" -> Tree Ring; UCX takes "\name" for exactly that transport and "name:aux" for a helper.
Words values_in(const Rule& rule, std::string_view value) {
  const bool is_nccl = rule.variable.starts_with("NCCL_");
  Words words;
  for (auto word : facts::split(value, is_nccl ? ",; " : ", ")) {
    if (is_nccl && word.find(':') != std::string_view::npos) word.remove_prefix(word.find(':') + 1);
    if (!is_nccl) word = word.substr(0, word.find(':'));
    while (!word.empty() && (word.front() == '^' || word.front() == '\\')) word.remove_prefix(1);
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

std::string_view library_of(std::string_view variable) {
  if (variable.starts_with("NCCL_")) return "NCCL";
  return variable.starts_with("UCX_") ? "UCX" : "Open MPI";
}

std::optional<BadValue> judge(const Rule& rule, const Variable& variable) {
  for (const std::string_view word : values_in(rule, variable.value)) {
    if (is_taken(rule, word) || (takes_numbers(rule) && is_number(word))) continue;
    const auto taken = facts::split(rule.words, ", ");
    const bool is_like_one = !is_number(word);
    return BadValue{fmt::format("'{}' is none of {}: {}; {}", word, library_of(rule.variable), fmt::join(taken, " "),
                                rule.otherwise),
                    is_like_one ? fmt::format("{}={}", variable.name, base::nearest_name(word, taken)) : std::string()};
  }
  return std::nullopt;
}

}  // namespace

std::optional<BadValue> bad_value(const Variable& variable) {
  for (const Rule& rule : kRules)
    if (rule.variable == variable.name) return judge(rule, variable);
  const auto numbers = facts::split(kNcclNumbers, ", ");
  if (std::find(numbers.begin(), numbers.end(), variable.name) == numbers.end() || is_number(variable.value))
    return std::nullopt;
  return BadValue{fmt::format("'{}' is no number; {}", variable.value, kQuietlyDefault), variable.name + "=1"};
}

}  // namespace halyard::diagnose
