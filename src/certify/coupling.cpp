#include "certify/coupling.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "mercer/embedding.hpp"
#include "mercer/error.hpp"
#include "mercer/parallel.hpp"
#include "mercer/statistics.hpp"

namespace mercer {
namespace {

constexpr std::size_t block_size = 1024;

// Rows of observations or actions as columns, the way policies take them.
class Columns {
 public:
  Columns(std::span<const double> rows, std::size_t dimensions, std::size_t begin, std::size_t count)
      : numbers_(dimensions * count), view_(numbers_.data(), dimensions, count) {
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t d = 0; d < dimensions; ++d) view_(d, i) = rows[(begin + i) * dimensions + d];
    }
  }
  MatrixView<const double> view() const { return view_; }

 private:
  std::vector<double> numbers_;
  MatrixView<double> view_;
};

// Whether actions drawn again and again in one state repeat themselves: they are atoms, not a density.
bool has_atoms(const Policy& policy, MatrixView<const double> observations, std::uint64_t seed) {
  constexpr std::size_t draws = 64;
  const std::size_t states = std::min<std::size_t>(observations.cols(), 16);
  const Space& space = policy.action_space();
  std::vector<double> same(observations.rows() * draws), drawn(space.dimensions() * draws);
  std::vector<std::uint64_t> items(draws);
  for (std::size_t i = 0; i < draws; ++i) items[i] = i;
  const MatrixView<double> state(same.data(), observations.rows(), draws);
  const MatrixView<double> action(drawn.data(), space.dimensions(), draws);
  for (std::size_t s = 0; s < states; ++s) {
    for (std::size_t d = 0; d < observations.rows(); ++d) std::ranges::fill(state.row(d), observations(d, s));
    policy.sample(state, {seed, Stage::action, static_cast<std::uint32_t>(s), items}, action);
    std::vector<double> inside;
    for (const double value : action.row(0)) {
      if (value > space.axes[0].range.low && value < space.axes[0].range.high) inside.push_back(value);
    }
    std::ranges::sort(inside);
    if (std::ranges::adjacent_find(inside) != inside.end()) return true;
  }
  return false;
}

// For each step the weight w of its action and, where it can be had, what both policies share: 1 - TV(s).
struct StepWeights {
  std::vector<double> w;
  std::vector<double> shared;  // empty where TV is not computed
};

void weigh_box(const Policy& teacher, const Policy& student, MatrixView<const double> observation,
               MatrixView<const double> action, std::span<double> w) {
  std::vector<double> log1(w.size()), log2(w.size());
  teacher.log_prob(observation, action, log1);
  student.log_prob(observation, action, log2);
  const Space& space = teacher.action_space();
  for (std::size_t i = 0; i < w.size(); ++i) {
    bool inside = true;
    for (std::size_t d = 0; d < action.rows(); ++d) {
      inside = inside && action(d, i) > space.axes[d].range.low && action(d, i) < space.axes[d].range.high;
    }
    const double ratio = std::exp(std::min(log2[i] - log1[i], 0.0));
    w[i] = inside && ratio >= 0 ? ratio : 0;  // a ratio that is no number counts as apart
  }
}

void weigh_discrete(const Policy& teacher, const Policy& student, MatrixView<const double> observation,
                    MatrixView<const double> action, std::span<double> w, std::span<double> shared) {
  const std::size_t count = w.size();
  std::vector<double> log1(count), log2(count), chosen(count);
  const MatrixView<double> one(chosen.data(), 1, count);
  std::ranges::fill(shared, 0);
  for (std::size_t a = 0; a < teacher.action_space().count; ++a) {
    std::ranges::fill(chosen, static_cast<double>(a));
    teacher.log_prob(observation, one, log1);
    student.log_prob(observation, one, log2);
    for (std::size_t i = 0; i < count; ++i) {
      shared[i] += std::exp(std::min(log1[i], log2[i]));
      if (action(0, i) == static_cast<double>(a)) w[i] = std::exp(std::min(log2[i] - log1[i], 0.0));
    }
  }
  for (double& value : shared) value = std::min(value, 1.0);
}

// Played without drawing, policies are together exactly while they choose the same.
void weigh_choices(const Policy& student, MatrixView<const double> observation, MatrixView<const double> action,
                   std::span<double> w) {
  std::vector<double> numbers(action.rows() * w.size());
  const MatrixView<double> own(numbers.data(), action.rows(), w.size());
  student.mean_action(observation, own);
  for (std::size_t i = 0; i < w.size(); ++i) w[i] = own(0, i) == action(0, i) ? 1 : 0;
}

StepWeights weigh(const Policy& teacher, const Policy& student, const Rollouts& rollouts, Act act) {
  const std::size_t steps = rollouts.steps(), seen = teacher.observation_dimensions();
  const bool discrete = teacher.action_space().is_discrete(), shared = discrete && act == Act::sample;
  StepWeights weights{std::vector<double>(steps), std::vector<double>(shared ? steps : 0)};
  for_each_block(steps, block_size, [&](Block block) {
    const std::size_t count = block.end - block.begin;
    const Columns observation(rollouts.observations, seen, block.begin, count);
    const Columns action(rollouts.actions, teacher.action_space().dimensions(), block.begin, count);
    const auto w = std::span(weights.w).subspan(block.begin, count);
    if (shared) {
      weigh_discrete(teacher, student, observation.view(), action.view(), w,
                     std::span(weights.shared).subspan(block.begin, count));
    } else if (discrete) {
      weigh_choices(student, observation.view(), action.view(), w);
    } else {
      weigh_box(teacher, student, observation.view(), action.view(), w);
    }
  });
  return weights;
}

std::string why_not(const Policy& teacher, const Policy& student, const Rollouts& rollouts, Act act) {
  if (teacher.action_space().is_discrete()) return "";
  if (act == Act::mean) {
    return "the coupling bound needs drawn actions (--act sample)";
  }
  const std::size_t some = std::min<std::size_t>(rollouts.steps(), 16);
  const Columns observation(rollouts.observations, teacher.observation_dimensions(), 0, some);
  const bool first = has_atoms(teacher, observation.view(), rollouts.seed);
  const bool second = has_atoms(student, observation.view(), rollouts.seed);
  // Tables of atoms on the same values can be compared; a single action in each state cannot.
  const bool tables = dynamic_cast<const LatticePolicy*>(&teacher) != nullptr &&
                      dynamic_cast<const LatticePolicy*>(&student) != nullptr;
  if (first == second && (!first || tables)) return "";
  return fmt::format(
      "the coupling bound compares densities of actions, and the {} plays single values such as bin centres: draw "
      "inside the bins (embed --noise true)",
      first ? "teacher" : "embedding");
}

}  // namespace

std::vector<double> losable(const Env& env, std::uint32_t horizon, double gamma, bool endless) {
  const Range reward = env.task().reward;
  // An episode that ended earns 0 from then on.
  const double width = std::max(reward.high, 0.0) - std::min(reward.low, 0.0);
  const double cap = endless ? std::numeric_limits<double>::infinity() : return_range(env, horizon, gamma).width();
  std::vector<double> f(horizon + std::size_t{1}, 0);
  if (endless && gamma < 1) f[horizon] = width * std::pow(gamma, horizon) / (1 - gamma);
  for (std::size_t k = horizon; k-- > 0;) f[k] = f[k + 1] + width * std::pow(gamma, static_cast<double>(k));
  for (double& value : f) value = std::min(value, cap);
  return f;
}

CouplingBound coupling_bound(const Env& env, const Policy& teacher, const Policy& student, const Rollouts& rollouts,
                             std::uint32_t horizon, const CouplingOptions& options) {
  if (!rollouts.has_steps() || rollouts.episodes() == 0) {
    throw Error(ErrorCode::missing_option, "the coupling bound needs rollouts with their steps", "Keep the steps");
  }
  CouplingBound bound;
  bound.why_not = why_not(teacher, student, rollouts, options.act);
  if (!bound.why_not.empty()) return bound;
  bound.applicable = true;
  const StepWeights weights = weigh(teacher, student, rollouts, options.act);
  const std::vector<double> f = losable(env, horizon, options.gamma, options.endless);
  double all = 0;
  for (const double value : f) all += value;
  std::vector<double> coupled(rollouts.episodes()), summed(rollouts.episodes());
  for (std::size_t e = 0; e < coupled.size(); ++e) {
    const auto begin = static_cast<std::size_t>(rollouts.offsets[e]);
    const std::size_t length =
        std::min<std::size_t>(static_cast<std::size_t>(rollouts.offsets[e + 1]) - begin, horizon);
    double together = 1;
    for (std::size_t k = 0; k < length; ++k) {
      const double w = weights.w[begin + k];
      const double shared = weights.shared.empty() ? w : weights.shared[begin + k];
      coupled[e] += (f[k] - f[k + 1]) * (1 - together * shared);
      summed[e] += f[k] * (1 - shared);
      bound.tv += 1 - shared;
      together *= w;
    }
    // Whoever ended together stays together; what comes after the last step of an endless task may be lost.
    coupled[e] += f[length] * (length < horizon ? 1 - together : 1);
    summed[e] += f[horizon];
    bound.separated += 1 - together;
    bound.mean += coupled[e];
  }
  const double episodes = static_cast<double>(coupled.size()), delta = 1 - options.confidence;
  bound.mean /= episodes;
  bound.separated /= episodes;
  bound.tv /= static_cast<double>(rollouts.steps());
  // Sums that round may pass the ends of their ranges by a hair.
  for (double& value : coupled) value = std::clamp(value, 0.0, f[0]);
  for (double& value : summed) value = std::clamp(value, 0.0, all);
  bound.value = betting_upper(coupled, {0, f[0]}, delta);
  bound.modelfree = betting_upper(summed, {0, all}, delta);
  return bound;
}

}  // namespace mercer
