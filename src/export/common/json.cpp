#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/number_codes.hpp"
#include "embed/formula/axes.hpp"
#include "measure/certificate_json.hpp"
#include "mercer/error.hpp"
#include "mercer/export.hpp"
#include "policy/files.hpp"

namespace mercer {
namespace {

using json = nlohmann::ordered_json;

constexpr int format_version = 1;

void check_finite(double number) {
  if (std::isfinite(number)) return;
  throw Error(ErrorCode::not_finite, fmt::format("a coefficient of the embedding is {}", number),
              "Make the embedding again");
}

json product_json(const Terms& terms, const std::vector<std::uint8_t>& indices, std::size_t t) {
  json factors = json::array();
  for (std::size_t d = 0; d < terms.dimensions(); ++d) {
    const std::size_t function = indices[terms.tensor.kept[t] * terms.dimensions() + d];
    if (function > 0) factors.push_back({{"axis", d}, {"function", function}});
  }
  return {{"kind", "product"}, {"factors", factors}};
}

json wave_json(const Terms& terms, std::size_t t) {
  std::vector<double> w(terms.dimensions() + 1);
  random_feature(terms.waves.kernel, from_log_scale(terms.waves.length), terms.waves.seed, terms.waves.kept[t], w);
  const double phase = w.back();
  w.pop_back();
  return {{"kind", "wave"}, {"weights", w}, {"phase", phase}, {"height", std::numbers::sqrt2}};
}

json ridge_json(const Terms& terms, std::size_t t) {
  const std::size_t d = terms.dimensions();
  const double unit = ridge_unit(terms.ridges, t);
  std::vector<double> w;
  for (std::size_t i = 0; i < d; ++i) w.push_back(unit * terms.ridges.numbers[t * (d + 1) + i]);
  return {{"kind", "ridge"}, {"weights", w}, {"bias", unit * terms.ridges.numbers[t * (d + 1) + d]}};
}

json rbf_json(const Terms& terms, std::size_t t) {
  const std::size_t d = terms.dimensions();
  const double cells = std::ldexp(1.0, static_cast<int>(terms.radials.bits));
  std::vector<double> centre;
  for (std::size_t i = 0; i < d; ++i) centre.push_back(-1 + 2 * (terms.radials.centres[t * d + i] + 0.5) / cells);
  const int width = terms.radials.widths.empty() ? 0 : terms.radials.widths[t];
  return {{"kind", "bump"},
          {"kernel", name(terms.radials.kernel)},
          {"centre", centre},
          {"width", std::ldexp(from_log_scale(terms.radials.length), -width)}};
}

json terms_json(const ContinuousEmbedding& embedding) {
  const ContinuousCode& code = embedding.code();
  const Terms& terms = code.terms;
  const std::vector<std::size_t> parts = terms.parts();
  const std::vector<std::string> texts = describe_terms(embedding);
  const std::vector<std::uint8_t> indices =
      terms.tensor.kept.empty() ? std::vector<std::uint8_t>{} : list_indices(terms.tensor.set);
  json all = json::array();
  for (std::size_t t = 0; t < terms.size(); ++t) {
    json one = t < parts[1]   ? product_json(terms, indices, t)
               : t < parts[2] ? wave_json(terms, t - parts[1])
               : t < parts[3] ? ridge_json(terms, t - parts[2])
                              : rbf_json(terms, t - parts[3]);
    one["text"] = texts[t];
    for (std::size_t o = 0; o < code.outputs; ++o) {
      check_finite(code.coefficients[o * terms.size() + t]);
      one["coefficients"].push_back(code.coefficients[o * terms.size() + t]);
    }
    all.push_back(std::move(one));
  }
  return all;
}

json continuous_json(const ContinuousEmbedding& embedding) {
  static const char* heads[] = {"mean", "gaussian", "logits", "density"};
  const ContinuousCode& code = embedding.code();
  json coordinates = json::array();
  for (const Coordinate& axis : code.coordinates) {
    std::vector<double> knots;
    for (const std::uint8_t knot : axis.knots) knots.push_back(-1 + knot / 128.0);
    coordinates.push_back(
        {{"low", axis.range.low}, {"high", axis.range.high}, {"periodic", axis.periodic}, {"knots", knots}});
  }
  return {{"head", heads[static_cast<int>(code.head)]},
          {"squash", code.squash},
          {"format", name(code.format)},
          {"family", name(code.terms.tensor.family)},
          {"outputs", code.outputs},
          {"coordinates", coordinates},
          {"terms", terms_json(embedding)},
          {"formulas", formulas(embedding)}};
}

json edges_json(const Grid& grid) {
  json all = json::array();
  for (const Edges& axis : grid.axes) all.push_back(axis.values);
  return all;
}

json lattice_json(const LatticeEmbedding& embedding) {
  const LatticePolicy& policy = embedding.policy();
  const PolicyTable& table = embedding.table();
  json cells = json::array(), rows = json::array();
  for (std::size_t c = 0; c < policy.cells().size(); ++c) {
    json bins = json::array();
    for (std::size_t d = 0; d < policy.cells().grid().dimensions(); ++d) bins.push_back(policy.cells().bin(c, d));
    cells.push_back(std::move(bins));
    rows.push_back(std::vector<double>(table.row(c).begin(), table.row(c).end()));
  }
  for (const float number : embedding.numbers()) check_finite(number);
  return {{"state_edges", edges_json(policy.cells().grid())},
          {"action_edges", edges_json(policy.actions())},
          {"cells", cells},
          {"table", rows},
          {"coefficients", std::vector<float>(embedding.numbers().begin(), embedding.numbers().end())}};
}

}  // namespace

std::string export_json(const EmbeddingFile& file) {
  const Embedding& embedding = file.embedding;
  json document{{"kind", "mercer embedding"},
                {"version", format_version},
                {"route", name(embedding.route())},
                {"basis", embedding.basis()},
                {"k", embedding.k()},
                {"payload_bytes", embedding.payload().size()},
                {"parameters", embedding.parameters().published},
                {"parameters_stored", embedding.parameters().stored},
                {"env", file.origin.env},
                {"teacher", file.origin.teacher},
                {"seed", file.origin.seed},
                {"settings", file.origin.settings},
                {"contract", to_json(embedding.policy().contract())},
                {"verified", file.verified},
                {"certificate", file.certificate ? to_json(*file.certificate) : json()}};
  document[std::string(name(embedding.route()))] =
      embedding.is_lattice() ? lattice_json(embedding.lattice()) : continuous_json(embedding.continuous());
  return document.dump(1) + "\n";
}

}  // namespace mercer
