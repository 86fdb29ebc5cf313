#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/env.hpp"

/// @file
/// A task in MuJoCo as its TOML file describes it (docs/guide/robots.md): which numbers of the simulation are observed,
/// rewarded and end an episode. Built-in tasks and those of users are read by the same reader.

namespace mercer {

/// What the numbers of a quantity are taken from.
enum class Source { joint, velocity, force, body, site, upright, sensor, contact, action, constant };
template <>
struct Names<Source> {
  static constexpr std::string_view kind = "quantity";
  static constexpr Spelling<Source> table[] = {
      {Source::joint, "joint"},       {Source::velocity, "velocity"}, {Source::force, "force"},
      {Source::body, "body"},         {Source::site, "site"},         {Source::upright, "upright"},
      {Source::sensor, "sensor"},     {Source::contact, "contact"},   {Source::action, "action"},
      {Source::constant, "constant"},
  };
};

/// What is computed from the numbers of a quantity.
enum class Apply {
  none,
  sin,
  cos,
  length,   ///< square root of the sum of squares: one number
  squares,  ///< sum of squares: one number
};
template <>
struct Names<Apply> {
  static constexpr std::string_view kind = "function";
  static constexpr Spelling<Apply> table[] = {{Apply::none, "none"},
                                              {Apply::sin, "sin"},
                                              {Apply::cos, "cos"},
                                              {Apply::length, "length"},
                                              {Apply::squares, "squares"}};
};

/// Numbers of a robot at one time: those of the source, minus the origin's and the target, limited, through a function.
struct Quantity {
  Source source = Source::constant;
  std::vector<std::string> names = {};  ///< of joints, bodies, sites, sensors or actuators; empty for all
  std::vector<std::string> axes = {};   ///< such as "z"; empty for all
  std::string origin = {};              ///< body or site whose position is subtracted; empty for the world's
  double constant = 0;
  double target = 0;
  Apply apply = Apply::none;
  Range limits{-HUGE_VAL, HUGE_VAL};
  std::size_t line = 0;  ///< where the file has it
};

/// Numbers that a policy sees.
struct ObservedItem {
  Quantity quantity;
  std::vector<std::string> names = {};  ///< one for each number; empty for names that the model gives
  std::optional<std::string> unit = {};
};

/// A summand of the reward.
struct RewardTerm {
  std::string name;
  Quantity quantity;
  double weight = 1;
  bool rate = false;    ///< change of the quantity in a step, per second
  bool before = false;  ///< the quantity before the step
};

/// An episode ends where any number of the quantity is in one of these half-lines.
struct EndRule {
  Quantity quantity;
  double at_most = -HUGE_VAL, below = -HUGE_VAL;
  double at_least = HUGE_VAL, above = HUGE_VAL;

  bool holds(double value) const { return value <= at_most || value < below || value >= at_least || value > above; }
};

/// What is added to each coordinate of a start: `size` times a draw from U(-1, 1) or N(0, 1).
struct StartNoise {
  bool normal = false;
  double size = 0;
};

/// Two joints that start at a point drawn uniformly from a disc around 0, at rest.
struct StartDisc {
  std::string x, y;
  double radius = 0;
  std::size_t line = 0;
};

struct StartPose {
  std::string joint;
  double value = 0;
  std::size_t line = 0;
};

struct Robot {
  std::string file;   ///< of this description, for errors
  std::string model;  ///< MJCF file
  std::size_t model_line = 0;
  std::size_t frame_skip = 1;  ///< steps of the simulator in a step of the task, 1 to 1000
  std::uint32_t time_limit = 1000;
  double gamma = 0.99;
  Ending ending = Ending::failure;  ///< what the end rules mean; plain where there are none
  std::vector<Viewpoint> views = {Viewpoint::side};
  std::vector<ObservedItem> observed;
  std::vector<RewardTerm> reward;
  std::vector<EndRule> ends;
  StartNoise position_noise, velocity_noise;
  std::vector<StartPose> pose;
  std::vector<StartDisc> discs;
};

/// The position of a switch that a description declares, by its name and what the description says.
using ChooseSwitch = std::function<bool(const std::string& name, bool standard)>;

/// Reads a description, without the items of switches that are off. `file` names the text in errors. Throws
/// `bad_format` and `unknown_name` with file, line and the nearest known name.
Robot read_robot(std::string_view text, const std::string& file, const ChooseSwitch& choose);

inline constexpr const char* robot_remedy = "Correct it; docs/guide/robots.md describes the format";
/// Throws `bad_format` about a line of a description.
[[noreturn]] void bad_robot(const std::string& file, std::size_t line, const std::string& what,
                            const std::string& remedy = robot_remedy);
/// Throws `unknown_name` with the nearest known name, for a line of a description.
[[noreturn]] void unknown_in_robot(const std::string& file, std::size_t line, const std::string& kind,
                                   const std::string& name, const std::vector<std::string>& known);

}  // namespace mercer
