#include "mercer/train.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <zlib.h>

#include "io/file.hpp"
#include "io/safetensors.hpp"
#include "learn/learner.hpp"
#include "learn/run_folder.hpp"
#include "mercer/error.hpp"
#include "mercer/policy.hpp"

namespace mercer::learn {
namespace {

// Episodes of training are numbered from here on, so that they share no start state and no noise with rollouts of the
// same seed: a policy is not judged on what it was trained on.
constexpr std::uint64_t first_episode = std::uint64_t{1} << 40;

// safetensors has no checksum of its own, and a flipped bit in a state or a step would go unseen.
std::string checksum(const Arrays& tensors) {
  uLong sum = 0;
  for (const auto& [name, array] : tensors) {
    sum = crc32_z(sum, reinterpret_cast<const Bytef*>(name.data()), name.size());
    sum = crc32_z(sum, reinterpret_cast<const Bytef*>(array.data.data()), array.data.size());
  }
  return fmt::format("{:08x}", sum);
}

void check_finite(const Arrays& tensors, std::uint64_t step) {
  for (const auto& [name, array] : tensors) {
    if (array.type != Array::Type::f32) continue;
    for (const double value : array.as_doubles()) {
      if (std::isfinite(value)) continue;
      throw Error(ErrorCode::not_finite, fmt::format("after {} steps '{}' holds {}", step, name, value),
                  "The weights have grown beyond all bounds: use a smaller --learning-rate");
    }
  }
}

MatrixView<double> column(std::vector<double>& numbers) { return {numbers.data(), numbers.size(), 1}; }

// A run between two steps: the episode that is being played, what was seen, what was learned.
class Training {
 public:
  Training(const Env& env, const TrainOptions& options, nlohmann::ordered_json configuration);

  std::uint64_t step() const { return step_; }
  // Plays one step and learns from it.
  void advance();

  void write_snapshot(const std::filesystem::path& path);
  void write_checkpoint(const std::filesystem::path& path);
  void read_checkpoint(const std::filesystem::path& path);

 private:
  void start_episode();
  void observe(std::span<float> observation);
  void exchange(Archive& archive);

  const Env& env_;
  const LearnOptions& options_;
  nlohmann::ordered_json configuration_;
  std::uint64_t seed_;
  Normalisation normalisation_;
  std::unique_ptr<Learner> learner_;
  Replay replay_;

  std::uint64_t step_ = 0;
  std::uint64_t episode_ = 0;
  std::uint64_t episode_step_ = 0;
  std::vector<double> state_, played_, seen_;  // a column of the task, an action, an observation
  std::vector<float> observation_, action_, next_;
};

Training::Training(const Env& env, const TrainOptions& options, nlohmann::ordered_json configuration)
    : env_(env),
      options_(shared_options(options.algorithm)),
      configuration_(std::move(configuration)),
      seed_(options.seed),
      normalisation_(learned_contract(env.task(), options_).normalisation),
      learner_(make_learner(options.algorithm, env.task(), options.seed)),
      replay_(env.task().observation.dimensions(), env.task().action.dimensions(), options_.buffer, options.steps),
      state_(env.rows()),
      played_(env.task().action.dimensions()),
      seen_(env.task().observation.dimensions()),
      observation_(seen_.size()),
      action_(played_.size()),
      next_(seen_.size()) {
  start_episode();
}

void Training::start_episode() {
  const std::uint64_t item = first_episode + episode_;
  env_.reset({seed_, Stage::start, 0, std::span(&item, 1)}, column(state_));
  episode_step_ = 0;
  observe(observation_);
}

void Training::observe(std::span<float> observation) {
  env_.observe(column(state_), column(seen_));
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    observation[i] = static_cast<float>(normalisation_.empty() ? seen_[i] : normalisation_.apply(i, seen_[i]));
  }
}

void Training::advance() {
  learner_->explore(observation_, step_, episode_step_ == 0, action_);
  const Space& space = env_.task().action;
  for (std::size_t i = 0; i < action_.size(); ++i) {
    if (!std::isfinite(action_[i])) {
      throw Error(ErrorCode::not_finite, fmt::format("after {} steps the policy chose action {}", step_, action_[i]),
                  "The weights have grown beyond all bounds: use a smaller --learning-rate");
    }
    const auto [low, high] = space.axes[i].range;
    const double a = action_[i];
    played_[i] = space.is_discrete() ? a : (low + high) / 2 + (high - low) / 2 * a;
  }
  const std::uint64_t item = first_episode + episode_;
  double reward = 0;
  std::uint8_t terminated = 0;
  env_.step(column(state_), column(played_),
            {seed_, Stage::transition, static_cast<std::uint32_t>(episode_step_), std::span(&item, 1)},
            std::span(&reward, 1), std::span(&terminated, 1));
  observe(next_);
  replay_.add(observation_, action_, next_, static_cast<float>(reward), terminated != 0);
  ++step_;
  ++episode_step_;
  if (terminated != 0 || episode_step_ >= env_.task().time_limit) {
    ++episode_;
    start_episode();
  } else {
    observation_.swap(next_);
  }
  if (step_ >= options_.warmup && step_ % options_.train_every == 0) {
    for (std::size_t i = 0; i < options_.updates; ++i) learner_->update(replay_);
  }
}

void Training::exchange(Archive& archive) {
  learner_->exchange(archive);
  archive.count("run.step", step_);
  archive.count("run.episode", episode_);
  archive.count("run.episode_step", episode_step_);
  archive.numbers("run.state", std::span(state_));
}

void Training::write_snapshot(const std::filesystem::path& path) {
  Archive archive;
  learner_->exchange(archive);
  check_finite(archive.tensors(), step_);
  const auto document = manifest(configuration_, step_, replay_.cursor(), replay_.size());
  write_safetensors(path, {archive.tensors(), {{"mercer", document.dump()}}});
}

void Training::write_checkpoint(const std::filesystem::path& path) {
  Archive archive;
  exchange(archive);
  Safetensors file{archive.tensors(), {{"hash", hash_of(configuration_)}}};
  file.tensors["replay.steps"] = Array::of(replay_.numbers(), {replay_.size(), replay_.width()});
  const auto cursor = static_cast<std::int64_t>(replay_.cursor());
  file.tensors["replay.cursor"] = Array::of(std::span(&cursor, 1), {});
  file.metadata["crc32"] = checksum(file.tensors);
  write_safetensors(path, file);
}

void Training::read_checkpoint(const std::filesystem::path& path) {
  const Safetensors file = read_safetensors(path);
  const auto text = [&](const char* key) {
    const auto found = file.metadata.find(key);
    return found == file.metadata.end() ? std::string() : found->second;
  };
  if (text("crc32") != checksum(file.tensors)) throw_corrupt(path.string(), "does not have the checksum it announces");
  if (text("hash") != hash_of(configuration_)) {
    throw Error(ErrorCode::bad_value, fmt::format("'{}' is of a run with other settings", path.string()),
                "Use --force to begin again, or another --out");
  }
  Archive archive(file.tensors, path.string());
  exchange(archive);
  const Array& steps = require_array(file.tensors, "replay.steps", path);
  const std::vector<std::int64_t> cursor = require_array(file.tensors, "replay.cursor", path).as_integers();
  const bool sound = steps.type == Array::Type::f32 && steps.shape.size() == 2 && steps.shape[1] == replay_.width() &&
                     steps.shape[0] <= options_.buffer && cursor.size() == 1 &&
                     static_cast<std::size_t>(cursor[0]) == step_ % options_.buffer;
  if (!sound) {
    throw Error(ErrorCode::bad_format, fmt::format("'{}' holds no steps that fit this run", path.string()),
                "Use --force to begin again, or another --out");
  }
  std::vector<float> numbers(steps.size());
  std::memcpy(numbers.data(), steps.data.data(), steps.data.size());
  replay_.restore(numbers, static_cast<std::size_t>(cursor[0]));
  observe(observation_);
}

}  // namespace
}  // namespace mercer::learn

namespace mercer {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::vector<std::uint64_t> checked_snapshots(const TrainOptions& options) {
  require_in_range("steps", static_cast<double>(options.steps), 1, 1e9, "Give the number of steps to train");
  require_in_range("checkpoint-seconds", options.checkpoint_seconds, 0, 1e6, "Give the seconds between checkpoints");
  std::vector<std::uint64_t> steps = options.snapshots;
  for (const std::uint64_t step : steps) {
    require_in_range("snapshots", static_cast<double>(step), 1, static_cast<double>(options.steps),
                     "Give steps of the run, or train for more --steps");
  }
  steps.push_back(options.steps);
  std::ranges::sort(steps);
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

// Writes a checkpoint now and then: seldom enough to cost at most a twentieth of the time.
class Checkpoints {
 public:
  Checkpoints(learn::Training& training, std::filesystem::path file, double seconds)
      : training_(training), file_(std::move(file)), interval_(seconds) {}

  void write() {
    const auto start = Clock::now();
    training_.write_checkpoint(file_);
    last_ = Clock::now();
    cost_ = std::chrono::duration<double>(last_ - start).count();
  }
  void write_if_due() {
    if (interval_ == 0 || seconds_since(last_) >= std::max(interval_, 20 * cost_)) write();
  }

 private:
  learn::Training& training_;
  std::filesystem::path file_;
  double interval_;
  double cost_ = 0;
  Clock::time_point last_ = Clock::now();
};

// A snapshot of a step that the run has passed can only be there already.
void check_passed_snapshots(const learn::RunFolder& folder, const std::vector<std::uint64_t>& steps,
                            std::uint64_t passed) {
  for (const std::uint64_t step : steps) {
    if (step > passed || std::filesystem::exists(folder.snapshot(step))) continue;
    throw Error(ErrorCode::bad_value,
                fmt::format("the run has passed {} steps and there is no '{}'", passed, folder.snapshot(step).string()),
                "Ask for snapshots of later steps, use another --out, or --force to begin again");
  }
}

// The run as far as it got, or a new one.
std::unique_ptr<learn::Training> take_up(const Env& env, const TrainOptions& options,
                                         const nlohmann::ordered_json& configuration, const learn::RunFolder& folder,
                                         const std::vector<std::uint64_t>& snapshots) {
  auto training = std::make_unique<learn::Training>(env, options, configuration);
  if (!std::filesystem::exists(folder.checkpoint())) return training;
  try {
    training->read_checkpoint(folder.checkpoint());
    check_passed_snapshots(folder, snapshots, training->step());
    return training;
  } catch (const Error&) {
    if (!options.force) throw;
    return std::make_unique<learn::Training>(env, options, configuration);
  }
}

}  // namespace

TrainResult train(const Env& env, const TrainOptions& options, const Progress& progress) {
  const auto start = Clock::now();
  const std::vector<std::uint64_t> snapshots = checked_snapshots(options);
  const auto configuration = learn::configuration(env.task(), options);
  learn::make_learner(options.algorithm, env.task(), options.seed);  // refuses bad options before the folder is touched
  const learn::RunFolder folder(options.folder, configuration, options.force);
  const auto taken_up = take_up(env, options, configuration, folder, snapshots);
  learn::Training& training = *taken_up;

  TrainResult result{std::max(options.steps, training.step()), training.step(), 0, {}};
  for (const std::uint64_t step : snapshots) result.snapshots.push_back({step, folder.snapshot(step)});
  Checkpoints checkpoints(training, folder.checkpoint(), options.checkpoint_seconds);
  while (training.step() < options.steps) {
    if (progress.stop.stop_requested()) {
      checkpoints.write();
      throw Error(ErrorCode::interrupted,
                  fmt::format("stopped after step {} of {}; the checkpoint in '{}' is written", training.step(),
                              options.steps, options.folder.string()),
                  "Run the same command to go on from there");
    }
    training.advance();
    if (std::ranges::binary_search(snapshots, training.step())) {
      training.write_snapshot(folder.snapshot(training.step()));
    }
    if (training.step() == options.steps) {
      checkpoints.write();
    } else {
      checkpoints.write_if_due();
    }
    if (progress.report) {
      progress.report("training", static_cast<double>(training.step()) / static_cast<double>(options.steps));
    }
  }
  result.seconds = seconds_since(start);
  return result;
}

}  // namespace mercer
