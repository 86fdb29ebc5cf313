#include <algorithm>
#include <cctype>

#include "export/c/c_text.hpp"
#include "export/common/head.hpp"

namespace mercer {
namespace {

// The macros of a fixed-point format as a table: {PILOT_OBS_ONE_0, PILOT_OBS_ONE_1}.
std::string ones(const char* table, const char* macro, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(fmt::format("@NAME@_{}_ONE_{}", macro, i));
  return c_table("double", table, names);
}

constexpr const char* float_loop = R"(    @name@_act(check_obs[i], act);
    for (j = 0; j < @NAME@_ACTIONS; j++) {
      const float off = act[j] - check_act[i][j];
      if (!(off <= check_limit[j] && off >= -check_limit[j])) return i + 1;
    }
)";

constexpr const char* fixed_loop = R"(    for (j = 0; j < @NAME@_OBSERVATIONS; j++) {
      const double scaled = (double)check_obs[i][j] * obs_one[j];
      obs[j] = (int32_t)(scaled < 0.0 ? scaled - 0.5 : scaled + 0.5);
    }
    @name@_act(obs, act);
    for (j = 0; j < @NAME@_ACTIONS; j++) {
      const double off = (double)act[j] / act_one[j] - (double)check_act[i][j];
      if (!(off <= (double)check_limit[j] && off >= -(double)check_limit[j])) return i + 1;
    }
)";

}  // namespace

std::string check_program(const COptions& options, const ControllerInterface& outside, double stated_error) {
  const TestVectors& vectors = *options.check;
  const bool fixed = options.numbers == CNumbers::fixed;
  const std::size_t n = outside.observations(), m = outside.actions();
  std::vector<double> limits;
  for (std::size_t a = 0; a < m; ++a) {
    const double own = 2 * stated_error * outside.width(a);
    limits.push_back(outside.contract.action.is_discrete() ? 0.5 : std::max(own, vectors.tolerance[a]));
  }
  std::string upper = options.name;
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const std::string tables = c_float_table("check_obs", vectors.observations, n) +
                             c_float_table("check_act", vectors.actions, m) + c_float_table("check_limit", limits) +
                             (fixed ? ones("obs_one", "OBS", n) + ones("act_one", "ACT", m) : "");
  const std::pair<std::string, std::string> places[] = {
      {"tables", tables},
      {"variables",
       fixed ? "  int32_t obs[@NAME@_OBSERVATIONS], act[@NAME@_ACTIONS];\n" : "  float act[@NAME@_ACTIONS];\n"},
      {"loop", fixed ? fixed_loop : float_loop},
      {"policy", c_comment(vectors.policy)},
      {"seed", std::to_string(vectors.seed)},
      {"count", std::to_string(vectors.count())},
      {"name", options.name},
      {"NAME", upper}};
  return fill(
      R"(/* Checks @name@ with the @count@ test vectors of '@policy@', seed @seed@: observations and the actions that belong to them.
 *
 *   cc -std=c99 -O2 @name@.c @name@_check.c -o @name@_check -lm && ./@name@_check
 *
 * On a device, compile it with -D@NAME@_CHECK_NO_MAIN and call @name@_check(). */
#include "@name@.h"

@tables@
#ifdef __cplusplus
extern "C"
#endif
int @name@_check(void);

/* 0 if all actions are right; otherwise the number of the first vector, counted from 1, whose action is not. */
int @name@_check(void)
{
@variables@  int i, j;
  for (i = 0; i < @count@; i++) {
@loop@  }
  return 0;
}

#ifndef @NAME@_CHECK_NO_MAIN
#include <stdio.h>

int main(void)
{
  const int failed = @name@_check();
  if (failed != 0) {
    printf("test vector %d of @count@: another action\n", failed);
    return 1;
  }
  printf("@count@ test vectors: all actions agree\n");
  return 0;
}
#endif
)",
      places);
}

}  // namespace mercer
