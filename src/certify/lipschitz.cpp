#include "certify/lipschitz.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "certify/action_metric.hpp"
#include "certify/unvisited.hpp"
#include "mercer/random.hpp"
#include "mercer/statistics.hpp"

namespace mercer {
namespace {

using Numbers = std::vector<double>;
constexpr std::size_t points_in_a_bin = 16;
constexpr std::uint64_t purpose = 5;  // of random numbers; certificates and searches use those before it

// W1 of each step at some observations, for each column.
struct Moved {
  Numbers discretisation, pruning, projection;
};

// Distances between the teacher, its table, the pruned table and the embedding.
class Distances {
 public:
  Distances(const Policy& teacher, const LatticePolicy& table, const LatticePolicy& student, Act act)
      : teacher_(teacher), table_(table), student_(student), act_(act) {
    for (const Edges& edges : table.actions().axes) {
      axes_.emplace_back();
      for (std::size_t i = 0; i < edges.bins(); ++i) axes_.back().push_back(edges.centre(i));
    }
  }

  Moved at(const Points& points) const {
    Moved out{Numbers(points.count), Numbers(points.count), Numbers(points.count)};
    const Numbers first = act_ == Act::mean ? between(teacher_, table_, points) : to_table(points);
    for (std::size_t i = 0; i < points.count; ++i) {
      const bool held = table_.cells().find(&points.numbers[i], points.count) != Cells::none;
      (held ? out.discretisation : out.pruning)[i] = first[i];
    }
    if (act_ == Act::mean) {
      out.projection = between(table_, student_, points);
      return out;
    }
    const ActionMetric metric(axes_);
    const Numbers one = lattice_rows(table_, points, act_), two = lattice_rows(student_, points, act_);
    for (std::size_t i = 0; i < points.count; ++i) {
      const auto row = [&](const Numbers& rows) { return std::span(rows).subspan(i * metric.size(), metric.size()); };
      out.projection[i] = metric.moved(row(one), row(two));
    }
    return out;
  }

  // Whether the teacher has the distribution functions that `to_table` asks for.
  bool known() const {
    if (act_ == Act::mean) return true;
    const Points one = middles(table_.cells());
    const double value = 0;
    double below = 0;
    return teacher_.cdf(one.view().columns(0, 1), 0, {&value, 1, 1}, {&below, 1, 1});
  }

 private:
  Numbers between(const Policy& first, const Policy& second, const Points& points) const {
    const std::size_t dims = axes_.size();
    Numbers one(dims * points.count), two(one.size()), out(points.count);
    first.mean_action(points.view(), {one.data(), dims, points.count});
    second.mean_action(points.view(), {two.data(), dims, points.count});
    for (std::size_t i = 0; i < one.size(); ++i) {
      const Range box = table_.action_space().axes[i / points.count].range;  // what is played
      out[i % points.count] += std::abs(std::clamp(one[i], box.low, box.high) - std::clamp(two[i], box.low, box.high));
    }
    return out;
  }

  // From the teacher to the rows of its table: in each dimension the area between two distribution functions, neither
  // of which falls, from above.
  Numbers to_table(const Points& points) const {
    const Numbers rows = lattice_rows(table_, points, act_);
    const std::size_t m = table_.columns();
    Numbers out(points.count);
    for (std::size_t d = 0; d < axes_.size(); ++d) {
      const Edges& edges = table_.actions().axes[d];
      const Numbers places = grid_of(edges, table_.action_space().axes[d].range);
      Numbers below(points.count * places.size());
      teacher_.cdf(points.view(), d, {places.data(), 1, places.size()}, {below.data(), points.count, places.size()});
      Numbers mass(edges.bins());
      for (std::size_t i = 0; i < points.count; ++i) {
        std::ranges::fill(mass, 0);
        for (std::size_t a = 0; a < m; ++a) mass[table_.actions().bin(a, d)] += rows[i * m + a];
        double* const own = &below[i * places.size()];
        own[0] = 0;  // actions outside of the box are clipped to it
        own[places.size() - 1] = 1;
        double left = 0;
        for (std::size_t p = 0; p + 1 < places.size(); ++p) {
          const double right = share_below(edges, mass, places[p + 1], p + 2 == places.size());
          const double gap = std::max({own[p + 1] - left, right - own[p], 0.0});
          out[i] += (places[p + 1] - places[p]) * std::min(gap, 1.0);
          left = right;
        }
      }
    }
    return out;
  }

  static Numbers grid_of(const Edges& edges, Range box) {
    Numbers places{box.low, box.high};
    for (std::size_t bin = 0; bin < edges.bins(); ++bin) {
      for (std::size_t p = 0; p <= points_in_a_bin; ++p) {
        const double x = edges.values[bin] + edges.width(bin) * static_cast<double>(p) / points_in_a_bin;
        if (x > box.low && x < box.high) places.push_back(x);
      }
    }
    std::ranges::sort(places);
    return places;
  }

  // How much of a row of bins lies at x or below.
  double share_below(const Edges& edges, const Numbers& mass, double x, bool last) const {
    if (last) return 1;
    double sum = 0;
    for (std::size_t bin = 0; bin < mass.size(); ++bin) {
      const double inside = table_.playing().noise ? std::clamp((x - edges.values[bin]) / edges.width(bin), 0.0, 1.0)
                                                   : (edges.centre(bin) <= x ? 1.0 : 0.0);
      sum += mass[bin] * inside;
    }
    return sum;
  }

  const Policy& teacher_;
  const LatticePolicy& table_;
  const LatticePolicy& student_;
  Act act_;
  std::vector<Numbers> axes_;
};

// Steepest Q at visits of a policy.
class Slopes {
 public:
  Slopes(const Env& env, const Policy& teacher, const RolloutOptions& playing, std::uint64_t seed,
         const LipschitzOptions& options, const Progress& progress)
      : env_(env), teacher_(teacher), playing_(playing), seed_(seed), options_(options), progress_(progress) {}

  // `states` are rows, as `Rollouts` keeps them, at the given steps; `base` the teacher's mean actions as rows.
  Numbers at(const Numbers& states, const std::vector<std::uint32_t>& steps, const Numbers& base) const {
    const std::size_t count = steps.size(), dims = env_.task().action.dimensions();
    Numbers slopes(count);
    for (std::size_t d = 0; d < dims; ++d) {
      const Range box = env_.task().action.axes[d].range;
      const double gap = box.width() / static_cast<double>(options_.points - 1);
      Numbers before;
      for (std::size_t p = 0; p < options_.points; ++p) {
        Numbers actions = base;
        for (std::size_t i = 0; i < count; ++i) actions[i * dims + d] = box.low + gap * static_cast<double>(p);
        Numbers Q = values(states, steps, actions);
        for (std::size_t i = 0; i < count && p > 0; ++i)
          slopes[i] = std::max(slopes[i], std::abs(Q[i] - before[i]) / gap);
        before = std::move(Q);
      }
    }
    return slopes;
  }

 private:
  // Mean return of an action and the teacher after it, to the end of the episode.
  Numbers values(const Numbers& states, const std::vector<std::uint32_t>& steps, const Numbers& actions) const {
    const Task& task = env_.task();
    const std::size_t dims = task.state.dimensions(), acts = task.action.dimensions();
    const std::size_t count = steps.size(), all = count * options_.repeats;
    Numbers columns(env_.rows() * all), action(acts * all), reward(all);
    std::vector<std::uint8_t> ended(all);
    std::vector<std::uint64_t> items(all);
    const MatrixView<double> view(columns.data(), env_.rows(), all), played(action.data(), acts, all);
    const MatrixView<double> inside = env_.states_of(view);
    for (std::size_t i = 0; i < all; ++i) {
      items[i] = i;
      for (std::size_t d = 0; d < dims; ++d) inside(d, i) = states[i % count * dims + d];
      for (std::size_t d = 0; d < acts; ++d) played(d, i) = actions[i % count * acts + d];
    }
    env_.settle(view);
    env_.step(view, played, {~seed_, Stage::transition, 0, items}, reward, ended);
    RolloutOptions on = playing_;
    on.episodes = all;
    on.seed = seed_;
    on.keep_steps = true;
    on.start_states.resize(dims * all);
    for (std::size_t i = 0; i < all; ++i) {
      for (std::size_t d = 0; d < dims; ++d) on.start_states[i * dims + d] = inside(d, i);
    }
    const Rollouts after = rollout(env_, teacher_, on, progress_);
    Numbers Q(count);
    for (std::size_t i = 0; i < all; ++i) {
      double value = reward[i], weight = 1;
      const std::uint64_t left = *playing_.horizon - steps[i % count] - 1;  // steps that remain after this one
      for (auto t = after.offsets[i]; t < after.offsets[i + 1] && ended[i] == StepEnd::none; ++t) {
        if (static_cast<std::uint64_t>(t - after.offsets[i]) >= left) break;
        weight *= *playing_.gamma;
        value += weight * after.rewards[static_cast<std::size_t>(t)];
      }
      Q[i % count] += value / static_cast<double>(options_.repeats);
    }
    return Q;
  }

  const Env& env_;
  const Policy& teacher_;
  const RolloutOptions& playing_;
  std::uint64_t seed_;
  const LipschitzOptions& options_;
  const Progress& progress_;
};

Points observed(const Rollouts& rollouts, const std::vector<std::size_t>& steps, std::size_t dims) {
  Points points(dims, steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    for (std::size_t d = 0; d < dims; ++d) {
      points.numbers[d * steps.size() + i] = rollouts.observations[steps[i] * dims + d];
    }
  }
  return points;
}

// Every step of the rollouts: its episode, and its place there.
struct Visit {
  std::size_t episode;
  std::uint32_t step;
};
std::vector<Visit> visits_of(const Rollouts& rollouts) {
  std::vector<Visit> out;
  for (std::size_t e = 0; e < rollouts.episodes(); ++e) {
    for (auto t = rollouts.offsets[e]; t < rollouts.offsets[e + 1]; ++t) {
      out.push_back({e, static_cast<std::uint32_t>(t - rollouts.offsets[e])});
    }
  }
  return out;
}

class Theorem {
 public:
  Theorem(const Env& env, const Policy& teacher, const RolloutOptions& playing, const CertifyOptions& options,
          const Distances& distances, const Progress& progress)
      : env_(env),
        teacher_(teacher),
        playing_(playing),
        options_(options),
        how_(*options.lipschitz),
        distances_(distances),
        progress_(progress) {}

  LipschitzTerm about(const Policy& other, bool table_alone, Numbers& slopes) const {
    const Rollouts played = rollout(env_, other, playing_, progress_);
    const std::vector<Visit> visits = visits_of(played);
    LipschitzTerm out =
        how_.constant ? with_constant(played, visits, table_alone) : with_estimate(played, visits, table_alone, slopes);
    RolloutOptions plain = playing_;
    plain.keep_steps = false;
    const Rollouts first = rollout(env_, teacher_, plain, progress_);
    const Numbers one = returns_of(outcomes_of(first), options_.gamma),
                  two = returns_of(outcomes_of(played), options_.gamma);
    out.measured = std::abs(paired_loss(one, two).loss_mean);
    return out;
  }

 private:
  // A weighted sum over visits.
  static void add(LipschitzTerm& out, const Moved& moved, std::size_t i, double weight, bool table_alone) {
    const double first = weight * moved.discretisation[i];
    const double rest = table_alone ? 0 : weight * moved.pruning[i],
                 last = table_alone ? 0 : weight * moved.projection[i];
    out.discretisation += first;
    out.pruning += rest;
    out.projection += last;
  }
  static double whole(const LipschitzTerm& of) { return of.discretisation + of.pruning + of.projection; }

  LipschitzTerm with_estimate(const Rollouts& played, const std::vector<Visit>& visits, bool table_alone,
                              Numbers& slopes) const {
    std::vector<std::size_t> chosen(how_.states);
    Random random({playing_.seed, Stage::search, purpose, 0xFFFFFFFF});
    const std::uint64_t seed = random.bits();
    for (std::size_t& one : chosen) one = random.bits() % visits.size();
    const Points points = observed(played, chosen, env_.task().observation.dimensions());
    const std::size_t dims = env_.task().state.dimensions(), acts = env_.task().action.dimensions();
    Numbers states, base(acts * chosen.size());
    std::vector<std::uint32_t> steps;
    for (const std::size_t one : chosen) {
      states.insert(states.end(), played.states.begin() + static_cast<std::ptrdiff_t>(one * dims),
                    played.states.begin() + static_cast<std::ptrdiff_t>((one + 1) * dims));
      steps.push_back(visits[one].step);
    }
    Numbers mean(acts * chosen.size());
    teacher_.mean_action(points.view(), {mean.data(), acts, chosen.size()});
    for (std::size_t i = 0; i < mean.size(); ++i) {
      const Range box = env_.task().action.axes[i / chosen.size()].range;
      base[i % chosen.size() * acts + i / chosen.size()] = std::clamp(mean[i], box.low, box.high);
    }
    const Numbers own = Slopes(env_, teacher_, playing_, seed, how_, progress_).at(states, steps, base);
    slopes.insert(slopes.end(), own.begin(), own.end());
    const Moved moved = distances_.at(points);
    LipschitzTerm out, distance;
    // A visit stands for all: their number in an episode, on average.
    const double each = static_cast<double>(visits.size()) / static_cast<double>(played.episodes()) /
                        static_cast<double>(chosen.size());
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      add(out, moved, i, each * own[i] * std::pow(*playing_.gamma, steps[i]), table_alone);
      add(distance, moved, i, 1 / static_cast<double>(chosen.size()), table_alone);
    }
    out.value = whole(out);
    out.moved = whole(distance);
    return out;
  }

  LipschitzTerm with_constant(const Rollouts& played, const std::vector<Visit>& visits, bool table_alone) const {
    constexpr std::size_t together = 4096;
    Numbers sums(played.episodes());
    LipschitzTerm out, distance;
    const double L = *how_.constant;
    for (std::size_t begin = 0; begin < visits.size(); begin += together) {
      std::vector<std::size_t> chosen(std::min(together, visits.size() - begin));
      std::iota(chosen.begin(), chosen.end(), begin);
      const Moved moved = distances_.at(observed(played, chosen, env_.task().observation.dimensions()));
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        const double weight = L * std::pow(*playing_.gamma, visits[begin + i].step);
        LipschitzTerm one;
        add(one, moved, i, weight, table_alone);
        add(out, moved, i, weight / static_cast<double>(played.episodes()), table_alone);
        add(distance, moved, i, 1 / static_cast<double>(visits.size()), table_alone);
        sums[visits[begin + i].episode] += whole(one);
      }
    }
    double width = 0, steps = 0, weight = 1;
    for (const Axis& axis : env_.task().action.axes) width += axis.range.width();
    for (std::uint32_t t = 0; t < *playing_.horizon; ++t, weight *= *playing_.gamma) steps += weight;
    // Three distances, each at most the width.
    const double most = L * width * steps * (table_alone ? 1 : 3) * (1 + 1e-9);
    const double mean = whole(out);
    out.value = most > 0 ? betting_upper(sums, {0, most}, 1 - options_.confidence) : 0;
    const double share = mean > 0 ? out.value / mean : 0;  // what the confidence costs falls on all terms alike
    out.discretisation *= share;
    out.pruning *= share;
    out.projection *= share;
    out.moved = whole(distance);
    return out;
  }

  const Env& env_;
  const Policy& teacher_;
  const RolloutOptions& playing_;
  const CertifyOptions& options_;
  const LipschitzOptions& how_;
  const Distances& distances_;
  const Progress& progress_;
};

}  // namespace

LipschitzBounds lipschitz_bounds(const Env& env, const Policy& teacher, const LatticePolicy& student,
                                 const RolloutOptions& playing, const CertifyOptions& options,
                                 const Progress& progress) {
  LipschitzBounds out;
  const auto refuse = [&](std::string why) {
    out.why_not = "the discretisation theorem in the task: " + std::move(why);
    return out;
  };
  const LipschitzOptions& how = *options.lipschitz;
  if (how.constant) require_in_range("the Lipschitz constant", *how.constant, 0, 1e300, "Give it in units of return");
  require_in_range("states for slopes", static_cast<double>(how.states), 1, 1e6, "Take 100");
  require_in_range("points for slopes", static_cast<double>(how.points), 2, 1e4, "Take 9");
  require_in_range("repeats for slopes", static_cast<double>(how.repeats), 1, 1e4, "Take 4");
  if (env.task().action.is_discrete()) return refuse("discrete actions have no distance between them");
  for (const Axis& axis : env.task().action.axes) {
    if (!std::isfinite(axis.range.width())) return refuse("the actions have no bounds");
  }
  if (env.carried() > 0) return refuse("episodes cannot be continued from a state of this task");
  if (!student.own_edges().empty()) return refuse("cells have action edges of their own");
  const LatticePolicy table = discretised_teacher(teacher, student);
  const Distances distances(teacher, table, student, options.act);
  if (!distances.known()) return refuse("the teacher has no distribution function; --act mean needs none");
  RolloutOptions steps = playing;
  steps.keep_steps = true;
  steps.gamma = options.gamma;
  const Theorem theorem(env, teacher, steps, options, distances, progress);
  std::vector<double> slopes;
  out.discretisation = theorem.about(TeacherInUnvisited(table, teacher), true, slopes);
  out.embedding = theorem.about(student, false, slopes);
  out.applicable = true;
  if (how.constant) {
    out.slope_mean = out.slope_most = *how.constant;
  } else {
    out.states = slopes.size();
    out.slope_mean = std::accumulate(slopes.begin(), slopes.end(), 0.0) / static_cast<double>(slopes.size());
    out.slope_most = *std::ranges::max_element(slopes);
  }
  return out;
}

}  // namespace mercer
