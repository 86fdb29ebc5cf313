#include "view/verdicts.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "measure/certificate_words.hpp"

namespace mercer {
namespace {

Colour worse(Colour one, Colour other) { return std::max(one, other); }

// NaN is as bad as too much.
Colour by_size(double value, double green, double red) {
  if (value <= green) return Colour::green;
  return value <= red ? Colour::amber : Colour::red;
}

std::string share(double value) { return fmt::format("{:.3g}%", 100 * value); }

std::string capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

const Promise* promise_about(const Certificate& certificate, Quantity about) {
  const auto found = std::ranges::find(certificate.promises, about, &Promise::about);
  return found == certificate.promises.end() || std::isnan(found->upper) ? nullptr : &*found;
}

bool guarantees(Level level) {
  return level == Level::statistical || level == Level::rigorous || level == Level::exact;
}

std::string how_sure(const Certificate& certificate) {
  return fmt::format("{}, {} confidence", words(certificate.level), confidence_down(certificate.confidence));
}

// The largest distance of actions that the certificate allows, as a share; nothing where it bounds none.
std::optional<double> promised_distance(const Certificate& certificate) {
  if (certificate.about == Quantity::action && certificate.upper_percent) return *certificate.upper_percent / 100;
  const Promise* there = promise_about(certificate, Quantity::distance_teacher);
  const Promise* here = promise_about(certificate, Quantity::distance_embedding);
  if (there == nullptr || here == nullptr) return std::nullopt;
  return std::max(there->upper, here->upper);
}

// Whether the loss of return has a limit, and keeps it.
std::optional<bool> keeps_budget(const Certificate& certificate) {
  std::optional<bool> kept;
  const auto judge = [&](Quantity about, std::optional<double> budget, double upper) {
    if (!budget) return;
    const Promise* promise = promise_about(certificate, about);
    const bool own = promise != nullptr ? promise->kept() : upper <= *budget;
    kept = kept.value_or(true) && own;
  };
  judge(Quantity::return_percent, certificate.budget_percent, certificate.upper_percent.value_or(std::nan("")));
  judge(Quantity::episode_return, certificate.budget_return, certificate.upper_return);
  return kept;
}

// Whether actions have a limit on their distance, and keep it.
std::optional<bool> keeps_distance(const Certificate* certificate) {
  std::optional<bool> kept;
  if (certificate == nullptr) return kept;
  for (const Quantity about : {Quantity::distance_teacher, Quantity::distance_embedding}) {
    const Promise* promise = promise_about(*certificate, about);
    if (promise != nullptr && promise->budget) kept = kept.value_or(true) && promise->kept();
  }
  return kept;
}

// Whether a limit on the loss of return is guaranteed, and every limit is kept.
bool keeps_promises(const Certificate* certificate) {
  return certificate != nullptr && guarantees(certificate->level) && certificate->within_budget &&
         keeps_budget(*certificate).value_or(false);
}

Verdict same(const VerdictFacts& facts, const VerdictLimits& limits) {
  Verdict verdict{"same", "Is it the same policy?"};
  const bool discrete = facts.outcomes.discrete();
  const auto sentence = [&](const std::string& amount, const std::string& source) {
    return discrete
               ? fmt::format("Chooses another action than the teacher in {} of the states ({}).", amount, source)
               : fmt::format("Actions differ from the teacher's by {} of their range on average ({}).", amount, source);
  };
  const auto bound = facts.certificate != nullptr ? promised_distance(*facts.certificate) : std::nullopt;
  const double measured = std::fmax(facts.outcomes.teacher.distance, facts.outcomes.embedding.distance);
  if (bound) {
    verdict.colour = by_size(*bound, limits.same_green, limits.same_red);
    verdict.sentence = sentence("at most " + percent_up(100 * *bound), how_sure(*facts.certificate));
    if (!guarantees(facts.certificate->level)) verdict.colour = worse(verdict.colour, Colour::amber);
  } else if (std::isfinite(measured)) {
    verdict.colour = by_size(measured, limits.same_green, limits.same_red);
    verdict.sentence = sentence(share(measured), "measured");
  } else {
    verdict.sentence = "Not known: no teacher was compared.";
    return verdict;
  }
  if (const auto kept = keeps_distance(facts.certificate)) {
    verdict.colour = *kept ? Colour::green : Colour::red;
    if (!guarantees(facts.certificate->level)) verdict.colour = worse(verdict.colour, Colour::amber);
    verdict.sentence += *kept ? " The limit on it is kept." : " The limit on it is not kept.";
  } else if (verdict.colour == Colour::red && keeps_promises(facts.certificate)) {
    // Another policy, and one that does what was asked for: no problem, but something to know.
    verdict.colour = Colour::amber;
    verdict.sentence += " It is another policy that keeps the promises about its return.";
  }
  return verdict;
}

// Limits are judged by bounds of their own: the printed one, which counts all promises, may be above.
std::string budget_words(const Certificate& certificate, bool kept) {
  const bool percent = certificate.budget_percent.has_value();
  const double budget = percent ? *certificate.budget_percent : *certificate.budget_return;
  const double upper = percent ? certificate.upper_percent.value_or(budget) : certificate.upper_return;
  const char* words = !kept ? "exceeds" : upper > budget ? "judged alone, keeps" : "keeps";
  return fmt::format("; {} the limit of {:.6g}{}", words, budget, percent ? "%" : " in return");
}

void certified_loss(const Certificate& certificate, const VerdictLimits& limits, Verdict& verdict) {
  const bool percent = certificate.upper_percent.has_value();
  if (certificate.about != Quantity::episode_return || (!percent && !std::isfinite(certificate.upper_return))) {
    verdict.sentence = "There is no bound on the loss of return.";
    return;
  }
  const std::string loss = percent ? at_most(*certificate.upper_percent, " of the teacher's mean return", percent_up)
                                   : at_most(certificate.upper_return, " in mean return", rounded_up);
  verdict.sentence =
      fmt::format("{}{} ({})", capital(loss), certificate.cut ? ", returns cut to a range" : "", how_sure(certificate));
  if (const auto kept = keeps_budget(certificate)) {
    verdict.colour = *kept ? Colour::green : Colour::red;
    verdict.sentence += budget_words(certificate, *kept);
  } else if (percent) {
    verdict.colour = by_size(*certificate.upper_percent, limits.loss_green, limits.loss_red);
  }
  verdict.sentence += ".";
  if (!guarantees(certificate.level)) verdict.colour = worse(verdict.colour, Colour::amber);
}

// In words, as a gain has no sign.
std::string loss_interval(const Range& loss) {
  if (loss.low >= 0) return fmt::format("loses {:.3g}% to {:.3g}%", loss.low, loss.high);
  if (loss.high <= 0) return fmt::format("gains {:.3g}% to {:.3g}%", std::abs(loss.high), -loss.low);
  return fmt::format("from a gain of {:.3g}% to a loss of {:.3g}%", -loss.low, loss.high);
}

Verdict loss(const VerdictFacts& facts, const VerdictLimits& limits) {
  Verdict verdict{"loss", "What do I lose?"};
  if (facts.certificate != nullptr) {
    certified_loss(*facts.certificate, limits, verdict);
  } else if (facts.loss && std::isfinite(facts.loss->loss_percent)) {
    const PairedLoss& found = *facts.loss;
    verdict.sentence = fmt::format(
        "{} {:.3g}% of the teacher's mean return (95% interval: {}; measured on {} episodes). Nothing is promised.",
        found.loss_percent < 0 ? "Gains" : "Loses", std::abs(found.loss_percent), loss_interval(found.ci95_percent),
        facts.episodes);
    verdict.colour = found.ci95_percent.high <= limits.loss_red ? Colour::amber : Colour::red;
  } else {
    verdict.sentence = "Not known: nothing was played.";
  }
  return verdict;
}

Verdict trust(const VerdictFacts& facts) {
  Verdict verdict{"trust", "Can I trust it?"};
  if (facts.certificate == nullptr) {
    verdict.colour = Colour::red;
    verdict.sentence = facts.why_uncertified + " Nothing is promised.";
    return verdict;
  }
  const Certificate& certificate = *facts.certificate;
  const bool actions = certificate.about == Quantity::action;
  verdict.sentence = fmt::format("{}: {} {} episodes{}", capital(how_sure(certificate)), certificate.episodes,
                                 actions ? "logged" : "paired", actions ? "" : " of " + certificate.env);
  const auto doubt = [&](bool applies, const char* reason) {
    if (applies) verdict.sentence += fmt::format("; {}", reason);
    return applies;
  };
  bool amber = !guarantees(certificate.level);
  amber |= doubt(actions, "no promise about the return");
  amber |= doubt(!facts.verified, "the file is of version 0.1 and has no digests to check");
  amber |= doubt(!certificate.within_budget, "a limit that was asked for is not kept");
  verdict.colour = amber ? Colour::amber : Colour::green;
  verdict.sentence += ".";
  return verdict;
}

// Moves of the action and failures, next to the teacher's.
Colour smoothness(const VerdictFacts& facts, const VerdictLimits& limits, std::vector<std::string>& parts) {
  const auto& [teacher, embedding] = facts.outcomes;
  Colour colour = Colour::green;
  std::vector<std::string> mild;  // at a bound, or with more effort, it may still be smooth
  for (const OutcomeLine& line : outcome_lines(facts.outcomes)) {
    if (line.warning.empty()) continue;
    const bool is_mild = line.code == "saturation" || line.code == "effort";
    (is_mild ? mild : parts).push_back(line.warning);
    colour = worse(colour, is_mild ? Colour::amber : Colour::red);
  }
  if (colour == Colour::amber) parts = mild;
  if (facts.certificate != nullptr) {
    for (const Quantity about : {Quantity::roughness, Quantity::failures}) {
      const Promise* promise = promise_about(*facts.certificate, about);
      if (promise != nullptr && !promise->kept()) {
        parts.push_back(
            fmt::format("The limit on {} is not kept.", about == Quantity::roughness ? "roughness" : "failures"));
        colour = Colour::red;
      }
    }
  }
  if (!embedding.motion) {
    parts.emplace_back("Smoothness is not known: no actions were measured.");
    return worse(colour, Colour::amber);
  }
  if (colour != Colour::red) {
    const std::string own = share(embedding.motion->roughness);
    const bool discrete = facts.outcomes.discrete();
    const std::string other =
        teacher.motion ? fmt::format("; the teacher {} {}", discrete ? "at" : "by", share(teacher.motion->roughness))
                       : "";
    parts.push_back(discrete ? fmt::format("Changes the action at {} of the steps{}.", own, other)
                             : fmt::format("Changes the action by {} of its range per step{}.", own, other));
  }
  if (!teacher.motion) return worse(colour, Colour::amber);
  const double most = limits.rough_factor * teacher.motion->roughness + limits.rough_plus;
  if (embedding.motion->roughness > most) colour = worse(colour, Colour::amber);
  if (embedding.failures.value_or(0) > teacher.failures.value_or(0) + limits.failures_plus) {
    parts.push_back(fmt::format("Fails in {} of the episodes, the teacher in {}.", share(*embedding.failures),
                                share(teacher.failures.value_or(0))));
    colour = worse(colour, Colour::amber);
  }
  return colour;
}

Colour robustness(const VerdictFacts& facts, const VerdictLimits& limits, std::vector<std::string>& parts) {
  if (facts.certificate == nullptr || !facts.certificate->grid) {
    parts.emplace_back("Not tested in perturbed tasks.");
    return Colour::amber;
  }
  const PerturbedGrid& grid = *facts.certificate->grid;
  const PerturbedPoint& worst = grid.worst();
  const double bound = worst.upper_percent.value_or(100 * worst.upper_return / std::abs(worst.teacher_return));
  if (!std::isfinite(bound)) {
    parts.push_back(fmt::format("No bound at the perturbed point {}.", point_words(grid, worst)));
    return Colour::red;
  }
  parts.push_back(fmt::format("{} at the worst of {} perturbed points ({}).",
                              capital(at_most(bound, " of the teacher's mean return", percent_up)), grid.points.size(),
                              point_words(grid, worst)));
  return by_size(bound, limits.worst_green, limits.worst_red);
}

Verdict smooth(const VerdictFacts& facts, const VerdictLimits& limits) {
  Verdict verdict{"smooth", "Is it smooth and robust?"};
  std::vector<std::string> parts;
  verdict.colour = smoothness(facts, limits, parts);
  verdict.colour = worse(verdict.colour, robustness(facts, limits, parts));
  verdict.sentence = fmt::format("{}", fmt::join(parts, " "));
  return verdict;
}

struct Need {
  std::size_t flash, ram;
  double load;  // operations a second; 0: the rate of actions is unknown
};

bool fits(const Need& need, const Chip& chip) {
  return 2 * need.flash <= chip.flash_bytes && 2 * need.ram <= chip.ram_bytes && 2 * need.load <= chip.operations;
}

Verdict cost(const VerdictFacts& facts, const VerdictLimits& limits) {
  Verdict verdict{"cost", "What does it cost on my chip?"};
  if (facts.code == nullptr) {
    verdict.colour = Colour::red;
    verdict.sentence = facts.why_no_code;
    return verdict;
  }
  const std::size_t operations = facts.code->operations.total();
  const double load = facts.dt > 0 ? static_cast<double>(operations) / facts.dt : 0;
  const Need need{facts.code->flash_bytes + facts.code->code_bytes, facts.code->ram_bytes, load};
  const bool small = fits(need, limits.small), large = fits(need, limits.large);
  const Chip& chip = small ? limits.small : limits.large;
  verdict.colour = small ? Colour::green : large ? Colour::amber : Colour::red;
  verdict.sentence = fmt::format(
      "{} half of {}: about {} bytes of flash{}, {} bytes of stack and {} operations an action{}. Estimated, not "
      "measured.",
      small || large ? "Fits" : "Does not fit", chip.words, need.flash,
      facts.code->operations.functions > 0 ? " (without the C library)" : "", need.ram, operations,
      load > 0 ? fmt::format(", {:.2g}% of its time", 100 * load / chip.operations) : "");
  return verdict;
}

}  // namespace

std::vector<Verdict> verdicts(const VerdictFacts& facts, const VerdictLimits& limits) {
  return {same(facts, limits), loss(facts, limits), trust(facts), smooth(facts, limits), cost(facts, limits)};
}

}  // namespace mercer
