#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include "mercer/embedding.hpp"

namespace mercer {
namespace {

using Lines = std::vector<std::string>;

Contract pendulum() {
  Contract contract;
  contract.observation = Space::box(
      {{"cos_theta", {-1, 1}, "", false}, {"sin_theta", {-1, 1}, "", false}, {"speed", {-8, 8}, "rad/s", false}});
  contract.action = Space::box({{"torque", {-2, 2}, "N m", false}});
  return contract;
}

// Terms by what `describe_term` says of them, each with a coefficient for each output.
using Chosen = std::vector<std::pair<std::string, std::vector<double>>>;

ContinuousEmbedding made(const Contract& contract, const Coordinates& coordinates, Family family, const Lines& names,
                         const Chosen& chosen, Head head = Head::mean, bool squash = true) {
  ContinuousCode code;
  code.head = head;
  code.squash = squash;
  code.format = NumberFormat::float32;
  code.coordinates = coordinates;
  Terms all = no_terms(periodic_axes(coordinates));
  add_tensor(all, family, IndexRule::total, 4);
  std::vector<std::size_t> kept;
  std::vector<std::vector<double>> rows(head_outputs(head, contract));
  for (std::size_t t = 0; t < all.size(); ++t) {
    for (const auto& [text, coefficients] : chosen) {
      if (describe_term(all, t, names) != text) continue;
      kept.push_back(t);
      for (std::size_t o = 0; o < rows.size(); ++o) rows[o].push_back(coefficients[o]);
    }
  }
  EXPECT_EQ(kept.size(), chosen.size());
  code.terms = select_terms(all, kept);
  code.outputs = rows.size();
  for (const std::vector<double>& row : rows) code.coefficients.insert(code.coefficients.end(), row.begin(), row.end());
  return ContinuousEmbedding::make(code, contract, "made");
}

ContinuousEmbedding on_pendulum(Family family, const Chosen& chosen, bool squash = true) {
  const Contract contract = pendulum();
  return made(contract, contract_coordinates(contract, Head::mean), family, {"cos_theta", "sin_theta", "v"}, chosen,
              Head::mean, squash);
}

TEST(Formulas, HaveNoHiddenFactors) {
  const ContinuousEmbedding model =
      on_pendulum(Family::chebyshev, {{"1", {-0.5}}, {"2 sin_theta T2(v)", {2}}, {"2 cos_theta v", {-0.125}}});
  EXPECT_EQ(formulas(model), (Lines{"v = speed / 8", "T2(x) = 2 x^2 - 1",
                                    "torque = 2 tanh(-0.5 + 4 sin_theta T2(v) - 0.25 cos_theta v)"}));
  EXPECT_EQ(formulas(model, Notation::python),
            (Lines{"v = speed/8", "torque = 2*tanh(-0.5 + 4*sin_theta*(2*v**2 - 1) - 0.25*cos_theta*v)"}));
  EXPECT_EQ(formulas(model, Notation::latex),
            (Lines{"v = \\frac{\\mathrm{speed}}{8}", "T_{2}\\left(x\\right) = 2 \\, x^{2} - 1",
                   "\\mathrm{torque} = 2 \\, \\tanh\\left(-0.5 + 4 \\, \\mathrm{sin\\_theta} \\, "
                   "T_{2}\\left(v\\right) - 0.25 \\, \\mathrm{cos\\_theta} \\, v\\right)"}));
}

TEST(Formulas, DefineOnlyWhatTheyUse) {
  EXPECT_EQ(formulas(on_pendulum(Family::chebyshev, {{"1", {0.25}}})), Lines{"torque = 2 tanh(0.25)"});
  EXPECT_EQ(formulas(on_pendulum(Family::chebyshev, {{"1", {0}}, {"sqrt(2) v", {0}}})), Lines{"torque = 2 tanh(0)"});
  EXPECT_EQ(formulas(on_pendulum(Family::chebyshev, {{"2 cos_theta sin_theta", {0.5}}}, false)),
            Lines{"torque = 2 clip(cos_theta sin_theta, -1, 1)"});
}

TEST(Formulas, NameEveryFamily) {
  EXPECT_EQ(formulas(on_pendulum(Family::legendre, {{"5 P2(sin_theta) P2(v)", {0}}, {"sqrt(5) P2(v)", {1}}})),
            (Lines{"v = speed / 8", "P2(x) = (3 x^2 - 1) / 2", "torque = 2 tanh(2.236068 P2(v))"}));
  EXPECT_EQ(formulas(on_pendulum(Family::hermite, {{"3 sin_theta", {1}}, {"He2(3 v) / sqrt(2)", {1}}})),
            (Lines{"v = speed / 8", "He2(x) = x^2 - 1", "torque = 2 tanh(0.7071068 He2(3 v) + 3 sin_theta)"}));
  EXPECT_EQ(formulas(on_pendulum(Family::cosine, {{"-sqrt(2) sin(pi v / 2)", {-1}}, {"-sqrt(2) cos(pi v)", {1}}})),
            (Lines{"v = speed / 8", "torque = 2 tanh(1.414214 sin(pi v / 2) - 1.414214 cos(pi v))"}));
}

TEST(Formulas, TakeAnglesAsTheyAre) {
  constexpr double pi = std::numbers::pi;
  Contract contract;
  contract.observation = Space::box({{"angle", {-pi, pi}, "rad", true}, {"heading", {0, 360}, "deg", true}});
  contract.action = Space::discrete("push", 2);
  const ContinuousEmbedding model =
      made(contract, contract_coordinates(contract, Head::logits), Family::chebyshev, {"angle", "h"},
           {{"sqrt(2) cos(angle)", {1, 0}}, {"sqrt(2) sin(2 h)", {0, -1}}}, Head::logits);
  EXPECT_EQ(formulas(model), (Lines{"h = 0.0174532925 (heading - 180)", "logit_0 = 1.414214 cos(angle)",
                                    "logit_1 = -1.414214 sin(2 h)", "push = argmax(logit_0, logit_1)"}));
}

ContinuousEmbedding on_visited_ranges(const Coordinates& coordinates) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Contract contract;
  contract.observation = Space::box({{"velocity", {-infinity, infinity}, "", false}, {"position", {0, 2}, "", false}});
  contract.action = Space::box({{"force", {0, 10}, "N", false}});
  ContinuousCode code;
  code.format = NumberFormat::float32;
  code.ranges = StoredRanges::half;
  code.coordinates = coordinates;
  code.terms = no_terms({0, 0});
  add_tensor(code.terms, Family::legendre, IndexRule::total, 1);
  code.coefficients = {0, 1 / std::numbers::sqrt3, -2 / std::numbers::sqrt3};
  return ContinuousEmbedding::make(code, contract, "made");
}

TEST(Formulas, ClipWhatLeavesItsRange) {
  EXPECT_EQ(formulas(on_visited_ranges({{{-1.5, 2.5}}, {{0, 2}}})),
            (Lines{"v = clip((velocity - 0.5) / 2, -1, 1)", "x = position - 1", "force = 5 + 5 tanh(x - 2 v)"}));
  EXPECT_EQ(
      formulas(on_visited_ranges({{{-1.5, 2.5}}, {{0, 2}}}), Notation::python),
      (Lines{"v = (abs(velocity + 1.5) - abs(velocity - 2.5))/4", "x = position - 1", "force = 5 + 5*tanh(x - 2*v)"}));
}

TEST(Formulas, BendAxes) {
  const ContinuousEmbedding model = on_visited_ranges({{{-2, 2}, false, {128}}, {{0, 2}, false, {64}}});
  EXPECT_EQ(formulas(model), (Lines{"v = interp(velocity, [-2, 0, 2], [-1, 0, 1])",
                                    "x = interp(position, [0, 0.5, 2], [-1, 0, 1])", "force = 5 + 5 tanh(x - 2 v)"}));
  EXPECT_EQ(formulas(model, Notation::python)[1],
            "x = abs(position) - 0.666666667*abs(position - 0.5) - 0.333333333*abs(position - 2)");
}

}  // namespace
}  // namespace mercer
