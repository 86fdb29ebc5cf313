#include "view_answers.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "mercer/certify/certify.hpp"
#include "mercer/core/error.hpp"
#include "mercer/view/action_distance.hpp"
#include "mercer/view/action_masses.hpp"
#include "mercer/view/slice.hpp"
#include "report.hpp"
#include "view_numbers.hpp"

namespace answers {
namespace {

using mercer::Range;

constexpr std::size_t most_episodes = 100000, most_grid = 128, most_frames = 1000, most_listed = 200;
constexpr std::size_t polar_rings = 48, polar_bins = 48, distance_states = 200;

std::shared_ptr<const Shown> shown(const Subject& subject, const Question& question) {
  const std::size_t k = question.integer("k", 1, subject.choice().k());
  const std::size_t terms = subject.choice().terms().size();
  return subject.shown(k, question.integers("off", 4096, terms == 0 ? 0 : terms - 1));
}

json axis_json(const mercer::Axis& axis, const Range& range) {
  return {{"name", axis.name}, {"low", number(range.low)}, {"high", number(range.high)}, {"unit", axis.unit}};
}

// The first columns of a matrix, evenly picked.
std::vector<double> some_columns(mercer::MatrixView<const double> all, std::size_t count) {
  std::vector<double> some(all.rows() * count);
  for (std::size_t d = 0; d < all.rows(); ++d) {
    for (std::size_t i = 0; i < count; ++i) some[d * count + i] = all(d, i * all.cols() / count);
  }
  return some;
}

// A certificate names its teacher as it was asked for; a page that may be passed on need not say where it lies.
json certificate_of(mercer::Certificate certificate) {
  certificate.teacher = std::filesystem::path(certificate.teacher).filename().string();
  return json::parse(mercer::certificate_json(certificate));
}

void add_distance(const Subject& subject, const Shown& now, json& answer) {
  const World& world = subject.world();
  const auto all = world.visited.observation_view();
  answer["w1"] = answer["tv"] = nullptr;
  answer["tv_about"] =
      world.act == mercer::Act::mean ? "share of states with another action" : "of action distributions";
  if (!world.teacher || all.cols() == 0) return;
  const std::size_t count = std::min(distance_states, all.cols());
  const std::vector<double> states = some_columns(all, count);
  const mercer::ActionDistance found =
      mercer::action_distance(*world.teacher, now.policy(), {states.data(), all.rows(), count}, world.act);
  if (found.w1) answer["w1"] = number(*found.w1);
  if (found.tv) answer["tv"] = number(*found.tv);
}

mercer::CertifyOptions certify_options(const Subject& subject, std::size_t episodes, std::size_t seed, bool all) {
  mercer::CertifyOptions options;
  options.episodes = episodes;
  options.coupled = std::min<std::size_t>(episodes, 200);
  if (!all) options.levels.clear();
  // Episodes that neither made the embedding nor were looked at when it was made.
  options.seed = subject.file().origin.seed + (std::uint64_t{1} << 33) + seed;
  options.act = subject.world().act;
  return options;
}

json episode_json(const mercer::Rollouts& played, std::size_t states, std::size_t actions, std::size_t stride) {
  json states_out = json::array(), actions_out = json::array(), rewards = json::array();
  const std::size_t steps = played.steps();
  for (std::size_t step = 0; step < steps; step += stride) {
    for (std::size_t d = 0; d < states; ++d) states_out.push_back(short_number(played.states[step * states + d]));
    for (std::size_t d = 0; d < actions; ++d) actions_out.push_back(short_number(played.actions[step * actions + d]));
    double sum = 0;
    for (std::size_t s = step; s < std::min(step + stride, steps); ++s) sum += played.rewards[s];
    rewards.push_back(short_number(sum));
  }
  return {{"states", states_out},
          {"actions", actions_out},
          {"rewards", rewards},
          {"return", played.returns[0]},
          {"terminated", played.terminated[0] != 0}};
}

void check_playable(const Subject& subject) {
  if (subject.world().env) return;
  throw mercer::Error(mercer::ErrorCode::missing_option,
                      "the task of this embedding cannot be played: " + subject.world().missing,
                      "Name the task with --env");
}

// A state that the task may start in: whole numbers where states are counted, no further out than ten windows.
std::vector<double> checked_start(const Subject& subject, std::vector<double> start) {
  const mercer::Visited& visited = subject.world().visited;
  const mercer::Space& space = subject.world().env->task().state;
  for (std::size_t d = 0; d < start.size(); ++d) {
    if (visited.discrete) start[d] = std::round(start[d]);
    Range legal = space.axes[d].range;
    if (!std::isfinite(legal.low) || !std::isfinite(legal.high)) {
      const Range& window = visited.window[d];
      legal = {window.low - 10 * window.width(), window.high + 10 * window.width()};
    }
    mercer::require_in_range("start of " + space.axes[d].name, start[d], legal.low, legal.high,
                             "Start where the task can be");
  }
  return start;
}

std::string terms_note(const Subject& subject) {
  const std::size_t terms = subject.choice().terms().size();
  if (terms == 0) return "This basis takes each row by itself: there are no single functions.";
  const std::string what = subject.embedding().is_lattice()
                               ? "Coefficients of the table; bars show the root of their energy."
                               : "Bars show how much each moves the action where the teacher goes.";
  return terms > most_listed ? fmt::format("{} The first {} of {}.", what, most_listed, terms) : what;
}

}  // namespace

json about(const Subject& subject, std::size_t id, std::size_t sizes) {
  const mercer::EmbeddingFile& file = subject.file();
  const mercer::Embedding& embedding = file.embedding;
  const World& world = subject.world();
  const mercer::Contract& contract = embedding.policy().contract();
  json axes = json::array(), window = json::array(), typical = json::array(), actions = json::array();
  for (std::size_t d = 0; d < world.visited.axes.size(); ++d) {
    axes.push_back(axis_json(world.visited.axes[d], world.visited.window[d]));
    window.push_back({number(world.visited.window[d].low), number(world.visited.window[d].high)});
    typical.push_back(number(world.visited.typical[d]));
  }
  for (const mercer::Axis& axis : contract.action.axes) actions.push_back(axis_json(axis, axis.range));
  json terms = json::array(), on_slider = json::array();
  for (const mercer::KeptTerm& term : subject.choice().terms()) {
    if (terms.size() == most_listed) break;
    terms.push_back({{"name", term.name}, {"energy", number(term.energy)}, {"coefficient", number(term.coefficient)}});
  }
  for (const std::size_t k : subject.choice().sizes(sizes)) {
    on_slider.push_back({{"k", k},
                         {"terms", subject.choice().terms_within(k)},
                         {"payload_bytes", subject.choice().keep(k).payload().size()}});
  }
  json formulas = json::array();
  if (!embedding.is_lattice() && embedding.k() <= 64) formulas = mercer::formulas(embedding.continuous());
  return {{"id", id},
          {"name", subject.name()},
          {"route", embedding.route()},
          {"basis", embedding.basis()},
          {"k", subject.choice().k()},
          {"bytes", file.bytes},
          {"payload_bytes", embedding.payload().size()},
          {"parameters", embedding.parameters().published},
          {"parameters_stored", embedding.parameters().stored},
          {"formulas", formulas},
          {"task", world.env_spec},
          {"task_kind", world.env ? world.env->task().name : ""},
          {"dt", world.env ? world.env->task().dt : contract.dt},
          {"playable", world.env != nullptr},
          {"axes", axes},
          {"window", window},
          {"typical", typical},
          {"default_axes", {0, axes.size() > 1 ? 1 : 0}},
          {"action", {{"axes", actions}, {"count", contract.action.count}}},
          {"teacher",
           {{"name", std::filesystem::path(world.teacher_spec).filename().string()},
            {"bytes", world.teacher_bytes == 0 ? json(nullptr) : json(world.teacher_bytes)},
            {"missing", world.missing}}},
          {"act", world.act == mercer::Act::mean ? "mean" : "sample"},
          {"sizes", on_slider},
          {"terms", terms},
          {"can_switch", !terms.empty()},
          {"terms_note", terms_note(subject)},
          {"certificate", file.certificate ? certificate_of(*file.certificate) : json()}};
}

json evaluate(const Subject& subject, const Question& question, const mercer::Progress& progress) {
  const auto now = shown(subject, question);
  const std::size_t episodes = question.integer("episodes", 2, most_episodes, 1000);
  const std::size_t seed = question.integer("seed", 0, 1'000'000'000, 0);
  const bool all = question.word("bounds") != "none";
  const ShownCode& code = now->code();
  json answer{{"k", now->embedding().k()},
              {"payload_bytes", now->embedding().payload().size()},
              {"parameters", now->embedding().parameters().stored},
              {"operations", code.made ? json(code.made->operations.total()) : json()},
              {"flash_bytes", code.made ? json(code.made->flash_bytes) : json()},
              {"certificate", nullptr},
              {"loss_percent", nullptr},
              {"all_bounds", all}};
  progress.check();
  add_distance(subject, *now, answer);
  const World& world = subject.world();
  if (!world.env || !world.teacher) {
    answer["why"] = "Nothing was played. " + world.missing;
    return answer;
  }
  const mercer::CertifyOptions options = certify_options(subject, episodes, seed, all);
  mercer::RolloutOptions playing;
  playing.episodes = episodes;
  playing.seed = options.seed;
  playing.act = options.act;
  playing.gamma = options.gamma;
  playing.keep_steps = false;
  const auto other = subject.teacher_returns(playing, progress);
  const mercer::Rollouts own = mercer::rollout(*world.env, now->policy(), playing, progress);
  mercer::PairedReturns paired{other->returns,
                               own.returns,
                               other->discounted_returns,
                               own.discounted_returns,
                               world.env->return_range(world.env->task().time_limit),
                               options.seed};
  const mercer::Certificate certificate =
      mercer::certify_paired(*world.env, *world.teacher, now->policy(), paired, options, progress);
  const mercer::PairedLoss loss = mercer::paired_loss(paired.teacher, paired.student);
  answer["teacher"] = to_json(mercer::summarise(paired.teacher));
  answer["embedding"] = to_json(mercer::summarise(paired.student));
  answer["loss_percent"] = number(loss.loss_percent);
  answer["ci95_percent"] = {number(loss.ci95_percent.low), number(loss.ci95_percent.high)};
  answer["certificate"] = certificate_of(certificate);
  return answer;
}

json slice(const Subject& subject, const Question& question) {
  const World& world = subject.world();
  const mercer::Visited& visited = world.visited;
  const std::size_t axes = visited.axes.size();
  mercer::SliceOptions options;
  options.x = question.integer("x", 0, axes - 1);
  options.y = question.integer("y", 0, axes - 1);
  options.n = question.integer("n", 2, most_grid, 64);
  options.fixed = question.numbers("fixed", axes).value_or(visited.typical);
  const auto now = shown(subject, question);
  const mercer::Space& action = now->policy().contract().action;
  const std::size_t output = question.integer("output", 0, action.dimensions() - 1, 0);
  const std::vector<double> values = mercer::slice_observations(world.env.get(), visited, options);
  const std::size_t count = options.n * options.n;
  const mercer::MatrixView<const double> observations(values.data(), values.size() / count, count);
  const std::vector<double> own = mercer::slice_actions(now->policy(), observations, output);
  json teacher = nullptr;
  if (world.teacher) {
    std::string key = fmt::format("{} {} {} {}", options.x, options.y, options.n, output);
    for (const double value : options.fixed) key += fmt::format(" {}", value);
    teacher = rounded(subject.teacher_slice(key, observations, output), 5);
  }
  const std::vector<double> visits = mercer::slice_visits(visited, options);
  Range range = action.axes[output].range;
  if (!std::isfinite(range.low) || !std::isfinite(range.high)) {
    const auto [low, high] = std::ranges::minmax(own);
    range = {low, high};
  }
  return {{"n", options.n},
          {"x", axis_json(visited.axes[options.x], visited.window[options.x])},
          {"y", axis_json(visited.axes[options.y], visited.window[options.y])},
          {"low", number(range.low)},
          {"high", number(range.high)},
          {"count", action.count},
          {"teacher", std::move(teacher)},
          {"embedding", rounded(own, 5)},
          {"visits", visits.empty() ? json(nullptr) : rounded(visits, 3)}};
}

json polar(const Subject& subject, const Question& question) {
  const World& world = subject.world();
  const auto all = world.visited.observation_view();
  const auto now = shown(subject, question);
  if (all.cols() == 0) {
    throw mercer::Error(mercer::ErrorCode::missing_option, "no visited states are known: " + world.missing,
                        "Name the task with --env");
  }
  const mercer::Policy& leading = world.teacher ? *world.teacher : now->policy();
  const std::vector<std::size_t> order = mercer::states_by_action(leading, all, polar_rings);
  const std::vector<double> edges = mercer::action_edges(leading.action_space(), polar_bins);
  std::vector<double> states(all.rows() * order.size());
  for (std::size_t d = 0; d < all.rows(); ++d) {
    for (std::size_t i = 0; i < order.size(); ++i) states[d * order.size() + i] = all(d, order[i]);
  }
  const mercer::MatrixView<const double> view(states.data(), all.rows(), order.size());
  const auto rows = [&](const mercer::Policy& policy) {
    const std::vector<double> masses = mercer::action_masses(policy, view, edges, world.act);
    json table = json::array();
    for (std::size_t r = 0; r < order.size(); ++r)
      table.push_back(rounded(std::span(masses).subspan(r * (edges.size() - 1), edges.size() - 1), 4));
    return table;
  };
  json axes = json::array(), rings = json::array();
  for (std::size_t d = 0; d < world.visited.axes.size(); ++d)
    axes.push_back(axis_json(world.visited.axes[d], world.visited.window[d]));
  for (const std::size_t i : order) {
    json state = json::array();
    for (std::size_t d = 0; d < axes.size(); ++d) state.push_back(short_number(world.visited.state_view()(d, i)));
    rings.push_back(std::move(state));
  }
  return {{"axes", axes},
          {"states", rings},
          {"edges", rounded(edges, 6)},
          {"count", leading.action_space().count},
          {"teacher", world.teacher ? rows(*world.teacher) : json(nullptr)},
          {"embedding", rows(now->policy())}};
}

json play(const Subject& subject, const Question& question, const mercer::Progress& progress) {
  check_playable(subject);
  const World& world = subject.world();
  const auto now = shown(subject, question);
  const std::size_t states = world.env->task().state.dimensions(), actions = world.env->task().action.dimensions();
  mercer::RolloutOptions playing;
  playing.episodes = 1;
  playing.act = world.act;
  playing.horizon = std::min<std::uint32_t>(world.env->task().time_limit, 20000);
  playing.seed = subject.file().origin.seed + (std::uint64_t{1} << 34) + question.integer("another", 0, 1'000'000, 0);
  if (const auto start = question.numbers("start", states)) playing.start_states = checked_start(subject, *start);
  const mercer::Rollouts own = mercer::rollout(*world.env, now->policy(), playing, progress);
  std::optional<mercer::Rollouts> other;
  if (world.teacher) other = mercer::rollout(*world.env, *world.teacher, playing, progress);
  const std::size_t longest = std::max(own.steps(), other ? other->steps() : 0);
  const std::size_t frames = question.integer("frames", 2, most_frames, most_frames);
  const std::size_t stride = question.integer("stride", 1, 20000, (longest + frames - 1) / frames);
  return {{"start", rounded(own.start_states, 6)},
          {"stride", stride},
          {"teacher", other ? episode_json(*other, states, actions, stride) : json(nullptr)},
          {"embedding", episode_json(own, states, actions, stride)}};
}

json code(const Subject& subject, const Question& question) {
  constexpr std::size_t most_text = 400'000;
  const auto now = shown(subject, question);
  const ShownCode& code = now->code();
  if (!code.made) return {{"header", nullptr}, {"source", nullptr}, {"why", code.why}};
  const mercer::CExport& made = *code.made;
  json answer{{"header", made.header},
              {"source", made.source},
              {"flash_bytes", made.flash_bytes},
              {"operations", made.operations.total()}};
  if (made.source.size() > most_text) {
    answer["source"] = answer["header"] = nullptr;
    answer["why"] = fmt::format("The C has {} bytes: 'mercer export c' writes it to a file.", made.source.size());
  }
  return answer;
}

}  // namespace answers
