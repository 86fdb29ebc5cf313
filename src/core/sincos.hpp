#pragma once

#include <span>

namespace mercer {

// Sines and cosines of a batch as vector code, where a loop over the C library's functions would run one by one. Error
// below 2.5 units in the last place, below 4 for the doubles next to a zero (tested). A number's result does not
// depend on its neighbours. Results have the length of `angle` and may not overlap it.
void sincos(std::span<const double> angle, std::span<double> sine, std::span<double> cosine);
void sine(std::span<const double> angle, std::span<double> out);
void cosine(std::span<const double> angle, std::span<double> out);

}  // namespace mercer
