#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "compress/ridge_search.hpp"

// Tuning of one student: critics, turns of actor-critic, checkpoints.

namespace mercer {
namespace {

using distil::Student;

// Critics that are learned from nothing need so many times the steps and turns.
constexpr std::size_t own_critics = 5;
// A student that they are to tune imitates for so many times as long: such critics win back less than a teacher's.
// Those that fall have several attempts instead.
constexpr std::size_t own_imitation = 8, kept_longer = 1'000'000;
// Such critics are trusted once their error on fresh episodes (`critic_error`) is no larger: about that of a teacher's.
constexpr double trusted_error = 0.1;
constexpr std::uint64_t turns_a_check = 16;
// A student that earns what its teacher does settles: its rate falls over so many turns. What it would gain beyond that
// makes it harder to round.
constexpr std::uint64_t settle_turns = 32;
// Weight of the imitation error where students fall, or critics are new and not trusted. Others would be drawn away
// from what they earn: a half-cheetah's, tuned by critics that were learned and trusted, lost 6.8% at 0.02 and 7.9% at
// 0.2 after the same 20,000 updates.
constexpr double careful_pull = 0.2, light_pull = 0.02;
// A checkpoint that loses this share of the return more than the best one is left: its critics saw more in it than was.
// The second holds for students that earned what the teacher does, or are rounded.
constexpr double collapse = 0.15, near_collapse = 0.03;
constexpr std::size_t race_episodes = 64, raced = 4;

distil::TuneOptions tune_options(const CompressOptions& options, bool trusted) {
  distil::TuneOptions out;
  out.seed = options.judge.seed;
  out.steps = options.ridges.turn_steps;
  out.updates = options.ridges.turn_updates;
  out.first_steps = options.ridges.first_steps * (trusted ? 1 : own_critics);
  if (trusted) out.gamma = options.critics->gamma.value_or(out.gamma);
  return out;
}

}  // namespace

bool RidgeSearch::falls() const { return player_.task().ending == Ending::failure && !discrete_; }

bool RidgeSearch::tunes_boldly() const { return trusted_ != 0 && !discrete_ && !falls(); }

double RidgeSearch::pull() const {
  if (tunes_boldly()) return 0;
  return learned_ != 0 && !falls() ? light_pull : careful_pull;
}

void RidgeSearch::make_tuner(bool play) {
  distil::TuneOptions how = tune_options(options_, trusted_ != 0);
  if (!play) how.first_steps = 0;
  std::optional<distil::CriticNetworks> critics;
  if (trusted_ != 0) critics.emplace(*options_.critics);
  tuner_.emplace(player_, teacher_, student_, critics ? &*critics : nullptr, how, progress_);
}

// Keeps the better one.
bool RidgeSearch::imitates_longer(std::string_view how) {
  data_.keep(kept_longer);
  const Student longer = best_imitated(static_cast<std::size_t>(student_.shape.ridges), own_imitation);
  const auto [fine, passed] = try_grids(longer);
  note(fmt::format("{} ridges lose {:.3g}% after longer imitation{}", longer.shape.ridges, 100 * fine.lost_share, how));
  if (passed || fine.lost_share < least_lost_) {
    least_lost_ = fine.lost_share;
    student_ = longer;
  }
  return passed;
}

void RidgeSearch::begin_tuning() {
  if (!tuner_) {
    make_tuner(true);
    turns_ = options_.ridges.critic_turns * (trusted_ != 0 ? 1 : own_critics);
    turn_ = 0;
  }
  tuner_->learn_critics(trusted_ != 0 ? distil::Tuner::Of::student : distil::Tuner::Of::teacher, progress_);
  if (!tuner_->healthy()) return give_up_critics();
  ++turn_;
  if (trusted_ == 0 && turn_ % options_.ridges.critic_turns == 0) {
    const double error = tuner_->critic_error(progress_);
    note(fmt::format("critics after {} updates leave {:.3g}% of the variance of fresh returns unexplained",
                     tuner_->updates(), 100 * error));
    learned_ = error <= trusted_error ? 1 : 0;
    if (learned_ != 0) turns_ = turn_;
  }
  if (turn_ < turns_) return;
  // Only critics that are trusted say which errors count: weights of others made a half-cheetah's student lose 15.7%
  // instead of 9.1%.
  const bool weighed = learned_ != 0;
  if (trusted_ == 0 && (weighed || !falls()) && imitates_longer(weighed ? " with weights" : "")) {
    if (!weighed) {
      stage_ = Stage::done;
      return;
    }
    passed_here_ = 1;
  }
  tuner_->restart(student_);
  if (passed_here_ != 0) return shrink();
  begin_turns(Stage::free, options_.ridges.first_turns);
}

// Those of the teacher are replaced by others, learned from nothing; there is nothing in place of those.
void RidgeSearch::give_up_critics() {
  if (trusted_ != 0) {
    note("the teacher's critics diverge: the search learns others");
    trusted_ = 0;
    tuner_.reset();
    checked_.clear();
    stage_ = Stage::critics;
  } else {
    note("critics diverge: the search ends with what was found before");
    stage_ = checked_.empty() ? Stage::done : Stage::judge;
  }
}

void RidgeSearch::begin_turns(Stage stage, std::uint64_t turns) {
  checked_.clear();
  settled_ = 0;
  turn_ = 0;
  turns_ = turns;
  stage_ = stage;
}

void RidgeSearch::tune(bool rounding) {
  // The rate falls over the last part of a stage.
  const double falling = settled_ != 0 ? static_cast<double>(settle_turns) : 0.4 * static_cast<double>(turns_);
  const double left = static_cast<double>(turns_ - turn_);
  constexpr double careful = 0.5;  // of the rate, for students that are partly rounded: they are good already
  const double share = (rounding ? careful : 1) * std::clamp(left / falling, 0.02, 1.0);
  tuner_->turn(share, {pull(), smoothness_}, progress_);
  if (!tuner_->healthy()) return give_up_critics();
  if (progress_.report) {
    const std::string stage =
        fmt::format("tune {} ridges{}{}", tuner_->student().shape.ridges, held_words(), checked_.empty() ? "" : said_);
    progress_.report(stage, static_cast<double>(turn_) / static_cast<double>(turns_));
  }
  if (++turn_ % turns_a_check == 0) check(tuner_->student());
  if (turn_ >= turns_) stage_ = Stage::judge;
}

double RidgeSearch::cost_of(std::span<const Outcome> outcomes, const Policy& policy, const Student& student) const {
  return student_cost(options_.search.aim, outcomes, player_.task(), policy, imitation_error(student, data_, 1024, 0));
}

void RidgeSearch::check(const Student& student) {
  const auto policy = policy_of(student, player_.task());
  Episodes playing = options_.search.aim.playing(check_episodes, fresh_seed(), Act::mean);
  const std::vector<Outcome> outcomes = player_.play(*policy, playing, progress_);
  const double cost = cost_of(outcomes, *policy, student);
  if (const std::optional<double> limit = options_.search.aim.roughness) {
    const double rough = behaviour_of(outcomes, player_.task()).motion.roughness;
    smoothness_ = rough > *limit ? std::max(2 * smoothness_, 0.01) : 0.7 * smoothness_;
  }
  double earned = 0;
  for (const Outcome& one : outcomes) earned += one.total / static_cast<double>(outcomes.size());
  const double teacher = options_.search.aim.teacher_return;
  said_ = fmt::format(", {:.3g}% lost", 100 * (teacher - earned) / std::abs(teacher));
  note(fmt::format("{} ridges{}, {} updates{}", student.shape.ridges, held_words(), tuner_->updates(), said_));
  checked_.push_back({student.numbers, cost});
  std::ranges::stable_sort(checked_, {}, &Checked::cost);
  if (checked_.size() > raced) checked_.pop_back();
  if (settled_ == 0 && student_cost(options_.search.aim, outcomes, player_.task(), *policy, 0) <= 0) {
    settled_ = 1;
    turns_ = std::min(turns_, turn_ + (tuner_->held() > 0 ? 0 : settle_turns));
  }
  const double much = settled_ != 0 || tuner_->held() > 0 ? near_collapse : collapse;
  if (cost > checked_.front().cost + much * std::abs(teacher) / options_.search.aim.budget) {
    note("the student got much worse: continuing from its best checkpoint");
    Student best = tuner_->student();
    best.numbers = checked_.front().numbers;
    tuner_->restart(best, tuner_->rounding(), tuner_->held());
  }
}

// The best checkpoints meet on the same fresh episodes.
std::pair<Student, double> RidgeSearch::best_checked() {
  Student best = tuner_->student();
  const std::uint64_t seed = fresh_seed();
  double least = HUGE_VAL;
  for (const Checked& one : checked_) {
    const Student student{best.shape, scale_, one.numbers};
    const auto policy = policy_of(student, player_.task());
    const auto outcomes = player_.play(*policy, options_.search.aim.playing(race_episodes, seed, Act::mean), progress_);
    const double cost = cost_of(outcomes, *policy, student);
    if (!(cost < least)) continue;
    least = cost;
    best.numbers = one.numbers;
  }
  return {best, least};
}

}  // namespace mercer
