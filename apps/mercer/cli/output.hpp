#pragma once

#include <span>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/printable.hpp"
#include "mercer/statistics.hpp"

/// "mean -1221.3, std 293.4, 95% interval [-1239.5, -1203.1]"
std::string to_text(const mercer::ReturnSummary& summary);

/// Prints a line on standard output, with names in it that cannot end it or control the terminal.
template <class... Arguments>
void print_line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  fmt::print("{}\n", mercer::printable(fmt::format(format, std::forward<Arguments>(arguments)...)));
}

/// Prints one JSON document on standard output.
void print_json(const nlohmann::ordered_json& document);

/// A terminal plot of how values are spread: one line per bin, lowest first. Block characters if `unicode`.
std::string histogram(std::span<const double> values, std::size_t width, bool unicode);
