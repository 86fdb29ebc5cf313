#pragma once

#include <memory>

#include "mercer/basis/term.hpp"
#include "mercer/basis/term_function.hpp"
#include "mercer/embed/continuous_code.hpp"
#include "mercer/policy/policy.hpp"

namespace mercer {

/// A policy from K terms of functions on the observation box, without any lattice.
///
///     ContinuousCode code;  // head, format, coordinates, terms, coefficients
///     ContinuousEmbedding embedding = ContinuousEmbedding::make(code, contract_of(env.task()), "mine");
///     embedding.payload().size();   // bytes
///     rollout(env, embedding.policy(), options);
///
/// Everything that acting needs beside the task's contract is in `payload()`; the policy that is played is decoded from
/// those bytes, so that rounding is part of what is measured.
class ContinuousEmbedding {
 public:
  /// Encodes, then decodes. Only the spaces and names of the contract matter. Throws what `encode_continuous` throws.
  static ContinuousEmbedding make(const ContinuousCode& code, const Contract& contract, const std::string& where);
  static ContinuousEmbedding decode(std::span<const std::uint8_t> payload, const Contract& contract,
                                    const std::string& where);

  const std::vector<std::uint8_t>& payload() const { return payload_; }
  const Policy& policy() const { return *policy_; }
  std::shared_ptr<const Policy> shared_policy() const { return policy_; }
  /// What the payload says, coefficients as they are played.
  const ContinuousCode& code() const { return code_; }
  const TermFunction& function() const { return *function_; }
  std::string basis() const;                            ///< such as "legendre" or "legendre+ridge"
  std::size_t k() const { return code_.terms.size(); }  ///< terms, shared by all outputs
  /// Coefficients and, for bumps and ridges, what places them: real numbers, however few bits each has.
  ParameterCount parameters() const;

 private:
  ContinuousEmbedding() = default;

  std::vector<std::uint8_t> payload_;
  ContinuousCode code_;
  std::shared_ptr<const TermFunction> function_;
  std::shared_ptr<const Policy> policy_;
};

/// The policy that a head makes of a function: what an embedding plays, and what a search over coefficients tries
/// (`function.with(coefficients)`) without encoding anything. Its contract is `continuous_contract` of the given one.
std::unique_ptr<Policy> continuous_policy(std::string name, const Contract& contract, Head head, bool squash,
                                          TermFunction function);

/// "torque = 2 tanh(0.31 - 1.2 P1(speed))": one line for each output, coefficients to three digits.
std::vector<std::string> formulas(const ContinuousEmbedding& embedding);

}  // namespace mercer
