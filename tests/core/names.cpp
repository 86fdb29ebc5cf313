#include "mercer/names.hpp"

#include <gtest/gtest.h>

#include "support/errors.hpp"

namespace mercer {

enum class Fruit { apple, blood_orange };
template <>
struct Names<Fruit> {
  static constexpr std::string_view kind = "fruit";
  static constexpr Spelling<Fruit> table[] = {{Fruit::apple, "apple"},
                                              {Fruit::blood_orange, "blood_orange", "blood orange"}};
};

enum class Width { w8, w16 };
template <>
struct Names<Width> {
  static constexpr std::string_view kind = "width";
  static constexpr bool numbered = true;
  static constexpr Spelling<Width> table[] = {{Width::w8, "w8"}, {Width::w16, "w16"}};
};

namespace {

TEST(Names, lead_to_codes_and_back) {
  EXPECT_EQ(name(Fruit::blood_orange), "blood_orange");
  EXPECT_EQ(parse<Fruit>("blood_orange"), Fruit::blood_orange);
  EXPECT_EQ(names<Fruit>(), (std::vector<std::string>{"apple", "blood_orange"}));
  for (const Spelling<Fruit>& row : Names<Fruit>::table) EXPECT_EQ(parse<Fruit>(name(row.value)), row.value);
}

TEST(Names, read_the_other_spelling_too) {
  EXPECT_EQ(parse<Fruit>("blood orange"), Fruit::blood_orange);
  EXPECT_FALSE(find_name<Fruit>(""));
  EXPECT_FALSE(find_name<Fruit>("Apple"));
}

TEST(Names, suggest_the_nearest_code_unless_only_numbers_differ) {
  expect_error(ErrorCode::unknown_name, "no fruit is called 'aple'. Did you mean 'apple'?",
               [] { parse<Fruit>("aple"); });
  expect_error(ErrorCode::unknown_name, "Known: w8, w16", [] { parse<Width>("w9"); });
}

}  // namespace
}  // namespace mercer
