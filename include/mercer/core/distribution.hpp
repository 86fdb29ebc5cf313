#pragma once

#include <span>
#include <string>

namespace mercer {

/// Throws `bad_distribution` unless the numbers are probabilities that sum to one. `where` names them, as "P[3][0]". A
/// sum may miss one by 1e-6, as printed decimals do.
void check_distribution(std::span<const double> probabilities, const std::string& where);

}  // namespace mercer
