#pragma once

#include "export/common/code.hpp"

namespace mercer {

/// A single-precision number as Rust reads it back to the same bits: "0.5", "1.2e-05".
std::string rust_float(double value);

/// "static NAME: [[f32; 2]; 3] = [...];", integers in the smallest type that holds them; its bytes go into `bytes`.
std::string rust_table(const CodeTable& table, std::size_t& bytes);

/// Functions and `evaluate(&obs, &mut out) -> bool` of a continuous embedding; needs the tables and `unusable`.
std::string rust_continuous(const ContinuousController& controller);
/// `find(&obs) -> Option<usize>`: the row of a lattice.
std::string rust_lattice(const LatticeController& controller);

}  // namespace mercer
