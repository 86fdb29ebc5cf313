#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "mercer/policy.hpp"
#include "policy/agents/spaces.hpp"

namespace mercer {

/// The statistics of a file that VecNormalize.save wrote (.pkl), or of an .npz with the arrays mean (or obs_mean) and
/// var (or obs_var, variance), and epsilon and clip_obs where they differ from VecNormalize's defaults. Empty where
/// VecNormalize does not normalise observations. `parts` are those of a dictionary, in the order of the result.
///
/// Throws `bad_format` for other files, `corrupt_file` for damage, `shape_mismatch` unless there are `observations` of
/// them.
Normalisation read_normaliser(const std::filesystem::path& path, std::size_t observations,
                              const std::vector<ObservationPart>& parts = {});

/// The same of a pickle in memory; `where` names it in errors.
Normalisation parse_normaliser(std::span<const std::byte> bytes, const std::string& where, std::size_t observations,
                               const std::vector<ObservationPart>& parts = {});

/// What VecNormalize divides rewards by, sqrt(variance of returns + epsilon), by the same file; 1 where it does not
/// normalise rewards, and of an .npz. Throws as `read_normaliser` does.
double read_reward_unit(const std::filesystem::path& path);

/// Where the normaliser of an agent is looked for: vecnormalize.pkl in the folder with the agent's own name, then
/// beside the agent.
std::vector<std::filesystem::path> normaliser_places(const std::filesystem::path& agent);

}  // namespace mercer
