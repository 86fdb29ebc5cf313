#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

#include "io/npz.hpp"
#include "learn/network.hpp"
#include "mercer/env.hpp"
#include "mercer/policy.hpp"
#include "mercer/train.hpp"

namespace mercer::learn {

/// What a policy trained with these options expects and does: the normalisation of observations, tanh over the action
/// box (ARS: none).
Contract learned_contract(const Task& task, const AlgorithmOptions& options);

/// Everything that the weights of a run depend on: task and its contract, seed, algorithm and its options. Not the
/// number of steps, so that a run can be made longer.
nlohmann::ordered_json configuration(const Task& task, const TrainOptions& options);

/// A hash of the configuration in 16 hexadecimal digits (FNV-1a of the text).
std::string hash_of(const nlohmann::ordered_json& configuration);

/// Where two configurations differ, as "options.gamma 0.99 and 0.9", at most three places.
std::string differences(const nlohmann::ordered_json& old, const nlohmann::ordered_json& now);

/// The document a snapshot carries: the configuration, the step, and what a policy needs to be played.
nlohmann::ordered_json manifest(const nlohmann::ordered_json& configuration, std::uint64_t step);

/// Named tensors that a learner is written to or filled from: the same calls do both, so that neither can forget what
/// the other knows.
class Archive {
 public:
  /// To write to.
  Archive() = default;
  /// To fill from; `where` names the file in errors.
  Archive(const Arrays& tensors, std::string where) : tensors_(tensors), where_(std::move(where)), filling_(true) {}

  bool filling() const { return filling_; }
  const std::string& where() const { return where_; }
  const Arrays& tensors() const { return tensors_; }

  /// "name.0.weight" [outputs, inputs], "name.0.bias" [outputs], "name.1.weight", ...
  void network(const std::string& name, const Network& network, Vector<float>& weights);
  void numbers(const std::string& name, std::span<float> values);
  void numbers(const std::string& name, std::span<double> values);
  void count(const std::string& name, std::uint64_t& value);
  /// A matrix with any number of rows: to write, and the one that was read.
  void add_rows(const std::string& name, std::span<const float> values, std::size_t width);
  std::vector<float> rows(const std::string& name, std::size_t width) const;

 private:
  const Array& wanted(const std::string& name, Array::Type type, const std::vector<std::size_t>& shape) const;
  template <class Number>
  void exchange(const std::string& name, Array::Type type, std::span<Number> values, std::vector<std::size_t> shape);

  Arrays tensors_;
  std::string where_;
  bool filling_ = false;
};

/// The folder of one run, held by this process alone as long as this lives:
///
///   run.json                      the configuration and its hash
///   snapshot_005000.safetensors   the weights after 5000 steps
///   policy.safetensors            what acts after the last step, without critics and optimiser
///   checkpoint.safetensors        everything needed to go on
class RunFolder {
 public:
  /// Takes the folder for a run of this configuration, making it if need be. Throws `bad_value` if it holds another
  /// run, unless `force`, which removes that run's files; `cannot_write` if another process holds it.
  RunFolder(std::filesystem::path path, const nlohmann::ordered_json& configuration, bool force);
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  std::filesystem::path checkpoint() const { return path_ / "checkpoint.safetensors"; }
  std::filesystem::path policy() const { return path_ / "policy.safetensors"; }
  std::filesystem::path snapshot(std::uint64_t step) const;

 private:
  void lock();
  void remove_run() const;
  void remove_left_overs() const;

  std::filesystem::path path_;
  int lock_ = -1;
};

}  // namespace mercer::learn
