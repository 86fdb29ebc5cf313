#include "export/continuous_cases.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "mercer/random.hpp"

namespace mercer::test {
namespace {

const std::vector<std::string> families{"legendre", "chebyshev", "cosine", "hermite", "angle",
                                        "round",    "waves",     "ridges", "bumps"};
const std::vector<std::string> others{"matern32_mean", "matern52_gaussian", "mixed_mean", "constant_mean",
                                      "knots_mean",    "legendre_two",      "shared_mean"};
const std::vector<std::string> heads{"mean", "clip", "gaussian", "greedy", "softmax"};

// A robot: 17 observations, of which one has a range, and six torques.
Contract robot() {
  const double infinite = std::numeric_limits<double>::infinity();
  Contract contract;
  contract.task = "robot";
  std::vector<Axis> seen(17, Axis{"", {-infinite, infinite}, "rad", false}), acted(6, Axis{"", {-1, 1}, "N m", false});
  for (std::size_t d = 0; d < seen.size(); ++d) seen[d].name = fmt::format("joint_{}", d);
  for (std::size_t a = 0; a < acted.size(); ++a) acted[a].name = fmt::format("torque_{}", a);
  seen[5].range = {-0.5, 2};
  contract.observation = Space::box(seen);
  contract.action = Space::box(acted);
  contract.dt = 0.05;
  return contract;
}

Contract contract_for(const std::string& family, const std::string& head) {
  if (family == "shared") return robot();
  const bool round = family == "round";
  Contract contract;
  contract.task = "made";
  contract.observation = Space::box({{"position", {-1.2, 0.6}, "m", round},
                                     {"angle", {-3.14159274, 3.14159274}, "rad", round || family == "angle"},
                                     {"speed", {-8, 8}, "rad/s", round}});
  contract.dt = 0.05;
  if (head == "greedy" || head == "softmax") {
    contract.action = Space::discrete("push", 3);
    return contract;
  }
  std::vector<Axis> axes{{"torque", {-2, 2}, "N m", false}, {"force", {0, 10}, "N", false}};
  axes.resize(head == "two" ? 2 : 1);
  contract.action = Space::box(axes);
  for (const Axis& axis : axes) {
    contract.centre.push_back((axis.range.low + axis.range.high) / 2);
    contract.scale.push_back(axis.range.width() / 2);
    contract.clip.push_back(axis.range);
  }
  return contract;
}

void add_terms(const std::string& family, Terms& terms) {
  const std::size_t d = terms.dimensions();
  std::vector<double> centres;
  for (std::size_t i = 0; i < d * 8; ++i) centres.push_back(std::sin(1.0 + 2.3 * static_cast<double>(i)));
  const MatrixView<const double> at{centres.data(), d, 8};
  if (family == "chebyshev") return add_tensor(terms, Family::chebyshev, IndexRule::total, 4);
  if (family == "cosine") return add_tensor(terms, Family::cosine, IndexRule::cross, 5);
  if (family == "hermite") return add_tensor(terms, Family::hermite, IndexRule::total, 3);
  if (family == "waves") return add_waves(terms, Kernel::matern52, 1.5, 7, 12);
  if (family == "ridges") return add_ridges(terms, 5, 3.0, 10, 3);
  if (family == "bumps") return add_radials(terms, Kernel::gaussian, 6, 0.8, 1, at);
  if (family == "matern32") return add_radials(terms, Kernel::matern32, 9, 0.8, 0, at);
  if (family == "matern52") return add_radials(terms, Kernel::matern52, 5, 1.0, 2, at);
  if (family == "mixed") {
    add_tensor(terms, Family::legendre, IndexRule::total, 1);
    add_waves(terms, Kernel::gaussian, 1.0, 3, 4);
    add_ridges(terms, 4, 2.0, 4, 5);
    return add_radials(terms, Kernel::gaussian, 5, 0.7, 0, at);
  }
  if (family == "shared") {
    add_tensor(terms, Family::legendre, IndexRule::total, 1);
    add_ridges(terms, 6, 2.0, 32, 9);
    for (std::size_t r = 0; r < 32; ++r) terms.ridges.halvings.push_back(static_cast<std::uint8_t>(r * 5 % 8));
    return;
  }
  if (family == "constant") return add_tensor(terms, Family::legendre, IndexRule::total, 0);
  add_tensor(terms, Family::legendre, IndexRule::total, 3);
  if (family == "angle") add_ridges(terms, 4, 1.5, 5, 2);
}

std::size_t place(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

}  // namespace

std::vector<std::string> few_continuous_kinds() {
  std::vector<std::string> kinds = others;
  for (std::size_t f = 0; f < families.size(); ++f) kinds.push_back(families[f] + "_" + heads[f % heads.size()]);
  return kinds;
}

std::vector<std::string> continuous_kinds() {
  std::vector<std::string> kinds = others;
  for (const std::string& family : families) {
    for (const std::string& head : heads) kinds.push_back(family + "_" + head);
  }
  return kinds;
}

EmbeddingFile continuous_case(const std::string& kind) {
  static const NumberFormat formats[] = {NumberFormat::float32, NumberFormat::float16, NumberFormat::int16,
                                         NumberFormat::int8};
  const std::string family = kind.substr(0, kind.find('_')), head = kind.substr(kind.find('_') + 1);
  const Contract contract = contract_for(family, head);
  ContinuousCode code;
  code.head = head == "greedy" || head == "softmax" ? Head::logits
              : head == "gaussian" || head == "two" ? Head::gaussian
                                                    : Head::mean;
  code.squash = head != "clip" && head != "softmax";
  code.format = formats[(place(families, family) + place(heads, head)) % 4];
  if (family == "shared") {
    code.ranges = StoredRanges::power;
    for (std::size_t d = 0; d < contract.observation.dimensions(); ++d) {
      const Axis& axis = contract.observation.axes[d];
      const double end = std::ldexp(1.0, static_cast<int>(d % 6) - 2);
      code.coordinates.push_back({is_bounded(axis) ? axis.range : Range{-end, end}, axis.periodic});
    }
  } else {
    code.coordinates = contract_coordinates(contract, code.head);
  }
  if (family == "knots") {
    code.coordinates[0].knots = {40, 100, 200};
    code.coordinates[1].knots = {64, 128, 129};
    code.coordinates[2].knots = {90, 91, 250};
  }
  code.terms = no_terms(periodic_axes(code.coordinates));
  add_terms(family, code.terms);
  code.outputs = head_outputs(code.head, contract);
  Random random({11, Stage::feature, 16 * place(families, family) + place(heads, head), 0});
  const std::size_t count = code.terms.size();
  for (std::size_t i = 0; i < code.outputs * count; ++i)
    code.coefficients.push_back(0.5 * random.normal() / std::sqrt(static_cast<double>(count)));
  EmbeddingOrigin origin;
  origin.env = "made";
  origin.teacher = "nobody */ \\ 'quoted'";
  return {ContinuousEmbedding::make(code, contract, kind), origin, 0, {}};
}

}  // namespace mercer::test
