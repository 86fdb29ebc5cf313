#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "mercer/file.hpp"

/// What `mercer inspect` shows of a continuous embedding.
void inspect_continuous(const std::string& path, const mercer::EmbeddingFile& file, const CommonOptions& common);

/// What it tells of every embedding: where it comes from, what it observes, and the certificate.
void add_origin(nlohmann::ordered_json& document, const mercer::EmbeddingFile& file);
void show_origin(const std::string& path, const mercer::EmbeddingFile& file);
void show_certificate(const mercer::EmbeddingFile& file);
