#include "learn/dqn.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "learn/learner.hpp"
#include "learn/network.hpp"
#include "mercer/error.hpp"

namespace mercer::learn {

template <class Real>
DqnUpdate<Real>::DqnUpdate(std::size_t observations, std::size_t actions, const DqnOptions& options, std::uint64_t seed)
    : action(options.batch_size),
      weights(initial_weights<Real>(Network(observations, options.hidden, actions), seed, 0)),
      target(weights),
      moments(weights.size()),
      options_(options),
      network_(observations, options.hidden, actions),
      batch_(static_cast<Index>(options.batch_size)),
      pass_(network_, batch_),
      next_pass_(network_, batch_),
      target_pass_(network_, batch_),
      goals_(Vector<Real>::Zero(batch_)) {
  data.setZero(network_.inputs(), batch_);
  next.setZero(network_.inputs(), batch_);
  reward.setZero(batch_);
  continues.setZero(batch_);
  for (Vector<Real>& part : gradients_) part.setZero(network_.size);
}

template <class Real>
void DqnUpdate<Real>::value_next(std::size_t task) {
  const bool online = task == 0;
  if (online && !options_.double_q) return;
  forward<Real>(network_, online ? weights.data() : target.data(), next, {0, batch_},
                online ? next_pass_ : target_pass_);
}

template <class Real>
void DqnUpdate<Real>::set_goals() {
  const Matrix<Real>& choosing = (options_.double_q ? next_pass_ : target_pass_).output();
  const auto gamma = static_cast<Real>(options_.gamma);
  for (Index c = 0; c < batch_; ++c) {
    Index best = 0;
    choosing.col(c).maxCoeff(&best);
    goals_[c] = reward[c] + gamma * continues[c] * target_pass_.output()(best, c);
  }
}

template <class Real>
void DqnUpdate<Real>::gradient(std::size_t half) {
  const Columns columns = half_of(batch_, half);
  forward<Real>(network_, weights.data(), data, columns, pass_);
  for (Index c = columns.begin; c < columns.begin + columns.count; ++c) {
    const Index a = action[static_cast<std::size_t>(c)];
    const Real miss = pass_.output()(a, c) - goals_[c];
    pass_.output_delta().col(c).setZero();
    pass_.output_delta()(a, c) = std::clamp(miss, Real{-1}, Real{1}) / static_cast<Real>(batch_);
  }
  backward<Real>(network_, weights.data(), data, columns, pass_, gradients_[half].data());
}

template <class Real>
Real DqnUpdate<Real>::loss() const {
  Real sum = 0;
  for (Index c = 0; c < batch_; ++c) {
    const Real miss = std::abs(pass_.output()(action[static_cast<std::size_t>(c)], c) - goals_[c]);
    sum += miss <= 1 ? miss * miss / 2 : miss - Real{0.5};
  }
  return sum / static_cast<Real>(batch_);
}

template <class Real>
void DqnUpdate<Real>::step() {
  gradients_[0] += gradients_[1];
  const Real length = gradients_[0].norm();
  const auto most = static_cast<Real>(options_.max_gradient_norm);
  if (length > most) gradients_[0] *= most / length;
  ++count;
  adam(AdamStep<Real>(learning_rate(options_, count), count), gradients_[0], moments, weights, 0, weights.size());
  if (count % options_.target_every == 0) target = weights;
}

template <class Real>
void DqnUpdate<Real>::update() {
  both([this](std::size_t task) { value_next(task); });
  set_goals();
  both([this](std::size_t half) { gradient(half); });
  step();
}

template class DqnUpdate<float>;
template class DqnUpdate<double>;

}  // namespace mercer::learn

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

  void exchange_actor(Archive& archive) override { archive.network("q", update_.network(), update_.weights); }
  void exchange(Archive& archive) override {
    exchange_actor(archive);
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

}  // namespace mercer::learn
