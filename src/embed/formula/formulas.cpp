#include <cmath>
#include <numbers>
#include <set>

#include <fmt/format.h>

#include "core/number_codes.hpp"
#include "embed/formula/axes.hpp"

namespace mercer {
namespace {

class FormulaMaker {
 public:
  FormulaMaker(const ContinuousEmbedding& embedding, Notation notation)
      : code_(embedding.code()),
        terms_(code_.terms),
        contract_(embedding.policy().contract()),
        writer_(notation),
        plain_(plain_terms(terms_)),
        errors_(formula_errors(code_, plain_)),
        variables_(formula_variables(embedding, plain_, names_)),
        seen_(variables_.axes.size()) {
    const std::size_t count = terms_.size();
    share_ = 1 / static_cast<double>(count);
    for (std::size_t t = 0; t < count; ++t) {
      double most = 0;
      for (std::size_t o = 0; o < code_.outputs; ++o) most = std::max(most, std::abs(coefficient(o, t)));
      factors_.push_back(most * plain_.value[t] > errors_.coefficients * share_ ? term(t, most) : Factors{});
    }
  }

  // Everything is written before the lines that define what it uses.
  std::vector<std::string> lines() {
    std::vector<std::string> outputs;
    std::vector<std::string> sums;
    for (std::size_t o = 0; o < code_.outputs; ++o) sums.push_back(sum(o));
    const std::size_t actions = contract_.action.dimensions();
    if (code_.head == Head::logits) {
      std::vector<std::string> logits;
      for (std::size_t o = 0; o < code_.outputs; ++o) {
        logits.push_back(names_.take(fmt::format("logit_{}", o)));
        outputs.push_back(writer_.line(writer_.name(logits[o]), sums[o]));
      }
      outputs.push_back(writer_.line(writer_.name(variables_.actions[0]), writer_.largest(logits)));
    } else if (code_.head == Head::density) {
      outputs.push_back(writer_.line(writer_.name(names_.take("log_density")), sums[0]));
    } else {
      for (std::size_t a = 0; a < actions; ++a) add_action(a, sums[a], outputs);
      for (std::size_t o = actions; o < code_.outputs; ++o) {
        const std::string spread = names_.take(fmt::format("log_sigma_{}", variables_.actions[o - actions]));
        outputs.push_back(writer_.line(writer_.name(spread), sums[o]));
      }
    }
    std::vector<std::string> all;
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      const FormulaAxis& axis = variables_.axes[i];
      if (seen_[i] && axis.variable != axis.axis) all.push_back(axis_line(axis, writer_));
    }
    for (const std::size_t degree : degrees_) all.push_back(writer_.definition(terms_.tensor.family, degree));
    all.insert(all.end(), inner_.begin(), inner_.end());
    all.insert(all.end(), outputs.begin(), outputs.end());
    return all;
  }

 private:
  using Factors = std::vector<std::string>;

  double coefficient(std::size_t output, std::size_t term) const {
    return code_.coefficients[output * terms_.size() + term] * plain_.norm[term];
  }

  std::string sum(std::size_t output) const {
    FormulaSum all;
    for (std::size_t t = 0; t < terms_.size(); ++t) {
      const double c = coefficient(output, t), tolerance = errors_.coefficients * share_ / plain_.value[t];
      if (std::abs(c) <= tolerance) continue;
      Factors factors{writer_.number(c, tolerance)};
      factors.insert(factors.end(), factors_[t].begin(), factors_[t].end());
      all.add(c < 0, writer_.product(factors));
    }
    return all.text();
  }

  // centre + scale * tanh(sum), as the contract says.
  void add_action(std::size_t a, std::string sum, std::vector<std::string>& out) {
    const double centre = contract_.centre[a], scale = contract_.scale[a];
    Range clip = contract_.clip[a];
    const std::string& name = variables_.actions[a];
    const bool bounded = std::isfinite(clip.width()) && clip.width() > 0;
    if (code_.squash) sum = writer_.call("tanh", sum);
    if (bounded) clip = {-1, 1};  // of what centre and scale lead to the box
    if (!(code_.squash && bounded) && (std::isfinite(clip.low) || std::isfinite(clip.high))) {
      if (writer_.notation() == Notation::python) {
        const std::string free = names_.take(fmt::format("u_{}", name));
        out.push_back(writer_.line(free, sum));
        sum = free;
      }
      sum = writer_.clipped(sum, clip.low, clip.high);
    }
    const std::string size = writer_.number(scale, 1e-8 * scale);
    if (size != "1") {
      const bool call = code_.squash || writer_.notation() != Notation::python;
      sum = writer_.product(std::vector{size, call ? sum : writer_.brackets(sum)});
    }
    FormulaSum whole;
    if (centre != 0) whole.add(centre < 0, writer_.number(centre, 1e-8 * scale));
    whole.add(false, sum);
    out.push_back(writer_.line(writer_.name(name), whole.text()));
  }

  const std::string& variable(std::size_t axis) {
    seen_[axis] = true;
    return variables_.axes[axis].variable;
  }

  // What a coefficient is multiplied by; `most` is the largest of them.
  Factors term(std::size_t t, double most) {
    const std::vector<std::size_t> parts = terms_.parts();
    const double error = errors_.terms * share_ / most;
    if (t < parts[1]) return product(t);
    if (t < parts[2]) return {wave(t - parts[1], error)};
    if (t < parts[3]) return {ridge(t - parts[2], error)};
    return {radial(t - parts[3], error)};
  }

  Factors product(std::size_t t) {
    Factors factors;
    for (std::size_t i = 0; i < terms_.dimensions(); ++i) {
      const std::size_t k = plain_.indices[terms_.tensor.kept[t] * terms_.dimensions() + i];
      if (k == 0) continue;
      const std::string name = writer_.name(variable(i));
      const bool periodic = terms_.tensor.set.periodic[i] != 0;
      if (is_trigonometric(terms_.tensor.family, periodic)) {
        const PlainWave wave = plain_wave(periodic, k);
        const bool odd = !periodic && wave.halves % 2 == 1;
        const auto times = static_cast<double>(odd ? wave.halves : wave.halves / 2);
        const std::string turn = periodic ? "1" : writer_.notation() == Notation::latex ? "\\pi" : "pi";
        const std::string angle = writer_.product(std::vector{writer_.number(times), turn, name});
        factors.push_back(writer_.call(wave.sine ? "sin" : "cos", writer_.quotient(angle, odd ? "2" : "1")));
      } else if (k == 1) {
        factors.push_back(name);
      } else {
        if (writer_.notation() != Notation::python) degrees_.insert(k);
        factors.push_back(writer_.polynomial(terms_.tensor.family, k, name));
      }
    }
    return factors;
  }

  // A line of its own for what is long.
  std::string define(const char* letter, std::size_t& count, const std::string& text) {
    const std::string name = names_.take(fmt::format("{}{}", letter, ++count));
    inner_.push_back(writer_.line(writer_.name(name), text));
    return writer_.name(name);
  }

  // w . x + b, each number within the error.
  std::string affine(std::span<const double> w, double error) {
    const double each = error / static_cast<double>(w.size());
    FormulaSum sum;
    if (std::abs(w.back()) > each) sum.add(w.back() < 0, writer_.number(w.back(), each));
    for (std::size_t i = 0; i + 1 < w.size(); ++i) {
      const double unit = variables_.axes[i].periodic ? std::numbers::pi : 1;
      if (std::abs(w[i]) <= each) continue;
      const std::string size = writer_.number(w[i] / unit, each / unit), name = writer_.name(variable(i));
      sum.add(w[i] < 0, writer_.product(std::vector{size, name}));
    }
    return sum.text();
  }

  std::string wave(std::size_t i, double error) {
    std::vector<double> w(terms_.dimensions() + 1);
    random_feature(terms_.waves.kernel, from_log_scale(terms_.waves.length), terms_.waves.seed, terms_.waves.kept[i],
                   w);
    return define("w", waves_, writer_.call("cos", affine(w, error)));
  }

  std::string ridge(std::size_t i, double error) {
    std::vector<double> w;
    const std::size_t size = terms_.dimensions() + 1;
    for (std::size_t j = 0; j < size; ++j)
      w.push_back(terms_.ridges.numbers[i * size + j] * from_log_scale(terms_.ridges.unit));
    return define("h", ridges_, writer_.call("tanh", affine(w, error)));
  }

  std::string radial(std::size_t i, double error) {
    const std::size_t d = terms_.dimensions();
    const double cells = std::ldexp(1.0, static_cast<int>(terms_.radials.bits));
    const int narrower = terms_.radials.widths.empty() ? 0 : terms_.radials.widths[i];
    const double width = std::ldexp(from_log_scale(terms_.radials.length), -narrower);
    FormulaSum squares;
    for (std::size_t j = 0; j < d; ++j) {
      const double centre = -1 + 2 * (terms_.radials.centres[i * d + j] + 0.5) / cells;
      std::string name = writer_.name(variable(j));
      if (variables_.axes[j].periodic) {
        name = writer_.quotient(name, writer_.notation() == Notation::latex ? "\\pi" : "pi");
      }
      const std::string away = writer_.shifted(name, centre, error * width / static_cast<double>(d + 1));
      squares.add(false, writer_.power(away == name && name.size() == 1 ? name : writer_.brackets(away), 2));
    }
    const double each = error / static_cast<double>(d + 1);  // of the width, as a share
    if (terms_.radials.kernel == Kernel::gaussian) {
      const bool bare = d == 1 || writer_.notation() == Notation::latex;
      const std::string all = bare ? squares.text() : writer_.brackets(squares.text());
      const double over = 2 * width * width;
      return define("g", radials_,
                    writer_.call("exp", fmt::format("-{}", writer_.quotient(all, writer_.number(over, each * over)))));
    }
    const bool three = terms_.radials.kernel == Kernel::matern32;
    const double over = width / std::sqrt(three ? 3 : 5);
    const std::string far = define(
        "r", distances_, writer_.quotient(writer_.call("sqrt", squares.text()), writer_.number(over, each * over)));
    std::string bracket = fmt::format("1 + {}", far);
    if (!three) bracket += fmt::format(" + {}", writer_.quotient(writer_.power(far, 2), "3"));
    return define(
        "g", radials_,
        writer_.product(std::vector{writer_.brackets(bracket), writer_.call("exp", fmt::format("-{}", far))}));
  }

  const ContinuousCode& code_;
  const Terms& terms_;
  const Contract& contract_;
  FormulaWriter writer_;
  FormulaNames names_;
  PlainTerms plain_;
  FormulaErrors errors_;
  FormulaVariables variables_;
  std::vector<bool> seen_;          // axes that a term uses
  double share_ = 1;                // of an error that each term may have
  std::vector<Factors> factors_;    // of each term
  std::set<std::size_t> degrees_;   // of polynomials that have to be defined
  std::vector<std::string> inner_;  // lines for waves, ridges and RBFs
  std::size_t waves_ = 0, ridges_ = 0, radials_ = 0, distances_ = 0;
};

}  // namespace

std::vector<std::string> formulas(const ContinuousEmbedding& embedding, Notation notation) {
  return FormulaMaker(embedding, notation).lines();
}

}  // namespace mercer
