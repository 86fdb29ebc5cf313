#pragma once

#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "mercer/error.hpp"

namespace mercer {

/// The settings of a basis after the colon of its text: words ("centred") and key=value pairs, each at most once.
class BasisSettings {
 public:
  BasisSettings(std::string owner, std::string_view text) : owner_(std::move(owner)) {
    while (!text.empty()) {
      const std::size_t end = text.find(',');
      const std::string_view part = text.substr(0, end);
      const std::size_t equals = part.find('=');
      const bool word = equals == std::string_view::npos;
      if (!given_.emplace(part.substr(0, equals), word ? std::string_view() : part.substr(equals + 1)).second) {
        throw Error(ErrorCode::bad_value, fmt::format("{}: '{}' is given twice", owner_, part.substr(0, equals)),
                    "Give each setting once");
      }
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
  }

  bool word(const std::string& name) {
    const std::optional<std::string> value = take(name);
    if (value && !value->empty()) {
      throw Error(ErrorCode::bad_value,
                  fmt::format("{}: '{}' takes no value, and was given '{}'", owner_, name, *value),
                  fmt::format("Write '{}' alone, or leave it out", name));
    }
    return value.has_value();
  }

  std::optional<std::size_t> integer(const std::string& key, std::size_t low, std::size_t high) {
    const std::optional<std::string> text = take(key);
    if (!text) return std::nullopt;
    std::size_t value = 0;
    const auto [end, trouble] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (trouble != std::errc{} || end != text->data() + text->size() || text->empty()) {
      throw Error(ErrorCode::bad_value, fmt::format("{}: {} is '{}', which is not a whole number", owner_, key, *text),
                  fmt::format("Give a whole number from {} to {}", low, high));
    }
    require_in_range(fmt::format("{}: {}", owner_, key), static_cast<double>(value), static_cast<double>(low),
                     static_cast<double>(high), "Change it in the settings of the basis");
    return value;
  }

  // Which of the names, counted from 0; the first if nothing was given.
  std::size_t choice(const std::string& key, const std::vector<std::string>& names) {
    const std::optional<std::string> text = take(key);
    if (!text) return 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == *text) return i;
    }
    throw_unknown(fmt::format("{} of {}", key, owner_), *text, names);
  }

  void check_all_read() const {
    if (given_.empty()) return;
    if (known_.empty()) {
      throw Error(ErrorCode::unknown_name,
                  fmt::format("{} has no settings, and was given '{}'", owner_, given_.begin()->first),
                  "Leave out the ':' and what follows");
    }
    throw_unknown(fmt::format("setting of {}", owner_), given_.begin()->first, known_);
  }

 private:
  std::optional<std::string> take(const std::string& key) {
    known_.push_back(key);
    const auto found = given_.find(key);
    if (found == given_.end()) return std::nullopt;
    std::string value = found->second;
    given_.erase(found);
    return value;
  }

  std::string owner_;
  std::map<std::string, std::string> given_;
  std::vector<std::string> known_;
};

}  // namespace mercer
