#pragma once

#include "certify/finite_world.hpp"
#include "mercer/certify.hpp"

namespace mercer {

/// A bound in a finite world as a row of a certificate. Theorems in an estimated world are of level `model`. Where a
/// bound is not applicable its value is unknown and the assumptions say why.
CertificateRow world_row(const Bound& bound, const FiniteWorld& world, std::vector<std::string> assumptions);

/// The rows of levels paper, rigorous or model, and exact in a finite world, for the levels that were asked for.
/// `horizon` steps with the discount of `options` are the return that is certified; the world's own discount makes the
/// other rows.
LevelRows world_rows(const FiniteWorld& world, const CertifyOptions& options, std::uint32_t horizon);

}  // namespace mercer
