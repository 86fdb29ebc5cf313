#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "support/errors.hpp"

namespace mercer {
namespace {

TEST(Params, reads_what_was_given_and_defaults_what_was_not) {
  Params params("task 'x'", "n=20,alpha=0.75,places=-1;0.5;2e-1,label=hello", 9);
  EXPECT_EQ(params.integer("n", 3, 1, 100), 20);
  EXPECT_EQ(params.integer("m", 3, 1, 100), 3);
  EXPECT_EQ(params.number("alpha", 0.5, 0, 1), 0.75);
  EXPECT_EQ(params.number("beta", 0.5, 0, 1), 0.5);
  EXPECT_EQ(params.numbers("places", {}, -2, 2), (std::vector<double>{-1, 0.5, 0.2}));
  EXPECT_EQ(params.numbers("widths", {4, 5}, -2, 2), (std::vector<double>{4, 5}));
  EXPECT_EQ(params.text("label", ""), "hello");
  EXPECT_EQ(params.text("title", "none"), "none");
  EXPECT_EQ(params.seed(), 9);
  EXPECT_TRUE(params.has("n"));
  EXPECT_FALSE(params.has("m"));
  params.check_all_read();
}

TEST(Params, a_part_without_equals_is_the_file) {
  Params params("task 'x'", "folder/a.json,n=2", 0);
  EXPECT_EQ(params.text("file", ""), "folder/a.json");
  EXPECT_EQ(params.integer("n", 1, 1, 5), 2);
  params.check_all_read();
}

TEST(Params, the_ends_of_a_range_are_in_it) {
  Params params("task 'x'", "low=0,high=1", 0);
  EXPECT_EQ(params.number("low", 0.5, 0, 1), 0);
  EXPECT_EQ(params.number("high", 0.5, 0, 1), 1);
}

TEST(Params, refuses_bad_numbers) {
  Params params("task 'x'", "n=2.5,a=abc,b=,c=1x,d=nan,e=inf,f=7,g=1;;2,h=-1,i= 1", 0);
  expect_error(ErrorCode::bad_value, "task 'x': n is 2.5, which is not an integer",
               [&] { params.integer("n", 1, 1, 9); });
  expect_error(ErrorCode::bad_value, "a is 'abc', which is not a number", [&] { params.number("a", 1, 0, 1); });
  expect_error(ErrorCode::bad_value, "b is ''", [&] { params.number("b", 1, 0, 1); });
  expect_error(ErrorCode::bad_value, "c is '1x'", [&] { params.number("c", 1, 0, 1); });
  expect_error(ErrorCode::out_of_range, "d is nan; legal: 0 to 1", [&] { params.number("d", 1, 0, 1); });
  expect_error(ErrorCode::out_of_range, "e is inf; legal: 0 to 1", [&] { params.number("e", 1, 0, 1); });
  expect_error(ErrorCode::out_of_range, "f is 7; legal: 0 to 1", [&] { params.number("f", 1, 0, 1); });
  expect_error(ErrorCode::bad_value, "g is ''", [&] { params.numbers("g", {}, 0, 9); });
  expect_error(ErrorCode::out_of_range, "h is -1", [&] { params.integer("h", 1, 0, 9); });
  expect_error(ErrorCode::bad_value, "i is ' 1'", [&] { params.number("i", 1, 0, 1); });
}

TEST(Params, a_range_is_two_numbers_or_one) {
  Params params("task 'x'", "a=0.8..1.2,b=3,c=-1..-0.5,d=2..7,e=5..1", 0);
  const auto expect = [](Range range, double low, double high) {
    EXPECT_EQ(range.low, low);
    EXPECT_EQ(range.high, high);
  };
  expect(params.range("a", 1, 0, 2), 0.8, 1.2);
  expect(params.range("b", 1, 0, 5), 3, 3);
  expect(params.range("c", 1, -2, 2), -1, -0.5);
  expect(params.range("none", 1, 0, 2), 1, 1);
  expect_error(ErrorCode::out_of_range, "d is 7; legal: 0 to 5", [&] { params.range("d", 1, 0, 5); });
  expect_error(ErrorCode::bad_value, "e is '5..1', from a larger number to a smaller one",
               [&] { params.range("e", 1, 0, 9); });
  params.check_all_read();
}

TEST(Params, names_what_nobody_asked_for) {
  Params params("task 'x'", "alhpa=0.5", 0);
  params.number("alpha", 0.5, 0, 1);
  expect_error(ErrorCode::unknown_name, "no setting of task 'x' is called 'alhpa'. Did you mean 'alpha'?",
               [&] { params.check_all_read(); });
  const Params none("task 'y'", "n=1", 0);
  expect_error(ErrorCode::unknown_name, "task 'y' has no settings, and was given 'n'", [&] { none.check_all_read(); });
}

TEST(Params, refuses_a_setting_given_twice) {
  expect_error(ErrorCode::bad_value, "task 'x': n is given twice", [] { Params("task 'x'", "n=1,m=2,n=3", 0); });
  expect_error(ErrorCode::bad_value, "file is given twice", [] { Params("task 'x'", "a.json,b.json", 0); });
}

}  // namespace
}  // namespace mercer
