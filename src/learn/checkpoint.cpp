#include "learn/checkpoint.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <zlib.h>

#include "io/file.hpp"
#include "io/safetensors.hpp"
#include "mercer/error.hpp"

namespace mercer::learn {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::string checksum(const Arrays& tensors) {
  uLong sum = 0;
  for (const auto& [name, array] : tensors) {
    sum = crc32_z(sum, reinterpret_cast<const Bytef*>(name.data()), name.size());
    if (array.data.empty()) continue;  // zlib would begin anew at a null pointer
    sum = crc32_z(sum, reinterpret_cast<const Bytef*>(array.data.data()), array.data.size());
  }
  return fmt::format("{:08x}", sum);
}

}  // namespace

void write_checkpoint(const std::filesystem::path& path, const Archive& archive, const std::string& hash) {
  write_safetensors(path, {archive.tensors(), {{"hash", hash}, {"crc32", checksum(archive.tensors())}}});
}

Archive read_checkpoint(const std::filesystem::path& path, const std::string& hash) {
  const Safetensors file = read_safetensors(path);
  const auto text = [&](const char* key) {
    const auto found = file.metadata.find(key);
    return found == file.metadata.end() ? std::string() : found->second;
  };
  if (text("crc32") != checksum(file.tensors)) throw_corrupt(path.string(), "does not have the checksum it announces");
  if (text("hash") != hash) {
    throw Error(ErrorCode::bad_value, fmt::format("'{}' is of a run with other settings", path.string()),
                "Use --force to begin again, or another --out");
  }
  return {file.tensors, path.string()};
}

Checkpoints::Checkpoints(std::filesystem::path file, std::string hash, double seconds,
                         std::function<void(Archive&)> fill)
    : file_(std::move(file)), hash_(std::move(hash)), interval_(seconds), fill_(std::move(fill)) {}

void Checkpoints::write() {
  const auto start = Clock::now();
  Archive archive;
  fill_(archive);
  write_checkpoint(file_, archive, hash_);
  last_ = Clock::now();
  cost_ = std::chrono::duration<double>(last_ - start).count();
}

void Checkpoints::write_if_due() {
  if (interval_ == 0 || seconds_since(last_) >= std::max(interval_, 20 * cost_)) write();
}

}  // namespace mercer::learn
