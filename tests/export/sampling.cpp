#include <algorithm>
#include <bit>
#include <cmath>

#include <gtest/gtest.h>

#include "export/exported.hpp"
#include "mercer/random.hpp"

namespace mercer {
namespace {

using test::Compiled;
using test::controller_of;
using test::Exported;
using test::exported;

// Outputs of the embedding's function for state i as the controller sees it.
std::vector<double> outputs_of(const Exported& one, std::size_t i) {
  const ContinuousController controller = controller_of(*one.file);
  const std::size_t d = controller.flat.dimensions();
  std::vector<double> state, out(controller.flat.outputs);
  for (std::size_t j = i * d; j < (i + 1) * d; ++j)
    state.push_back(one.fixed ? one.whole[j] / one.obs_one[j % d] : one.obs[j]);
  controller.model->function()({state.data(), d, 1}, {out.data(), out.size(), 1});
  return out;
}

std::vector<double> draw_normal(const Compiled& compiled, const Exported& one, std::size_t i, std::vector<double>& z) {
  const std::size_t d = one.obs_one.size(), m = one.act_one.size();
  std::vector<double> action(m);
  if (one.fixed) {
    std::vector<std::int32_t> noise(m), raw(m);
    for (std::size_t a = 0; a < m; ++a) {
      noise[a] = static_cast<std::int32_t>(std::lround(z[a] * 65536));
      z[a] = noise[a] / 65536.0;
    }
    compiled.function<void(const std::int32_t*, const std::int32_t*, std::int32_t*)>(one.name + "_sample")(
        one.whole.data() + i * d, noise.data(), raw.data());
    for (std::size_t a = 0; a < m; ++a) action[a] = raw[a] / one.act_one[a];
  } else {
    std::vector<float> noise(z.begin(), z.end()), raw(m);
    compiled.function<void(const float*, const float*, float*)>(one.name + "_sample")(one.obs.data() + i * d,
                                                                                      noise.data(), raw.data());
    action.assign(raw.begin(), raw.end());
  }
  return action;
}

// A normal number z stands for the quantile Phi(z) of every action, since squashing and clipping keep the order.
TEST(Sampling, GaussiansGiveTheQuantileOfTheirNoise) {
  for (const std::string kind : {"legendre_two", "bumps_gaussian", "round_gaussian"}) {
    std::vector<Exported> all;
    std::vector<Compiled::Source> sources;
    for (const std::string setting : {"libm", "none", "fixed"}) {
      all.push_back(exported(kind, setting));
      sources.push_back({all.back().name, all.back().code});
    }
    const Contract& contract = all[0].file->embedding.policy().contract();
    for (const std::size_t which : {0, 2}) {
      const Compiled compiled(sources, test::compilers()[which]);
      ASSERT_EQ(compiled.problem(), "");
      for (const Exported& one : all) {
        const std::size_t m = one.act_one.size();
        Random random({5, Stage::feature, 0, 0});
        double worst = 0;
        for (std::size_t i = 0; i < 2000; ++i) {
          std::vector<double> z(m);
          for (double& number : z) number = random.normal();
          const std::vector<double> action = draw_normal(compiled, one, i, z), out = outputs_of(one, i);
          for (std::size_t a = 0; a < m; ++a) {
            const double quantile =
                contract.centre[a] + contract.scale[a] * std::tanh(out[a] + std::exp(out[m + a]) * z[a]);
            worst = std::max(worst, std::abs(action[a] - quantile) / contract.action.axes[a].range.width());
          }
        }
        EXPECT_LE(worst, one.fixed ? 3e-4 : 2e-6) << one.name;
        printf("  %s: worst %.1e of the range\n", one.name.c_str(), worst);
      }
    }
  }
}

TEST(Sampling, SoftmaxGivesTheQuantileOfAnEvenNumber) {
  for (const std::string kind : {"hermite_softmax", "ridges_softmax"}) {
    std::vector<Exported> all;
    std::vector<Compiled::Source> sources;
    for (const std::string setting : {"libm", "none", "fixed"}) {
      all.push_back(exported(kind, setting));
      sources.push_back({all.back().name, all.back().code});
    }
    for (const std::size_t which : {0, 2}) {
      const Compiled compiled(sources, test::compilers()[which]);
      ASSERT_EQ(compiled.problem(), "");
      for (const Exported& one : all) {
        Random random({6, Stage::feature, 0, 0});
        std::size_t seen[3] = {};
        for (std::size_t i = 0; i < 3000; ++i) {
          const double u = i == 0 ? 0 : i == 1 ? 1 - 0x1p-24 : random.uniform();
          double action = 0;
          if (one.fixed) {
            std::int32_t raw = -1;
            compiled.function<void(const std::int32_t*, std::uint32_t, std::int32_t*)>(one.name + "_sample")(
                one.whole.data() + i * 3, static_cast<std::uint32_t>(u * 0x1p32), &raw);
            action = raw;
          } else {
            float raw = -1;
            compiled.function<void(const float*, float, float*)>(one.name + "_sample")(one.obs.data() + i * 3,
                                                                                       static_cast<float>(u), &raw);
            action = raw;
          }
          std::vector<double> p = outputs_of(one, i);
          const double most = *std::ranges::max_element(p);
          double total = 0, below = 0;
          for (double& number : p) total += number = std::exp(number - most);
          ASSERT_TRUE(action == 0 || action == 1 || action == 2);
          for (std::size_t a = 0; a < static_cast<std::size_t>(action); ++a) below += p[a] / total;
          const double above = below + p[static_cast<std::size_t>(action)] / total;
          const double room = one.fixed ? 3e-4 : 3e-6;
          EXPECT_TRUE(u >= below - room && u <= above + room) << one.name << " " << u << " " << below << " " << above;
          ++seen[static_cast<std::size_t>(action)];
        }
        EXPECT_TRUE(seen[0] > 0 && seen[1] > 0 && seen[2] > 0);
      }
    }
  }
}

TEST(Sampling, OddNoiseGivesTheSafeActionOrOneInRange) {
  const Exported gaussian = exported("legendre_gaussian", "none", {0.5}),
                 soft = exported("ridges_softmax", "none", {1});
  for (const test::Compiler& compiler : test::compilers()) {
    const Compiled compiled({{gaussian.name, gaussian.code}, {soft.name, soft.code}}, compiler);
    ASSERT_EQ(compiled.problem(), "");
    for (const std::uint32_t bits : {0x7fc00000U, 0x7f800000U, 0xff800000U}) {
      const auto bad = std::bit_cast<float>(bits);
      float action = 9;
      compiled.function<void(const float*, const float*, float*)>(gaussian.name + "_sample")(gaussian.obs.data(), &bad,
                                                                                             &action);
      EXPECT_EQ(action, 0.5F);
      compiled.function<void(const float*, float, float*)>(soft.name + "_sample")(soft.obs.data(), bad, &action);
      EXPECT_EQ(action, 1.0F);
    }
    for (const float u : {-1.0F, 2.0F, 1e17F}) {
      float action = 9;
      compiled.function<void(const float*, const float*, float*)>(gaussian.name + "_sample")(gaussian.obs.data(), &u,
                                                                                             &action);
      EXPECT_TRUE(action >= -2 && action <= 2);
      compiled.function<void(const float*, float, float*)>(soft.name + "_sample")(soft.obs.data(), u, &action);
      EXPECT_TRUE(action == 0 || action == 2);
    }
  }
}

}  // namespace
}  // namespace mercer
