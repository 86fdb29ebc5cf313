#include <cmath>

#include <fmt/format.h>

#include "item.hpp"
#include "lattices.hpp"
#include "mercer/parallel.hpp"
#include "mercer/pipeline.hpp"
#include "rules/rules.hpp"

namespace mercer::paper {
namespace {

const std::vector<Head> heads{
    {Teacher::pendulum_v0, 5000, false}, {Teacher::pendulum, 5000, false}, {Teacher::mountain_car, 0, false}};

std::string task_name(const Head& head) { return head.teacher == Teacher::mountain_car ? "mountain-car" : "pendulum"; }

// One change at a time, each alone and then all together.
struct Change {
  const char* name;
  void (*apply)(LatticeOptions&);
};
void tempered(LatticeOptions& options) { options.state_edges = {EdgeKind::tempered, 0.5}; }
void nearest(LatticeOptions& options) { options.playing.unvisited = Unvisited::nearest; }
void mass(LatticeOptions& options) {
  options.table = TableRule::mass;
  options.reach_bounds = true;
  options.playing.noise = true;
}
void all_three(LatticeOptions& options) { tempered(options), nearest(options), mass(options); }
const std::vector<Change> changes{{"published", [](LatticeOptions&) {}},
                                  {"tempered", tempered},
                                  {"nearest", nearest},
                                  {"mass", mass},
                                  {"tempered-nearest", [](LatticeOptions& o) { tempered(o), nearest(o); }},
                                  {"all-three", all_three}};

void add_row(Frame& frame, const Bench& bench, const Head& head, const std::string& method, double k, double parameters,
             double bytes, const std::vector<double>& teacher, const std::vector<double>& returns) {
  const Summary reference = summary(teacher), earned = summary(returns);
  frame.add({env_of(head.teacher), double(bench.seed), task_name(head), method, k, parameters, bytes, reference.mean,
             earned.mean, earned.sd, 100 * (reference.mean - earned.mean) / std::abs(reference.mean)});
}

// The better lattice in cosines, rows by mean action.
void add_cosines(Frame& frame, const Bench& bench, const Head& head, const Discretised& made) {
  const std::vector<std::size_t> ks =
      bench.quick ? std::vector<std::size_t>{100, 200, 400} : std::vector<std::size_t>{50, 100, 200, 400, 800, 1600};
  std::vector<Truncated> all(ks.size());
  std::vector<double> bytes(ks.size());
  for_each_block(ks.size(), 1, [&](Block block) {
    TruncationOptions options;
    options.basis = "dct";
    options.k = ks[block.begin];
    options.order = RowOrder::mean_action;
    const auto embedding =
        LatticeEmbedding::make(*made.trained.policy, made.lattice, made.options.playing, options, bench.seed);
    all[block.begin].parameters = embedding.parameters().published;
    all[block.begin].returns = trial(bench, *made.trained.env, embedding.policy());
    bytes[block.begin] = static_cast<double>(embedding.payload().size());
  });
  for (std::size_t i = 0; i < ks.size(); ++i) {
    add_row(frame, bench, head, "cosines", double(ks[i]), double(all[i].parameters), bytes[i], made.teacher_returns,
            all[i].returns);
  }
}

void add_continuous(Frame& frame, const Bench& bench, const Head& head, const TrainedPolicy& trained,
                    const std::vector<double>& teacher) {
  for (const std::size_t k :
       bench.quick ? std::vector<std::size_t>{2, 4, 8, 12} : std::vector<std::size_t>{2, 4, 6, 8, 12, 16}) {
    bench.progress.check();
    EmbedRequest request;
    request.task.object = trained.env;
    request.teacher.object = trained.policy;
    request.route = Route::continuous;
    request.k = k;
    request.rollouts = 100;
    request.continuous.rounds = bench.quick ? 3 : 5;
    request.seed = 1000 * bench.seed + 5;
    request.episodes = 2;  // trials measure it
    Progress quiet;
    quiet.stop = bench.progress.stop;
    const Embedding best = embed(request, quiet).file->embedding;
    add_row(frame, bench, head, "continuous", double(k), double(best.parameters().stored),
            static_cast<double>(best.payload().size()), teacher, trial(bench, *trained.env, best.policy()));
  }
}

// What the numbers above can be measured by: the teacher's own mean action, which they imitate, and what `compress`
// makes of as many terms when it improves them on the return.
void add_polished(Frame& frame, const Bench& bench, const Head& head, const TrainedPolicy& trained,
                  const std::vector<double>& teacher) {
  add_row(frame, bench, head, "mean-action", 0, 0, 0, teacher, trial(bench, *trained.env, *trained.policy, Act::mean));
  CompressRequest request;
  request.task.object = trained.env;
  request.teacher.object = trained.policy;
  request.route = CompressRequest::Routes::continuous;
  request.seed = 1000 * bench.seed + 6;
  CompressOptions& options = request.options;
  options.most_terms = 16;
  options.judge.select_episodes = 1000;
  options.judge.certify_episodes = 1000;
  options.judge.attempts = 1;
  options.search.generations = bench.quick ? 15 : 30;
  options.search.episodes = 128;
  Progress quiet;
  quiet.stop = bench.progress.stop;
  const Embedding made = compress(request, {}, quiet).found.winner().embedding;
  add_row(frame, bench, head, "polished", double(made.parameters().stored), double(made.parameters().stored),
          static_cast<double>(made.payload().size()), teacher, trial(bench, *trained.env, made.policy()));
}

Tables measure(const Bench& bench) {
  Tables tables;
  Frame& frame = tables["loss"] = {
      {"env", "seed", "task", "method", "k", "parameters", "bytes", "teacher", "mean", "sd", "loss_percent"}};
  for (const Head& head : heads) {
    Discretised made;
    for (const Change& change : changes) {
      bench.progress.check();
      LatticeOptions options = published_lattice(head.teacher);
      change.apply(options);
      made = discretise(bench, head, options);
      const double table = static_cast<double>(made.lattice.table.pi.size());
      add_row(frame, bench, head, change.name, table, table, 4 * table, made.teacher_returns, made.lattice_returns);
      if (change.name != std::string("published")) continue;
      for (const Truncated& one : truncate_curves(bench, made, {"fourier"})) {
        add_row(frame, bench, head, "published-dft", double(one.k), double(one.parameters), 4 * double(one.parameters),
                made.teacher_returns, one.returns);
      }
    }
    made = discretise(bench, head, best_lattice());
    const double table = static_cast<double>(made.lattice.table.pi.size());
    add_row(frame, bench, head, "best", table, table, 4 * table, made.teacher_returns, made.lattice_returns);
    add_cosines(frame, bench, head, made);
    add_continuous(frame, bench, head, made.trained, made.teacher_returns);
    add_polished(frame, bench, head, made.trained, made.teacher_returns);
  }
  return tables;
}

// The least loss among all K of a method, each averaged over the seeds.
double least_loss(const Rows& rows, const std::string& method) {
  double least = std::numeric_limits<double>::infinity();
  const Rows own = rows.where("method", method);
  for (const double k : own.distinct("k")) least = std::min(least, own.where("k", k).mean("loss_percent"));
  return least;
}

Told tell(const Tables& tables) {
  const Rows all(tables.at("loss"));
  Told told;
  for (const std::string task : {"pendulum", "mountain-car"}) {
    const Rows own = all.where("task", task), terms = own.where("method", "continuous");
    const auto loss = [&](const char* method) { return own.where("method", method).mean("loss_percent"); };
    told.saw += fmt::format(
        "{}, loss in percent of the teacher's return: published lattice {:.1f}; alone tempered edges {:.1f}, nearest "
        "visited cell {:.1f}, exact masses {:.1f}; all three {:.1f}; best preset {:.1f}, its cosines {:.1f} at best; "
        "published DFT {:.1f} at best; continuous {:.1f} with at most {:.0f} numbers. ",
        task, loss("published"), loss("tempered"), loss("nearest"), loss("mass"), loss("all-three"), loss("best"),
        least_loss(own, "cosines"), least_loss(own, "published-dft"),
        terms.where("k", terms.most("k")).mean("loss_percent"), terms.most("parameters"));
  }
  told.saw.pop_back();
  const Rows pendulum = all.where("task", "pendulum");
  const auto mean = [&](const char* method, const char* column) {
    return pendulum.where("method", method).mean(column);
  };
  told.why = {
      fmt::format("Improved on the return as `mercer compress` does, {:.0f} bytes on average lose {:.1f}% over all "
                  "seeds.",
                  mean("polished", "bytes"), mean("polished", "loss_percent")),
      fmt::format("Imitation is as good as what it imitates, one action in each state: against its own draws the "
                  "pendulum's teacher loses {:.1f}% when it plays its mean.",
                  mean("mean-action", "loss_percent"))};
  return told;
}

}  // namespace

Item additions() {
  return {14,
          "additions",
          "What we add: tempered edges, nearest cell, exact masses, no lattice at all",
          "Not published: most of what the published lattice loses comes from three of its choices, and a continuous "
          "embedding of few terms does without a lattice.",
          {"tempered: half of each bin's mass is uniform",
           "mass: exact bin masses, bins that reach the bounds, actions drawn inside them",
           "loss against the sampled teacher; the continuous embedding plays one action in each state and imitates the "
           "teacher's mean; it is not improved on the return, which is shown apart"},
          {Teacher::pendulum_v0, Teacher::pendulum, Teacher::mountain_car},
          true,
          13,
          2.5,
          measure,
          additions_rules,
          tell,
          pendulum_envs()};
}

}  // namespace mercer::paper
