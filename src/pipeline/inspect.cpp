#include <algorithm>

#include <fmt/format.h>

#include "io/file.hpp"
#include "io/sha256.hpp"
#include "mercer/error.hpp"
#include "mercer/pipeline.hpp"
#include "pipeline/policy_report.hpp"
#include "pipeline/suggest.hpp"
#include "pipeline/teacher.hpp"
#include "policy/naming.hpp"

namespace mercer {
namespace {

namespace fs = std::filesystem;

constexpr double network_tolerance = 1e-5;  // runtimes sum in other orders, in single precision

std::string played_words(const EmbeddingFile& file) {
  const Embedding& embedding = file.embedding;
  return fmt::format("{} embedding in {} {} of {}", name(embedding.route()), embedding.k(),
                     embedding.is_lattice() ? "coefficients" : "terms", embedding.basis());
}

InspectResult inspect_embedding(const InspectRequest& request, const std::string& path, const Task* task) {
  if (request.policy.policy != path) {
    throw Error(ErrorCode::bad_value,
                fmt::format("'{}' has settings of playing behind its name", request.policy.policy), "Leave them out");
  }
  auto file = std::make_shared<EmbeddingFile>(read_embedding(path));
  if (!request.public_key.empty()) require_signature(*file, path, request.public_key);
  name_embedding(*file, request.policy.settings, path);
  if (task != nullptr) make_policy(path, *task);  // throws unless it was made for the task
  InspectResult result;
  result.kind = "embedding";
  result.plays = played_words(*file);
  result.policy = std::shared_ptr<const Policy>(file, &file->embedding.policy());
  result.warnings = contract_warnings(file->embedding.policy().contract());
  result.embedding = std::move(file);
  return result;
}

TestVectors vectors_of(const InspectResult& result, const InspectRequest& request) {
  if (!result.policy)
    throw Error(ErrorCode::missing_option, "no test vectors: " + result.missing, "Name the task with --env");
  TestVectors vectors = result.embedding
                            ? make_test_vectors(*result.embedding, request.test_vectors, request.seed)
                            : make_test_vectors(*result.policy, request.test_vectors, request.seed, network_tolerance);
  vectors.single_precision = !result.embedding && result.kind != "table";
  vectors.policy = fs::path(result.file).filename().string();
  vectors.sha256 = result.sha256;
  return vectors;
}

std::vector<std::string> write_vectors(const TestVectors& vectors, fs::path base) {
  if (base.extension() == ".json" || base.extension() == ".npz") base.replace_extension();
  const std::string json = base.string() + ".json", npz = base.string() + ".npz";
  write_atomically(json, [&](std::ostream& stream) { stream << test_vectors_json(vectors); });
  write_test_vectors_npz(npz, vectors);
  return {json, npz};
}

// A name that stands for none: what spaces without names get.
bool is_placeholder(std::string_view name) {
  const std::size_t letters = std::min(name.size(), name.find_last_not_of("0123456789") + 1);
  const std::string_view base = name.substr(0, letters);
  return base == "action" || (letters < name.size() && (base == "obs" || base == "x"));
}

// A label moves no number: names that differ from the embedding's would describe another order of its inputs.
void refuse_other_names(const std::vector<std::string>& given, const Space& own, std::string_view key,
                        const std::string& owner) {
  for (std::size_t d = 0; d < given.size() && given.size() == own.dimensions(); ++d) {
    const std::string& name = own.axes[d].name;
    if (name == given[d] || is_placeholder(name)) continue;
    throw Error(ErrorCode::bad_value, fmt::format("'{}': {} gives '{}' the name '{}'", owner, key, name, given[d]),
                "Leave it out; the embedding has its names, and a name is a label that changes no order");
  }
}

}  // namespace

void name_embedding(EmbeddingFile& file, const std::vector<PolicySetting>& settings, const std::string& owner) {
  Naming naming;
  for (const PolicySetting& setting : settings) {
    if (set_naming_option(naming, setting)) continue;
    throw Error(ErrorCode::bad_value,
                fmt::format("{}: '{}' is for networks, and '{}' is an embedding", setting.source, setting.key, owner),
                "Leave it out");
  }
  if (naming.empty()) return;
  const Embedding& old = file.embedding;
  Contract contract = old.policy().contract();
  refuse_other_names(naming.names, contract.observation, "names", owner);
  refuse_other_names(naming.action_names, contract.action, "action-names", owner);
  apply_naming(naming, contract, owner);
  if (!old.is_lattice()) {
    file.embedding = ContinuousEmbedding::decode(old.payload(), contract, owner);
    return;
  }
  LatticeEmbedding lattice = LatticeEmbedding::decode(old.payload(), contract, owner);
  lattice.set_parameters(old.parameters());
  lattice.set_whole_energy(old.lattice().whole_energy());
  file.embedding = std::move(lattice);
}

InspectResult inspect(const InspectRequest& request) {
  const std::string& spec = request.policy.policy;
  if (spec.empty()) {
    throw Error(ErrorCode::missing_option, "no file was named",
                "Write 'mercer inspect FILE', such as p.mercer or agent.zip");
  }
  const std::string path = named_file(spec);
  if (path.empty() && is_task(spec)) {
    throw Error(
        ErrorCode::bad_value, fmt::format("'{}' is a task, not a policy file", spec),
        fmt::format("'mercer list {0}' shows the task; 'mercer inspect FILE --env {0}' shows a policy for it", spec));
  }
  if (path.empty()) {
    throw Error(ErrorCode::bad_value, fmt::format("'{}' is not a policy file", spec),
                "Give a file that ends in .mercer, .zip, .onnx, .safetensors, .pt, .pth, .cleanrl_model, .msgpack, "
                ".json or .npz");
  }
  std::shared_ptr<const Env> env;
  if (!request.env.empty()) env = make_env(request.env, request.seed);
  const Task* const task = env ? &env->task() : nullptr;
  const bool embedding = path.ends_with(".mercer");
  if (!embedding && !request.public_key.empty()) {
    throw Error(ErrorCode::bad_value, fmt::format("'{}' is not an embedding, and only embeddings are signed", path),
                "Leave --verify out");
  }
  const std::string digest = sha256_file(path);
  InspectResult result =
      embedding ? inspect_embedding(request, path, task) : report_policy(spec, request.policy.settings, task);
  result.file = path;
  result.bytes = fs::file_size(path);
  result.sha256 = digest;
  result.notation = request.notation;
  if (request.test_vectors > 0) {
    const fs::path base = request.out.empty() ? fs::path(path).stem().string() + ".vectors" : request.out;
    result.written = write_vectors(vectors_of(result, request), base);
  }
  return result;
}

}  // namespace mercer
