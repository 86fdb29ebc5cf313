#pragma once

#include <chrono>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/time_left.hpp"
#include "mercer/compress.hpp"
#include "mercer/parallel.hpp"

namespace mercer {

/// What a long verb leaves in its folder while it works, so that others can see how far it is: `progress.json`, written
/// whole, at most once a second. Any thread may report. Where it cannot be written the work goes on without it.
class RunStatus {
 public:
  /// Writes nothing where `folder` is empty, and nothing before the first report: the verb may refuse the folder.
  /// `about` says what is worked on, such as the task and the teacher.
  RunStatus(std::filesystem::path folder, std::string verb, nlohmann::ordered_json about, std::stop_token stop = {});
  /// Says that the work ended: "done" after `finish`, otherwise "failed", or "interrupted" where a stop was requested.
  ~RunStatus();
  RunStatus(const RunStatus&) = delete;
  RunStatus& operator=(const RunStatus&) = delete;

  /// The same sink, whose reports and notes are also recorded here. Valid as long as this lives.
  Progress recording(const Progress& outer);
  /// A candidate of a search; the front so far is recorded.
  void add(const Candidate& one, bool played);
  /// Anything else, such as {"fraction": 0.5}.
  void update(const nlohmann::ordered_json& fields);
  void finish(nlohmann::ordered_json result = nullptr);

 private:
  void write_if_due();
  void write(const char* state);

  std::filesystem::path folder_;
  nlohmann::ordered_json document_;
  std::vector<std::string> notes_;
  std::vector<nlohmann::ordered_json> tried_;
  TimeLeft left_;
  std::stop_token stop_;
  bool finished_ = false;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point written_{};
  std::mutex mutex_;
};

/// What a folder's `progress.json` says now: `state` is "running", "done", "interrupted", "failed", or "stopped" where
/// the process is gone without a word; `seconds_left` and `seconds_ago` count from now. Throws `cannot_open` with what
/// can be watched where there is no such file, and what `read_json` throws.
nlohmann::ordered_json read_status(const std::filesystem::path& folder);

}  // namespace mercer
