#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "io/file.hpp"
#include "mercer/embedding.hpp"
#include "mercer/error.hpp"
#include "mercer/policy.hpp"
#include "policy/batch.hpp"

namespace mercer {
namespace {

// A deterministic policy whose squashing is part of the function's own pass over a batch.
class MeanPolicy final : public DeterministicPolicy {
 public:
  MeanPolicy(std::string name, Contract contract, TermFunction function)
      : DeterministicPolicy(std::move(name), std::move(contract), function), function_(std::move(function)) {}

  void mean_action(MatrixView<const double> observation, MatrixView<double> action) const override {
    const Contract& own = contract();
    if (alone_ && observation.cols() == 1) {  // what a controller asks at every step
      action(0, 0) = function_.act_alone(&observation(0, 0), observation.stride(), own.squash == Squash::tanh,
                                         own.centre[0], own.scale[0], own.clip[0]);
      return;
    }
    function_.act(observation, own.squash == Squash::tanh, own.centre, own.scale, own.clip, action);
  }

 private:
  TermFunction function_;
  bool alone_ = function_.acts_alone();
};

}  // namespace

std::unique_ptr<Policy> continuous_policy(std::string name, const Contract& contract, Head head, bool squash,
                                          TermFunction function) {
  Contract own = continuous_contract(contract, head, squash);
  if (function.outputs() != head_outputs(head, own)) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("{} functions where the head needs {}", function.outputs(), head_outputs(head, own)),
                "Give one for each action (two for a Gaussian)");
  }
  if (head == Head::mean) return std::make_unique<MeanPolicy>(std::move(name), std::move(own), std::move(function));
  if (head == Head::gaussian) return std::make_unique<GaussianPolicy>(std::move(name), std::move(own), function);
  if (head == Head::density) return std::make_unique<BoxBoltzmannPolicy>(std::move(name), std::move(own), function, 1);
  if (!squash) return std::make_unique<DiscreteBoltzmannPolicy>(std::move(name), std::move(own), function, 1);
  const std::size_t count = own.action.count;
  return std::make_unique<DeterministicPolicy>(std::move(name), std::move(own), greedy_index(function, count));
}

ContinuousEmbedding ContinuousEmbedding::make(const ContinuousCode& code, const Contract& contract,
                                              const std::string& where) {
  return decode(encode_continuous(code, contract), contract, where);
}

ContinuousEmbedding ContinuousEmbedding::decode(std::span<const std::uint8_t> payload, const Contract& contract,
                                                const std::string& where) {
  ContinuousEmbedding made;
  made.code_ = decode_continuous(payload, contract, where);
  made.payload_.assign(payload.begin(), payload.end());
  const ContinuousCode& code = made.code_;
  if (code.head == Head::density && contract.action.dimensions() > 3) {
    throw_corrupt(where, "has a density over more than three actions");
  }
  made.function_ = std::make_shared<TermFunction>(code.terms, code.coordinates, code.coefficients);
  made.policy_ = continuous_policy(fmt::format("{} ({} {})", where, made.basis(), made.k()), contract, code.head,
                                   code.squash, *made.function_);
  return made;
}

std::string ContinuousEmbedding::basis() const {
  const Terms& terms = code_.terms;
  std::string text;
  const auto add = [&](std::string_view part) { text += fmt::format("{}{}", text.empty() ? "" : "+", part); };
  if (!terms.tensor.kept.empty()) add(name(terms.tensor.family));
  if (!terms.waves.kept.empty()) add(fmt::format("rff:{}", name(terms.waves.kernel)));
  if (!terms.ridges.numbers.empty()) add("ridge");
  if (!terms.radials.centres.empty()) add(fmt::format("kernel:{}", name(terms.radials.kernel)));
  return text;
}

ParameterCount ContinuousEmbedding::parameters() const {
  std::size_t count = code_.coefficients.size() + code_.terms.ridges.numbers.size() +
                      code_.terms.ridges.halvings.size() + code_.terms.radials.centres.size() +
                      code_.terms.radials.widths.size();
  if (code_.ranges == StoredRanges::half) count += 2 * code_.coordinates.size();
  if (code_.ranges == StoredRanges::power) {
    const std::vector<Axis>& axes = policy_->contract().observation.axes;
    count += axes.size() - static_cast<std::size_t>(std::ranges::count_if(axes, is_bounded));
  }
  for (const Coordinate& axis : code_.coordinates) count += axis.knots.size();
  return {code_.coefficients.size(), count};
}

}  // namespace mercer
