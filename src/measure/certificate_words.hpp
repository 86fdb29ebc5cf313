#pragma once

#include <string>

#include "mercer/certificate.hpp"

namespace mercer {

/// What pages call a quantity.
std::string words(Quantity about, bool in_model);

/// Whether promises about it are shares from 0 to 1; they are shown in percent.
bool is_share(Quantity about);

/// A bound in six digits that are never below it.
std::string rounded_up(double value);

/// A confidence in percent that is never above it: 99.9999% for 0.99999999.
std::string confidence_down(double confidence);

/// The bound of a promise as text in its unit, rounded to the safe side: what is printed is never below it.
std::string promised(const Promise& promise);

}  // namespace mercer
