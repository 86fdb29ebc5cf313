#include "lattices.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "io/safetensors.hpp"
#include "mercer/embed.hpp"
#include "mercer/parallel.hpp"
#include "mercer/statistics.hpp"

namespace mercer::paper {

LatticeOptions published_lattice(Teacher teacher) {
  LatticeOptions options = paper_lattice();
  options.state_bins = {35};
  options.action_bins = {env_of(teacher) == "any" ? std::size_t{10} : std::size_t{15}};
  return options;
}

Discretised discretise(const Bench& bench, const Head& head, const LatticeOptions& options) {
  Discretised made{head, load_policy(bench, head), options, {}, {}, {}};
  made.lattice = make_lattice(*made.trained.policy, visits(bench, head), options);
  made.teacher_returns = teacher_trial(bench, head);
  const LatticePolicy policy =
      lattice_policy("lattice", *made.trained.policy, made.lattice, made.lattice.table, options.playing);
  made.lattice_returns = trial(bench, *made.trained.env, policy);
  return made;
}

namespace {

// "fourier-sorted" is the basis "fourier" on rows in the order of their mean actions.
constexpr std::string_view sorted_ending = "-sorted";
bool is_sorted(const std::string& name) { return name.ends_with(sorted_ending); }
std::string basis_of(const std::string& name) {
  return is_sorted(name) ? name.substr(0, name.size() - sorted_ending.size()) : name;
}
BasisFamily family_of(const std::string& name) { return BasisSpec(basis_of(name)).family; }

}  // namespace

std::size_t half_k(const std::string& basis, const Lattice& lattice) {
  const std::size_t rows = lattice.table.rows, columns = lattice.table.cols;
  if (family_of(basis) == BasisFamily::svd) return std::max<std::size_t>(1, columns / 2);
  return std::max<std::size_t>(1, (rows * (columns - 1) + 1) / 2);
}

std::vector<std::size_t> k_grid(const std::string& basis, const Lattice& lattice, bool quick) {
  const std::size_t rows = lattice.table.rows, columns = lattice.table.cols;
  std::vector<std::size_t> ks;
  if (family_of(basis) == BasisFamily::svd) {
    ks = quick ? std::vector<std::size_t>{1, 2, 3, 4, 7} : std::vector<std::size_t>{1, 2, 3, 4, 5, 6, 7, 8, 10};
    std::erase_if(ks, [&](std::size_t k) { return k > std::min(rows, columns); });
    return ks;
  }
  if (family_of(basis) == BasisFamily::mle)
    return quick ? std::vector<std::size_t>{1, 2, 4, 8, 16} : std::vector<std::size_t>{1, 2, 4, 8, 16, 32};
  const std::vector<double> shares = quick ? std::vector<double>{0.01, 0.03, 0.1, 0.3, 1}
                                           : std::vector<double>{0.004, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.7, 1, 1.5};
  for (const double share : shares) {
    const auto k = static_cast<std::size_t>(share * static_cast<double>(half_k(basis, lattice)));
    ks.push_back(std::max<std::size_t>(2, k));
  }
  ks.erase(std::unique(ks.begin(), ks.end()), ks.end());
  return ks;
}

std::vector<Truncated> truncate_all(const Bench& bench, const Discretised& made,
                                    const std::vector<std::pair<std::string, std::size_t>>& choices) {
  std::vector<Truncated> all(choices.size());
  for_each_block(choices.size(), 1, [&](Block block) {
    bench.progress.check();
    const auto& [basis, k] = choices[block.begin];
    TruncationOptions options;
    options.basis = basis_of(basis);
    options.k = k;
    options.order = is_sorted(basis) ? RowOrder::mean_action : RowOrder::lexicographic;
    const auto embedding =
        LatticeEmbedding::make(*made.trained.policy, made.lattice, made.options.playing, options, bench.seed);
    const LatticeDistance distance = lattice_distance(made.lattice, embedding.table());
    all[block.begin] = {basis,
                        k,
                        embedding.parameters().published,
                        distance.w1,
                        distance.tv,
                        trial(bench, *made.trained.env, embedding.policy()),
                        std::make_shared<LatticePolicy>(embedding.policy())};
  });
  return all;
}

std::vector<Truncated> truncate_curves(const Bench& bench, const Discretised& made,
                                       const std::vector<std::string>& bases) {
  std::vector<std::pair<std::string, std::size_t>> choices;
  for (const std::string& basis : bases) {
    for (const std::size_t k : k_grid(basis, made.lattice, bench.quick)) choices.emplace_back(basis, k);
  }
  return truncate_all(bench, made, choices);
}

Summary summary(const std::vector<double>& returns) {
  const ReturnSummary all = summarise(returns);
  return {all.mean, all.std};
}

std::size_t network_parameters(const Bench& bench, const Head& head) {
  const Entry entry = train_teacher(bench, head.teacher);
  std::filesystem::path file;
  for (const auto& one : std::filesystem::directory_iterator(entry.folder)) {
    if (one.path().extension() == ".safetensors") file = one.path();
  }
  const std::string prefix = head.boltzmann ? "q1." : "actor.";
  std::size_t count = 0;
  for (const auto& [name, tensor] : read_safetensors(file).tensors) {
    if (name.starts_with(prefix)) count += tensor.size();
  }
  return count;
}

}  // namespace mercer::paper
