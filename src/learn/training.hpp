#pragma once

#include <nlohmann/json.hpp>

#include "learn/learner.hpp"
#include "learn/run_folder.hpp"
#include "mercer/policy.hpp"
#include "mercer/train.hpp"

namespace mercer::learn {

/// A run between two steps: the episode that is being played, what was seen, what was learned.
class Training {
 public:
  Training(const Env& env, const TrainOptions& options, nlohmann::ordered_json configuration);

  std::uint64_t step() const { return step_; }
  /// Plays one step and learns from it.
  void advance();

  void write_snapshot(const std::filesystem::path& path);
  void write_checkpoint(const std::filesystem::path& path);
  void read_checkpoint(const std::filesystem::path& path);

 private:
  void start_episode();
  void observe(std::span<float> observation);
  void exchange(Archive& archive);

  const Env& env_;
  const LearnOptions& options_;
  nlohmann::ordered_json configuration_;
  std::uint64_t seed_;
  Normalisation normalisation_;
  std::unique_ptr<Learner> learner_;
  Replay replay_;

  std::uint64_t step_ = 0;
  std::uint64_t episode_ = 0;
  std::uint64_t episode_step_ = 0;
  std::vector<double> state_, played_, seen_;
  std::vector<float> observation_, action_, next_;
};

}  // namespace mercer::learn
