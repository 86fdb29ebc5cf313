#include <algorithm>
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "export/compiled.hpp"
#include "export/continuous_cases.hpp"
#include "export/exported.hpp"

namespace mercer {
namespace {

using test::Compiled;
using test::controller_of;
using test::Exported;
using test::exported;

// The largest difference from the model in shares of the range. For discrete actions: how much more the model's best
// logit is than that of the action taken, half of it, since both may be off.
double largest_error(const Compiled& compiled, const Exported& one) {
  const ContinuousController controller = controller_of(*one.file);
  const std::size_t width = controller.discrete() ? controller.flat.outputs : one.act_one.size();
  const std::vector<double> actions = test::act_all(compiled, one);
  double worst = 0;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    if (controller.discrete()) {
      const auto model = std::span(one.model).subspan(i * width, width);
      worst = std::max(worst, (*std::ranges::max_element(model) - model[static_cast<std::size_t>(actions[i])]) / 2);
    } else {
      worst = std::max(worst, std::abs(actions[i] - one.model[i]) / controller.outside.width(i % width));
    }
  }
  return worst;
}

// The largest of errors over all compilers; fast-math and C++ see every family, not with every head, and so does what
// differs from another setting by the library's functions alone.
void check_all(const std::string& setting) {
  std::vector<Exported> all;
  for (const std::string& kind : setting == "libm" ? test::few_continuous_kinds() : test::continuous_kinds())
    all.push_back(exported(kind, setting));
  const std::vector<std::string> few = test::few_continuous_kinds();
  std::map<std::string, double> worst;
  std::vector<test::Compiler> compilers = test::compilers();
  compilers.push_back(test::trapping());
  for (const test::Compiler& compiler : compilers) {
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

// Whatever is chosen by the changed numbers may well be the same.
TEST(ContinuousC, AChangedCoefficientFailsTheSelfTest) {
  for (const std::string kind : {"legendre_mean", "legendre_greedy", "ridges_softmax", "bumps_gaussian"}) {
    for (const std::string setting : {"none", "fixed"}) {
      Exported one = exported(kind, setting);
      std::string& text = one.code.source;
      const std::size_t table = text.find(" coefficient["),
                        number = text.find_first_of("-0123456789", text.find('=', table));
      ASSERT_NE(table, std::string::npos);
      text.insert(number, setting == "fixed" ? "2 + " : "0.05f + ");
      const Compiled compiled({{one.name, one.code}}, test::compilers().front());
      ASSERT_EQ(compiled.problem(), "") << one.name;
      EXPECT_NE(compiled.selftest(one.name), 0) << one.name;
    }
  }
}

TEST(ContinuousC, ExamplesRun) {
  for (const std::string setting : {"libm", "none", "fixed"}) {
    const Exported one = exported("legendre_two", setting);
    for (const test::Compiler& compiler : {test::compilers().front(), test::compilers().back()})
      EXPECT_EQ(test::run_example(one.code, one.name, compiler), "") << setting;
  }
}

}  // namespace
}  // namespace mercer
