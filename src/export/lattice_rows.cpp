#include <algorithm>
#include <cmath>

#include "export/c_text.hpp"
#include "export/fixed_functions.hpp"
#include "export/fixed_plan.hpp"
#include "export/float_functions.hpp"
#include "export/float_machine.hpp"
#include "export/row_c.hpp"
#include "export/row_machine.hpp"
#include "mercer/core/error.hpp"

namespace mercer {
namespace {

using Places = std::vector<std::pair<std::string, std::string>>;

// The middle of an action cell along a dimension.
double middle(const LatticeController& c, std::size_t cell, std::size_t dimension) {
  return c.code.actions.axes[dimension].centre(c.code.actions.bin(cell, dimension));
}

class CoefficientWriter {
 public:
  CoefficientWriter(const LatticeController& controller, const COptions& options)
      : c_(controller),
        options_(options),
        fixed_(options.numbers == CNumbers::fixed),
        simplex_(controller.code.simplex),
        terms_(row_terms(controller)) {
    if (fixed_ && simplex_ == SimplexRule::softmax) {
      throw Error(ErrorCode::bad_value, "rows that are made distributions by softmax have no form in whole numbers",
                  "Export with --numbers float, or with --mode table");
    }
    if (fixed_) whole_ = fixed_rows(terms_);
    for (const Edges& axis : c_.code.actions.axes)
      action_q_.push_back(!fixed_ || c_.discrete() ? 0 : fixed_point_q({axis.values.front(), axis.values.back()}));
    uniform_ = c_.code.play.unvisited == Unvisited::uniform && !c_.full();
    noise_ = c_.code.play.noise && !c_.discrete();
    const std::size_t m = c_.outside.actions();
    places_ = {{"N", std::to_string(c_.states().dimensions())},
               {"M", std::to_string(m)},
               {"C", std::to_string(c_.rows())},
               {"L", std::to_string(terms_.columns)},
               {"S", std::to_string(terms_.leading)},
               {"U", std::to_string(1 + m)},
               {"type", fixed_ ? "int32_t" : "float"},
               {"cell", c_.states().cells() >= 0x1p32 ? "uint64_t" : "uint32_t"}};
  }

  CBody write() {
    write_tables();
    write_lattice_find(c_, options_, text_, body_);
    write_row_functions(terms_, whole_, options_, text_, body_);
    if (simplex_ == SimplexRule::softmax) {
      if (options_.math == CMath::none) text_ += float_functions::power();
      text_ += float_functions::exponential(options_.math);
      body_.needs_libm = options_.math == CMath::libm;
      body_.code_bytes += options_.math == CMath::none ? 130 : 10;
    }
    write_distribution();
    write_act();
    write_sample();
    body_.ram_bytes += 4 * terms_.columns + (fixed_ ? 8 * terms_.columns : 0) + 32;
    measure();
    body_.source = std::move(text_);
    write_lattice_selftest(c_, options_, action_q_, body_);
    return std::move(body_);
  }

 private:
  bool axes() const { return c_.code.order == RowOrder::axes; }
  bool in_order() const {
    for (std::size_t row = 0; row < c_.rows(); ++row) {
      if (c_.layout.places[row] != row) return false;
    }
    return true;
  }

  void write_tables() {
    if (!axes() && !in_order()) {
      text_ += "/* the place of each row among those of the transform */\n";
      text_ += c_whole_table("uint16_t", "place", c_.layout.places);
      body_.table_bytes += 2 * c_.rows();
    }
    if (!c_.discrete()) {
      std::vector<double> edges;
      std::vector<std::int32_t> whole;
      std::vector<std::size_t> bins;
      for (std::size_t a = 0; a < action_q_.size(); ++a) {
        const Edges& axis = c_.code.actions.axes[a];
        bins.push_back(axis.bins());
        edges.insert(edges.end(), axis.values.begin(), axis.values.end());
        for (const double edge : axis.values)
          whole.push_back(static_cast<std::int32_t>(std::llround(std::ldexp(edge, action_q_[a]))));
      }
      text_ += fixed_ ? c_whole_table("int32_t", "action_edge", whole) : c_float_table("action_edge", edges);
      text_ += c_whole_table("uint16_t", "action_bins", bins);
      body_.table_bytes += 4 * edges.size() + 2 * bins.size();
    }
    if (!fixed_) {
      text_ += c_float_table("safe", c_.outside.safe);
      body_.table_bytes += 4 * c_.outside.actions();
    }
  }

  // From a row to the places on the leading axes.
  std::string leading() const {
    if (!axes()) return in_order() ? "  at[0] = found;\n" : "  at[0] = place[found];\n";
    return fill(std::string("  number = ") + (c_.full() ? "found" : "key[found]") + R"(;
  for (i = @N@ - 1; i >= 0; i--) {
    at[i] = (uint32_t)(number % bins[i]);
    number /= bins[i];
  }
)",
                places_);
  }

  std::string projection() const {
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

  std::string fixed_euclidean() const {
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

  void write_distribution() {
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

  void write_act() {
    Places places = places_;
    places.emplace_back("total", fixed_ ? "int64_t" : "float");
    if (c_.discrete()) {
      places.emplace_back("best", fixed_ ? "(int32_t)best" : "(float)best");
      places.emplace_back("safe",
                          fixed_ ? "  distribution(obs, row, &total);\n" : R"(  if (!distribution(obs, row, &total)) {
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
  distribution(obs, row, &total);
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
    for (c = 0; usable && c < @L@; c++) {
      below = c / after % action_bins[i];
      sum += row[c] * (0.5f * (edges[below] + edges[below + 1]));
    }
    act[i] = usable ? sum / total : safe[i];
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

  void write_sample() {
    const std::string number = fixed_ ? "uint32_t" : "float";
    body_.sample_argument = fill(noise_ ? fmt::format("const {} u[@U@]", number) : number + " u", places_);
    Places places = places_;
    const std::string first = noise_ ? "u[0]" : "u";
    places.emplace_back("argument", body_.sample_argument);
    places.emplace_back("total", fixed_ ? "int64_t" : "float");
    places.emplace_back("zero", fixed_ ? "0" : "0.0f");
    places.emplace_back("draw", fixed_ ? fmt::format("(total * (int64_t)({} >> 8)) >> 24", first) : first + " * total");
    std::string check = fixed_ ? "  distribution(obs, row, &total);\n" : "";
    if (!fixed_) {
      check = noise_ ? "  for (i = 0; i < @U@; i++) usable = usable && !unusable(u[i]);\n"
                     : "  usable = usable && !unusable(u);\n";
      check = "  int usable = distribution(obs, row, &total);\n" + std::string(noise_ ? "  int i;\n" : "") + check +
              R"(  if (!usable) {
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

  // Of rows as the C has them.
  std::vector<double> own_action(const std::vector<double>& weights) const {
    std::vector<double> action(c_.outside.actions());
    if (c_.discrete()) {
      action[0] = static_cast<double>(std::ranges::max_element(weights) - weights.begin());
      return action;
    }
    double total = 0;
    for (const double weight : weights) total += weight;
    for (std::size_t a = 0; a < action.size(); ++a) {
      for (std::size_t c = 0; c < weights.size(); ++c) action[a] += weights[c] * middle(c_, c, a);
      action[a] = std::ldexp(std::floor(std::ldexp(action[a] / total, fixed_ ? action_q_[a] : 30)),
                             fixed_ ? -action_q_[a] : -30);
    }
    return action;
  }

  std::vector<double> weights_of(std::span<const std::uint32_t> at) const {
    std::vector<double> row;
    if (fixed_) {
      const auto one = static_cast<double>(whole_.one);
      for (const std::int32_t number : fixed_row(terms_, whole_, at)) row.push_back(number / one);
    } else {
      for (const float number : float_row(terms_, at)) row.push_back(number);
    }
    project_row(row, simplex_);
    return row;
  }

  // Rows are finitely many: all of them are tried, or as many as take a moment.
  void measure() {
    const std::size_t work = std::max<std::size_t>(1, terms_.count() * terms_.columns);
    const std::size_t wanted = std::clamp<std::size_t>(4'000'000 / work, 20, c_.rows() < 20 ? 20 : c_.rows());
    const std::size_t step = std::max<std::size_t>(1, c_.rows() / wanted);
    for (std::size_t row = 0; row < c_.rows(); row += step) {
      std::vector<std::uint32_t> at{static_cast<std::uint32_t>(c_.layout.places[row])};
      if (axes()) {
        const std::size_t d = c_.states().dimensions();
        at.assign(c_.code.bins.begin() + static_cast<std::ptrdiff_t>(row * d),
                  c_.code.bins.begin() + static_cast<std::ptrdiff_t>((row + 1) * d));
      }
      const std::vector<double> weights = weights_of(at);
      std::vector<double> model(terms_.columns);
      c_.model->policy().row(row, model);
      if (c_.discrete()) {
        const auto own = static_cast<std::size_t>(own_action(weights)[0]);
        body_.error = std::max(body_.error, (*std::ranges::max_element(model) - model[own]) / 2);
        for (std::size_t i = 0; i < model.size(); ++i)
          body_.error = std::max(body_.error, std::abs(weights[i] - model[i]));
        continue;
      }
      const std::vector<double> own = own_action(weights), wanted_action = c_.action(row);
      for (std::size_t a = 0; a < own.size(); ++a)
        body_.error = std::max(body_.error, std::abs(own[a] - wanted_action[a]) / c_.outside.width(a));
    }
    body_.stated_error = with_margin((fixed_ ? 2 : 3) * body_.error, fixed_ ? 1e-5 : 2e-6);
  }

  const LatticeController& c_;
  const COptions& options_;
  bool fixed_, uniform_ = false, noise_ = false;
  SimplexRule simplex_;
  RowTerms terms_;
  FixedRows whole_;
  std::vector<int> action_q_;
  Places places_;
  std::string text_;
  CBody body_;
};

}  // namespace

CBody lattice_coefficient_body(const LatticeController& controller, const COptions& options) {
  return CoefficientWriter(controller, options).write();
}

}  // namespace mercer
