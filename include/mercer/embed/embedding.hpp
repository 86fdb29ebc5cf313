#pragma once

#include <variant>

#include "mercer/embed/continuous_embedding.hpp"
#include "mercer/embed/lattice_embedding.hpp"

namespace mercer {

/// An embedding of either route: what is the same about both, and a way to each.
class Embedding {
 public:
  Embedding(LatticeEmbedding lattice) : either_(std::move(lattice)) {}
  Embedding(ContinuousEmbedding continuous) : either_(std::move(continuous)) {}

  bool is_lattice() const { return std::holds_alternative<LatticeEmbedding>(either_); }
  const char* route() const { return is_lattice() ? "lattice" : "continuous"; }
  const std::vector<std::uint8_t>& payload() const {
    return std::visit([](const auto& one) -> const std::vector<std::uint8_t>& { return one.payload(); }, either_);
  }
  const Policy& policy() const {
    return std::visit([](const auto& one) -> const Policy& { return one.policy(); }, either_);
  }
  std::string basis() const {
    return std::visit([](const auto& one) -> std::string { return one.basis(); }, either_);
  }
  std::size_t k() const {
    return std::visit([](const auto& one) { return one.k(); }, either_);
  }
  ParameterCount parameters() const {
    return std::visit([](const auto& one) { return one.parameters(); }, either_);
  }
  /// Throw std::bad_variant_access for the other route: ask `is_lattice` first.
  const LatticeEmbedding& lattice() const { return std::get<LatticeEmbedding>(either_); }
  LatticeEmbedding& lattice() { return std::get<LatticeEmbedding>(either_); }
  const ContinuousEmbedding& continuous() const { return std::get<ContinuousEmbedding>(either_); }

 private:
  std::variant<LatticeEmbedding, ContinuousEmbedding> either_;
};

}  // namespace mercer
