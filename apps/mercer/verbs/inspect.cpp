#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/output.hpp"
#include "cli/program.hpp"
#include "cli/terminal.hpp"
#include "embed/formula/axes.hpp"
#include "pipeline/documents.hpp"
#include "verbs/inspect_policy.hpp"

namespace {

// Bars for the largest 1, 2, 4, ... of the kept numbers: the share of the whole table's energy that they hold together.
std::string energy_plot(std::span<const double> energies, double whole) {
  std::string plot;
  double kept = 0;
  std::size_t next = 1;
  for (std::size_t i = 0; i < energies.size(); ++i) {
    kept += energies[i];
    if (i + 1 != next && i + 1 != energies.size()) continue;
    const double share = whole > 0 ? std::min(1.0, kept / whole) : 1;
    plot += fmt::format("{:>8} | {:<40} {:.4f}%\n", i + 1, std::string(static_cast<std::size_t>(40 * share), '#'),
                        100 * share);
    next *= 2;
  }
  return plot;
}

double sum(std::span<const double> values) { return std::accumulate(values.begin(), values.end(), 0.0); }

void show_energy(const mercer::LatticeEmbedding& embedding) {
  const std::vector<double> energies = embedding.energies(), singular = mercer::singular_values(embedding);
  if (energies.empty()) return;
  const bool known = embedding.whole_energy() > 0;
  const double whole = known ? embedding.whole_energy() : sum(energies);
  if (!singular.empty()) {
    const auto shown = std::span(singular).first(std::min<std::size_t>(singular.size(), 8));
    print_line("  singular values: {:.4g}{}", fmt::join(shown, ", "), shown.size() < singular.size() ? ", ..." : "");
  }
  fmt::print("  energy of the largest {}, together, of {}:\n{}", singular.empty() ? "coefficients" : "singular values",
             known ? "the whole table's" : "all that are kept", energy_plot(energies, whole));
}

void show_origin(const std::string& path, const mercer::EmbeddingFile& file) {
  const mercer::EmbeddingOrigin& origin = file.origin;
  print_line("{}: {} bytes, {} of them payload", path, file.bytes, file.embedding.payload().size());
  print_line("  {} embedding of {} in {}, seed {}", mercer::name(file.embedding.route()), origin.teacher, origin.env,
             origin.seed);
  if (!origin.settings.empty()) {
    std::vector<std::string> flags;
    for (const auto& [option, value] : origin.settings) flags.push_back(fmt::format("--{} {}", option, value));
    print_line("  made with {}", fmt::join(flags, " "));
  }
  if (!origin.teacher_sha256.empty()) print_line("  SHA-256 of the teacher's file: {}", origin.teacher_sha256);
  print_line("  {}: {}", file.verified ? "verified" : "not verified", mercer::verification_text(file));
  if (file.signature) {
    print_line("  signed with {}, key of SHA-256 {}", file.signature->algorithm, file.signature->fingerprint);
  }
}

void show_certificate(const mercer::EmbeddingFile& file) {
  if (file.certificate) {
    fmt::print("\n{}", mercer::certificate_page(*file.certificate));
  } else {
    print_line("  no certificate: 'mercer certify' makes one");
  }
}

void show_continuous(const mercer::EmbeddingFile& file, mercer::Notation notation) {
  const mercer::ContinuousEmbedding& embedding = file.embedding.continuous();
  const mercer::ContinuousCode& code = embedding.code();
  print_line("  basis {}, k {}, {} numbers as {}", embedding.basis(), embedding.k(), code.coefficients.size(),
             mercer::name(code.format));
  print_line("  bits: {} header, {} coordinates, {} terms, {} scales, {} coefficients", code.bits.header,
             code.bits.coordinates, code.bits.terms, code.bits.scales, code.bits.coefficients);
  for (const std::string& line : mercer::formulas(embedding, notation)) print_line("  {}", line);
  print_line("  observations outside the ranges of the task count as their ends");
}

void show_lattice(const mercer::EmbeddingFile& file) {
  const mercer::LatticeEmbedding& embedding = file.embedding.lattice();
  const mercer::LatticePolicy& policy = embedding.policy();
  const mercer::Contract& contract = policy.contract();
  const bool all_cells = static_cast<double>(policy.cells().size()) == policy.cells().grid().cells();
  print_line("  basis {}, k {}; parameters {} as published, {} stored", embedding.basis(), embedding.k(),
             embedding.parameters().published, embedding.parameters().stored);
  print_line("  {} {}, {} action cells", policy.cells().size(),
             all_cells ? "cells, the whole lattice" : "visited cells", policy.columns());
  if (!policy.own_edges().empty())
    print_line("  {} cells with their own action edges", policy.own_edges().grids.size());
  for (std::size_t d = 0; d < contract.observation.axes.size(); ++d) {
    const mercer::Edges& edges = policy.cells().grid().axes[d];
    print_line("  observation {}: {} bins from {:.4g} to {:.4g}", contract.observation.axes[d].name, edges.bins(),
               edges.values.front(), edges.values.back());
  }
  for (std::size_t d = 0; d < contract.action.axes.size(); ++d) {
    print_line("  action {}: {} bins", contract.action.axes[d].name, policy.actions().axes[d].bins());
  }
  if (file.edges && file.edges->rank_error > 0) {
    fmt::print(
        "  edges from sketches of {} steps: ranks within {:.3g}% with confidence 99%, within {:.3g}% for certain\n",
        file.edges->steps, 100 * file.edges->rank_error, 100 * file.edges->certain_error);
  }
  show_energy(embedding);
}

void show_embedding(const mercer::InspectResult& result) {
  const mercer::EmbeddingFile& file = *result.embedding;
  show_origin(result.file, file);
  print_line("  SHA-256 {}", result.sha256);
  show_contract(file.embedding.policy().contract());
  if (file.embedding.is_lattice()) {
    show_lattice(file);
  } else {
    show_continuous(file, result.notation);
  }
  show_warnings(result);
  show_certificate(file);
}

void run(const mercer::InspectRequest& request, const CommonOptions& common) {
  const mercer::InspectResult result = mercer::inspect(request);
  if (common.json) return print_json(mercer::document(result));
  if (result.embedding) {
    show_embedding(result);
  } else {
    show_policy(result);
  }
  for (const std::string& file : result.written) print_line("{}", file);
}

}  // namespace

void add_inspect(Program& program) {
  Verb& verb = add_request_verb<mercer::InspectRequest>(
      program, "inspect", "Show what the file of a policy or an embedding holds, and write test vectors", run);
  verb.settings->add_positional("FILE", "file");
}
