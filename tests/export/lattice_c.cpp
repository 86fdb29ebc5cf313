#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "export/common/lattice_controller.hpp"
#include "export/compiled.hpp"
#include "export/exported.hpp"
#include "export/lattice_cases.hpp"

namespace mercer {
namespace {

using test::Compiled;
using test::LatticeKind;

constexpr std::size_t uniform = Cells::none;

// Every row that a state may get: that of its cell, or of the nearest visited one, or none. Close to an edge, or where
// two cells are equally near, rounding decides: both are listed.
class Finder {
 public:
  explicit Finder(const LatticePolicy& policy) : policy_(policy) {}

  std::set<std::size_t> rows(std::span<const double> state) const {
    std::set<std::size_t> found;
    const Grid& grid = policy_.cells().grid();
    for (int corner = 0; corner < 4; ++corner) {
      std::vector<double> moved(state.begin(), state.end());
      for (std::size_t d = 0; d < 2; ++d)
        moved[d] += (corner >> d & 1 ? 2e-6 : -2e-6) * (grid.axes[d].values.back() - grid.axes[d].values.front());
      const std::size_t row = policy_.cells().find(moved.data());
      if (row != Cells::none || policy_.playing().unvisited == Unvisited::uniform) {
        found.insert(row);
      } else {
        add_nearest(state, found);
      }
    }
    return found;
  }

 private:
  void add_nearest(std::span<const double> state, std::set<std::size_t>& found) const {
    const Cells& cells = policy_.cells();
    std::vector<double> distances;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      double sum = 0;
      for (std::size_t d = 0; d < 2; ++d) {
        const Edges& axis = cells.grid().axes[d];
        sum += std::pow((cells.centre(c, d) - state[d]) / (axis.values.back() - axis.values.front()), 2);
      }
      distances.push_back(std::sqrt(sum));
    }
    const double least = *std::ranges::min_element(distances);
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (distances[c] <= least + 1e-5) found.insert(c);
    }
  }

  const LatticePolicy& policy_;
};

struct LatticeExported {
  std::string name;
  bool fixed = false, discrete = false;
  CExport code;
  std::shared_ptr<EmbeddingFile> file;
  std::vector<double> obs_one, act_one;
  std::vector<std::vector<double>> states;    // as the controller sees them
  std::vector<std::set<std::size_t>> rows{};  // that each may get
};

LatticeExported lattice_exported(const LatticeKind& kind, const std::string& setting, CMode mode) {
  LatticeExported made;
  made.name = kind.name + "_" + (mode == CMode::table ? "table" : "rows") + "_" + setting;
  made.fixed = setting == "fixed";
  made.discrete = kind.actions == 0;
  made.file = std::make_shared<EmbeddingFile>(test::lattice_case(kind));
  made.code = export_c(*made.file, {.name = made.name,
                                    .numbers = made.fixed ? CNumbers::fixed : CNumbers::floating,
                                    .math = setting == "libm" ? CMath::libm : CMath::none,
                                    .mode = mode});
  for (std::size_t d = 0; d < 2; ++d) made.obs_one.push_back(test::macro(made.code, made.name, "OBS_ONE", d));
  for (std::size_t a = 0; a < std::max<std::size_t>(1, kind.actions); ++a)
    made.act_one.push_back(test::macro(made.code, made.name, "ACT_ONE", a));
  const Finder finder(made.file->embedding.lattice().policy());
  const std::vector<Range> ranges{{-1.2, 0.6}, {-8, 8}};
  for (std::size_t i = 0; i < test::tested_states; ++i) {
    made.states.push_back(even_state(ranges, i + 7654321, 0.1));
    if (!made.fixed) {
      for (double& number : made.states.back()) number = static_cast<float>(number);
    }
    made.rows.push_back(finder.rows(made.states.back()));
  }
  return made;
}

// What NAME_act says about a state.
std::vector<double> act(const Compiled& compiled, const LatticeExported& one, const std::vector<double>& state) {
  std::vector<double> action(one.act_one.size());
  if (one.fixed) {
    std::vector<std::int32_t> obs, raw(action.size());
    for (std::size_t d = 0; d < 2; ++d)
      obs.push_back(static_cast<std::int32_t>(std::lround(state[d] * one.obs_one[d])));
    compiled.function<void(const std::int32_t*, std::int32_t*)>(one.name + "_act")(obs.data(), raw.data());
    for (std::size_t a = 0; a < action.size(); ++a) action[a] = raw[a] / one.act_one[a];
  } else {
    std::vector<float> obs(state.begin(), state.end()), raw(action.size());
    compiled.function<void(const float*, float*)>(one.name + "_act")(obs.data(), raw.data());
    action.assign(raw.begin(), raw.end());
  }
  return action;
}

// The distance of an action from what the model does in a row, in shares of the range; of discrete ones: half of what
// it is less likely than the likeliest.
double error_in(const LatticePolicy& policy, std::size_t row, std::span<const double> action) {
  std::vector<double> p(policy.columns(), 1 / static_cast<double>(policy.columns()));
  if (row != uniform) policy.row(row, p);
  if (policy.action_space().is_discrete())
    return (*std::ranges::max_element(p) - p[static_cast<std::size_t>(action[0])]) / 2;
  double worst = 0;
  const Grid& grid = policy.own_edges().of(row, policy.actions());
  for (std::size_t a = 0; a < action.size(); ++a) {
    double mean = 0;
    for (std::size_t c = 0; c < p.size(); ++c) mean += p[c] * grid.axes[a].centre(grid.bin(c, a));
    worst = std::max(worst, std::abs(action[a] - mean) / policy.action_space().axes[a].range.width());
  }
  return worst;
}

double largest_error(const Compiled& compiled, const LatticeExported& one) {
  const LatticePolicy& policy = one.file->embedding.lattice().policy();
  double worst = 0;
  for (std::size_t i = 0; i < one.states.size(); ++i) {
    const std::vector<double> action = act(compiled, one, one.states[i]);
    double least = 1e9;
    for (const std::size_t row : one.rows[i]) least = std::min(least, error_in(policy, row, action));
    worst = std::max(worst, least);
  }
  return worst;
}

void check_all_lattices(const std::string& setting) {
  std::vector<LatticeExported> all;
  std::vector<Compiled::Source> sources;
  for (const LatticeKind& kind : test::lattice_kinds()) {
    for (const CMode mode : {CMode::table, CMode::coefficients}) {
      const bool has = kind.coefficients && (setting != "fixed" || kind.simplex != SimplexRule::softmax);
      if (mode == CMode::coefficients && !has) continue;
      all.push_back(lattice_exported(kind, setting, mode));
      sources.push_back({all.back().name, all.back().code});
    }
  }
  std::map<std::string, double> worst;
  std::vector<test::Compiler> compilers = test::compilers();
  compilers.push_back(test::trapping());
  for (const test::Compiler& compiler : compilers) {
    const Compiled compiled(sources, compiler);
    ASSERT_EQ(compiled.problem(), "") << compiler.name;
    for (const LatticeExported& one : all) {
      SCOPED_TRACE(one.name + " " + compiler.name);
      EXPECT_EQ(compiled.selftest(one.name), 0);
      const double error = largest_error(compiled, one);
      EXPECT_LE(error, one.code.stated_error);
      worst[one.name] = std::max(worst[one.name], error);
    }
  }
  for (const LatticeExported& one : all) {
    EXPECT_LE(one.code.stated_error, setting == "fixed" ? 1e-3 : 1e-5) << one.name;
    printf("  %-28s worst %.1e, stated %.1e, %5zu bytes of tables, %6zu operations\n", one.name.c_str(),
           worst[one.name], one.code.stated_error, one.code.flash_bytes, one.code.operations.total());
  }
}

TEST(LatticeC, FloatActsAsTheLibraryDoes) { check_all_lattices("none"); }
TEST(LatticeC, WholeNumbersActAsTheLibraryDoes) { check_all_lattices("fixed"); }

// A drawn action belongs to a cell whose part of the row holds the number it was drawn with.
TEST(LatticeC, RowsAreSampled) {
  for (const std::string setting : {"none", "fixed"}) {
    std::vector<LatticeExported> all;
    std::vector<Compiled::Source> sources;
    for (const LatticeKind& kind : test::lattice_kinds()) {
      if (kind.name != "fourier_list" && kind.name != "dct_discrete" && kind.name != "haar_axes_two") continue;
      all.push_back(lattice_exported(kind, setting, CMode::coefficients));
      sources.push_back({all.back().name, all.back().code});
    }
    const Compiled compiled(sources, test::compilers()[0]);
    ASSERT_EQ(compiled.problem(), "");
    for (const LatticeExported& one : all) {
      const LatticePolicy& policy = one.file->embedding.lattice().policy();
      const Grid& grid = policy.actions();
      const std::size_t m = one.act_one.size();
      std::vector<double> p(policy.columns());
      for (std::size_t i = 0; i < 2000; ++i) {
        const std::size_t row = i % policy.cells().size();
        policy.row(row, p);
        std::vector<double> u{0.5}, action(m), obs;
        for (std::size_t a = 0; a <= m; ++a) u.push_back(0);
        for (std::size_t a = 0; a < u.size(); ++a)
          u[a] = std::fmod(0.37 + static_cast<double>(i + 1) * std::sqrt(2.0 + static_cast<double>(a)), 1.0);
        for (std::size_t d = 0; d < 2; ++d) obs.push_back(policy.cells().centre(row, d));
        if (one.fixed) {
          std::vector<std::int32_t> in, raw(m);
          std::vector<std::uint32_t> noise;
          for (std::size_t d = 0; d < 2; ++d)
            in.push_back(static_cast<std::int32_t>(std::lround(obs[d] * one.obs_one[d])));
          for (const double number : u) noise.push_back(static_cast<std::uint32_t>(number * 0x1p32));
          if (one.discrete) {
            compiled.function<void(const std::int32_t*, std::uint32_t, std::int32_t*)>(one.name + "_sample")(
                in.data(), noise[0], raw.data());
          } else {
            compiled.function<void(const std::int32_t*, const std::uint32_t*, std::int32_t*)>(one.name + "_sample")(
                in.data(), noise.data(), raw.data());
          }
          for (std::size_t a = 0; a < m; ++a) action[a] = raw[a] / one.act_one[a];
        } else {
          std::vector<float> in(obs.begin(), obs.end()), noise(u.begin(), u.end()), raw(m);
          if (one.discrete) {
            compiled.function<void(const float*, float, float*)>(one.name + "_sample")(in.data(), noise[0], raw.data());
          } else {
            compiled.function<void(const float*, const float*, float*)>(one.name + "_sample")(in.data(), noise.data(),
                                                                                              raw.data());
          }
          action.assign(raw.begin(), raw.end());
        }
        bool fits = false;
        double below = 0;
        for (std::size_t c = 0; c < p.size(); ++c) {
          const bool drawn = u[0] >= below - 1e-4 && u[0] <= below + p[c] + 1e-4;
          below += p[c];
          if (!drawn) continue;
          bool same = true;
          for (std::size_t a = 0; a < m; ++a) {
            const Edges& axis = grid.axes[a];
            const std::size_t bin = grid.bin(c, a);
            const double wanted = one.discrete ? static_cast<double>(c) : axis.values[bin] + u[1 + a] * axis.width(bin);
            same = same && std::abs(action[a] - wanted) < 1e-4;
          }
          fits = fits || same;
        }
        EXPECT_TRUE(fits) << one.name << " " << i;
      }
    }
  }
}

}  // namespace
}  // namespace mercer
