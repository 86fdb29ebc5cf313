#include <algorithm>
#include <cmath>

#include "export/c/coefficient_writer.hpp"
#include "export/c/fixed_plan.hpp"
#include "export/c/functions.hpp"
#include "export/c/machine.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

// The middle of an action cell along a dimension.
double middle(const LatticeController& c, std::size_t cell, std::size_t dimension) {
  return c.code.actions.axes[dimension].centre(c.code.actions.bin(cell, dimension));
}

}  // namespace

CoefficientWriter::CoefficientWriter(const LatticeController& controller, const COptions& options)
    : c_(controller),
      options_(options),
      fixed_(options.numbers == CNumbers::fixed),
      simplex_(controller.code.simplex),
      terms_(row_terms(controller)) {
  if (fixed_ && simplex_ == SimplexRule::softmax) {
    throw Error(ErrorCode::bad_value, "rows that are made distributions by softmax have no form in integers",
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

CBody CoefficientWriter::write() {
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
  // Each weight may be off by what is stated.
  write_lattice_selftest(c_, options_, action_q_, body_, 2 * body_.stated_error);
  return std::move(body_);
}

void CoefficientWriter::write_tables() {
  if (!axes() && !in_order()) {
    text_ += "/* the place of each row among those of the transform */\n";
    text_ += c_integer_table("uint16_t", "place", c_.layout.places);
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
    text_ += fixed_ ? c_integer_table("int32_t", "action_edge", whole) : c_float_table("action_edge", edges);
    text_ += c_integer_table("uint16_t", "action_bins", bins);
    body_.table_bytes += 4 * edges.size() + 2 * bins.size();
  }
  if (!fixed_) {
    text_ += c_float_table("safe", c_.outside.safe);
    body_.table_bytes += 4 * c_.outside.actions();
  }
}

// From a row to the places on the leading axes.
std::string CoefficientWriter::leading() const {
  if (!axes()) return in_order() ? "  at[0] = found;\n" : "  at[0] = place[found];\n";
  return fill(std::string("  number = ") + (c_.full() ? "found" : "key[found]") + R"(;
  for (i = @N@ - 1; i >= 0; i--) {
    at[i] = (uint32_t)(number % bins[i]);
    number /= bins[i];
  }
)",
              places_);
}

// Of rows as the C has them.
std::vector<double> CoefficientWriter::own_action(const std::vector<double>& weights) const {
  std::vector<double> action(c_.outside.actions());
  if (c_.discrete()) {
    action[0] = static_cast<double>(std::ranges::max_element(weights) - weights.begin());
    return action;
  }
  double total = 0;
  for (const double weight : weights) total += weight;
  for (std::size_t a = 0; a < action.size(); ++a) {
    for (std::size_t c = 0; c < weights.size(); ++c) action[a] += weights[c] * middle(c_, c, a);
    action[a] =
        std::ldexp(std::floor(std::ldexp(action[a] / total, fixed_ ? action_q_[a] : 30)), fixed_ ? -action_q_[a] : -30);
  }
  return action;
}

std::vector<double> CoefficientWriter::weights_of(std::span<const std::uint32_t> at) const {
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
void CoefficientWriter::measure() {
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

CBody lattice_coefficient_body(const LatticeController& controller, const COptions& options) {
  return CoefficientWriter(controller, options).write();
}

}  // namespace mercer
