#include "mercer/train.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "env/broken.hpp"
#include "io/safetensors.hpp"
#include "learn/checkpoint.hpp"
#include "learn/run_folder.hpp"
#include "learn/trainer.hpp"
#include "mercer/error.hpp"

namespace mercer::learn {
namespace {

void check_finite(const Arrays& tensors, std::uint64_t step) {
  for (const auto& [name, array] : tensors) {
    if (array.type != Array::Type::f32 && array.type != Array::Type::f64) continue;
    for (const double value : array.as_doubles()) {
      if (std::isfinite(value)) continue;
      throw Error(ErrorCode::not_finite, fmt::format("after {} steps '{}' holds {}", step, name, value),
                  "The weights have grown beyond all bounds: use a smaller --learning-rate");
    }
  }
}

double process_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// A trainer and its files.
class Training {
 public:
  Training(const Env& env, const TrainOptions& options, nlohmann::ordered_json configuration)
      : trainer_(make_trainer(env, options)), configuration_(std::move(configuration)) {}

  std::uint64_t step() const { return trainer_->step(); }
  void advance() { trainer_->advance(); }
  const Trainer::Episodes& episodes() const { return trainer_->episodes(); }

  void write_snapshot(const std::filesystem::path& path) {
    Archive archive;
    trainer_->exchange_learned(archive);
    write(archive, path);
  }
  void write_policy(const std::filesystem::path& path) {
    Archive archive;
    trainer_->exchange_actor(archive);
    write(archive, path);
  }
  void read_checkpoint(const std::filesystem::path& path) {
    Archive archive = learn::read_checkpoint(path, hash_of(configuration_));
    exchange(archive);
  }
  /// Everything that the run is, to write or to fill from.
  void exchange(Archive& archive) {
    trainer_->exchange(archive);
    double spent = cpu_seconds();
    archive.numbers("run.cpu_seconds", std::span(&spent, 1));
    if (!archive.filling()) return;
    cpu_seconds_ = spent;
    started_ = process_seconds();
  }

  // Processor time of the run, earlier calls included.
  double cpu_seconds() const { return cpu_seconds_ + process_seconds() - started_; }

 private:
  void write(const Archive& archive, const std::filesystem::path& path) const {
    check_finite(archive.tensors(), step());
    auto document = manifest(configuration_, step());
    trainer_->describe(document);
    write_safetensors(path, {archive.tensors(), {{"mercer", document.dump()}}});
  }

  std::unique_ptr<Trainer> trainer_;
  nlohmann::ordered_json configuration_;
  double cpu_seconds_ = 0;
  double started_ = process_seconds();
};

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
  learn::make_trainer(env, options);  // refuses bad options before the folder is touched
  const learn::RunFolder folder(options.folder, configuration, options.force);
  const auto taken_up = take_up(env, options, configuration, folder, snapshots);
  learn::Training& training = *taken_up;

  TrainResult result{0, training.step(), 0, 0, {}, folder.policy()};
  for (const std::uint64_t step : snapshots) result.snapshots.push_back({step, folder.snapshot(step)});
  learn::Checkpoints checkpoints(folder.checkpoint(), learn::hash_of(configuration), options.checkpoint_seconds,
                                 [&](learn::Archive& archive) { training.exchange(archive); });
  while (training.step() < options.steps) {
    if (progress.stop.stop_requested()) {
      checkpoints.write();
      throw Error(ErrorCode::interrupted,
                  fmt::format("stopped after step {} of {}; the checkpoint in '{}' is written", training.step(),
                              options.steps, options.folder.string()),
                  "Run the same command to go on from there");
    }
    const std::uint64_t before = training.step();
    training.advance();
    for (const std::uint64_t step : snapshots) {
      if (before < step && step <= training.step()) training.write_snapshot(folder.snapshot(step));
    }
    if (training.step() >= options.steps) {
      checkpoints.write();
    } else {
      checkpoints.write_if_due();
    }
    if (progress.report) {
      const auto& played = training.episodes();
      progress.report(
          played.whole == 0 ? "training" : fmt::format("training, recent mean return {:.4g}", played.recent),
          std::min(1.0, static_cast<double>(training.step() - result.resumed_from) /
                            static_cast<double>(options.steps - result.resumed_from)));
    }
  }
  training.write_policy(folder.policy());
  report_broken(env.task().name, training.episodes().broken, training.episodes().ended);
  result.steps = training.step();
  result.seconds = seconds_since(start);
  result.cpu_seconds = training.cpu_seconds();
  return result;
}

}  // namespace mercer
