// Built-in models against the numbers of the models they stand for: every field of every golden document.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>

#include <gtest/gtest.h>
#include <mujoco/mjxmacro.h>

#include "env/mujoco/built_in.hpp"
#include "env/mujoco/model.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"
#include "support/golden.hpp"

namespace mercer {
namespace {

using nlohmann::json;

template <class Number>
std::vector<double> numbers(const Number* first, int count) {
  return {first, first + count};
}

/// The numbers of a model by the names of mjModel and mjOption.
std::map<std::string, std::vector<double>> numbers_of(const mjModel& m) {
  std::map<std::string, std::vector<double>> all;
#define X(type, name) all[#name] = numbers(&m.opt.name, 1);
  MJOPTION_SCALARS
#undef X
#define X(name, count) all[#name] = numbers(m.opt.name, count);
  MJOPTION_VECTORS
#undef X
#define X(name) all[#name] = numbers(&m.name, 1);
  MJMODEL_INTS
#undef X
#undef MJ_M
#define MJ_M(count) m.count
#define X(type, name, rows, columns) all[#name] = numbers(m.name, m.rows * (columns));
  MJMODEL_POINTERS
#undef X
  return all;
}

std::vector<std::string> names_of(const mjModel& m, mjtObj type, int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) {
    const char* const name = mj_id2name(&m, type, i);
    names.emplace_back(name ? name : "");
  }
  return names;
}

/// Compares what `document` holds with the model; a field that is not known here fails. Gives the largest difference.
double largest_difference(const json& document, const mjModel& m) {
  const auto all = numbers_of(m);
  const std::map<std::string, std::vector<std::string>> names{{"body", names_of(m, mjOBJ_BODY, m.nbody)},
                                                              {"joint", names_of(m, mjOBJ_JOINT, m.njnt)},
                                                              {"geom", names_of(m, mjOBJ_GEOM, m.ngeom)},
                                                              {"site", names_of(m, mjOBJ_SITE, m.nsite)}};
  double largest = 0;
  for (const auto& [field, value] : document.items()) {
    if (field == "names") {
      for (const auto& [kind, wanted] : value.items()) EXPECT_EQ(names.at(kind), wanted) << kind;
      continue;
    }
    if (!all.contains(field)) {
      ADD_FAILURE() << "the test does not know " << field;
      continue;
    }
    const auto wanted = value.is_array() ? value.get<std::vector<double>>() : std::vector{value.get<double>()};
    const std::vector<double>& found = all.at(field);
    EXPECT_EQ(found.size(), wanted.size()) << field;
    for (std::size_t i = 0; i < std::min(found.size(), wanted.size()); ++i) {
      EXPECT_NEAR(found[i], wanted[i], 1e-12) << field << "[" << i << "]";
      largest = std::max(largest, std::abs(found[i] - wanted[i]));
    }
  }
  return largest;
}

class MujocoModels : public testing::TestWithParam<const char*> {};

TEST_P(MujocoModels, compile_to_the_golden_numbers) {
  const std::string name = GetParam();
  std::string file = name;
  std::ranges::replace(file, '-', '_');
  const json document = read_golden("mujoco/" + file + ".model.json");
  EXPECT_GE(document.size(), 50U);
  const double largest = largest_difference(document, *built_in_model(name));
  std::cout << name << ": " << document.size() << " fields, largest difference " << largest << '\n';
}

INSTANTIATE_TEST_SUITE_P(All, MujocoModels,
                         testing::Values("swimmer", "hopper", "walker2d", "half-cheetah", "ant",
                                         "inverted-double-pendulum", "reacher"));

TEST(MujocoModel, is_compiled_once_and_shared) {
  EXPECT_EQ(built_in_model("hopper"), built_in_model("hopper"));
  EXPECT_NE(built_in_model("hopper"), built_in_model("ant"));
}

TEST(MujocoModel, unknown_names_are_refused) {
  expect_error(ErrorCode::unknown_name, "'hoper.xml'. Did you mean 'hopper.xml'?", [] { built_in_model("hoper"); });
  expect_error(ErrorCode::unknown_name, "'hopper'", [] { built_in_text("hopper"); });
}

TEST(MujocoModel, text_is_that_of_the_file) {
  for (const BuiltInFile& file : built_in_files()) {
    const std::string text =
        read_bytes(std::string(MERCER_TEST_DATA) + "/../../src/env/mujoco/models/" + std::string(file.name));
    EXPECT_FALSE(text.empty()) << file.name;
    EXPECT_EQ(file.text, text);
  }
}

}  // namespace
}  // namespace mercer
