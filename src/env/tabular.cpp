#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "env/classic/tasks.hpp"
#include "io/documents.hpp"
#include "mercer/env.hpp"
#include "mercer/error.hpp"
#include "mercer/random.hpp"

// Tasks that are finite Markov decision processes.

namespace mercer {
namespace {

void check_size(std::size_t size, std::size_t expected, const std::string& what) {
  if (size == expected) return;
  throw Error(ErrorCode::shape_mismatch, fmt::format("{} has {} numbers and needs {}", what, size, expected),
              "Give P as [state][action][next state], r as [state][action] and mu as [state]");
}

}  // namespace

void check_mdp(const TabularMdp& mdp, const std::string& where) {
  require_in_range(where + ": number of states", static_cast<double>(mdp.n), 1, 1e6, "Give at least one state");
  require_in_range(where + ": number of actions", static_cast<double>(mdp.m), 1, 1e6, "Give at least one action");
  require_in_range(where + ": gamma", mdp.gamma, 0, 1, "Give a discount from 0 to 1");
  require_in_range(where + ": horizon", mdp.horizon, 1, 1e9, "Give the number of steps of an episode");
  check_size(mdp.P.size(), mdp.n * mdp.m * mdp.n, where + ": P");
  check_size(mdp.r.size(), mdp.n * mdp.m, where + ": r");
  check_size(mdp.mu.size(), mdp.n, where + ": mu");
  if (!mdp.terminal.empty()) check_size(mdp.terminal.size(), mdp.n, where + ": terminal");
  check_distribution(mdp.mu, where + ": mu");
  for (std::size_t s = 0; s < mdp.n; ++s) {
    for (std::size_t a = 0; a < mdp.m; ++a) {
      check_distribution(std::span(mdp.P).subspan((s * mdp.m + a) * mdp.n, mdp.n),
                         fmt::format("{}: P[{}][{}]", where, s, a));
      if (std::isfinite(mdp.r[s * mdp.m + a])) continue;
      throw Error(ErrorCode::not_finite, fmt::format("{}: r[{}][{}] is {}", where, s, a, mdp.r[s * mdp.m + a]),
                  "Give a finite reward");
    }
  }
}

TabularMdp make_chain(std::size_t n, double alpha, std::uint32_t horizon) {
  TabularMdp mdp{n,       2, std::vector<double>(n * 2 * n), std::vector<double>(n * 2), std::vector<double>(n), 0.99,
                 horizon, {}};
  mdp.mu[0] = 1;
  mdp.r[(n - 1) * 2] = mdp.r[(n - 1) * 2 + 1] = 1;
  for (std::size_t s = 0; s < n; ++s) {
    const std::size_t left = s == 0 ? 0 : s - 1;
    const std::size_t right = std::min(s + 1, n - 1);
    for (std::size_t a = 0; a < 2; ++a) {
      double* const row = &mdp.P[(s * 2 + a) * n];
      row[a == 1 ? right : left] += alpha;
      row[a == 1 ? left : right] += 1 - alpha;
    }
  }
  return mdp;
}

TabularMdp make_noisy_bandit(std::size_t arms, double lambda, std::uint64_t seed) {
  TabularMdp mdp{1, arms, std::vector<double>(arms, 1), std::vector<double>(arms), {1}, 1, 1, {1}};
  for (std::size_t i = 1; i <= arms; ++i) {
    const double from_middle = static_cast<double>(i) - static_cast<double>(arms) / 2;
    const double signal = std::exp(-from_middle * from_middle / 2) / std::sqrt(2 * std::numbers::pi);
    mdp.r[i - 1] = signal + lambda * Random({seed, Stage::task, i, 0}).normal();
  }
  return mdp;
}

namespace {

Task make_task(std::string name, const TabularMdp& mdp) {
  check_mdp(mdp, name);  // before anything is made of it: the smallest of no rewards does not exist
  const auto [low, high] = std::ranges::minmax(mdp.r);
  return {std::move(name),
          Space::discrete("state", mdp.n),
          Space::discrete("state", mdp.n),
          Space::discrete("action", mdp.m),
          {low, high},
          mdp.horizon,
          mdp.gamma,
          0};
}

// Running sums of each row of n probabilities, scaled so that the last is exactly one.
std::vector<double> row_cdfs(const std::vector<double>& rows, std::size_t n) {
  std::vector<double> cdf(rows.size());
  for (std::size_t row = 0; row < rows.size(); row += n) {
    double sum = 0;
    for (std::size_t i = row; i < row + n; ++i) cdf[i] = sum += rows[i];
    for (std::size_t i = row; i < row + n; ++i) cdf[i] /= sum;
  }
  return cdf;
}

// The first index whose running sum passes u < 1: never one of probability zero.
double draw_index(std::span<const double> cdf, double u) {
  return static_cast<double>(std::ranges::upper_bound(cdf, u) - cdf.begin());
}

}  // namespace

TabularEnv::TabularEnv(std::string name, TabularMdp mdp) : Env(make_task(std::move(name), mdp)), mdp_(std::move(mdp)) {
  start_cdf_ = row_cdfs(mdp_.mu, mdp_.n);
  next_cdf_ = row_cdfs(mdp_.P, mdp_.n);
}

void TabularEnv::reset(const Draws& draws, MatrixView<double> state) const {
  const auto s = state.row(0);
  draws.fill_uniform(s);
  for (double& value : s) value = draw_index(start_cdf_, value);
}

void TabularEnv::step(MatrixView<double> state, MatrixView<const double> action, const Draws& draws,
                      std::span<double> reward, std::span<std::uint8_t> terminated) const {
  const auto s = state.row(0);
  const auto a = action.row(0);
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (!(a[i] >= 0 && a[i] < static_cast<double>(mdp_.m))) {  // a wrong index must not read outside the table
      require_in_range("an action of task '" + task().name + "'", a[i], 0, static_cast<double>(mdp_.m) - 1,
                       "Give the number of an action");
    }
    const std::size_t pair = static_cast<std::size_t>(s[i]) * mdp_.m + static_cast<std::size_t>(a[i]);
    const auto row = std::span(next_cdf_).subspan(pair * mdp_.n, mdp_.n);
    reward[i] = mdp_.r[pair];
    s[i] = mdp_.n == 1 ? 0 : draw_index(row, draws.random(i).uniform());
    terminated[i] = mdp_.terminal.empty() ? 0 : mdp_.terminal[static_cast<std::size_t>(s[i])];
  }
}

Range TabularEnv::return_range(std::uint32_t horizon) const {
  const bool one_step = !mdp_.terminal.empty() && std::ranges::find(mdp_.terminal, 0) == mdp_.terminal.end();
  return Env::return_range(one_step ? 1 : horizon);
}

namespace {

using nlohmann::json;

[[noreturn]] void bad_shape(const std::string& where, const std::string& what) {
  throw Error(ErrorCode::shape_mismatch, fmt::format("{}: {}", where, what),
              "Give P as [state][action][next state], r as [state][action] and mu as [state]");
}

const json& member(const json& document, const std::string& key, const std::string& where) {
  if (!document.contains(key)) {
    throw Error(ErrorCode::bad_format, fmt::format("{} has no \"{}\"", where, key),
                "Give P, r, mu and gamma; docs/guide/tasks.md shows a file");
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
double integer_of(double value, double low, double high, const std::string& where, const std::string& remedy) {
  require_in_range(where, value, low, high, remedy);
  if (value == std::floor(value)) return value;
  throw Error(ErrorCode::bad_value, fmt::format("{} is {}, which is not an integer", where, value), remedy);
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
    mdp.horizon = static_cast<std::uint32_t>(integer_of(number(document, "horizon", where), 1, 1e9, where + ": horizon",
                                                        "Give the number of steps of an episode"));
  } else {
    mdp.horizon = horizon_for(mdp.gamma, where);
  }
  if (document.contains("terminal")) {
    mdp.terminal.assign(mdp.n, 0);
    for (const json& state : document["terminal"]) {
      const double index = integer_of(state.is_number() ? state.get<double>() : -1, 0, static_cast<double>(mdp.n) - 1,
                                      where + ": a terminal state", "Name an existing state");
      mdp.terminal[static_cast<std::size_t>(index)] = 1;
    }
  }
  check_mdp(mdp, where);
  return mdp;
}

EnvEntry noisy_bandit_entry() {
  return {"noisy-bandit", "one-step bandit: a bell of rewards over the arms plus fixed noise drawn from the seed",
          "arms=50,lambda=0.1", [](Params& params) {
            const std::size_t arms = params.integer("arms", 50, 2, 1000000);
            const double lambda = params.number("lambda", 0.1, 0, 1e6);
            return std::make_unique<TabularEnv>("noisy-bandit", make_noisy_bandit(arms, lambda, params.seed()));
          }};
}

EnvEntry chain_entry() {
  return {"chain", "states in a row: an action steps right or left, and does the opposite with probability 1-alpha",
          "n=10,alpha=1,horizon=100", [](Params& params) {
            const std::size_t n = params.integer("n", 10, 2, 10000);
            const double alpha = params.number("alpha", 1, 0, 1);
            const auto horizon = static_cast<std::uint32_t>(params.integer("horizon", 100, 1, 1000000000));
            return std::make_unique<TabularEnv>("chain", make_chain(n, alpha, horizon));
          }};
}

EnvEntry tabular_entry() {
  return {"tabular", "a finite Markov decision process from a JSON file (P, r, mu, gamma)", "FILE.json",
          [](Params& params) {
            const std::string file = params.text("file", "");
            if (file.empty()) {
              throw Error(ErrorCode::missing_option, "task 'tabular' needs a file",
                          "Write 'tabular:FILE.json'; docs/guide/tasks.md shows such a file");
            }
            return std::make_unique<TabularEnv>("tabular", read_mdp(file));
          }};
}

}  // namespace mercer
