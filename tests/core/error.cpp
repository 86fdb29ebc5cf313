#include "mercer/error.hpp"

#include <cmath>
#include <limits>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "support/errors.hpp"

namespace mercer {
namespace {

// The hundreds of a code are the exit code; 130 is what shells give a program that was interrupted (128 + SIGINT).
TEST(Error, exit_code_is_the_hundreds_of_the_code) {
  for (const ErrorKind& kind : error_kinds()) {
    const int number = static_cast<int>(kind.code);
    const int expected = kind.code == ErrorCode::interrupted ? 130 : number / 100;
    EXPECT_EQ(Error(kind.code, "p", "r").exit_code(), expected) << kind.title;
    EXPECT_TRUE(expected == 2 || expected == 3 || expected == 5 || expected == 130) << kind.title;
  }
  EXPECT_EQ(Error(ErrorCode::unknown_name, "p", "r").exit_code(), 2);
  EXPECT_EQ(Error(ErrorCode::cannot_open, "p", "r").exit_code(), 3);
  EXPECT_EQ(Error(ErrorCode::not_met, "p", "r").exit_code(), 5);
}

// A switch without a default: a code added to the enumeration but not to the table does not compile here.
bool is_listed_in_this_test(ErrorCode code) {
  switch (code) {
    case ErrorCode::unknown_name:
    case ErrorCode::out_of_range:
    case ErrorCode::bad_value:
    case ErrorCode::missing_option:
    case ErrorCode::not_finite:
    case ErrorCode::shape_mismatch:
    case ErrorCode::bad_distribution:
    case ErrorCode::too_large:
    case ErrorCode::cannot_open:
    case ErrorCode::cannot_write:
    case ErrorCode::corrupt_file:
    case ErrorCode::bad_format:
    case ErrorCode::bad_plugin:
    case ErrorCode::not_met:
    case ErrorCode::interrupted:
      return true;
  }
  return false;
}

TEST(Error, table_holds_every_code_once) {
  std::set<ErrorCode> seen;
  for (const ErrorKind& kind : error_kinds()) {
    EXPECT_TRUE(is_listed_in_this_test(kind.code));
    EXPECT_TRUE(seen.insert(kind.code).second) << kind.title;
    EXPECT_FALSE(kind.title.empty());
  }
  EXPECT_EQ(seen.size(), 15U);  // the cases above
}

TEST(Error, message_holds_code_problem_and_remedy) {
  const Error error(ErrorCode::bad_value, "seed is 'x'", "Give a whole number");
  EXPECT_STREQ(error.what(), "E203: seed is 'x'. Give a whole number.");
  EXPECT_EQ(error.code(), ErrorCode::bad_value);
  EXPECT_EQ(error.problem(), "seed is 'x'");
  EXPECT_EQ(error.remedy(), "Give a whole number");
}

TEST(Error, remedy_that_asks_gets_no_full_stop) {
  EXPECT_STREQ(Error(ErrorCode::unknown_name, "no task is called 'a'", "Did you mean 'b'?").what(),
               "E201: no task is called 'a'. Did you mean 'b'?");
}

TEST(RequireInRange, both_ends_are_legal) {
  EXPECT_NO_THROW(require_in_range("gamma", 0, 0, 1, "r"));
  EXPECT_NO_THROW(require_in_range("gamma", 0.5, 0, 1, "r"));
  EXPECT_NO_THROW(require_in_range("gamma", 1, 0, 1, "r"));
}

TEST(RequireInRange, neighbours_of_the_ends_are_not) {
  const double below = std::nextafter(0.0, -1.0);
  const double above = std::nextafter(1.0, 2.0);
  expect_error(ErrorCode::out_of_range, "gamma is", [&] { require_in_range("gamma", below, 0, 1, "r"); });
  expect_error(ErrorCode::out_of_range, "legal: 0 to 1", [&] { require_in_range("gamma", above, 0, 1, "r"); });
}

TEST(RequireInRange, message_tells_name_value_range_and_remedy) {
  try {
    require_in_range("gamma", 1.5, 0, 1, "Use a discount below one");
    FAIL() << "1.5 was accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "E202: gamma is 1.5; legal: 0 to 1. Use a discount below one.");
  }
}

TEST(RequireInRange, nan_is_never_in_range_and_infinity_only_when_the_range_is_infinite) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  expect_error(ErrorCode::out_of_range, "nan",
               [&] { require_in_range("x", nan, -infinity, infinity, "Give a number"); });
  expect_error(ErrorCode::out_of_range, "inf", [&] { require_in_range("x", infinity, 0, 1e308, "Give a number"); });
  EXPECT_NO_THROW(require_in_range("x", infinity, 0, infinity, "Give a number"));
}

}  // namespace
}  // namespace mercer
