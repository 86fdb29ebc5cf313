#include "policy/agents/normaliser.hpp"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/file.hpp"
#include "io/limits.hpp"
#include "io/npz.hpp"
#include "io/numpy_values.hpp"
#include "io/pickle.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

[[noreturn]] void refuse(const std::string& where, const std::string& why) {
  throw Error(ErrorCode::bad_format, fmt::format("'{}': {}", where, why),
              "Give the file that VecNormalize.save wrote, or an .npz with mean and var");
}

double number_of(const Array& array, const std::string& where, std::string_view what) {
  const std::vector<double> numbers = array.as_doubles();
  if (numbers.size() != 1) refuse(where, fmt::format("its {} is not one number", what));
  return numbers[0];
}

// The statistics as VecNormalize keeps them: attributes of the pickled object.
class Statistics {
 public:
  Statistics(const Pickle& pickle, const std::string& where) : pickle_(pickle), where_(where) {}

  Normalisation read(const std::vector<ObservationPart>& parts) {
    const Pickle::Value& root = checked_root();
    Normalisation out;
    const Pickle::Value* wanted = pickle_.attribute(root, "norm_obs");
    if (wanted != nullptr && wanted->integer == 0) return out;
    out.epsilon = number(root, "epsilon");
    out.clip = number(root, "clip_obs");
    const Pickle::Value* statistics = pickle_.attribute(root, "obs_rms");
    if (statistics == nullptr) refuse(where_, "it has no statistics of observations (obs_rms)");
    if (parts.empty()) append(*statistics, out);
    for (const ObservationPart& part : parts) {
      const Pickle::Value* own = pickle_.find(*statistics, part.key);
      if (own == nullptr) {
        refuse(where_, fmt::format("it does not normalise '{}', but other parts of the observation", part.key));
      }
      append(*own, out);
    }
    return out;
  }

  double reward_unit() const {
    const Pickle::Value& root = checked_root();
    const Pickle::Value *wanted = pickle_.attribute(root, "norm_reward"),
                        *statistics = pickle_.attribute(root, "ret_rms");
    if (wanted == nullptr || wanted->integer == 0 || statistics == nullptr) return 1;
    return std::sqrt(number(*statistics, "var") + number(root, "epsilon"));
  }

 private:
  const Pickle::Value& checked_root() const {
    const Pickle::Value& root = pickle_.root();
    if (root.kind != Pickle::Kind::object || !root.text.ends_with(".VecNormalize")) {
      refuse(where_, "it holds no VecNormalize");
    }
    return root;
  }
  double number(const Pickle::Value& object, std::string_view key) const {
    const Pickle::Value* found = pickle_.attribute(object, key);
    if (found == nullptr) refuse(where_, fmt::format("it has no {}", key));
    return number_of(array_of(pickle_, *found, where_), where_, key);
  }
  void append(const Pickle::Value& statistics, Normalisation& out) const {
    const Pickle::Value *mean = pickle_.attribute(statistics, "mean"), *var = pickle_.attribute(statistics, "var");
    if (mean == nullptr || var == nullptr) refuse(where_, "its statistics have no mean and var");
    const std::vector<double> means = array_of(pickle_, *mean, where_).as_doubles();
    const std::vector<double> variances = array_of(pickle_, *var, where_).as_doubles();
    out.mean.insert(out.mean.end(), means.begin(), means.end());
    out.variance.insert(out.variance.end(), variances.begin(), variances.end());
  }

  const Pickle& pickle_;
  const std::string& where_;
};

Normalisation read_arrays(const std::filesystem::path& path, const std::string& where) {
  const Arrays arrays = read_npz(path);
  const auto first = [&](std::initializer_list<const char*> names) -> const Array* {
    for (const char* const name : names) {
      if (const auto found = arrays.find(name); found != arrays.end()) return &found->second;
    }
    return nullptr;
  };
  const Array *mean = first({"mean", "obs_mean"}), *var = first({"var", "obs_var", "variance"});
  if (mean == nullptr || var == nullptr) {
    std::vector<std::string> names;
    for (const auto& [name, array] : arrays) names.push_back(name);
    refuse(where, fmt::format("it holds {}; needed: mean and var, of env.obs_rms", fmt::join(names, ", ")));
  }
  Normalisation out{mean->as_doubles(), var->as_doubles()};
  if (const Array* epsilon = first({"epsilon"})) out.epsilon = number_of(*epsilon, where, "epsilon");
  if (const Array* clip = first({"clip_obs", "clip"})) out.clip = number_of(*clip, where, "clip_obs");
  return out;
}

Normalisation fitting(Normalisation statistics, const std::string& where, std::size_t observations) {
  const std::size_t means = statistics.mean.size(), variances = statistics.variance.size();
  if (statistics.empty() || (means == observations && variances == observations)) return statistics;
  throw Error(ErrorCode::shape_mismatch,
              fmt::format("'{}' normalises {} observations (and has {} variances), and the policy takes {}", where,
                          means, variances, observations),
              "Give the normaliser that was saved with the agent");
}

}  // namespace

Normalisation parse_normaliser(std::span<const std::byte> bytes, const std::string& where, std::size_t observations,
                               const std::vector<ObservationPart>& parts) {
  const Pickle pickle = parse_pickle(bytes, where, agent_names());
  return fitting(Statistics(pickle, where).read(parts), where, observations);
}

Normalisation read_normaliser(const std::filesystem::path& path, std::size_t observations,
                              const std::vector<ObservationPart>& parts) {
  const std::string where = path.string();
  if (where.ends_with(".npz")) return fitting(read_arrays(path, where), where, observations);
  return parse_normaliser(read_file(path, limits::pickle_bytes), where, observations, parts);
}

double read_reward_unit(const std::filesystem::path& path) {
  const std::string where = path.string();
  if (where.ends_with(".npz")) return 1;
  const std::vector<std::byte> bytes = read_file(path, limits::pickle_bytes);
  const Pickle pickle = parse_pickle(bytes, where, agent_names());
  return Statistics(pickle, where).reward_unit();
}

std::vector<std::filesystem::path> normaliser_places(const std::filesystem::path& agent) {
  const std::filesystem::path folder = agent.parent_path();
  return {folder / agent.stem() / "vecnormalize.pkl", folder / "vecnormalize.pkl"};
}

}  // namespace mercer
