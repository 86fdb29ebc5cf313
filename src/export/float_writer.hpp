#pragma once

#include <algorithm>

#include "export/c_text.hpp"
#include "export/head.hpp"

namespace mercer {

/// Writes one controller in float: pieces are added as the embedding needs them, and each brings its cost.
class FloatWriter {
 public:
  FloatWriter(const ContinuousController& controller, const COptions& options)
      : c_(controller), flat_(controller.flat), options_(options), d_(flat_.dimensions()) {
    places_ = {{"name", options.name},
               {"N", std::to_string(d_)},
               {"M", std::to_string(c_.outside.actions())},
               {"O", std::to_string(flat_.outputs)},
               {"R", std::to_string(flat_.rows)},
               {"F", std::to_string(flat_.factors_each)}};
  }

  CBody write();

 private:
  bool needs_bend() const { return flat_.ridge_count() > 0 || (c_.squash && !c_.discrete()); }
  bool needs_exponential() const { return flat_.bump_count() > 0 || c_.samples(); }
  bool needs_root() const { return flat_.bump_count() > 0 && flat_.kernel != Kernel::gaussian; }
  bool needs_sine() const {
    return flat_.wave_count() > 0 || flat_.most_functions(true) > 0 ||
           (flat_.family == Family::cosine && flat_.most_functions(false) > 0);
  }
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
  template <class T>
  void add_whole(const std::string& type, std::size_t bytes, const std::string& name, const std::vector<T>& numbers,
                 std::size_t columns = 0) {
    text_ += c_whole_table(type, name, numbers, columns);
    body_.table_bytes += bytes * numbers.size();
  }

  void write_tables();

  void write_functions();
  void write_coordinate();
  void write_polynomials();
  void write_turning();

  /// "out[o] += c[o] * value" and on to the next term's coefficients.
  std::string add_term(const std::string& value);
  void write_evaluate();
  /// Counts calls of the library, or what stands in their place.
  void cost_of_functions(std::size_t count, std::size_t multiplications, std::size_t additions, std::size_t divisions);
  void write_products();
  void write_affine(std::size_t count, const std::string& value, const std::string& bias, const std::string& weight);
  void write_bumps();

  void write_act();
  void write_sample();

  void measure();
  void write_selftest();

  const ContinuousController& c_;
  const FlatTerms& flat_;
  const COptions& options_;
  std::size_t d_;
  Places places_;
  std::string text_;
  CBody body_;
};

}  // namespace mercer
