#include <algorithm>

#include <fmt/format.h>

#include "embed_continuous.hpp"
#include "mercer/core/error.hpp"
#include "mercer/embed/file.hpp"
#include "program.hpp"
#include "report.hpp"
#include "terminal.hpp"

namespace {

using json = nlohmann::ordered_json;

// Energy of the kept numbers, largest first: bars for ranks 1, 2, 4, ... of what is left after them.
std::string energy_plot(std::span<const float> numbers) {
  std::vector<double> energy;
  for (const float number : numbers) energy.push_back(static_cast<double>(number) * number);
  std::ranges::sort(energy, std::greater<>());
  double total = 0;
  for (const double value : energy) total += value;
  std::string plot;
  double kept = 0;
  std::size_t next = 1;
  for (std::size_t i = 0; i < energy.size(); ++i) {
    kept += energy[i];
    if (i + 1 != next && i + 1 != energy.size()) continue;
    const double share = total > 0 ? kept / total : 1;
    plot += fmt::format("{:>8} | {:<40} {:.4f}%\n", i + 1, std::string(static_cast<std::size_t>(40 * share), '#'),
                        100 * share);
    next *= 2;
  }
  return plot;
}

void inspect(const std::string& path, const CommonOptions& common) {
  const mercer::EmbeddingFile file = mercer::read_embedding(path);
  if (!file.embedding.is_lattice()) return inspect_continuous(path, file, common);
  const mercer::LatticeEmbedding& embedding = file.embedding.lattice();
  const mercer::LatticePolicy& policy = embedding.policy();
  const mercer::Contract& contract = policy.contract();
  if (common.json) {
    json axes = json::array();
    for (const mercer::Axis& axis : contract.observation.axes) axes.push_back(axis.name);
    print_json({{"file", path},
                {"route", "lattice"},
                {"basis", embedding.basis()},
                {"k", embedding.k()},
                {"parameters", embedding.parameters().published},
                {"parameters_stored", embedding.parameters().stored},
                {"bytes", file.bytes},
                {"payload_bytes", embedding.payload().size()},
                {"visited_cells", policy.cells().size()},
                {"action_cells", embedding.table().cols},
                {"env", file.origin.env},
                {"teacher", file.origin.teacher},
                {"seed", file.origin.seed},
                {"settings", file.origin.settings},
                {"observations", axes},
                {"certificate", file.certificate ? json::parse(mercer::certificate_json(*file.certificate)) : json()}});
    return;
  }
  fmt::print("{}: {} bytes, {} of them payload\n", path, file.bytes, embedding.payload().size());
  fmt::print("  lattice embedding of {} in {}, seed {}\n", file.origin.teacher, file.origin.env, file.origin.seed);
  fmt::print("  basis {}, k {}; parameters {} as published, {} stored\n", embedding.basis(), embedding.k(),
             embedding.parameters().published, embedding.parameters().stored);
  fmt::print("  {} visited cells, {} action cells\n", policy.cells().size(), embedding.table().cols);
  for (std::size_t d = 0; d < contract.observation.axes.size(); ++d) {
    const mercer::Edges& edges = policy.cells().grid().axes[d];
    fmt::print("  observation {}: {} bins from {:.4g} to {:.4g}\n", contract.observation.axes[d].name, edges.bins(),
               edges.values.front(), edges.values.back());
  }
  for (std::size_t d = 0; d < contract.action.axes.size(); ++d) {
    fmt::print("  action {}: {} bins\n", contract.action.axes[d].name, policy.actions().axes[d].bins());
  }
  fmt::print("  energy of the largest numbers, together:\n{}", energy_plot(embedding.numbers()));
  if (file.certificate) {
    fmt::print("\n{}", mercer::certificate_page(*file.certificate));
  } else {
    fmt::print("  no certificate: 'mercer certify' makes one\n");
  }
}

}  // namespace

void add_inspect(Program& program) {
  Verb& verb = program.add_verb("inspect", "Show what an embedding holds");
  const auto path = std::make_shared<std::string>();
  verb.settings->add({"file", "The embedding", "FILE"}, *path);
  verb.app->add_option("FILE", *path, "The embedding")->type_name("");
  verb.run = [path, &program] {
    if (path->empty()) {
      throw mercer::Error(mercer::ErrorCode::missing_option, "no embedding was named",
                          "Write 'mercer inspect FILE.mercer'");
    }
    inspect(*path, program.common());
  };
}
