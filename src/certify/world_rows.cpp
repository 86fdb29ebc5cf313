#include "certify/world_rows.hpp"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "certify/exact.hpp"
#include "core/fault.hpp"

namespace mercer {
namespace {

constexpr std::size_t most_long_run = 400;    // states: the fundamental matrix and its norms take O(n^3)
constexpr double most_horizon_work = 4e9;     // steps times transitions
constexpr double most_horizon_numbers = 1e8;  // steps times states
using Of = Quantity;

class WorldRows {
 public:
  WorldRows(const FiniteWorld& world, const CertifyOptions& options, std::uint32_t horizon)
      : world_(world), options_(options), horizon_(horizon) {
    const double steps = horizon, transitions = static_cast<double>(world.mdp().next.size());
    has_horizon_ =
        steps * transitions <= most_horizon_work && steps * static_cast<double>(world.mdp().n) <= most_horizon_numbers;
    if (!has_horizon_) {
      out_.not_covered.push_back(
          fmt::format("the return over {} steps in the finite model: {} states and {} transitions are too many to "
                      "follow that long; the discounted return is there",
                      horizon, world.mdp().n, world.mdp().next.size()));
    }
  }

  LevelRows take() {
    if (wants(Level::exact)) add_exact();
    if (world_.estimated && wants(Level::model)) add_model_error();
    if (wants(theorems()) || wants(Level::paper)) add_bounds();
    return std::move(out_);
  }

 private:
  bool wants(Level level) const { return options_.levels.contains(level); }
  Level theorems() const { return world_.estimated ? Level::model : Level::rigorous; }

  std::vector<std::string> given() const {
    std::vector<std::string> lines;
    if (world_.estimated) {
      lines.push_back(
          fmt::format("in a finite model of {} states and {} actions, estimated from {} episodes of the "
                      "teacher: not the task itself",
                      world_.mdp().n, world_.mdp().m, world_.trajectories));
    } else {
      lines.push_back(fmt::format("the task as it is: {} states, {} actions", world_.mdp().n, world_.mdp().m));
    }
    return lines;
  }

  std::vector<std::string> given(const Bound& bound) const {
    std::vector<std::string> lines = given();
    if (bound.quantity == Of::episode_return) {
      lines.push_back(
          fmt::format("{} steps, {}", horizon_,
                      options_.gamma < 1 ? fmt::format("discounted by {}", options_.gamma) : "no discount"));
    } else if (bound.quantity == Of::discounted_return || bound.quantity == Of::pruning) {
      lines.push_back(fmt::format("endless episodes, discounted by {}", world_.mdp().gamma));
    }
    return lines;
  }

  void add(const Bound& bound, std::vector<std::string> lines) {
    if (!bound.needs.empty()) {
      lines.push_back(bound.applicable ? bound.needs : fmt::format("does not apply: {}", bound.needs));
    }
    out_.rows.push_back(world_row(bound, world_, std::move(lines)));
  }

  void add_exact() {
    const SparseMdp& mdp = world_.mdp();
    const auto add_split = [&](const ExactSplit& split, Quantity quantity) {
      std::vector<Bound> rows = world_.lattice ? exact_bounds(split) : exact_bounds(split.total);
      for (Bound& row : rows) {
        row.quantity = quantity;
        if (world_.estimated) row.id = "model-" + row.id;
        if (world_.estimated)
          row.needs = "the teacher is what it did in each cell, counted; rounding errors are counted";
        add(row, given(row));
      }
    };
    if (has_horizon_) {
      const auto between = [&](const std::vector<double>& one, const std::vector<double>& two) {
        return exact_horizon_difference(mdp, one, two, horizon_, options_.gamma);
      };
      ExactSplit split;
      split.total = between(world_.teacher, world_.embedded);
      if (world_.lattice) {
        split.discretisation = between(world_.teacher, world_.discretised);
        split.pruning = between(world_.discretised, world_.pruned);
        split.projection = between(world_.pruned, world_.embedded);
      }
      add_split(split, Of::episode_return);
    }
    add_split(exact_split(mdp, world_.teacher, world_.discretised, world_.pruned, world_.embedded),
              Of::discounted_return);
  }

  // Speaks of the task, as far as that is Markov on the cells.
  void add_model_error() {
    for (const Bound& row : model_bounds(world_.model, world_.teacher, world_.embedded)) {
      if (row.id != "model_world") continue;
      Bound world = row;
      world.id = "model-exact+error";
      out_.rows.push_back(world_row(world, world_, {given(row)[1], row.needs}));
      out_.rows.back().in_model = false;
    }
  }

  void add_bounds() {
    const bool follow = world_.mdp().n <= most_long_run;
    const TabularComparison comparison =
        compare(world_.mdp(), world_.reference(), world_.embedded, {.solver = {}, .long_run = follow});
    const std::vector<double> none(world_.lattice ? world_.embedded.size() : 0);
    BoundInputs inputs{.kernel = make_action_kernel(ActionKernelKind::identity, world_.mdp().m)};
    inputs.kept_difference = none;  // a truncation leaves what it keeps as it is
    inputs.atoms = world_.atoms;
    inputs.T = has_horizon_ ? horizon_ : 0;
    inputs.horizon_gamma = options_.gamma;
    inputs.confidence_delta = 1 - options_.confidence;
    inputs.state_samples = world_.state_samples;
    inputs.action_samples = world_.action_samples;
    inputs.state_bins = world_.state_bins;
    inputs.action_bins = world_.action_bins;
    inputs.trajectories = options_.pruning_rollouts;
    inputs.full_states = world_.full_states;
    if (wants(theorems())) add_theorems(rigorous_bounds(comparison, inputs));
    if (wants(Level::paper)) add_paper(paper_bounds(comparison, inputs));
  }

  std::vector<std::string> compared(const Bound& bound) const {
    std::vector<std::string> lines = given(bound);
    if (world_.estimated)
      lines.emplace_back("compares the teacher's bin masses at the middles of cells with what acts");
    return lines;
  }

  // Forms "B2/..." are in the row of the least of them.
  void add_theorems(const std::vector<Bound>& bounds) {
    std::vector<std::string> missing;
    for (const Bound& bound : bounds) {
      if (bound.id.find('/') != std::string::npos) continue;
      if (bound.applicable) {
        add(bound, compared(bound));
      } else if (bound.quantity != Of::episode_return || has_horizon_) {
        missing.push_back(fmt::format("{} ({})", bound.id, bound.needs));
      }
    }
    if (!missing.empty()) {
      out_.not_covered.push_back(fmt::format("bounds that do not apply here: {}", fmt::join(missing, "; ")));
    }
  }

  void add_paper(std::vector<Bound> bounds) {
    for (Bound& bound : bounds) {
      if (bound.quantity == Of::pruning) bound.measured = pruned_difference();
      std::vector<std::string> lines{"as printed: not a guarantee"};
      for (std::string& line : compared(bound)) lines.push_back(std::move(line));
      add(bound, std::move(lines));
    }
  }

  std::optional<double> pruned_difference() const {
    if (!world_.lattice) return {};
    return std::abs(exact_difference(world_.mdp(), world_.discretised, world_.pruned).difference);
  }

  const FiniteWorld& world_;
  const CertifyOptions& options_;
  std::uint32_t horizon_;
  bool has_horizon_ = true;
  LevelRows out_;
};

}  // namespace

CertificateRow world_row(const Bound& bound, const FiniteWorld& world, std::vector<std::string> assumptions) {
  CertificateRow row;
  row.term = bound.id;
  row.about = bound.quantity;
  row.in_model = world.estimated;
  const bool modelled = world.estimated && bound.level == Level::rigorous && !planted(8);
  row.level = modelled ? Level::model : bound.level;
  if (bound.applicable) row.value = bound.value;
  if (bound.measured) row.measured = *bound.measured;
  row.slack = row.value - row.measured;
  row.vacuous = bound.applicable && bound.vacuous;
  row.assumptions = std::move(assumptions);
  return row;
}

LevelRows world_rows(const FiniteWorld& world, const CertifyOptions& options, std::uint32_t horizon) {
  return WorldRows(world, options, world.one_round ? 1 : horizon).take();
}

}  // namespace mercer
