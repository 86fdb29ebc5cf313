#pragma once

#include <gtest/gtest.h>

#include "mercer/error.hpp"

/// Expects that `work()` throws `mercer::Error` with this code and a problem text that contains `part`.
template <class Work>
void expect_error(mercer::ErrorCode code, const std::string& part, Work work) {
  try {
    work();
    ADD_FAILURE() << "no error was thrown; expected one about: " << part;
  } catch (const mercer::Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    EXPECT_FALSE(error.remedy().empty());
  }
}
