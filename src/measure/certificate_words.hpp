#pragma once

#include <string>

#include "mercer/certificate.hpp"

namespace mercer {

/// What pages call a quantity.
std::string words(Quantity about, bool in_model);

/// The bound of a promise as text in its unit, rounded to the safe side: what is printed is never below it.
std::string promised(const Promise& promise);

}  // namespace mercer
