#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "mercer/basis.hpp"
#include "mercer/functions.hpp"
#include "mercer/lattice.hpp"
#include "mercer/names.hpp"
#include "mercer/policy.hpp"
#include "mercer/rollout.hpp"

namespace mercer {

/// The two ways to embed a policy.
enum class Route {
  lattice,     ///< a table over cells of the observations, in few coefficients
  continuous,  ///< K functions of the observation, without a lattice
};
template <>
struct Names<Route> {
  static constexpr std::string_view kind = "route";
  static constexpr Spelling<Route> table[] = {{Route::lattice, "lattice"}, {Route::continuous, "continuous"}};
};

/// Where the rows of an embedding's table come from when it acts.
enum class RowsFrom {
  decoded,       ///< the table is rebuilt once: fastest, rows x columns numbers
  coefficients,  ///< a row is computed from the kept coefficients when it is asked for: memory of K
};
template <>
struct Names<RowsFrom> {
  static constexpr std::string_view kind = "source of rows";
  static constexpr Spelling<RowsFrom> table[] = {{RowsFrom::decoded, "decoded"},
                                                 {RowsFrom::coefficients, "coefficients"}};
};

/// How a cell is drawn from a row of probabilities. `inverse` and `alias` draw exactly from it.
enum class DrawRule {
  inverse,     ///< the first entry whose sum reaches a uniform number: O(log columns)
  alias,       ///< Vose's alias table, made once for the decoded table: O(1)
  importance,  ///< proposals resampled by weight, as published: approximate, exact only as proposals grow
};
template <>
struct Names<DrawRule> {
  static constexpr std::string_view kind = "way to draw";
  static constexpr Spelling<DrawRule> table[] = {
      {DrawRule::inverse, "inverse"}, {DrawRule::alias, "alias"}, {DrawRule::importance, "importance"}};
};

/// What importance sampling proposes from.
enum class Proposal {
  marginal,  ///< mean of the rows, weighted by visits where they are known
  uniform,
};
template <>
struct Names<Proposal> {
  static constexpr std::string_view kind = "proposal";
  static constexpr Spelling<Proposal> table[] = {{Proposal::marginal, "marginal"}, {Proposal::uniform, "uniform"}};
};

/// How an embedding is played. Nothing of this is stored with it: every choice plays the same policy, `importance` up
/// to its error.
struct Acting {
  RowsFrom from = RowsFrom::decoded;
  DrawRule draw = DrawRule::inverse;
  std::size_t proposals = 64;  ///< for `importance`, 1 to 2^20
  Proposal proposal = Proposal::marginal;
};

/// From settings such as those behind "p.mercer:from=coefficients,draw=inverse": keys `from`, `draw`, `proposals` and
/// `proposal`. Throws `unknown_name`, `bad_value`, `out_of_range`.
Acting parse_acting(std::span<const PolicySetting> settings);

/// What a lattice policy does in a state whose cell was never visited.
enum class Unvisited {
  uniform,  ///< every action cell equally likely: as printed
  nearest,  ///< what it does in the nearest visited cell, by Euclidean distance in units of the visited range
};

/// How a table is played.
struct LatticePlay {
  Unvisited unvisited = Unvisited::nearest;
  bool noise = true;  ///< an action is drawn uniformly inside its bin; otherwise it is the bin's middle, as printed
};

/// A table whose rows are computed when they are asked for.
struct CoefficientTable {
  std::shared_ptr<const RowEvaluator> evaluator;
  std::size_t columns = 0;
  std::vector<std::uint32_t> place;  ///< of each cell's row among the evaluator's
  SimplexRule simplex = SimplexRule::clip;
};

class ActionRows;
class CellFinder;

/// Where a decoded table comes from: the basis that it was kept in, the shape of the table that this basis saw, and the
/// place of each cell's row there.
struct TableOrigin {
  BasisSpec basis{};
  SimplexRule simplex = SimplexRule::clip;
  std::vector<std::size_t> shape = {}, places = {};
};

/// Acts from a table: finds the cell of the state, draws a cell of the action grid from its row.
///
/// With noise the policy has a density, the row's entry divided by the volume of the bin. Without it actions are atoms,
/// the middles of the bins, and `log_prob` is the logarithm of an atom's probability, minus infinity elsewhere.
/// Discrete actions are atoms always. A draw costs O(observations log bins + log cells) and what `DrawRule` says;
/// where an unvisited cell looks for the nearest one about O(log cells) more, and where the row has to be computed
/// what the basis' `RowEvaluator` takes for it.
class LatticePolicy : public Policy {
 public:
  /// The table has a row for each cell and a column for each action cell; rows in `own` have edges of their own. Throws
  /// `shape_mismatch`.
  LatticePolicy(std::string name, Contract contract, std::shared_ptr<const Cells> cells, Grid actions,
                PolicyTable table, LatticePlay playing, OwnEdges own = {}, const Acting& acting = {});
  /// The same without a table in memory. Throws `bad_value` for `DrawRule::alias`, too.
  LatticePolicy(std::string name, Contract contract, std::shared_ptr<const Cells> cells, Grid actions,
                CoefficientTable table, LatticePlay playing, OwnEdges own = {}, const Acting& acting = {});

  const Cells& cells() const { return *cells_; }
  const Grid& actions() const { return actions_; }
  const OwnEdges& own_edges() const { return own_; }
  const LatticePlay& playing() const { return playing_; }
  /// Whether there is a table; otherwise rows are computed when they are asked for.
  bool has_table() const;
  /// Throws `missing_option` where there is none.
  const PolicyTable& table() const;
  std::size_t columns() const { return columns_; }
  /// Of an embedding's policy; nothing for other tables.
  const std::optional<TableOrigin>& origin() const { return origin_; }
  void set_origin(TableOrigin origin) { origin_ = std::move(origin); }
  /// Row of a visited cell, `columns()` probabilities.
  void row(std::size_t cell, std::span<double> out) const;

  /// Draws an action cell from the row of a visited cell.
  std::size_t draw_cell(std::size_t cell, Random& random) const;
  /// The action of an action cell in a visited cell, its dimensions `stride` apart: its middle, or with noise a point
  /// inside.
  void place_action(std::size_t cell, std::size_t action_cell, Random& random, double* action,
                    std::size_t stride) const;

  void sample(MatrixView<const double> observation, const Draws& draws, MatrixView<double> action) const override;
  void mean_action(MatrixView<const double> observation, MatrixView<double> action) const override;
  void log_prob(MatrixView<const double> observation, MatrixView<const double> action,
                std::span<double> out) const override;

 private:
  static constexpr std::size_t uniform_row = Cells::none;
  void prepare(std::size_t rows, std::size_t columns, std::size_t most_mapped);
  double probability(std::size_t row, std::size_t cell) const;
  double middle(std::size_t row, std::size_t cell, std::size_t dimension) const;

  std::shared_ptr<const Cells> cells_;
  Grid actions_;
  OwnEdges own_;
  LatticePlay playing_;
  std::size_t columns_ = 0;
  std::shared_ptr<const ActionRows> rows_;
  std::shared_ptr<const CellFinder> finder_;
  std::vector<double> middles_;  ///< of the action cells: one row for each dimension
  std::vector<double> widths_;   ///< the same
  std::optional<TableOrigin> origin_;
};

/// How a policy becomes a lattice policy. `paper_lattice` and `best_lattice` give the two sets that are meant.
struct LatticeOptions {
  std::vector<std::size_t> state_bins{35};   ///< one number for all dimensions or one for each, 1 to 2^20
  std::vector<std::size_t> action_bins{15};  ///< the same; discrete actions have one bin each
  EdgeRule state_edges{};
  EdgeRule action_edges{};
  bool reach_bounds = false;         ///< the action bins at the ends reach to the bounds of the action space
  bool conditional_actions = false;  ///< each cell has action edges from the actions played there, where they suffice
  TableRule table = TableRule::mass;
  double prune = 0;   ///< cells with at most this fraction of all visits are left out, 0 to 1 (exclusive)
  bool full = false;  ///< every cell of the lattice, visited or not, up to 10^7: the teacher is asked everywhere
  LatticePlay playing{};
};

/// The choices of the published experiments: quantile edges, densities at bin centres without their widths, actions
/// that are bin centres, unvisited cells uniform.
LatticeOptions paper_lattice();
/// The better choice at every step: even state bins, 45 even action bins that reach the bounds, exact bin masses,
/// actions drawn inside their bins, unvisited cells as the nearest visited one.
LatticeOptions best_lattice();

/// A teacher on a lattice.
struct Lattice {
  std::shared_ptr<const Cells> cells;
  Grid actions;
  OwnEdges own;  ///< rows with action edges of their own
  PolicyTable table;
  std::size_t collapsed_bins = 0;  ///< bins that ties in the data left out, over all dimensions
  std::size_t rollouts = 0;        ///< episodes that decided which cells are kept

  /// Share of all cells that are not kept, in percent.
  double pruned_percent() const;
  /// Visits of the kept cells, as row weights.
  std::vector<double> visits() const;
};

/// Discretises states and actions by what the teacher met in `rollouts` (steps kept), prunes what it never visited and
/// tabulates it. A dimension of states that holds few whole numbers has a bin for each (`whole_number_edges`). Throws
/// `shape_mismatch` when rollouts or bins do not fit the teacher, `too_large` for a full lattice beyond 10^7 cells,
/// `bad_value` for conditional edges of discrete actions, and what the steps throw.
Lattice make_lattice(const Policy& teacher, const Rollouts& rollouts, const LatticeOptions& options);

/// What a policy on a lattice of this teacher takes in and gives out: raw observations, the task's own actions.
Contract lattice_contract(const Policy& teacher);

/// The lattice as a policy, with its own table or another of the same shape (a truncated one).
LatticePolicy lattice_policy(std::string name, const Policy& teacher, const Lattice& lattice, PolicyTable table,
                             const LatticePlay& playing);

/// How the table of a lattice is written as few numbers.
struct TruncationOptions {
  static constexpr double usual_energy = 0.99;
  BasisSpec basis{};
  std::size_t k = 0;  ///< coefficients kept; for svd the rank, for mixtures components and for mle draws a row; 0: as
                      ///< `energy` says, and 3, 8 and 100 for gmm, fixed-gmm and mle
  double energy = usual_energy;  ///< the fewest that keep this share of all energy but the mean's; 0: half of them,
                                 ///< not counting those that are zero because rows sum to one
  RowOrder order = RowOrder::mean_action;   ///< of the rows, which a transform along them sees
  SimplexRule simplex = SimplexRule::clip;  ///< how rows become distributions again; with softmax the table that is
                                            ///< kept is one of logits (`logits_of_rows`)
};

/// The names that the text of `TruncationOptions::basis` may begin with.
std::vector<std::string> known_lattice_bases();

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
  std::string basis() const { return to_text(spec_); }
  const BasisSpec& spec() const { return spec_; }
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
  BasisSpec spec_;
  std::size_t k_ = 0;
  std::vector<float> numbers_;
  ParameterCount parameters_;
  double whole_energy_ = 0;
  std::size_t empty_rows_ = 0;
};

/// What the functions of a continuous embedding are, and so how actions come from them.
enum class Head {
  mean,      ///< the mean action u of each dimension: a deterministic policy
  gaussian,  ///< u ~ Normal(mean, exp(log_std)^2) for each dimension: means, then logarithms of spreads
  logits,    ///< one number for each discrete action
  density,   ///< log density up to a constant, of the observation and below it the action scaled to [-1, 1]
};
template <>
struct Names<Head> {
  static constexpr std::string_view kind = "head";
  static constexpr Spelling<Head> table[] = {
      {Head::mean, "mean"}, {Head::gaussian, "gaussian"}, {Head::logits, "logits"}, {Head::density, "density"}};
};

/// How coefficients are written. Whole numbers share a scale, one byte for each output and kind of term.
enum class NumberFormat { float32, float16, int16, int8, int7, int6, int5, int4 };
template <>
struct Names<NumberFormat> {
  static constexpr std::string_view kind = "format of numbers";
  static constexpr bool numbered = true;  // int3 is as near to int8 as to int4
  static constexpr Spelling<NumberFormat> table[] = {
      {NumberFormat::float32, "float32"}, {NumberFormat::float16, "float16"}, {NumberFormat::int16, "int16"},
      {NumberFormat::int8, "int8"},       {NumberFormat::int7, "int7"},       {NumberFormat::int6, "int6"},
      {NumberFormat::int5, "int5"},       {NumberFormat::int4, "int4"}};
};

unsigned format_bits(NumberFormat format);

/// Which ranges of coordinates a payload stores.
enum class StoredRanges {
  contract,  ///< none: they are the contract's
  half,      ///< both ends of every axis in half precision
  power,     ///< -2^e to 2^e where the contract has no finite range, elsewhere the contract's. e is -32 to 31, and all
             ///< are at most 7 apart
};

/// All that a continuous embedding says: from this and the task's contract alone its actions follow.
///
/// Axes are the observation's (for a density also the action's, after them). An action on a box is centre + scale * u,
/// or with `squash` centre + scale * tanh(u), cut to the box, where centre and scale lead from [-1, 1] to the box (0
/// and 1 where it has no bounds).
struct ContinuousCode {
  Head head = Head::mean;
  bool squash = true;  ///< tanh; for logits: play the largest instead of drawing
  NumberFormat format = NumberFormat::int8;
  StoredRanges ranges = StoredRanges::contract;
  Coordinates coordinates;
  Terms terms;
  std::size_t outputs = 1;
  std::vector<double> coefficients;    ///< a row of terms.size() for each output
  std::vector<std::uint8_t> scales{};  ///< of whole numbers, by output and part with terms; empty: chosen to fit

  /// Bits of the payload, by what they say: filled in by `decode_continuous`.
  struct Bits {
    std::size_t header = 0, coordinates = 0, terms = 0, scales = 0, coefficients = 0;
  } bits{};
};

/// The number of functions that a head has for a contract.
std::size_t head_outputs(Head head, const Contract& contract);
/// The contract that an embedding acts by: no normalisation, actions scaled to the box.
Contract continuous_contract(Contract contract, Head head, bool squash);
/// Coordinates from the contract's own ranges (and [-1, 1] for the action below a density). Throws `out_of_range` where
/// one is infinite.
Coordinates contract_coordinates(const Contract& contract, Head head);
/// 1 for periodic axes: what `no_terms` takes.
std::vector<std::uint8_t> periodic_axes(const Coordinates& coordinates);

/// To as few bytes as possible; coefficients are rounded. Of the contract only the observation matters, and only for
/// `StoredRanges::power`. Throws `out_of_range` for coefficients that the format cannot hold and for ranges that
/// `power` cannot, `not_finite`, and what `check_terms` throws.
std::vector<std::uint8_t> encode_continuous(const ContinuousCode& code, const Contract& contract);
/// Back. `where` names the bytes in errors. Throws `corrupt_file`; every size is checked before memory is taken.
ContinuousCode decode_continuous(std::span<const std::uint8_t> payload, const Contract& contract,
                                 const std::string& where);

/// A policy from K terms of functions on the observation box, without any lattice.
///
///     ContinuousCode code;  // head, format, coordinates, terms, coefficients
///     ContinuousEmbedding embedding = ContinuousEmbedding::make(code, contract_of(env.task()), "mine");
///     embedding.payload().size();   // bytes
///     rollout(env, embedding.policy(), options);
///
/// Everything that acting needs beside the task's contract is in `payload()`; the policy that is played is decoded from
/// those bytes, so that rounding is part of what is measured.
class ContinuousEmbedding {
 public:
  /// Encodes, then decodes. Only the spaces and names of the contract matter. Throws what `encode_continuous` throws.
  static ContinuousEmbedding make(const ContinuousCode& code, const Contract& contract, const std::string& where);
  static ContinuousEmbedding decode(std::span<const std::uint8_t> payload, const Contract& contract,
                                    const std::string& where);

  const std::vector<std::uint8_t>& payload() const { return payload_; }
  const Policy& policy() const { return *policy_; }
  std::shared_ptr<const Policy> shared_policy() const { return policy_; }
  /// What the payload says, coefficients as they are played.
  const ContinuousCode& code() const { return code_; }
  const TermFunction& function() const { return *function_; }
  std::string basis() const;                            ///< such as "legendre" or "legendre+ridge"
  std::size_t k() const { return code_.terms.size(); }  ///< terms, shared by all outputs
  /// Coefficients and, for bumps and ridges, what places them: real numbers, however few bits each has.
  ParameterCount parameters() const;

 private:
  ContinuousEmbedding() = default;

  std::vector<std::uint8_t> payload_;
  ContinuousCode code_;
  std::shared_ptr<const TermFunction> function_;
  std::shared_ptr<const Policy> policy_;
};

/// The policy that a head makes of a function: what an embedding plays, and what a search over coefficients tries
/// (`function.with(coefficients)`) without encoding anything. Its contract is `continuous_contract` of the given one.
std::unique_ptr<Policy> continuous_policy(std::string name, const Contract& contract, Head head, bool squash,
                                          TermFunction function);

/// How a formula is written.
enum class Notation {
  text,    ///< for people: "torque = 2 tanh(0.31 - 1.2 T2(v))"
  latex,   ///< the same for documents
  python,  ///< assignments that Python, sympy and most calculators understand
};
template <>
struct Names<Notation> {
  static constexpr std::string_view kind = "notation";
  static constexpr Spelling<Notation> table[] = {
      {Notation::text, "text"}, {Notation::latex, "latex"}, {Notation::python, "python"}};
};

/// The policy as formulas, one a line, each made of what lines before it define: scaled variables ("v = speed / 8"),
/// then terms that are too long to repeat, then the actions. Typed into a calculator they give the mean action:
/// functions are plain (T2(x) is the Chebyshev polynomial 2 x^2 - 1), and numbers have as many digits as that takes.
std::vector<std::string> formulas(const ContinuousEmbedding& embedding, Notation notation = Notation::text);

/// An embedding of either route: what is the same about both, and a way to each.
class Embedding {
 public:
  Embedding(LatticeEmbedding lattice) : either_(std::move(lattice)) {}
  Embedding(ContinuousEmbedding continuous) : either_(std::move(continuous)) {}

  bool is_lattice() const { return std::holds_alternative<LatticeEmbedding>(either_); }
  Route route() const { return is_lattice() ? Route::lattice : Route::continuous; }
  const std::vector<std::uint8_t>& payload() const {
    return std::visit([](const auto& one) -> const std::vector<std::uint8_t>& { return one.payload(); }, either_);
  }
  const Policy& policy() const {
    return std::visit([](const auto& one) -> const Policy& { return one.policy(); }, either_);
  }
  std::string basis() const {
    return std::visit([](const auto& one) -> std::string { return one.basis(); }, either_);
  }
  std::size_t k() const {
    return std::visit([](const auto& one) { return one.k(); }, either_);
  }
  ParameterCount parameters() const {
    return std::visit([](const auto& one) { return one.parameters(); }, either_);
  }
  /// Throw std::bad_variant_access for the other route: ask `is_lattice` first.
  const LatticeEmbedding& lattice() const { return std::get<LatticeEmbedding>(either_); }
  LatticeEmbedding& lattice() { return std::get<LatticeEmbedding>(either_); }
  const ContinuousEmbedding& continuous() const { return std::get<ContinuousEmbedding>(either_); }

 private:
  std::variant<LatticeEmbedding, ContinuousEmbedding> either_;
};

}  // namespace mercer
