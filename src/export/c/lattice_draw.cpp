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
@more@  if (find(obs, &found) == 0) return 0;
@body@  if (!(total > @zero@)) {
    total = @zero@;
    for (c = 0; c < @L@; c++) {
      row[c] = @one@;
      total += @one@;
    }
  }
  *sum = total;
  return 1;
}

)",
                places);
  body_.code_bytes += 120;
  body_.operations += {0, terms_.columns, 0, 2 * terms_.columns};
}

void CoefficientWriter::write_act() {
  Places places = places_;
  places.emplace_back("total", fixed_ ? "int64_t" : "float");
  if (c_.discrete()) {
    places.emplace_back("best", fixed_ ? "(int32_t)best" : "(float)best");
    places.emplace_back(
        "safe", fixed_ ? "  (void)distribution(obs, row, &total);\n" : R"(  if (distribution(obs, row, &total) == 0) {
    act[0] = safe[0];
    return;
  }
)");
    text_ += fill(R"(void @name@_act(const @type@ obs[@N@], @type@ act[1])
{
  @type@ row[@L@];
  @total@ total;
  uint32_t c, best = 0;
@safe@  for (c = 1; c < @L@; c++) best = row[c] > row[best] ? c : best;
  act[0] = @best@;
}

)",
                  places);
  } else if (fixed_) {
    text_ += fill(R"(void @name@_act(const int32_t obs[@N@], int32_t act[@M@])
{
  const int32_t *edges = action_edge;
  int32_t row[@L@];
  int64_t total, sum;
  uint32_t c, i, below, after = @L@;
  (void)distribution(obs, row, &total);
  for (i = 0; i < @M@; i++) {
    after /= action_bins[i];
    sum = 0;
    for (c = 0; c < @L@; c++) {
      below = c / after % action_bins[i];
      sum += row[c] * (((int64_t)edges[below] + edges[below + 1]) >> 1);
    }
    act[i] = (int32_t)(sum / total);
    edges += action_bins[i] + 1;
  }
}

)",
                  places);
  } else {
    text_ += fill(R"(void @name@_act(const float obs[@N@], float act[@M@])
{
  const float *edges = action_edge;
  float row[@L@], total, sum;
  uint32_t c, i, below, after = @L@;
  const int usable = distribution(obs, row, &total);
  for (i = 0; i < @M@; i++) {
    after /= action_bins[i];
    sum = 0.0f;
    for (c = 0; usable != 0 && c < @L@; c++) {
      below = c / after % action_bins[i];
      sum += row[c] * (0.5f * (edges[below] + edges[below + 1]));
    }
    act[i] = usable != 0 ? sum / total : safe[i];
    edges += action_bins[i] + 1;
  }
}

)",
                  places);
  }
  const std::size_t work = terms_.columns * c_.outside.actions();
  body_.operations += {work, 2 * work, 2 * work, 0, 2 * work};
  body_.code_bytes += 110;
}

void CoefficientWriter::write_sample() {
  const std::string number = fixed_ ? "uint32_t" : "float";
  body_.sample_argument = fill(noise_ ? fmt::format("const {} u[@U@]", number) : number + " u", places_);
  Places places = places_;
  const std::string first = noise_ ? "u[0]" : "u";
  places.emplace_back("argument", body_.sample_argument);
  places.emplace_back("total", fixed_ ? "int64_t" : "float");
  places.emplace_back("zero", fixed_ ? "0" : "0.0f");
  places.emplace_back("draw", fixed_ ? fmt::format("(total * (int64_t)({} >> 8)) >> 24", first) : first + " * total");
  std::string check = fixed_ ? "  (void)distribution(obs, row, &total);\n" : "";
  if (!fixed_) {
    check = noise_ ? "  for (i = 0; i < @U@; i++) usable = unusable(u[i]) != 0 ? 0 : usable;\n"
                   : "  usable = unusable(u) != 0 ? 0 : usable;\n";
    check = "  int usable = distribution(obs, row, &total);\n" + std::string(noise_ ? "  int i;\n" : "") + check +
            R"(  if (usable == 0) {
    for (c = 0; c < @M@; c++) act[c] = safe[c];
    return;
  }
)";
  }
  places.emplace_back("check", fill(check, places_));
  std::string end = fixed_ ? "  act[0] = (int32_t)c;\n" : "  act[0] = (float)c;\n", declare;
  if (!c_.discrete()) {
    declare = fill("  const @type@ *edges = action_edge;\n  uint32_t d, below, after = @L@;\n", places_);
    std::string value = "0.5f * (edges[0] + edges[1])";
    if (fixed_) value = "(int32_t)(((int64_t)edges[0] + edges[1]) >> 1)";
    if (noise_) {
      value = fixed_
                  ? "edges[0] + (int32_t)((((int64_t)edges[1] - edges[0]) * (int64_t)u[1 + d]) >> 32)"
                  : "edges[0] + (edges[1] - edges[0]) * (u[1 + d] < 0.0f ? 0.0f : u[1 + d] > 1.0f ? 1.0f : u[1 + d])";
    }
    end = fill(R"(  for (d = 0; d < @M@; d++) {
    after /= action_bins[d];
    below = c / after % action_bins[d];
    edges += below;
    act[d] = )" + value +
                   R"(;
    edges += action_bins[d] + 1u - below;
  }
)",
               places_);
  }
  places.emplace_back("declare", declare);
  places.emplace_back("end", end);
  text_ += fill(R"(void @name@_sample(const @type@ obs[@N@], @argument@, @type@ act[@M@])
{
@declare@  @type@ row[@L@];
  @total@ total, left;
  uint32_t c;
@check@  left = @draw@;
  for (c = 0; c < @L@ - 1; c++) {
    left -= row[c];
    if (left < @zero@) break;
  }
@end@}

)",
                places);
  body_.code_bytes += 120;
}

}  // namespace mercer
