#pragma once

#include "export/c/continuous_writer.hpp"
#include "export/c/fixed_plan.hpp"

namespace mercer {

/// Writes one controller in whole numbers: pieces are added as the embedding needs them, and each brings its cost.
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
  bool needs_power() const { return needs_bend() || flat_.bump_count() > 0 || c_.samples(); }

  void write_tables();

  void write_functions();
  void write_coordinate();

  std::string add_term(const std::string& value);
  void write_evaluate();
  void write_products();
  void write_affine(std::size_t count, const std::string& bias, const std::string& weight, const std::string& value);
  void write_bumps();

  void write_act();
  void write_sample();

  void measure();
  void write_notes();
  void write_selftest();

  FixedPlan plan_;
};

}  // namespace mercer
