#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/documents.hpp"
#include "io/npz.hpp"
#include "mercer/error.hpp"
#include "mercer/export.hpp"
#include "policy/files.hpp"

namespace mercer {
namespace {

using ordered = nlohmann::ordered_json;

constexpr std::string_view kind = "mercer test vectors";

ordered rows_of(const std::vector<double>& numbers, std::size_t columns) {
  ordered rows = ordered::array();
  for (std::size_t i = 0; i < numbers.size(); i += columns) {
    rows.push_back(std::vector<double>(numbers.begin() + static_cast<std::ptrdiff_t>(i),
                                       numbers.begin() + static_cast<std::ptrdiff_t>(i + columns)));
  }
  return rows;
}

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& why) {
  throw Error(ErrorCode::bad_format, fmt::format("'{}': {}", path.string(), why),
              "Give the .json that 'mercer inspect FILE --test-vectors N' wrote");
}

std::vector<double> numbers_in(const nlohmann::json& rows, std::size_t columns, const std::filesystem::path& path) {
  std::vector<double> numbers;
  for (const nlohmann::json& row : rows) {
    if (row.size() != columns) refuse(path, fmt::format("a row has {} numbers in place of {}", row.size(), columns));
    for (const nlohmann::json& number : row) {
      numbers.push_back(number.get<double>());
      if (!std::isfinite(numbers.back())) refuse(path, "it holds a number that is not finite");
    }
  }
  return numbers;
}

}  // namespace

std::string test_vectors_json(const TestVectors& vectors) {
  const Contract& contract = vectors.contract;
  const ordered document{{"kind", kind},
                         {"version", 1},
                         {"policy", vectors.policy},
                         {"sha256", vectors.sha256},
                         {"seed", vectors.seed},
                         {"precision", vectors.single_precision ? "single" : "double"},
                         {"contract", to_json(contract)},
                         {"tolerance", vectors.tolerance},
                         {"observations", rows_of(vectors.observations, contract.observation.dimensions())},
                         {"actions", rows_of(vectors.actions, contract.action.dimensions())}};
  return document.dump(1) + "\n";
}

void write_test_vectors_npz(const std::filesystem::path& path, const TestVectors& vectors) {
  const std::size_t n = vectors.contract.observation.dimensions(), m = vectors.contract.action.dimensions();
  write_npz(path, {{"observations", Array::of(std::span(vectors.observations), {vectors.count(), n})},
                   {"actions", Array::of(std::span(vectors.actions), {vectors.count(), m})},
                   {"tolerance", Array::of(std::span(vectors.tolerance), {m})}});
}

TestVectors read_test_vectors(const std::filesystem::path& path) {
  const nlohmann::json document = read_json(path);
  if (!document.is_object() || document.value("kind", nlohmann::json()) != kind)
    refuse(path, "these are no test vectors");
  if (document.value("version", nlohmann::json()) != 1) refuse(path, "their version is not 1");
  TestVectors made;
  try {
    made.policy = document.at("policy").get<std::string>();
    made.sha256 = document.at("sha256").get<std::string>();
    made.seed = count_from(document.at("seed"));
    made.single_precision = document.at("precision").get<std::string>() == "single";
    made.contract = contract_from_json(document.at("contract"), path.string());
    const std::size_t n = made.contract.observation.dimensions(), m = made.contract.action.dimensions();
    made.tolerance = numbers_in(nlohmann::json::array({document.at("tolerance")}), m, path);
    made.observations = numbers_in(document.at("observations"), n, path);
    made.actions = numbers_in(document.at("actions"), m, path);
    if (made.observations.empty() || made.observations.size() / n * m != made.actions.size()) {
      refuse(path, "observations and actions are not of one number");
    }
  } catch (const nlohmann::json::exception& mistake) {
    refuse(path, fmt::format("it cannot be read: {}", mistake.what()));
  }
  return made;
}

}  // namespace mercer
