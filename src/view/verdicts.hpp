#pragma once

#include <optional>
#include <string>
#include <vector>

#include "measure/behaviour_words.hpp"
#include "mercer/certificate.hpp"
#include "mercer/export.hpp"
#include "mercer/names.hpp"
#include "mercer/statistics.hpp"

namespace mercer {

/// How an answer reads at a glance. Amber also means: not known, or not tested.
enum class Colour { green, amber, red };
template <>
struct Names<Colour> {
  static constexpr std::string_view kind = "colour";
  static constexpr Spelling<Colour> table[] = {
      {Colour::green, "green"}, {Colour::amber, "amber"}, {Colour::red, "red"}};
};

/// The answer to one of the five questions that a reader asks first.
struct Verdict {
  std::string code;  ///< "same", "loss", "trust", "smooth" or "cost"
  std::string question;
  Colour colour = Colour::amber;
  std::string sentence{};  ///< with its number and unit
};

/// What is known about an embedding as it is shown.
struct VerdictFacts {
  const Certificate* certificate = nullptr;  ///< of exactly this embedding, task and teacher; null: none
  bool verified = true;                      ///< the digests of the certificate's file were checked
  std::string why_uncertified{};             ///< a sentence; used without a certificate
  OutcomePair outcomes{};                    ///< the certificate's where it has them, else measured
  std::optional<PairedLoss> loss{};          ///< measured; used without a certificate
  std::size_t episodes = 0;                  ///< that `loss` was measured on
  const CExport* code = nullptr;             ///< null: no C can be written
  std::string why_no_code{};                 ///< a sentence
  double dt = 0;                             ///< seconds between actions; 0: unknown
};

/// A microcontroller to compare costs with. Half of it is left to the rest of the firmware.
struct Chip {
  const char* words;
  std::size_t flash_bytes, ram_bytes;
  double operations;  ///< a second
};

/// Where colours change. docs/guide/serve.md gives the reasons; a test compares its table with these numbers.
struct VerdictLimits {
  double same_green = 0.05, same_red = 0.25;       ///< distance of actions, share of the range
  double loss_green = 1, loss_red = 5;             ///< percent of the teacher's mean return, without a limit
  double worst_green = 5, worst_red = 20;          ///< the same at the worst perturbed point
  double rough_factor = 1.25, rough_plus = 0.005;  ///< as `Keep::behaviour` allows
  double failures_plus = 0.01;                     ///< the same
  Chip small{"a Cortex-M0 with 32 KiB of flash, 4 KiB of RAM and 48 MHz", 32 << 10, 4 << 10, 48e6 / 100};
  Chip large{"a Cortex-M4F with 256 KiB of flash, 64 KiB of RAM and 80 MHz", 256 << 10, 64 << 10, 80e6 / 4};
};

/// The five answers, in the order same, loss, trust, smooth, cost.
///
/// A bound is the certificate's, in the digits of `promise_sentences`; without a certificate no answer is green that
/// would need one.
std::vector<Verdict> verdicts(const VerdictFacts& facts, const VerdictLimits& limits = {});

}  // namespace mercer
