#include <algorithm>
#include <numbers>

#include "export/c/c_text.hpp"
#include "export/st/st.hpp"

namespace mercer {
namespace {

using Places = std::vector<std::pair<std::string, std::string>>;

std::string bent(const FlatTerms& flat, std::size_t i, StBody& body) {
  const std::vector<double>& knots = flat.axes[i].knots;
  std::vector<double> pieces;
  for (std::size_t j = 0; j <= knots.size(); ++j) {
    const double from = j == 0 ? -1 : knots[j - 1], to = j == knots.size() ? 1 : knots[j];
    pieces.insert(pieces.end(), {from, 1 / (to - from)});
  }
  body.constants.reals(fmt::format("pieces_{}", i), pieces);
  const std::size_t count = knots.size() + 1;
  body.operations += {2 * count, 2 * count, 0, 2 * count, 2 * count};
  return fill(R"((* Through a rising line of straight pieces, each of the same height. *)
value := REAL#-1.0;
FOR k := 0 TO @last@ DO
  bend := (x[@i@] - pieces_@i@[2 * k]) * pieces_@i@[2 * k + 1];
  IF bend < REAL#0.0 THEN
    bend := REAL#0.0;
  ELSIF bend > REAL#1.0 THEN
    bend := REAL#1.0;
  END_IF;
  value := value + bend * REAL#@height@;
END_FOR;
x[@i@] := value;
)",
              Places{{"i", std::to_string(i)},
                     {"last", std::to_string(knots.size())},
                     {"height", st_real(2.0 / static_cast<double>(count))}});
}

std::string polynomials(const FlatTerms& flat, StBody& body) {
  const bool steps = flat.family == Family::legendre || flat.family == Family::hermite;
  std::vector<double> numbers;
  for (std::size_t k = 0; steps && k < flat.most_functions(false); ++k) {
    const auto [a, b] = recurrence(flat.family, k + 2);
    numbers.insert(numbers.end(), {a, b});
  }
  if (steps) body.constants.reals("steps", numbers);
  body.variables.variables("before, now", "REAL", 2);
  std::string start = "x[i]";
  if (flat.family == Family::cosine) start = fmt::format("-SIN(REAL#{} * x[i])", st_real(std::numbers::pi / 2));
  if (flat.family == Family::hermite) start = "REAL#3.0 * x[i]";
  for (const FlatTerms::Axis& axis : flat.axes) {
    const std::size_t sines = flat.family == Family::cosine ? 1 : 0;
    if (!axis.periodic) body.operations += {3 * axis.functions, 2 * axis.functions, 0, 0, 2 * axis.functions, sines};
  }
  return fill(R"(value := @start@;
before := REAL#1.0;
now := value;
FOR k := 0 TO @count@ - 1 DO
  row[place] := now;
  place := place + 1;
  bend := @next@;
  before := now;
  now := bend;
END_FOR;
)",
              Places{{"start", start},
                     {"next", steps ? "steps[2 * k] * value * now - steps[2 * k + 1] * before"
                                    : "REAL#2.0 * value * now - before"}});
}

std::string turning(const FlatTerms& flat, StBody& body) {
  body.variables.variables("turn, cosine, cosine_before, sines, sines_before", "REAL", 5);
  for (const FlatTerms::Axis& axis : flat.axes) {
    if (axis.periodic) body.operations += {2 * axis.functions + 2, 2 * axis.functions, 0, axis.functions, 0, 2};
  }
  return fill(R"(turn := COS(REAL#@pi@ * x[i]);
cosine := turn;
cosine_before := REAL#1.0;
sines := SIN(REAL#@pi@ * x[i]);
sines_before := REAL#0.0;
FOR k := 0 TO @count@ - 1 DO
  IF k MOD 2 = 0 THEN
    row[place] := cosine;
  ELSE
    row[place] := sines;
    value := REAL#2.0 * turn * cosine - cosine_before;
    cosine_before := cosine;
    cosine := value;
    value := REAL#2.0 * turn * sines - sines_before;
    sines_before := sines;
    sines := value;
  END_IF;
  place := place + 1;
END_FOR;
)",
              Places{{"pi", st_real(std::numbers::pi)}});
}

}  // namespace

std::string st_coordinates(const FlatTerms& flat, StBody& body) {
  const std::size_t d = flat.dimensions();
  std::vector<double> ranges;
  std::vector<std::int64_t> periodic;
  for (const FlatTerms::Axis& axis : flat.axes) {
    ranges.insert(ranges.end(), {axis.range.low, axis.range.high});
    periodic.push_back(axis.periodic ? 1 : 0);
  }
  body.constants.reals("ranges", ranges);
  const bool mixed = flat.any_periodic() && std::ranges::count(periodic, 0) > 0;
  if (mixed) body.constants.whole("periodic", periodic);
  std::string text = flat.any_periodic() ? "(* To -1 .. 1: what lies outside counts as the end, angles go round. *)\n"
                                         : "(* To -1 .. 1: what lies outside counts as the end. *)\n";
  text += fmt::format("FOR i := 0 TO {} DO\n  low := ranges[2 * i];\n  high := ranges[2 * i + 1];\n  value := x[i];\n",
                      d - 1);
  const std::string clamp =
      "IF value < low THEN\n  value := low;\nELSIF value > high THEN\n  value := high;\nEND_IF;\n";
  if (!flat.any_periodic()) text += indented(clamp, 2);
  if (mixed) text += "  IF periodic[i] = 0 THEN\n" + indented(clamp, 4) + "  END_IF;\n";
  text += "  value := (value + value - (low + high)) / (high - low);\n";
  if (flat.any_periodic()) {
    // Conversions round in the standard and cut in some compilers: one more turn makes both the same.
    const std::string wrap = R"(IF NOT ((value > REAL#-2.0E6) AND (value < REAL#2.0E6)) THEN
  value := REAL#0.0;
ELSIF (value < REAL#-1.000001) OR (value > REAL#1.000001) THEN
  value := value - REAL#2.0 * DINT_TO_REAL(REAL_TO_DINT(REAL#0.5 * value));
  IF value > REAL#1.0 THEN
    value := value - REAL#2.0;
  ELSIF value < REAL#-1.0 THEN
    value := value + REAL#2.0;
  END_IF;
END_IF;
)";
    text += mixed ? "  IF periodic[i] = 1 THEN\n" + indented(wrap, 4) + "  END_IF;\n" : indented(wrap, 2);
    body.operations += {2 * d, 2 * d, 0, 6 * d};
  }
  text += "  x[i] := value;\nEND_FOR;\n";
  body.operations += {0, 4 * d, d, 2 * d, 2 * d};
  for (std::size_t i = 0; i < d; ++i) {
    if (!flat.axes[i].knots.empty()) text += bent(flat, i, body);
  }
  return text;
}

std::string st_functions(const FlatTerms& flat, StBody& body) {
  std::vector<std::int64_t> counts;
  for (const FlatTerms::Axis& axis : flat.axes) counts.push_back(static_cast<std::int64_t>(axis.functions));
  const std::string type = body.constants.whole("counts", counts);
  body.variables.array("row", flat.rows, "REAL");
  const bool lines = flat.most_functions(false) > 0, turns = flat.most_functions(true) > 0;
  std::string text = "(* The functions of each coordinate, one after the other. *)\nrow[0] := REAL#1.0;\nplace := 1;\n";
  text += fmt::format("FOR i := 0 TO {} DO\n", flat.dimensions() - 1);
  if (lines && turns) {
    text += "  IF periodic[i] = 1 THEN\n" + indented(turning(flat, body), 4) + "  ELSE\n";
    text += indented(polynomials(flat, body), 4) + "  END_IF;\n";
  } else {
    text += indented(lines ? polynomials(flat, body) : turning(flat, body), 2);
  }
  return fill(text + "END_FOR;\n",
              Places{{"count", type == "DINT" ? "counts[i]" : fmt::format("{}_TO_DINT(counts[i])", type)}});
}

}  // namespace mercer
