#include "export/kit/kit.hpp"

namespace mercer {
namespace {

std::string double_table(const std::string& name, std::span<const double> numbers, std::size_t columns = 0) {
  std::vector<std::string> text;
  for (const double number : numbers) text.push_back(fmt::format("{:#.17g}", number));
  return c_table("double", name, text, columns);
}

constexpr const char* float_act = R"(/* The controller's action for an observation, both in their own units. */
static void controlled(const double seen[@N@], double done[@M@])
{
  float obs[@N@], act[@M@];
  int i;
  for (i = 0; i < @N@; i++) obs[i] = (float)seen[i];
  @name@_act(obs, act);
  for (i = 0; i < @M@; i++) done[i] = (double)act[i];
}
)";

constexpr const char* fixed_act = R"(/* The controller's action for an observation, both in their own units. */
static void controlled(const double seen[@N@], double done[@M@])
{
  static const double obs_one[@N@] = {@obs_ones@};
  static const double act_one[@M@] = {@act_ones@};
  int32_t obs[@N@], act[@M@];
  int i;
  for (i = 0; i < @N@; i++) {
    const double scaled = seen[i] * obs_one[i];
    const double inside = scaled < -2147483000.0 ? -2147483000.0 : scaled > 2147483000.0 ? 2147483000.0 : scaled;
    obs[i] = (int32_t)(inside < 0.0 ? inside - 0.5 : inside + 0.5);
  }
  @name@_act(obs, act);
  for (i = 0; i < @M@; i++) done[i] = (double)act[i] / act_one[i];
}
)";

std::string ones(const char* kind, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += fmt::format("{}@NAME@_{}_ONE_{}", i == 0 ? "" : ", ", kind, i);
  return text;
}

std::string task_header(const KitFacts& facts) {
  const StoredEpisodes& stored = facts.stored;
  const std::size_t n = facts.contract.observation.dimensions(), m = facts.contract.action.dimensions();
  std::string tables;
  if (stored.plant != nullptr) {
    tables = fmt::format("#define STATES {}\n#define STEPS {}\n#define EPISODES {}\n\n", stored.plant->states,
                         stored.steps, stored.returns.size());
    tables +=
        "/* Where the episodes start, what the embedding earns in each, and how much more or less is allowed. */\n" +
        double_table("episode_start", stored.starts, stored.plant->states) +
        double_table("episode_return", stored.returns) + double_table("episode_limit", stored.limits) +
        fmt::format("\n/* The task '{}' as Mercer and Gymnasium play it. */\n#include <math.h>\n\n{}", stored.task,
                    stored.plant->code);
  } else {
    tables = fmt::format("#define ROWS {}\n#define FIRST_EPISODE {} /* rows of it */\n\n", stored.vectors.count(),
                         stored.shown);
    std::vector<double> limits = stored.vectors.tolerance;
    for (double& limit : limits) limit = facts.contract.action.is_discrete() ? 0.5 : limit;
    tables += fmt::format("/* {}, the embedding's actions there, and the difference that is allowed. */\n",
                          stored.task.empty() ? "Observations that fill the ranges" : "Observations of ten episodes");
    tables += c_float_table("recorded_obs", stored.vectors.observations, n) +
              c_float_table("recorded_act", stored.vectors.actions, m) + c_float_table("recorded_limit", limits);
  }
  Places places = facts.places();
  places.insert(places.begin(), {{"tables", tables},
                                 {"controlled", facts.fixed() ? fixed_act : float_act},
                                 {"obs_ones", ones("OBS", n)},
                                 {"act_ones", ones("ACT", m)}});
  return fill(
      R"(/* What test/@test@.c and main.c play. They are for a computer or an emulator; the device needs src/ alone. */
#ifndef @NAME@_TASK_H
#define @NAME@_TASK_H

#include "@name@.h"

@tables@
@controlled@
#endif
)",
      places);
}

constexpr const char* closed_loop_test =
    R"(/* Plays ten stored episodes with @name@ in closed loop and compares the returns with the embedding's.
 *
 *   cc -std=c99 -O2 -Isrc src/@name@.c test/@test@.c -o @test@ -lm && ./@test@
 *
 * In another program, compile it with -D@NAME@_TEST_NO_MAIN and call @name@_episodes(). */
#include "@name@_task.h"

int @name@_episodes(void);
double @name@_return(int episode);

/* The return of an episode that starts where the stored one did. */
double @name@_return(int episode)
{
  double state[STATES], obs[@N@], act[@M@], total = 0.0;
  int i, ended = 0;
  long step;
  for (i = 0; i < STATES; i++) state[i] = episode_start[episode][i];
  for (step = 0; step < STEPS && !ended; step++) {
    task_observe(state, obs);
    controlled(obs, act);
    total += task_step(state, act, &ended);
  }
  return total;
}

/* 0 if all returns agree; otherwise the number of the first episode, counted from 1, whose return does not. */
int @name@_episodes(void)
{
  int e;
  for (e = 0; e < EPISODES; e++) {
    const double off = @name@_return(e) - episode_return[e];
    if (!(off <= episode_limit[e] && off >= -episode_limit[e])) return e + 1;
  }
  return 0;
}

#ifndef @NAME@_TEST_NO_MAIN
#include <stdio.h>

int main(void)
{
  int e, failed;
  for (e = 0; e < EPISODES; e++) {
    printf("episode %d: return %.6g, the embedding's %.6g, allowed difference %.2g\n", e + 1, @name@_return(e),
           episode_return[e], episode_limit[e]);
  }
  failed = @name@_episodes();
  printf(failed == 0 ? "all %d returns agree\n" : "the returns differ; episodes: %d\n", EPISODES);
  return failed == 0 ? 0 : 1;
}
#endif
)";

constexpr const char* recorded_test =
    R"(/* Asks @name@ for its action at @rows@ stored observations, and compares with the embedding's.
 * @why@
 *
 *   cc -std=c99 -O2 -Isrc src/@name@.c test/@test@.c -o @test@ -lm && ./@test@
 *
 * In another program, compile it with -D@NAME@_TEST_NO_MAIN and call @name@_episodes(). */
#include "@name@_task.h"

int @name@_episodes(void);

/* 0 if all actions agree; otherwise the number of the first row, counted from 1, whose action does not. */
int @name@_episodes(void)
{
  double obs[@N@], act[@M@];
  int i, j;
  for (i = 0; i < ROWS; i++) {
    for (j = 0; j < @N@; j++) obs[j] = (double)recorded_obs[i][j];
    controlled(obs, act);
    for (j = 0; j < @M@; j++) {
      const double off = act[j] - (double)recorded_act[i][j];
      if (!(off <= (double)recorded_limit[j] && off >= -(double)recorded_limit[j])) return i + 1;
    }
  }
  return 0;
}

#ifndef @NAME@_TEST_NO_MAIN
#include <stdio.h>

int main(void)
{
  const int failed = @name@_episodes();
  if (failed != 0) {
    printf("row %d of @rows@: another action\n", failed);
    return 1;
  }
  printf("all @rows@ actions agree\n");
  return 0;
}
#endif
)";

constexpr const char* closed_loop_main =
    R"(/* Checks @name@, then plays and prints a whole episode of the task '@task@'.
 *
 *   cc -std=c99 -O2 -Isrc main.c src/@name@.c -o episode -lm && ./episode */
#include <stdio.h>

#include "test/@name@_task.h"

int main(void)
{
  double state[STATES], obs[@N@], act[@M@], total = 0.0;
  int i, ended = 0;
  long step;
  if (@name@_selftest() != 0) {
    printf("self-test: case %d failed\n", @name@_selftest());
    return 1;
  }
  for (i = 0; i < STATES; i++) state[i] = episode_start[0][i];
  printf("step,@heading@,reward\n");
  for (step = 0; step < STEPS && !ended; step++) {
    double reward;
    task_observe(state, obs);
    controlled(obs, act);
    reward = task_step(state, act, &ended);
    total += reward;
    printf("%ld", step);
    for (i = 0; i < @N@; i++) printf(",%g", obs[i]);
    for (i = 0; i < @M@; i++) printf(",%g", act[i]);
    printf(",%g\n", reward);
  }
  printf("return %g, the embedding's %g\n", total, episode_return[0]);
  return 0;
}
)";

constexpr const char* recorded_main =
    R"(/* Checks @name@, then prints its actions at @shown@ recorded observations.
 * @why@
 *
 *   cc -std=c99 -O2 -Isrc main.c src/@name@.c -o episode -lm && ./episode */
#include <stdio.h>

#include "test/@name@_task.h"

int main(void)
{
  double obs[@N@], act[@M@];
  int i, row;
  if (@name@_selftest() != 0) {
    printf("self-test: case %d failed\n", @name@_selftest());
    return 1;
  }
  printf("row,@heading@\n");
  for (row = 0; row < FIRST_EPISODE; row++) {
    for (i = 0; i < @N@; i++) obs[i] = (double)recorded_obs[row][i];
    controlled(obs, act);
    printf("%d", row);
    for (i = 0; i < @N@; i++) printf(",%g", obs[i]);
    for (i = 0; i < @M@; i++) printf(",%g", act[i]);
    printf("\n");
  }
  return 0;
}
)";

// Names of columns: letters, digits and '_' of the contract's names.
std::string heading(const Contract& contract) {
  std::string text;
  for (const Space* space : {&contract.observation, &contract.action}) {
    for (const Axis& axis : space->axes) {
      text += text.empty() ? "" : ",";
      for (const char c : axis.name) text += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    }
  }
  return text;
}

}  // namespace

std::vector<ExportedFile> kit_programs(const KitFacts& facts) {
  Places places = facts.places();
  const StoredEpisodes& stored = facts.stored;
  places.insert(places.begin(),
                {{"rows", std::to_string(stored.vectors.count())},
                 {"task", stored.task},
                 {"shown", std::to_string(stored.shown)},
                 {"heading", heading(facts.contract)},
                 {"why", stored.task.empty()
                             ? "The task could not be played here, so they fill the ranges of the observations."
                             : fmt::format("They are of ten episodes of '{}', at most {} of each: {}.",
                                           c_comment(stored.task), StoredEpisodes::kept_steps, facts.why_recorded())}});
  const bool closed = facts.closed_loop();
  return {{fmt::format("test/{}_task.h", facts.options.name), task_header(facts)},
          {fmt::format("test/{}.c", facts.test()), fill(closed ? closed_loop_test : recorded_test, places)},
          {"main.c", fill(closed ? closed_loop_main : recorded_main, places)}};
}

}  // namespace mercer
