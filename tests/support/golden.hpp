#pragma once

#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace mercer {

/// A document of tests/data/golden.
inline nlohmann::json read_golden(const std::string& name) {
  std::ifstream in(std::string(MERCER_TEST_DATA) + "/golden/" + name);
  EXPECT_TRUE(in) << "cannot open tests/data/golden/" << name;
  return nlohmann::json::parse(in);
}

/// An episode that Gymnasium 0.29.1 played: obs[0] before the first step, obs[k+1] and rewards[k] after actions[k].
struct GoldenEpisode {
  explicit GoldenEpisode(const std::string& name) {
    const nlohmann::json document = read_golden("env/" + name + ".json");
    document.at("initial_state").get_to(initial_state);
    document.at("actions").get_to(actions);
    document.at("rewards").get_to(rewards);
    document.at("obs").get_to(obs);
    if (document.contains("states")) document["states"].get_to(states);
    terminates = !document.at("terminated_at").is_null();
    last_step = document[terminates ? "terminated_at" : "truncated_at"].get<std::size_t>();
  }

  std::vector<double> initial_state, actions, rewards;
  std::vector<std::vector<double>> obs;
  std::vector<std::vector<double>> states;  ///< only where they are not the observation
  std::size_t last_step = 0;
  bool terminates = false;  ///< false: cut off by the time limit
};

/// A golden Markov decision process (tests/data/golden/theory/mdp_*.json) in the format that Mercer reads.
inline nlohmann::json golden_mdp(const nlohmann::json& golden) {
  return {
      {"P", golden.at("P_s_a_sprime")}, {"r", golden.at("r")}, {"mu", golden.at("mu")}, {"gamma", golden.at("gamma")}};
}

}  // namespace mercer
