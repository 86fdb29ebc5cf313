#pragma once

#include <algorithm>

#include "export/c/c_text.hpp"
#include "export/c/fixed_plan.hpp"
#include "export/common/head.hpp"

namespace mercer {

/// What the writers of a continuous controller in float and in integers have in common: what it needs, the text
/// so far and its cost, and functions that differ only in how a number is written.
class ContinuousWriter {
 protected:
  ContinuousWriter(const ContinuousController& controller, const COptions& options);

  bool needs_bend() const { return flat_.ridge_count() > 0 || (c_.squash && !c_.discrete()); }
  bool needs_sine() const {
    return flat_.wave_count() > 0 || flat_.most_functions(true) > 0 ||
           (flat_.family == Family::cosine && flat_.most_functions(false) > 0);
  }
  template <class T>
  void add_integers(const std::string& type, std::size_t bytes, const std::string& name, const std::vector<T>& numbers,
                    std::size_t columns = 0) {
    body_.table_bytes += add_integer_table(text_, type, bytes, name, numbers, columns);
  }
  void add_factors();  ///< which functions each product has
  void add_ridges();   ///< their numbers, and how often the unit of each is halved

  /// How recurrences are written: the type, its 1 and 0, and the places @start@ and @next@ in them.
  struct Numbers {
    std::string type, one, zero;
  };
  /// The family's functions by their recurrence; `start` prepares x, `next` is the step.
  void write_polynomials(const Numbers& numbers, const std::string& start, const std::string& next);
  /// Sines and cosines of multiples; `cosine`, `sine` at x, and `twice`, the product of 2c and @f@.
  void write_turning(const Numbers& numbers, const std::string& cosine, const std::string& sine,
                     const std::string& twice);
  /// In `evaluate`: every axis's functions into its row, the constant first.
  void write_rows(const std::string& one);
  /// In `evaluate`: bent axes, through the table that begins with `table`.
  void write_bends(const std::string& table);

  const ContinuousController& c_;
  const FlatTerms& flat_;
  std::size_t d_;
  Places places_;
  std::string text_;
  CBody body_;
};

/// Writes one controller in float: pieces are added as the embedding needs them, and each brings its cost.
class FloatWriter : private ContinuousWriter {
 public:
  FloatWriter(const ContinuousController& controller, const COptions& options)
      : ContinuousWriter(controller, options), options_(options) {}

  CBody write();

 private:
  bool needs_exponential() const { return flat_.rbf_count() > 0 || c_.samples(); }
  bool needs_root() const { return flat_.rbf_count() > 0 && flat_.kernel != Kernel::gaussian; }
  std::size_t bent_axes() const {
    return static_cast<std::size_t>(std::ranges::count_if(flat_.axes, [](const auto& a) { return !a.knots.empty(); }));
  }
  bool has_steps() const {
    return flat_.most_functions(false) > 1 && (flat_.family == Family::legendre || flat_.family == Family::hermite);
  }

  void add_floats(const std::string& name, const std::vector<double>& numbers, std::size_t columns = 0) {
    text_ += c_float_table(name, numbers, columns);
    body_.table_bytes += 4 * numbers.size();
  }

  void write_tables();

  void write_functions();
  void write_coordinate();

  /// "out[o] += c[o] * value" and on to the next term's coefficients.
  std::string add_term(const std::string& value);
  void write_evaluate();
  /// Counts calls of the library, or what stands in their place.
  void cost_of_functions(std::size_t count, std::size_t multiplications, std::size_t additions, std::size_t divisions);
  void write_products();
  void write_affine(std::size_t count, const std::string& value, const std::string& bias, const std::string& weight);
  void write_rbfs();

  void write_act();
  void write_sample();

  void measure();
  void write_selftest();

  const COptions& options_;
};

/// Writes one controller in integers: pieces are added as the embedding needs them, and each brings its cost.
class FixedWriter : private ContinuousWriter {
 public:
  FixedWriter(const ContinuousController& controller, const COptions& options)
      : ContinuousWriter(controller, options), plan_(plan_fixed(controller)) {
    places_.insert(places_.end(), {{"q", std::to_string(plan_.q)},
                                   {"sum_shift", std::to_string(plan_.sum_shift)},
                                   {"wave_q", std::to_string(plan_.wave_q)}});
  }

  CBody write();

 private:
  bool has_steps() const {
    return flat_.most_functions(false) > 0 && (flat_.family == Family::legendre || flat_.family == Family::hermite);
  }
  bool needs_power() const { return needs_bend() || flat_.rbf_count() > 0 || c_.samples(); }

  void write_tables();

  void write_functions();
  void write_coordinate();

  std::string add_term(const std::string& value);
  void write_evaluate();
  void write_products();
  void write_affine(std::size_t count, const std::string& bias, const std::string& weight, const std::string& value);
  void write_rbfs();

  void write_act();
  void write_sample();

  void measure();
  void write_notes();
  void write_selftest();

  FixedPlan plan_;
};

}  // namespace mercer
