#pragma once

#include "export/st_block.hpp"

namespace mercer {

/// Statements that bring the observations in the array x to -1 .. 1; constants and costs go into the body.
std::string st_coordinates(const FlatTerms& flat, StBody& body);

/// Statements that fill the array row with the functions of each coordinate. Needs `flat.any_functions()`.
std::string st_functions(const FlatTerms& flat, StBody& body);

}  // namespace mercer
