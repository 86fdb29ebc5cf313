#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "mercer/certificate.hpp"
#include "mercer/statistics.hpp"

/// {"mean", "std", "ci95"} as scripts rely on; what is unknown is null.
nlohmann::ordered_json to_json(const mercer::ReturnSummary& summary);
nlohmann::ordered_json to_json(const mercer::PairedLoss& loss);

/// "mean -1221.3, std 293.4, 95% interval [-1239.5, -1203.1]"
std::string to_text(const mercer::ReturnSummary& summary);

/// Ends the program with the exit code of a budget that is not met, saying what is promised instead.
[[noreturn]] void throw_not_met(const mercer::Certificate& certificate);

/// Prints one JSON document on standard output, or hands it to the innermost `JsonCatch` of this thread.
void print_json(const nlohmann::ordered_json& document);

/// While it lives, documents that this thread would print come here; the last one stays.
class JsonCatch {
 public:
  JsonCatch();
  ~JsonCatch();
  JsonCatch(const JsonCatch&) = delete;
  JsonCatch& operator=(const JsonCatch&) = delete;
  nlohmann::ordered_json document;

 private:
  JsonCatch* outer_;
};
