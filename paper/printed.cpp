#include <algorithm>
#include <cmath>
#include <complex>

#include <fmt/format.h>

#include "item.hpp"
#include "lattices.hpp"
#include "mercer/basis.hpp"
#include "mercer/embed.hpp"
#include "mercer/parallel.hpp"
#include "rules/rules.hpp"

namespace mercer::paper {
namespace {

using Complex = std::complex<double>;

const std::vector<Head> heads{{Teacher::pendulum_v0, 5000, false}, {Teacher::mountain_car, 0, false}};
constexpr double shares[] = {0.1, 0.25, 0.5, 1};

// One defect of the printed pseudocode at a time, then all of them.
const std::vector<std::string> variants{"right", "real-part", "by-sign", "one-more", "flat-inverse", "printed"};

std::string task_name(const Head& head) { return head.teacher == Teacher::mountain_car ? "mountain-car" : "pendulum"; }

// What stands in a spectrum of which only the kept coefficients of the orthonormal real basis are left.
std::vector<Complex> spectrum_of(const FourierBasis& basis, const std::vector<double>& kept) {
  return fourier({basis.shape(), basis.reverse(kept)});
}

// A spectrum shifted as numpy's fftshift does, and then taken as one axis.
std::vector<double> flat_inverse(const std::vector<Complex>& spectrum, std::size_t rows, std::size_t columns) {
  const std::size_t size = rows * columns;
  std::vector<Complex> flat(size);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      const std::size_t place = (i + rows / 2) % rows * columns + (j + columns / 2) % columns;
      flat[(place + size - size / 2) % size] = spectrum[i * columns + j];
    }
  }
  return inverse_fourier(flat, {size}).values;
}

// The pairs of frequencies with the largest real part instead of the largest magnitude.
std::vector<std::size_t> kept_by_sign(const FourierBasis& basis, const std::vector<double>& coefficients,
                                      std::size_t k) {
  std::vector<Term> terms = basis.terms(coefficients);
  double least = 0;
  for (const Term& term : terms) least = std::min(least, coefficients[term.first]);
  for (Term& term : terms) term.energy = coefficients[term.first] - least;
  return largest_kept(terms, k);
}

std::vector<double> close_table(const std::string& variant, const Table& table, std::size_t k) {
  if (variant == "printed") {
    PrintedFourierBasis basis;
    basis.train(table);
    const std::vector<double> coefficients = basis.apply(table.values);
    return basis.reverse(keep_only(coefficients, basis.choose(coefficients, k)));
  }
  FourierBasis basis;
  basis.train(table);
  const std::vector<double> coefficients = basis.apply(table.values);
  const std::size_t most = std::min(basis.size(), variant == "one-more" ? k + 1 : k);
  const std::vector<double> kept = keep_only(
      coefficients, variant == "by-sign" ? kept_by_sign(basis, coefficients, most) : basis.choose(coefficients, most));
  if (variant == "real-part") {
    std::vector<Complex> spectrum = spectrum_of(basis, kept);
    for (Complex& value : spectrum) value = value.real();
    return inverse_fourier(spectrum, table.shape).values;
  }
  if (variant == "flat-inverse") return flat_inverse(spectrum_of(basis, kept), table.rows(), table.columns());
  return basis.reverse(kept);
}

Tables measure(const Bench& bench) {
  Tables tables;
  Frame& frame =
      tables["defects"] = {{"seed", "task", "variant", "share", "k", "tv", "w1", "teacher", "lattice", "mean"}};
  for (const Head& head : heads) {
    const Discretised made = discretise(bench, head, published_lattice(head.teacher));
    const Table table{{made.lattice.table.rows, made.lattice.table.cols}, made.lattice.table.pi};
    const std::size_t all = std::size(shares) * variants.size();
    std::vector<std::vector<Cell>> rows(all);
    for_each_block(all, 1, [&](Block block) {
      bench.progress.check();
      const std::string& variant = variants[block.begin % variants.size()];
      const double share = shares[block.begin / variants.size()];
      const auto k = static_cast<std::size_t>(share * static_cast<double>(table.values.size()));
      PolicyTable close{made.lattice.table.rows, made.lattice.table.cols, close_table(variant, table, k)};
      project_rows({close.pi.data(), close.rows, close.cols});
      const LatticeDistance away = lattice_distance(made.lattice, close);
      const auto policy = lattice_policy(variant, *made.trained.policy, made.lattice, close, made.options.playing);
      rows[block.begin] = {double(bench.seed),
                           task_name(head),
                           variant,
                           share,
                           double(k),
                           away.tv,
                           away.w1,
                           summary(made.teacher_returns).mean,
                           summary(made.lattice_returns).mean,
                           summary(trial(bench, *made.trained.env, policy)).mean};
    });
    for (auto& row : rows) frame.add(std::move(row));
  }
  return tables;
}

Told tell(const Tables& tables) {
  const Rows all(tables.at("defects"));
  Told told{
      "Total variation from the lattice's rows with a tenth, a half and all of the coefficients, and return with "
      "half: "};
  for (const Head& head : heads) {
    const Rows own = all.where("task", task_name(head));
    told.saw += fmt::format("{} (lattice {:.1f}): ", task_name(head), own.mean("lattice"));
    for (const std::string& variant : variants) {
      const Rows one = own.where("variant", variant);
      const auto tv = [&](double share) { return one.where("share", share).mean("tv"); };
      told.saw += fmt::format("{} {:.3f}, {:.3f}, {:.3f}, {:.1f}; ", variant, tv(0.1), tv(0.5), tv(1),
                              one.where("share", 0.5).mean("mean"));
    }
  }
  told.saw.replace(told.saw.size() - 2, 2, ".");
  return told;
}

}  // namespace

Item printed() {
  return {
      18,
      "printed",
      "The printed pseudocode, one defect at a time",
      "Not a claim of the publication: its pseudocode for step 4 keeps the real part of a flattened spectrum, ranks "
      "it by sign, and keeps one coefficient too many. What each of these does.",
      {"real-part: the right coefficients, of which only real parts are inverted",
       "by-sign: conjugate pairs with the largest real part instead of the largest magnitude",
       "one-more: K + 1; flat-inverse: the shifted spectrum inverted as one axis; printed: all of them",
       "rows are the pruned ones; the printed step 4 takes the table before pruning",
       "negative entries are cut and rows divided by their sum, which the pseudocode leaves out"},
      {Teacher::pendulum_v0, Teacher::mountain_car},
      true,
      3,
      1,
      measure,
      printed_rules,
      tell};
}

}  // namespace mercer::paper
