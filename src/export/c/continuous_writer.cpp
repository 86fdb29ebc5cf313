#include "export/c/continuous_writer.hpp"

namespace mercer {

ContinuousWriter::ContinuousWriter(const ContinuousController& controller, const COptions& options)
    : c_(controller), flat_(controller.flat), d_(flat_.dimensions()) {
  places_ = {{"name", options.name},
             {"N", std::to_string(d_)},
             {"M", std::to_string(c_.outside.actions())},
             {"O", std::to_string(flat_.outputs)},
             {"R", std::to_string(flat_.rows)},
             {"F", std::to_string(flat_.factors_each)}};
}

void ContinuousWriter::add_factors() {
  if (flat_.factors_each == 0) return;
  const bool wide = flat_.rows > 256;
  add_integers(wide ? "uint16_t" : "unsigned char", wide ? 2 : 1, "factor", flat_.factors, flat_.factors_each);
}

void ContinuousWriter::add_ridges() {
  if (flat_.ridge_count() > 0) add_integers("signed char", 1, "ridge", flat_.ridges, d_ + 1);
  if (!flat_.ridge_halvings.empty()) add_integers("unsigned char", 1, "halving", flat_.ridge_halvings);
}

void ContinuousWriter::write_polynomials(const Numbers& numbers, const std::string& start, const std::string& next) {
  const Places places{{"type", numbers.type}, {"one", numbers.one}, {"start", start}, {"next", next}};
  text_ += fill(R"(/* The family's functions 1 to count at x, by their recurrence. */
static @type@ *polynomials(@type@ x, int count, @type@ *row)
{
  @type@ before = @one@, now, next;
  int k;
@start@  now = x;
  for (k = 0; k < count; k++) {
    *row++ = now;
    next = @next@;
    before = now;
    now = next;
  }
  return row;
}

)",
                places);
  for (const auto& axis : flat_.axes) {
    if (!axis.periodic) body_.operations += {3 * axis.functions, axis.functions};
  }
}

void ContinuousWriter::write_turning(const Numbers& numbers, const std::string& cosine, const std::string& sine,
                                     const std::string& twice) {
  const auto doubled = [&](const std::string& function) {
    const Places place{{"f", function}};
    return fill(twice, place);
  };
  const Places places{{"type", numbers.type},
                      {"one", numbers.one},
                      {"zero", numbers.zero},
                      {"cosine", cosine},
                      {"sine", sine},
                      {"next_cosine", doubled("cosine")},
                      {"next_sine", doubled("sines")}};
  text_ += fill(R"(/* cos(pi x), sin(pi x), cos(2 pi x), ...: count of them. */
static @type@ *turning(@type@ x, int count, @type@ *row)
{
  const @type@ c = @cosine@;
  @type@ cosine = c, cosine_before = @one@, sines = @sine@, sines_before = @zero@, next;
  int k;
  for (k = 0; k < count; k += 2) {
    *row++ = cosine;
    if (k + 1 < count) *row++ = sines;
    next = @next_cosine@ - cosine_before;
    cosine_before = cosine;
    cosine = next;
    next = @next_sine@ - sines_before;
    sines_before = sines;
    sines = next;
  }
  return row;
}

)",
                places);
}

void ContinuousWriter::write_rows(const std::string& one) {
  if (!flat_.any_functions()) return;
  text_ += fmt::format("  *r++ = {};\n  for (i = 0; i < @N@; i++)", one);
  const bool poly = flat_.most_functions(false) > 0, turn = flat_.most_functions(true) > 0;
  text_ += poly && turn
               ? "\n    r = periodic[i] != 0 ? turning(x[i], functions[i], r) : polynomials(x[i], functions[i], r);\n"
           : poly ? " r = polynomials(x[i], functions[i], r);\n"
                  : " r = turning(x[i], functions[i], r);\n";
}

void ContinuousWriter::write_bends(const std::string& table) {
  for (std::size_t i = 0; i < d_; ++i) {
    const std::size_t knots = flat_.axes[i].knots.size();
    if (knots > 0) text_ += fmt::format("  x[{0}] = bent(x[{0}], {1}_{0}, {2});\n", i, table, knots + 1);
  }
}

}  // namespace mercer
