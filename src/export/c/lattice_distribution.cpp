#include "export/c/coefficient_writer.hpp"

namespace mercer {

std::string CoefficientWriter::projection() const {
  if (fixed_ && simplex_ == SimplexRule::euclidean) return fixed_euclidean();
  if (fixed_) {
    return R"(  for (c = 0; c < @L@; c++) {
    row[c] = row[c] > 0 ? row[c] : 0;
    total += row[c];
  }
)";
  }
  if (simplex_ == SimplexRule::clip) {
    return R"(  for (c = 0; c < @L@; c++) {
    row[c] = row[c] > 0.0f ? row[c] : 0.0f;
    total += row[c];
  }
)";
  }
  const std::string most = R"(  most = row[0];
  for (c = 1; c < @L@; c++) most = row[c] > most ? row[c] : most;
)";
  if (simplex_ == SimplexRule::softmax) {
    return most + R"(  for (c = 0; c < @L@; c++) {
    row[c] = row[c] - most < -80.0f ? 0.0f : exponential(row[c] - most);
    total += row[c];
  }
)";
  }
  return most + R"(  for (c = 0; c < @L@; c++) row[c] -= most;
  /* The nearest distribution: what is above a level, which rises until nothing else falls below it. */
  most = -3e38f;
  for (round = 0; round < @L@; round++) {
    total = 0.0f;
    above = 0;
    for (c = 0; c < @L@; c++) {
      total += row[c] > most ? row[c] : 0.0f;
      above += row[c] > most ? 1 : 0;
    }
    if (above == 0) break;
    most = (total - 1.0f) / (float)above;
  }
  total = 0.0f;
  for (c = 0; c < @L@; c++) {
    row[c] = row[c] > most ? row[c] - most : 0.0f;
    total += row[c];
  }
)";
}

std::string CoefficientWriter::fixed_euclidean() const {
  const Places places{{"unit", std::to_string(whole_.one)}};
  return fill(
      R"(  /* The nearest distribution: what is above a level, which rises until nothing else falls below it. */
  for (round = 0; round < @L@; round++) {
    total = 0;
    above = 0;
    for (c = 0; c < @L@; c++) {
      total += row[c] > level ? row[c] : 0;
      above += row[c] > level ? 1 : 0;
    }
    if (above == 0) break;
    level = (total - @unit@) / above;
  }
  total = 0;
  for (c = 0; c < @L@; c++) {
    row[c] = (int32_t)(row[c] > level ? row[c] - level : 0);
    total += row[c];
  }
)",
      places);
}

void CoefficientWriter::write_distribution() {
  Places places = places_;
  places.emplace_back("total", fixed_ ? "int64_t" : "float");
  places.emplace_back("zero", fixed_ ? "0" : "0.0f");
  places.emplace_back("one", fixed_ ? "1" : "1.0f");
  std::string more;
  if (!fixed_ && simplex_ != SimplexRule::clip) more += "  float most;\n";
  if (!fixed_ && simplex_ == SimplexRule::euclidean) more += "  uint32_t round, above;\n";
  if (fixed_ && simplex_ == SimplexRule::euclidean)
    more += "  int64_t level = -((int64_t)1 << 40), above;\n  uint32_t round;\n";
  if (axes()) more += fill("  @cell@ number;\n  int i;\n", places_);
  places.emplace_back("more", more);
  const std::string body = leading() + "  fill_row(at, row);\n" + projection();
  std::string guarded = body;
  if (uniform_) {
    guarded = "  if (found < @C@) {\n" + body + "  }\n";
  }
  places.emplace_back("body", fill(guarded, places_));
  text_ += fill(R"(/* Weights of the action cells and their sum; 0 if the observation is not usable. */
static int distribution(const @type@ obs[@N@], @type@ row[@L@], @total@ *sum)
{
  uint32_t found = 0, at[@S@], c;
  @total@ total = @zero@;
@more@  if (!find(obs, &found)) return 0;
@body@  if (!(total > @zero@)) {
    for (c = 0; c < @L@; c++) row[c] = @one@;
    total = @one@ * @L@;
  }
  *sum = total;
  return 1;
}

)",
                places);
  body_.code_bytes += 120;
  body_.operations += {0, terms_.columns, 0, 2 * terms_.columns};
}

}  // namespace mercer
