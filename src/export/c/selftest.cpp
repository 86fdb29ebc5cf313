#include <cmath>

#include "export/c/c_text.hpp"
#include "export/common/head.hpp"

namespace mercer {

namespace {

// The statements that compare what the terms come to; nothing where there is nothing to compare with.
std::string compare_outputs(std::size_t outputs, const std::string& differs) {
  if (outputs == 0) return {};
  return fmt::format(R"(    evaluate(test_obs[i], out);
    for (j = 0; j < {}; j++) {{
      if ({}) return i + 1;
    }}
)",
                     outputs, differs);
}

std::string declare_outputs(const std::string& type, std::size_t outputs) {
  return outputs == 0 ? "" : fmt::format("  {} out[{}];\n", type, outputs);
}

}  // namespace

std::string float_selftest(std::span<const double> given, std::span<const double> expected,
                           std::span<const double> limits, std::size_t observations, std::span<const double> outputs,
                           double output_limit) {
  const std::size_t each = outputs.size() * observations / given.size();
  const std::string limit = c_float(output_limit);
  const std::pair<std::string, std::string> places[] = {
      {"tables", c_float_table("test_obs", given, observations) + c_float_table("test_act", expected, limits.size()) +
                     c_float_table("test_limit", limits) + (each == 0 ? "" : c_float_table("test_out", outputs, each))},
      {"out", declare_outputs("float", each)},
      {"compare_outputs",
       compare_outputs(each, fmt::format("out[j] - test_out[i][j] > {0} || test_out[i][j] - out[j] > {0}", limit))},
      {"T", std::to_string(given.size() / observations)},
      {"N", std::to_string(observations)},
      {"M", std::to_string(limits.size())}};
  return fill(R"(#ifndef @NAME@_NO_SELFTEST
@tables@
int @name@_selftest(void)
{
  const uint32_t bits = 0x7fc00000u;
  const unsigned char *from = (const unsigned char *)&bits;
  float act[@M@], obs[@N@];
  unsigned char *to = (unsigned char *)&obs[@N@ - 1];
@out@  int i, j;
  for (i = 0; i < @T@; i++) {
    @name@_act(test_obs[i], act);
    for (j = 0; j < @M@; j++) {
      if (act[j] - test_act[i][j] > test_limit[j] || test_act[i][j] - act[j] > test_limit[j]) return i + 1;
    }
@compare_outputs@  }
  /* The last observation is not a number: the safe action. */
  for (i = 0; i < @N@; i++) obs[i] = test_obs[0][i];
  for (i = 0; i < 4; i++) to[i] = from[i];
  @name@_act(obs, act);
  for (j = 0; j < @M@; j++) {
    if (act[j] < safe[j] || act[j] > safe[j]) return @T@ + 1;
  }
  return 0;
}
#endif
)",
              places);
}

std::string fixed_selftest(std::span<const std::string> given, std::span<const std::string> expected,
                           std::size_t observations, std::size_t actions, std::span<const std::string> limits,
                           std::span<const std::string> outputs) {
  const std::size_t each = outputs.size() * observations / given.size();
  const std::string exact = "act[j] != test_act[i][j]";
  const std::string close = "act[j] > test_act[i][j] + test_limit[j] || act[j] < test_act[i][j] - test_limit[j]";
  const std::pair<std::string, std::string> places[] = {
      {"tables", c_table("int32_t", "test_obs", given, observations) +
                     c_table("int32_t", "test_act", expected, actions) +
                     (limits.empty() ? "" : c_table("int32_t", "test_limit", limits)) +
                     (each == 0 ? "" : c_table("int32_t", "test_out", outputs, each))},
      {"out", declare_outputs("int32_t", each)},
      {"compare_outputs", compare_outputs(each, "out[j] != test_out[i][j]")},
      {"differs", limits.empty() ? exact : close},
      {"T", std::to_string(given.size() / observations)},
      {"M", std::to_string(actions)}};
  return fill(R"(#ifndef @NAME@_NO_SELFTEST
@tables@
int @name@_selftest(void)
{
  int32_t act[@M@];
@out@  int i, j;
  for (i = 0; i < @T@; i++) {
    @name@_act(test_obs[i], act);
    for (j = 0; j < @M@; j++) {
      if (@differs@) return i + 1;
    }
@compare_outputs@  }
  return 0;
}
#endif
)",
              places);
}

namespace {

// A power of two as a C constant with all its digits, so that a value times it is exact.
std::string power_of_two(int exponent) {
  std::string text = fmt::format("{:.17g}", std::ldexp(1.0, exponent));
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

}  // namespace

std::string fixed_macros(const Contract& contract, std::span<const int> obs_q, std::span<const int> act_q) {
  std::string lines;
  for (std::size_t i = 0; i < obs_q.size(); ++i) {
    lines += fmt::format("#define @NAME@_OBS_ONE_{} {} /* one {} as an integer */\n", i, power_of_two(obs_q[i]),
                         c_comment(contract.observation.axes[i].name));
  }
  for (std::size_t a = 0; a < act_q.size(); ++a) {
    lines += fmt::format("#define @NAME@_ACT_ONE_{} {} /* one {} as an integer */\n", a, power_of_two(act_q[a]),
                         c_comment(contract.action.axes[a].name));
  }
  return lines;
}

}  // namespace mercer
