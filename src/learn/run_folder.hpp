#pragma once

#include <filesystem>

#include <nlohmann/json.hpp>

namespace mercer::learn {

/// The folder of one run, held by this process alone as long as this lives:
///
///   run.json                      the configuration and its hash
///   snapshot_005000.safetensors   the weights after 5000 steps
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
  std::filesystem::path snapshot(std::uint64_t step) const;

 private:
  void lock();
  void remove_run() const;
  void remove_left_overs() const;

  std::filesystem::path path_;
  int lock_ = -1;
};

}  // namespace mercer::learn
