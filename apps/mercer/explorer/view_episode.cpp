#include <algorithm>
#include <cmath>
#include <optional>

#include "explorer/view_answers.hpp"
#include "explorer/view_numbers.hpp"
#include "explorer/view_parts.hpp"
#include "mercer/error.hpp"
#include "pipeline/seeds.hpp"

namespace answers {
namespace {

using mercer::Range;

constexpr std::size_t most_frames = 1000;

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

}  // namespace

json play(const Subject& subject, const Question& question, const mercer::Progress& progress) {
  check_playable(subject);
  const World& world = subject.world();
  const auto now = shown(subject, question);
  const std::size_t states = world.env->task().state.dimensions(), actions = world.env->task().action.dimensions();
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
  const std::size_t frames = question.integer("frames", 2, most_frames, most_frames);
  const std::size_t stride = question.integer("stride", 1, 20000, (longest + frames - 1) / frames);
  return {{"start", rounded(own.start_states, 6)},
          {"stride", stride},
          {"teacher", other ? episode_json(*other, states, actions, stride) : json(nullptr)},
          {"embedding", episode_json(own, states, actions, stride)}};
}

}  // namespace answers
