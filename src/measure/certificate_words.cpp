#include "measure/certificate_words.hpp"

#include <cmath>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/fault.hpp"
#include "measure/behaviour_words.hpp"

namespace mercer {

bool is_share(Quantity about) {
  return about == Quantity::outside || about == Quantity::failures || about == Quantity::roughness ||
         about == Quantity::distance_teacher || about == Quantity::distance_embedding;
}

std::string rounded_up(double value) {
  constexpr int digits = 6;
  if (value == 0 || !std::isfinite(value)) return fmt::format("{:g}", value);
  std::string text = fmt::format("{:.{}g}", value, digits);
  if (planted(7) || std::strtod(text.c_str(), nullptr) >= value) return text;
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) - (digits - 1));
  return fmt::format("{:.{}g}", value + unit, digits);
}

std::string confidence_down(double confidence) {
  // 100 times a confidence may be below the number that was meant, by rounding alone.
  return fmt::format("{:.6g}%", std::floor(1e6 * confidence * (1 + 1e-12)) / 1e4);
}

std::string percent_up(double value) { return fmt::format("{:.4f}%", std::ceil(value * 1e4) / 1e4); }

std::string at_most(double upper, const std::string& unit, std::string (*text)(double)) {
  // A gain is rounded down: minus the rounded-up loss.
  if (upper >= 0) return fmt::format("loses at most {}{}", text(upper), unit);
  const std::string negative = text(upper);
  return fmt::format("gains at least {}{}", negative.starts_with('-') ? negative.substr(1) : negative, unit);
}

namespace {

// Of a share that is negative: its size, rounded down.
std::string percent_down(double share) { return fmt::format("{:.4f}%", std::floor(share * 1e6) / 1e4); }

std::string how_sure(Level level, double confidence, const std::string& of_what) {
  const std::string_view word = words(level);
  return fmt::format("{}{}, with {} confidence{}", static_cast<char>(std::toupper(word[0])), word.substr(1),
                     confidence_down(confidence), of_what);
}

std::string how_sure(const Certificate& certificate) {
  return how_sure(certificate.level, certificate.confidence,
                  certificate.promises.size() > 1 ? " for all of this together" : "");
}

std::string of_actions(const Certificate& certificate) {
  return fmt::format(
      "{}: the actions differ from the teacher's by at most {} of their range, on average over logged episodes. There "
      "is no promise about the return.",
      how_sure(certificate), percent_up(certificate.upper_percent.value_or(100)));
}

// "at most 1.25 times the teacher's plus 0.5000%": what the mean of the embedding is.
std::string limit(const Promise& promise) {
  if (promise.factor == 0) return fmt::format("at most {}", percent_up(100 * promise.upper));
  return fmt::format(
      "at most {}the teacher's {}", promise.factor == 1 ? "" : fmt::format("{:.6g} times ", promise.factor),
      promise.upper >= 0 ? "plus " + percent_up(100 * promise.upper) : "minus " + percent_down(-promise.upper));
}

// "2.5000%" as a difference of two shares.
std::string points(const std::string& percent) { return percent.substr(0, percent.size() - 1) + " percentage points"; }

std::string of_failures(const Promise& promise) {
  if (promise.factor == 0) return fmt::format("fails in {} of the episodes", limit(promise));
  if (promise.factor != 1) return fmt::format("the share of episodes that fail is {}", limit(promise));
  return promise.upper >= 0
             ? fmt::format("its failure rate is at most {} above the teacher's",
                           points(percent_up(100 * promise.upper)))
             : fmt::format("its failure rate is at least {} below the teacher's", points(percent_down(-promise.upper)));
}

// What a share says; empty for what is no share.
std::string of_share(const Promise& promise, bool discrete) {
  const auto distance = [&](const char* where) {
    return discrete
               ? fmt::format("chooses another action than the teacher in {} of the states {}", limit(promise), where)
               : fmt::format("the action differs from the teacher's by {} of its range on average in states {}",
                             limit(promise), where);
  };
  switch (promise.about) {
    case Quantity::failures:
      return of_failures(promise);
    case Quantity::outside:
      return fmt::format("at most {} of the episodes have a return outside that range",
                         percent_up(100 * promise.upper));
    case Quantity::roughness:
      return discrete
                 ? fmt::format("the share of steps at which the action changes is {}", limit(promise))
                 : fmt::format("the mean change of the action from step to step is {} of its range", limit(promise));
    case Quantity::distance_teacher:
      return distance("that the teacher visits");
    case Quantity::distance_embedding:
      return distance("that it visits itself");
    default:
      return "";
  }
}

std::string of_loss(const Certificate& certificate) {
  const std::string cut =
      certificate.cut ? fmt::format(", returns cut to [{:.6g}, {:.6g}]", certificate.cut->low, certificate.cut->high)
                      : "";
  if (certificate.upper_percent) {
    return at_most(*certificate.upper_percent, " of the teacher's mean return", percent_up) +
           fmt::format(" ({} in return{})", at_most(certificate.upper_return, "", rounded_up), cut);
  }
  return std::isfinite(certificate.upper_return)
             ? at_most(certificate.upper_return, " in mean return", rounded_up) + cut
             : "";
}

std::string of_return(const Certificate& certificate) {
  const bool discrete = measured_outcomes(certificate).discrete();
  std::vector<std::string> parts{of_loss(certificate)};
  const bool unbounded = parts[0].empty();
  if (unbounded) parts.clear();
  for (const Promise& promise : certificate.promises) {
    if (std::isnan(promise.upper)) continue;
    if (std::string text = of_share(promise, discrete); !text.empty()) parts.push_back(std::move(text));
  }
  const char* const none = "There is no bound on the loss of return.";
  if (parts.empty()) return none;
  return fmt::format("{}: {}.{}", how_sure(certificate), fmt::join(parts, "; "),
                     unbounded ? fmt::format(" {}", none) : "");
}

std::string of_grid(const Certificate& certificate) {
  const PerturbedGrid& grid = *certificate.grid;
  const PerturbedPoint& worst = grid.worst();
  std::string text = "nothing can be promised";
  if (worst.upper_percent) {
    text = at_most(*worst.upper_percent, " of the teacher's mean return", percent_up);
  } else if (std::isfinite(worst.upper_return)) {
    text = at_most(worst.upper_return, " in mean return", rounded_up);
  }
  return fmt::format(
      "Perturbed tasks. {}: {} at the worst of them, {}{}. There is no promise about what lies between the points.",
      how_sure(certificate.level, grid.confidence, fmt::format(" for all {} points together", grid.points.size())),
      text, point_words(grid, worst),
      std::isfinite(worst.loss_percent)
          ? fmt::format(" (measured: {} {:.4g}%)", worst.loss_percent >= 0 ? "loses" : "gains",
                        std::abs(worst.loss_percent))
          : "");
}

std::string conditions(const Certificate& certificate) {
  if (certificate.about == Quantity::action) {
    return fmt::format("Conditions: {} logged episodes that are independent of each other, and states like theirs.",
                       certificate.episodes);
  }
  return fmt::format("Conditions: {} as it was played in {} paired episodes, {} actions{}.", certificate.env,
                     certificate.episodes, certificate.act == Act::mean ? "mean" : "drawn",
                     certificate.gamma < 1 ? fmt::format(", returns discounted by {} a step", certificate.gamma) : "");
}

std::string measured(const Certificate& certificate) {
  if (certificate.about == Quantity::action) {
    return fmt::format("Measured: {:.4g}% of the range.", certificate.loss_percent);
  }
  if (!std::isfinite(certificate.loss_return)) return "";
  return fmt::format(
      "Measured: {} {:.6g} in return{} against the teacher's {:.6g}.", certificate.loss_return >= 0 ? "loses" : "gains",
      std::abs(certificate.loss_return),
      std::isfinite(certificate.loss_percent) ? fmt::format(" ({:.4g}%)", std::abs(certificate.loss_percent)) : "",
      certificate.teacher_return);
}

}  // namespace

std::string_view words(Level level) {
  switch (level) {
    case Level::paper:
      return "as published (no guarantee)";
    case Level::rigorous:
      return "guaranteed by theorem";
    case Level::model:
      return "holds in an estimated model, not in the task (no guarantee)";
    case Level::exact:
      return "computed";
    case Level::statistical:
      return "guaranteed";
    case Level::estimate:
      return planted(3) ? "guaranteed" : "estimated (no guarantee)";
  }
  return "";
}

std::string words(Quantity about, bool in_model) {
  for (const Spelling<Quantity>& row : Names<Quantity>::table) {
    if (row.value == about) return std::string(row.also) + (in_model ? " in the model" : "");
  }
  return "";
}

std::string promise_words(const Promise& promise) {
  const auto above = [&](const char* what) {
    if (promise.factor == 0) return std::string(what);
    if (promise.factor == 1) return fmt::format("{}, above the teacher's", what);
    return fmt::format("{}, above {:.6g} times the teacher's", what, promise.factor);
  };
  switch (promise.about) {
    case Quantity::failures:
      return above("episodes that fail");
    case Quantity::roughness:
      return above("roughness");
    case Quantity::distance_teacher:
      return "distance of actions where the teacher goes";
    case Quantity::distance_embedding:
      return "distance of actions where the embedding goes";
    default:
      return words(promise.about, false);
  }
}

std::string promised(const Promise& promise) {
  if (std::isnan(promise.upper)) return "none";
  if (is_share(promise.about)) return percent_up(100 * promise.upper);
  return promise.about == Quantity::episode_return ? rounded_up(promise.upper) : percent_up(promise.upper);
}

std::vector<std::string> promise_sentences(const Certificate& certificate) {
  const bool actions = certificate.about == Quantity::action && !planted(1);
  std::vector<std::string> out{actions ? of_actions(certificate) : of_return(certificate), conditions(certificate)};
  if (std::string text = measured(certificate); !text.empty()) out.push_back(std::move(text));
  if (certificate.drawing_cost) {
    out.push_back(
        fmt::format("Teacher and embedding play mean actions; that alone {} the teacher {:.4g} in return (measured).",
                    *certificate.drawing_cost >= 0 ? "costs" : "gains", std::abs(*certificate.drawing_cost)));
  }
  if (certificate.grid) out.push_back(of_grid(certificate));
  return out;
}

}  // namespace mercer
