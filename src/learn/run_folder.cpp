#include "learn/run_folder.hpp"

#include <cerrno>
#include <cmath>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <unistd.h>

#include "io/documents.hpp"
#include "io/file.hpp"
#include "learn/sac.hpp"
#include "mercer/error.hpp"
#include "policy/files.hpp"

namespace mercer::learn {
namespace {

using nlohmann::ordered_json;

// Grows by one whenever the same configuration would train to other weights.
constexpr int revision = 2;

ordered_json shared(const LearnOptions& o) {
  return {{"hidden", o.hidden},
          {"learning_rate", o.learning_rate},
          {"decay_updates", o.decay_updates},
          {"batch_size", o.batch_size},
          {"gamma", o.gamma},
          {"buffer", o.buffer},
          {"warmup", o.warmup},
          {"train_every", o.train_every},
          {"updates", o.updates},
          {"scale_observations", o.scale_observations}};
}

ordered_json to_json(const SacOptions& o) {
  ordered_json document = shared(o);
  document["tau"] = o.tau;
  document["initial_alpha"] = o.initial_alpha;
  document["target_entropy"] = o.target_entropy ? ordered_json(*o.target_entropy) : ordered_json();
  document["tune_alpha"] = o.tune_alpha;
  document["noise_correlation"] = o.noise_correlation;
  return document;
}

ordered_json to_json(const DqnOptions& o) {
  ordered_json document = shared(o);
  document["double_q"] = o.double_q;
  document["epsilon_start"] = o.epsilon_start;
  document["epsilon_end"] = o.epsilon_end;
  document["epsilon_steps"] = o.epsilon_steps;
  document["epsilon_run"] = o.epsilon_run;
  document["target_every"] = o.target_every;
  document["max_gradient_norm"] = o.max_gradient_norm;
  return document;
}

ordered_json to_json(const ArsOptions& o) {
  return {{"directions", o.directions}, {"best", o.best}, {"step_size", o.step_size}, {"noise", o.noise}};
}

}  // namespace

Contract learned_contract(const Task& task, const AlgorithmOptions& options) {
  Contract contract = contract_of(task);
  if (const LearnOptions* learn = learn_options(options); learn != nullptr && learn->scale_observations) {
    Normalisation& normal = contract.normalisation;
    for (const Axis& axis : task.observation.axes) {
      const bool bounded = std::isfinite(axis.range.width()) && axis.range.width() > 0;
      const double half = bounded ? axis.range.width() / 2 : 1;
      normal.mean.push_back(bounded ? (axis.range.low + axis.range.high) / 2 : 0);
      normal.variance.push_back(half * half);
    }
    normal.epsilon = 0;
    normal.clip = 1e6;  // bounds are the task's word; what lies outside is not hidden from the network
  }
  if (task.action.is_discrete()) return contract;
  if (std::holds_alternative<SacOptions>(options)) contract.squash = Squash::tanh;
  for (std::size_t i = 0; i < task.action.dimensions(); ++i) {
    const Range range = task.action.axes[i].range;
    contract.centre[i] = (range.low + range.high) / 2;
    contract.scale[i] = range.width() / 2;
  }
  return contract;
}

ordered_json configuration(const Task& task, const TrainOptions& options) {
  return {{"revision", revision},
          {"kind", name(algorithm_of(options.algorithm))},
          {"env", options.env},
          {"seed", options.seed},
          {"options", std::visit([](const auto& own) { return to_json(own); }, options.algorithm)},
          {"contract", mercer::to_json(learned_contract(task, options.algorithm))}};
}

std::string hash_of(const ordered_json& configuration) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : configuration.dump()) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

std::string differences(const ordered_json& old, const ordered_json& now) {
  std::vector<std::string> found;
  const ordered_json before = old.flatten();
  const ordered_json after = now.flatten();
  const auto compare = [&](const ordered_json& document, bool both) {
    for (const auto& [key, value] : document.items()) {
      const bool common = before.contains(key) && after.contains(key);
      if (common != both || (both && before[key] == after[key])) continue;
      std::string name = key.substr(1);
      std::ranges::replace(name, '/', '.');
      found.push_back(fmt::format("{} {} and {}", name, before.contains(key) ? before[key].dump() : "none",
                                  after.contains(key) ? after[key].dump() : "none"));
    }
  };
  compare(after, true);
  compare(before, false);
  compare(after, false);
  if (found.size() > 3) found.resize(3);
  return fmt::format("{}", fmt::join(found, "; "));
}

ordered_json manifest(const ordered_json& configuration, std::uint64_t step) {
  ordered_json document{{"format", 1}};
  document.update(configuration);
  document["step"] = step;
  document["activation"] = "relu";
  document["hidden"] = configuration["options"].value("hidden", ordered_json::array());
  if (configuration["kind"] == "sac") document["log_std_range"] = {lowest_log_std, highest_log_std};
  return document;
}

const Array& Archive::wanted(const std::string& name, Array::Type type, const std::vector<std::size_t>& shape) const {
  const Array& array = require_array(tensors_, name, where_);
  if (array.type != type || array.shape != shape) {
    throw Error(ErrorCode::bad_format, fmt::format("'{}' has a tensor '{}' of another shape or type", where_, name),
                "Give a file of a run with the same settings");
  }
  return array;
}

template <class Number>
void Archive::exchange(const std::string& name, Array::Type type, std::span<Number> values,
                       std::vector<std::size_t> shape) {
  if (filling_) {
    const Array& array = wanted(name, type, shape);
    std::memcpy(values.data(), array.data.data(), array.data.size());
  } else {
    const auto bytes = std::as_bytes(values);
    tensors_[name] = {type, std::move(shape), {bytes.begin(), bytes.end()}};
  }
}

void Archive::network(const std::string& name, const Network& network, Vector<float>& weights) {
  using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    const Layer& layer = network.layers[l];
    Eigen::Map<Matrix<float>> own(weights.data() + layer.weight, layer.outputs, layer.inputs);
    RowMajor rows = own;
    exchange<float>(fmt::format("{}.{}.weight", name, l), Array::Type::f32,
                    {rows.data(), static_cast<std::size_t>(rows.size())},
                    {static_cast<std::size_t>(layer.outputs), static_cast<std::size_t>(layer.inputs)});
    if (filling_) own = rows;
    numbers(fmt::format("{}.{}.bias", name, l),
            std::span(weights.data() + layer.bias, static_cast<std::size_t>(layer.outputs)));
  }
}

void Archive::numbers(const std::string& name, std::span<float> values) {
  exchange(name, Array::Type::f32, values, {values.size()});
}
void Archive::numbers(const std::string& name, std::span<double> values) {
  exchange(name, Array::Type::f64, values, {values.size()});
}
std::vector<float> Archive::rows(const std::string& name, std::size_t width) const {
  const Array& array = require_array(tensors_, name, where_);
  const std::size_t count = array.shape.empty() ? 0 : array.shape[0];
  wanted(name, Array::Type::f32, {count, width});
  std::vector<float> values(array.size());
  std::memcpy(values.data(), array.data.data(), array.data.size());
  return values;
}
void Archive::add_rows(const std::string& name, std::span<const float> values, std::size_t width) {
  tensors_[name] = Array::of(values, {values.size() / width, width});
}
void Archive::count(const std::string& name, std::uint64_t& value) {
  exchange(name, Array::Type::i64, std::span(&value, 1), {});
}

}  // namespace mercer::learn

namespace mercer::learn {

namespace fs = std::filesystem;

RunFolder::RunFolder(fs::path path, const nlohmann::ordered_json& configuration, bool force) : path_(std::move(path)) {
  std::error_code trouble;
  fs::create_directories(path_, trouble);
  if (!fs::is_directory(path_)) {
    throw Error(ErrorCode::cannot_write,
                fmt::format("cannot make the folder '{}': {}", path_.string(), trouble.message()),
                "Name a folder where you may write");
  }
  lock();
  try {
    remove_left_overs();
    const fs::path file = path_ / "run.json";
    if (fs::exists(file)) {
      const nlohmann::ordered_json known = read_json(file);
      const std::string hash = known.value("hash", "");
      if (hash == hash_of(configuration)) return;
      if (!force) {
        const auto old = known.value("configuration", nlohmann::ordered_json::object());
        throw Error(ErrorCode::bad_value,
                    fmt::format("'{}' holds a run with other settings (there and here: {})", path_.string(),
                                differences(old, configuration)),
                    "Use the same settings to continue it, another --out, or --force to throw it away");
      }
      remove_run();
    }
    const nlohmann::ordered_json document{{"hash", hash_of(configuration)}, {"configuration", configuration}};
    write_atomically(file, [&](std::ostream& out) { out << document.dump(2) << '\n'; });
  } catch (...) {
    ::close(lock_);
    throw;
  }
}

RunFolder::~RunFolder() { ::close(lock_); }

fs::path RunFolder::snapshot(std::uint64_t step) const {
  return path_ / fmt::format("snapshot_{:06}.safetensors", step);
}

// The lock goes with the process, however it ends; the file stays, since removing it would race with the next process.
void RunFolder::lock() {
  const fs::path file = path_ / ".lock";
  lock_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock_ < 0) {
    throw Error(ErrorCode::cannot_write, fmt::format("cannot write '{}': {}", file.string(), std::strerror(errno)),
                "Name a folder where you may write");
  }
  if (::flock(lock_, LOCK_EX | LOCK_NB) == 0) return;
  const bool taken = errno == EWOULDBLOCK;
  ::close(lock_);
  throw Error(ErrorCode::cannot_write,
              taken ? fmt::format("another process is training in '{}'", path_.string())
                    : fmt::format("cannot lock '{}': {}", file.string(), std::strerror(errno)),
              "Wait for it or name another folder");
}

void RunFolder::remove_run() const {
  for (const auto& entry : fs::directory_iterator(path_)) {
    const std::string name = entry.path().filename().string();
    const bool ours = name == "checkpoint.safetensors" || name == "run.json" || name == "policy.safetensors" ||
                      (name.starts_with("snapshot_") && name.ends_with(".safetensors"));
    if (ours) fs::remove(entry.path());
  }
}

// Temporary files of a process that was killed while it wrote.
void RunFolder::remove_left_overs() const {
  for (const auto& entry : fs::directory_iterator(path_)) {
    const std::string name = entry.path().filename().string();
    const bool ours = name.starts_with(".checkpoint.") || name.starts_with(".snapshot_") ||
                      name.starts_with(".policy.") || name.starts_with(".run.");
    if (ours && name.ends_with(".part")) fs::remove(entry.path());
  }
}

}  // namespace mercer::learn
