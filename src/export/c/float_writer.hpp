#pragma once

#include <algorithm>

#include "export/c/continuous_writer.hpp"

namespace mercer {

/// Writes one controller in float: pieces are added as the embedding needs them, and each brings its cost.
class FloatWriter : private ContinuousWriter {
 public:
  FloatWriter(const ContinuousController& controller, const COptions& options)
      : ContinuousWriter(controller, options), options_(options) {}

  CBody write();

 private:
  bool needs_exponential() const { return flat_.bump_count() > 0 || c_.samples(); }
  bool needs_root() const { return flat_.bump_count() > 0 && flat_.kernel != Kernel::gaussian; }
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
  void write_bumps();

  void write_act();
  void write_sample();

  void measure();
  void write_selftest();

  const COptions& options_;
};

}  // namespace mercer
