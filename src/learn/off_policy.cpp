#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "learn/learner.hpp"
#include "learn/trainer.hpp"
#include "mercer/error.hpp"
#include "mercer/policy.hpp"

namespace mercer::learn {
namespace {

MatrixView<double> column(std::vector<double>& numbers) { return {numbers.data(), numbers.size(), 1}; }

std::unique_ptr<Learner> make_learner(const AlgorithmOptions& options, const Task& task, std::uint64_t seed) {
  if (const auto* sac = std::get_if<SacOptions>(&options)) return make_sac(*sac, task, seed);
  return make_dqn(std::get<DqnOptions>(options), task, seed);
}

// Learning from replayed steps: the episode that is being played, what was seen, what was learned.
class OffPolicy final : public Trainer {
 public:
  OffPolicy(const Env& env, const TrainOptions& options);

  std::uint64_t step() const override { return step_; }
  void advance() override;
  void exchange(Archive& archive) override;
  void exchange_learned(Archive& archive) override { learner_->exchange(archive); }
  void exchange_actor(Archive& archive) override { learner_->exchange_actor(archive); }
  void describe(nlohmann::ordered_json& manifest) const override {
    manifest["replay"] = {{"cursor", replay_.cursor()}, {"size", replay_.size()}};
  }

 private:
  void start_episode();
  void observe(std::span<float> observation);
  void exchange_replay(Archive& archive);

  const Env& env_;
  const LearnOptions options_;
  std::uint64_t seed_;
  Normalisation normalisation_;
  std::unique_ptr<Learner> learner_;
  Replay replay_;

  std::uint64_t step_ = 0;
  std::uint64_t episode_ = 0;
  std::uint64_t episode_step_ = 0;
  double earned_ = 0;                          // in this episode
  std::vector<double> state_, played_, seen_;  // a column of the task, an action, an observation
  std::vector<float> observation_, action_, next_;
};

OffPolicy::OffPolicy(const Env& env, const TrainOptions& options)
    : env_(env),
      options_(*learn_options(options.algorithm)),
      seed_(options.seed),
      normalisation_(learned_contract(env.task(), options.algorithm).normalisation),
      learner_(make_learner(options.algorithm, env.task(), options.seed)),
      replay_(env.task().observation.dimensions(), env.task().action.dimensions(), options_.buffer, options.steps),
      state_(env.rows()),
      played_(env.task().action.dimensions()),
      seen_(env.task().observation.dimensions()),
      observation_(seen_.size()),
      action_(played_.size()),
      next_(seen_.size()) {
  start_episode();
}

void OffPolicy::start_episode() {
  const std::uint64_t item = first_episode + episode_;
  env_.reset({seed_, Stage::start, 0, std::span(&item, 1)}, column(state_));
  episode_step_ = 0;
  earned_ = 0;
  observe(observation_);
}

void OffPolicy::observe(std::span<float> observation) {
  env_.observe(column(state_), column(seen_));
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    observation[i] = static_cast<float>(normalisation_.empty() ? seen_[i] : normalisation_.apply(i, seen_[i]));
  }
}

void OffPolicy::advance() {
  learner_->explore(observation_, step_, episode_step_ == 0, action_);
  const Space& space = env_.task().action;
  for (std::size_t i = 0; i < action_.size(); ++i) {
    if (!std::isfinite(action_[i])) {
      throw Error(ErrorCode::not_finite, fmt::format("after {} steps the policy chose action {}", step_, action_[i]),
                  "The weights have grown beyond all bounds: use a smaller --learning-rate");
    }
    const auto [low, high] = space.axes[i].range;
    const double a = action_[i];
    played_[i] = space.is_discrete() ? a : (low + high) / 2 + (high - low) / 2 * a;
  }
  const std::uint64_t item = first_episode + episode_;
  double reward = 0;
  std::uint8_t terminated = StepEnd::none;
  env_.step(column(state_), column(played_),
            {seed_, Stage::transition, static_cast<std::uint32_t>(episode_step_), std::span(&item, 1)},
            std::span(&reward, 1), std::span(&terminated, 1));
  if (!std::isfinite(reward)) {
    throw Error(ErrorCode::not_finite,
                fmt::format("step {} of task '{}' has reward {}", step_, env_.task().name, reward),
                "Check the rewards of the task");
  }
  observe(next_);
  replay_.add(observation_, action_, next_, static_cast<float>(reward), terminated != StepEnd::none);
  ++step_;
  ++episode_step_;
  earned_ += reward;
  if (terminated != StepEnd::none || episode_step_ >= env_.task().time_limit) {
    episodes_.count(terminated, earned_);
    ++episode_;
    start_episode();
  } else {
    observation_.swap(next_);
  }
  if (step_ >= options_.warmup && step_ % options_.train_every == 0) {
    for (std::size_t i = 0; i < options_.updates; ++i) learner_->update(replay_);
  }
}

void OffPolicy::exchange(Archive& archive) {
  learner_->exchange(archive);
  archive.count("run.step", step_);
  archive.count("run.episode", episode_);
  archive.count("run.episode_step", episode_step_);
  archive.numbers("run.state", std::span(state_));
  exchange_replay(archive);
  if (!archive.filling()) return;
  observe(observation_);
  if (episode_step_ > 0) earned_ = std::numeric_limits<double>::quiet_NaN();  // nobody stored what came before
}

void OffPolicy::exchange_replay(Archive& archive) {
  std::uint64_t cursor = replay_.cursor();
  archive.count("replay.cursor", cursor);
  if (!archive.filling()) return archive.add_rows("replay.steps", replay_.numbers(), replay_.width());
  const std::vector<float> numbers = archive.rows("replay.steps", replay_.width());
  if (numbers.size() > options_.buffer * replay_.width() || cursor != step_ % options_.buffer) {
    throw Error(ErrorCode::bad_format, fmt::format("'{}' holds no steps that fit this run", archive.where()),
                "Use --force to begin again, or another --out");
  }
  replay_.restore(numbers, cursor);
}

}  // namespace

void Trainer::describe(nlohmann::ordered_json& /*manifest*/) const {}

std::unique_ptr<Trainer> make_trainer(const Env& env, const TrainOptions& options) {
  check_options(options.algorithm);
  if (const auto* ars = std::get_if<ArsOptions>(&options.algorithm)) return make_search(env, *ars, options.seed);
  return std::make_unique<OffPolicy>(env, options);
}

}  // namespace mercer::learn
