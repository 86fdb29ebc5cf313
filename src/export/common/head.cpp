#include "export/common/head.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "embed/formula/axes.hpp"
#include "mercer/error.hpp"
#include "policy/naming.hpp"

namespace mercer {

double ControllerInterface::width(std::size_t action) const {
  if (contract.action.is_discrete()) return 1;
  const Range clip = contract.clip.empty() ? contract.action.axes[action].range : contract.clip[action];
  return std::isfinite(clip.width()) ? clip.width() : 2 * std::abs(contract.scale[action]);
}

std::string axis_facts(const Contract& contract, const Space& space, std::size_t axis) {
  const Axis& one = space.axes[axis];
  std::string text = one.unit.empty() ? "" : fmt::format(", {}", one.unit);
  text += space.is_discrete() ? fmt::format(", one of the integers 0 to {}", space.count - 1)
                              : fmt::format(", {:.6g} to {:.6g}", one.range.low, one.range.high);
  if (one.periodic) text += ", an angle: the ends are one";
  if (const auto earlier = earlier_value(one.name)) {
    const bool action =
        std::ranges::find(contract.action.axes, earlier->name, &Axis::name) != contract.action.axes.end();
    text += fmt::format(": {} {} {} step{} ago", action ? "the action" : "the value of", earlier->name, earlier->steps,
                        earlier->steps == 1 ? "" : "s");
  }
  return text;
}

std::string handling_note(const Contract& contract) {
  const bool limited = !contract.action.is_discrete() && std::ranges::all_of(contract.clip, [](const Range& clip) {
    return std::isfinite(clip.low) && std::isfinite(clip.high);
  });
  return fmt::format("Pass raw observations in these units; the code normalises them.{}",
                     contract.action.is_discrete() ? ""
                     : limited ? " Actions are in the units above, scaled and limited to their range."
                               : " Actions are in the units above; not all of them have limits.");
}

std::vector<double> even_state(std::span<const Range> ranges, std::size_t i, double beyond) {
  // Steps by powers of 1/g, g the root of g^(d+1) = g + 1, leave no large holes in d dimensions.
  const auto d = static_cast<double>(ranges.size());
  double g = 2;
  for (int step = 0; step < 40; ++step) g = std::pow(1 + g, 1 / (d + 1));
  std::vector<double> state;
  double alpha = 1;
  for (const Range& range : ranges) {
    alpha /= g;
    const double whole = 0.5 + static_cast<double>(i) * alpha;
    const double place = (whole - std::floor(whole)) * (1 + 2 * beyond) - beyond;
    state.push_back(range.low + place * range.width());
  }
  return state;
}

std::string mean_words(const EmbeddingFile& file) {
  return file.embedding.policy().action_space().is_discrete() ? "the most likely action" : "the mean action";
}

bool certified_as_drawn(const EmbeddingFile& file) {
  if (!file.certificate || file.certificate->act != Act::sample) return false;
  const Policy& policy = file.embedding.policy();
  const bool discrete = policy.contract().observation.is_discrete();
  constexpr std::size_t states = 256;
  std::vector<Range> ranges;
  for (const Axis& axis : policy.contract().observation.axes) {
    ranges.push_back(is_bounded(axis) ? axis.range : Range{-1, 1});
  }
  const std::size_t observations = ranges.size(), actions = policy.action_space().dimensions();
  std::vector<double> at(observations * states), drawn(actions * states), mean(actions * states);
  std::vector<std::uint64_t> items(states);
  for (std::size_t i = 0; i < states; ++i) {
    const std::vector<double> state = even_state(ranges, i, 0);
    for (std::size_t d = 0; d < observations; ++d) at[d * states + i] = discrete ? std::round(state[d]) : state[d];
    items[i] = i;
  }
  const MatrixView<const double> seen(at.data(), observations, states);
  policy.sample(seen, {0, Stage::action, 0, items}, {drawn.data(), actions, states});
  policy.mean_action(seen, {mean.data(), actions, states});
  return drawn != mean;
}

void require_usable_ranges(const Contract& contract, std::span<const Range> ranges) {
  for (std::size_t d = 0; d < ranges.size(); ++d) {
    for (const double end : {ranges[d].low, ranges[d].high}) {
      require_in_range(fmt::format("an end of the range of '{}'", contract.observation.axes[d].name), end, -1e18, 1e18,
                       "Use another unit for this observation, and make the embedding again");
    }
  }
}

std::vector<Range> ranges_of(const FlatTerms& flat) {
  std::vector<Range> ranges;
  for (const FlatTerms::Axis& axis : flat.axes) ranges.push_back(axis.range);
  return ranges;
}

std::vector<double> model_answers(const ContinuousController& controller, std::span<const double> states) {
  const std::size_t d = controller.flat.dimensions(), count = states.size() / d;
  const std::size_t width = controller.discrete() ? controller.flat.outputs : controller.outside.actions();
  std::vector<double> columns(states.size()), rows(count * width), answers(count * width);
  for (std::size_t i = 0; i < states.size(); ++i) columns[i % d * count + i / d] = states[i];
  const MatrixView<const double> given{columns.data(), d, count};
  if (controller.discrete()) {
    controller.model->function()(given, {rows.data(), width, count});
  } else {
    controller.model->policy().mean_action(given, {rows.data(), width, count});
  }
  for (std::size_t i = 0; i < answers.size(); ++i) answers[i] = rows[i % width * count + i / width];
  return answers;
}

std::vector<std::string> formula_lines(const ContinuousEmbedding& embedding) {
  if (embedding.k() <= most_shown_terms) return formulas(embedding);
  return {fmt::format("{} terms: 'mercer inspect' shows it.", embedding.k())};
}

double with_margin(double wanted, double least) {
  wanted = std::max(wanted, least);
  const double unit = std::pow(10, std::floor(std::log10(wanted)) - 1);
  return std::ceil(wanted / unit - 1e-9) * unit;
}

namespace {

// Whether every action is close to an end of its range.
bool at_an_end(const ContinuousController& controller, std::span<const double> action) {
  for (std::size_t a = 0; a < action.size(); ++a) {
    const Range clip = controller.outside.contract.clip[a];
    const double room = 0.05 * clip.width();
    if (!std::isfinite(room) || (action[a] > clip.low + room && action[a] < clip.high - room)) return false;
  }
  return true;
}

}  // namespace

std::vector<std::vector<double>> test_states(const ContinuousController& controller) {
  constexpr std::size_t wanted = 5;
  const FlatTerms& flat = controller.flat;
  const std::vector<Range> ranges = ranges_of(flat);
  std::vector<std::vector<double>> states;
  for (std::size_t i = 1; states.size() < wanted && i < 1000; ++i) {
    std::vector<double> state = even_state(ranges, i, states.size() + 1 == wanted ? 0.3 : 0);
    for (std::size_t d = 0; d < state.size(); ++d) {
      if (flat.axes[d].periodic) state[d] = std::clamp(state[d], ranges[d].low, ranges[d].high);
    }
    if (controller.discrete()) {
      std::vector<double> out = model_answers(controller, state);
      std::ranges::sort(out, std::greater<>());
      if (out.size() > 1 && out[0] - out[1] < 0.01) continue;
    } else if (i < 500 && at_an_end(controller, model_answers(controller, state))) {
      continue;  // what is cut off anyway says little about the numbers before
    }
    states.push_back(std::move(state));
  }
  return states;
}

}  // namespace mercer
