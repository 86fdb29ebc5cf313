#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/phases.hpp"
#include "io/file.hpp"
#include "mercer/error.hpp"
#include "mercer/policy.hpp"
#include "mercer/statistics.hpp"
#include "pipeline/lattice_memo.hpp"
#include "pipeline/options.hpp"
#include "pipeline/playing.hpp"
#include "pipeline/seeds.hpp"
#include "pipeline/teacher.hpp"

namespace mercer {
namespace {

bool has_budget(const EmbedRequest& request) { return request.max_loss || request.max_loss_return; }
bool is_large(const EmbedRequest& request) { return request.lattice.scratch.has_value(); }

// Logged rollouts of a policy, and no task to play it in.
bool is_log_alone(const EmbedRequest& request) {
  return request.logged && request.teacher.object && request.task.env.empty() && !request.task.object;
}

void check_scratch(const EmbedRequest& request) {
  if (is_large(request) && request.lattice.scratch->empty()) {
    throw Error(ErrorCode::bad_value, "--scratch is empty", "Name a folder for the table, or leave it out");
  }
  if (is_large(request) && (has_budget(request) || !request.from.empty())) {
    throw Error(
        ErrorCode::bad_value,
        fmt::format("--scratch does not go with {}", request.from.empty() ? "--max-loss" : "--from"),
        request.from.empty() ? "Give --k or --energy" : "Leave one of them out: the lattice is made while playing");
  }
  if (is_large(request)) return;
  if (request.lattice.sketch) {
    throw Error(ErrorCode::bad_value, "--sketch without --scratch: edges come from all data then",
                "Leave it out, or add --scratch DIR");
  }
  if (team().size > 1) {
    throw Error(ErrorCode::bad_value,
                fmt::format("'mercer embed' without --scratch does not spread over {} processes", team().size),
                "Add --scratch DIR and a basis svd, or start it without mpirun");
  }
}

// Whether one of the names starts as `basis` does, settings aside: "db4:level=2" is a db4.
bool names_basis(const std::vector<std::string>& names, const std::string& basis) {
  const auto family = [](const std::string& name) { return name.substr(0, name.find(':')); };
  return std::ranges::find(names, family(basis), family) != names.end();
}

void check_basis(const EmbedRequest& request) {
  const bool lattice = request.route == Route::lattice;
  if (!request.basis || names_basis(lattice ? known_lattice_bases() : known_continuous_bases(), *request.basis)) return;
  if (!names_basis(lattice ? known_continuous_bases() : known_lattice_bases(), *request.basis)) return;  // of no route
  const std::string_view other = name(lattice ? Route::continuous : Route::lattice);
  throw Error(ErrorCode::bad_value,
              fmt::format("--basis {} belongs to the {} route, and this is the {} route", *request.basis, other,
                          name(request.route)),
              fmt::format("Use --route {0}, as in 'mercer embed --route {0} --basis {1}'", other, *request.basis));
}

KRule rule_of(const EmbedRequest& request) {
  return request.choose_k.value_or(has_budget(request) ? KRule::episodes : KRule::energy);
}

void check_rule(const EmbedRequest& request) {
  const KRule rule = rule_of(request);
  if (rule != KRule::energy && !has_budget(request)) {
    throw Error(ErrorCode::missing_option, fmt::format("--choose-k {} without a largest loss", name(rule)),
                "Add --max-loss or --max-loss-return");
  }
  if (request.choose_k == KRule::energy && request.k > 0) {
    throw Error(ErrorCode::bad_value, fmt::format("--choose-k energy with --k {}", request.k), "Leave one of them out");
  }
}

void check(const EmbedRequest& request) {
  EmbedRequest copy = request;
  check_basis(request);
  refuse_other_route(options_of(copy), request.route);
  if (has_budget(request)) refuse_starts(request.task);
  if (!request.from.empty() && request.rollouts) {
    throw Error(ErrorCode::bad_value, "--from does not go with --rollouts", "Give one of them");
  }
  if (request.route == Route::continuous && has_budget(request)) {
    throw Error(ErrorCode::bad_value, "--max-loss chooses k of a lattice, and --route is continuous",
                "Use 'mercer compress --route continuous --max-loss ...'");
  }
  if (!request.out.empty()) check_embedding_path(request.out);
  if (request.sign && request.out.empty()) refuse_sign();
  check_scratch(request);
  if (request.route == Route::lattice) check_rule(request);
}

RolloutOptions measuring(const EmbedRequest& request, const Env& env) {
  RolloutOptions options = playing_options(request.task, env.task(), request.episodes, measuring_seed(request.seed));
  options.keep_steps = false;
  return options;
}

// One write of the finished file. What is measured afterwards is decoded from the same bytes.
void finish(const EmbedRequest& request, EmbedResult& result, const Policy& teacher, const Embedding& made,
            std::map<std::string, std::string> settings, std::optional<Certificate> certificate = {}) {
  EmbeddingFile file{
      decoded(made, request.out),
      make_origin(request.task, request.teacher, teacher, request.seed, std::move(settings), request.out), 0,
      std::move(certificate)};
  const bool kept = !file.certificate || file.certificate->within_budget;
  (kept || !keeps_promise(request.out) ? result.out : result.spared) = request.out;
  if (!result.out.empty()) {
    write_embedding(request.out, made, file.origin, file.certificate, request.sign);
    file.bytes = std::filesystem::file_size(request.out);
  }
  result.file = std::move(file);
}

// --- the lattice route ---

// All that the lattice follows from: settings that come after it are left out, so that a sweep over them shares it.
std::map<std::string, std::string> lattice_key(const EmbedRequest& request) {
  std::map<std::string, std::string> key = settings_of(request);
  for (const char* later : {"k", "basis", "energy", "order", "simplex", "episodes", "act", "horizon", "max-loss",
                            "max-loss-return", "confidence", "certify-episodes", "choose-k"}) {
    key.erase(later);
  }
  key["env"] = request.task.env;
  key["policy"] = request.teacher.policy;
  key["seed"] = fmt::format("{}", request.seed);
  return key;
}

Rollouts collect(const EmbedRequest& request, const Env* env, const Policy& teacher, const Progress& progress) {
  if (request.logged) return *request.logged;
  if (!request.from.empty()) return read_rollouts(request.from);
  RolloutOptions collecting;
  collecting.episodes = request.rollouts.value_or(request.usual_rollouts());
  collecting.seed = request.seed;
  return play(*env, teacher, collecting, progress);
}

// `certify` reads how many rollouts decided which cells are kept: a default, or a file's, is not among the options
// given.
std::map<std::string, std::string> lattice_settings(const EmbedRequest& request, std::size_t rollouts) {
  std::map<std::string, std::string> settings = settings_of(request);
  settings["rollouts"] = fmt::format("{}", rollouts);
  return settings;
}

// The smallest K that keeps the budget: up to `k` if it was given, otherwise all there are.
KChoice choose(const EmbedRequest& request, const Env& env, const Policy& teacher, const Lattice& lattice,
               const LatticePlay& play, const TruncationOptions& truncation, const Progress& progress) {
  const auto with = [&](TruncationOptions of, std::size_t k) {
    of.k = k;
    return LatticeEmbedding::make(teacher, lattice, play, of, request.seed);
  };
  CertifyOptions options;
  options.episodes = request.certify_episodes;
  options.seed = choosing_seed(request.seed);
  options.confidence = request.confidence;
  options.act = request.task.act.value_or(options.act);
  options.horizon = request.task.horizon;
  options.gamma = request.task.gamma.value_or(options.gamma);
  options.model = false;  // `certify` adds what takes longer
  options.max_loss = request.max_loss;
  options.max_loss_return = request.max_loss_return;
  options.pruning_rollouts = lattice.rollouts;
  const StudentOfK student = [&](std::size_t k) {
    return std::make_shared<LatticePolicy>(with(truncation, k).policy());
  };
  TruncationOptions half = truncation;
  half.energy = 0;
  const std::size_t all = truncation.basis.family == BasisFamily::svd ? std::min(lattice.table.rows, lattice.table.cols)
                                                                      : lattice.table.pi.size();
  const KRule rule = rule_of(request);
  std::size_t most = truncation.k > 0 ? truncation.k : std::min(all, 2 * with(half, 0).k());
  if (rule == KRule::energy) most = with(truncation, 0).k();
  KChoice choice = choose_k(EnvPlayer(env), teacher, student, 1, most, options, 3, progress, rule);
  choice.certificate.env = request.task.env;
  return choice;
}

void describe_lattice(const Lattice& lattice, EmbedResult& result) {
  const LatticeDistance distance = lattice_distance(lattice, result.file->embedding.lattice().table());
  result.w1 = distance.w1;
  result.tv = distance.tv;
  result.w1_kind = distance.w1_kind;
  result.cells = lattice.cells->size();
  result.all_cells = lattice.cells->grid().cells();
  result.collapsed_bins = lattice.collapsed_bins;
  result.own_action_edges = lattice.own.grids.size();
  result.empty_rows = result.file->embedding.lattice().empty_rows();
}

void embed_lattice(const EmbedRequest& request, EmbedResult& result, const Progress& progress) {
  TruncationOptions truncation = request.lattice.truncation(request.k);
  truncation.basis = request.basis.value_or(request.usual_basis());
  const bool from_log = is_log_alone(request);
  const auto task = from_log ? nullptr : resolve_task(request.task, request.seed);
  const auto teacher = from_log ? request.teacher.object : resolve_policy(request.teacher, task->task(), progress);
  const auto env =
      from_log ? nullptr : with_spread_of(task, request.task.env, request.seed, *teacher, without_bar(progress));
  const LatticeOptions options = request.lattice.lattice();
  // In episodes; what a table takes is a guess.
  const auto collected = static_cast<double>(request.rollouts.value_or(request.usual_rollouts()));
  const auto judged = static_cast<double>(request.episodes);
  constexpr double tables_play = 0.3;  // of a teacher's time, a guess
  enum : Phases::Place { teacher_plays, fits, chooses, embedding_plays };
  Phases bar(progress, {{"teacher plays", (request.from.empty() ? collected : 0) + (from_log ? 0 : judged)},
                        {"fit", 0.2 * collected},
                        {"choose k", has_budget(request) ? 10.0 * static_cast<double>(request.certify_episodes) : 0},
                        {"embedding plays", from_log ? 0 : 2 * judged * tables_play}});
  const auto make = [&] {
    bar.begin(teacher_plays, collected);
    const Rollouts played = collect(request, env.get(), *teacher, bar.inner());
    bar.begin(fits);
    return make_lattice(*teacher, played, options);
  };
  // Objects have no text to be known by.
  const bool named = !request.teacher.object && !request.task.object && !request.logged;
  const auto shared = named ? shared_lattice(lattice_key(request), make) : std::make_shared<const Lattice>(make());
  const Lattice& lattice = *shared;
  std::optional<KChoice> choice;
  if (has_budget(request)) {
    bar.begin(chooses);
    choice = choose(request, *env, *teacher, lattice, options.playing, truncation, bar.inner());
    truncation.k = choice->k;
  }
  const Embedding made(LatticeEmbedding::make(*teacher, lattice, options.playing, truncation, request.seed));
  finish(request, result, *teacher, made, lattice_settings(request, lattice.rollouts),
         choice ? std::optional(choice->certificate) : std::nullopt);

  describe_lattice(lattice, result);
  result.choice = std::move(choice);
  if (!env) return;
  const RolloutOptions judging = measuring(request, *env);
  const auto earned = [&](Phases::Place phase, const Policy& policy) {
    bar.begin(phase, phase == embedding_plays ? judged * tables_play : judged);
    return summarise(play(*env, policy, judging, bar.inner()).returns);
  };
  result.embedding = earned(embedding_plays, result.file->embedding.policy());
  result.lattice =
      earned(embedding_plays, lattice_policy("lattice", *teacher, lattice, lattice.table, options.playing));
  result.teacher = earned(teacher_plays, *teacher);  // last: how fast it plays is known
}

// --- a lattice that no process holds whole ---

void embed_on_disk(const EmbedRequest& request, EmbedResult& result, const Progress& progress) {
  const LatticeRequest& asked = request.lattice;
  if (asked.order && *asked.order != RowOrder::lexicographic) {
    throw Error(ErrorCode::bad_value,
                fmt::format("--order {} with --scratch, where rows are sorted by cell number", name(*asked.order)),
                "Leave it out: svd keeps as much in any order");
  }
  if (request.out.empty()) {
    throw Error(ErrorCode::missing_option, "no file was named for the embedding", "Add --out FILE.mercer");
  }
  LargeOptions options;
  options.lattice = asked.lattice();
  options.truncation = asked.truncation(request.k);
  options.truncation.basis = request.basis.value_or(request.usual_basis());
  options.episodes = request.rollouts.value_or(request.usual_rollouts());
  options.seed = request.seed;
  if (asked.sketch) options.sketch = *asked.sketch;
  options.scratch = *asked.scratch;
  options.sign = request.sign;
  const auto task = resolve_task(request.task, request.seed);
  const auto teacher = resolve_policy(request.teacher, task->task(), progress);
  const auto env = with_spread_of(task, request.task.env, request.seed, *teacher, without_bar(progress));
  const EmbeddingOrigin origin = make_origin(request.task, request.teacher, *teacher, request.seed,
                                             lattice_settings(request, options.episodes), request.out);
  // It plays twice, for the edges and for the cells, and makes the table from what it met.
  const auto judged = static_cast<double>(request.episodes);
  Phases bar(progress, {{"", 4 * static_cast<double>(options.episodes)}, {"measure", 2 * judged}});
  bar.begin(0);
  const LargeEmbedding made = embed_large(*env, *teacher, options, request.out, origin, team(), bar.inner());
  if (team().rank > 0) return;
  join_team({});  // the others are done
  Acting acting;
  acting.from = RowsFrom::coefficients;
  result.file = read_embedding(request.out, acting);
  result.out = request.out;
  const RolloutOptions judging = measuring(request, *env);
  const auto earned = [&](const Policy& policy) {
    bar.begin(1, judged);
    return summarise(play(*env, policy, judging, bar.inner()).returns);
  };
  result.teacher = earned(*teacher);
  result.embedding = earned(result.file->embedding.policy());
  result.w1 = made.distance.w1;
  result.tv = made.distance.tv;
  result.w1_kind = made.distance.w1_kind;
  result.cells = made.cells;
  result.all_cells = made.all_cells;
  result.collapsed_bins = made.collapsed_bins;
  result.empty_rows = made.empty_rows;
  result.table_bytes = made.table_bytes;
}

// --- the continuous route ---

bool has_wasserstein(const Space& actions) {
  if (actions.is_discrete()) return true;
  return actions.dimensions() == 1 && std::isfinite(actions.axes[0].range.width());
}

ContinuousOptions continuous_options(const EmbedRequest& request) {
  ContinuousOptions options = request.continuous;
  if (request.basis) options.dictionary.basis = *request.basis;
  options.dictionary.lower_degree = !request.given.contains("degree");
  if (request.k > 0) options.k = request.k;
  options.act = request.task.act.value_or(options.act);
  if (request.rollouts) options.episodes = *request.rollouts;
  options.seed = request.seed;
  return options;
}

// On logged states: nothing is played, and the teacher is asked once, about all of them.
void embed_logged_states(const EmbedRequest& request, EmbedResult& result) {
  const Policy& teacher = *request.teacher.object;
  const ContinuousOptions options = continuous_options(request);
  check_options(options, teacher);
  const StateMatrix states = pick_states(*request.logged, request.logged->steps());
  ContinuousCode shape;
  shape.head = head_for(teacher, false);
  shape.squash = shape.head == Head::logits || options.squash;
  shape.format = options.format;
  Samples samples(teacher, shape.head, shape.squash);
  shape.outputs = samples.outputs();
  samples.add(states.view());
  shape.coordinates = choose_coordinates(teacher, shape.head, options.dictionary, states.view(), shape.ranges);
  const Terms dictionary = make_dictionary(options.dictionary, shape.coordinates, samples.points(), options.seed);
  const Embedding embedding(fit_embedding(shape, dictionary, samples, options.k, options.polish, teacher.name()));
  finish(request, result, teacher, embedding, settings_of(request));
}

void embed_continuous(const EmbedRequest& request, EmbedResult& result, const Progress& progress) {
  if (is_log_alone(request)) return embed_logged_states(request, result);
  const auto task = resolve_task(request.task, request.seed);
  const auto teacher = resolve_policy(request.teacher, task->task(), progress);
  const auto env = with_spread_of(task, request.task.env, request.seed, *teacher, without_bar(progress));
  const ContinuousOptions options = continuous_options(request);
  // In episodes; making takes fits, too.
  const double played = static_cast<double>(options.episodes * (2 + 2 * options.rounds));
  const auto judged = static_cast<double>(request.episodes);
  Phases bar(progress, {{"", played}, {"teacher plays", judged}, {"embedding plays", judged}});
  bar.begin(0);
  auto made = make_continuous(*env, *teacher, options, bar.inner());
  const Embedding embedding(std::move(made.front().embedding));
  std::map<std::string, std::string> settings = settings_of(request);
  settings["act"] = std::string(name(options.act));  // as `certify` should play it
  finish(request, result, *teacher, embedding, std::move(settings));
  result.objective = made.front().objective;

  RolloutOptions judging = measuring(request, *env);
  judging.act = options.act;
  const Policy& student = result.file->embedding.policy();
  const auto measured = [&](Phases::Place phase, const Policy& policy) {
    bar.begin(phase);
    return play(*env, policy, judging, bar.inner());
  };
  const auto first = measured(1, *teacher), second = measured(2, student);
  result.teacher = summarise(first.returns);
  result.embedding = summarise(second.returns);
  result.loss = paired_loss(first.returns, second.returns);
  if (options.act != Act::sample) return;
  judging.keep_steps = true;
  judging.episodes = std::min<std::size_t>(judging.episodes, 100);
  const auto seen = play(*env, *teacher, judging, without_bar(progress));
  const auto visited = pick_states(seen, 10000);
  result.tv = mean_total_variation(*teacher, student, visited.view(), request.seed);
  if (has_wasserstein(teacher->action_space())) {  // by quadrature, which takes longer: few states
    result.w1 = policy_distance(*teacher, student, pick_states(seen, 1000).view()).w1;
  }
}

}  // namespace

EmbedRequest::EmbedRequest() { continuous.polish.ridge_steps = 30; }

std::string EmbedRequest::usual_basis() const {
  if (route == Route::continuous) return option_text(continuous.dictionary.basis);
  if (is_large(*this)) return "svd";
  switch (lattice.preset) {
    case LatticeRequest::Preset::printed:
      return "fourier:printed";
    case LatticeRequest::Preset::paper:
      return "fourier";
    case LatticeRequest::Preset::best:
      break;
  }
  return "dct";
}

// With the published 200 episodes the cells that nobody visited cost more than everything else.
std::size_t EmbedRequest::usual_rollouts() const {
  if (route == Route::continuous) return continuous.episodes;
  return lattice.preset == LatticeRequest::Preset::best ? 1000 : 200;
}

double EmbedResult::pruned_percent() const { return 100 * (1 - static_cast<double>(cells) / all_cells); }

LatticeOptions LatticeRequest::lattice() const {
  LatticeOptions options = preset == Preset::best ? best_lattice() : paper_lattice();
  if (state_bins) options.state_bins = *state_bins;
  if (action_bins) options.action_bins = *action_bins;
  if (state_edges) options.state_edges = parse_edge_rule(*state_edges);
  if (action_edges) options.action_edges = parse_edge_rule(*action_edges);
  if (reach_bounds) options.reach_bounds = *reach_bounds;
  if (conditional_actions) options.conditional_actions = *conditional_actions;
  if (table) options.table = *table;
  if (prune) options.prune = *prune;
  if (noise) options.playing.noise = *noise;
  if (unvisited) {
    options.full = *unvisited == Unvisited::teacher;
    options.playing.unvisited =
        *unvisited == Unvisited::uniform ? mercer::Unvisited::uniform : mercer::Unvisited::nearest;
  }
  return options;
}

TruncationOptions LatticeRequest::truncation(std::size_t k) const {
  TruncationOptions options;
  options.k = k;
  options.energy = energy.value_or(preset == Preset::best ? TruncationOptions::usual_energy : 0);
  if (k > 0 && energy) {
    throw Error(ErrorCode::bad_value, fmt::format("--k {} and --energy {} both say how much to keep", k, *energy),
                "Give one of them");
  }
  if (options.energy != 0) {
    require_in_range("--energy", options.energy, 1e-6, 1 - 1e-12, "0 keeps half of all coefficients");
  }
  options.order = preset == Preset::best ? RowOrder::mean_action : RowOrder::lexicographic;
  if (order) options.order = *order;
  if (simplex) options.simplex = *simplex;
  return options;
}

EmbedResult embed(const EmbedRequest& request, const Progress& progress) {
  check(request);
  EmbedResult result;
  try {
    if (request.route == Route::continuous) {
      embed_continuous(request, result, progress);
    } else if (is_large(request)) {
      embed_on_disk(request, result, progress);
    } else {
      embed_lattice(request, result, progress);
    }
  } catch (const Error& error) {
    const bool written = result.file && !request.out.empty();
    if (error.code() != ErrorCode::interrupted || !written) throw;
    throw Error(error.code(), fmt::format("interrupted after '{}' was written, before it was measured", request.out),
                "It is whole; 'mercer evaluate' and 'mercer certify' measure it");
  }
  return result;
}

}  // namespace mercer
