#include "learn/training.hpp"

#include <cmath>
#include <cstring>

#include <fmt/format.h>
#include <zlib.h>

#include "io/file.hpp"
#include "io/safetensors.hpp"
#include "learn/manifest.hpp"
#include "mercer/error.hpp"

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

}  // namespace

Training::Training(const Env& env, const TrainOptions& options, nlohmann::ordered_json configuration)
    : env_(env),
      options_(shared_options(options.algorithm)),
      configuration_(std::move(configuration)),
      seed_(options.seed),
      normalisation_(learned_contract(env.task(), options_).normalisation),
      learner_(make_learner(options.algorithm, env.task(), options.seed)),
      replay_(env.task().observation.dimensions(), env.task().action.dimensions(), options_.buffer, options.steps),
      state_(env.task().state.dimensions()),
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

}  // namespace mercer::learn
