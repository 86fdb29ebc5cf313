#include "export/kit/kit.hpp"

namespace mercer {
namespace {

struct Deviation {
  const char* rule;
  const char* category;
  const char* where;
  const char* reason;
};

// Every rule that cppcheck's addon can report on exported code. tests/cli/test_kit.py runs it on controllers of all
// kinds: it reports nothing else, and each of these at least once.
constexpr Deviation deviations[] = {
    {"2.5", "advisory", "macros of the header",
     "They are for programs that call the controller, which need not use them."},
    {"8.7", "advisory", "public functions",
     "They are called from other files; the self-test calls one of them as well."},
    {"8.9", "advisory", "tables",
     "A table at file scope is in flash and is seen in the map file; one function reads it."},
    {"10.1", "required", "right shifts and masks of signed numbers in fixed-point code",
     "A shift must round down. Every compiler that the code is tested with does so, and the self-test fails where one "
     "does not."},
    {"10.3", "required", "an int as int32_t, a small integer as a wider one",
     "The value always fits: bounds of every intermediate result were computed when the code was made."},
    {"10.4", "required", "an unsigned counter with a small constant, a byte of a table with an int",
     "Both values are small and not negative, so the conversion keeps them."},
    {"10.8", "required", "a cast of a sum to a wider or unsigned type",
     "The sum was shown to fit the narrower type, and to be positive where the result is unsigned."},
    {"12.1", "advisory", "products in sums, comparisons in conditions",
     "The usual order of C's operators; compilers are run with -Wall -Wextra."},
    {"12.3", "advisory", "declarations of several variables",
     "cppcheck counts the commas of a declaration; there is no comma operator."},
    {"13.3", "advisory", "'*row++ = value'", "Nothing else in the statement reads or changes the pointer."},
    {"14.2", "required", "loops that count down in their condition",
     "The counter is unsigned and the body runs with it one lower: a usual form that ends for every start."},
    {"15.5", "advisory", "an early return",
     "For observations that are not usable, and in the self-test at the first case that fails."},
    {"17.8", "advisory", "a parameter that is limited to its range", "The unlimited value is of no further use."},
    {"18.4", "advisory", "a pointer that moves along a table", "It stays inside: the counts come from the same table."},
    {"20.5", "advisory", "'#undef ONE'", "Two controllers may be compiled as one file."},
};

}  // namespace

std::vector<ExportedFile> kit_misra(const KitFacts& facts) {
  std::string rows, list;
  for (const Deviation& one : deviations) {
    rows += fmt::format("| {} | {} | {} | {} |\n", one.rule, one.category, one.where, one.reason);
    list += fmt::format("misra-c2012-{}\n", one.rule);
  }
  Places places = facts.places();
  places.insert(places.begin(), {"rows", rows});
  return {{"MISRA.md", fill(R"(# MISRA C:2012

`src/@name@.c` and `src/@name@.h` were written to MISRA C:2012 with the deviations below. Check them with cppcheck 2.10 or later:

```
cppcheck --quiet --addon=misra --std=c99 --suppressions-list=misra_suppressions.txt -Isrc src/@name@.c
```

It prints nothing. Without the list it reports these rules and no others; which of them depends on the controller. cppcheck's addon
covers most of the decidable rules, not all of MISRA: a project that must comply needs its own review. Tests and examples in this
folder are not meant for a device and were not checked.

| rule | category | where | reason |
| --- | --- | --- | --- |
@rows@)",
                            places)},
          {"misra_suppressions.txt", list}};
}

}  // namespace mercer
