#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/output.hpp"
#include "cli/program.hpp"
#include "cli/terminal.hpp"
#include "embed/formula/axes.hpp"
#include "mercer/error.hpp"
#include "pipeline/documents.hpp"
#include "verbs/inspect_agent.hpp"

namespace {

using json = nlohmann::ordered_json;

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

std::vector<double> singular_values(const mercer::LatticeEmbedding& embedding) {
  std::vector<double> values;
  if (embedding.spec().family != mercer::BasisFamily::svd) return values;
  for (const double energy : embedding.energies()) values.push_back(std::sqrt(energy));
  return values;
}

double sum(std::span<const double> values) { return std::accumulate(values.begin(), values.end(), 0.0); }

void show_energy(const mercer::LatticeEmbedding& embedding) {
  const std::vector<double> energies = embedding.energies(), singular = singular_values(embedding);
  if (energies.empty()) return;
  const bool known = embedding.whole_energy() > 0;
  const double whole = known ? embedding.whole_energy() : sum(energies);
  if (!singular.empty()) {
    const auto shown = std::span(singular).first(std::min<std::size_t>(singular.size(), 8));
    fmt::print("  singular values: {:.4g}{}\n", fmt::join(shown, ", "), shown.size() < singular.size() ? ", ..." : "");
  }
  fmt::print("  energy of the largest {}, together, of {}:\n{}", singular.empty() ? "coefficients" : "singular values",
             known ? "the whole table's" : "all that are kept", energy_plot(energies, whole));
}

void add_origin(json& document, const mercer::EmbeddingFile& file) {
  json observations = json::array();
  for (const mercer::Axis& axis : file.embedding.policy().contract().observation.axes)
    observations.push_back(axis.name);
  document["env"] = file.origin.env;
  document["teacher"] = file.origin.teacher;
  document["teacher_sha256"] = file.origin.teacher_sha256;
  document["seed"] = file.origin.seed;
  document["settings"] = file.origin.settings;
  document["observations"] = std::move(observations);
  document["verified"] = file.verified;
  document["signature"] =
      file.signature ? json{{"algorithm", file.signature->algorithm}, {"key_sha256", file.signature->fingerprint}}
                     : json();
  document["certificate"] = file.certificate ? json::parse(mercer::certificate_json(*file.certificate)) : json();
}

void show_origin(const std::string& path, const mercer::EmbeddingFile& file) {
  const mercer::EmbeddingOrigin& origin = file.origin;
  fmt::print("{}: {} bytes, {} of them payload\n", path, file.bytes, file.embedding.payload().size());
  fmt::print("  {} embedding of {} in {}, seed {}\n", mercer::name(file.embedding.route()), origin.teacher, origin.env,
             origin.seed);
  if (!origin.settings.empty()) {
    std::vector<std::string> flags;
    for (const auto& [option, value] : origin.settings) flags.push_back(fmt::format("--{} {}", option, value));
    fmt::print("  made with {}\n", fmt::join(flags, " "));
  }
  if (!origin.teacher_sha256.empty()) fmt::print("  SHA-256 of the teacher's file: {}\n", origin.teacher_sha256);
  fmt::print("  {}: {}\n", file.verified ? "verified" : "not verified", mercer::verification_text(file));
  if (file.signature) {
    fmt::print("  signed with {}, key of SHA-256 {}\n", file.signature->algorithm, file.signature->fingerprint);
  }
}

void show_certificate(const mercer::EmbeddingFile& file) {
  if (file.certificate) {
    fmt::print("\n{}", mercer::certificate_page(*file.certificate));
  } else {
    fmt::print("  no certificate: 'mercer certify' makes one\n");
  }
}

void inspect_continuous(const std::string& path, const mercer::EmbeddingFile& file, mercer::Notation notation,
                        const CommonOptions& common) {
  const mercer::ContinuousEmbedding& embedding = file.embedding.continuous();
  const mercer::ContinuousCode& code = embedding.code();
  const std::vector<std::string> formulas = mercer::formulas(embedding, notation);
  if (common.json) {
    const std::vector<std::string> texts = mercer::describe_terms(embedding);
    json terms = json::array();
    for (std::size_t t = 0; t < embedding.k(); ++t) {
      json coefficients = json::array();
      for (std::size_t o = 0; o < code.outputs; ++o) coefficients.push_back(code.coefficients[o * embedding.k() + t]);
      terms.push_back({{"term", texts[t]}, {"coefficients", coefficients}});
    }
    json document{{"file", path},
                  {"route", "continuous"},
                  {"basis", embedding.basis()},
                  {"k", embedding.k()},
                  {"format", mercer::name(code.format)},
                  {"parameters", embedding.parameters().published},
                  {"parameters_stored", embedding.parameters().stored},
                  {"bytes", file.bytes},
                  {"payload_bytes", embedding.payload().size()},
                  {"payload_bits", mercer::document(code.bits)},
                  {"terms", terms},
                  {"formulas", formulas}};
    add_origin(document, file);
    print_json(document);
    return;
  }
  show_origin(path, file);
  fmt::print("  basis {}, k {}, {} numbers as {}\n", embedding.basis(), embedding.k(), code.coefficients.size(),
             mercer::name(code.format));
  fmt::print("  bits: {} header, {} coordinates, {} terms, {} scales, {} coefficients\n", code.bits.header,
             code.bits.coordinates, code.bits.terms, code.bits.scales, code.bits.coefficients);
  for (const std::string& line : formulas) fmt::print("  {}\n", line);
  fmt::print("  observations outside the ranges of the task count as their ends\n");
  show_certificate(file);
}

void inspect(const std::string& path, const std::string& public_key, mercer::Notation notation,
             const CommonOptions& common) {
  if (!path.ends_with(".mercer")) {
    throw mercer::Error(mercer::ErrorCode::bad_value,
                        fmt::format("'{}' does not end in .mercer or .zip: it is no embedding and no agent", path),
                        "Give a file of 'mercer embed' or 'mercer compress', or an agent (.zip)");
  }
  const mercer::EmbeddingFile file = mercer::read_embedding(path);
  if (!public_key.empty()) mercer::require_signature(file, path, public_key);
  if (!file.embedding.is_lattice()) return inspect_continuous(path, file, notation, common);
  const mercer::LatticeEmbedding& embedding = file.embedding.lattice();
  const mercer::LatticePolicy& policy = embedding.policy();
  const mercer::Contract& contract = policy.contract();
  const bool all_cells = static_cast<double>(policy.cells().size()) == policy.cells().grid().cells();
  if (common.json) {
    const std::vector<double> energies = embedding.energies();
    json document{{"file", path},
                  {"route", "lattice"},
                  {"basis", embedding.basis()},
                  {"k", embedding.k()},
                  {"parameters", embedding.parameters().published},
                  {"parameters_stored", embedding.parameters().stored},
                  {"bytes", file.bytes},
                  {"payload_bytes", embedding.payload().size()},
                  {"visited_cells", policy.cells().size()},
                  {"action_cells", policy.columns()},
                  {"own_action_edges", policy.own_edges().grids.size()},
                  {"energy_share", embedding.whole_energy() > 0 && !energies.empty()
                                       ? json(sum(energies) / embedding.whole_energy())
                                       : json(nullptr)},
                  {"singular_values", singular_values(embedding)},
                  {"edge_rank_error", file.edges ? json(file.edges->rank_error) : json()}};
    add_origin(document, file);
    print_json(document);
    return;
  }
  show_origin(path, file);
  fmt::print("  basis {}, k {}; parameters {} as published, {} stored\n", embedding.basis(), embedding.k(),
             embedding.parameters().published, embedding.parameters().stored);
  fmt::print("  {} {}, {} action cells\n", policy.cells().size(),
             all_cells ? "cells, the whole lattice" : "visited cells", policy.columns());
  if (!policy.own_edges().empty())
    fmt::print("  {} cells with their own action edges\n", policy.own_edges().grids.size());
  for (std::size_t d = 0; d < contract.observation.axes.size(); ++d) {
    const mercer::Edges& edges = policy.cells().grid().axes[d];
    fmt::print("  observation {}: {} bins from {:.4g} to {:.4g}\n", contract.observation.axes[d].name, edges.bins(),
               edges.values.front(), edges.values.back());
  }
  for (std::size_t d = 0; d < contract.action.axes.size(); ++d) {
    fmt::print("  action {}: {} bins\n", contract.action.axes[d].name, policy.actions().axes[d].bins());
  }
  if (file.edges && file.edges->rank_error > 0) {
    fmt::print(
        "  edges from sketches of {} steps: ranks within {:.3g}% with confidence 99%, within {:.3g}% for certain\n",
        file.edges->steps, 100 * file.edges->rank_error, 100 * file.edges->certain_error);
  }
  show_energy(embedding);
  show_certificate(file);
}

}  // namespace

void add_inspect(Program& program) {
  struct State {
    std::string path, public_key;
    std::string normaliser, obs_order;  // of agents
    mercer::Notation notation = mercer::Notation::text;
    std::set<std::string> given;
  };
  const auto state = std::make_shared<State>();
  std::vector<mercer::OptionList> own;
  mercer::OptionList& list = own.emplace_back(state->given);
  list.in(mercer::OptionGroup::output)
      .add({.name = "file", .value = "FILE", .help = "The embedding, or an agent (.zip)", .used_first = true},
           state->path);
  list.add({.name = "verify",
            .value = "KEY.pub",
            .help = "Refuse a file that is not signed with this key (its public half, PEM)",
            .used_first = true},
           state->public_key);
  list.add_name({.name = "notation", .value = "HOW", .help = "How formulas are written"}, state->notation);
  list.in(mercer::OptionGroup::network)
      .add({.name = "normaliser",
            .value = "FILE",
            .help = "Statistics of an agent's observations, see 'mercer evaluate'"},
           state->normaliser);
  list.add({.name = "obs-order", .value = "KEY,KEY..", .help = "Order of an agent's dictionary of observations"},
           state->obs_order);
  Verb& verb = program.add_verb("inspect", "Show what an embedding or an agent holds", std::move(own));
  verb.settings->add_positional("FILE", "file");
  verb.run = [state, &program] {
    if (state->path.empty()) {
      throw mercer::Error(mercer::ErrorCode::missing_option, "no embedding was named",
                          "Write 'mercer inspect FILE.mercer'");
    }
    if (state->path.ends_with(".zip")) {
      mercer::AgentOptions options{state->normaliser};
      if (!state->obs_order.empty()) mercer::set_agent_option(options, {"obs-order", state->obs_order, "--obs-order"});
      return inspect_agent(state->path, options, program.common());
    }
    inspect(state->path, state->public_key, state->notation, program.common());
  };
}
