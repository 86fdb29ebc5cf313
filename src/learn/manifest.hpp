#pragma once

#include <nlohmann/json.hpp>

#include "mercer/env.hpp"
#include "mercer/policy.hpp"
#include "mercer/train.hpp"

namespace mercer::learn {

/// What a policy trained with these options expects and does: the normalisation of observations, tanh over the action
/// box.
Contract learned_contract(const Task& task, const LearnOptions& options);

/// Everything that the weights of a run depend on: task and its contract, seed, algorithm and its options. Not the
/// number of steps, so that a run can be made longer.
nlohmann::ordered_json configuration(const Task& task, const TrainOptions& options);

/// 16 hexadecimal digits that tell configurations apart (FNV-1a of the text).
std::string hash_of(const nlohmann::ordered_json& configuration);

/// Where two configurations differ, as "options.gamma 0.99 and 0.9", at most three places.
std::string differences(const nlohmann::ordered_json& old, const nlohmann::ordered_json& now);

/// The document a snapshot carries: the configuration, the step, and what a policy needs to be played.
nlohmann::ordered_json manifest(const nlohmann::ordered_json& configuration, std::uint64_t step, std::size_t cursor,
                                std::size_t size);

}  // namespace mercer::learn
