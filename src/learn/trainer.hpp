#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>

#include <nlohmann/json.hpp>

#include "learn/run_folder.hpp"
#include "mercer/env.hpp"
#include "mercer/train.hpp"

namespace mercer::learn {

/// Episodes of training are numbered from here on, so that they share no start state and no noise with rollouts of the
/// same seed: a policy is not judged on what it was trained on.
inline constexpr std::uint64_t first_episode = std::uint64_t{1} << 40;

/// A run of training between two of its steps. Everything random is keyed, so that what `exchange` writes is all there
/// is to remember.
class Trainer {
 public:
  virtual ~Trainer() = default;

  /// Steps played so far.
  virtual std::uint64_t step() const = 0;
  /// Plays on, a step or more, and learns from it.
  virtual void advance() = 0;

  /// All state of the run.
  virtual void exchange(Archive& archive) = 0;
  /// What a snapshot holds.
  virtual void exchange_learned(Archive& archive) = 0;
  /// Of that what acts.
  virtual void exchange_actor(Archive& archive) = 0;
  /// Adds to the document of a snapshot.
  virtual void describe(nlohmann::ordered_json& manifest) const;

  /// Episodes that ended since the trainer was made, those among them in which the simulator failed, those that were
  /// seen from their start, and the mean return of the last 20 or so of these.
  struct Episodes {
    std::size_t ended = 0, broken = 0, whole = 0;
    double recent = 0;

    void count(std::uint8_t end, double earned) {
      ++ended;
      if (end == StepEnd::broken) ++broken;
      if (std::isnan(earned)) return;
      ++whole;
      recent += (earned - recent) / static_cast<double>(std::min<std::size_t>(whole, 20));
    }
  };
  const Episodes& episodes() const { return episodes_; }

 protected:
  Episodes episodes_;
};

/// Throws `out_of_range` for options outside their range, `bad_value` for a task that the algorithm cannot learn.
std::unique_ptr<Trainer> make_trainer(const Env& env, const TrainOptions& options);

std::unique_ptr<Trainer> make_search(const Env& env, const ArsOptions& options, std::uint64_t seed);

}  // namespace mercer::learn
