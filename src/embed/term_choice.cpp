#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "embed/term_choice_route.hpp"
#include "mercer/embed.hpp"
#include "mercer/error.hpp"

namespace mercer {

TermChoice::TermChoice(const Embedding& embedding, MatrixView<const double> observations)
    : whole_(embedding),
      route_(embedding.is_lattice() ? lattice_terms(embedding.lattice())
                                    : continuous_terms(embedding.continuous(), observations)) {
  if (route_) terms_ = route_->terms();
  for (const KeptTerm& term : terms_) k_ += term.count;
  if (terms_.empty()) k_ = embedding.k();
}

TermChoice::~TermChoice() = default;
TermChoice::TermChoice(TermChoice&&) noexcept = default;

std::size_t TermChoice::terms_within(std::size_t k) const {
  std::size_t used = 0, count = 0;
  while (count < terms_.size() && used + terms_[count].count <= k) used += terms_[count++].count;
  return count;
}

std::vector<std::size_t> TermChoice::sizes(std::size_t most) const {
  if (terms_.empty()) return {k_};
  std::vector<std::size_t> legal;
  std::size_t used = 0;
  for (const KeptTerm& term : terms_) legal.push_back(used += term.count);
  if (legal.size() <= most || most < 2) return most < 2 ? std::vector{legal.back()} : legal;
  std::set<std::size_t> chosen;
  const double last = std::log(static_cast<double>(legal.size()));
  for (std::size_t i = 0; i < most; ++i) {
    const double place = std::exp(last * static_cast<double>(i) / static_cast<double>(most - 1));
    chosen.insert(legal[std::min<std::size_t>(static_cast<std::size_t>(std::lround(place)), legal.size()) - 1]);
  }
  return {chosen.begin(), chosen.end()};
}

Embedding TermChoice::keep(std::size_t k, std::span<const std::size_t> off) const {
  const std::string range = fmt::format("1 to {}", k_);
  if (k < 1 || k > k_ || (terms_.empty() && k != k_)) {
    throw Error(ErrorCode::out_of_range,
                fmt::format("K = {}; legal: {}", k, terms_.empty() ? fmt::to_string(k_) : range),
                "Take a K that the embedding has");
  }
  std::vector<bool> kept(terms_.size());
  std::fill_n(kept.begin(), terms_within(k), true);
  for (const std::size_t number : off) {
    if (number >= kept.size()) {
      throw Error(ErrorCode::out_of_range, fmt::format("term number {}; legal: 0 to {}", number, kept.size() - 1),
                  "Take a number of the list of terms");
    }
    kept[number] = false;
  }
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i]) chosen.push_back(i);
  }
  if (chosen.size() == terms_.size()) return whole_;
  if (chosen.empty()) {
    throw Error(ErrorCode::bad_value, fmt::format("no term is left of K = {}", k), "Leave at least one in");
  }
  return route_->keep(chosen);
}

}  // namespace mercer
