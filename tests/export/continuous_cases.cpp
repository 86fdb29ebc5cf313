#include "export/continuous_cases.hpp"

#include <cmath>

#include "mercer/core/random.hpp"

namespace mercer::test {
namespace {

Contract box_contract(bool angle, std::size_t actions) {
  Contract contract;
  contract.task = "made";
  contract.observation = Space::box({{"position", {-1.2, 0.6}, "m", false},
                                     {"angle", {-3.14159274, 3.14159274}, "rad", angle},
                                     {"speed", {-8, 8}, "rad/s", false}});
  std::vector<Axis> axes{{"torque", {-2, 2}, "N m", false}, {"force", {0, 10}, "N", false}};
  axes.resize(actions);
  contract.action = Space::box(axes);
  contract.dt = 0.05;
  for (const Axis& axis : axes) {
    contract.centre.push_back((axis.range.low + axis.range.high) / 2);
    contract.scale.push_back(axis.range.width() / 2);
    contract.clip.push_back(axis.range);
  }
  return contract;
}

Contract discrete_contract() {
  Contract contract = box_contract(false, 1);
  contract.action = Space::discrete("push", 3);
  contract.centre = contract.scale = {};
  contract.clip = {};
  return contract;
}

void add_terms(const std::string& kind, Terms& terms) {
  const std::size_t d = terms.dimensions();
  std::vector<double> centres;
  for (std::size_t i = 0; i < d * 8; ++i) centres.push_back(std::sin(1.0 + 2.3 * static_cast<double>(i)));
  const MatrixView<const double> at{centres.data(), d, 8};
  if (kind == "chebyshev") return add_tensor(terms, Family::chebyshev, IndexRule::total, 4);
  if (kind == "cosine") return add_tensor(terms, Family::cosine, IndexRule::cross, 5);
  if (kind == "hermite") return add_tensor(terms, Family::hermite, IndexRule::total, 3);
  if (kind == "waves") return add_waves(terms, Kernel::matern52, 1.5, 7, 12);
  if (kind == "ridges") return add_ridges(terms, 5, 3.0, 10, 3);
  if (kind == "bumps_gaussian") return add_radials(terms, Kernel::gaussian, 6, 0.8, 1, at);
  if (kind == "bumps_matern32") return add_radials(terms, Kernel::matern32, 9, 0.8, 0, at);
  if (kind == "bumps_matern52") return add_radials(terms, Kernel::matern52, 5, 1.0, 2, at);
  if (kind == "mixed") {
    add_tensor(terms, Family::legendre, IndexRule::total, 1);
    add_waves(terms, Kernel::gaussian, 1.0, 3, 4);
    add_ridges(terms, 4, 2.0, 4, 5);
    return add_radials(terms, Kernel::gaussian, 5, 0.7, 0, at);
  }
  if (kind == "constant") return add_tensor(terms, Family::legendre, IndexRule::total, 0);
  add_tensor(terms, Family::legendre, IndexRule::total, 3);
}

}  // namespace

std::vector<std::string> continuous_kinds() {
  return {"legendre", "chebyshev", "cosine",         "hermite",        "angle",          "angle_mixed", "knots",
          "waves",    "ridges",    "bumps_gaussian", "bumps_matern32", "bumps_matern52", "mixed",       "clip",
          "constant", "gaussian",  "gaussian_two",   "greedy",         "softmax",        "int16"};
}

ContinuousCase continuous_case(const std::string& kind) {
  const bool discrete = kind == "greedy" || kind == "softmax", angle = kind.starts_with("angle");
  const Contract contract = discrete ? discrete_contract() : box_contract(angle, kind == "gaussian_two" ? 2 : 1);
  ContinuousCode code;
  code.head = discrete ? Head::logits : kind.starts_with("gaussian") ? Head::gaussian : Head::mean;
  code.squash = kind != "clip" && kind != "softmax";
  code.format = kind == "int16" ? NumberFormat::int16 : kind == "ridges" ? NumberFormat::int8 : NumberFormat::float32;
  code.coordinates = contract_coordinates(contract, code.head);
  if (kind == "knots") {
    code.coordinates[0].knots = {40, 100, 200};
    code.coordinates[2].knots = {90};
  }
  code.terms = no_terms(periodic_axes(code.coordinates));
  add_terms(kind, code.terms);
  if (kind == "angle_mixed") add_ridges(code.terms, 4, 1.5, 5, 2);
  code.outputs = head_outputs(code.head, contract);
  Random random({11, Stage::feature, kind.size(), 0});
  const std::size_t count = code.terms.size();
  for (std::size_t i = 0; i < code.outputs * count; ++i)
    code.coefficients.push_back(random.normal() / std::sqrt(static_cast<double>(count)));
  EmbeddingOrigin origin;
  origin.env = "made";
  origin.teacher = "nobody */ \\ 'quoted'";
  return {kind, {ContinuousEmbedding::make(code, contract, kind), origin, 0, {}}};
}

}  // namespace mercer::test
