#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "embed/payload/lattice_code.hpp"
#include "mercer/basis.hpp"

namespace mercer {

/// Ways to write a table that take each row by itself, and so are no basis of it.
struct RowModel {
  enum class Kind {
    gmm,        ///< K Gaussians of one action dimension: K - 1 weights, K means, K spreads
    fixed_gmm,  ///< K Gaussians that follow from the common action edges: K - 1 weights
    mle,        ///< K actions drawn from the row: how often each came
  };
  Kind kind = Kind::gmm;
  std::size_t iterations = 100;  ///< of expectation-maximisation, 0 to 1e6

  std::string name() const;
  /// K where none was said: 3, 8 and 100, but not more components than bins.
  std::size_t usual_k(std::size_t columns) const;
  /// Of a mixture of K.
  std::size_t numbers_of_row(std::size_t k) const;
};

/// "gmm", "fixed-gmm" (":iterations=100"), "mle"; nothing where the text begins with another word. Throws as
/// `make_basis` does for settings that are none.
std::optional<RowModel> parse_row_model(std::string_view text);
std::vector<std::string> known_row_models();

/// Writes every row of `table` with `code.k` components or draws, on all allowed threads: fills numbers and indices of
/// `code`, whose grids are there. Throws `bad_value` for mixtures of actions of several dimensions, `out_of_range` for
/// K.
void keep_rows(const RowModel& model, const PolicyTable& table, std::uint64_t seed, LatticeCode& code);

/// The K components of `fixed_gmm`, which no file has to hold.
Mixture fixed_components(const Edges& bins, std::size_t k);

/// The rows again, one by one: a mixture's mass of each bin, with the tails in those at the ends. Throws
/// `corrupt_file`.
std::unique_ptr<const RowEvaluator> model_rows(const RowModel& model, const LatticeCode& code,
                                               const std::string& where);

/// Published is 4 K for each row of a mixture; stored are the numbers kept.
ParameterCount parameters_of(const RowModel& model, const LatticeCode& code);

}  // namespace mercer
