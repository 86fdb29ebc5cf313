#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>

#include <fmt/format.h>

#include "certify/finite_world.hpp"
#include "core/fault.hpp"
#include "mercer/certify.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

// Inside a bracket this narrow every K is tried.
constexpr std::size_t linear = 4;

// What a rule says of one K.
class Judge {
 public:
  virtual ~Judge() = default;
  virtual KPoint judge(std::size_t k) = 0;
  virtual std::uint64_t episodes() const = 0;  // played so far
};

// Paired episodes of both.
class ByEpisodes final : public Judge {
 public:
  ByEpisodes(const Player& player, const Policy& teacher, const StudentOfK& student, const CertifyOptions& options,
             const Progress& progress)
      : player_(player),
        student_(student),
        options_(options),
        progress_(progress),
        episodes_{options.episodes, options.seed, options.act, options.gamma,
                  options.horizon.value_or(player.task().time_limit)},
        range_(player.return_range(*episodes_.horizon, options.gamma)),
        teacher_(play(teacher)) {}

  KPoint judge(std::size_t k) override {
    const std::vector<double> returns = play(*student_(k));
    // Split 1 only chooses: where no range is known, an estimate will do.
    const bool bounded = range_ && options_.method != LossMethod::student_t;
    const LossBound bound = bounded ? certify_loss(teacher_, returns, *range_, {options_.confidence, options_.method})
                                    : estimate_loss(teacher_, returns, options_.confidence);
    if (planted(6) && options_.max_loss) require_percent(bound);
    KPoint point{k, bound.loss_percent, bound.upper_percent, bound.upper_loss, true};
    // A percentage that cannot be promised keeps no budget: what was found is still worth having.
    if (options_.max_loss) point.within_budget = bound.upper_percent.value_or(HUGE_VAL) <= 100 * *options_.max_loss;
    if (options_.max_loss_return)
      point.within_budget = point.within_budget && bound.upper_loss <= *options_.max_loss_return;
    return point;
  }
  std::uint64_t episodes() const override { return played_; }

 private:
  std::vector<double> play(const Policy& policy) {
    played_ += episodes_.count;
    return returns_of(player_.play(policy, episodes_, progress_), options_.gamma);
  }

  const Player& player_;
  const StudentOfK& student_;
  const CertifyOptions& options_;
  const Progress& progress_;
  Episodes episodes_;
  std::optional<Range> range_;
  std::uint64_t played_ = 0;
  std::vector<double> teacher_;
};

// Theorems in a finite process, which only the embedding's table changes from K to K.
class ByBound final : public Judge {
 public:
  ByBound(const Player& player, const Policy& teacher, const StudentOfK& student, const CertifyOptions& options,
          const Progress& progress)
      : teacher_(teacher), student_(student), options_(options), env_(player.env()) {
    if (env_ == nullptr) {
      throw Error(ErrorCode::bad_value, "K by the bound in a task that only plays",
                  "Choose K by episodes: bounds need the task itself");
    }
    horizon_ = options.horizon.value_or(env_->task().time_limit);
    playing_.episodes = std::min(options.episodes, options.coupled);
    playing_.seed = options.seed;
    playing_.act = options.act;
    playing_.horizon = horizon_;
    playing_.gamma = options.gamma;
    rollouts_ = rollout(*env_, teacher, playing_, progress);
    const std::vector<double> returns = returns_of(outcomes_of(rollouts_), options.gamma);
    size_ = std::abs(std::accumulate(returns.begin(), returns.end(), 0.0) / static_cast<double>(returns.size()));
  }

  KPoint judge(std::size_t k) override {
    const auto student = student_(k);
    if (world_) {
      replace_embedded(*world_, *student, rollouts_, options_.act);
    } else {
      make_world(*student);
    }
    const std::vector<Bound> rows = horizon_bounds(world_->mdp(), world_->reference(), world_->embedded,
                                                   world_->one_round ? 1 : horizon_, options_.gamma);
    const Bound* const least = best_bound(rows, Quantity::episode_return);
    KPoint point{k, 100 * *least->measured / size_, 100 * least->value / size_, least->value, true, least->id};
    if (options_.max_loss) point.within_budget = least->value <= *options_.max_loss * size_;
    if (options_.max_loss_return) point.within_budget &= least->value <= *options_.max_loss_return;
    return point;
  }
  std::uint64_t episodes() const override { return playing_.episodes; }

 private:
  void make_world(const Policy& student) {
    const double gamma = options_.gamma < 1 ? options_.gamma : 0.99;  // of what is not asked for
    FiniteWorldResult found = find_finite_world(*env_, teacher_, student, rollouts_, options_, gamma);
    if (!found.world) throw Error(ErrorCode::bad_value, "K by the bound: " + found.why_not, "Choose K by episodes");
    if (!can_follow(*found.world, horizon_)) {
      throw Error(ErrorCode::too_large,
                  fmt::format("K by the bound: {} states, {} transitions and {} steps are too many to follow",
                              found.world->mdp().n, found.world->mdp().next.size(), horizon_),
                  "Take fewer bins, or choose K by episodes");
    }
    world_ = std::move(found.world);
  }

  const Policy& teacher_;
  const StudentOfK& student_;
  const CertifyOptions& options_;
  const Env* env_;
  std::uint32_t horizon_ = 0;
  RolloutOptions playing_;
  Rollouts rollouts_;
  double size_ = 0;
  std::optional<FiniteWorld> world_;
};

class Search {
 public:
  explicit Search(Judge& judge) : judge_(judge) {}

  bool keeps(std::size_t k) {
    const auto known = tried_.find(k);
    if (known != tried_.end()) return known->second.within_budget;
    return (tried_[k] = judge_.judge(k)).within_budget;
  }
  const std::map<std::size_t, KPoint>& tried() const { return tried_; }

 private:
  Judge& judge_;
  std::map<std::size_t, KPoint> tried_;
};

void bracket(Search& search, std::size_t least, std::size_t most) {
  if (!search.keeps(most) || search.keeps(least)) return;
  std::size_t low = least, high = most;  // fails, keeps
  while (high - low > linear) {
    const auto middle = static_cast<std::size_t>(std::sqrt(static_cast<double>(low) * static_cast<double>(high)));
    const std::size_t k = std::clamp(middle, low + 1, high - 1);
    (search.keeps(k) ? high : low) = k;
  }
  for (std::size_t k = low + 1; k < high && !search.keeps(k); ++k) {
  }
}

}  // namespace

KChoice choose_k(const Player& player, const Policy& teacher, const StudentOfK& student, std::size_t least,
                 std::size_t most, const CertifyOptions& options, std::size_t attempts, const Progress& progress,
                 KRule rule) {
  if (!options.max_loss && !options.max_loss_return) {
    throw Error(ErrorCode::missing_option, "no limit on the loss was given to choose K by", "Give a largest loss");
  }
  if (least < 1 || least > most) {
    throw Error(ErrorCode::out_of_range, fmt::format("K from {} to {}; legal: 1 or more, rising", least, most),
                "Give the range of K to search");
  }
  KChoice choice;
  choice.rule = rule;
  bool found = true;
  if (rule == KRule::energy) {
    choice.k = most;
  } else {
    const std::unique_ptr<Judge> judge =
        rule == KRule::bound ? std::unique_ptr<Judge>(new ByBound(player, teacher, student, options, progress))
                             : std::make_unique<ByEpisodes>(player, teacher, student, options, progress);
    Search search(*judge);
    bracket(search, least, most);
    for (const auto& [k, point] : search.tried()) choice.curve.push_back(point);
    choice.episodes = judge->episodes();
    const auto smallest = std::ranges::find(choice.curve, true, &KPoint::within_budget);
    found = smallest != choice.curve.end();
    // Where none keeps the budget: the best there is, and the gap.
    choice.k = found ? smallest->k : std::ranges::min(choice.curve, {}, &KPoint::upper_return).k;
  }
  CertifyOptions second = options;
  second.seed = options.seed + 1;
  for (second.attempt = 1;; ++second.attempt) {
    choice.certificate = certify(player, teacher, *student(choice.k), second, progress);
    choice.within_budget = choice.certificate.within_budget;
    if (choice.within_budget || !found || second.attempt >= attempts || choice.k >= most) break;
    choice.k = std::min(choice.k + std::max<std::size_t>(choice.k / 7, 1), most);
  }
  return choice;
}

}  // namespace mercer
