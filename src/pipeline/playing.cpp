#include "pipeline/playing.hpp"

#include <chrono>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "certify/grid.hpp"
#include "mercer/env.hpp"
#include "mercer/error.hpp"
#include "mercer/policy.hpp"
#include "pipeline/teacher.hpp"

namespace mercer {
namespace {

std::vector<std::string> names_of(const Space& space) {
  std::vector<std::string> names;
  for (const Axis& axis : space.axes) names.push_back(axis.name);
  return names;
}

Rollouts without_steps(const Task& task, const Policy& policy, const Episodes& episodes,
                       const std::vector<Outcome>& outcomes) {
  Rollouts out;
  out.env = task.name;
  out.policy = policy.name();
  out.seed = episodes.seed;
  out.gamma = episodes.gamma.value_or(task.gamma);
  out.discrete_actions = task.action.is_discrete();
  out.observation_names = names_of(task.observation);
  out.action_names = names_of(task.action);
  for (const Outcome& one : outcomes) {
    out.offsets.push_back(out.offsets.back() + static_cast<std::int64_t>(one.steps));
    out.returns.push_back(one.total);
    out.discounted_returns.push_back(one.discounted);
    out.terminated.push_back(one.terminated ? 1 : 0);
    if (episodes.motion) out.motions.push_back(one.motion);
    if (episodes.compared != nullptr) out.distances.push_back(one.distance);
  }
  return out;
}

// By a player that is no task of the library: it draws its own start states, and batches as it likes.
Rollouts play_outside(const Player& player, const Policy& policy, const RolloutOptions& options,
                      const Progress& progress) {
  if (!options.start_states.empty()) {
    throw Error(ErrorCode::bad_value,
                fmt::format("start_states were given, and '{}' is not a built-in task: it can only be reset by seed",
                            player.task().name),
                "Leave them out");
  }
  const Episodes episodes{.count = options.episodes,
                          .seed = options.seed,
                          .act = options.act,
                          .gamma = options.gamma,
                          .horizon = options.horizon,
                          .motion = options.motion,
                          .compared = options.compared};
  if (options.keep_steps) return player.roll_out(policy, episodes, progress);
  return without_steps(player.task(), policy, episodes, player.play(policy, episodes, progress));
}

// A task of the library. Without a box its text may draw parameters all the same; then nothing is known of points.
class TaskPlayer final : public BoxPlayer {
 public:
  TaskPlayer(std::string spec, std::uint64_t seed, std::vector<Perturbation> box, std::shared_ptr<const Env> env,
             std::vector<double> spread = {})
      : spec_(std::move(spec)),
        seed_(seed),
        box_(std::move(box)),
        env_(std::move(env)),
        spread_(std::move(spread)),
        player_(*env_) {}

  const Task& task() const override { return player_.task(); }
  std::vector<Outcome> play(const Policy& policy, const Episodes& episodes, const Progress& progress) const override {
    return player_.play(policy, episodes, progress);
  }
  Rollouts roll_out(const Policy& policy, const Episodes& episodes, const Progress& progress) const override {
    return player_.roll_out(policy, episodes, progress);
  }
  std::optional<Range> return_range(std::uint32_t horizon, double gamma) const override {
    return player_.return_range(horizon, gamma);
  }
  bool parallel() const override { return player_.parallel(); }
  const Env* env() const override { return env_.get(); }
  std::span<const Perturbation> box() const override { return box_; }
  std::shared_ptr<const Player> at(std::span<const double> values) const override {
    const std::string point = perturbed_spec(spec_, box_, values);
    return std::make_shared<TaskPlayer>(point, seed_, std::vector<Perturbation>{}, with_spread(point, seed_, spread_));
  }

  // The same with the spread of observations that a policy causes.
  std::shared_ptr<const Player> known_spread(const Policy& policy, const Progress& progress) const {
    std::vector<double> spread = spread_of(spec_, env_->task().observation, seed_, policy, progress);
    auto env = with_spread(box_.empty() ? spec_ : perturbed_spec(spec_, box_), seed_, spread);
    return std::make_shared<TaskPlayer>(spec_, seed_, box_, std::move(env), std::move(spread));
  }

 private:
  std::string spec_;
  std::uint64_t seed_;
  std::vector<Perturbation> box_;
  std::shared_ptr<const Env> env_;
  std::vector<double> spread_;
  EnvPlayer player_;
};

}  // namespace

std::shared_ptr<const Player> resolve_player(const TaskRequest& request, std::uint64_t seed) {
  if (request.player) return request.player;
  return std::make_shared<TaskPlayer>(request.env, seed, std::vector<Perturbation>{}, resolve_task(request, seed));
}

std::shared_ptr<const Player> with_spread_of(const std::shared_ptr<const Player>& player, const TaskRequest& request,
                                             std::uint64_t seed, const Policy& policy, const Progress& progress) {
  if (player->env() == nullptr || !needs_spread(*player->env())) return player;
  if (const auto* own = dynamic_cast<const TaskPlayer*>(player.get())) return own->known_spread(policy, progress);
  return TaskPlayer(request.env, seed, {}, make_env(request.env, seed)).known_spread(policy, progress);
}

TaskRequest perturbed(const TaskRequest& request, const std::string& perturb, std::uint64_t seed) {
  if (perturb.empty()) return request;
  if (request.player && request.player->env() == nullptr) {
    throw Error(
        ErrorCode::bad_value,
        fmt::format("--perturb was given, and '{}' is not a built-in task: nothing here can change its parameters",
                    request.player->task().name),
        "Give mercer.Perturbed(make, ranges) as the environment, with a function that makes a perturbed one");
  }
  std::vector<Perturbation> box = read_perturbations(request.env, perturb);
  TaskRequest out = request;
  out.env = perturbed_spec(request.env, box);
  out.object = nullptr;
  out.player = std::make_shared<TaskPlayer>(request.env, seed, std::move(box), make_env(out.env, seed));
  return out;
}

std::vector<std::shared_ptr<const Player>> grid_players(const Player& player, std::size_t each) {
  std::vector<std::shared_ptr<const Player>> out;
  const auto* const boxed = dynamic_cast<const BoxPlayer*>(&player);
  if (boxed == nullptr || boxed->box().empty()) return out;
  for (const std::vector<double>& values : grid_of(boxed->box(), each)) out.push_back(boxed->at(values));
  return out;
}

std::size_t grid_points(const Player& player, std::size_t each) {
  const auto* const boxed = dynamic_cast<const BoxPlayer*>(&player);
  return boxed == nullptr || boxed->box().empty() ? 0 : grid_of(boxed->box(), each).size();
}

void add_grid(Certificate& certificate, const Player& player, const Policy& teacher, const Policy& student,
              std::size_t each, const CertifyOptions& options, const Progress& progress) {
  const auto* const boxed = dynamic_cast<const BoxPlayer*>(&player);
  if (boxed == nullptr || boxed->box().empty()) return;
  certificate.grid = certify_grid(*boxed, teacher, student, each, options, certificate.cut, progress);
  for (std::string& sentence : certificate.not_covered) {
    if (sentence.starts_with("a task other than")) sentence = "a task outside the box, or other start states";
  }
  certificate.not_covered.emplace_back(
      "points of the box that are not on the grid, one by one: over the box the promise is about the mean");
}

Rollouts play(const Player& player, const Policy& policy, const RolloutOptions& options, const Progress& progress) {
  const auto start = std::chrono::steady_clock::now();
  const Env* const env = player.env();
  Rollouts played =
      env == nullptr ? play_outside(player, policy, options, progress) : rollout(*env, policy, options, progress);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (progress.note) {
    progress.note(fmt::format("{} steps of {} in {} took {:.3f} s: {:.3g} steps a second", played.steps(),
                              policy.name(), player.task().name, seconds,
                              static_cast<double>(played.steps()) / seconds));
  }
  return played;
}

RolloutOptions playing_options(const TaskRequest& request, const Task& task, std::size_t episodes, std::uint64_t seed) {
  RolloutOptions options;
  options.episodes = episodes;
  options.seed = seed;
  options.batch = request.batch;
  options.act = request.act.value_or(options.act);
  options.gamma = request.gamma;
  options.horizon = request.horizon;
  options.start_states = request.start_states;
  if (request.starts.empty()) return options;
  const Rollouts from = read_rollouts(request.starts);
  const std::vector<std::string> names = names_of(task.state);
  if (from.episodes() == 0 || from.start_states.size() != from.episodes() * task.state.dimensions() ||
      from.state_names != names) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("'{}' has {} start states of ({}) and the states of task '{}' are ({})", request.starts,
                            from.episodes(), fmt::join(from.state_names, ", "), task.name, fmt::join(names, ", ")),
                "Give rollouts of a task with the same states");
  }
  options.start_states = from.start_states;
  return options;
}

void refuse_failures(const KeepRequest& keep, const Task& task) {
  if (!keep.max_failures || task.ending != Ending::plain) return;
  throw Error(ErrorCode::bad_value,
              fmt::format("--max-failures was given, and task '{}' does not say what a failure is", task.name),
              "Leave it out");
}

void refuse_starts(const TaskRequest& request) {
  if (request.starts.empty() && request.start_states.empty()) return;
  throw Error(ErrorCode::bad_value, "--starts was given, and a certificate needs start states that the task draws",
              "Leave it out; 'mercer evaluate --against' compares on given starts");
}

}  // namespace mercer
