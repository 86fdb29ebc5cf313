#pragma once

#include <cstring>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "io/zip.hpp"
#include "support/pickle_writer.hpp"

/// Writes what torch.save and Stable-Baselines3 write.

struct TestTensor {
  std::vector<std::int32_t> shape;
  std::vector<float> values;
};
using TestTensors = std::map<std::string, TestTensor>;

inline std::string zip_of(const std::vector<std::pair<std::string, std::string>>& members) {
  std::vector<mercer::ZipMember> list;
  for (const auto& [name, content] : members) list.push_back({name, content, {}});
  std::ostringstream out;
  mercer::write_zip(out, list);
  return out.str();
}

inline std::string raw(const std::vector<float>& values) {
  std::string out(4 * values.size(), '\0');
  if (!values.empty()) std::memcpy(out.data(), values.data(), out.size());
  return out;
}

/// The pickle of a dictionary of tensors; tensor i has storage i.
inline std::string tensor_dict(const TestTensors& tensors) {
  std::vector<std::string> items;
  int key = 0;
  for (const auto& [name, tensor] : tensors) {
    items.push_back(pickle::text(name));
    items.push_back(
        pickle::tensor(std::to_string(key++), static_cast<std::int32_t>(tensor.values.size()), tensor.shape));
  }
  std::string filled = pickle::call(pickle::global("collections", "OrderedDict"), {}) + pickle::mark;
  for (const std::string& item : items) filled += item;
  return pickle::start + filled + "u" + pickle::stop;
}

inline std::string torch_zip(const TestTensors& tensors, const std::string& description = "") {
  std::vector<std::pair<std::string, std::string>> members{
      {"archive/data.pkl", description.empty() ? tensor_dict(tensors) : description}};
  int key = 0;
  for (const auto& [name, tensor] : tensors) {
    members.emplace_back("archive/data/" + std::to_string(key++), raw(tensor.values));
  }
  members.emplace_back("archive/version", "3\n");
  return zip_of(members);
}

/// Dictionaries of tensors inside another, such as {"model_state_dict": {...}}; with `as_tuple` their keys are left out
/// and the file holds a tuple, as CleanRL writes for an actor and its critics.
inline std::string torch_nested(const std::vector<std::pair<std::string, TestTensors>>& groups, bool as_tuple = false) {
  std::vector<std::string> outer;
  std::vector<std::pair<std::string, std::string>> members{{"archive/data.pkl", ""}};
  int key = 0;
  for (const auto& [group, tensors] : groups) {
    std::vector<std::string> inner;
    for (const auto& [name, tensor] : tensors) {
      inner.push_back(pickle::text(name));
      inner.push_back(
          pickle::tensor(std::to_string(key), static_cast<std::int32_t>(tensor.values.size()), tensor.shape));
      members.emplace_back("archive/data/" + std::to_string(key++), raw(tensor.values));
    }
    if (!as_tuple) outer.push_back(pickle::text(group));
    outer.push_back(pickle::dict(inner));
  }
  if (!as_tuple) {
    outer.push_back(pickle::text("iter"));
    outer.push_back(pickle::integer(1500));
  }
  members[0].second = pickle::start + (as_tuple ? pickle::tuple(outer) : pickle::dict(outer)) + pickle::stop;
  return zip_of(members);
}

inline std::string torch_legacy(const TestTensors& tensors) {
  using namespace pickle;
  std::string out =
      start + std::string("\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.") + start + integer(1001) + stop;
  out += start + dict({text("protocol_version"), integer(1001), text("little_endian"), yes}) + stop;
  out += tensor_dict(tensors);
  std::string keys = "]" + mark, numbers;
  int key = 0;
  for (const auto& [name, tensor] : tensors) {
    keys += text(std::to_string(key++));
    numbers += little(tensor.values.size(), 8) + raw(tensor.values);
  }
  return out + start + keys + "e" + stop + numbers;
}

inline const std::string box_text =
    R"({":type:": "<class 'gymnasium.spaces.box.Box'>", "_shape": [2], "low": "[-1. -2.]", "high": "[1. 3.4028235e+38]"})";
inline const std::string action_text =
    R"({":type:": "<class 'gymnasium.spaces.box.Box'>", "_shape": [1], "low": "[-1.]", "high": "[1.]"})";
inline const std::string discrete_text = R"({":type:": "<class 'gymnasium.spaces.discrete.Discrete'>", "n": 3})";

/// A description with box observations of two numbers; `more` are further members, each with a comma before it.
inline std::string agent_data(const std::string& action, const std::string& more = "") {
  return R"({"observation_space": )" + box_text + R"(, "action_space": )" + action + more + "}";
}

inline std::string agent_zip(const std::string& data, const std::string& policy) {
  return zip_of({{"data", data}, {"policy.pth", policy}, {"_stable_baselines3_version", "2.3.2"}});
}
