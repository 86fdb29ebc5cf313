#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mercer/error.hpp"
#include "support/errors.hpp"

namespace mercer {
namespace {

// The definition, read off without a table: the cheapest first move, then the rest. A swapped pair is not edited again.
std::size_t brute_force_distance(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return a.size() + b.size();
  std::size_t best = brute_force_distance(a.substr(1), b.substr(1)) + (a[0] == b[0] ? 0 : 1);
  best = std::min(best, brute_force_distance(a.substr(1), b) + 1);
  best = std::min(best, brute_force_distance(a, b.substr(1)) + 1);
  const bool swapped = a.size() > 1 && b.size() > 1 && a[0] == b[1] && a[1] == b[0];
  if (swapped) best = std::min(best, brute_force_distance(a.substr(2), b.substr(2)) + 1);
  return best;
}

// All words of up to `length` letters out of a, b, c: 1 + 3 + 9 + ... of them.
std::vector<std::string> all_words(std::size_t length) {
  std::vector<std::string> words{""};
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].size() == length) break;
    for (const char letter : {'a', 'b', 'c'}) words.push_back(words[i] + letter);
  }
  return words;
}

TEST(EditDistance, equals_brute_force_for_all_short_words) {
  const std::vector<std::string> words = all_words(4);
  ASSERT_EQ(words.size(), 121U);  // 1 + 3 + 9 + 27 + 81
  for (const std::string& a : words) {
    for (const std::string& b : words) ASSERT_EQ(edit_distance(a, b), brute_force_distance(a, b)) << a << " " << b;
  }
}

TEST(EditDistance, counts_each_kind_of_slip_once) {
  EXPECT_EQ(edit_distance("pendulum", "pendulum"), 0U);
  EXPECT_EQ(edit_distance("pendlum", "pendulum"), 1U);    // one left out
  EXPECT_EQ(edit_distance("penndulum", "pendulum"), 1U);  // one too many
  EXPECT_EQ(edit_distance("pendulun", "pendulum"), 1U);   // one wrong
  EXPECT_EQ(edit_distance("pednulum", "pendulum"), 1U);   // neighbours swapped
  EXPECT_EQ(edit_distance("", "pendulum"), 8U);
  EXPECT_EQ(edit_distance("pendulum", ""), 8U);
}

const std::vector<std::string> tasks{"cart-pole", "mountain-car", "pendulum", "turntable"};

TEST(NearestName, of_names_as_near_takes_the_one_that_begins_like_it) {
  const std::vector<std::string> cores{"cortex-m0", "cortex-m4f", "cortex-m33", "rv32imc"};
  EXPECT_EQ(nearest_name("cortex-m4", cores), "cortex-m4f");
  EXPECT_EQ(nearest_name("cortex-m3", cores), "cortex-m33");
  EXPECT_EQ(nearest_name("cortex-m1", cores), "cortex-m0");  // as long a beginning: the first
}

TEST(NearestName, finds_the_name_behind_a_slip) {
  EXPECT_EQ(nearest_name("pendulun", tasks), "pendulum");
  EXPECT_EQ(nearest_name("pednulum", tasks), "pendulum");
  EXPECT_EQ(nearest_name("cartpole", tasks), "cart-pole");
  EXPECT_EQ(nearest_name("mountain_car", tasks), "mountain-car");
  EXPECT_EQ(nearest_name("turn-table", tasks), "turntable");
}

TEST(NearestName, takes_the_closest_and_the_first_of_equals) {
  const std::vector<std::string> known{"steps", "step", "stop"};
  EXPECT_EQ(nearest_name("step", known), "step");
  EXPECT_EQ(nearest_name("stepp", known), "steps");  // "steps" and "step" are both one away
}

TEST(NearestName, is_empty_when_nothing_is_near) {
  EXPECT_EQ(nearest_name("acrobot", tasks), "");
  EXPECT_EQ(nearest_name("pendulum", {}), "");
  EXPECT_EQ(nearest_name("rust", std::vector<std::string>{"c", "st"}), "");  // two letters wrong are all of "st"
  // Long names may be a third wrong: four of twelve letters, not five.
  EXPECT_EQ(nearest_name("XXXXtain-car", tasks), "mountain-car");
  EXPECT_EQ(nearest_name("XXXXXain-car", tasks), "");
}

TEST(ThrowUnknown, names_the_nearest) {
  try {
    throw_unknown("task", "pendulun", tasks);
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "E201: no task is called 'pendulun'. Did you mean 'pendulum'?");
  }
}

TEST(ThrowUnknown, names_all_when_none_is_near) {
  try {
    throw_unknown("task", "acrobot", tasks);
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "E201: no task is called 'acrobot'. Known: cart-pole, mountain-car, pendulum, turntable.");
  }
}

}  // namespace
}  // namespace mercer
