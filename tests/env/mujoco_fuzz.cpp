// Built-in models with random mistakes: whatever the text is, loading it ends in a model or in an Error. FUZZ_SECONDS=N
// goes on for that long.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>

#include <gtest/gtest.h>

#include "env/mujoco/built_in.hpp"
#include "env/mujoco/model.hpp"
#include "mercer/error.hpp"
#include "mercer/random.hpp"
#include "support/files.hpp"
#include "support/temporary.hpp"

namespace mercer {
namespace {

/// What the built-in models do not have.
constexpr std::string_view rich = R"(<mujoco>
  <compiler autolimits="true"/>
  <option cone="elliptic" solver="PGS" jacobian="sparse"/>
  <size nconmax="50" njmax="200" nuserdata="3" nuser_geom="2"/>
  <asset>
    <texture name="sky" type="2d" builtin="checker" width="16" height="16" rgb1="0 0 0" rgb2="1 1 1"/>
    <material name="cloud" texture="sky"/>
    <hfield name="hills" nrow="4" ncol="4" size="1 1 1 0.1"/>
    <mesh name="stone" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
  </asset>
  <worldbody>
    <geom type="hfield" hfield="hills" material="cloud"/>
    <body name="rock" pos="0 0 2">
      <freejoint/>
      <geom type="mesh" mesh="stone"/>
      <camera name="eye" fovy="45"/>
    </body>
    <body name="arm" pos="2 0 1">
      <joint name="ball" type="ball"/>
      <geom type="box" size="0.1 0.2 0.3" user="1 2"/>
      <site name="hand" pos="0 0 0.3"/>
      <body name="wrist" pos="0 0 0.3">
        <joint name="turn" axis="0 0 1" range="-45 45"/>
        <geom type="ellipsoid" size="0.1 0.1 0.2"/>
        <site name="finger"/>
      </body>
    </body>
    <body name="B2" pos="5 0 1">
      <freejoint/>
      <composite type="rope" count="5 1 1" spacing="0.1" offset="0 0 2"><geom type="capsule" size="0.02 0.03"/></composite>
    </body>
    <body name="mark" mocap="true"/>
  </worldbody>
  <contact><exclude body1="arm" body2="wrist"/></contact>
  <equality><connect body1="rock" body2="arm" anchor="0 0 1" active="false"/></equality>
  <tendon>
    <spatial name="string" range="0 9"><site site="hand"/><site site="finger"/></spatial>
    <fixed name="sum"><joint joint="turn" coef="2"/></fixed>
  </tendon>
  <actuator>
    <position joint="turn" kp="3"/>
    <muscle tendon="string" lengthrange="0 1"/>
    <general tendon="sum" dyntype="filter" dynprm="0.1" gaintype="affine"/>
  </actuator>
  <sensor><touch site="hand"/><framepos objtype="body" objname="arm"/><jointpos joint="turn" cutoff="1"/></sensor>
  <keyframe><key name="home" time="1"/></keyframe>
</mujoco>
)";

/// Begin and end of the part around `at` that no character of `set` interrupts.
std::pair<std::size_t, std::size_t> piece(const std::string& text, std::size_t at, const char* set) {
  const std::size_t begin = at == 0 ? std::string::npos : text.find_last_of(set, at - 1);
  const std::size_t end = text.find_first_of(set, at);
  return {begin == std::string::npos ? 0 : begin + 1, end == std::string::npos ? text.size() : end};
}

void change(std::string& text, Random& random) {
  static const std::vector<std::string> values{"",     "0",    "-1",         "1e300", "1e-300", "nan",  "inf",
                                               "-inf", "1e10", "2147483648", "x",     "true",   "hip_1"};
  if (text.empty()) return;
  const auto below = [&](std::size_t count) { return static_cast<std::size_t>(random.bits() % count); };
  const std::size_t at = below(text.size());
  const auto [line, line_end] = piece(text, at, "\n");
  const auto [word, word_end] = piece(text, at, " \n\"<>/=");
  const std::string other = text.substr(line, line_end - line) + "\n";
  switch (below(20)) {
    case 0:
      text[at] = static_cast<char>(below(256));
      break;
    case 1:
      text.resize(at);
      break;
    case 2:
      text.erase(line, line_end - line);
      break;
    case 3:
      text.insert(line, other);
      break;
    case 4: {  // a line moves
      text.erase(line, line_end - line);
      const std::size_t place = below(text.size() + 1);
      text.insert(piece(text, place, "\n").first, other);
      break;
    }
    case 5: {  // a word takes the place of another
      const auto [from, to] = piece(text, below(text.size()), " \n\"<>/=");
      text.replace(word, word_end - word, text.substr(from, to - from));
      break;
    }
    default:
      text.replace(word, word_end - word, values[below(values.size())]);
  }
}

std::ptrdiff_t open_files() {
  const std::filesystem::directory_iterator files("/proc/self/fd");
  return std::distance(begin(files), end(files));
}

TEST(MujocoFuzz, ends_in_a_model_or_an_error) {
  const TemporaryFolder folder;
  const char* const seconds = std::getenv("FUZZ_SECONDS");
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds ? std::atoi(seconds) : 0);
  const std::ptrdiff_t files = open_files();
  std::map<std::string, int> ends;
  std::vector<BuiltInFile> models(3, {"rich.xml", rich});
  for (const BuiltInFile& file : built_in_files()) {
    if (file.name.ends_with(".xml")) models.push_back(file);
  }
  int runs = 0;
  for (; runs < 100 || std::chrono::steady_clock::now() < end; ++runs) {
    Random random({.seed = 1, .stage = Stage::simulate, .item = static_cast<std::uint64_t>(runs)});
    std::string text(models[runs % models.size()].text);
    for (auto changes = 1 + random.bits() % 3; changes > 0; --changes) change(text, random);
    write_bytes(folder / "robot.xml", text);
    try {
      const ModelPointer model = load_model(folder / "robot.xml");
      EXPECT_GT(model->nu, 0);
      ++ends["loaded"];
    } catch (const Error& error) {
      const bool crashed = error.problem().find("makes MuJoCo") != std::string::npos;
      ++ends[crashed ? "crashed in a process of its own" : "refused"];
      EXPECT_NE(error.problem().find("robot.xml"), std::string::npos) << error.what();
    }
  }
  for (const auto& [how, count] : ends) std::cout << how << ": " << count << " of " << runs << '\n';
  EXPECT_GT(ends["loaded"], runs / 20);  // changes that are too wild find nothing
  EXPECT_GT(ends["refused"], runs / 20);
  EXPECT_EQ(open_files(), files);
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"robot.xml"});
}

}  // namespace
}  // namespace mercer
