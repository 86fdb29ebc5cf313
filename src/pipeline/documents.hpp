#pragma once

#include <nlohmann/json.hpp>

#include "mercer/pipeline.hpp"

namespace mercer {

/// Results as JSON: what `--json` prints, what a sweep stores and what the page reads. Keys are a promise to scripts;
/// values that name things are codes, never sentences.
nlohmann::ordered_json document(const ReturnSummary& summary);
nlohmann::ordered_json document(const PairedLoss& loss);
/// `distance` is null unless actions were compared with another policy's.
nlohmann::ordered_json document(const Behaviour& behaviour, bool compared);
/// What was measured by playing is null where nothing was `played`.
nlohmann::ordered_json document(const Candidate& candidate, bool played = true);
nlohmann::ordered_json document(const ContinuousCode::Bits& bits);
nlohmann::ordered_json document(const RolloutResult& result);
nlohmann::ordered_json document(const EvaluateResult& result);
nlohmann::ordered_json document(const EmbedResult& result);
nlohmann::ordered_json document(const CompressResult& result);
/// Whether candidates were played in a task, and not on logged states.
bool played(const Compressed& found);
nlohmann::ordered_json document(const CertifyResult& result);
nlohmann::ordered_json document(const ExportResult& result);
nlohmann::ordered_json document(const InspectResult& result);
/// Of an SVD, in order; none of other bases.
std::vector<double> singular_values(const LatticeEmbedding& embedding);
nlohmann::ordered_json document(const TrainOutcome& outcome);

}  // namespace mercer
