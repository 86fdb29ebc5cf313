#include "mercer/rollout.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "env/broken.hpp"
#include "mercer/error.hpp"
#include "mercer/parallel.hpp"
#include "mercer/policy.hpp"
#include "rollout/lockstep.hpp"

namespace mercer {

/// The episodes of rollouts as bytes, for another process of the same build; names, seed and discount are left out.
std::string pack_episodes(const Rollouts& rollouts);
Rollouts unpack_episodes(const std::string& bytes);

namespace {

// Every array that belongs to episodes, in one order for both directions.
template <class R, class Each>
void for_each_array(R& rollouts, const Each& each) {
  each(rollouts.offsets);
  each(rollouts.states);
  each(rollouts.observations);
  each(rollouts.actions);
  each(rollouts.rewards);
  each(rollouts.start_states);
  each(rollouts.final_observations);
  each(rollouts.returns);
  each(rollouts.discounted_returns);
  each(rollouts.terminated);
  each(rollouts.motions);
  each(rollouts.distances);
}

}  // namespace

std::string pack_episodes(const Rollouts& rollouts) {
  std::string bytes;
  for_each_array(rollouts, [&](const auto& array) {
    const std::uint64_t count = array.size();
    bytes.append(reinterpret_cast<const char*>(&count), sizeof count);
    bytes.append(reinterpret_cast<const char*>(array.data()), count * sizeof array[0]);
  });
  return bytes;
}

Rollouts unpack_episodes(const std::string& bytes) {
  Rollouts rollouts;
  std::size_t at = 0;
  const auto take = [&](void* to, std::size_t count) {
    if (count > bytes.size() - at) {
      throw Error(ErrorCode::corrupt_file, "episodes of another process are cut short", "Start all processes again");
    }
    if (count > 0) std::memcpy(to, bytes.data() + at, count);
    at += count;
  };
  for_each_array(rollouts, [&](auto& array) {
    std::uint64_t count = 0;
    take(&count, sizeof count);
    if (count > (bytes.size() - at) / sizeof array[0]) {
      throw Error(ErrorCode::corrupt_file, "episodes of another process are cut short", "Start all processes again");
    }
    array.resize(count);
    take(array.data(), count * sizeof array[0]);
  });
  return rollouts;
}

namespace {

void check_start_states(const Task& task, std::span<const double> rows) {
  const std::size_t states = task.state.dimensions();
  if (rows.size() % states != 0) {
    throw Error(
        ErrorCode::shape_mismatch,
        fmt::format("{} numbers of start states do not make rows of {} for task '{}'", rows.size(), states, task.name),
        "Give one row for each start state");
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!std::isfinite(rows[i])) {
      throw Error(ErrorCode::not_finite, fmt::format("start state {} holds {}", i / states, rows[i]),
                  "Give finite start states");
    }
    // A finite task looks up its tables with the state.
    const bool index =
        rows[i] >= 0 && rows[i] < static_cast<double>(task.state.count) && rows[i] == std::floor(rows[i]);
    if (task.state.is_discrete() && !index) {
      throw Error(ErrorCode::out_of_range,
                  fmt::format("start state {} is {}; legal: integers 0 to {}", i, rows[i], task.state.count - 1),
                  "Give states of the task");
    }
  }
}

RolloutOptions completed(const Env& env, const RolloutOptions& given) {
  RolloutOptions options = given;
  require_in_range("episodes", static_cast<double>(options.episodes), 1, 1e9, "Ask for at least one episode");
  require_in_range("batch", static_cast<double>(options.batch), 0, 1 << 20, "Use 0 to have it chosen");
  if (!options.gamma) options.gamma = env.task().gamma;
  if (!options.horizon) options.horizon = env.task().time_limit;
  require_in_range("gamma", *options.gamma, 0, 1, "Give a discount from 0 to 1");
  require_in_range("horizon", *options.horizon, 1, 1e9, "Give the number of steps of an episode");
  check_start_states(env.task(), options.start_states);
  if (options.compared != nullptr) check_fits(*options.compared, env.task());
  if (options.batch == 0) {
    // Wide enough for vector code and matrix products, narrow enough that a batch's columns stay in the cache and both
    // cores have work.
    const std::size_t hands = thread_count() * (shares_work() ? team().size : 1);
    const std::size_t share = (options.episodes + hands - 1) / hands;
    // Kept steps are first written as if every episode were as long as can be: at most 4 million of them at once.
    const std::size_t most = options.keep_steps ? std::clamp<std::size_t>((1 << 22) / *options.horizon, 1, 512) : 512;
    options.batch = std::clamp<std::size_t>(share, 1, most);
  }
  return options;
}

std::vector<std::string> axis_names(const Space& space) {
  std::vector<std::string> names;
  for (const Axis& axis : space.axes) names.push_back(axis.name);
  return names;
}

// Ends work whose kept steps no longer fit in this machine's memory, before the system does it less kindly.
class MemoryGuard {
 public:
  explicit MemoryGuard(const Task& task)
      : bytes_a_step_(8 * (task.state.dimensions() + task.observation.dimensions() + task.action.dimensions() + 1)),
        most_(static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(::sysconf(_SC_PAGE_SIZE)) /
              10 * 8) {}

  void add(std::size_t steps) {
    const std::size_t kept = (steps_ += steps);
    if (kept <= most_ / bytes_a_step_) return;
    throw Error(
        ErrorCode::too_large,
        fmt::format("{} steps were kept and no more fit in {} GiB, most of this machine's memory", kept, most_ >> 30),
        "Ask for fewer episodes or a shorter horizon, or for returns only");
  }

 private:
  std::size_t bytes_a_step_;
  std::size_t most_;
  std::atomic<std::size_t> steps_ = 0;
};

// Room for all steps at once: growing by doubling would need half as much again.
void reserve(Rollouts& all, const std::vector<Rollouts>& parts) {
  std::size_t states = 0, observations = 0, actions = 0, rewards = 0;
  for (const Rollouts& part : parts) {
    states += part.states.size();
    observations += part.observations.size();
    actions += part.actions.size();
    rewards += part.rewards.size();
  }
  all.states.reserve(states);
  all.observations.reserve(observations);
  all.actions.reserve(actions);
  all.rewards.reserve(rewards);
}

// Episodes [first, last), one part for each batch.
std::vector<Rollouts> play(const Env& env, const Policy& policy, const RolloutOptions& options, Share episodes,
                           const Progress& progress) {
  const std::size_t count = episodes.end - episodes.begin;
  std::vector<Rollouts> parts((count + options.batch - 1) / options.batch);
  ProgressCounter counter(progress, "rollout", count);
  MemoryGuard guard(env.task());
  for_each_block(count, options.batch, [&](Block block) {
    const std::size_t own = block.end - block.begin;
    parts[block.index] = play_lockstep(env, policy, options, episodes.begin + block.begin, own, progress);
    if (options.keep_steps) guard.add(parts[block.index].steps());
    counter.add(own);
  });
  return parts;
}

Share moved(Share share, std::size_t by) { return {share.begin + by, share.end + by}; }

// Every process plays its episodes and hands them to all others: what comes out is what one would have played.
std::vector<Rollouts> play_shared(const Env& env, const Policy& policy, const RolloutOptions& options,
                                  const Progress& progress) {
  const Team& all = team();
  Rollouts own;
  for (const Rollouts& part :
       play(env, policy, options, moved(share_of(all.rank, all.size, options.episodes, 16), options.first), progress)) {
    append(own, part);
  }
  std::vector<Rollouts> parts;
  for (const std::string& bytes : all.gather(pack_episodes(own))) parts.push_back(unpack_episodes(bytes));
  return parts;
}

Rollouts join(const Env& env, const Policy& policy, const RolloutOptions& options, std::vector<Rollouts> parts) {
  Rollouts all;
  all.env = env.task().name;
  all.policy = policy.name();
  all.seed = options.seed;
  all.gamma = *options.gamma;
  all.discrete_actions = env.task().action.is_discrete();
  all.state_names = axis_names(env.task().state);
  all.observation_names = axis_names(env.task().observation);
  all.action_names = axis_names(env.task().action);
  reserve(all, parts);
  for (Rollouts& part : parts) {
    append(all, part);
    part = {};  // gives its memory back before the next one is copied
  }
  const auto failed = static_cast<std::size_t>(std::ranges::count(all.terminated, StepEnd::broken));
  std::ranges::replace(all.terminated, StepEnd::broken, StepEnd::task);
  report_broken(all.env, failed, all.episodes());
  return all;
}

}  // namespace

Rollouts rollout(const Env& env, const Policy& policy, const RolloutOptions& given, const Progress& progress) {
  const RolloutOptions options = completed(env, given);
  check_fits(policy, env.task());
  return join(env, policy, options,
              shares_work() ? play_shared(env, policy, options, progress)
                            : play(env, policy, options, moved({0, options.episodes}, options.first), progress));
}

Rollouts rollout_part(const Env& env, const Policy& policy, const RolloutOptions& given, Share part,
                      const Progress& progress) {
  require_in_range("the last episode of a part", static_cast<double>(part.end), static_cast<double>(part.begin + 1),
                   static_cast<double>(given.episodes), "Ask for episodes that are to be played");
  RolloutOptions own = given;
  own.episodes = part.end - part.begin;  // what the batch is chosen for
  const RolloutOptions options = completed(env, own);
  check_fits(policy, env.task());
  return join(env, policy, options, play(env, policy, options, moved(part, options.first), progress));
}

namespace {

RolloutOptions options_for(const Episodes& episodes, bool keep_steps) {
  RolloutOptions out;
  out.episodes = episodes.count;
  out.seed = episodes.seed;
  out.act = episodes.act;
  out.gamma = episodes.gamma;
  out.horizon = episodes.horizon;
  out.keep_steps = keep_steps;
  out.first = episodes.first;
  out.motion = episodes.motion;
  out.compared = episodes.compared;
  return out;
}

}  // namespace

std::optional<bool> failed(const Task& task, const Outcome& outcome) {
  if (task.ending == Ending::plain) return std::nullopt;
  return outcome.terminated == (task.ending == Ending::failure);
}

std::vector<Outcome> outcomes_of(const Rollouts& rollouts) {
  std::vector<Outcome> out(rollouts.episodes());
  for (std::size_t e = 0; e < out.size(); ++e) {
    out[e] = {rollouts.returns[e], rollouts.discounted_returns[e],
              static_cast<std::size_t>(rollouts.offsets[e + 1] - rollouts.offsets[e]), rollouts.terminated[e] != 0};
    if (!rollouts.motions.empty()) out[e].motion = rollouts.motions[e];
    if (!rollouts.distances.empty()) out[e].distance = rollouts.distances[e];
  }
  return out;
}

std::vector<double> returns_of(std::span<const Outcome> outcomes, double gamma) {
  std::vector<double> out;
  out.reserve(outcomes.size());
  for (const Outcome& one : outcomes) out.push_back(gamma < 1 ? one.discounted : one.total);
  return out;
}

std::vector<Outcome> EnvPlayer::play(const Policy& policy, const Episodes& episodes, const Progress& progress) const {
  return outcomes_of(rollout(env_, policy, options_for(episodes, false), progress));
}

Rollouts EnvPlayer::roll_out(const Policy& policy, const Episodes& episodes, const Progress& progress) const {
  return rollout(env_, policy, options_for(episodes, true), progress);
}

std::optional<Range> EnvPlayer::return_range(std::uint32_t horizon, double gamma) const {
  const Range range = mercer::return_range(env_, horizon, gamma);
  if (!std::isfinite(range.low) || !std::isfinite(range.high)) return std::nullopt;
  return range;
}

std::uint32_t reset_seed(std::uint64_t seed, std::uint64_t episode) {
  constexpr std::uint64_t bits = 31, typed = 11;  // 2^11 seeds of 2^20 episodes each
  std::uint64_t number = (seed << (bits - typed)) + episode;
  if (seed >> typed != 0) {
    Random random({seed, Stage::start, 0, 0});
    const std::uint64_t a = random.bits() | 1, b = random.bits();
    number = a * episode + b;
  }
  return static_cast<std::uint32_t>(number & ((std::uint64_t{1} << bits) - 1));
}

}  // namespace mercer
