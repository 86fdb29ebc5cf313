#include <algorithm>
#include <cmath>

#include "export/c/c_text.hpp"
#include "export/js/js.hpp"

namespace mercer {
namespace {

constexpr const char* coordinate = R"(// To [-1, 1]; what lies outside counts as the end.
function coordinate(value, [low, high]) {
  value = Math.min(Math.max(value, low), high);
  return (value + value - (low + high)) / (high - low);
}

)";

constexpr const char* wrapped =
    R"(// To [-1, 1] by whole turns. Beyond a million of them nothing is left of an angle: the middle.
function wrapped(value, [low, high]) {
  const x = (value + value - (low + high)) / (high - low);
  if (!(x > -2e6 && x < 2e6)) return 0;
  if (x >= -1.000001 && x <= 1.000001) return x;
  return x - 2 * Math.trunc(0.5 * x + (x < 0 ? -0.5 : 0.5));
}

)";

constexpr const char* bent = R"(// Through a rising line of straight pieces, each of the same height.
const bent = (x, pieces) =>
  pieces.reduce((y, [from, slope]) => y + Math.min(Math.max((x - from) * slope, 0), 1) * (2 / pieces.length), -1);

)";

constexpr const char* polynomials = R"(// The family's functions at x, by their recurrence.
function polynomials(x, count, values) {
@start@  let before = 1, now = x;
  for (let k = 0; k < count; k++) {
    values.push(now);
    [before, now] = [now, step[k][0] * x * now - step[k][1] * before];
  }
}

)";

constexpr const char* turning = R"(// cos(pi x), sin(pi x), cos(2 pi x), ...
function turning(x, count, values) {
  for (let k = 0; k < count; k++) {
    const angle = Math.PI * (1 + (k >> 1)) * x;
    values.push(k % 2 === 0 ? Math.cos(angle) : Math.sin(angle));
  }
}

)";

std::string rows(bool lines, bool turns) {
  const std::string one = lines && turns ? "    (periodic[i] ? turning : polynomials)(x[i], functions[i], values);\n"
                          : lines        ? "    polynomials(x[i], functions[i], values);\n"
                                         : "    turning(x[i], functions[i], values);\n";
  return "  const values = [1];\n  for (let i = 0; i < x.length; i++) {\n" + one + "  }\n";
}

std::string rbfs(const FlatTerms& flat) {
  const double step = std::ldexp(2.0, -static_cast<int>(flat.centre_bits));
  const bool three = flat.kernel == Kernel::matern32;
  const std::string value =
      flat.kernel == Kernel::gaussian
          ? "    add(Math.exp(-0.5 * square));\n"
          : fmt::format("    const root = Math.sqrt({} * square);\n    add({} * Math.exp(-root));\n", three ? 3 : 5,
                        three ? "(1 + root)" : "(1 + root + (5 / 3) * square)");
  return fmt::format(R"(  for (let j = 0; j < centre.length; j++) {{
    let square = 0;
    for (let i = 0; i < x.length; i++) square += (x[i] - ({} * centre[j][i] + {})) ** 2;
    square *= inverse_square[{}];
{}  }}
)",
                     step, 0.5 * step - 1, flat.widths.empty() ? "0" : "width[j]", value);
}

}  // namespace

std::string js_continuous(const ContinuousController& controller) {
  const FlatTerms& flat = controller.flat;
  const bool lines = flat.most_functions(false) > 0, turns = flat.most_functions(true) > 0;
  const bool all = std::ranges::all_of(flat.axes, &FlatTerms::Axis::periodic);
  const bool bends = std::ranges::any_of(flat.axes, [](const auto& axis) { return !axis.knots.empty(); });
  const bool sums = flat.wave_count() + flat.ridge_count() > 0;
  const std::string start = flat.family == Family::cosine    ? "  x = -Math.sin(0.5 * Math.PI * x);\n"
                            : flat.family == Family::hermite ? "  x *= 3;\n"
                                                             : "";
  std::string text = all ? "" : coordinate;
  if (flat.any_periodic()) text += wrapped;
  if (bends) text += bent;
  if (lines) text += fill(polynomials, Places{{"start", start}});
  if (turns) text += turning;
  if (sums) {
    text +=
        "// w . x + b, the last number of w being b.\n"
        "const affine = (w, x) => x.reduce((sum, value, i) => sum + w[i] * value, w[x.length]);\n\n";
  }
  const char* own = all                   ? "wrapped(value, range[i])"
                    : flat.any_periodic() ? "(periodic[i] ? wrapped : coordinate)(value, range[i])"
                                          : "coordinate(value, range[i])";
  text += fmt::format(
      "// The sums for an observation.\nfunction evaluate(obs) {{\n"
      "  const x = Array.from(obs, (value, i) => {});\n",
      own);
  if (bends) {
    text += R"(  for (let i = 0, first = 0; i < x.length; first += pieces[i++]) {
    if (pieces[i] > 0) x[i] = bent(x[i], piece.slice(first, first + pieces[i]));
  }
)";
  }
  if (flat.any_functions()) text += rows(lines, turns);
  text += fmt::format(R"(  const out = new Array({}).fill(0);
  let term = 0;
  const add = (value) => {{
    coefficient[term++].forEach((c, o) => (out[o] += c * value));
  }};
)",
                      flat.outputs);
  if (flat.products > 0) {
    text += flat.factors_each == 0
                ? fmt::format("  for (let j = 0; j < {}; j++) add(1);\n", flat.products)
                : "  for (const factors of factor) add(factors.reduce((product, f) => product * values[f], 1));\n";
  }
  if (flat.wave_count() > 0) text += "  for (const w of wave) add(Math.sin(2 * Math.PI * affine(w, x)));\n";
  if (flat.ridge_count() > 0) {
    text += fmt::format("  ridge.forEach((w{}) => add(Math.tanh({} * affine(w, x){})));\n",
                        flat.ridge_halvings.empty() ? "" : ", j", flat.ridge_unit,
                        flat.ridge_halvings.empty() ? "" : " / 2 ** halving[j]");
  }
  if (flat.rbf_count() > 0) text += rbfs(flat);
  return text + "  return out;\n}\n";
}

std::string js_lattice(const LatticeController& controller) {
  const bool nearest = controller.code.play.unvisited == Unvisited::nearest;
  std::string text;
  if (!controller.full() && nearest) {
    text += R"(// The row whose cell has its middle nearest, each observation in units of its range.
function nearest(obs) {
  let least = Infinity, best = 0;
  key.forEach((number, j) => {
    let distance = 0, end = edge.length;
    for (let i = obs.length - 1; i >= 0; i--) {
      const first = end - bins[i] - 1, at = first + (number % bins[i]);
      number = Math.floor(number / bins[i]);
      distance += (((edge[at] + edge[at + 1]) / 2 - obs[i]) / (edge[end - 1] - edge[first])) ** 2;
      end = first;
    }
    if (distance < least) [least, best] = [distance, j];
  });
  return best;
}

)";
  }
  const std::string row = controller.full() ? "  return cell;\n"
                                            : fmt::format(R"(  let found = 0;
  for (let count = key.length; count > 1;) {{
    const half = count >> 1;
    if (key[found + half] <= cell) found += half;
    count -= half;
  }}
  return key[found] === cell ? found : {};
)",
                                                          nearest ? "nearest(obs)" : "key.length");
  return text + R"(// The row of an observation.
function find(obs) {
  let cell = 0, first = 0;
  for (let i = 0; i < obs.length; i++) {
    // How many of the inner edges are not above it, by halving.
    let inner = 0;
    for (let count = bins[i] - 1; count > 0;) {
      const half = (count + 1) >> 1;
      if (edge[first + inner + half] <= obs[i]) inner += half;
      count -= half;
    }
    cell = cell * bins[i] + inner;
    first += bins[i] + 1;
  }
)" + row +
         "}\n";
}

}  // namespace mercer
