#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/documents.hpp"
#include "io/ordinary.hpp"
#include "mercer/error.hpp"
#include "mercer/policy.hpp"
#include "policy/files.hpp"

namespace mercer {
namespace {

[[noreturn]] void bad_setting(const PolicySetting& setting, std::string_view wanted) {
  throw Error(ErrorCode::bad_value,
              fmt::format("{}: {} = '{}' is not {}", setting.source, setting.key, setting.value, wanted),
              "Correct it; docs/guide/policies.md lists the settings");
}

std::vector<double> numbers(const PolicySetting& setting) {
  std::vector<double> out;
  std::string_view rest = setting.value;
  while (true) {
    const std::size_t end = std::min(rest.find_first_of(";,"), rest.size());
    double number = 0;
    const auto [stop, trouble] = std::from_chars(rest.data(), rest.data() + end, number);
    if (trouble != std::errc{} || stop != rest.data() + end || !std::isfinite(number)) {
      bad_setting(setting, "a finite number, or several with ';' between them");
    }
    out.push_back(number);
    if (end == rest.size()) return out;
    rest.remove_prefix(end + 1);
  }
}

double number(const PolicySetting& setting) {
  const std::vector<double> all = numbers(setting);
  if (all.size() != 1) bad_setting(setting, "one number");
  return all[0];
}

double positive(const PolicySetting& setting, double most) {
  const double value = number(setting);
  if (!(value > 0 && value <= most)) {
    throw Error(ErrorCode::out_of_range,
                fmt::format("{}: {} = {}; legal: above 0, at most {}", setting.source, setting.key, value, most),
                "Give a number in that range");
  }
  return value;
}

template <Named E>
E code(const PolicySetting& setting) {
  if (const std::optional<E> found = find_name<E>(setting.value)) return *found;
  bad_setting(setting, fmt::format("one of {}", fmt::join(names<E>(), ", ")));
}

bool is_output(const std::string& key) {
  return key == "mean" || key == "log-std" || key == "action" || key == "q" || key == "q1" || key == "q2" ||
         key == "logits";
}

}  // namespace

const std::vector<PolicySettingKind>& known_policy_settings() {
  static const std::vector<PolicySettingKind> kinds{
      {"kind", "KIND", "Kind of policy: gaussian, deterministic, boltzmann or greedy [from the network's outputs]"},
      {"temperature", "T", "Temperature of a Boltzmann policy over q, above 0 [none: greedy; 1 for logits]"},
      {"spread", "S",
       "Standard deviation around a deterministic action, in half ranges of the action, above 0, at most 1 [none]"},
      {"squash", "HOW", "Between the network's output and the action: tanh or none [tanh for a Gaussian, else none]"},
      {"scale", "X",
       "Scale of the action: centre + scale * squashed output [half the action range when squashed, else 1]"},
      {"centre", "X", "Centre of the action, see --scale [the middle of the action range when squashed, else 0]"},
      {"clip", "C", "Limit actions to -C .. C, besides the task's bounds [none]"},
      {"obs-mean", "X;Y;..", "Mean of each observation, for networks trained on normalised ones"},
      {"obs-var", "X;Y;..", "Variance of each observation"},
      {"obs-epsilon", "E", fmt::format("Added to the variance of observations [{}]", Normalisation{}.epsilon)},
      {"obs-clip", "C", fmt::format("Limit of a normalised observation [{}]", Normalisation{}.clip)},
      {"names", "NAME,NAME..",
       "Names of the observations, in their order; NAME[t-1] is its value one step ago [the task's]"},
      {"units", "UNIT,UNIT..", "Units of the observations, where the task does not know them; an empty one: none"},
      {"action-names", "NAME,NAME..", "Names of the actions [the task's]"},
      {"action-units", "UNIT,UNIT..", "Units of the actions, where the task does not know them"},
      {"period", "SECONDS", "Time between two actions, where the task does not know it: above 0, at most 10000"},
      {"normaliser", "FILE",
       "Statistics of observations: a file of VecNormalize.save, an .npz with mean and var, or none [vecnormalize.pkl "
       "in the folder of an agent]"},
      {"obs-order", "KEY,KEY..", "For agents with dictionaries of observations: their keys in the task's order"},
      {"layers", "NAME,NAME..",
       "Layers of a state_dict before its output layer, in order, or a TOML file with its settings [guessed from the "
       "names of its tensors]"},
      {"activation", "FUNCTION",
       "Activation behind the layers of a state_dict, such as Tanh or LeakyReLU(0.2); one, or one for each layer [the "
       "trainer's]"},
      {"std", "NAME", "Tensor of a state_dict: standard deviations, where it has no log-std"},
      {"log-std-clip", "LOW;HIGH", "Limits of log-std in a state_dict"},
      {"log-std-tanh", "LOW;HIGH", "What tanh squashes log-std into in a state_dict"},
      {"obs-mean-tensor", "NAME", "Tensor of a state_dict: mean of each observation"},
      {"obs-var-tensor", "NAME", "Tensor of a state_dict: variance of each observation"},
      {"obs-std-tensor", "NAME", "Tensor of a state_dict: standard deviation, to which obs-epsilon is added"},
      {"scale-tensor", "NAME", "Tensor of a state_dict: scale of the action"},
      {"centre-tensor", "NAME", "Tensor of a state_dict: centre of the action"},
      {"mean", "NAME", "What the network calls this output"},
      {"log-std", "NAME", "What the network calls this output"},
      {"action", "NAME", "What the network calls this output"},
      {"q", "NAME", "What the network calls this output"},
      {"q1", "NAME", "What the network calls this output"},
      {"q2", "NAME", "What the network calls this output"},
      {"logits", "NAME", "What the network calls this output"},
  };
  return kinds;
}

void set_option(PolicyOptions& options, const PolicySetting& setting) {
  const std::string& key = setting.key;
  if (key == "kind") {
    options.kind = code<NetworkKind>(setting);
  } else if (key == "temperature") {
    options.temperature = positive(setting, 1e9);
  } else if (key == "spread") {
    options.spread = positive(setting, 1);
  } else if (key == "squash") {
    options.squash = code<Squash>(setting);
  } else if (key == "scale") {
    options.scale = numbers(setting);
  } else if (key == "centre") {
    options.centre = numbers(setting);
  } else if (key == "clip") {
    options.clip = positive(setting, 1e300);
  } else if (key == "obs-mean") {
    options.normalisation.mean = numbers(setting);
  } else if (key == "obs-var") {
    options.normalisation.variance = numbers(setting);
  } else if (key == "obs-epsilon") {
    options.normalisation.epsilon = number(setting);
  } else if (key == "obs-clip") {
    options.normalisation.clip = positive(setting, 1e300);
  } else if (is_output(key)) {
    options.outputs[key == "log-std" ? "log_std" : key] = setting.value;
  } else {
    std::vector<std::string> known;
    for (const PolicySettingKind& kind : known_policy_settings()) known.push_back(kind.key);
    throw_unknown(fmt::format("policy setting ({})", setting.source), key, known);
  }
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> out;
  while (true) {
    const std::size_t end = std::min(text.find_first_of(";,"), text.size());
    out.emplace_back(text.substr(0, end));
    if (end == text.size()) return out;
    text.remove_prefix(end + 1);
  }
}

std::vector<PolicySetting> read_settings(const std::filesystem::path& path) {
  std::vector<PolicySetting> settings;
  for (const TomlEntry& entry : read_toml(path)) {
    settings.push_back({entry.key, fmt::format("{}", fmt::join(entry.values, ";")),
                        fmt::format("'{}' line {}", path.string(), entry.line)});
  }
  return settings;
}

std::vector<PolicySetting> read_sidecar(const std::filesystem::path& network) {
  std::filesystem::path path = network;
  path.replace_extension(".toml");
  return is_ordinary_file(path) ? read_settings(path) : std::vector<PolicySetting>{};
}

}  // namespace mercer
