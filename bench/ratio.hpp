#pragma once

#include <string>

/// A speed that is promised relative to a reference: both are benchmarks of this program, measured in the same run.
/// `at_least` is how many times faster `subject` must be, per item processed.
struct Ratio {
  std::string what;
  std::string subject;
  std::string reference;
  double at_least;
};

/// Declared before main, as benchmarks are: `const bool declared = declare_ratio({...});`
bool declare_ratio(Ratio ratio);
