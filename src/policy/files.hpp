#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "mercer/policy.hpp"

namespace mercer {

/// The contract as it stands in the manifests of files. An infinite bound is null.
nlohmann::ordered_json to_json(const Contract& contract);

/// Reads it back. Throws `bad_format` naming `owner`, the file, and what is missing or of the wrong type.
Contract contract_from_json(const nlohmann::json& document, const std::string& owner);

/// The settings of a policy in a TOML file.
std::vector<PolicySetting> read_settings(const std::filesystem::path& path);

/// The words of a list that is separated by ';' or ','; at least one, which may be empty.
std::vector<std::string> split_list(std::string_view text);

/// Whether two ends of ranges are the same numbers, either of which may have gone through single precision. Bounds that
/// only one side knows are not compared.
bool same_end(double a, double b);

/// Throws `shape_mismatch` unless the contract of a file that Mercer wrote is that of the task: it knows what it was
/// made for, and the same numbers under other names, or of another range, are not the same. In the task that it was
/// made for other names are those that --names gave it.
void check_contract_of_file(const std::string& file, const Contract& contract, const Task& task);

/// A kind of file that `make_policy` reads.
struct FileKind {
  PolicyKind kind;
  std::string ending;
  PolicyReader read;
};

/// Embeddings, ".mercer". Module `embed` defines it: `make_policy` refers to it by name, so a program that links the
/// static library gets the reader together with `make_policy`. A reader that registered itself before main would be
/// left out there, because nothing refers to its object file.
FileKind embedding_file();

}  // namespace mercer
