#include "pipeline/documents.hpp"

#include "measure/behaviour_json.hpp"

namespace mercer {
namespace {

using json = nlohmann::ordered_json;

template <class T>
json or_null(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

json certificate_document(const Certificate& certificate) { return json::parse(certificate_json(certificate)); }

void add_choice(json& out, const EmbedResult& result) {
  if (!result.choice) return;
  out["choose_k"] = name(result.choice->rule);
  out["choosing_episodes"] = result.choice->episodes;
  out["curve"] = json::array();
  for (const KPoint& point : result.choice->curve) {
    out["curve"].push_back({{"k", point.k},
                            {"loss_percent", point.loss_percent},
                            {"upper_percent", or_null(point.upper_percent)},
                            {"upper_return", point.upper_return},
                            {"met", point.within_budget}});
    if (!point.bound.empty()) out["curve"].back()["bound"] = point.bound;
  }
  out["certificate"] = certificate_document(result.choice->certificate);
  out["met"] = result.choice->within_budget;
}

json continuous_document(const EmbedResult& result) {
  const EmbeddingFile& file = *result.file;
  return {{"route", "continuous"},
          {"basis", file.embedding.basis()},
          {"k", file.embedding.k()},
          {"parameters", file.embedding.parameters().published},
          {"parameters_stored", file.embedding.parameters().stored},
          {"bytes", file.bytes},
          {"payload_bytes", file.embedding.payload().size()},
          {"payload_bits", document(file.embedding.continuous().code().bits)},
          {"objective", or_null(result.objective)},
          {"w1", or_null(result.w1)},
          {"tv", or_null(result.tv)},
          {"returns", {{"teacher", document(result.teacher)}, {"embedding", document(result.embedding)}}},
          {"paired", result.loss ? document(*result.loss) : json(nullptr)},
          {"file", result.out}};
}

json lattice_document(const EmbedResult& result) {
  const EmbeddingFile& file = *result.file;
  const LatticeEmbedding& embedding = file.embedding.lattice();
  json out{{"route", "lattice"},
           {"basis", embedding.basis()},
           {"k", embedding.k()},
           {"parameters", embedding.parameters().published},
           {"parameters_stored", embedding.parameters().stored},
           {"bytes", file.bytes},
           {"payload_bytes", embedding.payload().size()},
           {"visited_cells", result.cells},
           {"pruned_percent", result.pruned_percent()},
           {"collapsed_bins", result.collapsed_bins}};
  if (file.edges) {
    out["steps"] = file.edges->steps;
    out["edge_rank_error"] = file.edges->rank_error;
    out["edge_rank_error_certain"] = file.edges->certain_error;
    out["table_bytes"] = or_null(result.table_bytes);
  } else {
    out["own_action_edges"] = result.own_action_edges;
  }
  out["w1"] = or_null(result.w1);
  out["w1_kind"] = result.w1_kind ? json(name(*result.w1_kind)) : json(nullptr);
  out["tv"] = or_null(result.tv);
  out["returns"] = {{"teacher", document(result.teacher)},
                    {"lattice", result.lattice ? document(*result.lattice) : json(nullptr)},
                    {"embedding", document(result.embedding)}};
  out["file"] = result.out;
  add_choice(out, result);
  return out;
}

}  // namespace

json document(const ReturnSummary& summary) {
  return {{"mean", summary.mean}, {"std", summary.std}, {"ci95", {summary.ci95.low, summary.ci95.high}}};
}

json document(const PairedLoss& loss) {
  return {{"loss_mean", loss.loss_mean},
          {"loss_percent", loss.loss_percent},
          {"ci95_percent", {loss.ci95_percent.low, loss.ci95_percent.high}}};
}

json document(const Behaviour& behaviour, bool compared) {
  json out = to_json(behaviour.motion);
  out["failures"] = behaviour.failures;
  out["distance"] = compared ? json(behaviour.distance) : json(nullptr);
  return out;
}

json document(const Candidate& one, bool played) {
  json out{{"payload_bytes", one.payload_bytes()},
           {"loss_percent", one.loss_percent},
           {"action_distance", one.action_distance},
           {"route", name(one.embedding.route())},
           {"basis", one.embedding.basis()},
           {"k", one.embedding.k()},
           {"format", name(one.format)}};
  // Actions are compared with the teacher's only where that has a limit.
  const json behaviour = document(one.behaviour, one.behaviour.distance > 0);
  for (const auto& [key, value] : behaviour.items()) out[key] = played ? value : json(nullptr);
  out["admissible"] = one.admissible;
  return out;
}

bool played(const Compressed& found) {
  return found.certificate && found.certificate->about == Quantity::episode_return;
}

json document(const ContinuousCode::Bits& bits) {
  return {{"header", bits.header},
          {"coordinates", bits.coordinates},
          {"terms", bits.terms},
          {"scales", bits.scales},
          {"coefficients", bits.coefficients}};
}

json document(const RolloutResult& result) {
  return {{"env", result.env},
          {"policy", result.policy},
          {"seed", result.rollouts.seed},
          {"episodes", result.rollouts.episodes()},
          {"steps", result.rollouts.steps()},
          {"return", document(summarise(result.rollouts.returns))},
          {"discounted_return", document(summarise(result.rollouts.discounted_returns))},
          {"file", result.out}};
}

json document(const EvaluateResult& result) {
  json out{{"env", result.env}, {"policy", result.policy}};
  if (result.file.empty()) {
    out["seed"] = result.seed;
  } else {
    out["file"] = result.file;
  }
  out["episodes"] = result.played.episodes();
  out["steps"] = result.played.steps();
  out["return"] = document(result.returns);
  out["std_ci95"] = result.std_interval ? json{result.std_interval->low, result.std_interval->high} : json(nullptr);
  out["discounted_return"] = document(result.discounted);
  if (result.behaviour) out["behaviour"] = document(*result.behaviour, result.against.has_value());
  if (result.against) {
    out["against"] = {{"policy", result.against->policy}, {"return", document(result.against->returns)}};
    if (result.against->behaviour) out["against"]["behaviour"] = document(*result.against->behaviour, true);
    out["paired"] = document(result.against->loss);
  }
  return out;
}

json document(const EmbedResult& result) {
  return result.file->embedding.is_lattice() ? lattice_document(result) : continuous_document(result);
}

json document(const CompressResult& result) {
  const Compressed& found = result.found;
  const std::optional<Certificate>& certificate = found.certificate;
  const Candidate& winner = found.winner();
  const bool in_task = played(found);
  json front = json::array();
  for (const std::size_t i : found.front) front.push_back(document(found.tried[i], in_task));
  const bool compared = winner.behaviour.distance > 0;
  return {{"route", name(winner.embedding.route())},
          {"basis", winner.embedding.basis()},
          {"k", winner.embedding.k()},
          {"format", name(winner.format)},
          {"bytes", result.bytes},
          {"payload_bytes", winner.payload_bytes()},
          {"loss_percent", certificate ? certificate->loss_percent : winner.loss_percent},
          {"action_distance", winner.action_distance},
          {"behaviour", in_task ? json{{"teacher", document(found.teacher, false)},
                                       {"embedding", document(winner.behaviour, compared)}}
                                : json(nullptr)},
          {"upper_percent", certificate ? or_null(certificate->upper_percent) : json(nullptr)},
          {"upper_return", certificate ? json(certificate->upper_return) : json(nullptr)},
          {"confidence", certificate ? json(certificate->confidence) : json(nullptr)},
          {"level", certificate ? json(name(certificate->level)) : json(nullptr)},
          {"met", certificate && certificate->within_budget},
          {"seconds", found.seconds},
          {"tried", found.tried.size()},
          {"front", front},
          {"certificate", certificate ? certificate_document(*certificate) : json(nullptr)},
          {"file", result.out}};
}

json document(const CertifyResult& result) { return certificate_document(result.certificate); }

json document(const ExportResult& result) {
  json out{{"files", result.files}, {"flash_bytes", nullptr}, {"operations", nullptr}};
  if (result.st) {
    out["flash_bytes"] = result.st->table_bytes;
    out["operations"] = result.st->operations.total();
    out["variable_bytes"] = result.st->variable_bytes;
    out["error_measured"] = result.st->error;
    out["error_stated"] = result.st->stated_error;
  }
  if (result.code) {
    out["flash_bytes"] = result.code->table_bytes;
    out["error_measured"] = result.code->error;
    out["error_stated"] = result.code->stated_error;
  }
  if (!result.c) return out;
  const CExport& made = *result.c;
  const COperations& cost = made.operations;
  out["flash_bytes"] = made.flash_bytes;
  out["operations"] = cost.total();
  out["operations_by_kind"] = {
      {"multiplications", cost.multiplications}, {"additions", cost.additions}, {"divisions", cost.divisions},
      {"comparisons", cost.comparisons},         {"lookups", cost.lookups},     {"library_calls", cost.functions}};
  out["code_bytes_estimate"] = made.code_bytes;
  out["ram_bytes_estimate"] = made.ram_bytes;
  out["error_measured"] = made.error;
  out["error_stated"] = made.stated_error;
  if (result.chip) {
    const ChipCost& chip = *result.chip;
    const auto number = [](const std::optional<std::size_t>& value) { return value ? json(*value) : json(nullptr); };
    out["chip"] = {{"core", name(chip.core)},
                   {"compiler", chip.compiler},
                   {"emulator", chip.emulator},
                   {"flash_bytes", number(chip.flash_bytes)},
                   {"ram_bytes", number(chip.ram_bytes)},
                   {"stack_bytes", number(chip.stack_bytes)},
                   {"instructions", number(chip.instructions)},
                   {"cycles", number(chip.cycles)},
                   {"missing", chip.missing}};
  }
  for (const ExportResult::Cost& mode : result.modes) {
    out["modes"][mode.mode] = mode.refused.empty()
                                  ? json{{"flash_bytes", mode.flash_bytes}, {"operations", mode.operations}}
                                  : json{{"refused", mode.refused}};
  }
  return out;
}

json document(const TrainOutcome& outcome) {
  json kept = json::array();
  for (std::size_t i = 0; i < outcome.returns.size(); ++i) {
    const Snapshot& snapshot = outcome.result.snapshots[i];
    kept.push_back(
        {{"step", snapshot.step}, {"file", snapshot.file.string()}, {"return", document(outcome.returns[i])}});
  }
  return {{"env", outcome.plan.options.env},         {"algo", name(algorithm_of(outcome.plan.recipe.options))},
          {"seed", outcome.plan.options.seed},       {"recipe", outcome.plan.recipe.name},
          {"steps", outcome.result.steps},           {"resumed_from", outcome.result.resumed_from},
          {"seconds", outcome.result.seconds},       {"snapshots", kept},
          {"policy", outcome.result.policy.string()}};
}

}  // namespace mercer
