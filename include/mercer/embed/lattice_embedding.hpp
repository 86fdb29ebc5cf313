#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mercer/basis/simplex.hpp"
#include "mercer/basis/term.hpp"
#include "mercer/embed/lattice_route.hpp"

namespace mercer {

/// How the table of a lattice is written as few numbers.
struct TruncationOptions {
  static constexpr double usual_energy = 0.99;
  std::string basis = "fourier";  ///< see `make_basis`; or "gmm", "fixed-gmm", "mle", which take rows alone
  std::size_t k = 0;  ///< coefficients kept; for svd the rank, for mixtures components and for mle draws a row; 0: as
                      ///< `energy` says, and 3, 8 and 100 for gmm, fixed-gmm and mle
  double energy = usual_energy;  ///< the fewest that keep this share of all energy but the mean's; 0: half of them,
                                 ///< not counting those that are zero because rows sum to one
  RowOrder order = RowOrder::mean_action;   ///< of the rows, which a transform along them sees
  SimplexRule simplex = SimplexRule::clip;  ///< how rows become distributions again
};

/// The names that `TruncationOptions::basis` may begin with.
std::vector<std::string> known_lattice_bases();
/// Throws `unknown_name`, `bad_value` or `out_of_range` unless the text is a legal `TruncationOptions::basis`.
void check_lattice_basis(const std::string& basis);

/// A lattice policy in few numbers: edges, visited cells and K coefficients of its table in a basis.
///
/// Everything that acting needs is in `payload()`, a string of bytes with edges and coefficients in single precision.
/// The policy that is played, and that `table()` shows, is decoded from those bytes: what is measured is what is
/// stored.
class LatticeEmbedding {
 public:
  /// Projects the table of `lattice` on the basis and keeps K. Throws `out_of_range` for a K that the basis does not
  /// have, `bad_value` for svd in the row order `axes` and for mixtures of actions of several dimensions, and what
  /// `make_basis` throws.
  static LatticeEmbedding make(const Policy& teacher, const Lattice& lattice, const LatticePlay& play,
                               const TruncationOptions& options, std::uint64_t seed = 0);
  /// From bytes. `where` names them in errors, and the policy. Throws `corrupt_file` or `bad_format`; every size is
  /// checked against the bytes before memory is taken. Whatever `acting` says, the same draws give the same actions, up
  /// to rounding of the rows. A table of more than 2^28 entries is not rebuilt: svd then acts from its factors.
  static LatticeEmbedding decode(std::span<const std::uint8_t> payload, Contract contract, const std::string& where,
                                 const Acting& acting = {});

  const std::vector<std::uint8_t>& payload() const { return payload_; }
  const LatticePolicy& policy() const { return *policy_; }
  /// Throws `missing_option` where the policy acts from coefficients.
  const PolicyTable& table() const { return policy_->table(); }
  const std::string& basis() const { return basis_; }
  std::size_t k() const { return k_; }
  /// What is kept: coefficients by rising index, or for svd the factors.
  std::span<const float> numbers() const { return numbers_; }
  ParameterCount parameters() const { return parameters_; }
  /// The payload does not say how parameters are counted; whoever decodes it may know.
  void set_parameters(ParameterCount count) { parameters_ = count; }
  /// What each kept number adds to the squares of the table, falling: squared coefficients, for svd squared singular
  /// values; nothing for what takes rows alone.
  std::vector<double> energies() const;
  /// The sum of all coefficients' squares, kept or not; 0 where it is not known, as in files that did not say it.
  double whole_energy() const { return whole_energy_; }
  void set_whole_energy(double energy) { whole_energy_ = energy; }
  /// Rows that had nothing positive to keep and became uniform; not counted where rows are computed one by one.
  std::size_t empty_rows() const { return empty_rows_; }

 private:
  LatticeEmbedding() = default;

  std::vector<std::uint8_t> payload_;
  std::shared_ptr<const LatticePolicy> policy_;
  std::string basis_;
  std::size_t k_ = 0;
  std::vector<float> numbers_;
  ParameterCount parameters_;
  double whole_energy_ = 0;
  std::size_t empty_rows_ = 0;
};

}  // namespace mercer
