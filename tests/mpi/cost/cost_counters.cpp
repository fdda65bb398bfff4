// See cost_counters.hpp.
#include "mpi/cost/cost_counters.hpp"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>

// glibc's own names of what is replaced below.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
}

namespace {

thread_local std::uint64_t heap_calls = 0;

}  // namespace

extern "C" {
void* malloc(std::size_t bytes) {
  ++heap_calls;
  return __libc_malloc(bytes);
}
void* calloc(std::size_t count, std::size_t bytes) {
  ++heap_calls;
  return __libc_calloc(count, bytes);
}
void* realloc(void* memory, std::size_t bytes) {
  ++heap_calls;
  return __libc_realloc(memory, bytes);
}
void* memalign(std::size_t alignment, std::size_t bytes) {
  ++heap_calls;
  return __libc_memalign(alignment, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  ++heap_calls;
  return __libc_memalign(alignment, bytes);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  ++heap_calls;
  *memory = __libc_memalign(alignment, bytes);
  return *memory == nullptr ? ENOMEM : 0;
}
void free(void* memory) {
  ++heap_calls;
  __libc_free(memory);
}
}

namespace halyard::test {

std::uint64_t num_heap_calls() { return heap_calls; }

#if defined(__x86_64__)
namespace {

// <linux/prctl.h> of Debian 12 has these, older ones do not.
constexpr int kSetSyscallUserDispatch = 59;
constexpr unsigned long kOff = 0;
constexpr unsigned long kOn = 1;
constexpr char kAllow = 0;
constexpr char kBlock = 1;

thread_local volatile char selector = kAllow;
thread_local volatile std::int64_t first_call = -1;

long perform(const greg_t* registers, long number) {
  long result = number;
  register long r10 asm("r10") = registers[REG_R10];
  register long r8 asm("r8") = registers[REG_R8];
  register long r9 asm("r9") = registers[REG_R9];
  asm volatile("syscall"
               : "+a"(result)
               : "D"(registers[REG_RDI]), "S"(registers[REG_RSI]), "d"(registers[REG_RDX]), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

// Notes the call, lets all later ones pass (its own return is one), and does what was asked for.
void note_call(int, siginfo_t* info, void* context) {
  selector = kAllow;
  greg_t* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  if (first_call < 0) first_call = info->si_syscall;
  registers[REG_RAX] = perform(registers, info->si_syscall);
}

int dispatch(unsigned long mode, volatile char* where) {
  return prctl(kSetSyscallUserDispatch, mode, 0UL, 0UL, reinterpret_cast<unsigned long>(where));
}

}  // namespace

std::string SystemCallWatch::unavailable() {
  const int result = dispatch(kOn, &selector);
  if (result == 0) dispatch(kOff, nullptr);
  return result == 0
             ? ""
             : "prctl(PR_SET_SYSCALL_USER_DISPATCH): " + std::string(std::strerror(errno)) + "; needs Linux 5.11";
}

SystemCallWatch::SystemCallWatch() {
  struct sigaction action {};
  action.sa_sigaction = note_call;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSYS, &action, nullptr);
  selector = kAllow;
  dispatch(kOn, &selector);
}

SystemCallWatch::~SystemCallWatch() {
  selector = kAllow;
  dispatch(kOff, nullptr);
}

void SystemCallWatch::start() {
  first_call = -1;
  selector = kBlock;
}

std::int64_t SystemCallWatch::stop() {
  selector = kAllow;
  return first_call;
}

#else

std::string SystemCallWatch::unavailable() { return "syscall user dispatch is for x86-64"; }
SystemCallWatch::SystemCallWatch() = default;
SystemCallWatch::~SystemCallWatch() = default;
void SystemCallWatch::start() {}
std::int64_t SystemCallWatch::stop() { return -1; }

#endif

}  // namespace halyard::test
