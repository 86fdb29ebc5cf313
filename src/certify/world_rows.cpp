#include "certify/world_rows.hpp"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "certify/exact.hpp"
#include "certify/own_kernel.hpp"
#include "certify/three_terms.hpp"
#include "core/fault.hpp"

namespace mercer {
namespace {

constexpr std::size_t most_long_run = 400;  // states: the fundamental matrix and its norms take O(n^3)
using Of = Quantity;

MatrixView<const double> as_view(const std::vector<double>& rows, std::size_t dimensions) {
  return dimensions == 0 ? MatrixView<const double>() : MatrixView(rows.data(), dimensions, rows.size() / dimensions);
}

class WorldRows {
 public:
  WorldRows(const FiniteWorld& world, const CertifyOptions& options, std::uint32_t horizon)
      : world_(world), options_(options), horizon_(horizon) {
    has_horizon_ = can_follow(world, horizon);
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
    } else if (bound.quantity == Of::discounted_return || bound.quantity == Of::pruning ||
               bound.quantity == Of::discretisation || bound.quantity == Of::projection) {
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
    const std::vector<double> joint = joint_TV(world_.reference());
    BoundInputs inputs{.kernel = own_kernel()};
    inputs.joint_TV = joint;
    inputs.kept_difference = none;  // a truncation leaves what it keeps as it is
    inputs.atoms = world_.atoms;
    inputs.T = has_horizon_ ? horizon_ : 0;
    inputs.horizon_gamma = options_.gamma;
    inputs.confidence_delta = 1 - options_.confidence;
    inputs.state_samples = as_view(world_.state_samples, world_.state_bins.size());
    inputs.action_samples = as_view(world_.action_samples, world_.action_bins.size());
    inputs.state_bins = world_.state_bins;
    inputs.action_bins = world_.action_bins;
    inputs.trajectories = options_.pruning_rollouts;
    inputs.full_states = world_.full_states;
    inputs.r_M = world_.r_M;
    if (wants(theorems())) {
      add_theorems(rigorous_bounds(comparison, inputs));
      if (world_.lattice) add_three_terms(inputs);
    }
    if (wants(Level::paper)) add_paper(paper_bounds(comparison, inputs));
  }

  // Along the actions, of the basis that the embedding is kept in. Policies without one have the identity's.
  ActionKernel own_kernel() const {
    const std::size_t m = world_.mdp().m;
    std::optional<ActionKernel> own;
    if (world_.origin) own = kernel_of_basis(world_.origin->basis, m, world_.reference());
    return own ? *own : make_action_kernel(ActionKernelKind::identity, m);
  }

  // TV between a policy and the embedding by the kernel on the whole table; measured in states that the table lacks.
  std::vector<double> joint_TV(std::span<const double> policy) {
    if (!world_.origin) return {};
    const std::size_t m = world_.mdp().m;
    const std::vector<std::size_t>& places = world_.origin->places;
    std::vector<double> delta(places.size() * m), TV(world_.mdp().n);
    for (std::size_t s = 0; s < TV.size(); ++s) {
      const bool listed = world_.rows[s] != Cells::none;
      for (std::size_t a = 0; a < m && !world_.mdp().is_terminal(s); ++a) {
        const double apart = world_.embedded[s * m + a] - policy[s * m + a];
        TV[s] += std::abs(apart) / 2;
        if (listed) delta[world_.rows[s] * m + a] = apart;
      }
    }
    const TableKernelBound by_kernel = table_kernel_bound(world_.origin->basis, world_.origin->shape, places, delta);
    if (by_kernel.TV.empty()) {
      if (!told_) out_.not_covered.push_back(by_kernel.why_not);
      told_ = true;
      return {};
    }
    for (std::size_t s = 0; s < TV.size(); ++s) {
      if (world_.rows[s] != Cells::none) TV[s] = by_kernel.TV[world_.rows[s]];
    }
    return TV;
  }

  // The terms stand beside the exact split, whose parts are what they bound.
  void add_three_terms(BoundInputs inputs) {
    const std::vector<double> joint = joint_TV(world_.pruned);
    inputs.joint_TV = joint;
    const PolicySteps steps{world_.teacher, world_.discretised, world_.pruned, world_.embedded};
    for (const Bound& bound : three_term_bounds(world_.mdp(), steps, inputs)) {
      std::vector<std::string> lines = given(bound);
      if (world_.estimated) lines.emplace_back("the teacher is what it did in each cell, counted");
      add(bound, std::move(lines));
    }
  }

  std::vector<std::string> compared(const Bound& bound) const {
    std::vector<std::string> lines = given(bound);
    if (world_.estimated)
      lines.emplace_back("compares the teacher's action distribution at cell centres with the embedding's");
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
  bool told_ = false;  // why there is no kernel on the table
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
