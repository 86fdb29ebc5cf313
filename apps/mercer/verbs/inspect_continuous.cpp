#include <fmt/format.h>

#include "explorer/report.hpp"
#include "verbs/embed_continuous.hpp"
#include "verbs/inspect.hpp"

using json = nlohmann::ordered_json;

void inspect_continuous(const std::string& path, const mercer::EmbeddingFile& file, const CommonOptions& common) {
  const mercer::ContinuousEmbedding& embedding = file.embedding.continuous();
  const mercer::ContinuousCode& code = embedding.code();
  const mercer::Contract& contract = embedding.policy().contract();
  std::vector<std::string> names;
  for (const mercer::Axis& axis : contract.observation.axes) names.push_back(axis.name);
  if (code.head == mercer::Head::density) {
    for (const mercer::Axis& axis : contract.action.axes) names.push_back(axis.name);
  }
  if (common.json) {
    json terms = json::array();
    for (std::size_t t = 0; t < embedding.k(); ++t) {
      json coefficients = json::array();
      for (std::size_t o = 0; o < code.outputs; ++o) coefficients.push_back(code.coefficients[o * embedding.k() + t]);
      terms.push_back({{"term", mercer::describe_term(code.terms, t, names)}, {"coefficients", coefficients}});
    }
    json document{{"file", path},
                  {"route", "continuous"},
                  {"basis", embedding.basis()},
                  {"k", embedding.k()},
                  {"format", name(code.format)},
                  {"parameters", embedding.parameters().published},
                  {"parameters_stored", embedding.parameters().stored},
                  {"bytes", file.bytes},
                  {"payload_bytes", embedding.payload().size()},
                  {"payload_bits", bits_json(code.bits)},
                  {"terms", terms},
                  {"formulas", mercer::formulas(embedding)}};
    add_origin(document, file);
    print_json(document);
    return;
  }
  show_origin(path, file);
  fmt::print("  basis {}, k {}, {} numbers as {}\n", embedding.basis(), embedding.k(), code.coefficients.size(),
             name(code.format));
  fmt::print("  bits: {} header, {} coordinates, {} terms, {} scales, {} coefficients\n", code.bits.header,
             code.bits.coordinates, code.bits.terms, code.bits.scales, code.bits.coefficients);
  for (std::size_t d = 0; d < code.coordinates.size(); ++d) {
    const mercer::Coordinate& axis = code.coordinates[d];
    fmt::print("  {} from {:.4g} to {:.4g} becomes -1 to 1{}\n", names[d], axis.range.low, axis.range.high,
               axis.knots.empty() ? "" : fmt::format(" through {} knots", axis.knots.size()));
  }
  for (const std::string& line : mercer::formulas(embedding)) fmt::print("  {}\n", line);
  show_certificate(file);
}
