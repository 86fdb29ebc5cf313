#pragma once

#include <nlohmann/json.hpp>

#include "mercer/embed.hpp"
#include "mercer/file.hpp"
#include "verbs/playing.hpp"

/// `mercer embed --route continuous`: its settings, and what it does.
struct ContinuousSettings {
  /// What both routes take.
  struct Shared {
    std::string basis;
    std::uint64_t k = 0;
    std::uint64_t rollouts = 200;
    std::string out;
  };

  mercer::ContinuousOptions options;
  mercer::NumberFormat format = mercer::NumberFormat::int8;
  mercer::IndexRule index_set = mercer::IndexRule::total;
  std::uint64_t degree = 5, states = 5000, rounds = 5, knots = 0, candidates = 400, bits = 4, ridge_steps = 30;
  std::optional<std::vector<std::uint64_t>> limits;

  void add_settings(Settings& settings);
  void run(const Playing& playing, const Shared& shared, const CommonOptions& common, const Settings& settings) const;
};

/// What the parts of a payload take.
nlohmann::ordered_json bits_json(const mercer::ContinuousCode::Bits& bits);
