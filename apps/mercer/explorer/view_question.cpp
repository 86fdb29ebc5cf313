#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "explorer/view_answers.hpp"
#include "io/documents.hpp"
#include "mercer/error.hpp"

using mercer::Error;
using mercer::ErrorCode;
using nlohmann::json;

namespace {

// Enough of a value to recognise it by.
std::string shown(const json& value) {
  std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}

[[noreturn]] void refuse(const std::string& key, const json& value, const std::string& legal) {
  throw Error(ErrorCode::out_of_range, fmt::format("'{}' is {}; legal: {}", key, shown(value), legal),
              "docs/guide/serve.md lists the parameters");
}

std::size_t to_integer(const std::string& key, const json& value, std::size_t low, std::size_t high) {
  const bool whole = value.is_number_unsigned() || (value.is_number_integer() && value.get<std::int64_t>() >= 0);
  if (!whole || value.get<std::uint64_t>() < low || value.get<std::uint64_t>() > high) {
    refuse(key, value, fmt::format("an integer from {} to {}", low, high));
  }
  return value.get<std::size_t>();
}

}  // namespace

Question Question::parse(const std::string& text) {
  json object;
  bool is_json = true;
  try {
    object = mercer::parse_strict_json<json>(text, "question");
  } catch (const json::exception&) {
    is_json = false;
  }
  if (!object.is_object()) {
    throw Error(ErrorCode::bad_value, is_json ? "the question is not a JSON object" : "the question is not JSON",
                "Send one JSON object; docs/guide/serve.md lists the parameters");
  }
  return Question(std::move(object));
}

std::size_t Question::integer(const std::string& key, std::size_t low, std::size_t high) const {
  const auto found = object_.find(key);
  if (found == object_.end()) {
    throw Error(ErrorCode::missing_option, fmt::format("'{}' is missing", key),
                "docs/guide/serve.md lists the parameters");
  }
  return to_integer(key, *found, low, high);
}

std::size_t Question::integer(const std::string& key, std::size_t low, std::size_t high, std::size_t standard) const {
  return object_.contains(key) ? integer(key, low, high) : standard;
}

std::optional<std::vector<double>> Question::numbers(const std::string& key, std::size_t count) const {
  const auto found = object_.find(key);
  if (found == object_.end() || found->is_null()) return std::nullopt;
  const std::string legal = fmt::format("{} finite numbers", count);
  if (!found->is_array() || found->size() != count) refuse(key, *found, legal);
  std::vector<double> values;
  for (const json& value : *found) {
    if (!value.is_number() || !std::isfinite(value.get<double>())) refuse(key, *found, legal);
    values.push_back(value.get<double>());
  }
  return values;
}

std::vector<std::size_t> Question::integers(const std::string& key, std::size_t most, std::size_t high) const {
  const auto found = object_.find(key);
  if (found == object_.end()) return {};
  if (!found->is_array() || found->size() > most) refuse(key, *found, fmt::format("up to {} integers", most));
  std::vector<std::size_t> values;
  for (const json& value : *found) values.push_back(to_integer(key, value, 0, high));
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::string Question::word(const std::string& key) const {
  const auto found = object_.find(key);
  if (found == object_.end()) return {};
  const std::string legal = "up to 64 letters, digits and '-'";
  if (!found->is_string()) refuse(key, *found, legal);
  const auto& text = found->get_ref<const std::string&>();
  const bool plain = std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) != 0 || c == '-'; });
  if (text.size() > 64 || !plain) refuse(key, *found, legal);
  return text;
}
