#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/env.hpp"
#include "mercer/matrix_view.hpp"
#include "mercer/names.hpp"
#include "mercer/random.hpp"

namespace mercer {

/// (observation - mean) / sqrt(variance + epsilon), limited to +-clip: what VecNormalize of Stable-Baselines3 does.
struct Normalisation {
  std::vector<double> mean;      ///< one for each observation; empty: observations are taken as they are
  std::vector<double> variance;  ///< not negative
  double epsilon = 1e-8;         ///< not negative
  double clip = 10;              ///< above 0

  bool empty() const { return mean.empty(); }
  double apply(std::size_t dimension, double observation) const;
};

/// What bends an unbounded number u into an action.
enum class Squash {
  none,  ///< action = centre + scale * u
  tanh,  ///< action = centre + scale * tanh(u)
};
template <>
struct Names<Squash> {
  static constexpr std::string_view kind = "squashing function";
  static constexpr Spelling<Squash> table[] = {{Squash::none, "none"}, {Squash::tanh, "tanh"}};
};

/// What a policy expects to see and promises to do. It travels with the policy into every file and every export, so
/// that whoever runs it, anywhere, feeds it the right numbers in the right order and units.
struct Contract {
  std::string task;   ///< the task it was made for; empty where it was not for one
  Space observation;  ///< names, ranges and units, in the order they are given
  Space action;
  double dt = 0;  ///< seconds between two actions; 0 where time has no unit

  Normalisation normalisation = {};
  Squash squash = Squash::none;
  std::vector<double> centre = {}, scale = {};  ///< one for each action; empty on discrete actions
  std::vector<Range> clip = {};                 ///< what actions are limited to in the end; empty: not limited
};

/// The contract of a task's actions as they are: no normalisation, nothing squashed, limited to the action space.
Contract contract_of(const Task& task);

/// Throws `shape_mismatch`, `out_of_range` or `not_finite` unless sizes agree and every number is legal.
void check_contract(const Contract& contract, const std::string& owner);

/// Anything that can choose actions: a teacher, an embedding, a baseline.
///
/// Batches are columns, as in `Env`: one row per dimension, one column per state. A policy is const and may be used by
/// many threads at once; nothing allocates per call. A column's result never depends on the columns beside it.
class Policy {
 public:
  virtual ~Policy() = default;

  /// How the policy was asked for, such as "uniform" or a file name.
  const std::string& name() const { return name_; }
  /// The number of observations it takes in and of action dimensions it gives out.
  std::size_t observation_dimensions() const { return contract_.observation.dimensions(); }
  const Space& action_space() const { return contract_.action; }
  /// All that whoever runs it must know.
  const Contract& contract() const { return contract_; }

  /// Draws an action for each column, using the keys of that column alone.
  virtual void sample(MatrixView<const double> observation, const Draws& draws, MatrixView<double> action) const = 0;

  /// The action played when nothing is drawn: the mean on a box, the most likely one (the first of equals) among
  /// discrete actions.
  virtual void mean_action(MatrixView<const double> observation, MatrixView<double> action) const = 0;

  /// log of the density of each action: with respect to length or volume on a box, to counting on discrete actions;
  /// minus infinity where the policy never goes.
  virtual void log_prob(MatrixView<const double> observation, MatrixView<const double> action,
                        std::span<double> out) const = 0;

  /// The same for m actions in each state, as a matrix with a row for each state. `action` has m columns for every
  /// state, one state after the other, or m columns that all states share. By default `log_prob` of all pairs; policies
  /// that compute something from the state do that once for all its actions.
  virtual void log_prob_many(MatrixView<const double> observation, MatrixView<const double> action,
                             MatrixView<double> out) const;

  /// P(action[dimension] <= value) in each state, for policies on a box whose dimensions are independent given the
  /// state and that know it in closed form. `values` has a row for each state or one that all share, `out` a row for
  /// each state. Returns false, leaving `out` alone, where there is none: by default.
  virtual bool cdf(MatrixView<const double> observation, std::size_t dimension, MatrixView<const double> values,
                   MatrixView<double> out) const;

 protected:
  Policy(std::string name, Contract contract) : name_(std::move(name)), contract_(std::move(contract)) {
    check_contract(contract_, name_);
  }

 private:
  std::string name_;
  Contract contract_;
};

/// What the outputs of a network mean.
enum class NetworkKind {
  gaussian,       ///< mean and log_std
  deterministic,  ///< the action
  boltzmann,      ///< values or logits of actions, drawn from
  greedy,         ///< the same, the largest played
};
template <>
struct Names<NetworkKind> {
  static constexpr std::string_view kind = "kind of network";
  static constexpr Spelling<NetworkKind> table[] = {{NetworkKind::gaussian, "gaussian"},
                                                    {NetworkKind::deterministic, "deterministic"},
                                                    {NetworkKind::boltzmann, "boltzmann"},
                                                    {NetworkKind::greedy, "greedy"}};
};

/// What a network in a file does not say about the policy it is meant to be. Everything may be left out.
struct PolicyOptions {
  std::optional<NetworkKind> kind{};    ///< by default from the outputs
  std::optional<double> temperature{};  ///< of a Boltzmann policy, above 0; giving it chooses that kind for q
  std::optional<double> spread{};       ///< around a deterministic action, (0, 1], in half ranges of the action
  std::optional<Squash> squash{};       ///< tanh for a Gaussian, else none
  std::vector<double> centre{};   ///< action = centre + scale * squash(output), one number or one for each action;
  std::vector<double> scale{};    ///< by default the task's bounds when squashed, else 0 and 1
  std::optional<double> clip{};   ///< actions are limited to +-clip, besides the task's bounds
  Normalisation normalisation{};  ///< of observations, before the network sees them
  std::map<std::string, std::string> outputs{};  ///< what the network calls its output `mean`, `log_std`, `q`, ...
};

/// One option as a person writes it: key, text, and where it stood, for messages. Lists are separated by ';' or ','.
struct PolicySetting {
  std::string key;
  std::string value;
  std::string source;
};

/// A key of `PolicySetting` with what it takes and one line of help: one list for the command line, TOML and documents.
struct PolicySettingKind {
  std::string key;
  std::string value;
  std::string help;
};
const std::vector<PolicySettingKind>& known_policy_settings();

/// Puts a setting in. Throws `unknown_name` with the nearest key, `bad_value` or `out_of_range`.
void set_option(PolicyOptions& options, const PolicySetting& setting);

/// The settings in the .toml file beside a network ("actor.toml" beside "actor.onnx"); none when there is no such file.
std::vector<PolicySetting> read_sidecar(const std::filesystem::path& network);

/// A kind of policy that can be asked for by name.
struct PolicyKind {
  std::string name;
  std::string summary;
};
std::vector<PolicyKind> known_policies();

/// Makes the policy that `spec` names, for a task: "uniform", "tabular:FILE" (or just the file), or a file of one of
/// `known_policies`: .onnx, .safetensors, .zip (Stable-Baselines3), .pt, .msgpack, .npz, .mercer. Behind a network
/// stands ":key=value,..." with `known_policy_settings`. A file FILE.toml beside it is read first, then these settings,
/// then `overrides`. Files of a registered ending take settings of their own in the same way. Throws `unknown_name`
/// with the nearest known one, or `shape_mismatch` when the policy does not fit the task. `reading`, if given, becomes
/// what a network was taken for: "gaussian policy of outputs mean, log_std; squash tanh, scale 2, centre 0".
std::unique_ptr<Policy> make_policy(std::string_view spec, const Task& task,
                                    const std::vector<PolicySetting>& overrides = {}, std::string* reading = nullptr);

/// Whether `make_policy` reads this file as a network.
bool is_network_file(std::string_view file);
/// All settings that shape the policy of a network: of the TOML file beside it, behind its name, and `overrides`; each
/// key once, the last one wins.
std::vector<PolicySetting> network_settings(std::string_view spec, const std::vector<PolicySetting>& overrides);

/// Makes the policy that a file holds, for a task. `settings` are those behind the file's name, "FILE:key=value,...".
using PolicyReader = std::function<std::unique_ptr<Policy>(const std::string& file,
                                                           std::span<const PolicySetting> settings, const Task& task)>;

/// Lets `make_policy` read files with an ending of your own, such as ".gains". Call it before other threads make
/// policies: in main, or from a plug-in when it is loaded.
void register_policy_file(PolicyKind kind, std::string ending, PolicyReader read);

/// Throws `shape_mismatch` unless the policy takes the task's observations and gives its actions.
void check_fits(const Policy& policy, const Task& task);

/// A function of states, for many at once: column i of `out` depends on column i of `in` alone. Any number of threads
/// may call it. What defines a policy is such a function, whether a network or an embedding computes it.
using BatchFunction = std::function<void(MatrixView<const double> in, MatrixView<double> out)>;

/// Every action equally likely, whatever the state. The baseline that any policy should beat.
class UniformPolicy : public Policy {
 public:
  /// Throws `out_of_range` for an action box without finite bounds.
  explicit UniformPolicy(const Task& task);

  void sample(MatrixView<const double> observation, const Draws& draws, MatrixView<double> action) const override;
  void mean_action(MatrixView<const double> observation, MatrixView<double> action) const override;
  void log_prob(MatrixView<const double> observation, MatrixView<const double> action,
                std::span<double> out) const override;
  bool cdf(MatrixView<const double> observation, std::size_t dimension, MatrixView<const double> values,
           MatrixView<double> out) const override;

 private:
  double log_density_;
};

/// pi[s][a] for finitely many states and actions.
class TabularPolicy : public Policy {
 public:
  /// `pi` is row-major, `states` rows of `actions` probabilities. Throws `shape_mismatch` or `bad_distribution`.
  TabularPolicy(std::string name, std::size_t states, std::size_t actions, std::vector<double> pi);

  std::size_t states() const { return states_; }
  std::span<const double> row(std::size_t state) const { return std::span(pi_).subspan(state * actions_, actions_); }

  void sample(MatrixView<const double> observation, const Draws& draws, MatrixView<double> action) const override;
  void mean_action(MatrixView<const double> observation, MatrixView<double> action) const override;
  void log_prob(MatrixView<const double> observation, MatrixView<const double> action,
                std::span<double> out) const override;

 private:
  std::span<const double> row_of(double observation) const;

  std::size_t states_;
  std::size_t actions_;
  std::vector<double> pi_;
};

/// Reads {"pi": [[...], ...]} from a .json file or the array `pi` from an .npz file.
TabularPolicy read_tabular_policy(const std::filesystem::path& path);

/// One action for each state; a spread may be put around it.
///
/// With a spread sigma (a fraction of half the width of what actions are clipped to) an action is drawn from the normal
/// distribution around the deterministic one, cut off at the clip bounds: its density is
///   Normal(a; mu, sigma) / (Phi((high - mu) / sigma) - Phi((low - mu) / sigma)).
/// Without one a box has no density, and `log_prob` throws `missing_option`; among discrete actions the chosen one has
/// probability one.
class DeterministicPolicy : public Policy {
 public:
  /// `choose` gives A rows: what the contract makes actions of, or the index of a discrete action. `spread` in (0, 1]
  /// needs a box with finite clip bounds.
  DeterministicPolicy(std::string name, Contract contract, BatchFunction choose, std::optional<double> spread = {});

  const BatchFunction& choose() const { return choose_; }

  void sample(MatrixView<const double> observation, const Draws& draws, MatrixView<double> action) const override;
  void mean_action(MatrixView<const double> observation, MatrixView<double> action) const override;
  void log_prob(MatrixView<const double> observation, MatrixView<const double> action,
                std::span<double> out) const override;
  void log_prob_many(MatrixView<const double> observation, MatrixView<const double> action,
                     MatrixView<double> out) const override;
  bool cdf(MatrixView<const double> observation, std::size_t dimension, MatrixView<const double> values,
           MatrixView<double> out) const override;

 private:
  double log_density(std::size_t dimension, double action, double mu) const;

  BatchFunction choose_;
  std::optional<double> spread_;
};

/// u ~ Normal(mean(s), exp(log_std(s))^2) in each dimension, action = centre + scale * tanh(u) (or u itself when the
/// contract squashes nothing): the actor of SAC, and of PPO.
///
/// The density of an action a, with z = (a - centre) / scale and u = atanh(z), is the product over dimensions of
///   Normal(u; mean, std) / (|scale| (1 - z^2)),
/// and integrates to one over the box. An action on the very edge, where rounding takes tanh, counts as the last number
/// inside. Without squashing the density is that of the action before it is clipped.
class GaussianPolicy : public Policy {
 public:
  /// `parameters` gives 2A rows for A action dimensions: the means of u, then the logarithms of its spreads.
  GaussianPolicy(std::string name, Contract contract, BatchFunction parameters);

  const BatchFunction& parameters() const { return parameters_; }

  void sample(MatrixView<const double> observation, const Draws& draws, MatrixView<double> action) const override;
  void mean_action(MatrixView<const double> observation, MatrixView<double> action) const override;
  void log_prob(MatrixView<const double> observation, MatrixView<const double> action,
                std::span<double> out) const override;
  void log_prob_many(MatrixView<const double> observation, MatrixView<const double> action,
                     MatrixView<double> out) const override;
  bool cdf(MatrixView<const double> observation, std::size_t dimension, MatrixView<const double> values,
           MatrixView<double> out) const override;

 private:
  BatchFunction parameters_;
};

/// The index of the largest of `count` rows of q, the first of equals: what a `DeterministicPolicy` on discrete actions
/// chooses by.
BatchFunction greedy_index(BatchFunction q, std::size_t count);

/// The action in [-1, 1]^dimensions (one to three) with the largest q, where q takes the observation and below it the
/// action. The best of a grid (see `BoxBoltzmannPolicy`), then twice the best of a finer grid around it: the distance
/// to a single, smooth peak is below 1e-3. Throws `out_of_range` for other dimensions.
BatchFunction greedy_point(BatchFunction q, std::size_t dimensions);

/// pi(a|s) = exp(q(s,a) / T) / sum over b of exp(q(s,b) / T) among finitely many actions. With logits for q and T = 1
/// it is any categorical policy.
class DiscreteBoltzmannPolicy : public Policy {
 public:
  /// `q` gives one row for each action. `temperature` is above 0.
  DiscreteBoltzmannPolicy(std::string name, Contract contract, BatchFunction q, double temperature);

  const BatchFunction& q() const { return q_; }
  double temperature() const { return temperature_; }

  void sample(MatrixView<const double> observation, const Draws& draws, MatrixView<double> action) const override;
  void mean_action(MatrixView<const double> observation, MatrixView<double> action) const override;
  void log_prob(MatrixView<const double> observation, MatrixView<const double> action,
                std::span<double> out) const override;
  void log_prob_many(MatrixView<const double> observation, MatrixView<const double> action,
                     MatrixView<double> out) const override;

 private:
  BatchFunction q_;
  BatchFunction most_likely_;
  double temperature_;
};

/// pi(a|s) = exp(q(s,a) / T) / Z(s) on a box of one to three dimensions, Z by quadrature.
///
/// The box is cut into equal cells: 64 for one dimension, 32 x 32 for two, 16 x 16 x 16 for three. Within a cell q / T
/// is taken to be linear, with the value at its middle and the slopes between the neighbours' middles, and its mass is
/// corrected for the curvature between them: the integral is then a product of sinh(x)/x, exact however steep q / T is.
/// Z, the mean action and the draws all use these cells; `log_prob` uses q at the action itself. What corners of q
/// inside a cell leave is measured in docs/guide/policies.md. A call costs as many evaluations of q as there are cells,
/// for each state.
class BoxBoltzmannPolicy : public Policy {
 public:
  /// `q` takes the observation and below it the action scaled to [-1, 1], and gives one row. The contract's centre and
  /// scale lead from [-1, 1] to the box. `temperature` is above 0.
  BoxBoltzmannPolicy(std::string name, Contract contract, BatchFunction q, double temperature);

  const BatchFunction& q() const { return q_; }
  double temperature() const { return temperature_; }

  void sample(MatrixView<const double> observation, const Draws& draws, MatrixView<double> action) const override;
  /// The mean of the distribution.
  void mean_action(MatrixView<const double> observation, MatrixView<double> action) const override;
  void log_prob(MatrixView<const double> observation, MatrixView<const double> action,
                std::span<double> out) const override;
  void log_prob_many(MatrixView<const double> observation, MatrixView<const double> action,
                     MatrixView<double> out) const override;

 private:
  BatchFunction q_;
  double temperature_;
};

struct Graph;

/// A feed-forward network with named inputs and outputs, evaluated in single precision.
///
/// Batches run as matrix products in tiles of 16 columns, the last one padded, so a column's result never depends on
/// the columns beside it. Const and shared by any number of threads; each keeps its own scratch memory, and nothing is
/// allocated once a thread has evaluated the network for the first time.
class Network {
 public:
  /// A named vector that goes in or comes out.
  struct Port {
    std::string name;
    std::size_t size;
  };

  explicit Network(Graph graph);

  const std::vector<Port>& inputs() const;
  const std::vector<Port>& outputs() const;
  /// The place of an output, or `outputs().size()` when there is none of that name.
  std::size_t find_output(const std::string& name) const;

  /// inputs[i] has one row for each number of input i and one column for each state; outputs the same, and one without
  /// rows is left out.
  void evaluate(std::span<const MatrixView<const double>> inputs, std::span<const MatrixView<double>> outputs) const;

 private:
  std::shared_ptr<const Graph> graph_;
};

/// Reads a network from an ONNX file (default operator set 7 to 21) of at most 1 GiB, weights inside it. The first axis
/// of every input and output is the batch.
///
/// Throws `corrupt_file` when the file cannot be parsed; `bad_format` naming an operator or a use of one that is not
/// supported, an unknown operator set, or a graph that is not in order; `not_finite` for weights that are no numbers.
Network read_onnx(const std::filesystem::path& path);

/// The same from memory; `where` names it in errors.
Network parse_onnx(std::span<const std::byte> bytes, const std::string& where);

/// The operators that are understood, in alphabetical order.
std::vector<std::string> known_onnx_operators();

}  // namespace mercer
