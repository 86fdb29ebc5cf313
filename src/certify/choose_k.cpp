#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "core/fault.hpp"
#include "mercer/certify.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

// Inside a bracket this narrow every K is tried.
constexpr std::size_t linear = 4;

class Search {
 public:
  Search(const Player& player, const Policy& teacher, const StudentOfK& student, const CertifyOptions& options,
         const Progress& progress)
      : player_(player),
        student_(student),
        options_(options),
        progress_(progress),
        episodes_{options.episodes, options.seed, options.act, options.gamma,
                  options.horizon.value_or(player.task().time_limit)},
        range_(player.return_range(*episodes_.horizon, options.gamma)),
        teacher_(play(teacher)) {}

  bool keeps(std::size_t k) {
    const auto known = tried_.find(k);
    if (known != tried_.end()) return known->second.within_budget;
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
    tried_[k] = point;
    return point.within_budget;
  }

  const std::map<std::size_t, KPoint>& tried() const { return tried_; }

 private:
  std::vector<double> play(const Policy& policy) const {
    return returns_of(player_.play(policy, episodes_, progress_), options_.gamma);
  }

  const Player& player_;
  const StudentOfK& student_;
  const CertifyOptions& options_;
  const Progress& progress_;
  Episodes episodes_;
  std::optional<Range> range_;
  std::vector<double> teacher_;
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
                 std::size_t most, const CertifyOptions& options, std::size_t attempts, const Progress& progress) {
  if (!options.max_loss && !options.max_loss_return) {
    throw Error(ErrorCode::missing_option, "no limit on the loss was given to choose K by", "Give a largest loss");
  }
  if (least < 1 || least > most) {
    throw Error(ErrorCode::out_of_range, fmt::format("K from {} to {}; legal: 1 or more, rising", least, most),
                "Give the range of K to search");
  }
  Search search(player, teacher, student, options, progress);
  bracket(search, least, most);

  KChoice choice;
  for (const auto& [k, point] : search.tried()) choice.curve.push_back(point);
  const auto smallest = std::ranges::find(choice.curve, true, &KPoint::within_budget);
  const bool found = smallest != choice.curve.end();
  // Where none keeps the budget: the best there is, and the gap.
  choice.k = found ? smallest->k : std::ranges::min(choice.curve, {}, &KPoint::upper_return).k;
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
