#include "paper/rules/rules.hpp"

namespace mercer::paper {
namespace {

// minus the share of rows in which a column is 1, for each seed that has some.
Seeds misses(const Rows& rows, const char* column) {
  Seeds all = per_seed(rows, column);
  for (double& value : all) value = -value;
  return all;
}

}  // namespace

Rules variance_rules(const Tables& tables) {
  constexpr double nearly = -0.95;
  const Rows all(tables.at("cases")), two = all.where("condition1", 1.0).where("condition2", 1.0);
  const Rows student(tables.at("student"));
  return {{below("the conclusion follows", "minus the share of falling variances where conditions 1 and 2 hold < -95%",
                 misses(two, "shrinks"), nearly),
           below("condition 1 holds in practice",
                 "minus the share that meets it, of positive rewards and a lower return < -95%",
                 misses(all.where("positive", 1.0).where("lower_return", 1.0), "condition1"), nearly),
           below("condition 2 is not restrictive", "minus the share that meets it < -95%", misses(all, "condition2"),
                 nearly),
           below("condition 3 is usual", "minus the share that meets it within one half < -95%",
                 misses(all, "condition3"), nearly),
           certain("Student's t meets condition 2",
                   "share of degrees of freedom above 1, about 0, 0.5, 1 and 2, where it "
                   "does not <= 0",
                   1 - student.mean("meets"), 0)},
          {less("condition 1 is reversed", "share of falling variances where condition 1 holds < where it does not",
                per_seed(all.where("condition1", 1.0), "shrinks"), per_seed(all.where("condition1", 0.0), "shrinks")),
           certain("it depends on the place", "share of cases about 2 that meet it <= half of those about 0",
                   student.where("place", 2.0).mean("meets"), student.where("place", 0.0).mean("meets") / 2)}};
}

}  // namespace mercer::paper
