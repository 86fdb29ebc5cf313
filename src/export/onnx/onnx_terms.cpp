#include "export/onnx/onnx_terms.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include <fmt/format.h>

namespace mercer {
namespace {

constexpr double endless = 3e38;

// Every kind of term becomes a value of the graph, batch x terms; one product with the coefficients sums them all.
class TermsWriter {
 public:
  TermsWriter(const ContinuousController& controller, std::size_t outputs, GraphWriter& graph)
      : flat_(controller.flat), d_(flat_.dimensions()), outputs_(outputs), graph_(graph), bias_(outputs) {}

  std::string write(const std::string& observation) {
    x_ = bent(coordinates(observation));
    add_functions();
    add_products();
    term_ = flat_.products;
    add_waves();
    add_ridges();
    add_rbfs();
    if (features_.empty()) {  // a constant: the observation counts for nothing
      features_.push_back(x_);
      weights_.assign(d_ * outputs_, 0);
    }
    const auto rows = static_cast<std::int64_t>(weights_.size() / outputs_),
               columns = static_cast<std::int64_t>(outputs_);
    return graph_.node("Gemm", {graph_.join(features_), graph_.reals("coefficient", weights_, {rows, columns}),
                                graph_.list("bias", bias_)});
  }

 private:
  // To [-1, 1]: what lies outside counts as the end, but an angle does not.
  std::string coordinates(const std::string& observation) {
    std::vector<double> low, high, middle, half;
    for (const FlatTerms::Axis& axis : flat_.axes) {
      low.push_back(axis.periodic ? -endless : axis.range.low);
      high.push_back(axis.periodic ? endless : axis.range.high);
      middle.push_back((axis.range.low + axis.range.high) / 2);
      half.push_back((axis.range.high - axis.range.low) / 2);
    }
    const std::string above = graph_.node("Max", {observation, graph_.list("lowest", low)});
    const std::string inside = graph_.node("Min", {above, graph_.list("highest", high)});
    return graph_.node("Div", {graph_.node("Sub", {inside, graph_.list("middle", middle)}), graph_.list("half", half)});
  }

  // One column of a value, or several.
  std::string columns(const std::string& value, const std::string& name, const std::vector<std::int64_t>& which) {
    return graph_.node("Gather", {value, graph_.integers(name, which)}, {{"axis", 1}});
  }

  std::string sum_of_rows(const std::string& value, std::int64_t axis, bool keep) {
    return graph_.node("ReduceSum", {value, graph_.integers(fmt::format("axis_{}", constants_++), {axis})},
                       {{"keepdims", keep ? 1 : 0}});
  }

  std::string number(double value) { return graph_.list(fmt::format("number_{}", constants_++), {value}); }

  // Axes that go through a line of straight pieces, each of the same height.
  std::string bent(const std::string& x) {
    if (std::ranges::all_of(flat_.axes, [](const auto& axis) { return axis.knots.empty(); })) return x;
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < d_; ++i) {
      const std::vector<double>& knots = flat_.axes[i].knots;
      parts.push_back(columns(x, fmt::format("axis_of_{}", i), {static_cast<std::int64_t>(i)}));
      if (knots.empty()) continue;
      std::vector<double> froms, slopes;
      for (std::size_t j = 0; j <= knots.size(); ++j) {
        froms.push_back(j == 0 ? -1 : knots[j - 1]);
        slopes.push_back(1 / ((j == knots.size() ? 1 : knots[j]) - froms.back()));
      }
      std::string part = graph_.node("Sub", {parts.back(), graph_.list(fmt::format("knots_{}", i), froms)});
      part = graph_.node("Mul", {part, graph_.list(fmt::format("slopes_{}", i), slopes)});
      part = graph_.node("Min", {graph_.node("Max", {part, number(0)}), number(1)});
      part = graph_.node("Mul", {sum_of_rows(part, 1, true), number(2.0 / static_cast<double>(froms.size()))});
      parts.back() = graph_.node("Sub", {part, number(1)});
    }
    return graph_.join(parts);
  }

  // The functions of single coordinates; `place_` has the column of each row of the flat terms.
  void add_functions() {
    std::vector<std::string> parts;
    std::int64_t column = 0;
    std::map<std::pair<std::size_t, std::size_t>, std::int64_t> places;  // axis, function
    for (const bool periodic : {false, true}) {
      std::vector<std::int64_t> axes;
      for (std::size_t i = 0; i < d_; ++i) {
        if (flat_.axes[i].periodic == periodic && flat_.axes[i].functions > 0)
          axes.push_back(static_cast<std::int64_t>(i));
      }
      if (axes.empty()) continue;
      const std::string x = axes.size() == d_ ? x_ : columns(x_, periodic ? "angles" : "lines", axes);
      const std::vector<std::string> rows = periodic ? turning(x) : polynomials(x);
      for (std::size_t k = 0; k < rows.size(); ++k) {
        parts.push_back(rows[k]);
        for (const std::int64_t axis : axes) places[{static_cast<std::size_t>(axis), k}] = column++;
      }
    }
    if (parts.empty()) return;
    functions_ = graph_.join(parts);
    place_ = {-1};  // row 0 is the constant
    for (std::size_t i = 0; i < d_; ++i) {
      for (std::size_t k = 0; k < flat_.axes[i].functions; ++k) place_.push_back(places[{i, k}]);
    }
  }

  std::vector<std::string> polynomials(std::string x) {
    if (flat_.family == Family::hermite) x = graph_.node("Mul", {x, number(3)});
    if (flat_.family == Family::cosine)
      x = graph_.node("Sin", {graph_.node("Mul", {x, number(-std::numbers::pi / 2)})});
    std::vector<std::string> rows{x};
    for (std::size_t k = 2; k <= flat_.most_functions(false); ++k) {
      const auto [a, b] = recurrence(flat_.family, k);
      const std::string front = graph_.node("Mul", {graph_.node("Mul", {x, number(a)}), rows.back()});
      // Before the first function stands the constant 1.
      const std::string back = k == 2 ? number(b) : graph_.node("Mul", {rows[rows.size() - 2], number(b)});
      rows.push_back(graph_.node("Sub", {front, back}));
    }
    return rows;
  }

  // cos(pi x), sin(pi x), cos(2 pi x), ... by turning on: an angle times k would lose digits.
  std::vector<std::string> turning(const std::string& x) {
    const std::string angle = graph_.node("Mul", {x, number(std::numbers::pi)});
    const std::string c = graph_.node("Cos", {angle}), s = graph_.node("Sin", {angle});
    std::vector<std::string> rows{c, s};
    while (rows.size() < flat_.most_functions(true)) {
      const std::string cosine = rows[rows.size() - 2], sine = rows[rows.size() - 1];
      rows.push_back(graph_.node("Sub", {graph_.node("Mul", {cosine, c}), graph_.node("Mul", {sine, s})}));
      rows.push_back(graph_.node("Add", {graph_.node("Mul", {sine, c}), graph_.node("Mul", {cosine, s})}));
    }
    rows.resize(flat_.most_functions(true));
    return rows;
  }

  void add_feature(const std::string& value, const std::vector<std::size_t>& terms) {
    features_.push_back(value);
    for (const std::size_t term : terms) {
      for (std::size_t o = 0; o < outputs_; ++o) weights_.push_back(flat_.coefficients[term * flat_.outputs + o]);
    }
  }
  void add_feature(const std::string& value, std::size_t count) {
    std::vector<std::size_t> terms;
    for (std::size_t i = 0; i < count; ++i) terms.push_back(term_++);
    add_feature(value, terms);
  }

  // Products of as many functions are computed together; those of none are the bias.
  void add_products() {
    const std::size_t most = flat_.factors_each;
    std::map<std::size_t, std::vector<std::size_t>> by_length;
    for (std::size_t t = 0; t < flat_.products; ++t) {
      std::size_t length = 0;
      while (length < most && flat_.factors[t * most + length] != 0) ++length;
      by_length[length].push_back(t);
    }
    for (const auto& [length, terms] : by_length) {
      if (length == 0) {
        for (const std::size_t term : terms) {
          for (std::size_t o = 0; o < outputs_; ++o) bias_[o] += flat_.coefficients[term * flat_.outputs + o];
        }
        continue;
      }
      std::string product;
      for (std::size_t f = 0; f < length; ++f) {
        std::vector<std::int64_t> which;
        for (const std::size_t term : terms) which.push_back(place_[flat_.factors[term * most + f]]);
        const std::string factor = columns(functions_, fmt::format("factors_{}_{}", length, f), which);
        product = f == 0 ? factor : graph_.node("Mul", {product, factor});
      }
      add_feature(product, terms);
    }
  }

  // x times the transposed weights, plus the biases: rows of d + 1 numbers.
  template <class T>
  std::string affine(const std::string& name, const std::vector<T>& numbers) {
    const std::size_t count = numbers.size() / (d_ + 1);
    std::vector<double> weights(d_ * count), biases;
    for (std::size_t j = 0; j < count; ++j) {
      for (std::size_t i = 0; i < d_; ++i) weights[i * count + j] = static_cast<double>(numbers[j * (d_ + 1) + i]);
      biases.push_back(static_cast<double>(numbers[j * (d_ + 1) + d_]));
    }
    return graph_.node(
        "Gemm", {x_, graph_.reals(name, weights, {static_cast<std::int64_t>(d_), static_cast<std::int64_t>(count)}),
                 graph_.list(name + "_bias", biases)});
  }

  void add_waves() {
    if (flat_.wave_count() == 0) return;
    const std::string turns = affine("wave", flat_.waves);
    add_feature(graph_.node("Sin", {graph_.node("Mul", {turns, number(2 * std::numbers::pi)})}), flat_.wave_count());
  }

  // Weights are small integers, so exact; the unit comes last.
  void add_ridges() {
    if (flat_.ridge_count() == 0) return;
    std::vector<double> units;
    for (std::size_t j = 0; j < flat_.ridge_count(); ++j)
      units.push_back(std::ldexp(flat_.ridge_unit, -flat_.ridge_halving(j)));
    const std::string sums = affine("ridge", flat_.ridges);
    add_feature(graph_.node("Tanh", {graph_.node("Mul", {sums, graph_.list("ridge_unit", units)})}),
                flat_.ridge_count());
  }

  void add_rbfs() {
    const std::size_t count = flat_.rbf_count();
    if (count == 0) return;
    const double step = std::ldexp(2.0, -static_cast<int>(flat_.centre_bits));
    std::vector<double> centres, inverse;
    for (const std::uint16_t centre : flat_.centres) centres.push_back(step * centre + 0.5 * step - 1);
    for (std::size_t j = 0; j < count; ++j)
      inverse.push_back(flat_.inverse_squares[flat_.widths.empty() ? 0 : flat_.widths[j]]);
    const std::string rows = graph_.node("Unsqueeze", {x_, graph_.integers("between", {1})});
    const std::string away = graph_.node(
        "Sub",
        {rows, graph_.reals("centre", centres, {static_cast<std::int64_t>(count), static_cast<std::int64_t>(d_)})});
    const std::string square = graph_.node(
        "Mul", {sum_of_rows(graph_.node("Mul", {away, away}), 2, false), graph_.list("inverse_square", inverse)});
    if (flat_.kernel == Kernel::gaussian)
      return add_feature(graph_.node("Exp", {graph_.node("Mul", {square, number(-0.5)})}), count);
    const bool three = flat_.kernel == Kernel::matern32;
    const std::string root = graph_.node("Sqrt", {graph_.node("Mul", {square, number(three ? 3 : 5)})});
    std::string front = graph_.node("Add", {root, number(1)});
    if (!three) front = graph_.node("Add", {front, graph_.node("Mul", {square, number(5.0 / 3)})});
    add_feature(graph_.node("Mul", {front, graph_.node("Exp", {graph_.node("Neg", {root})})}), count);
  }

  const FlatTerms& flat_;
  std::size_t d_, outputs_, term_ = 0, constants_ = 0;
  GraphWriter& graph_;
  std::string x_, functions_;
  std::vector<std::int64_t> place_;
  std::vector<std::string> features_;
  std::vector<double> weights_, bias_;
};

}  // namespace

std::string add_sums(const ContinuousController& controller, const std::string& observation, std::size_t outputs,
                     GraphWriter& graph) {
  return TermsWriter(controller, outputs, graph).write(observation);
}

}  // namespace mercer
