// What a call throws, as text, so that a test can look at it.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "halyard/status.hpp"

namespace halyard::test {

/// The text of the Error that `step` throws, which must have this code; "nothing was thrown" when it does not throw.
template <class Step>
std::string error_text(StatusCode code, Step step) {
  try {
    step();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.status().text();
  }
  return "nothing was thrown";
}

}  // namespace halyard::test
