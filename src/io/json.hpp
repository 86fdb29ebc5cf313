#pragma once

#include <filesystem>

#include <nlohmann/json.hpp>

namespace mercer {

/// The JSON document in a file. Throws `bad_format` with the place of the first mistake.
nlohmann::json read_json(const std::filesystem::path& path);

}  // namespace mercer
