#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

#include "learn/run_folder.hpp"

namespace mercer::learn {

/// Writes what an archive holds with a checksum (safetensors has none, and a flipped bit would go unseen) and the hash
/// of the configuration it belongs to.
void write_checkpoint(const std::filesystem::path& path, const Archive& archive, const std::string& hash);

/// Reads it back. Throws `corrupt_file` where the checksum does not fit, `bad_value` for another hash, and what
/// `read_safetensors` throws.
Archive read_checkpoint(const std::filesystem::path& path, const std::string& hash);

/// A checkpoint that is written now and then: seldom enough to cost at most a twentieth of the time.
class Checkpoints {
 public:
  /// `fill` puts everything into an archive. At least `seconds` pass between two; 0: none are left out.
  Checkpoints(std::filesystem::path file, std::string hash, double seconds, std::function<void(Archive&)> fill);

  void write();
  void write_if_due();

 private:
  std::filesystem::path file_;
  std::string hash_;
  double interval_, cost_ = 0;
  std::function<void(Archive&)> fill_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace mercer::learn
