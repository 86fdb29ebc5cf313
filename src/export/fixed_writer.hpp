#pragma once

#include "export/c_text.hpp"
#include "export/fixed_plan.hpp"
#include "export/head.hpp"

namespace mercer {

/// Writes one controller in whole numbers: pieces are added as the embedding needs them, and each brings its cost.
class FixedWriter {
 public:
  FixedWriter(const ContinuousController& controller, const COptions& options)
      : c_(controller), flat_(controller.flat), plan_(plan_fixed(controller)), d_(flat_.dimensions()) {
    places_ = {{"name", options.name},
               {"N", std::to_string(d_)},
               {"M", std::to_string(c_.outside.actions())},
               {"O", std::to_string(flat_.outputs)},
               {"R", std::to_string(flat_.rows)},
               {"F", std::to_string(flat_.factors_each)},
               {"q", std::to_string(plan_.q)},
               {"sum_shift", std::to_string(plan_.sum_shift)},
               {"wave_q", std::to_string(plan_.wave_q)}};
  }

  CBody write();

 private:
  bool has_steps() const {
    return flat_.most_functions(false) > 0 && (flat_.family == Family::legendre || flat_.family == Family::hermite);
  }
  bool needs_bend() const { return flat_.ridge_count() > 0 || (c_.squash && !c_.discrete()); }
  bool needs_power() const { return needs_bend() || flat_.bump_count() > 0 || c_.samples(); }
  bool needs_sine() const {
    return flat_.wave_count() > 0 || flat_.most_functions(true) > 0 ||
           (flat_.family == Family::cosine && flat_.most_functions(false) > 0);
  }
  template <class T>
  void add_whole(const std::string& type, std::size_t bytes, const std::string& name, const std::vector<T>& numbers,
                 std::size_t columns = 0) {
    text_ += c_whole_table(type, name, numbers, columns);
    body_.table_bytes += bytes * numbers.size();
  }

  void write_tables();

  void write_functions();
  void write_polynomials();
  void write_turning();

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

  const ContinuousController& c_;
  const FlatTerms& flat_;
  FixedPlan plan_;
  std::size_t d_;
  Places places_;
  std::string text_;
  CBody body_;
};

}  // namespace mercer
