#include "explorer/view_figure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "explorer/view_numbers.hpp"
#include "mercer/error.hpp"

namespace answers {
namespace {

using json = nlohmann::ordered_json;
using mercer::Figure;
using mercer::Stick;
using mercer::Viewpoint;
using Ends = std::array<std::int64_t, 6>;

bool has(const Figure& figure, Viewpoint view) { return std::ranges::find(figure.views, view) != figure.views.end(); }

// About a thousandth of the robot's largest extent, a power of ten: a tenth of a pixel.
double unit_for(const Figure& figure) {
  double extent = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (const Stick& stick : figure.sticks) {
      if (stick.fixed) continue;
      low = std::min({low, stick.from[d], stick.to[d]});
      high = std::max({high, stick.from[d], stick.to[d]});
    }
    if (high >= low) extent = std::max(extent, high - low);
  }
  return extent > 0 && std::isfinite(extent) ? std::pow(10.0, std::floor(std::log10(extent)) - 3) : 1e-3;
}

// Numbers that no picture could show stay at its edge.
std::int64_t whole(double length, double unit) {
  constexpr double most = 1e12;
  return std::isfinite(length) ? static_cast<std::int64_t>(std::round(std::clamp(length / unit, -most, most))) : 0;
}

Ends ends_of(const Stick& stick, double unit) {
  Ends ends{};
  for (std::size_t d = 0; d < 3; ++d) {
    ends[d] = whole(stick.from[d], unit);
    ends[3 + d] = whole(stick.to[d], unit);
  }
  return ends;
}

// What is fixed comes into sight and leaves it: each stick of it with the frames that show it.
class Surroundings {
 public:
  void add(const Ends& ends, double radius, std::size_t frame) {
    const auto [place, is_new] = last_.try_emplace(ends, runs_.size());
    if (!is_new && runs_[place->second].last + 1 >= frame) {
      runs_[place->second].last = frame;
      return;
    }
    place->second = runs_.size();
    runs_.push_back({ends, radius, frame, frame});
  }
  struct Run {
    Ends ends;
    double radius;
    std::size_t first, last;
  };
  const std::vector<Run>& runs() const { return runs_; }

 private:
  std::vector<Run> runs_;
  std::map<Ends, std::size_t> last_;  // the latest run of each
};

void append(json& list, const Ends& ends, const Ends& before, const std::vector<std::size_t>& axes) {
  for (const std::size_t end : {0, 3}) {
    for (const std::size_t d : axes) list.push_back(ends[end + d] - before[end + d]);
  }
}

json packed(const Surroundings& all, const std::vector<std::size_t>& axes) {
  json ends = json::array(), radii = json::array(), frames = json::array();
  for (const Surroundings::Run& run : all.runs()) {
    append(ends, run.ends, Ends{}, axes);
    radii.push_back(short_number(run.radius, 3));
    frames.push_back(run.first);
    frames.push_back(run.last);
  }
  return {{"ends", ends}, {"radii", radii}, {"frames", frames}};
}

}  // namespace

std::size_t sticks_of(const mercer::Env& env, std::span<const double> state) {
  return state.empty() ? 0 : env.figure(state).sticks.size();
}

json figures_json(const mercer::Env& env, std::span<const double> states) {
  const std::size_t dimensions = env.task().state.dimensions(), frames = states.size() / dimensions;
  if (frames == 0) return nullptr;
  const Figure leading = env.figure(states.first(dimensions));
  const bool side = has(leading, Viewpoint::side), above = has(leading, Viewpoint::above);
  if (!side && !above) return nullptr;
  const std::string coordinates = !above ? "xz" : !side ? "xy" : "xyz";
  std::vector<std::size_t> axes;
  for (const char c : coordinates) axes.push_back(static_cast<std::size_t>(c - 'x'));
  const double unit = unit_for(leading);
  json views = json::array(), radii = json::array(), first = json::array(), changes = json::array();
  for (const Viewpoint view : leading.views) views.push_back(mercer::name(view));
  Surroundings surroundings;
  std::vector<Ends> before;
  for (std::size_t f = 0; f < frames; ++f) {
    std::vector<Ends> robot;
    for (const Stick& stick : env.figure(states.subspan(f * dimensions, dimensions)).sticks) {
      const Ends ends = ends_of(stick, unit);
      if (stick.fixed) {
        surroundings.add(ends, stick.radius, f);
        continue;
      }
      robot.push_back(ends);
      if (f == 0) radii.push_back(short_number(stick.radius, 3));
    }
    if (robot.size() != radii.size()) {
      throw mercer::Error(mercer::ErrorCode::bad_value,
                          fmt::format("task '{}' draws its robot with {} sticks in one state and with {} in another",
                                      env.task().name, radii.size(), robot.size()),
                          "Let its figure() give the same sticks in every state");
    }
    if (f == 0) before.resize(robot.size());
    for (std::size_t s = 0; s < robot.size(); ++s) append(f == 0 ? first : changes, robot[s], before[s], axes);
    before = std::move(robot);
  }
  if (radii.empty()) return nullptr;
  return {
      {"views", views},     {"coordinates", coordinates},         {"unit", unit}, {"radii", radii}, {"first", first},
      {"changes", changes}, {"fixed", packed(surroundings, axes)}};
}

}  // namespace answers
