#include "learn/manifest.hpp"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "learn/sac.hpp"
#include "policy/files.hpp"

namespace mercer::learn {
namespace {

using nlohmann::ordered_json;

// Grows by one whenever the same configuration would train to other weights.
constexpr int revision = 1;

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

}  // namespace

Contract learned_contract(const Task& task, const LearnOptions& options) {
  Contract contract = contract_of(task);
  if (options.scale_observations) {
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
  contract.squash = Squash::tanh;
  for (std::size_t i = 0; i < task.action.dimensions(); ++i) {
    const Range range = task.action.axes[i].range;
    contract.centre[i] = (range.low + range.high) / 2;
    contract.scale[i] = range.width() / 2;
  }
  return contract;
}

ordered_json configuration(const Task& task, const TrainOptions& options) {
  const bool sac = std::holds_alternative<SacOptions>(options.algorithm);
  return {{"revision", revision},
          {"kind", sac ? "sac" : "dqn"},
          {"env", options.env},
          {"seed", options.seed},
          {"options", std::visit([](const auto& own) { return to_json(own); }, options.algorithm)},
          {"contract", mercer::to_json(learned_contract(task, shared_options(options.algorithm)))}};
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

ordered_json manifest(const ordered_json& configuration, std::uint64_t step, std::size_t cursor, std::size_t size) {
  ordered_json document{{"format", 1}};
  document.update(configuration);
  document["step"] = step;
  document["activation"] = "relu";
  document["hidden"] = configuration["options"]["hidden"];
  if (configuration["kind"] == "sac") document["log_std_range"] = {lowest_log_std, highest_log_std};
  document["replay"] = {{"cursor", cursor}, {"size", size}};
  return document;
}

}  // namespace mercer::learn
