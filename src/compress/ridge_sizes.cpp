#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "compress/ridge_search.hpp"

namespace mercer {
namespace {

using distil::RidgeGrid;
using distil::Student;

constexpr RidgeGrid usual_grid{6, 7};
constexpr RidgeGrid grids[] = {{8, 8}, {7, 8}, usual_grid, {5, 6}, {4, 5}};
// The share of the return that rounding to each grid costs a tuned student. Measured: 36 ridges of a half-cheetah.
constexpr double grid_costs[] = {0, 0.001, 0.003, 0.015, 0.1};
// Students above this share of loss are not worth tuning or evolving: a larger one gets there sooner.
constexpr double tunable_loss = 0.45;
// Evolution moves no more numbers than this.
constexpr distil::Index most_evolved = 160;
constexpr std::uint64_t falling_attempts = 4;

}  // namespace

// What is known of the teacher's states, and of those that one student visits: where others failed is of no use to it.
void RidgeSearch::gather_states(const Student* student) {
  data_.clear();
  data_.add(visited_);
  if (student != nullptr) {
    data_.add(player_.roll_out(*policy_of(*student, player_.task()), {visited_.episodes(), fresh_seed(), Act::mean},
                               progress_));
  }
  if (learned_ != 0) data_.weigh(tuner_->critics());
}

distil::RidgeShape RidgeSearch::shape_of(std::size_t ridges, bool linear) const {
  return distil::shape_for(player_.task(), ridges, linear, squash_);
}

Student RidgeSearch::imitated(std::size_t ridges, bool linear, std::uint64_t attempt, std::size_t longer) {
  gather_states(nullptr);
  const distil::RidgeShape shape = shape_of(ridges, linear);
  Student student = initial_student(shape, scale_, options_.judge.seed + attempt);
  distil::ImitateOptions how;
  how.rounds = options_.ridges.imitation_rounds * longer;
  how.updates = options_.ridges.imitation_updates;
  how.steps = options_.ridges.imitation_steps;
  how.seed = options_.judge.seed;
  how.item = ridges + 4096 * attempt;
  imitate(student, player_, data_, how, enough_, progress_);
  return student;
}

// Whether a small student of a task that ends by failure keeps upright is a matter of luck: some begin from other
// numbers, and the one that costs least goes on.
Student RidgeSearch::best_imitated(std::size_t ridges, std::size_t longer) {
  const std::uint64_t seed = fresh_seed();
  Student best;
  double least = HUGE_VAL;
  for (std::uint64_t attempt = 0; attempt < (falls() ? falling_attempts : 1); ++attempt) {
    if (attempt > 0 && enough_()) break;
    Student student = imitated(ridges, with_linear_ != 0, attempt, falls() ? 1 : longer);
    const auto policy = policy_of(student, player_.task());
    const Episodes playing = options_.search.aim.playing(check_episodes, seed, Act::mean);
    const double cost = falls() ? cost_of(player_.play(*policy, playing, progress_), *policy, student) : 0;
    if (best.numbers.size() > 0 && !(cost < least)) continue;
    least = cost;
    best = std::move(student);
  }
  if (falls()) gather_states(&best);
  return best;
}

Tried RidgeSearch::try_rounded(const distil::RoundedStudent& one) {
  return attempt_(ContinuousEmbedding::make(code_of(one.student, player_.task(), one.rounding), teacher_.contract(),
                                            teacher_.name()));
}

Tried RidgeSearch::try_student(const Student& student, const RidgeGrid& grid) {
  return try_rounded(round_to_data(student, grid, data_, options_.judge.seed));
}

// From fine to coarse, as long as they should pass. Returns the first that fits, and whether any should pass.
std::pair<Tried, bool> RidgeSearch::try_grids(const Student& student) {
  Tried first;
  first.lost_share = 1;
  bool passed = false;
  for (const RidgeGrid& grid : grids) {
    const Tried one = try_student(student, grid);
    if (!one.fits) continue;
    if (!first.fits) first = one;
    if (!one.promising && (passed || !near(one))) break;
    passed = passed || one.promising;
  }
  return {first, passed};
}

// Not so far from passing that a coarser grid could not be as good.
bool RidgeSearch::near(const Tried& one) const {
  return one.lost_share * std::abs(options_.search.aim.teacher_return) <= near_budgets * options_.search.aim.budget;
}

// Whether the student should pass in so many bits.
bool RidgeSearch::evolve_in(unsigned bits, const Student& student) {
  ReturnPolish how = options_.search;
  how.act = options_.judge.act;
  how.seed = options_.judge.seed;
  how.generations = options_.ridges.evolve_generations;
  how.episodes = 16;
  how.item = 0x5EB000000 + 16 * static_cast<std::uint64_t>(student.shape.ridges) + bits;
  const distil::RoundedStudent start = round_to_data(student, {bits, bits}, data_, options_.judge.seed);
  const Tried one = try_rounded(evolve_student(start, player_, data_, how, enough_, progress_));
  note(fmt::format("{} ridges, {} bits, after evolution: {:.3g}% lost", student.shape.ridges, bits,
                   100 * one.lost_share));
  return one.promising;
}

bool RidgeSearch::evolve(const Student& student) {
  unsigned bits = 6;
  while (bits >= 4 && !enough_() && evolve_in(bits, student)) --bits;
  return bits < 6;
}

void RidgeSearch::try_linear() {
  const Student student = imitated(0, true);
  auto [fine, passed] = try_grids(student);
  note(fmt::format("a linear student loses {:.3g}% after imitation", 100 * fine.lost_share));
  const bool near = fine.lost_share < tunable_loss;
  if (student.numbers.size() <= most_evolved && near) {
    passed = evolve(student) || passed;
    for (unsigned bits = 7; bits <= 8 && !passed && !enough_(); ++bits) passed = evolve_in(bits, student);
  }
  with_linear_ = near ? 1 : 0;
  stage_ = passed ? Stage::done : Stage::sizes;
}

bool RidgeSearch::fits(std::size_t ridges, const RidgeGrid& grid) const {
  if (!options_.judge.max_bytes) return true;
  const distil::RidgeShape shape = shape_of(ridges, with_linear_ != 0);
  const Student student{shape, scale_, initial_numbers(shape, 0)};
  const distil::Rounding rounding = fitting_rounding(student, grid);
  return encode_continuous(code_of(student, player_.task(), rounding), teacher_.contract()).size() <=
         *options_.judge.max_bytes;
}

// With a limit on bytes the largest that it allows on each grid whose usual cost leaves half of the budget. Where the
// teacher's critics tune, only the largest of them: ridges are worth more than bits, and imitation says little.
std::vector<std::size_t> RidgeSearch::sizes() const {
  std::vector<std::size_t> out{4, 8, 16, 32, 64};
  if (options_.judge.max_bytes) {
    out.clear();
    const double allowed = options_.search.aim.budget / std::abs(options_.search.aim.teacher_return);
    for (std::size_t i = 0; i < std::size(grids) && grid_costs[i] <= allowed / 2; ++i) {
      std::size_t ridges = 1;
      while (ridges < options_.ridges.most_ridges && fits(ridges + 1, grids[i])) ++ridges;
      if (out.empty() || ridges > out.back()) out.push_back(ridges);
    }
    if (tunes_boldly()) out.erase(out.begin(), out.end() - 1);
  }
  std::erase_if(out, [&](std::size_t ridges) { return ridges > options_.ridges.most_ridges; });
  return out;
}

// For rounding in parts: the usual grid, or the finest that fits.
RidgeGrid RidgeSearch::parts_grid(std::size_t ridges) const {
  if (!options_.judge.max_bytes) return usual_grid;
  const auto found = std::ranges::find_if(grids, [&](const RidgeGrid& grid) { return fits(ridges, grid); });
  return found == std::end(grids) ? usual_grid : *found;
}

// Sizes grow until one passes; then those between it and the last one that did not are halved.
void RidgeSearch::try_size() {
  const std::vector<std::size_t> all = sizes();
  const std::size_t ridges = imitates_ == 0 ? all[size_] : (too_small_ + imitates_) / 2;
  const Student student = best_imitated(ridges);
  auto [fine, passed] = try_grids(student);
  note(fmt::format("{} ridges lose {:.3g}% after imitation", ridges, 100 * fine.lost_share));
  if (discrete_ && student.numbers.size() <= most_evolved) passed = evolve(student) || passed;
  // What has failed says little: then the largest has most to be tuned.
  const double lost = fine.lost_share < tunable_loss ? fine.lost_share : 1;
  if (passed || (imitates_ == 0 && lost <= least_lost_)) {
    least_lost_ = lost;
    student_ = student;
  }
  (passed ? imitates_ : too_small_) = ridges;
  if (imitates_ != 0) {
    if (imitates_ - too_small_ <= std::max<std::uint64_t>(1, imitates_ / 8)) end_sizes();
    return;
  }
  // Critics that are there tune a small student sooner than a larger one imitates; those to be learned do not.
  const bool tunable = fine.lost_share < tunable_loss && trusted_ != 0 && !options_.judge.max_bytes;
  if (++size_ == all.size() || tunable) end_sizes();
}

// Teachers' critics make a student that passes smaller; it is not worth learning others for that.
void RidgeSearch::end_sizes() {
  passed_here_ = imitates_ != 0 ? 1 : 0;
  stage_ = discrete_ || (passed_here_ != 0 && trusted_ == 0) ? Stage::done : Stage::critics;
}

}  // namespace mercer
