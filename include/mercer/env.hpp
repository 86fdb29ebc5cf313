#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/matrix_view.hpp"
#include "mercer/names.hpp"
#include "mercer/random.hpp"

namespace mercer {

/// An interval of numbers, ends included.
struct Range {
  double low = 0;
  double high = 0;
  double width() const { return high - low; }
};

/// One coordinate of a space. Bounds may be infinite. On a periodic axis `low` and `high` are the same point.
struct Axis {
  std::string name;
  Range range;
  std::string unit = {};  ///< empty where the number has none
  bool periodic = false;
};

/// Where states, observations or actions live: a box of axes, or the whole numbers 0 .. count-1 on a single axis.
struct Space {
  std::vector<Axis> axes;
  std::size_t count = 0;  ///< 0 for a box

  static Space box(std::vector<Axis> axes) { return {std::move(axes), 0}; }
  static Space discrete(std::string name, std::size_t count) {
    return {{{std::move(name), {0, static_cast<double>(count) - 1}, "", false}}, count};
  }
  bool is_discrete() const { return count > 0; }
  std::size_t dimensions() const { return axes.size(); }
};

/// The time limit of a task whose episodes only the task itself ends.
inline constexpr std::uint32_t unlimited_steps = 0x7FFFFFFF;

/// What it means that a task ends an episode before its time limit.
enum class Ending {
  plain,    ///< neither good nor bad
  failure,  ///< the pole fell
  goal,     ///< the car is on the hill; an episode without it has failed
};
template <>
struct Names<Ending> {
  static constexpr std::string_view kind = "meaning of an end";
  static constexpr Spelling<Ending> table[] = {
      {Ending::plain, "plain"}, {Ending::failure, "failure"}, {Ending::goal, "goal"}};
};

/// What is fixed about a task: the contract that policies, embeddings and exported code are held to.
struct Task {
  std::string name;
  Space state;
  Space observation;
  Space action;
  Range reward;                  ///< of one step, for actions inside the action space
  std::uint32_t time_limit = 1;  ///< steps after which an episode is cut off; not a termination
  double gamma = 0.99;           ///< discount used when none is asked for, in [0, 1]
  double dt = 0;                 ///< seconds a step; 0 where time has no unit
  Ending ending = Ending::plain;
};

/// What `Env::step` writes for each column.
struct StepEnd {
  static constexpr std::uint8_t none = 0;    ///< the episode goes on
  static constexpr std::uint8_t task = 1;    ///< the task ended it
  static constexpr std::uint8_t broken = 2;  ///< the simulator failed; the column keeps the last state that was finite
};

/// A straight part of a robot or its surroundings, as wide as twice its radius. Metres; z points up.
struct Stick {
  std::array<double, 3> from{};
  std::array<double, 3> to{};
  double radius = 0;
  bool fixed = false;  ///< ground, walls, goals
};
/// From where a figure is best looked at.
enum class Viewpoint {
  side,   ///< x to the right, z up
  above,  ///< x to the right, y up
};
template <>
struct Names<Viewpoint> {
  static constexpr std::string_view kind = "viewpoint";
  static constexpr Spelling<Viewpoint> table[] = {{Viewpoint::side, "side"}, {Viewpoint::above, "above"}};
};
/// A task in one state, as a picture.
struct Figure {
  std::vector<Stick> sticks;
  std::vector<Viewpoint> views;
};

/// A task that can be played, for many episodes at once.
///
/// An Env holds no episode: each is a column of a matrix that the caller owns, so one const Env serves any number of
/// threads. All randomness comes from the keys it is handed. The rows of a column are first what the Env itself has to
/// remember (`carried()` rows: a solver's warm start, positions of the last frame), then the state. Nothing allocates.
class Env {
 public:
  virtual ~Env() = default;
  const Task& task() const { return task_; }

  /// Rows of a column in front of its state.
  std::size_t carried() const { return carried_; }
  /// All rows of a column.
  std::size_t rows() const { return carried_ + task_.state.dimensions(); }
  /// The states of columns.
  template <class T>
  MatrixView<T> states_of(MatrixView<T> columns) const {
    return columns.row_block(carried_, columns.rows() - carried_);
  }

  /// Draws a start for each column: all of its rows.
  virtual void reset(const Draws& draws, MatrixView<double> columns) const = 0;

  /// Makes the carried rows of each column those of an episode that starts in its state.
  virtual void settle(MatrixView<double> columns) const;

  /// What a policy sees of each state. By default all of it.
  virtual void observe(MatrixView<const double> state, MatrixView<double> observation) const;

  /// Moves each column one step on. `terminated[i]` becomes one of `StepEnd`; the time limit is the caller's business.
  /// Actions are taken as they come, even outside a box, as Gymnasium's tasks take them; a discrete action must be one
  /// of the action space.
  virtual void step(MatrixView<double> state, MatrixView<const double> action, const Draws& draws,
                    std::span<double> reward, std::span<std::uint8_t> terminated) const = 0;

  /// Bounds on the undiscounted return of an episode cut off after `horizon` steps, for start states and actions
  /// inside their spaces. Certificates rest on it. By default what the reward bounds alone imply, early termination
  /// included.
  virtual Range return_range(std::uint32_t horizon) const;

  /// The task in one state (without carried rows) as a picture; no sticks where there is none. May allocate.
  virtual Figure figure(std::span<const double> state) const;

 protected:
  explicit Env(Task task, std::size_t carried = 0);

 private:
  Task task_;
  std::size_t carried_;
};

/// Bounds on the return of an episode of `horizon` steps, discounted by `gamma`: what the task declares, or for
/// gamma < 1 what its bounds on rewards imply, early ends included.
Range return_range(const Env& env, std::uint32_t horizon, double gamma);

/// The settings of a task, as in "chain:n=20,alpha=0.7". A factory reads each with its default and legal range; what it
/// did not read is unknown, and `check_all_read` says so.
class Params {
 public:
  /// Text after the colon. A part with no '=' is the setting `file`: "tabular:mdp.json".
  Params(std::string owner, std::string_view text, std::uint64_t seed);

  double number(const std::string& key, double standard, double low, double high);
  /// A number, or "A..B" for one that is drawn anew for every episode.
  Range range(const std::string& key, double standard, double low, double high);
  std::size_t integer(const std::string& key, std::size_t standard, std::size_t low, std::size_t high);
  /// Numbers separated by ';'.
  std::vector<double> numbers(const std::string& key, std::vector<double> standard, double low, double high);
  std::string text(const std::string& key, const std::string& standard);

  /// The run's seed, for tasks that are themselves drawn at random.
  std::uint64_t seed() const { return seed_; }
  bool has(const std::string& key) const { return given_.contains(key); }
  void check_all_read() const;

 private:
  const std::string* find(const std::string& key);

  std::string owner_;
  std::uint64_t seed_;
  std::map<std::string, std::string> given_;
  std::set<std::string> read_;
};

/// A physical quantity of a task, or a disturbance, that a user may change: "m=1.2" fixes it and "m=0.8..1.2" draws it
/// anew for every episode.
struct Parameter {
  std::string name;
  std::string help;    ///< what it is, with its unit
  double nominal = 0;  ///< without which the task is the one it is named after
  Range legal{};
  bool integer = false;
};

using EnvFactory = std::function<std::unique_ptr<Env>(Params&)>;

/// A task that can be made by name.
struct EnvEntry {
  std::string name;
  std::string summary;   ///< one line
  std::string settings;  ///< such as "n=10,alpha=1"; empty where there are none
  EnvFactory make;
  std::vector<Parameter> parameters = {};  ///< of its physics; the disturbances of perturb.hpp go with every task
  std::string group = "own";               ///< under which `mercer list` shows it
  /// Further parameters, which depend on the settings: the mass of each body of a model.
  std::function<std::vector<Parameter>(std::string_view settings)> parts = {};
};

/// Makes a task from "name" or "name:key=value,..." ("x.json" is short for "tabular:x.json",
/// and Gymnasium's names, such as "Pendulum-v1", are known). `seed` serves tasks that
/// are drawn at random. Throws `unknown_name` with the nearest known one.
std::unique_ptr<Env> make_env(std::string_view spec, std::uint64_t seed = 0);

/// All tasks, built-in ones first.
std::vector<EnvEntry> known_envs();

/// Adds a task; a second one of the same name replaces the first. Not to be called while another thread makes tasks.
void register_env(EnvEntry entry);

/// Registers a task from a source file of its own, before main or when its plug-in is loaded:
///
///   const mercer::RegisterEnv once{{"my-task", "what it is", "", [](mercer::Params&) { return
///   std::make_unique<MyTask>(); }}};
struct RegisterEnv {
  explicit RegisterEnv(EnvEntry entry) { register_env(std::move(entry)); }
};

/// A finite Markov decision process, with the symbols of the theory: n states, m actions.
struct TabularMdp {
  std::size_t n = 0;
  std::size_t m = 0;
  std::vector<double> P;   ///< P[(s m + a) n + s'], rows sum to one
  std::vector<double> r;   ///< r[s m + a]
  std::vector<double> mu;  ///< start distribution over the states
  double gamma = 0.99;
  std::uint32_t horizon = 1;
  std::vector<std::uint8_t> terminal;  ///< 1 for states where an episode ends; empty for none
};

/// Throws `shape_mismatch`, `not_finite` or `bad_distribution` (with the row and its sum) unless the process is sound.
/// Rows may miss one by 1e-6, as printed decimals do.
void check_mdp(const TabularMdp& mdp, const std::string& where);

/// Reads {"P": [s][a][s'], "r": [s][a], "mu": [s], "gamma": g} and, if given, "horizon" and "terminal" (a list of
/// states). Without a horizon episodes are as long as the discount needs to fall under 1e-6.
TabularMdp read_mdp(const std::filesystem::path& path);

/// N states in a row and two actions, left (0) and right (1). An action does what it says with probability alpha and
/// the opposite otherwise; at the two ends the state stays. Reward 1 for each step taken from the last state.
TabularMdp make_chain(std::size_t n, double alpha, std::uint32_t horizon);

/// One state, N arms: r(i) = exp(-(i - N/2)^2 / 2) / sqrt(2 pi) + U_i for i = 1..N, U_i normal with standard deviation
/// lambda, drawn once from the seed.
TabularMdp make_noisy_bandit(std::size_t arms, double lambda, std::uint64_t seed);

/// A finite process as a task: state and observation are the number of the state.
class TabularEnv : public Env {
 public:
  TabularEnv(std::string name, TabularMdp mdp);
  const TabularMdp& mdp() const { return mdp_; }

  void reset(const Draws& draws, MatrixView<double> state) const override;
  void step(MatrixView<double> state, MatrixView<const double> action, const Draws& draws, std::span<double> reward,
            std::span<std::uint8_t> terminated) const override;
  Range return_range(std::uint32_t horizon) const override;

 private:
  TabularMdp mdp_;
  std::vector<double> start_cdf_;
  std::vector<double> next_cdf_;
};

}  // namespace mercer
