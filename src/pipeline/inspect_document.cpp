#include <cmath>
#include <numeric>

#include "embed/formula/axes.hpp"
#include "pipeline/documents.hpp"
#include "policy/files.hpp"

namespace mercer {
namespace {

using json = nlohmann::ordered_json;

json continuous_parts(const ContinuousEmbedding& embedding, Notation notation) {
  const ContinuousCode& code = embedding.code();
  const std::vector<std::string> texts = describe_terms(embedding);
  json terms = json::array();
  for (std::size_t t = 0; t < embedding.k(); ++t) {
    json coefficients = json::array();
    for (std::size_t o = 0; o < code.outputs; ++o) coefficients.push_back(code.coefficients[o * embedding.k() + t]);
    terms.push_back({{"term", texts[t]}, {"coefficients", coefficients}});
  }
  return {{"format", name(code.format)},
          {"payload_bits", document(code.bits)},
          {"terms", terms},
          {"formulas", formulas(embedding, notation)}};
}

json lattice_parts(const LatticeEmbedding& embedding) {
  const LatticePolicy& policy = embedding.policy();
  const std::vector<double> energies = embedding.energies();
  const bool share = embedding.whole_energy() > 0 && !energies.empty();
  const double sum = std::accumulate(energies.begin(), energies.end(), 0.0);
  return {{"visited_cells", policy.cells().size()},
          {"action_cells", policy.columns()},
          {"own_action_edges", policy.own_edges().grids.size()},
          {"energy_share", share ? json(sum / embedding.whole_energy()) : json(nullptr)},
          {"singular_values", singular_values(embedding)}};
}

void add_embedding(const InspectResult& result, json& document) {
  const EmbeddingFile& file = *result.embedding;
  const Embedding& embedding = file.embedding;
  document["route"] = name(embedding.route());
  document["basis"] = embedding.basis();
  document["k"] = embedding.k();
  document["parameters"] = embedding.parameters().published;
  document["parameters_stored"] = embedding.parameters().stored;
  document["payload_bytes"] = embedding.payload().size();
  document.update(embedding.is_lattice() ? lattice_parts(embedding.lattice())
                                         : continuous_parts(embedding.continuous(), result.notation));
  if (embedding.is_lattice()) document["edge_rank_error"] = file.edges ? json(file.edges->rank_error) : json();
  json observations = json::array();
  for (const Axis& axis : embedding.policy().contract().observation.axes) observations.push_back(axis.name);
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
  document["certificate"] = file.certificate ? json::parse(certificate_json(*file.certificate)) : json();
}

void add_network(const InspectResult& result, json& document) {
  document["algorithm"] = result.algorithm;
  document["made_by"] = json::object();
  for (const auto& [program, version] : result.made_by) document["made_by"][program] = version;
  for (const auto& [key, ports] :
       {std::pair{"inputs", &result.inputs}, {"outputs", &result.outputs}, {"critics", &result.critics}}) {
    document[key] = json::array();
    for (const InspectResult::Port& port : *ports) document[key].push_back({{"name", port.name}, {"size", port.size}});
  }
  document["layers"] = json::array();
  for (const InspectResult::Layer& layer : result.layers) {
    document["layers"].push_back({{"name", layer.name}, {"inputs", layer.inputs}, {"outputs", layer.outputs}});
  }
  document["activation"] = result.activation;
  document["operators"] = result.operators;
  document["normaliser"] = result.normaliser;
  document["missing"] = result.missing;
}

}  // namespace

std::vector<double> singular_values(const LatticeEmbedding& embedding) {
  std::vector<double> values;
  if (embedding.spec().family != BasisFamily::svd) return values;
  for (const double energy : embedding.energies()) values.push_back(std::sqrt(energy));
  return values;
}

json document(const InspectResult& result) {
  json document{{"file", result.file}, {"kind", result.kind}, {"bytes", result.bytes}, {"sha256", result.sha256}};
  if (result.embedding) {
    add_embedding(result, document);
  } else {
    add_network(result, document);
  }
  document["contract"] = result.policy ? to_json(result.policy->contract()) : json();
  document["plays"] = result.plays;
  document["warnings"] = result.warnings;
  document["test_vectors"] = result.written;
  return document;
}

}  // namespace mercer
