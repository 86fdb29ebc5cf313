#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/documents.hpp"
#include "io/npz.hpp"
#include "mercer/error.hpp"
#include "mercer/policy.hpp"
#include "mercer/random.hpp"

namespace mercer {
namespace {

[[noreturn]] void bad_table(const std::string& name, const std::string& what) {
  throw Error(ErrorCode::shape_mismatch, fmt::format("policy '{}': {}", name, what),
              "Give pi as [state][action]: a row of probabilities for each state");
}

Contract contract_of_table(const std::string& name, std::size_t states, std::size_t actions, std::size_t numbers) {
  if (states == 0 || actions == 0 || numbers != states * actions) {
    bad_table(name, fmt::format("{} numbers for {} states and {} actions", numbers, states, actions));
  }
  return {"", Space::discrete("state", states), Space::discrete("action", actions)};
}

TabularPolicy read_json_policy(const std::filesystem::path& path) {
  const nlohmann::json document = read_json(path);
  const std::string name = path.string();
  if (!document.is_object() || !document.contains("pi")) {
    throw Error(ErrorCode::bad_format, fmt::format("'{}' has no \"pi\"", name), "Give {\"pi\": [[...], ...]}");
  }
  const nlohmann::json& pi = document["pi"];
  if (!pi.is_array() || pi.empty() || !pi[0].is_array()) bad_table(name, "\"pi\" is not a list of rows");
  std::vector<double> table;
  for (const nlohmann::json& row : pi) {
    if (!row.is_array() || row.size() != pi[0].size()) bad_table(name, "the rows differ in length");
    for (const nlohmann::json& value : row) {
      if (!value.is_number()) bad_table(name, fmt::format("{} is not a number", value.dump()));
      table.push_back(value.get<double>());
    }
  }
  return {name, pi.size(), pi[0].size(), std::move(table)};
}

}  // namespace

TabularPolicy::TabularPolicy(std::string name, std::size_t states, std::size_t actions, std::vector<double> pi)
    : Policy(name, contract_of_table(name, states, actions, pi.size())),
      states_(states),
      actions_(actions),
      pi_(std::move(pi)) {
  for (std::size_t s = 0; s < states; ++s)
    check_distribution(row(s), fmt::format("policy '{}': pi[{}]", this->name(), s));
}

std::span<const double> TabularPolicy::row_of(double observation) const {
  if (!(observation >= 0 && observation < static_cast<double>(states_))) {
    require_in_range(fmt::format("policy '{}': the state", name()), observation, 0, static_cast<double>(states_) - 1,
                     "Play it in a task with as many states as the table has rows");
  }
  return row(static_cast<std::size_t>(observation));
}

void TabularPolicy::sample(MatrixView<const double> observation, const Draws& draws, MatrixView<double> action) const {
  for (std::size_t i = 0; i < action.cols(); ++i) {
    action(0, i) = static_cast<double>(draws.random(i).categorical(row_of(observation(0, i))));
  }
}

void TabularPolicy::mean_action(MatrixView<const double> observation, MatrixView<double> action) const {
  for (std::size_t i = 0; i < action.cols(); ++i) {
    const auto probabilities = row_of(observation(0, i));
    action(0, i) = static_cast<double>(std::ranges::max_element(probabilities) - probabilities.begin());
  }
}

void TabularPolicy::log_prob(MatrixView<const double> observation, MatrixView<const double> action,
                             std::span<double> out) const {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double a = action(0, i);
    const bool possible = a >= 0 && a < static_cast<double>(actions_) && a == std::floor(a);
    out[i] = possible ? std::log(row_of(observation(0, i))[static_cast<std::size_t>(a)])
                      : -std::numeric_limits<double>::infinity();
  }
}

TabularPolicy read_tabular_policy(const std::filesystem::path& path) {
  if (path.extension() == ".json") return read_json_policy(path);
  if (path.extension() == ".npz") {
    const Arrays arrays = read_npz(path);
    const Array& pi = require_array(arrays, "pi", path);
    if (pi.shape.size() != 2) bad_table(path.string(), fmt::format("pi has {} dimensions, not 2", pi.shape.size()));
    return {path.string(), pi.shape[0], pi.shape[1], pi.as_doubles()};
  }
  throw Error(ErrorCode::bad_value, fmt::format("'{}' is neither .json nor .npz", path.string()),
              "Save the table as {\"pi\": [[...]]} in a .json file or as array 'pi' in an .npz file");
}

}  // namespace mercer
