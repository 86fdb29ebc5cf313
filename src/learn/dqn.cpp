#include <algorithm>

#include <fmt/format.h>

#include "learn/dqn_update.hpp"
#include "learn/learner.hpp"
#include "mercer/core/error.hpp"

namespace mercer::learn {
namespace {

class Dqn final : public Learner {
 public:
  Dqn(const DqnOptions& options, std::size_t observations, std::size_t actions, std::uint64_t seed)
      : options_(options),
        seed_(seed),
        observations_(observations),
        actions_(actions),
        update_(observations, actions, options, seed),
        acting_pass_(update_.network(), 1),
        input_(Matrix<float>::Zero(static_cast<Index>(observations), 1)),
        chosen_(options.batch_size) {}

  void explore(std::span<const float> observation, std::uint64_t step, bool first, std::span<float> action) override {
    choose_how(step, first);
    if (held_ != network_) {
      action[0] = held_;
      return;
    }
    std::ranges::copy(observation, input_.data());
    forward<float>(update_.network(), update_.weights.data(), input_, {0, 1}, acting_pass_);
    Index best = 0;
    acting_pass_.output().col(0).maxCoeff(&best);
    action[0] = static_cast<float>(best);
  }

  void update(const Replay& replay) override {
    replay.draw(seed_, update_.count, chosen_);
    for (std::size_t c = 0; c < chosen_.size(); ++c) gather(replay.record(chosen_[c]), c);
    update_.update();
  }

  void exchange(Archive& archive) override {
    archive.network("q", update_.network(), update_.weights);
    archive.network("q_target", update_.network(), update_.target);
    archive.network("adam.q.m", update_.network(), update_.moments.first);
    archive.network("adam.q.v", update_.network(), update_.moments.second);
    archive.count("updates", update_.count);
    archive.numbers("explore.held", std::span(&held_, 1));
  }

 private:
  // Either the network acts or one random action is held, until the choice is made anew.
  void choose_how(std::uint64_t step, bool first) {
    Random random({seed_, Stage::explore, step >> 32, static_cast<std::uint32_t>(step)});
    const bool anew = random.uniform() * options_.epsilon_run < 1;
    if (!anew && !first && step != options_.warmup) return;
    held_ = network_;
    if (random.uniform() >= epsilon(step) && step >= options_.warmup) return;
    const auto drawn = static_cast<std::size_t>(random.uniform() * static_cast<double>(actions_));
    held_ = static_cast<float>(std::min(drawn, actions_ - 1));
  }

  double epsilon(std::uint64_t step) const {
    const double passed = std::min(1.0, static_cast<double>(step) / static_cast<double>(options_.epsilon_steps));
    return options_.epsilon_start + passed * (options_.epsilon_end - options_.epsilon_start);
  }

  void gather(const float* record, std::size_t c) {
    const auto column = static_cast<Index>(c);
    std::copy_n(record, observations_, update_.data.data() + column * update_.data.rows());
    update_.action[c] = static_cast<Index>(record[observations_]);
    std::copy_n(record + observations_ + 1, observations_, update_.next.data() + column * update_.next.rows());
    update_.reward[column] = record[2 * observations_ + 1];
    update_.continues[column] = record[2 * observations_ + 2];
  }

  static constexpr float network_ = -1;  // in the place of an action's number

  DqnOptions options_;
  std::uint64_t seed_;
  std::size_t observations_, actions_;
  DqnUpdate<float> update_;
  Pass<float> acting_pass_;
  Matrix<float> input_;
  float held_ = network_;
  std::vector<std::size_t> chosen_;
};

}  // namespace

std::unique_ptr<Learner> make_dqn(const DqnOptions& options, const Task& task, std::uint64_t seed) {
  if (!task.action.is_discrete()) {
    throw Error(ErrorCode::bad_value, fmt::format("dqn needs discrete actions and task '{}' has a box", task.name),
                "Use sac, or a task with discrete actions");
  }
  return std::make_unique<Dqn>(options, task.observation.dimensions(), task.action.count, seed);
}

std::unique_ptr<Learner> make_learner(const AlgorithmOptions& options, const Task& task, std::uint64_t seed) {
  check_options(options);
  if (const auto* sac = std::get_if<SacOptions>(&options)) return make_sac(*sac, task, seed);
  return make_dqn(std::get<DqnOptions>(options), task, seed);
}

}  // namespace mercer::learn
