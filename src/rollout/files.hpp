#pragma once

#include "mercer/rollout.hpp"

namespace mercer {

void write_rollouts_npz(const std::filesystem::path& path, const Rollouts& rollouts);
Rollouts read_rollouts_npz(const std::filesystem::path& path);

void write_rollouts_csv(const std::filesystem::path& path, const Rollouts& rollouts);
Rollouts read_rollouts_csv(const std::filesystem::path& path, double gamma);

}  // namespace mercer
