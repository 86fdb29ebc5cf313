#pragma once

#include <string>

#include "mercer/certificate.hpp"

namespace mercer {

/// What pages call a quantity.
std::string words(Quantity about, bool in_model);

/// Whether promises about it are shares from 0 to 1; they are shown in percent.
bool is_share(Quantity about);

/// What a promise bounds, with the multiple of the teacher's that it is counted from.
std::string promise_words(const Promise& promise);

/// A bound in six digits that are never below it.
std::string rounded_up(double value);

/// A bound that is a percentage, in four decimals that are never below it.
std::string percent_up(double value);

/// "loses at most 1.2% ...", or what is gained at least; `text` rounds up, and `unit` follows the number.
std::string at_most(double upper, const std::string& unit, std::string (*text)(double));

/// A confidence in percent that is never above it: 99.9999% for 0.99999999.
std::string confidence_down(double confidence);

/// The bound of a promise as text in its unit, rounded to the safe side: what is printed is never below it.
std::string promised(const Promise& promise);

/// "m=1.2, delay=1"
std::string point_words(const PerturbedGrid& grid, const PerturbedPoint& point);

/// The grid as a table, its worst point marked; of more than 64 points the 20 with the largest bounds.
std::string grid_table(const PerturbedGrid& grid);

/// Shares of episodes with a return of at most so much, each with its band rounded outwards.
std::string distribution_table(const ReturnDistribution& distribution);

}  // namespace mercer
