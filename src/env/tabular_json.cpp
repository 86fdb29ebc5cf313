#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "io/json.hpp"
#include "mercer/core/error.hpp"
#include "mercer/core/nearest.hpp"
#include "mercer/env/tabular.hpp"

namespace mercer {
namespace {

using nlohmann::json;

[[noreturn]] void bad_shape(const std::string& where, const std::string& what) {
  throw Error(ErrorCode::shape_mismatch, fmt::format("{}: {}", where, what),
              "Give P as [state][action][next state], r as [state][action] and mu as [state]");
}

const json& member(const json& document, const std::string& key, const std::string& where) {
  if (!document.contains(key)) {
    throw Error(ErrorCode::bad_format, fmt::format("{} has no \"{}\"", where, key),
                "Give P, r, mu and gamma; docs/tasks.md shows a file");
  }
  return document[key];
}

void append_numbers(const json& list, std::size_t expected, const std::string& where, std::vector<double>& out) {
  if (!list.is_array() || list.size() != expected)
    bad_shape(where, fmt::format("a list of {} numbers is needed", expected));
  for (const json& value : list) {
    if (!value.is_number()) bad_shape(where, fmt::format("{} is not a number", value.dump()));
    out.push_back(value.get<double>());
  }
}

double number(const json& document, const std::string& key, const std::string& where) {
  const json& value = member(document, key, where);
  if (!value.is_number()) {
    throw Error(ErrorCode::bad_value, fmt::format("{}: \"{}\" is {}, which is not a number", where, key, value.dump()),
                "Give a number, without quotes");
  }
  return value.get<double>();
}

// A number that counts or names something, from `low` to `high`.
double whole_number(double value, double low, double high, const std::string& where, const std::string& remedy) {
  require_in_range(where, value, low, high, remedy);
  if (value == std::floor(value)) return value;
  throw Error(ErrorCode::bad_value, fmt::format("{} is {}, which is not a whole number", where, value), remedy);
}

// The steps after which what is still to come weighs less than 1e-6 of the whole.
std::uint32_t horizon_for(double gamma, const std::string& where) {
  const double steps = gamma <= 0 ? 1 : std::ceil(std::log(1e-6) / std::log(gamma));
  if (!(gamma < 1 && steps <= 1e6)) {
    throw Error(ErrorCode::missing_option, fmt::format("{}: gamma is {} and there is no \"horizon\"", where, gamma),
                "Add \"horizon\": the number of steps of an episode");
  }
  return static_cast<std::uint32_t>(std::max(steps, 1.0));
}

}  // namespace

TabularMdp read_mdp(const std::filesystem::path& path) {
  const std::string where = fmt::format("'{}'", path.string());
  const json document = read_json(path);
  if (!document.is_object()) bad_shape(where, "the document is not an object");
  const std::vector<std::string> known{"P", "r", "mu", "gamma", "horizon", "terminal", "name"};
  for (const auto& [key, value] : document.items()) {
    if (std::ranges::find(known, key) == known.end()) throw_unknown(fmt::format("key of {}", where), key, known);
  }
  const json& P = member(document, "P", where);
  const json& r = member(document, "r", where);

  TabularMdp mdp;
  if (!P.is_array() || P.empty() || !P[0].is_array() || P[0].empty())
    bad_shape(where, "P is not a list of lists of rows");
  mdp.n = P.size();
  mdp.m = P[0].size();
  if (!r.is_array() || r.size() != mdp.n) bad_shape(where, fmt::format("r needs {} rows", mdp.n));
  for (std::size_t s = 0; s < mdp.n; ++s) {
    if (!P[s].is_array() || P[s].size() != mdp.m) bad_shape(where, fmt::format("P[{}] needs {} rows", s, mdp.m));
    for (std::size_t a = 0; a < mdp.m; ++a) {
      append_numbers(P[s][a], mdp.n, fmt::format("{}: P[{}][{}]", where, s, a), mdp.P);
    }
    append_numbers(r[s], mdp.m, fmt::format("{}: r[{}]", where, s), mdp.r);
  }
  append_numbers(member(document, "mu", where), mdp.n, where + ": mu", mdp.mu);
  mdp.gamma = number(document, "gamma", where);
  require_in_range(where + ": gamma", mdp.gamma, 0, 1, "Give a discount from 0 to 1");
  if (document.contains("horizon")) {
    mdp.horizon = static_cast<std::uint32_t>(whole_number(
        number(document, "horizon", where), 1, 1e9, where + ": horizon", "Give the number of steps of an episode"));
  } else {
    mdp.horizon = horizon_for(mdp.gamma, where);
  }
  if (document.contains("terminal")) {
    mdp.terminal.assign(mdp.n, 0);
    for (const json& state : document["terminal"]) {
      const double index = whole_number(state.is_number() ? state.get<double>() : -1, 0, static_cast<double>(mdp.n) - 1,
                                        where + ": a terminal state", "Name an existing state");
      mdp.terminal[static_cast<std::size_t>(index)] = 1;
    }
  }
  check_mdp(mdp, where);
  return mdp;
}

}  // namespace mercer
