// The sub-commands of `halyard`. Each file adds its own to the command line; main.cpp runs the one
// that was asked for, on every rank, between MPI_Init and MPI_Finalize, or alone, before MPI.
#pragma once

#include <mpi.h>

#include <CLI/CLI.hpp>
#include <functional>

namespace halyard::tools {

inline constexpr int kUsageExit = 2;

/// What the command line chose: returns the exit code, the same on every rank.
using Action = std::function<int(MPI_Comm)>;
/// What needs no MPI, and must work where MPI does not.
using LocalAction = std::function<int()>;

/// Each adds a sub-command that sets `chosen` when it is parsed.
void add_info(CLI::App& app, Action& chosen);
void add_doctor(CLI::App& app, Action& chosen, LocalAction& alone);
void add_bench(CLI::App& app, Action& chosen);
void add_link_bench(CLI::App& group, Action& chosen);
void add_registration_bench(CLI::App& group, Action& chosen);

}  // namespace halyard::tools
