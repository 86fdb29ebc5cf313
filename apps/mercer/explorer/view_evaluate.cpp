#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "core/fault.hpp"
#include "explorer/view_answers.hpp"
#include "explorer/view_figure.hpp"
#include "explorer/view_numbers.hpp"
#include "mercer/error.hpp"
#include "pipeline/documents.hpp"
#include "pipeline/seeds.hpp"
#include "rollout/motion.hpp"
#include "view/verdicts.hpp"
#include "view/view.hpp"

namespace answers {
namespace {

constexpr std::size_t most_episodes = 100000, distance_states = 200, distance_episodes = 100;

// The first columns of a matrix, evenly picked.
std::vector<double> some_columns(mercer::MatrixView<const double> all, std::size_t count) {
  std::vector<double> some(all.rows() * count);
  for (std::size_t d = 0; d < all.rows(); ++d) {
    for (std::size_t i = 0; i < count; ++i) some[d * count + i] = all(d, i * all.cols() / count);
  }
  return some;
}

void add_distance(const Subject& subject, const Shown& now, json& answer) {
  const World& world = subject.world();
  const auto all = world.visited.observation_view();
  answer["w1"] = answer["tv"] = nullptr;
  answer["tv_about"] = world.act == mercer::Act::mean ? "actions" : "distributions";
  if (!world.teacher || all.cols() == 0) return;
  const std::size_t count = std::min(distance_states, all.cols());
  const std::vector<double> states = some_columns(all, count);
  const mercer::ActionDistance found =
      mercer::action_distance(*world.teacher, now.policy(), {states.data(), all.rows(), count}, world.act);
  if (found.w1) answer["w1"] = number(*found.w1);
  if (found.tv) answer["tv"] = number(*found.tv);
}

mercer::PolicyOutcomes outcomes(const mercer::Rollouts& played, const mercer::Task& task) {
  const mercer::Behaviour behaviour = mercer::behaviour_of(mercer::outcomes_of(played), task);
  mercer::PolicyOutcomes out{.mean_return = mercer::summarise(played.returns).mean};
  if (task.action.is_discrete() || !mercer::scaled_axes(task.action).empty()) out.motion = behaviour.motion;
  if (task.ending != mercer::Ending::plain) out.failures = behaviour.failures;
  return out;
}

// Each needs both policies in every state, so that few episodes serve.
double distance_of(const World& world, const mercer::Policy& playing, const mercer::Policy& other,
                   mercer::RolloutOptions options, const mercer::Progress& progress) {
  options.episodes = std::min(options.episodes, distance_episodes);
  options.compared = &other;
  const mercer::Rollouts played = mercer::rollout(*world.env, playing, options, progress);
  return mercer::behaviour_of(mercer::outcomes_of(played), world.env->task()).distance;
}

// Why the stored certificate is not about what is shown; empty where it is.
std::string uncertified(const Subject& subject, const Question& question) {
  const auto& certificate = subject.file().certificate;
  if (!certificate) return "There is no certificate; 'mercer certify FILE' makes one.";
  const std::size_t all = subject.choice().k(), k = question.integer("k", 1, all);
  const std::size_t off = question.integers("off", 4096, 4096).size();
  if (k - std::min(k, off) != all) {
    return fmt::format("The certificate is about all {} terms, not about the {} that are shown.", all, k - off);
  }
  if (subject.world().other_task) return fmt::format("The certificate is about the task {}.", certificate->env);
  return subject.world().other_teacher ? "The certificate is about another teacher." : "";
}

json verdict_json(const Subject& subject, const Question& question, const Shown& now, mercer::VerdictFacts facts) {
  facts.why_uncertified = uncertified(subject, question);
  const mercer::OutcomePair measured = facts.outcomes;
  std::optional<mercer::Certificate> certificate;
  if (facts.why_uncertified.empty()) {
    certificate = subject.file().certificate;
    certificate->env = file_name(certificate->env);
    facts.certificate = &*certificate;
    facts.verified = subject.file().verified;
    facts.outcomes = mercer::completed(mercer::measured_outcomes(*certificate), measured);
  }
  const ShownCode& code = now.code();
  if (code.made) facts.code = &*code.made;
  facts.why_no_code = code.why;
  const World& world = subject.world();
  const double dt = now.policy().contract().dt;
  facts.dt = dt > 0 || !world.env ? dt : world.env->task().dt;
  json all = json::array();
  for (const mercer::Verdict& one : mercer::verdicts(facts)) {
    all.push_back(
        {{"code", one.code}, {"question", one.question}, {"colour", name(one.colour)}, {"sentence", one.sentence}});
  }
  return all;
}

using mercer::Range;

constexpr std::size_t most_frames = 1000, most_sticks = 60'000;  // of an episode

json episode_json(const mercer::Env& env, const mercer::Rollouts& played, std::size_t stride) {
  const std::size_t states = env.task().state.dimensions(), actions = env.task().action.dimensions();
  json states_out = json::array(), actions_out = json::array(), rewards = json::array();
  std::vector<double> shown;
  const std::size_t steps = played.steps();
  for (std::size_t step = 0; step < steps; step += stride) {
    const auto state = std::span(played.states).subspan(step * states, states);
    shown.insert(shown.end(), state.begin(), state.end());
    for (const double value : state) states_out.push_back(short_number(value));
    for (std::size_t d = 0; d < actions; ++d) actions_out.push_back(short_number(played.actions[step * actions + d]));
    double sum = 0;
    for (std::size_t s = step; s < std::min(step + stride, steps); ++s) sum += played.rewards[s];
    rewards.push_back(short_number(sum));
  }
  json answer{{"states", states_out},
              {"actions", actions_out},
              {"rewards", rewards},
              {"return", played.returns[0]},
              {"terminated", played.terminated[0] != 0}};
  if (json figure = figures_json(env, shown); !figure.is_null()) answer["figure"] = std::move(figure);
  return answer;
}

// Observations of an episode with the mean actions of the embedding there, in all digits: what the exported module,
// which the page runs, must agree with.
json to_compare(const mercer::Rollouts& played, const mercer::Policy& policy) {
  constexpr std::size_t most = 100;
  const std::size_t n = policy.contract().observation.dimensions(), m = policy.action_space().dimensions();
  const std::size_t every = std::max<std::size_t>(1, (played.steps() + most - 1) / most);
  const std::size_t count = (played.steps() + every - 1) / every;
  if (n == 0 || count == 0) return nullptr;
  std::vector<double> columns(n * count), actions(m * count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t d = 0; d < n; ++d) columns[d * count + i] = played.observations[i * every * n + d];
  policy.mean_action(mercer::MatrixView<const double>(columns.data(), n, count), {actions.data(), m, count});
  const auto rows = [&](const std::vector<double>& from, std::size_t width) {
    json list = json::array();
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t d = 0; d < width; ++d) list.push_back(number(from[d * count + i]));
    return list;
  };
  return {{"every", every}, {"observations", rows(columns, n)}, {"actions", rows(actions, m)}};
}

void check_playable(const Subject& subject) {
  if (subject.world().env) return;
  throw mercer::Error(mercer::ErrorCode::missing_option,
                      "the task of this embedding cannot be played: " + subject.world().missing,
                      "Name the task with --env");
}

// A state that the task may start in: integers where states are counted, no further out than ten windows.
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

}  // namespace

std::size_t usual_episodes(const World& world) {
  constexpr std::size_t usual = 1000, steps = 50'000;
  if (!world.env || sticks_of(*world.env, world.visited.typical) == 0) return usual;
  return std::clamp<std::size_t>(steps / world.env->task().time_limit, 50, usual);
}

json evaluate(const Subject& subject, const Question& question, const mercer::Progress& progress) {
  const auto now = shown(subject, question);
  const std::size_t episodes = question.integer("episodes", 2, most_episodes, usual_episodes(subject.world()));
  const std::size_t seed = question.integer("seed", 0, 1'000'000'000, 0);
  const ShownCode& code = now->code();
  json answer{{"k", now->embedding().k()},
              {"payload_bytes", now->embedding().payload().size()},
              {"parameters", now->embedding().parameters().stored},
              {"operations", code.made ? json(code.made->operations.total()) : json()},
              {"flash_bytes", code.made ? json(code.made->flash_bytes) : json()},
              {"episodes", 0},
              {"loss_percent", nullptr}};
  progress.check();
  add_distance(subject, *now, answer);
  const World& world = subject.world();
  if (!world.env || !world.teacher) {
    answer["why"] = "Nothing was played. " + world.missing;
    answer["verdicts"] = verdict_json(subject, question, *now, {});
    return answer;
  }
  mercer::RolloutOptions playing;
  playing.episodes = episodes;
  const std::uint64_t made_with = subject.file().origin.seed;
  playing.seed = mercer::planted(4) ? mercer::choosing_seed(made_with) : mercer::viewing_seed(made_with, seed);
  playing.act = world.act;
  playing.gamma = 1;
  playing.keep_steps = false;
  playing.motion = true;
  const auto other = subject.teacher_returns(playing, progress);
  const mercer::Rollouts own = mercer::rollout(*world.env, now->policy(), playing, progress);
  const mercer::PairedLoss loss = mercer::paired_loss(other->returns, own.returns);
  answer["teacher"] = mercer::document(mercer::summarise(other->returns));
  answer["embedding"] = mercer::document(mercer::summarise(own.returns));
  answer["loss_percent"] = number(loss.loss_percent);
  answer["ci95_percent"] = {number(loss.ci95_percent.low), number(loss.ci95_percent.high)};
  answer["episodes"] = episodes;
  mercer::OutcomePair pair{outcomes(*other, world.env->task()), outcomes(own, world.env->task())};
  pair.teacher.distance = distance_of(world, *world.teacher, now->policy(), playing, progress);
  pair.embedding.distance = distance_of(world, now->policy(), *world.teacher, playing, progress);
  answer["outcomes"] = outcome_json(pair);
  mercer::VerdictFacts facts;
  facts.outcomes = pair;
  facts.loss = loss;
  facts.episodes = episodes;
  answer["verdicts"] = verdict_json(subject, question, *now, std::move(facts));
  return answer;
}

json play(const Subject& subject, const Question& question, const mercer::Progress& progress) {
  check_playable(subject);
  const World& world = subject.world();
  const auto now = shown(subject, question);
  const std::size_t states = world.env->task().state.dimensions();
  mercer::RolloutOptions playing;
  playing.episodes = 1;
  playing.act = world.act;
  playing.horizon = std::min<std::uint32_t>(world.env->task().time_limit, 20000);
  playing.seed = mercer::watching_seed(subject.file().origin.seed, question.integer("another", 0, 1'000'000, 0));
  if (const auto start = question.numbers("start", states)) playing.start_states = checked_start(subject, *start);
  const mercer::Rollouts own = mercer::rollout(*world.env, now->policy(), playing, progress);
  std::optional<mercer::Rollouts> other;
  if (world.teacher) other = mercer::rollout(*world.env, *world.teacher, playing, progress);
  const std::size_t longest = std::max(own.steps(), other ? other->steps() : 0);
  const std::size_t sticks = sticks_of(*world.env, own.start_states);
  const std::size_t bearable = std::max<std::size_t>(2, most_sticks / std::max<std::size_t>(1, sticks));
  const std::size_t frames = std::min(question.integer("frames", 2, most_frames, most_frames), bearable);
  std::size_t stride = question.integer("stride", 1, 20000, (longest + frames - 1) / frames);
  if (sticks > 0) stride = std::max(stride, (longest + bearable - 1) / bearable);
  return {{"start", rounded(own.start_states, 6)},
          {"stride", stride},
          {"teacher", other ? episode_json(*world.env, *other, stride) : json(nullptr)},
          {"embedding", episode_json(*world.env, own, stride)},
          {"module", to_compare(own, now->policy())}};
}

}  // namespace answers
