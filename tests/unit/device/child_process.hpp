// Runs a function in a forked child, which is another process to the device module, and gives back its exit code.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <iostream>

namespace halyard::test {

/// `step` returns the exit code. The child ends without destructors, as it shares the parent's state. 255: it threw or
/// crashed.
template <class Step>
int in_child(Step step) {
  std::cout.flush();
  const pid_t child = fork();
  if (child == 0) {
    int code = 255;
    try {
      code = step();
    } catch (const std::exception& error) {
      std::cerr << "child: " << error.what() << std::endl;
    }
    _exit(code);
  }
  int state = 0;
  if (child < 0 || waitpid(child, &state, 0) != child || !WIFEXITED(state)) return 255;
  return WEXITSTATUS(state);
}

}  // namespace halyard::test
