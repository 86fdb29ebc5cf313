#include <algorithm>

#include <fmt/format.h>

#include "mercer/env.hpp"
#include "mercer/policy.hpp"
#include "pipeline/options.hpp"
#include "policy/naming.hpp"

// Every option of every verb, once. Defaults are those of the fields.

namespace mercer {
namespace {

using Group = OptionGroup;

constexpr OptionRange episodes_range{1, 1e9}, share_range{0, 1}, confidence_range{0, 1, true};

void add_seed(OptionList& list, Request& request) {
  list.in(Group::run)
      .add({.name = "seed",
            .value = "N",
            .help = "Seed of every random draw",
            .used_first = true,
            .shapes_result = false},
           request.seed);
}

// What an option is unless it is given, where the library's structs say so and the field alone does not.
struct TaskDefaults {
  std::string act;
  std::string gamma = "the task's";
};

std::string text_of(Act act) { return std::string(name(act)); }

// Without `episodes` a verb only names the task.
void add_task(OptionList& list, TaskRequest& task, std::size_t* episodes, const std::string& what_for,
              const TaskDefaults& usual) {
  std::vector<std::string> names;
  for (const EnvEntry& entry : known_envs()) names.push_back(entry.name);
  list.in(Group::task)
      .add({.name = "env",
            .value = "TASK",
            .help = "Task, such as pendulum or chain:n=20",
            .choices = names,
            .used_first = true,
            .shapes_result = false},
           task.env);
  if (episodes != nullptr) {
    list.add({.name = "episodes", .value = "N", .help = what_for, .range = episodes_range, .used_first = true},
             *episodes);
  }
  list.add_name({.name = "act", .value = "HOW", .help = "Draw actions or play the mean action", .standard = usual.act},
                task.act);
  if (episodes == nullptr) return;  // a search plays the task as it is
  list.add({.name = "gamma", .value = "G", .help = "Discount", .range = share_range, .standard = usual.gamma},
           task.gamma);
  list.add({.name = "horizon",
            .value = "N",
            .help = "Steps after which an episode is cut off",
            .range = {1, 1e9},
            .standard = "the task's"},
           task.horizon);
  list.add({.name = "starts", .value = "FILE", .help = "Take the start states from these rollouts (.npz or .csv)"},
           task.starts);
  list.add({.name = "batch",
            .value = "N",
            .help = "Episodes in lockstep; 0 chooses; changes no result",
            .range = {0, 1048576},
            .shapes_result = false},
           task.batch);
}

// Settings of a policy that `wanted` chooses by their keys.
template <class Wanted>
void add_settings(OptionList& list, std::vector<PolicySetting>& into, const Wanted& wanted) {
  for (const PolicySettingKind& kind : known_policy_settings()) {
    // What describes outputs and tensors goes into FILE.toml, or FILE.onnx:mean=NAME.
    if (kind.value == "NAME" || kind.value == "LOW;HIGH" || !wanted(kind.key)) continue;
    const std::size_t bracket = kind.help.rfind(" [");
    list.add_text(
        {.name = kind.key,
         .value = kind.value,
         .help = kind.help.substr(0, bracket),
         .standard = bracket == std::string::npos ? "" : kind.help.substr(bracket + 2, kind.help.size() - bracket - 3)},
        into,
        [key = kind.key](std::vector<PolicySetting>& settings, const std::string& text, const std::string& source) {
          std::erase_if(settings, [&](const PolicySetting& one) { return one.key == key; });
          settings.push_back({key, text, source});
        },
        [key = kind.key](const std::vector<PolicySetting>& settings) -> std::optional<std::string> {
          for (const PolicySetting& one : settings) {
            if (one.key == key) return one.value;
          }
          return std::nullopt;
        });
  }
}

void add_network(OptionList& list, PolicyRequest& policy) {
  add_settings(list.in(Group::network), policy.settings, [](const std::string&) { return true; });
}

void add_naming(OptionList& list, std::vector<PolicySetting>& settings) {
  add_settings(list.in(Group::output), settings,
               [](const std::string& key) { return std::ranges::find(naming_keys(), key) != naming_keys().end(); });
}

void add_policy(OptionList& list, PolicyRequest& policy, const std::string& help) {
  list.in(Group::policy)
      .add({.name = "policy",
            .value = "POLICY",
            .help = help,
            .choices = {"uniform", "tabular:"},
            .used_first = true,
            .shapes_result = false},
           policy.policy);
  add_network(list, policy);
}

const std::string policy_help =
    "uniform, tabular:FILE, or a file .onnx, .safetensors, .zip, .pt, .msgpack, .npz or .mercer";

void add_budget(OptionList& list, std::optional<double>& max_loss, std::optional<double>& max_loss_return,
                double& confidence) {
  list.in(Group::promise)
      .add_share({.name = "max-loss",
                  .value = "SHARE",
                  .help = "Allowed loss as a share of the teacher's return, such as 1% or 0.01",
                  .range = {.low = 0},
                  .standard = max_loss ? fmt::format("{:g}%", 100 * *max_loss) : "",
                  .used_first = true},
                 max_loss);
  list.add({.name = "max-loss-return", .value = "X", .help = "Allowed loss in units of return"}, max_loss_return);
  list.add_share({.name = "confidence",
                  .value = "SHARE",
                  .help = "Confidence of the promise, such as 95% or 0.95",
                  .range = confidence_range,
                  .used_first = true},
                 confidence);
}

void add_keep(OptionList& list, KeepRequest& keep) {
  const Keeps usual = keeps_of(Keep::behaviour);
  list.add_name({.name = "keep",
                 .value = "WHAT",
                 .help = fmt::format("What must be kept besides the loss: behaviour (roughness at most {:g} times the "
                                     "teacher's + {:g}%, failures at most the teacher's + {:g}%) or the return alone",
                                     usual.roughness->factor, 100 * usual.roughness->plus, 100 * usual.failures->plus),
                 .used_first = true},
                keep.keep);
  list.add_share(
      {.name = "max-roughness",
       .value = "SHARE",
       .help = "Largest mean change of the action per step, as a share of its range (discrete: share of steps "
               "with another action)",
       .range = share_range},
      keep.max_roughness);
  list.add_share(
      {.name = "max-distance",
       .value = "SHARE",
       .help = "Largest mean distance from the teacher's actions, as a share of their range (discrete: share "
               "of states where they differ), in states of either",
       .range = share_range},
      keep.max_distance);
  list.add_share({.name = "max-failures",
                  .value = "SHARE",
                  .help = "Largest share of episodes that fail, in tasks that say what a failure is",
                  .range = share_range},
                 keep.max_failures);
}

void add_perturb(OptionList& list, std::string& perturb, std::size_t& grid) {
  list.add(
      {.name = "perturb",
       .value = "BOX",
       .help =
           "Perturb the task in every episode, such as \"m=0.8..1.2; noise=0..0.05; delay=0..1\"; 'mercer list TASK' "
           "shows what a task has"},
      perturb);
  list.add({.name = "grid",
            .value = "N",
            .help = "With --perturb: also certify the points of a grid with N values of each parameter",
            .range = {1, 1000}},
           grid);
}

void add_method(OptionList& list, LossMethod& method, bool& all_episodes) {
  list.add_name({.name = "method",
                 .value = "METHOD",
                 .help = "Bound on the mean of paired differences; student_t is an estimate, no guarantee"},
                method);
  list.add({.name = "all-episodes", .help = "Play all certifying episodes, even where fewer decide the budget"},
           all_episodes);
}

void add_out(OptionList& list, std::string& out, const std::string& value, const std::string& help) {
  list.in(Group::output)
      .add({.name = "out", .value = value, .help = help, .used_first = true, .shapes_result = false}, out);
}

// The key is read at once: a run of hours must not end at a file that is no key.
void add_sign(OptionList& list, std::optional<SigningKey>& key) {
  list.in(Group::output)
      .add_text(
          {.name = "sign",
           .value = "KEY.pem",
           .help = "Sign what is written with this private key (Ed25519, PEM); 'mercer inspect --verify' checks it",
           .shapes_result = false},
          key,
          [](std::optional<SigningKey>& field, const std::string& text, const std::string&) {
            field = read_signing_key(text);
          },
          [](const std::optional<SigningKey>& field) { return field ? std::optional(field->file) : std::nullopt; });
}

// What the presets come to: one text where they agree. A lattice is the same under printed and paper.
template <class Text>
std::string by_preset(Text text) {
  LatticeRequest best, paper;
  best.preset = LatticeRequest::Preset::best;
  paper.preset = LatticeRequest::Preset::paper;
  const std::string first(text(best)), second(text(paper));
  return first == second ? first : fmt::format("best: {}, paper: {}", first, second);
}
// The same of a field of `LatticeOptions`.
template <class Field>
std::string by_preset(Field LatticeOptions::*field) {
  return by_preset([field](const LatticeRequest& request) { return option_text(request.lattice().*field); });
}

std::string unvisited_text(const LatticeRequest& request) {
  const LatticeOptions options = request.lattice();
  if (options.full) return "teacher";
  return options.playing.unvisited == Unvisited::uniform ? "uniform" : "nearest";
}

void add_lattice(OptionList& list, LatticeRequest& lattice) {
  using Preset = LatticeRequest::Preset;
  using Unvisited = LatticeRequest::Unvisited;
  list.in(Group::lattice).of(Route::lattice);
  list.add_choice<Preset>(
      {.name = "preset",
       .value = "WHICH",
       .help = "The published pseudocode to the letter (paper, and basis fourier:printed), the published choices, "
               "or better ones"},
      lattice.preset, {{"printed", Preset::printed}, {"paper", Preset::paper}, {"best", Preset::best}});
  list.add_share({.name = "energy",
                  .value = "SHARE",
                  .help = "Keep the fewest coefficients that hold this share of the energy; 0: half of all",
                  .range = share_range,
                  .standard = by_preset([](const LatticeRequest& of) { return option_text(of.truncation(0).energy); })},
                 lattice.energy);
  list.add({.name = "state-bins",
            .value = "N",
            .help = "Bins of each observation: one number, or one for each",
            .standard = by_preset(&LatticeOptions::state_bins)},
           lattice.state_bins);
  list.add({.name = "action-bins",
            .value = "N",
            .help = "Bins of each action",
            .standard = by_preset(&LatticeOptions::action_bins)},
           lattice.action_bins);
  list.add({.name = "state-edges",
            .value = "RULE",
            .help = "Edges of state bins: quantile, data-quantile, uniform, kmeans or tempered:T",
            .standard = by_preset([](const LatticeRequest& of) { return to_text(of.lattice().state_edges); })},
           lattice.state_edges);
  list.add({.name = "action-edges",
            .value = "RULE",
            .help = "Edges of action bins, by the same rules",
            .standard = by_preset([](const LatticeRequest& of) { return to_text(of.lattice().action_edges); })},
           lattice.action_edges);
  list.add({.name = "reach-bounds",
            .value = "BOOL",
            .help = "Outer action bins reach the bounds of the action",
            .standard = by_preset(&LatticeOptions::reach_bounds)},
           lattice.reach_bounds);
  list.add({.name = "conditional-actions",
            .value = "BOOL",
            .help = "Action edges for each cell, from the actions played there",
            .standard = by_preset(&LatticeOptions::conditional_actions)},
           lattice.conditional_actions);
  list.add_name({.name = "table",
                 .value = "RULE",
                 .help = "Row of a cell: density at the centre, mass of the bin, or counts",
                 .standard = by_preset([](const LatticeRequest& of) { return name(of.lattice().table); })},
                lattice.table);
  list.add_share({.name = "prune",
                  .value = "SHARE",
                  .help = "Leave out cells with at most this share of visits",
                  .range = share_range,
                  .standard = by_preset(&LatticeOptions::prune)},
                 lattice.prune);
  list.add_choice<Unvisited>(
      {.name = "unvisited",
       .value = "RULE",
       .help = "What an unvisited cell does",
       .standard = by_preset(unvisited_text)},
      lattice.unvisited,
      {{"uniform", Unvisited::uniform}, {"nearest", Unvisited::nearest}, {"teacher", Unvisited::teacher}});
  list.add({.name = "noise",
            .value = "BOOL",
            .help = "Draw actions inside their bin, not at its middle",
            .standard = by_preset([](const LatticeRequest& of) { return option_text(of.lattice().playing.noise); })},
           lattice.noise);
  list.add_name(
      {.name = "order", .value = "ORDER", .help = "Order of rows", .standard = by_preset([](const LatticeRequest& of) {
                                                                     return name(of.truncation(0).order);
                                                                   })},
      lattice.order);
  list.add_name({.name = "simplex",
                 .value = "RULE",
                 .help = "Back to probabilities",
                 .standard = by_preset([](const LatticeRequest& of) { return name(of.truncation(0).simplex); })},
                lattice.simplex);
  list.add({.name = "scratch",
            .value = "DIR",
            .help = "Keep the table in files of this folder; basis svd",
            .shapes_result = false},
           lattice.scratch);
  list.add({.name = "sketch",
            .value = "N",
            .help = "With --scratch: size of the sketches that edges come from",
            .range = {8, 16777216},
            .standard = fmt::format("{}", LargeOptions{}.sketch)},
           lattice.sketch);
  list.of(std::nullopt);
}

void add_continuous(OptionList& list, ContinuousOptions& options) {
  list.in(Group::continuous).of(Route::continuous);
  DictionaryOptions& dictionary = options.dictionary;
  list.add({.name = "degree", .value = "N", .help = "Degree of products of functions", .range = {0, 16}},
           dictionary.degree);
  list.add_name({.name = "index-set", .value = "SET", .help = "Products by total degree or hyperbolic cross"},
                dictionary.rule);
  list.add({.name = "degree-limits", .value = "N,N,...", .help = "Largest degree along each observation"},
           dictionary.limits);
  list.add_name({.name = "format", .value = "FORMAT", .help = "Number format of coefficients"}, options.format);
  list.add_choice<bool>({.name = "through", .value = "HOW", .help = "What limits the mean action"}, options.squash,
                        {{"tanh", true}, {"clip", false}});
  list.add({.name = "fit-states", .value = "N", .help = "States of the teacher that the fit sees", .range = {1, 1e6}},
           options.states);
  list.add({.name = "rounds",
            .value = "N",
            .help = "Fits, each with the states that the last one visited",
            .range = {1, 1000}},
           options.rounds);
  list.add({.name = "knots", .value = "N", .help = "Bends of each axis, by where states are", .range = {0, 15}},
           dictionary.knots);
  list.add({.name = "temper", .value = "T", .help = "How far the bends follow the states", .range = share_range},
           dictionary.temper);
  list.add(
      {.name = "candidates", .value = "N", .help = "Ridges, centres or features to choose from", .range = {1, 65536}},
      dictionary.candidates);
  list.add({.name = "ridge-bits",
            .value = "N",
            .help = "Bits of each number of a ridge; centres have one more",
            .range = {3, 8}},
           dictionary.bits);
  list.add({.name = "ridge-steps",
            .value = "N",
            .help = "Steps in which the chosen ridges move; 0 leaves them",
            .range = {0, 1e5}},
           options.polish.ridge_steps);
  list.add({.name = "length",
            .value = "L",
            .help = "Length of kernels, in half ranges of the observations; 0 chooses",
            .range = {0, 1e6}},
           dictionary.length);
  list.of(std::nullopt);
}

}  // namespace

OptionList options_of(RolloutRequest& request) {
  OptionList list(request.given);
  add_task(list, request.task, &request.episodes, "Episodes to play", {text_of(RolloutOptions{}.act)});
  add_policy(list, request.policy, "Policy to play: " + policy_help);
  add_out(list, request.out, "FILE", "File to write: .npz or .csv");
  add_seed(list, request);
  return list;
}

OptionList options_of(EvaluateRequest& request) {
  OptionList list(request.given);
  add_task(list, request.task, &request.episodes, "Episodes to play", {text_of(RolloutOptions{}.act)});
  add_policy(list, request.policy, "Policy to play: " + policy_help);
  list.in(Group::policy)
      .add({.name = "against",
            .value = "POLICY",
            .help = "Second policy: measure what --policy loses against it",
            .choices = {"uniform", "tabular:"},
            .used_first = true},
           request.against.policy);
  list.in(Group::output)
      .add({.name = "rollouts", .value = "FILE", .help = "Measure the return of rollouts in a file instead of playing"},
           request.rollouts);
  list.add({.name = "behaviour",
            .help = "Also measure how actions move, how many episodes fail, and the distance from --against"},
           request.behaviour);
  add_seed(list, request);
  return list;
}

OptionList options_of(EmbedRequest& request) {
  OptionList list(request.given);
  EmbedRequest best, paper, printed, on_disk, continuous;  // what the defaults in words follow from
  paper.lattice.preset = LatticeRequest::Preset::paper;
  printed.lattice.preset = LatticeRequest::Preset::printed;
  on_disk.lattice.scratch.emplace();
  continuous.route = Route::continuous;
  add_task(list, request.task, &request.episodes, "Episodes that measure the result",
           {fmt::format("{}; continuous: {}", text_of(RolloutOptions{}.act), text_of(ContinuousOptions{}.act)),
            fmt::format("the task's; of a promise: {}", CertifyOptions{}.gamma)});
  add_policy(list, request.teacher, "Teacher: " + policy_help);
  list.in(Group::search)
      .add_name({.name = "route", .value = "ROUTE", .help = "How the policy is embedded", .used_first = true},
                request.route);
  list.add({.name = "basis",
            .value = "BASIS",
            .help = "A basis of the route; 'mercer list' shows them",
            .standard = fmt::format("best: {}, paper: {}, printed: {}; with --scratch: {}; continuous: {}",
                                    best.usual_basis(), paper.usual_basis(), printed.usual_basis(),
                                    on_disk.usual_basis(), continuous.usual_basis()),
            .used_first = true},
           request.basis);
  list.add({.name = "k",
            .value = "K",
            .help = fmt::format("Coefficients, rank (svd), components or draws per row (gmm, mle), or terms; 0: by "
                                "--energy, continuous: {}",
                                continuous.continuous.k),
            .range = {0, 1e9},
            .used_first = true},
           request.k);
  list.add({.name = "rollouts",
            .value = "N",
            .help = "Episodes that the embedding is made from",
            .range = episodes_range,
            .standard = fmt::format("best: {}, paper: {}, continuous: {}", best.usual_rollouts(),
                                    paper.usual_rollouts(), continuous.usual_rollouts())},
           request.rollouts);
  list.of(Route::lattice)
      .add({.name = "from",
            .value = "FILE",
            .help = "Make the lattice from rollouts in a file (.npz, .csv) instead of playing"},
           request.from);
  list.of(std::nullopt);
  add_budget(list, request.max_loss, request.max_loss_return, request.confidence);
  list.add({.name = "certify-episodes",
            .value = "N",
            .help = "Paired episodes that choose k, and as many that certify it",
            .range = {2, 1e9}},
           request.certify_episodes);
  list.of(std::nullopt);
  add_lattice(list, request.lattice);
  add_continuous(list, request.continuous);
  add_out(list, request.out, "FILE", "File of the embedding, ending in .mercer");
  add_sign(list, request.sign);
  add_seed(list, request);
  return list;
}

OptionList options_of(CompressRequest& request) {
  using Routes = CompressRequest::Routes;
  OptionList list(request.given);
  SelectionOptions& judge = request.options.judge;
  add_task(list, request.task, nullptr, "", {text_of(SelectionOptions{}.act)});
  add_policy(list, request.teacher, "Teacher: " + policy_help);
  add_budget(list, judge.max_loss, judge.max_loss_return, judge.confidence);
  add_keep(list, request.keep);
  add_perturb(list, request.perturb, request.grid);
  list.add({.name = "max-bytes",
            .value = "N",
            .help = "Largest payload; shared ridges: the largest student that fits is tuned",
            .range = {1, 1e9},
            .used_first = true},
           judge.max_bytes);
  list.add({.name = "certify-episodes",
            .value = "N",
            .help = "Episodes that the promise rests on, at most",
            .range = {2, 1e9}},
           judge.certify_episodes);
  add_method(list, judge.method, judge.all_episodes);
  list.add({.name = "attempts", .value = "N", .help = "Embeddings that may fail their certificate", .range = {1, 1000}},
           judge.attempts);
  list.in(Group::search)
      .add_choice<Routes>({.name = "route", .value = "ROUTE", .help = "Which embeddings to search"}, request.route,
                          {{"both", Routes::both}, {"continuous", Routes::continuous}, {"lattice", Routes::lattice}});
  list.of(Route::continuous);
  list.add_name(
      {.name = "polish", .value = "HOW", .help = "What coefficients are improved on last", .used_first = true},
      request.options.polish);
  list.add({.name = "bases",
            .value = "B,B,...",
            .help = "Dictionaries of the continuous route; shared, the default for more than 4 observations: students "
                    "with ridges that all actions share",
            .standard = option_text(default_dictionaries())},
           request.bases);
  list.add({.name = "degree", .value = "N", .help = "Degree of products of functions", .range = {0, 16}},
           request.degree);
  list.add_text(
      {.name = "formats",
       .value = "F,F,...",
       .help = "Number formats of coefficients",
       .standard = option_text(CompressOptions{}.formats)},
      request.formats,
      [](std::vector<NumberFormat>& formats, const std::string& text, const std::string& source) {
        formats.clear();
        for (const std::string& one : parse_option<std::vector<std::string>>(text, source)) {
          formats.push_back(parse<NumberFormat>(one));
        }
      },
      [](const std::vector<NumberFormat>& formats) -> std::optional<std::string> {
        if (formats.empty()) return std::nullopt;
        return option_text(formats);
      });
  list.add({.name = "most-terms", .value = "N", .help = "Largest K that is tried", .range = {1, 256}},
           request.options.most_terms);
  list.add({.name = "generations",
            .value = "N",
            .help = "Generations of the search on return, for every K",
            .range = {0, 1e5}},
           request.options.search.generations);
  list.add({.name = "candidate-episodes",
            .value = "N",
            .help = "Episodes that each candidate of a generation plays",
            .range = {1, 1e6}},
           request.options.search.episodes);
  list.of(std::nullopt);
  list.add(
      {.name = "select-episodes", .value = "N", .help = "Episodes on which embeddings are compared", .range = {2, 1e9}},
      judge.select_episodes);
  list.add({.name = "states",
            .value = "FILE",
            .help = "Rollouts (.npz, .csv) whose states alone are used: promises action errors, no return"},
           request.states);
  list.add_seconds({.name = "budget",
                    .value = "TIME",
                    .help = "Time for search and certificate, such as 60s or 5m; a quarter certifies; 0: no limit",
                    .standard = "no limit; shared ridges: 40m"},
                   request.options.seconds);
  add_out(list, request.out, "FILE", "File of the embedding, ending in .mercer");
  list.add({.name = "results",
            .value = "FOLDER",
            .help = "Folder for the Pareto front and a list of all candidates, to report or serve; shared ridges: "
                    "search.state there lets the same command continue after a kill",
            .shapes_result = false},
           request.results);
  add_sign(list, request.sign);
  add_seed(list, request);
  return list;
}

OptionList options_of(CertifyRequest& request) {
  using Levels = std::set<Level>;
  OptionList list(request.given);
  list.in(Group::output)
      .add({.name = "file",
            .value = "FILE",
            .help = "The embedding, or any policy that replaces the teacher",
            .used_first = true},
           request.file);
  list.add({.name = "dry-run", .help = "Do not write the certificate into the file"}, request.dry_run);
  add_sign(list, request.sign);
  add_task(list, request.task, &request.episodes, "Paired episodes, at most",
           {"as the embedding was made", option_text(CertifyOptions{}.gamma)});
  add_policy(list, request.teacher, "Teacher, in place of the one that the embedding names: " + policy_help);
  list.in(Group::policy)
      .add({.name = "accept-other-teacher",
            .help = "Accept a teacher whose file has another SHA-256 than the stored one"},
           request.accept_other_teacher);
  add_budget(list, request.max_loss, request.max_loss_return, request.confidence);
  add_keep(list, request.keep);
  add_perturb(list, request.perturb, request.grid);
  list.add_choice<Levels>({.name = "level", .value = "LEVEL", .help = "Which bounds to compute"}, request.levels,
                          {{"all", request.levels},
                           {"paper", {Level::paper}},
                           {"rigorous", {Level::rigorous}},
                           {"model", {Level::model}},
                           {"exact", {Level::exact}},
                           {"statistical", {Level::statistical}}});
  add_method(list, request.method, request.all_episodes);
  list.add({.name = "coupled",
            .value = "N",
            .help = "Episodes of each policy for bounds that need steps",
            .range = episodes_range},
           request.coupled);
  list.add({.name = "attempt",
            .value = "J",
            .help = "This is the J-th candidate you certify: each spends less; 0: the only one",
            .range = {0, 1e6}},
           request.attempt);
  add_seed(list, request);
  return list;
}

OptionList options_of(ExportRequest& request) {
  using Format = ExportRequest::Format;
  OptionList list(request.given);
  list.in(Group::output)
      .add_choice<Format>({.name = "format", .value = "FORMAT", .help = "What to write", .used_first = true},
                          request.format,
                          {{"c", Format::c},
                           {"st", Format::st},
                           {"rust", Format::rust},
                           {"js", Format::js},
                           {"onnx", Format::onnx},
                           {"json", Format::json}});
  list.add({.name = "file", .value = "FILE", .help = "The embedding", .used_first = true}, request.file);
  list.add({.name = "out", .value = "FOLDER", .help = "Folder for the files", .used_first = true}, request.out);
  list.add({.name = "name",
            .value = "NAME",
            .help = "Name of the files, and prefix of every name in them",
            .used_first = true},
           request.options.name);
  list.add_name({.name = "numbers", .value = "KIND", .help = "What the C computes with"}, request.options.numbers);
  list.add_name({.name = "math", .value = "FROM", .help = "Where tanh, exp and square roots come from"},
                request.options.math);
  list.add_name({.name = "mode", .value = "MODE", .help = "How a lattice is laid down"}, request.options.mode);
  list.add_name({.name = "core",
                 .value = "CORE",
                 .help = "Compile the C for this core and measure flash, RAM, stack and instructions",
                 .standard = "an estimate"},
                request.core);
  list.add({.name = "kit",
            .help = "Write a library for CMake, Arduino, PlatformIO and Zephyr, with a test that plays episodes"},
           request.kit);
  list.add({.name = "force", .help = "Replace files that hold something else"}, request.force);
  list.add({.name = "safe-action",
            .value = "A,A,...",
            .help = "Action for an observation that is not a number",
            .standard = "the middle of the range"},
           request.options.safe_action);
  list.add({.name = "check",
            .value = "FILE.json",
            .help = "Test vectors of 'mercer inspect': C, Rust and JavaScript get a program that checks them, the "
                    "self-tests of Structured Text and ONNX hold them"},
           request.check);
  add_naming(list, request.naming);
  return list;
}

OptionList options_of(InspectRequest& request) {
  OptionList list(request.given);
  list.in(Group::output)
      .add({.name = "file",
            .value = "FILE",
            .help = "An embedding (.mercer), an agent (.zip), a network (.onnx, .safetensors, .pt, .msgpack, .npz) or "
                    "a table (.json, .npz)",
            .used_first = true},
           request.policy.policy);
  list.add({.name = "test-vectors",
            .value = "N",
            .help = "Write N observations with the policy's mean actions as JSON and npz, to check exports with",
            .range = {0, 1e6},
            .used_first = true},
           request.test_vectors);
  list.add({.name = "out",
            .value = "NAME",
            .help = "Name of the test vectors' files, without ending",
            .standard = "FILE.vectors"},
           request.out);
  list.add({.name = "verify",
            .value = "KEY.pub",
            .help = "Refuse a file that is not signed with this key (its public half, PEM)",
            .used_first = true},
           request.public_key);
  list.add_name({.name = "notation", .value = "HOW", .help = "How formulas are written"}, request.notation);
  list.in(Group::task)
      .add({.name = "env",
            .value = "TASK",
            .help = "Task of the policy, for names, units and bounds",
            .standard = "the spaces that the file describes"},
           request.env);
  add_network(list, request.policy);
  add_seed(list, request);
  return list;
}

const std::vector<OptionHint>& option_hints() {
  static const std::vector<OptionHint> hints{
      {"train", "algorithm", {"algo"}},
      {"embed", "states", {"fit-states"}},
      {"embed", "teacher", {"policy"}},
      {"embed", "terms", {"k"}},
      {"compress", "basis", {"bases"}},
      {"compress", "episodes", {"candidate-episodes", "select-episodes", "certify-episodes"}},
      {"compress", "format", {"formats"}},
      {"compress", "k", {"most-terms"}},
      {"compress", "seconds", {"budget"}},
      {"compress", "teacher", {"policy"}},
      {"compress", "time", {"budget"}},
      {"certify", "levels", {"level"}},
      {"certify", "teacher", {"policy"}},
  };
  return hints;
}

std::vector<VerbOptions> all_options() {
  std::vector<VerbOptions> all;
  const auto add = [&]<class R>(const std::string& verb, R request) {
    all.push_back({verb, options_of(request).all()});
    for (Option& option : all.back().options) option.text = nullptr, option.parse = nullptr;  // the request is gone
  };
  add("train", TrainRequest{});
  add("rollout", RolloutRequest{});
  add("evaluate", EvaluateRequest{});
  add("embed", EmbedRequest{});
  add("compress", CompressRequest{});
  add("certify", CertifyRequest{});
  add("export", ExportRequest{});
  add("inspect", InspectRequest{});
  return all;
}

}  // namespace mercer
