#include <fmt/format.h>

#include "item.hpp"
#include "lattices.hpp"
#include "rules/rules.hpp"

namespace mercer::paper {
namespace {

struct Row {
  const char* name;
  Head head;
  double printed_true, printed_truncated;
};
std::vector<Row> rows_of(Teacher pendulum) {
  return {{"pendulum-2k", {pendulum, 2000, false}, 114.51, 84.75},
          {"pendulum-3k", {pendulum, 3000, false}, 333.06, 191.83},
          {"pendulum-4k", {pendulum, 4000, false}, 363.6, 273.1},
          {"pendulum-5k", {pendulum, 5000, false}, 182.2, 163.3}};
}
const Row car{"mountain-car", {Teacher::mountain_car, 0, false}, 28.1, 11.0};

// Half of all entries of the table, as the caption says; of the SVD half of its ranks.
std::size_t caption_k(const std::string& basis, const Lattice& lattice) {
  return basis == "svd" ? lattice.table.cols / 2 : lattice.table.pi.size() / 2;
}

void add_row(Frame& frame, const Bench& bench, const Row& row) {
  const Discretised made = discretise(bench, row.head, published_lattice(row.head.teacher));
  const auto add = [&](const std::string& method, const std::vector<double>& returns) {
    const Summary earned = summary(returns);
    frame.add({made.env(), double(bench.seed), row.name, method, earned.mean, earned.sd, row.printed_true,
               row.printed_truncated});
  };
  add("teacher", made.teacher_returns);
  add("lattice", made.lattice_returns);
  std::vector<std::pair<std::string, std::size_t>> choices;
  for (const char* basis : {"fourier", "db4", "svd"}) choices.emplace_back(basis, caption_k(basis, made.lattice));
  for (const Truncated& one : truncate_all(bench, made, choices)) add(one.basis, one.returns);
  // To the letter b_S b_A / 2 is a few hundred: b_S and b_A are bins of one dimension.
  const std::size_t literal = 35 * made.lattice.table.cols / 2;
  add("fourier-literal", truncate_all(bench, made, {{"fourier", literal}}).front().returns);
  // The same rollouts with the better choice at every step.
  add("better-lattice", discretise(bench, row.head, best_lattice()).lattice_returns);
}

Tables measure(const Bench& bench) {
  Tables tables;
  Frame& frame =
      tables["spread"] = {{"env", "seed", "policy", "method", "mean", "sd", "printed_true", "printed_truncated"}};
  for (const Teacher pendulum : pendulums) {
    for (const Row& row : rows_of(pendulum)) add_row(frame, bench, row);
  }
  add_row(frame, bench, car);
  return tables;
}

Told tell(const Tables& tables) {
  const Rows all(tables.at("spread"));
  Told told;
  told.saw =
      "Standard deviation of returns, true and with half of the DFT, DB4 and SVD coefficients (lattice; better "
      "lattice; K = 35 b_A / 2 read to the letter): ";
  for (const std::string& policy : all.words("policy")) {
    const auto sd = [&](const char* method) { return all.where("policy", policy).where("method", method).mean("sd"); };
    told.saw +=
        fmt::format("{} {:.3g} and {:.3g}, {:.3g}, {:.3g} ({:.3g}; {:.3g}; {:.3g}), ", policy, sd("teacher"),
                    sd("fourier"), sd("db4"), sd("svd"), sd("lattice"), sd("better-lattice"), sd("fourier-literal"));
  }
  told.saw.replace(told.saw.size() - 2, 2, ".");
  told.why = {
      "Before any truncation the lattice of each of the four pendulum policies has a larger spread than its teacher.",
      "With even edges, exact masses and the nearest visited cell a lattice keeps it within a quarter."};
  return told;
}

}  // namespace

Item return_spread() {
  return {6,
          "return-spread",
          "Standard deviation of returns, true against truncated",
          "Truncated at half of K, policies have a smaller standard deviation of returns than the true ones, in every "
          "row of the table (the text beside it says the opposite).",
          {"basis of the table: not stated; all three here",
           "half of K: of all entries of the pruned table, as the caption has it; of the SVD half of its ranks",
           "sd over 100 episodes, geometric mean of ratios over seeds"},
          {Teacher::pendulum_v0, Teacher::pendulum, Teacher::mountain_car},
          true,
          9,
          1,
          measure,
          return_spread_rules,
          tell,
          pendulum_envs()};
}

}  // namespace mercer::paper
