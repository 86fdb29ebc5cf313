#include "export/common/head.hpp"
#include "export/common/provenance.hpp"
#include "export/kit/kit.hpp"
#include "mercer/chip.hpp"

namespace mercer {
namespace {

// A cell of a table, or a sentence: nothing in it is markup.
std::string without_markup(const std::string& text) {
  std::string out;
  for (const char c : c_comment(text)) {
    if (c == '|' || c == '<' || c == '>' || c == '`' || c == '*' || c == '_' || c == '[') out += '\\';
    out += c;
  }
  return out;
}

std::string axis_rows(const Contract& contract, const Space& space, const char* array) {
  std::string rows;
  for (std::size_t d = 0; d < space.dimensions(); ++d) {
    std::string facts = axis_facts(contract, space, d);
    if (facts.starts_with(", ")) facts.erase(0, 2);
    rows +=
        fmt::format("| `{}[{}]` | {} | {} |\n", array, d, without_markup(space.axes[d].name), without_markup(facts));
  }
  return rows;
}

std::string costs(const KitFacts& facts) {
  if (facts.options.chip && facts.options.chip->flash_bytes) return chip_sentence(*facts.options.chip);
  return fmt::format(
      "About {} bytes of flash, {} of them tables, and about {} bytes of stack: an estimate for Thumb-2 with -Os, "
      "nothing was measured. 'mercer export c --core cortex-m0' measures it where a cross compiler is installed.",
      facts.made.flash_bytes + facts.made.code_bytes, facts.made.flash_bytes, facts.made.ram_bytes);
}

std::string test_sentence(const KitFacts& facts) {
  if (facts.closed_loop()) {
    return fmt::format(
        "plays ten episodes of '{}' in closed loop, with the task's equations in C, and compares the "
        "returns with the embedding's",
        facts.stored.task);
  }
  return facts.stored.task.empty()
             ? "compares the actions at stored observations with the embedding's; the task itself could not be played"
             : fmt::format(
                   "compares the actions at observations of ten episodes of '{}', at most {} of each, with the "
                   "embedding's; {}",
                   facts.stored.task, StoredEpisodes::kept_steps, facts.why_recorded());
}

}  // namespace

std::string kit_readme(const KitFacts& facts) {
  std::string sentences;
  for (const std::string& sentence : provenance_sentences(facts.file))
    sentences += "- " + without_markup(sentence) + "\n";
  const double dt = facts.contract.dt;
  Places places = facts.places();
  places.insert(
      places.begin(),
      {{"what", without_markup(origin_text(facts.file.origin))},
       {"in", axis_rows(facts.contract, facts.contract.observation, "obs")},
       {"out", axis_rows(facts.contract, facts.contract.action, "act")},
       {"handling", without_markup(handling_note(facts.contract))},
       {"period", dt > 0 ? fmt::format(" Call it every {:g} s.", dt) : ""},
       {"fixed", facts.fixed()
                     ? " All numbers are integers: a value times `@NAME@_OBS_ONE_0` or `@NAME@_ACT_ONE_0` and "
                       "the corresponding constants of the header."
                     : ""},
       {"url",
        facts.url.empty() ? "; before you publish it, set `url` in `library.properties` (or export with `--url`)" : ""},
       {"cost", without_markup(costs(facts))},
       {"difference", facts.contract.action.is_discrete()
                          ? fmt::format("The numbers that decide between the actions of this code differ from the "
                                        "embedding's by at most {:.2g}.",
                                        facts.made.stated_error)
                          : fmt::format("The actions of this code differ from the embedding's by at most {:.2g} of the "
                                        "action's range.",
                                        facts.made.stated_error)},
       {"distance", without_markup(network_distance_sentence(facts.file))},
       {"certificate", without_markup(certificate_sentences(facts.file))},
       {"played", without_markup(test_sentence(facts))},
       {"printed", facts.closed_loop()
                       ? "a whole episode as CSV"
                       : fmt::format("{} recorded observations with their actions as CSV", facts.stored.shown)},
       {"origin", sentences}});
  return fill(R"(# @name@

A controller in plain C99, without dependencies, heap or mutable global data: @what@.

```c
#include "@name@.h"

@type@ obs[@NAME@_OBSERVATIONS], act[@NAME@_ACTIONS];
@name@_act(obs, act);   /* and once at the start: @name@_selftest() == 0 */
```

| | name | unit and range |
| --- | --- | --- |
@in@@out@
@handling@@period@@fixed@

## Files

| file | for |
| --- | --- |
| `src/@name@.h`, `src/@name@.c` | the controller: all that a device needs |
| `main.c` | prints @printed@, on a computer |
| `test/@test@.c` | @played@ |
| `test/@name@_task.h` | what both of them play |
| `CMakeLists.txt` | CMake: `add_subdirectory` and `target_link_libraries(... @name@)`; by itself it builds the test and the example |
| `library.properties`, `examples/` | Arduino: copy this folder to `libraries/@name@` of the sketchbook@url@ |
| `library.json` | PlatformIO: copy this folder to `lib/@name@` of the project |
| `zephyr/` | Zephyr: add this folder to `ZEPHYR_EXTRA_MODULES` (`ZEPHYR_MODULES` before 3.4) and set `CONFIG_@NAME@=y` |
| `MISRA.md`, `misra_suppressions.txt` | deviations from MISRA C:2012, and the list for cppcheck |

```
cmake -S . -B build && cmake --build build && ctest --test-dir build && build/episode
```

## What it costs

@cost@

## What it promises

@difference@ @distance@

@certificate@

## Where it comes from

@origin@)",
              places);
}

}  // namespace mercer
