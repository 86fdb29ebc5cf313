#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "learn/learner.hpp"
#include "learn/trainer.hpp"
#include "mercer/error.hpp"
#include "mercer/parallel.hpp"

namespace mercer::learn {
namespace {

using Eigen::Index;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Mean and sum of squared deviations of each observation, over `count` of them.
struct Statistics {
  explicit Statistics(Index size) : mean(Eigen::VectorXd::Zero(size)), squares(Eigen::VectorXd::Zero(size)) {}

  void add(const Eigen::VectorXd& observation) {
    ++count;
    const Eigen::VectorXd deviation = observation - mean;
    mean += deviation / static_cast<double>(count);
    squares.array() += deviation.array() * (observation - mean).array();
  }
  void add(const Statistics& other) {
    if (other.count == 0) return;
    const auto own = static_cast<double>(count), more = static_cast<double>(other.count);
    const Eigen::VectorXd deviation = other.mean - mean;
    mean += deviation * (more / (own + more));
    squares.array() += other.squares.array() + deviation.array().square() * (own * more / (own + more));
    count += other.count;
  }
  // One over the standard deviation; 0 for an observation that never changes, which so is left out.
  Eigen::VectorXd scale() const {
    if (count < 2) return Eigen::VectorXd::Ones(mean.size());
    const Eigen::ArrayXd deviation = (squares.array() / static_cast<double>(count - 1)).sqrt();
    return (deviation > 1e-7).select(1 / deviation.max(1e-7), 0.0);
  }

  std::uint64_t count = 0;
  Eigen::VectorXd mean, squares;
};

// actions = weights * observation + offset, of [-1, 1] where they are not clipped.
struct Affine {
  RowMajor weights;
  Eigen::VectorXd offset;
};

struct Episode {
  explicit Episode(Index observations) : seen(observations) {}
  double sum = 0;
  std::uint8_t end = StepEnd::none;
  Statistics seen;
};

class Search final : public Trainer {
 public:
  Search(const Env& env, const ArsOptions& options, std::uint64_t seed)
      : env_(env),
        options_(options),
        seed_(seed),
        weights_(RowMajor::Zero(static_cast<Index>(env.task().action.dimensions()),
                                static_cast<Index>(env.task().observation.dimensions()))),
        seen_(weights_.cols()) {}

  std::uint64_t step() const override { return step_; }

  void advance() override {
    const std::vector<RowMajor> directions = draw_directions();
    std::vector<Episode> episodes(2 * directions.size(), Episode(weights_.cols()));
    for_each_block(episodes.size(), 1, [&](Block block) {
      const std::size_t direction = block.index / 2;
      const double sign = block.index % 2 == 0 ? options_.noise : -options_.noise;
      play(folded(weights_ + sign * directions[direction]), direction, episodes[block.index]);
    });
    move(directions, episodes);
    for (const Episode& episode : episodes) {
      seen_.add(episode.seen);
      step_ += episode.seen.count;
      episodes_.count(episode.end, episode.sum + options_.reward_shift * static_cast<double>(episode.seen.count));
    }
    ++iteration_;
  }

  void exchange(Archive& archive) override {
    archive.count("run.step", step_);
    archive.count("run.iteration", iteration_);
    archive.numbers("ars.weights", std::span(weights_.data(), static_cast<std::size_t>(weights_.size())));
    archive.count("ars.seen.count", seen_.count);
    archive.numbers("ars.seen.mean", std::span(seen_.mean.data(), static_cast<std::size_t>(seen_.mean.size())));
    archive.numbers("ars.seen.squares",
                    std::span(seen_.squares.data(), static_cast<std::size_t>(seen_.squares.size())));
  }
  void exchange_learned(Archive& archive) override { exchange_actor(archive); }
  // The normalisation is part of the weights, so that the file is that of any linear policy.
  void exchange_actor(Archive& archive) override {
    const Affine policy = folded(weights_);
    const Network network(static_cast<std::size_t>(weights_.cols()), {}, static_cast<std::size_t>(weights_.rows()));
    Vector<float> numbers = Vector<float>::Zero(network.size);
    Eigen::Map<Matrix<float>>(numbers.data() + network.layers[0].weight, weights_.rows(), weights_.cols()) =
        policy.weights.cast<float>();
    numbers.segment(network.layers[0].bias, weights_.rows()) = policy.offset.cast<float>();
    archive.network("actor", network, numbers);
  }

 private:
  std::vector<RowMajor> draw_directions() const {
    std::vector<RowMajor> directions(options_.directions, RowMajor(weights_.rows(), weights_.cols()));
    for (std::size_t d = 0; d < directions.size(); ++d) {
      Random random({seed_, Stage::explore, number_of(d), 0});
      for (double& number : directions[d].reshaped<Eigen::RowMajor>()) number = random.normal();
    }
    return directions;
  }
  std::uint64_t number_of(std::size_t direction) const { return iteration_ * options_.directions + direction; }

  // The policy on observations as they are.
  Affine folded(const RowMajor& weights) const {
    Affine policy{weights * seen_.scale().asDiagonal(), {}};
    policy.offset = -(policy.weights * seen_.mean);
    return policy;
  }

  // Both episodes of a direction have the same start and the same noise.
  void play(const Affine& policy, std::size_t direction, Episode& episode) const {
    const Task& task = env_.task();
    std::vector<double> state(env_.rows());
    Eigen::VectorXd observation(weights_.cols()), action(weights_.rows());
    const MatrixView<double> column(state.data(), state.size(), 1);
    const std::uint64_t item = first_episode + number_of(direction);
    env_.reset({seed_, Stage::start, 0, std::span(&item, 1)}, column);
    for (std::uint32_t step = 0; step < task.time_limit && episode.end == StepEnd::none; ++step) {
      env_.observe(column, {observation.data(), static_cast<std::size_t>(observation.size()), 1});
      episode.seen.add(observation);
      action.noalias() = policy.weights * observation;
      action += policy.offset;
      for (Index i = 0; i < action.size(); ++i) {
        const Range range = task.action.axes[static_cast<std::size_t>(i)].range;
        const double inside = std::clamp(action[i], -1.0, 1.0);
        action[i] = (range.low + range.high) / 2 + range.width() / 2 * inside;
      }
      double reward = 0;
      env_.step(column, {action.data(), static_cast<std::size_t>(action.size()), 1},
                {seed_, Stage::transition, step, std::span(&item, 1)}, std::span(&reward, 1),
                std::span(&episode.end, 1));
      episode.sum += reward - options_.reward_shift;
    }
    if (std::isfinite(episode.sum)) return;
    throw Error(
        ErrorCode::not_finite,
        fmt::format("in iteration {} an episode of task '{}' has return {}", iteration_, task.name, episode.sum),
        "Check the rewards of the task, or use a smaller --step-size");
  }

  void move(const std::vector<RowMajor>& directions, const std::vector<Episode>& episodes) {
    const auto best_of = [&](std::size_t d) { return std::max(episodes[2 * d].sum, episodes[2 * d + 1].sum); };
    std::vector<std::size_t> order(directions.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return best_of(a) > best_of(b); });
    order.resize(options_.best);
    Statistics returns(1);
    RowMajor gradient = RowMajor::Zero(weights_.rows(), weights_.cols());
    for (const std::size_t d : order) {
      for (const std::size_t e : {2 * d, 2 * d + 1}) returns.add(Eigen::VectorXd::Constant(1, episodes[e].sum));
      gradient += (episodes[2 * d].sum - episodes[2 * d + 1].sum) * directions[d];
    }
    const double spread = std::sqrt(returns.squares[0] / static_cast<double>(returns.count));
    if (spread > 0) weights_ += options_.step_size / (static_cast<double>(options_.best) * spread) * gradient;
  }

  const Env& env_;
  ArsOptions options_;
  std::uint64_t seed_;
  std::uint64_t step_ = 0;
  std::uint64_t iteration_ = 0;
  RowMajor weights_;
  Statistics seen_;
};

}  // namespace

std::unique_ptr<Trainer> make_search(const Env& env, const ArsOptions& options, std::uint64_t seed) {
  require_bounded_actions(env.task(), "ars");
  return std::make_unique<Search>(env, options, seed);
}

}  // namespace mercer::learn
