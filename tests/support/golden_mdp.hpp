#pragma once

#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "mercer/env.hpp"

namespace mercer {

/// A document of tests/data/golden/theory.
inline nlohmann::json read_theory(const std::string& name) {
  std::ifstream in(std::string(MERCER_TEST_DATA) + "/golden/theory/" + name + ".json");
  EXPECT_TRUE(in) << "cannot open tests/data/golden/theory/" << name << ".json";
  return nlohmann::json::parse(in);
}

/// Numbers of a nested list, one after the other.
inline std::vector<double> flat(const nlohmann::json& list) {
  if (list.is_number()) return {list.get<double>()};
  std::vector<double> all;
  for (const nlohmann::json& part : list) {
    const std::vector<double> numbers = flat(part);
    all.insert(all.end(), numbers.begin(), numbers.end());
  }
  return all;
}

inline const std::vector<std::string> golden_mdps{"mdp_101_n3_m2",  "mdp_102_n5_m3", "mdp_103_n8_m4", "mdp_104_n12_m5",
                                                  "mdp_105_n20_m3", "mdp_106_n4_m2", "mdp_107_n6_m5"};

inline TabularMdp theory_mdp(const nlohmann::json& golden) {
  TabularMdp mdp;
  mdp.P = flat(golden.at(golden.contains("P") ? "P" : "P_s_a_sprime"));
  mdp.r = flat(golden.at("r"));
  mdp.mu = flat(golden.at("mu"));
  mdp.n = mdp.mu.size();
  mdp.m = mdp.r.size() / mdp.n;
  mdp.gamma = golden.at("gamma").get<double>();
  return mdp;
}

/// Within 1e-9 of the golden value (or `relative`), and 1e-10 in absolute terms.
inline void expect_golden(double value, const nlohmann::json& golden, const std::string& what, double relative = 1e-9) {
  const double expected = golden.get<double>();
  EXPECT_NEAR(value, expected, relative * std::abs(expected) + 1e-10) << what;
}

inline void expect_golden(const std::vector<double>& values, const nlohmann::json& golden, const std::string& what,
                          double relative = 1e-9) {
  const std::vector<double> expected = flat(golden);
  ASSERT_EQ(values.size(), expected.size()) << what;
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(values[i], expected[i], relative * std::abs(expected[i]) + 1e-10) << what << "[" << i << "]";
  }
}

}  // namespace mercer
