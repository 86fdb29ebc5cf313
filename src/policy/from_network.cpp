#include "policy/from_network.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "mercer/error.hpp"
#include "mercer/policy.hpp"

namespace mercer {
namespace {

// What is being made, with what everybody who makes a part of it needs.
struct Maker {
  const std::string& name;
  const Network& network;
  const Task& task;
  const PolicyOptions& options;
  std::string* reading;

  // Stores how the network is interpreted, if the caller asked for it.
  void describe(NetworkKind kind, const std::vector<std::size_t>& outputs, const Contract& contract) const {
    if (reading == nullptr) return;
    std::vector<std::string> names;
    for (const std::size_t output : outputs) names.push_back(network.outputs()[output].name);
    *reading = fmt::format("{} policy of {} {}", mercer::name(kind), names.size() == 1 ? "output" : "outputs",
                           fmt::join(names, ", "));
    if (!contract.scale.empty()) {
      *reading += fmt::format("; squash {}, scale {}, centre {}", mercer::name(contract.squash),
                              fmt::join(contract.scale, ";"), fmt::join(contract.centre, ";"));
    }
    if (!contract.normalisation.empty()) *reading += "; observations are normalised";
  }

  // The place of the output with that role, or none.
  std::optional<std::size_t> output(const std::string& role) const {
    const auto renamed = options.outputs.find(role);
    const std::string& wanted = renamed == options.outputs.end() ? role : renamed->second;
    const std::size_t place = network.find_output(wanted);
    if (place < network.outputs().size()) return place;
    if (renamed == options.outputs.end()) return std::nullopt;
    std::vector<std::string> known;
    for (const Network::Port& port : network.outputs()) known.push_back(port.name);
    throw Error(
        ErrorCode::bad_value,
        fmt::format("network '{}' has no output '{}' for {}; it has: {}", name, wanted, role, fmt::join(known, ", ")),
        "Name one of those");
  }

  void need_size(std::size_t place, std::size_t wanted, std::string_view of) const {
    const Network::Port& port = network.outputs()[place];
    if (port.size == wanted) return;
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("output '{}' of network '{}' has {} numbers and task '{}' needs {} ({})", port.name, name,
                            port.size, task.name, wanted, of),
                "Choose the task that the network was trained on");
  }

  Contract contract(Squash squash_by_default, bool normalised_actions) const {
    Contract made = contract_of(task);
    made.normalisation = options.normalisation;
    if (task.action.is_discrete()) {
      if (options.squash || options.clip || !options.scale.empty() || !options.centre.empty()) {
        throw Error(ErrorCode::bad_value,
                    fmt::format("policy '{}': squash, scale, centre and clip are for actions on a box, and those of "
                                "task '{}' are discrete",
                                name, task.name),
                    "Leave them out");
      }
      return made;
    }
    made.squash = options.squash.value_or(squash_by_default);
    for (std::size_t d = 0; d < task.action.dimensions(); ++d) {
      const auto [low, high] = task.action.axes[d].range;
      if (made.squash == Squash::tanh || normalised_actions) {
        if ((!std::isfinite(low) || !std::isfinite(high)) && (options.scale.empty() || options.centre.empty())) {
          throw Error(ErrorCode::missing_option,
                      fmt::format("policy '{}': its action '{}' has no known bounds to scale to", name,
                                  task.action.axes[d].name),
                      "Name a task whose actions have bounds (--env), or give scale and centre");
        }
        made.centre[d] = (low + high) / 2;
        made.scale[d] = (high - low) / 2;
      }
      if (options.clip) made.clip[d] = {std::max(low, -*options.clip), std::min(high, *options.clip)};
    }
    spread_out(options.centre, made.centre, "centre");
    spread_out(options.scale, made.scale, "scale");
    return made;
  }

  // One number for all dimensions, or one for each.
  void spread_out(const std::vector<double>& given, std::vector<double>& all, std::string_view what) const {
    if (given.empty()) return;
    if (given.size() != 1 && given.size() != all.size()) {
      throw Error(ErrorCode::shape_mismatch,
                  fmt::format("policy '{}': {} has {} numbers and task '{}' has {} action dimensions", name, what,
                              given.size(), task.name, all.size()),
                  "Give one, or one for each");
    }
    for (std::size_t d = 0; d < all.size(); ++d) all[d] = given[given.size() == 1 ? 0 : d];
  }
};

// A setting that changes nothing would be taken for one that does.
void refuse_settings(const Maker& maker, std::string_view kind, bool temperature, bool spread) {
  const bool unused_temperature = temperature && maker.options.temperature;
  if (!unused_temperature && !(spread && maker.options.spread)) return;
  throw Error(ErrorCode::bad_value,
              fmt::format("policy '{}' is {}, and a {} is not for that", maker.name, kind,
                          unused_temperature ? "temperature" : "spread"),
              unused_temperature ? "Leave it out; it is for policies over q or logits"
                                 : "Leave it out; it is for policies that always take the same action in a state");
}

std::unique_ptr<Policy> make_gaussian(const Maker& maker, std::size_t mean, std::size_t log_std) {
  const std::size_t actions = maker.task.action.dimensions();
  if (maker.task.action.is_discrete()) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("network '{}' is a Gaussian policy and the actions of task '{}' are discrete", maker.name,
                            maker.task.name),
                "Choose the task that the network was trained on");
  }
  refuse_settings(maker, "Gaussian", true, true);
  maker.need_size(mean, actions, "one mean for each action");
  maker.need_size(log_std, actions, "one log_std for each action");
  Contract contract = maker.contract(Squash::tanh, false);
  maker.describe(NetworkKind::gaussian, {mean, log_std}, contract);
  const Normalisation normal = contract.normalisation;
  return std::make_unique<GaussianPolicy>(maker.name, std::move(contract),
                                          network_function(maker.network, normal, {mean, log_std}));
}

std::unique_ptr<Policy> make_deterministic(const Maker& maker, std::size_t action) {
  refuse_settings(maker, "deterministic", true, false);
  maker.need_size(action, maker.task.action.dimensions(), "one for each action");
  Contract contract = maker.contract(Squash::none, false);
  maker.describe(NetworkKind::deterministic, {action}, contract);
  const Normalisation normal = contract.normalisation;
  return std::make_unique<DeterministicPolicy>(maker.name, std::move(contract),
                                               network_function(maker.network, normal, {action}), maker.options.spread);
}

std::unique_ptr<Policy> make_from_q(const Maker& maker, const std::vector<std::size_t>& critics, bool logits) {
  const bool greedy =
      maker.options.kind ? *maker.options.kind == NetworkKind::greedy : !logits && !maker.options.temperature;
  // A temperature beside kind=greedy is overruled, not unused: it may come from the file next to the network.
  if (greedy) refuse_settings(maker, "greedy", false, maker.task.action.is_discrete());
  if (!greedy) refuse_settings(maker, "a Boltzmann policy", false, true);
  const double temperature = maker.options.temperature.value_or(1);
  const bool discrete = maker.task.action.is_discrete();
  for (const std::size_t critic : critics) {
    maker.need_size(critic, discrete ? maker.task.action.count : 1,
                    discrete ? "one for each action" : "one for an observation and an action");
  }
  Contract contract = maker.contract(Squash::none, true);
  maker.describe(greedy ? NetworkKind::greedy : NetworkKind::boltzmann, critics, contract);
  BatchFunction q =
      smallest_output(maker.network, contract.normalisation, maker.task.observation.dimensions(), critics);
  if (discrete) {
    if (!greedy) {
      return std::make_unique<DiscreteBoltzmannPolicy>(maker.name, std::move(contract), std::move(q), temperature);
    }
    return std::make_unique<DeterministicPolicy>(maker.name, std::move(contract),
                                                 greedy_index(std::move(q), maker.task.action.count));
  }
  if (!greedy) return std::make_unique<BoxBoltzmannPolicy>(maker.name, std::move(contract), std::move(q), temperature);
  BatchFunction best = greedy_point(std::move(q), maker.task.action.dimensions());
  return std::make_unique<DeterministicPolicy>(maker.name, std::move(contract), std::move(best), maker.options.spread);
}

void check_inputs(const Maker& maker, bool with_action) {
  const auto& inputs = maker.network.inputs();
  const Task& task = maker.task;
  const std::size_t wanted = with_action ? 2 : 1;
  if (inputs.size() != wanted) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("network '{}' has {} input{}; it needs {}", maker.name, inputs.size(),
                            inputs.size() == 1 ? "" : "s",
                            with_action ? "2: the observation and the action" : "1: the observation"),
                "Choose the task that the network was trained on, or export it with those inputs");
  }
  const auto need = [&](std::size_t place, std::size_t size, std::string_view what) {
    if (inputs[place].size == size) return;
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("input '{}' of network '{}' takes {} numbers and task '{}' gives {} {}", inputs[place].name,
                            maker.name, inputs[place].size, task.name, size, what),
                "Choose the task that the network was trained on");
  };
  need(0, task.observation.dimensions(), "observations");
  if (with_action) need(1, task.action.dimensions(), "actions");
}

// Values of discrete actions, such as those of a DQN: they depend on the observation alone.
void refuse_discrete(const Maker& maker, std::size_t output) {
  const std::size_t values = maker.network.outputs()[output].size;
  if (maker.network.inputs().size() != 1 || values == 1) return;
  throw Error(ErrorCode::shape_mismatch,
              fmt::format("network '{}' gives one value for each of {} discrete actions, and the actions of task '{}' "
                          "are continuous",
                          maker.name, values, maker.task.name),
              "Choose the task that the network was trained on");
}

[[noreturn]] void no_policy(const Maker& maker) {
  std::vector<std::string> known;
  for (const Network::Port& port : maker.network.outputs())
    known.push_back(fmt::format("{} ({})", port.name, port.size));
  throw Error(
      ErrorCode::bad_format,
      fmt::format("the outputs of network '{}' make no {}policy: {}", maker.name,
                  maker.options.kind ? fmt::format("{} ", name(*maker.options.kind)) : "", fmt::join(known, ", ")),
      "Name them mean and log_std, action, q, q1 and q2, or logits; or say which is which, such as "
      "mean=NAME (docs/guide/policies.md)");
}

}  // namespace

std::unique_ptr<Policy> make_network_policy(const std::string& name, const Network& network, const Task& task,
                                            const PolicyOptions& options, std::string* reading) {
  const Maker maker{name, network, task, options, reading};
  const auto wants = [&](NetworkKind kind) { return !options.kind || options.kind == kind; };
  const bool wants_q = wants(NetworkKind::boltzmann) || wants(NetworkKind::greedy);
  const auto mean = maker.output("mean"), log_std = maker.output("log_std"), action = maker.output("action");
  const auto q = maker.output("q"), q1 = maker.output("q1"), q2 = maker.output("q2"), logits = maker.output("logits");
  const bool box = !task.action.is_discrete();
  if (wants(NetworkKind::gaussian) && mean && log_std) {
    check_inputs(maker, false);
    return make_gaussian(maker, *mean, *log_std);
  }
  if (wants(NetworkKind::deterministic) && (action || mean)) {
    check_inputs(maker, false);
    return make_deterministic(maker, action ? *action : *mean);
  }
  if (wants_q && (q || q1 || logits)) {
    std::vector<std::size_t> critics{q ? *q : q1 ? *q1 : *logits};
    if (box) refuse_discrete(maker, critics[0]);
    check_inputs(maker, box);
    if (!q && q1 && q2) critics.push_back(*q2);
    return make_from_q(maker, critics, !q && !q1);
  }
  // A single output of another name can only mean one thing.
  if (network.outputs().size() == 1 && options.kind != NetworkKind::gaussian) {
    const bool from_q = network.inputs().size() == 2 || (!box && network.outputs()[0].size == task.action.count);
    if (from_q && wants_q) {
      check_inputs(maker, box);
      return make_from_q(maker, {0}, false);
    }
    if (!from_q && wants(NetworkKind::deterministic)) {
      check_inputs(maker, false);
      return make_deterministic(maker, 0);
    }
  }
  no_policy(maker);
}

}  // namespace mercer
