#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "export/compiled.hpp"
#include "export/continuous_cases.hpp"
#include "export/head.hpp"
#include "policy/act.hpp"

namespace mercer {
namespace {

using test::Compiled;
using test::continuous_case;

constexpr std::size_t states = 10000;

// States that the export itself never looked at.
std::vector<double> fresh_states(const FlatTerms& flat) {
  const std::vector<Range> ranges = ranges_of(flat);
  std::vector<double> all;
  for (std::size_t i = 0; i < states; ++i) {
    std::vector<double> state = even_state(ranges, i + 1234567, 0.04);
    for (std::size_t d = 0; d < state.size(); ++d) {
      if (flat.axes[d].periodic) state[d] = std::clamp(state[d], ranges[d].low, ranges[d].high);
    }
    all.insert(all.end(), state.begin(), state.end());
  }
  return all;
}

struct Model {
  std::vector<double> outputs, actions;
};

// One state after the other, as the driver reads them.
Model ask_model(const ContinuousEmbedding& embedding, std::span<const double> given) {
  const std::size_t d = embedding.function().dimensions(), o = embedding.function().outputs(),
                    m = embedding.policy().action_space().dimensions();
  Model model{std::vector<double>(states * o), std::vector<double>(states * m)};
  for (std::size_t i = 0; i < states; ++i) {
    const MatrixView<const double> state{given.data() + i * d, d, 1};
    embedding.function()(state, {model.outputs.data() + i * o, o, 1});
    embedding.policy().mean_action(state, {model.actions.data() + i * m, m, 1});
  }
  return model;
}

struct Setting {
  const char* name;
  COptions options;
};

std::vector<Setting> settings() {
  return {{"libm", {.name = "controller", .math = CMath::libm}},
          {"none", {.name = "pilot_2", .math = CMath::none}},
          {"fixed", {.name = "controller", .numbers = CNumbers::fixed}}};
}

class ContinuousC : public testing::TestWithParam<std::string> {};

// A difference between logits that an error of each cannot turn round.
bool clear(std::span<const double> logits, double error) {
  std::vector<double> sorted(logits.begin(), logits.end());
  std::ranges::sort(sorted, std::greater<>());
  return sorted[0] - sorted[1] > 2 * error;
}

TEST_P(ContinuousC, ActsAsTheLibraryDoes) {
  const test::ContinuousCase one = continuous_case(GetParam());
  const ContinuousEmbedding& embedding = one.file.embedding.continuous();
  const FlatTerms flat = flatten(embedding.code());
  const Outside outside{embedding.policy().contract(), {}};
  const std::size_t d = outside.observations(), m = outside.actions(), o = flat.outputs;
  const bool discrete = embedding.code().head == Head::logits, normal = embedding.code().head == Head::gaussian;
  const bool samples = normal || (discrete && !embedding.code().squash);
  const std::vector<double> all = fresh_states(flat);
  for (const Setting& setting : settings()) {
    const bool fixed = setting.options.numbers == CNumbers::fixed;
    const CExport made = export_c(one.file, setting.options);
    const double allowed = fixed ? made.stated_error : 1e-6;
    std::vector<double> scale_in(d, 1), scale_out(m, 1);
    if (fixed) {
      const auto number = [&](const std::string& macro) {
        return std::stod(made.header.substr(made.header.find(macro) + macro.size()));
      };
      for (std::size_t i = 0; i < d; ++i) scale_in[i] = number("CONTROLLER_OBS_ONE_" + std::to_string(i));
      for (std::size_t a = 0; a < m; ++a) scale_out[a] = number("CONTROLLER_ACT_ONE_" + std::to_string(a));
    }
    std::vector<float> obs;
    std::vector<std::int32_t> whole;
    std::vector<double> given;
    for (std::size_t i = 0; i < all.size(); ++i) {
      obs.push_back(static_cast<float>(all[i]));
      whole.push_back(static_cast<std::int32_t>(std::lround(all[i] * scale_in[i % d])));
      given.push_back(fixed ? all[i] : obs.back());
    }
    const Model model = ask_model(embedding, given);
    double worst = 0;
    for (const test::Compiler& compiler : test::compilers()) {
      SCOPED_TRACE(std::string(setting.name) + " " + compiler.name);
      const Compiled compiled(made, setting.options, compiler, d, m, samples, normal);
      ASSERT_TRUE(compiled.ok()) << compiled.problem();
      EXPECT_EQ(compiled.selftest(), 0);
      std::vector<double> actions;
      if (fixed) {
        for (const std::int32_t a : compiled.act(whole)) actions.push_back(a);
      } else {
        for (const float a : compiled.act(obs)) actions.push_back(a);
      }
      ASSERT_EQ(actions.size(), states * m);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < actions.size(); ++i) {
        if (discrete) {
          const auto logits = std::span(model.outputs).subspan(i * o, o);
          wrong += actions[i] != model.actions[i] && clear(logits, std::max(made.stated_error, 1e-6)) ? 1 : 0;
          continue;
        }
        const double error = std::abs(actions[i] / scale_out[i % m] - model.actions[i]) / outside.width(i % m);
        worst = std::max(worst, error);
        wrong += error > allowed ? 1 : 0;
      }
      EXPECT_EQ(wrong, 0U) << "of " << actions.size() << ", worst " << worst << ", allowed " << allowed;
    }
    printf("  %-6s worst %.2g of the range, stated %.2g; %zu bytes of tables, about %zu of code, %zu operations\n",
           setting.name, worst, made.stated_error, made.flash_bytes, made.code_bytes, made.operations.total());
    EXPECT_LE(worst, made.stated_error);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, ContinuousC, testing::ValuesIn(test::continuous_kinds()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace mercer
