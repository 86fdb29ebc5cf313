#include <fmt/format.h>

#include "verbs/inspect.hpp"

using json = nlohmann::ordered_json;

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
  document["certificate"] = file.certificate ? json::parse(mercer::certificate_json(*file.certificate)) : json();
}

void show_origin(const std::string& path, const mercer::EmbeddingFile& file) {
  const mercer::EmbeddingOrigin& origin = file.origin;
  fmt::print("{}: {} bytes, {} of them payload\n", path, file.bytes, file.embedding.payload().size());
  fmt::print("  {} embedding of {} in {}, seed {}\n", name(file.embedding.route()), origin.teacher, origin.env,
             origin.seed);
  if (!origin.teacher_sha256.empty()) fmt::print("  SHA-256 of the teacher's file: {}\n", origin.teacher_sha256);
}

void show_certificate(const mercer::EmbeddingFile& file) {
  if (file.certificate) {
    fmt::print("\n{}", mercer::certificate_page(*file.certificate));
  } else {
    fmt::print("  no certificate: 'mercer certify' makes one\n");
  }
}
