#pragma once

#include "export/c/c_text.hpp"
#include "export/common/head.hpp"

namespace mercer {

/// What the writers of a continuous controller in float and in whole numbers have in common: what it needs, the text
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
  void add_whole(const std::string& type, std::size_t bytes, const std::string& name, const std::vector<T>& numbers,
                 std::size_t columns = 0) {
    body_.table_bytes += add_whole_table(text_, type, bytes, name, numbers, columns);
  }
  void add_factors();  ///< which functions each product has

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

}  // namespace mercer
