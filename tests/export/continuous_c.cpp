#include <algorithm>
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "export/compiled.hpp"
#include "export/continuous_cases.hpp"
#include "export/head.hpp"

namespace mercer {
namespace {

using test::Compiled;

constexpr std::size_t states = 10000;

ContinuousController controller_of(const EmbeddingFile& file) {
  const ContinuousEmbedding& embedding = file.embedding.continuous();
  return {flatten(embedding.code()), embedding.code().head, embedding.code().squash,
          Outside{embedding.policy().contract(), {}}, &embedding};
}

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

// The number that a macro of a header stands for.
double macro(const CExport& made, const std::string& name) {
  const std::size_t at = made.header.find("#define " + name + " ");
  return at == std::string::npos ? 1 : std::stod(made.header.substr(at + 9 + name.size()));
}

std::string upper(std::string name) {
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

// One exported controller, and what it must answer.
struct Exported {
  std::string name;
  bool fixed = false;
  CExport code;
  std::shared_ptr<EmbeddingFile> file;
  std::vector<double> obs_one, act_one;
  std::vector<float> obs;
  std::vector<std::int32_t> whole;
  std::vector<double> model;
};

Exported exported(const std::string& kind, const std::string& setting) {
  Exported made;
  made.name = kind + "_" + setting;
  made.fixed = setting == "fixed";
  made.file = std::make_shared<EmbeddingFile>(test::continuous_case(kind));
  const COptions options{.name = made.name,
                         .numbers = made.fixed ? CNumbers::fixed : CNumbers::floating,
                         .math = setting == "libm" ? CMath::libm : CMath::none};
  made.code = export_c(*made.file, options);
  const ContinuousController controller = controller_of(*made.file);
  const std::size_t d = controller.flat.dimensions();
  for (std::size_t i = 0; i < d; ++i)
    made.obs_one.push_back(macro(made.code, upper(made.name) + "_OBS_ONE_" + std::to_string(i)));
  for (std::size_t a = 0; a < controller.outside.actions(); ++a)
    made.act_one.push_back(macro(made.code, upper(made.name) + "_ACT_ONE_" + std::to_string(a)));
  std::vector<double> given = fresh_states(controller.flat);
  for (std::size_t i = 0; i < given.size(); ++i) {
    made.obs.push_back(static_cast<float>(given[i]));
    made.whole.push_back(static_cast<std::int32_t>(std::lround(given[i] * made.obs_one[i % d])));
    if (!made.fixed) given[i] = made.obs.back();
  }
  made.model = model_answers(controller, given);
  return made;
}

// What NAME_act gives for state i, in the action's own units.
std::vector<double> act(const Compiled& compiled, const Exported& one, std::size_t i) {
  const std::size_t d = one.obs_one.size(), m = one.act_one.size();
  std::vector<double> action(m);
  if (one.fixed) {
    std::vector<std::int32_t> raw(m);
    compiled.function<void(const std::int32_t*, std::int32_t*)>(one.name + "_act")(one.whole.data() + i * d,
                                                                                   raw.data());
    for (std::size_t a = 0; a < m; ++a) action[a] = raw[a] / one.act_one[a];
  } else {
    std::vector<float> raw(m);
    compiled.function<void(const float*, float*)>(one.name + "_act")(one.obs.data() + i * d, raw.data());
    action.assign(raw.begin(), raw.end());
  }
  return action;
}

// The largest difference from the model in shares of the range. For discrete actions: how much more the model's best
// logit is than that of the action taken, half of it, since both may be off.
double largest_error(const Compiled& compiled, const Exported& one) {
  const ContinuousController controller = controller_of(*one.file);
  const std::size_t width = controller.discrete() ? controller.flat.outputs : one.act_one.size();
  double worst = 0;
  for (std::size_t i = 0; i < states; ++i) {
    const std::vector<double> action = act(compiled, one, i);
    const auto model = std::span(one.model).subspan(i * width, width);
    if (controller.discrete()) {
      worst = std::max(worst, (*std::ranges::max_element(model) - model[static_cast<std::size_t>(action[0])]) / 2);
      continue;
    }
    for (std::size_t a = 0; a < width; ++a)
      worst = std::max(worst, std::abs(action[a] - model[a]) / controller.outside.width(a));
  }
  return worst;
}

// The largest of errors over all compilers; fast-math and C++ see every family, not with every head.
void check_all(const std::string& setting) {
  std::vector<Exported> all;
  for (const std::string& kind : test::continuous_kinds()) all.push_back(exported(kind, setting));
  const std::vector<std::string> few = test::few_continuous_kinds();
  std::map<std::string, double> worst;
  for (const test::Compiler& compiler : test::compilers()) {
    std::vector<const Exported*> chosen;
    std::vector<Compiled::Source> sources;
    for (const Exported& one : all) {
      const bool among = std::ranges::any_of(few, [&](const auto& kind) { return one.name == kind + "_" + setting; });
      if (!among && compiler.name != "gcc" && compiler.name != "clang") continue;
      chosen.push_back(&one);
      sources.push_back({one.name, one.code});
    }
    const Compiled compiled(sources, compiler);
    ASSERT_EQ(compiled.problem(), "") << compiler.name;
    for (const Exported* one : chosen) {
      SCOPED_TRACE(one->name + " " + compiler.name);
      EXPECT_EQ(compiled.selftest(one->name), 0);
      const double error = largest_error(compiled, *one);
      EXPECT_LE(error, one->code.stated_error);
      worst[one->name] = std::max(worst[one->name], error);
    }
  }
  for (const Exported& one : all) {
    const bool discrete = one.file->embedding.continuous().code().head == Head::logits;
    EXPECT_LE(worst[one.name], setting == "fixed" ? 1e-3 : 1e-6) << one.name;
    EXPECT_LE(one.code.stated_error, setting == "fixed" ? 2e-3 : discrete ? 5e-6 : 1.5e-6) << one.name;
    printf("  %-24s worst %.1e, stated %.1e, %4zu bytes of tables, %4zu operations\n", one.name.c_str(),
           worst[one.name], one.code.stated_error, one.code.flash_bytes, one.code.operations.total());
  }
}

TEST(ContinuousC, FloatActsAsTheLibraryDoes) { check_all("libm"); }
TEST(ContinuousC, FloatWithoutALibraryActsAsTheLibraryDoes) { check_all("none"); }
TEST(ContinuousC, WholeNumbersActAsTheLibraryDoes) { check_all("fixed"); }

TEST(ContinuousC, ExamplesRun) {
  for (const std::string setting : {"libm", "none", "fixed"}) {
    const Exported one = exported("legendre_two", setting);
    for (const test::Compiler& compiler : {test::compilers().front(), test::compilers().back()})
      EXPECT_EQ(test::run_example(one.code, one.name, compiler), "") << setting;
  }
}

}  // namespace
}  // namespace mercer
