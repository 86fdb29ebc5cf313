#include <fmt/format.h>

#include "mercer/error.hpp"
#include "mercer/rollout.hpp"
#include "rollout/files.hpp"

namespace mercer {

void append(Rollouts& all, const Rollouts& part) {
  const auto extend = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  const std::int64_t before = all.offsets.back();
  for (std::size_t e = 1; e < part.offsets.size(); ++e) all.offsets.push_back(before + part.offsets[e]);
  extend(all.states, part.states);
  extend(all.observations, part.observations);
  extend(all.actions, part.actions);
  extend(all.rewards, part.rewards);
  extend(all.start_states, part.start_states);
  extend(all.final_observations, part.final_observations);
  extend(all.returns, part.returns);
  extend(all.discounted_returns, part.discounted_returns);
  extend(all.terminated, part.terminated);
}

void check_rollouts_path(const std::filesystem::path& path) {
  if (path.extension() == ".npz" || path.extension() == ".csv") return;
  throw Error(ErrorCode::bad_value, fmt::format("'{}' ends neither in .npz nor in .csv", path.string()),
              "Give the file one of these endings: it says how rollouts are stored");
}

void write_rollouts(const std::filesystem::path& path, const Rollouts& rollouts) {
  check_rollouts_path(path);
  path.extension() == ".npz" ? write_rollouts_npz(path, rollouts) : write_rollouts_csv(path, rollouts);
}

Rollouts read_rollouts(const std::filesystem::path& path, std::optional<double> gamma) {
  check_rollouts_path(path);
  if (gamma) require_in_range("gamma", *gamma, 0, 1, "Give a discount from 0 to 1");
  if (path.extension() == ".csv") return read_rollouts_csv(path, gamma.value_or(0.99));
  Rollouts read = read_rollouts_npz(path);
  if (!gamma || !read.has_steps()) return read;
  read.gamma = *gamma;
  for (std::size_t e = 0; e < read.episodes(); ++e) {
    double discount = 1;
    read.discounted_returns[e] = 0;
    for (auto t = static_cast<std::size_t>(read.offsets[e]); t < static_cast<std::size_t>(read.offsets[e + 1]); ++t) {
      read.discounted_returns[e] += discount * read.rewards[t];
      discount *= *gamma;
    }
  }
  return read;
}

}  // namespace mercer
