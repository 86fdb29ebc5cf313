#pragma once

#include <string>

#include "mercer/export.hpp"

namespace mercer {

/// Functions in C that float controllers are put together from: each a whole definition.
namespace float_functions {

std::string unusable();               ///< int unusable(float): not a number, infinite or absurdly large, by its bits
std::string sine();                   ///< float sine(float t): sin(2 pi t)
std::string power();                  ///< float power(float t): 2^t
std::string exponential(CMath math);  ///< float exponential(float x)
std::string bend(CMath math);         ///< float bend(float u): tanh
std::string square_root(CMath math);  ///< float square_root(float x)

}  // namespace float_functions
}  // namespace mercer
