#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

/// A JSON object that somebody else wrote. Every member is checked when it is asked for; what is wrong is thrown as a
/// `mercer::Error` with the value and what is legal.
class Question {
 public:
  /// Throws `bad_value` unless the text is one JSON object.
  static Question parse(const std::string& text);
  explicit Question(nlohmann::json object) : object_(std::move(object)) {}

  std::size_t integer(const std::string& key, std::size_t low, std::size_t high) const;
  std::size_t integer(const std::string& key, std::size_t low, std::size_t high, std::size_t standard) const;
  /// Exactly `count` finite numbers; nothing where the key is missing or null.
  std::optional<std::vector<double>> numbers(const std::string& key, std::size_t count) const;
  /// Up to `most` whole numbers from 0 to `high`, sorted, each once; empty where the key is missing.
  std::vector<std::size_t> integers(const std::string& key, std::size_t most, std::size_t high) const;
  /// Letters, digits and '-' only, up to 64; empty where the key is missing.
  std::string word(const std::string& key) const;

 private:
  nlohmann::json object_;
};
