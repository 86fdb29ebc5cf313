#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/policy.hpp"

namespace mercer {

/// A linear layer: y = weight x + bias.
struct DenseLayer {
  std::size_t inputs = 0, outputs = 0;
  std::vector<double> weight;  ///< row-major, one row for each output
  std::vector<double> bias;    ///< one for each output
};

/// Critics of a teacher: perceptrons of one shape with max(x, 0) between their layers, from the normalised observation
/// above the action to one value: the discounted sum of rewards as the task gives them (of SAC and TQC with a bonus for
/// entropy). Actions of the task's bounds count from -1 to 1. Every number is finite, also in single precision.
struct DenseCritics {
  std::vector<std::vector<DenseLayer>> networks;  ///< 1 to 16, each with a layer or more
  Normalisation normalisation;                    ///< of the observation: that of the policy
  std::optional<double> gamma;                    ///< discount that they were trained with, (0, 1], where it is stored
};

/// Reads the critics that a file holds beside its policy, to tune a student by actor-critic: of agents of
/// Stable-Baselines3 (.zip) by SAC, TD3, DDPG and TQC (the mean of its quantiles); of SAC, TD3 and DDPG of CleanRL
/// where the file holds (actor, qf1, qf2); of snapshots of `mercer train` by SAC. policy.safetensors of a run has none
/// of its own: those of the snapshot beside it with the same actor are read.
///
/// `spec` and `overrides` as for `make_policy`, `contract` that of the policy which it makes of them. Without usable
/// critics the result is empty, and `why`, if given, becomes the reason: the file holds none, another activation than
/// ReLU, layers that are not linear, sizes that do not fit the contract, numbers that are not finite, a file that
/// cannot be read. Never throws `Error`.
std::optional<DenseCritics> read_dense_critics(std::string_view spec, const Contract& contract,
                                               const std::vector<PolicySetting>& overrides = {},
                                               std::string* why = nullptr);

}  // namespace mercer
