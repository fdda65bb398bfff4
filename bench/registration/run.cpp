// See run.hpp.
#include "registration/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "common/json_file.hpp"
#include "halyard/version.hpp"
#include "registration/registrars.hpp"
#include "registration/report.hpp"

namespace halyard::bench {
namespace {

bool is_named(const RegistrationBenchOptions& options, std::string_view name) {
  return std::find(options.registrars.begin(), options.registrars.end(), name) != options.registrars.end();
}

void show(const std::string& text) {
  fmt::print("{}", text);
  std::fflush(stdout);
}

bool is_good(const RegistrationResult& result) { return result.not_run.empty() && result.is_verified; }

/// True when every size ran and was right.
bool run_registrar(const RegistrarEntry& entry, const RegistrationBenchOptions& options, const RegistrationRun& run,
                   JsonFile& json) {
  std::string refusal;
  const auto registrar = entry.open(refusal);
  if (registrar == nullptr) {
    show(fmt::format("{:<10} not run: {}\n", entry.name, refusal));
    return false;
  }
  bool all_good = true;
  for (const std::size_t bytes : options.sizes) {
    const RegistrationCase measured{std::string(entry.name), registrar->name(), bytes,
                                    measure_registration(*registrar, bytes, options.rounds)};
    show(registration_table(measured));
    json.write(registration_json(run, measured));
    all_good = all_good && std::all_of(measured.results.begin(), measured.results.end(), is_good);
  }
  return all_good;
}

/// On rank 0.
int run_all(const RegistrationBenchOptions& options, JsonFile& json) {
  const RegistrationRun run{read_machine(), std::string(commit()), options.rounds};
  show(registration_head(run));
  bool all_good = true;
  for (const RegistrarEntry& entry : registrar_entries()) {
    if (!options.registrars.empty() && !is_named(options, entry.name)) continue;
    const bool is_good_here = run_registrar(entry, options, run, json);
    all_good = all_good && (is_good_here || options.registrars.empty());
  }
  return all_good ? 0 : 1;
}

}  // namespace

int run_registration_bench(MPI_Comm comm, const RegistrationBenchOptions& options) {
  const RegistrationBenchOptions all = checked(options);
  JsonFile json(comm, all.json_file);
  int code = json.is_writer() ? run_all(all, json) : 0;
  MPI_Bcast(&code, 1, MPI_INT, 0, comm);
  return code;
}

}  // namespace halyard::bench
