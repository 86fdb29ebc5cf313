#pragma once

#include "export/c/c_text.hpp"
#include "export/c/machine.hpp"

namespace mercer {

/// Writes a lattice that acts from its kept coefficients.
class CoefficientWriter {
 public:
  /// Throws `bad_value` for what has no such form.
  CoefficientWriter(const LatticeController& controller, const COptions& options);
  CBody write();

 private:
  bool axes() const { return c_.code.order == RowOrder::axes; }
  bool in_order() const {
    for (std::size_t row = 0; row < c_.rows(); ++row) {
      if (c_.layout.places[row] != row) return false;
    }
    return true;
  }
  void write_tables();
  std::string leading() const;     ///< from a row to the places on the leading axes
  std::string projection() const;  ///< from a row to a distribution
  std::string fixed_euclidean() const;
  void write_distribution();
  void write_act();
  void write_sample();
  std::vector<double> own_action(const std::vector<double>& weights) const;
  std::vector<double> weights_of(std::span<const std::uint32_t> at) const;
  void measure();

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

}  // namespace mercer
