#include "export/c_text.hpp"
#include "export/head.hpp"

namespace mercer {

std::string float_selftest(std::span<const double> given, std::span<const double> expected,
                           std::span<const double> limits, std::size_t observations) {
  const std::pair<std::string, std::string> places[] = {
      {"tables", c_float_table("test_obs", given, observations) + c_float_table("test_act", expected, limits.size()) +
                     c_float_table("test_limit", limits)},
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
  int i, j;
  for (i = 0; i < @T@; i++) {
    @name@_act(test_obs[i], act);
    for (j = 0; j < @M@; j++) {
      if (act[j] - test_act[i][j] > test_limit[j] || test_act[i][j] - act[j] > test_limit[j]) return i + 1;
    }
  }
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
                           std::size_t observations, std::size_t actions) {
  const std::pair<std::string, std::string> places[] = {
      {"tables",
       c_table("int32_t", "test_obs", given, observations) + c_table("int32_t", "test_act", expected, actions)},
      {"T", std::to_string(given.size() / observations)},
      {"M", std::to_string(actions)}};
  return fill(R"(#ifndef @NAME@_NO_SELFTEST
@tables@
int @name@_selftest(void)
{
  int32_t act[@M@];
  int i, j;
  for (i = 0; i < @T@; i++) {
    @name@_act(test_obs[i], act);
    for (j = 0; j < @M@; j++) {
      if (act[j] != test_act[i][j]) return i + 1;
    }
  }
  return 0;
}
#endif
)",
              places);
}

}  // namespace mercer
