#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "item.hpp"
#include "lattices.hpp"
#include "mercer/error.hpp"
#include "mercer/parallel.hpp"
#include "mercer/pipeline.hpp"
#include "rules/rules.hpp"

namespace mercer::paper {
namespace {

// Tasks of 2 to 17 observations, with policies of this repository: networks that SAC trained.
struct Robot {
  const char* task;
  const char* policy;
};
constexpr Robot robots[] = {{"continuous-mountain-car", "cmc_sde_10000_actor.onnx"},
                            {"pendulum", "pendulum_5000_actor.onnx"},
                            {"lunar-lander-continuous", "physics/lunar-lander-continuous.safetensors"},
                            {"reacher", "physics/reacher.safetensors"},
                            {"half-cheetah", "physics/half-cheetah.safetensors"}};
constexpr std::size_t made_from = 16, judged_on = 16;  // episodes
constexpr std::size_t coarse = 3;                      // bins of each observation and action that fit into memory

struct Loaded {
  std::shared_ptr<const Env> env;
  std::shared_ptr<const Policy> policy;
  std::size_t dimensions() const { return env->task().observation.dimensions(); }
  std::size_t actions() const { return env->task().action.dimensions(); }
};

Loaded load(const Bench& bench, const Robot& robot) {
  Loaded loaded{make_env(robot.task, bench.seed), nullptr};
  loaded.policy = make_policy((bench.policies / robot.policy).string(), loaded.env->task());
  return loaded;
}

Rollouts play(const Bench& bench, const Loaded& robot, const Policy& policy, std::uint64_t purpose, bool steps) {
  RolloutOptions options;
  options.episodes = purpose == 1 ? made_from : judged_on;
  options.seed = 1000 * bench.seed + purpose;
  options.keep_steps = steps;
  Progress quiet;
  quiet.stop = bench.progress.stop;
  return rollout(*robot.env, policy, options, quiet);
}

// Observations with a row for each dimension.
std::vector<double> points_of(const Rollouts& met, std::size_t dimensions) {
  std::vector<double> points(met.observations.size());
  for (std::size_t i = 0; i < met.steps(); ++i) {
    for (std::size_t d = 0; d < dimensions; ++d) {
      points[d * met.steps() + i] = met.observations[i * dimensions + d];
    }
  }
  return points;
}

// Quantile cells of some episodes, and how many states of others lie in one that was visited.
void add_cells(Frame& frame, const Bench& bench, const Robot& which, const Loaded& robot, const Rollouts& met) {
  const std::size_t d = robot.dimensions();
  const Rollouts fresh = play(bench, robot, *robot.policy, 3, true);
  const std::vector<double> seen = points_of(met, d), other = points_of(fresh, d);
  for (const std::size_t bins : {2, 3, 5, 10, 35}) {
    bench.progress.check();
    Grid grid;
    for (std::size_t axis = 0; axis < d; ++axis) {
      grid.axes.push_back(make_edges({seen.data() + axis * met.steps(), met.steps()}, bins, {EdgeKind::quantile}));
    }
    const Cells cells(grid, {seen.data(), d, met.steps()});
    double again = 0;
    for (std::size_t i = 0; i < fresh.steps(); ++i) again += cells.find(other.data() + i, fresh.steps()) != Cells::none;
    frame.add({which.task, double(d), double(robot.actions()), double(bins), std::pow(double(bins), double(d)),
               std::pow(15.0, double(robot.actions())), double(met.steps()), double(cells.size()),
               100 * again / static_cast<double>(fresh.steps())});
  }
}

void add_losses(Frame& frame, const Bench& bench, const Robot& which, const Loaded& robot, const Rollouts& met) {
  const double teacher = mean_of(play(bench, robot, *robot.policy, 2, false).returns);
  const auto add = [&](const std::string& method, double numbers, const Policy& policy) {
    bench.progress.check();
    const double earned = mean_of(play(bench, robot, policy, 2, false).returns);
    frame.add({which.task, double(robot.dimensions()), method, numbers, teacher, earned,
               100 * (teacher - earned) / std::abs(teacher)});
  };
  for (const char* kind : {"paper", "best"}) {
    LatticeOptions options = kind == std::string("paper") ? paper_lattice() : best_lattice();
    options.state_bins = options.action_bins = {coarse};
    const Lattice lattice = make_lattice(*robot.policy, met, options);
    add(std::string(kind) + " lattice", double(lattice.table.pi.size()),
        lattice_policy("lattice", *robot.policy, lattice, lattice.table, options.playing));
    if (kind == std::string("best")) continue;
    TruncationOptions half;
    half.basis = "fourier";
    half.order = RowOrder::lexicographic;
    const auto embedding = LatticeEmbedding::make(*robot.policy, lattice, options.playing, half, bench.seed);
    add("truncated paper lattice", double(embedding.parameters().stored), embedding.policy());
  }
  for (const std::size_t k : {16, 64}) {
    EmbedRequest request;
    request.task.object = robot.env;
    request.teacher.object = robot.policy;
    request.route = Route::continuous;
    request.basis = "ridge";
    request.k = k;
    request.rollouts = made_from;
    request.continuous.rounds = 3;
    request.continuous.polish.ridge_steps = 0;  // moving 64 ridges of 17 observations takes cubes of 1,500 numbers
    request.seed = 1000 * bench.seed + 4;
    request.episodes = 2;  // episodes of all methods measure it
    Progress quiet;
    quiet.stop = bench.progress.stop;
    const Embedding made = embed(request, quiet).file->embedding;
    add(fmt::format("{} ridges", k), double(made.parameters().stored), made.policy());
  }
}

Tables measure(const Bench& bench) {
  if (bench.policies.empty()) {
    throw Error(ErrorCode::missing_option, "item 15 needs the policies of this repository",
                "Add --policies tests/data/policies, from a checkout");
  }
  Tables tables{{"cells", {{"task", "dimensions", "actions", "bins", "cells", "columns", "states", "visited", "met"}}},
                {"loss", {{"task", "dimensions", "method", "numbers", "teacher", "mean", "loss_percent"}}}};
  for (const Robot& which : robots) {
    const Loaded robot = load(bench, which);
    const Rollouts met = play(bench, robot, *robot.policy, 1, true);
    add_cells(tables["cells"], bench, which, robot, met);
    add_losses(tables["loss"], bench, which, robot, met);
  }
  return tables;
}

Told tell(const Tables& tables) {
  const Rows cells(tables.at("cells")), loss(tables.at("loss"));
  Told told{
      "Observations: cells of 35 bins each, fresh states in a visited cell of 3, 10 and 35 bins; loss of a lattice of "
      "3 bins (paper, its half of the coefficients, best) and of continuous embeddings of 16 and 64 ridges: "};
  for (const double d : cells.distinct("dimensions")) {
    const Rows own = cells.where("dimensions", d), lost = loss.where("dimensions", d);
    const auto met = [&](double bins) { return own.where("bins", bins).mean("met"); };
    const auto percent = [&](const char* method) { return lost.where("method", method).mean("loss_percent"); };
    told.saw += fmt::format(
        "{:.0f} ({}): {:.2g}, {:.3g}%, {:.3g}% and {:.3g}%; {:.0f}%, {:.0f}%, {:.0f}%, {:.1f}% and {:.1f}%; ", d,
        own.words("task").front(), own.where("bins", 35.0).mean("cells"), met(3), met(10), met(35),
        percent("paper lattice"), percent("truncated paper lattice"), percent("best lattice"), percent("16 ridges"),
        percent("64 ridges"));
  }
  told.saw.replace(told.saw.size() - 2, 2, ".");
  return told;
}

}  // namespace

Item real_size() {
  return {
      15,
      "real-size",
      "The lattice from 2 to 17 observations",
      "Not published, where three observations and one action are the most: a lattice of quantile cells has more cells "
      "than states that anybody visits, and embedding without a lattice, the published future work, does not.",
      {"policies: networks of this repository that SAC trained, one for each task",
       "16 episodes make a lattice, 16 others judge; quantile edges",
       "losses: 3 bins of each observation and action, which is what fits into memory for six actions",
       "continuous: ridges chosen one by one, coefficients for each action; ridges stay as they were chosen, and "
       "nothing "
       "is improved on the return"},
      {},
      false,
      60,
      1,
      measure,
      real_size_rules,
      tell,
      {},
      true};
}

}  // namespace mercer::paper
