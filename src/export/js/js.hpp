#pragma once

#include "export/common/code.hpp"

namespace mercer {

/// Functions and `evaluate(obs)`, the sums of a continuous embedding; needs the tables.
std::string js_continuous(const ContinuousController& controller);
/// `find(obs)`: the row of a lattice.
std::string js_lattice(const LatticeController& controller);

}  // namespace mercer
