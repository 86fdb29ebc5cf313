#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include <pybind11/stl.h>

#include "mercer/error.hpp"
#include "mercer/names.hpp"

/// Keyword arguments that fill an options struct: each is read by name, and what was not read is refused by name.
class Fields {
 public:
  explicit Fields(const pybind11::dict& given) : given_(given) {}

  /// Leaves `place` alone where nothing, or None, was given.
  template <class T>
  void read(const char* name, T& place) {
    known_.push_back(name);
    if (!given_.contains(name) || given_[name].is_none()) return;
    try {
      place = given_[name].template cast<T>();
    } catch (const pybind11::cast_error&) {
      refuse(name);
    }
  }
  template <class T>
  void read(const char* name, std::optional<T>& place) {
    known_.push_back(name);
    if (!given_.contains(name)) return;
    try {
      place = given_[name].template cast<std::optional<T>>();
    } catch (const pybind11::cast_error&) {
      refuse(name);
    }
  }
  /// The code of an enum.
  template <mercer::Named E>
  void read(const char* name, E& place) {
    read_as(name, place, mercer::parse<E>);
  }
  /// Text through a function such as `parse_edge_rule`.
  template <class T, class Parse>
  void read_as(const char* name, T& place, Parse parse) {
    std::optional<std::string> text;
    read(name, text);
    if (text) place = parse(*text);
  }
  /// Throws `unknown_name` for what nobody asked for.
  void finish(const char* owner) const {
    for (const auto& [key, value] : given_) {
      const auto name = key.cast<std::string>();
      if (std::find(known_.begin(), known_.end(), name) == known_.end()) {
        mercer::throw_unknown(std::string("option of ") + owner, name, known_);
      }
    }
  }

 private:
  [[noreturn]] void refuse(const char* name) const {
    throw mercer::Error(mercer::ErrorCode::bad_value,
                        std::string("option ") + name + " is " + pybind11::repr(given_[name]).cast<std::string>(),
                        "Give a value of the right type");
  }

  const pybind11::dict& given_;
  std::vector<std::string> known_;
};

/// A choice by name.
template <class T>
T choose(const std::string& what, const std::string& name, const std::vector<std::pair<std::string, T>>& choices) {
  std::vector<std::string> known;
  for (const auto& [key, value] : choices) {
    if (key == name) return value;
    known.push_back(key);
  }
  mercer::throw_unknown(what, name, known);
}
