#include "policy/agents/spaces.hpp"

#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/limits.hpp"
#include "io/numpy_values.hpp"
#include "io/pickle.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

using json = nlohmann::json;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t most_numbers = limits::agent_numbers;  // observations or actions

double bound(double value) {
  constexpr double no_bound = std::numeric_limits<float>::max();
  return value >= no_bound ? infinity : value <= -no_bound ? -infinity : value;
}

// An array as numpy prints it, "[-1. -1. -8.]" or "[-inf 3.4e+38]"; empty where the text leaves numbers out ("...").
std::vector<double> printed_numbers(std::string_view text) {
  std::vector<double> numbers;
  while (true) {
    const std::size_t begin = text.find_first_not_of("[] \n,");
    if (begin == std::string_view::npos) return numbers;
    text.remove_prefix(begin);
    const std::string_view word = text.substr(0, text.find_first_of("[] \n,"));
    double number = 0;
    const auto [stop, trouble] = std::from_chars(word.data(), word.data() + word.size(), number);
    // "-1." and "inf" are numbers; "..." is none.
    const bool dot = stop + 1 == word.data() + word.size() && *stop == '.';
    if (trouble != std::errc{} || (stop != word.data() + word.size() && !dot)) return {};
    numbers.push_back(number);
    text.remove_prefix(word.size());
  }
}

Space box(const std::vector<double>& low, const std::vector<double>& high, const std::string& name,
          const std::string& where) {
  Space space;
  for (std::size_t i = 0; i < low.size(); ++i) {
    const Range range{bound(low[i]), bound(high[i])};
    if (!(range.low <= range.high)) {
      refuse_agent(where, fmt::format("{}{} is from {} to {}", name, i, range.low, range.high));
    }
    space.axes.push_back({fmt::format("{}{}", name, i), range, "", false});
  }
  return space;
}

// What a space was pickled as: its bytes, and the object in them. The text beside it leaves out what is long or nested.
struct PickledSpace {
  std::vector<std::byte> bytes;
  Pickle pickle;
};

PickledSpace unpickle(const json& described, const std::string& where) {
  const auto found = described.find(":serialized:");
  if (found == described.end() || !found->is_string()) refuse_agent(where, "it does not describe its spaces");
  PickledSpace out{decode_base64(found->get_ref<const std::string&>(), where), {}};
  out.pickle = parse_pickle(out.bytes, where, agent_names());
  return out;
}

Space pickled_box(const Pickle& pickle, const Pickle::Value& value, const std::string& name, const std::string& where) {
  const Pickle::Value *low = pickle.attribute(value, "low"), *high = pickle.attribute(value, "high");
  if (low == nullptr || high == nullptr || !value.text.ends_with(".Box")) {
    refuse_agent(where, fmt::format("its space '{}' is not a box of numbers", name));
  }
  const Array lows = array_of(pickle, *low, where), highs = array_of(pickle, *high, where);
  if (lows.shape.size() != 1 || lows.shape != highs.shape || lows.size() > most_numbers) {
    refuse_agent(where, fmt::format("its space '{}' has shape ({}); legal: one axis of at most {} numbers", name,
                                    fmt::join(lows.shape, ", "), most_numbers));
  }
  return box(lows.as_doubles(), highs.as_doubles(), name, where);
}

Space read_box(const json& described, const std::string& name, const std::string& where) {
  const json& shape = described.contains("_shape") ? described["_shape"] : described.value("shape", json());
  if (!shape.is_array() || shape.size() != 1 || !shape[0].is_number_unsigned()) {
    refuse_agent(where, fmt::format("the shape of its {} space is {}; legal: one axis. Pictures (CnnPolicy) are not "
                                    "read; flatten a small box in a wrapper",
                                    name, shape.dump()));
  }
  const auto count = shape[0].get<std::size_t>();
  if (count == 0 || count > most_numbers) {
    refuse_agent(where, fmt::format("its {} space has {} numbers; legal: 1 to {}", name, count, most_numbers));
  }
  const auto numbers = [&](const char* key) {
    const auto found = described.find(key);
    std::vector<double> all;
    if (found != described.end() && found->is_string()) all = printed_numbers(found->get_ref<const std::string&>());
    if (found != described.end() && found->is_number()) all = {found->get<double>()};
    if (all.size() == 1) all.resize(count, all[0]);
    return all;
  };
  const std::vector<double> low = numbers("low"), high = numbers("high");
  if (low.size() == count && high.size() == count) return box(low, high, name, where);
  const PickledSpace pickled = unpickle(described, where);
  return pickled_box(pickled.pickle, pickled.pickle.root(), name, where);
}

Space read_discrete(const json& described, const std::string& where) {
  const auto integer = [&](const char* key, std::int64_t standard) {
    const auto found = described.find(key);
    if (found == described.end()) return standard;
    if (found->is_number_integer()) return found->get<std::int64_t>();
    std::int64_t value = -1;
    if (found->is_string()) {  // numpy's integers are text
      const auto& text = found->get_ref<const std::string&>();
      const auto [stop, trouble] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (trouble != std::errc{} || stop != text.data() + text.size()) value = -1;
    }
    return value;
  };
  const std::int64_t count = integer("n", -1), start = integer("start", 0);
  if (count < 1 || count > static_cast<std::int64_t>(most_numbers)) {
    refuse_agent(where, fmt::format("it has {} actions; legal: 1 to {}", count, most_numbers));
  }
  if (start != 0) refuse_agent(where, fmt::format("its actions begin at {}; legal: 0", start));
  return Space::discrete("action", static_cast<std::size_t>(count));
}

// The extractor of features puts the parts one behind the other, in the order of the space.
void read_dictionary(const json& described, const std::string& where, AgentSpaces& out) {
  const PickledSpace pickled = unpickle(described, where);
  const Pickle& pickle = pickled.pickle;
  const Pickle::Value* spaces = pickle.attribute(pickle.root(), "spaces");
  if (spaces == nullptr || spaces->items.empty() || spaces->items.size() > limits::agent_parts) {
    refuse_agent(where, "its dictionary of observations cannot be read");
  }
  for (std::size_t i = 0; i + 1 < spaces->items.size(); i += 2) {
    const Pickle::Value &key = pickle.at(spaces->items[i]), &value = pickle.at(spaces->items[i + 1]);
    if (key.kind != Pickle::Kind::text) refuse_agent(where, "its dictionary of observations has a key that is no text");
    const std::string name(key.text);
    const Space part = pickled_box(pickle, value, name, where);
    out.parts.push_back({name, out.observation.dimensions(), part.dimensions()});
    out.observation.axes.insert(out.observation.axes.end(), part.axes.begin(), part.axes.end());
  }
}

std::string type_of(const json& described) {
  return described.is_object() && described.contains(":type:") && described[":type:"].is_string()
             ? described[":type:"].get<std::string>()
             : "";
}

}  // namespace

AgentSpaces read_spaces(const AgentFile& file) {
  AgentSpaces out;
  const json &observation = file.get("observation_space"), &action = file.get("action_space");
  const std::string seen = type_of(observation), played = type_of(action);
  if (seen.ends_with(".Box'>")) {
    out.observation = read_box(observation, "obs", file.where);
  } else if (seen.ends_with(".Dict'>")) {
    read_dictionary(observation, file.where, out);
  } else {
    refuse_agent(file.where, fmt::format("its observations are {}; legal: a box of numbers, or a dictionary of such",
                                         seen.empty() ? "not described" : seen));
  }
  if (played.ends_with(".Box'>")) {
    out.action = read_box(action, "action", file.where);
  } else if (played.ends_with(".Discrete'>")) {
    out.action = read_discrete(action, file.where);
  } else {
    refuse_agent(file.where,
                 fmt::format("its actions are {}; legal: a box of numbers, or one discrete action. Several discrete "
                             "actions (MultiDiscrete, MultiBinary) are one Discrete action in a wrapper that numbers "
                             "their combinations; train on that",
                             played.empty() ? "not described" : played));
  }
  return out;
}

}  // namespace mercer
