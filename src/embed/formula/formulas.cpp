#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "embed/formula/term_writer.hpp"

namespace mercer {
namespace {

class FormulaMaker {
 public:
  FormulaMaker(const ContinuousEmbedding& embedding, Notation notation)
      : code_(embedding.code()),
        contract_(embedding.policy().contract()),
        writer_(notation),
        plain_(plain_terms(code_.terms)),
        errors_(formula_errors(code_, plain_)),
        variables_(formula_variables(embedding, plain_, names_)),
        terms_(code_.terms, plain_, variables_, writer_, names_) {}

  std::vector<std::string> lines() {
    write_terms();
    if (code_.head == Head::logits) {
      write_logits();
    } else if (code_.head == Head::density) {
      add("log_density", sum(0));
    } else {
      const std::size_t actions = variables_.actions.size();
      for (std::size_t a = 0; a < actions; ++a) write_action(a);
      for (std::size_t o = actions; o < code_.outputs; ++o)
        add(fmt::format("log_sigma_{}", variables_.actions[o - actions]), sum(o));
    }
    std::vector<std::string> all = terms_.definitions();
    all.insert(all.end(), outputs_.begin(), outputs_.end());
    return all;
  }

 private:
  std::size_t count() const { return code_.terms.size(); }
  double coefficient(std::size_t output, std::size_t term) const {
    return code_.coefficients[output * count() + term] * plain_.norm[term];
  }
  // Of a term's coefficient: what is below it is left out.
  double tolerance(std::size_t term) const {
    return errors_.coefficients / (static_cast<double>(count()) * plain_.value[term]);
  }

  void write_terms() {
    factors_.resize(count());
    for (std::size_t t = 0; t < count(); ++t) {
      double most = 0;
      for (std::size_t o = 0; o < code_.outputs; ++o) most = std::max(most, std::abs(coefficient(o, t)));
      if (most > tolerance(t)) factors_[t] = terms_.factors(t, errors_.terms / (static_cast<double>(count()) * most));
    }
  }

  std::string sum(std::size_t output) const {
    FormulaSum all;
    for (std::size_t t = 0; t < count(); ++t) {
      const double c = coefficient(output, t);
      if (std::abs(c) <= tolerance(t)) continue;
      TermWriter::Factors factors{writer_.number(c, tolerance(t))};
      factors.insert(factors.end(), factors_[t].begin(), factors_[t].end());
      all.add(c < 0, writer_.product(factors));
    }
    return all.text();
  }

  // A new name for a value, which is returned.
  std::string add(const std::string& wanted, const std::string& text) {
    std::string name = names_.take(wanted);
    outputs_.push_back(writer_.line(writer_.name(name), text));
    return name;
  }

  void write_logits() {
    std::vector<std::string> logits;
    for (std::size_t o = 0; o < code_.outputs; ++o) logits.push_back(add(fmt::format("logit_{}", o), sum(o)));
    outputs_.push_back(writer_.line(writer_.name(variables_.actions[0]), writer_.largest(logits)));
  }

  // centre + scale * tanh(sum), or without tanh limited to the box.
  void write_action(std::size_t a) {
    const double centre = contract_.centre[a], scale = contract_.scale[a];
    const std::string& name = variables_.actions[a];
    Range ends = contract_.clip[a];
    const bool bounded = std::isfinite(ends.width()) && ends.width() > 0;
    if (bounded) ends = {-1, 1};  // centre and scale lead from there to the box
    std::string text = code_.squash ? writer_.call("tanh", sum(a)) : sum(a);
    const bool limited = !(code_.squash && bounded) && (std::isfinite(ends.low) || std::isfinite(ends.high));
    if (limited && writer_.notation() == Notation::python) text = add(fmt::format("u_{}", name), text);
    if (limited) text = writer_.clipped(text, ends.low, ends.high);
    FormulaSum whole;
    if (centre != 0) whole.add(centre < 0, writer_.number(centre, 1e-8 * scale));
    whole.add(false, writer_.product(std::vector{writer_.number(scale, 1e-8 * scale), text}));
    outputs_.push_back(writer_.line(writer_.name(name), whole.text()));
  }

  const ContinuousCode& code_;
  const Contract& contract_;
  FormulaWriter writer_;
  FormulaNames names_;
  PlainTerms plain_;
  FormulaErrors errors_;
  FormulaVariables variables_;
  TermWriter terms_;
  std::vector<TermWriter::Factors> factors_;  // of each term
  std::vector<std::string> outputs_;          // lines
};

}  // namespace

std::vector<std::string> formulas(const ContinuousEmbedding& embedding, Notation notation) {
  return FormulaMaker(embedding, notation).lines();
}

}  // namespace mercer
