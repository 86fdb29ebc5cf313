#include <bit>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "export/exported.hpp"
#include "export/lattice_cases.hpp"

namespace mercer {
namespace {

using test::Compiled;
using test::Exported;
using test::exported;

using FloatAct = void(const float*, float*);
using FixedAct = void(const std::int32_t*, std::int32_t*);

std::vector<test::Compiler> some_compilers() {
  return {test::compilers()[0], test::compilers()[2], test::compilers()[3], test::trapping()};
}

const std::vector<float> not_usable{std::bit_cast<float>(0x7fc00000U),
                                    std::bit_cast<float>(0xffc00001U),
                                    std::bit_cast<float>(0x7f800001U),
                                    std::numeric_limits<float>::infinity(),
                                    -std::numeric_limits<float>::infinity(),
                                    3e38F,
                                    -2e18F};

TEST(OddInputs, WhatIsNoNumberGivesTheSafeAction) {
  std::vector<Exported> all{exported("legendre_mean", "libm", {-1.5}), exported("angle_greedy", "none", {2}),
                            exported("bumps_clip", "none", {0.25}), exported("legendre_two", "libm", {1, 7})};
  std::vector<Compiled::Source> sources;
  for (const Exported& one : all) sources.push_back({one.name, one.code});
  const std::vector<std::vector<float>> safe{{-1.5F}, {2}, {0.25F}, {1, 7}};
  for (const test::Compiler& compiler : some_compilers()) {
    const Compiled compiled(sources, compiler);
    ASSERT_EQ(compiled.problem(), "") << compiler.name;
    for (std::size_t k = 0; k < all.size(); ++k) {
      FloatAct* const act = compiled.function<FloatAct>(all[k].name + "_act");
      for (const float bad : not_usable) {
        for (std::size_t d = 0; d < 3; ++d) {
          std::vector<float> obs(all[k].obs.begin(), all[k].obs.begin() + 3), action(safe[k].size(), 99);
          obs[d] = bad;
          act(obs.data(), action.data());
          EXPECT_EQ(action, safe[k]) << compiler.name << " " << all[k].name << " " << bad;
        }
      }
    }
  }
}

TEST(OddInputs, OutsideItsRangeAnObservationCountsAsTheEnd) {
  const std::vector<std::string> kinds{"legendre_mean", "cosine_clip", "waves_gaussian", "knots_mean",
                                       "hermite_greedy"};
  std::vector<Exported> floats, whole;
  std::vector<Compiled::Source> sources;
  for (const std::string& kind : kinds) {
    floats.push_back(exported(kind, "none"));
    whole.push_back(exported(kind, "fixed"));
    sources.push_back({floats.back().name, floats.back().code});
    sources.push_back({whole.back().name, whole.back().code});
  }
  constexpr auto least = std::numeric_limits<std::int32_t>::min(), most = std::numeric_limits<std::int32_t>::max();
  for (const test::Compiler& compiler : some_compilers()) {
    const Compiled compiled(sources, compiler);
    ASSERT_EQ(compiled.problem(), "") << compiler.name;
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      SCOPED_TRACE(compiler.name + " " + kinds[k]);
      const std::vector<Axis>& axes = floats[k].file->embedding.policy().contract().observation.axes;
      FloatAct* const act = compiled.function<FloatAct>(floats[k].name + "_act");
      FixedAct* const fixed_act = compiled.function<FixedAct>(whole[k].name + "_act");
      for (std::size_t d = 0; d < 3; ++d) {
        for (const bool high : {false, true}) {
          const auto end = static_cast<float>(high ? axes[d].range.high : axes[d].range.low);
          std::vector<float> obs{0, 0, 0};
          float at_end = 0, beyond = 1, far = 2;
          obs[d] = end;
          act(obs.data(), &at_end);
          obs[d] = high ? end + 1 : end - 1;
          act(obs.data(), &beyond);
          obs[d] = high ? 9e17F : -9e17F;
          act(obs.data(), &far);
          EXPECT_EQ(at_end, beyond);
          EXPECT_EQ(at_end, far);
          std::vector<std::int32_t> fixed_obs{0, 0, 0};
          std::int32_t fixed_end = 0, fixed_far = 1;
          fixed_obs[d] = static_cast<std::int32_t>(
              std::lround((high ? axes[d].range.high : axes[d].range.low) * whole[k].obs_one[d]));
          fixed_act(fixed_obs.data(), &fixed_end);
          fixed_obs[d] = high ? most : least;
          fixed_act(fixed_obs.data(), &fixed_far);
          EXPECT_EQ(fixed_end, fixed_far);
        }
      }
    }
  }
}

TEST(OddInputs, AnglesGoRound) {
  const Exported one = exported("round_mean", "none"), whole = exported("round_mean", "fixed");
  const std::vector<Axis>& axes = one.file->embedding.policy().contract().observation.axes;
  for (const test::Compiler& compiler : some_compilers()) {
    const Compiled compiled({{one.name, one.code}, {whole.name, whole.code}}, compiler);
    ASSERT_EQ(compiled.problem(), "") << compiler.name;
    FloatAct* const act = compiled.function<FloatAct>(one.name + "_act");
    FixedAct* const fixed_act = compiled.function<FixedAct>(whole.name + "_act");
    for (std::size_t i = 0; i < 50; ++i) {
      std::vector<float> obs(one.obs.begin() + 3 * static_cast<std::ptrdiff_t>(i),
                             one.obs.begin() + 3 * static_cast<std::ptrdiff_t>(i) + 3);
      std::vector<std::int32_t> fixed_obs(whole.whole.begin() + 3 * static_cast<std::ptrdiff_t>(i),
                                          whole.whole.begin() + 3 * static_cast<std::ptrdiff_t>(i) + 3);
      float before = 0, after = 0;
      std::int32_t fixed_before = 0, fixed_after = 0;
      act(obs.data(), &before);
      fixed_act(fixed_obs.data(), &fixed_before);
      const double turns = static_cast<double>(i % 7) - 3;
      obs[i % 3] = static_cast<float>(obs[i % 3] + turns * axes[i % 3].range.width());
      fixed_obs[i % 3] +=
          static_cast<std::int32_t>(std::lround(turns * axes[i % 3].range.width() * whole.obs_one[i % 3]));
      act(obs.data(), &after);
      fixed_act(fixed_obs.data(), &fixed_after);
      EXPECT_NEAR(before, after, 2e-5);
      EXPECT_NEAR(fixed_before / whole.act_one[0], fixed_after / whole.act_one[0], 1e-4);
      obs[i % 3] = 9e17F;
      act(obs.data(), &after);
      EXPECT_TRUE(after >= -2 && after <= 2);
      fixed_obs[i % 3] = std::numeric_limits<std::int32_t>::min();
      fixed_act(fixed_obs.data(), &fixed_after);
      EXPECT_LE(std::abs(fixed_after / whole.act_one[0]), 2);
    }
  }
}

TEST(OddInputs, LatticesTakeEverything) {
  constexpr auto least = std::numeric_limits<std::int32_t>::min(), most = std::numeric_limits<std::int32_t>::max();
  std::vector<Compiled::Source> sources;
  std::vector<test::LatticeKind> kinds;
  for (const test::LatticeKind& kind : test::lattice_kinds()) {
    for (const CMode mode : {CMode::table, CMode::coefficients}) {
      if (mode == CMode::coefficients && !kind.coefficients) continue;
      for (const CNumbers numbers : {CNumbers::floating, CNumbers::fixed}) {
        const bool soft = kind.simplex == SimplexRule::softmax && mode == CMode::coefficients;
        if (numbers == CNumbers::fixed && soft) continue;
        const std::string name = kind.name + (mode == CMode::table ? "_table" : "_rows") +
                                 (numbers == CNumbers::fixed ? "_fixed" : "_float");
        COptions options{.name = name, .numbers = numbers, .math = CMath::none, .mode = mode};
        options.safe_action.assign(std::max<std::size_t>(1, kind.actions), 1);
        sources.push_back({name, export_c(test::lattice_case(kind), options)});
        kinds.push_back(kind);
      }
    }
  }
  for (const test::Compiler& compiler : {test::compilers()[2], test::trapping()}) {
    const Compiled compiled(sources, compiler);
    ASSERT_EQ(compiled.problem(), "") << compiler.name;
    for (std::size_t k = 0; k < sources.size(); ++k) {
      SCOPED_TRACE(compiler.name + " " + sources[k].name);
      const std::size_t m = std::max<std::size_t>(1, kinds[k].actions);
      if (sources[k].name.ends_with("fixed")) {
        FixedAct* const act = compiled.function<FixedAct>(sources[k].name + "_act");
        const double one = test::macro(sources[k].code, sources[k].name, "ACT_ONE", 0);
        for (const std::int32_t x : {least, most, 0}) {
          for (const std::int32_t y : {least, most, 0}) {
            const std::int32_t obs[2] = {x, y};
            std::vector<std::int32_t> action(m, most);
            act(obs, action.data());
            EXPECT_LE(std::abs(action[0] / one), kinds[k].actions == 0 ? 4 : 2);
          }
        }
        continue;
      }
      FloatAct* const act = compiled.function<FloatAct>(sources[k].name + "_act");
      for (const std::size_t d : {0, 1}) {
        for (const float bad : not_usable) {
          float obs[2] = {0, 0};
          obs[d] = bad;
          std::vector<float> action(m, 99);
          act(obs, action.data());
          EXPECT_EQ(action, std::vector<float>(m, 1));
        }
        for (const float far : {-9e17F, -100.0F, 100.0F, 9e17F}) {
          float obs[2] = {0, 0};
          obs[d] = far;
          std::vector<float> action(m, 99);
          act(obs, action.data());
          EXPECT_LE(std::abs(action[0]), kinds[k].actions == 0 ? 4 : 2);
        }
      }
    }
  }
}

}  // namespace
}  // namespace mercer
