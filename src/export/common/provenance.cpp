#include "export/common/provenance.hpp"

#include <cmath>

#include <fmt/format.h>

#include "io/sha256.hpp"
#include "measure/behaviour_words.hpp"
#include "measure/certificate_json.hpp"
#include "mercer/version.hpp"

namespace mercer {

std::string certificate_id(const EmbeddingFile& file) {
  return file.certificate ? sha256(to_json(*file.certificate).dump()).substr(0, 16) : "";
}

std::string network_distance_sentence(const EmbeddingFile& file) {
  const PolicyOutcomes seen = file.certificate ? measured_outcomes(*file.certificate).embedding : PolicyOutcomes{};
  if (!std::isfinite(seen.distance)) {
    return "How far the embedding's actions are from the network's was not measured: 'mercer certify' measures it.";
  }
  const bool discrete = file.embedding.policy().contract().action.is_discrete();
  return fmt::format(
      "The embedding's actions differ from the network's {} {:.2g}% of {}, measured on {} episodes.",
      discrete ? "in" : "by", 100 * seen.distance,
      discrete ? "the states that it visits" : "the action's range, on average over the states that it visits",
      file.certificate->episodes);
}

std::vector<std::string> provenance_sentences(const EmbeddingFile& file) {
  return {fmt::format("Made by Mercer {}.", version()),
          file.origin.teacher_sha256.empty() ? "SHA-256 of the network: not known."
                                             : fmt::format("SHA-256 of the network: {}.", file.origin.teacher_sha256),
          file.certificate ? fmt::format("Certificate id: {}.", certificate_id(file)) : "Certificate id: none.",
          "Licence: this code is yours, to use as you like; Mercer claims no rights in it and gives no warranty."};
}

}  // namespace mercer
