#include "compress/dictionary_path.hpp"

#include <algorithm>

namespace mercer {
namespace {

// First steps of a search that may leave the fit behind: ten times the usual.
constexpr double wide_step = 1.5;

// Terms that rounding left nothing of are only bytes.
ContinuousEmbedding without_zeros(const ContinuousEmbedding& embedding) {
  ContinuousCode code = embedding.code();
  const std::size_t terms = code.terms.size();
  std::vector<std::size_t> kept;
  for (std::size_t t = 0; t < terms; ++t) {
    for (std::size_t o = 0; o < code.outputs; ++o) {
      if (code.coefficients[o * terms + t] == 0) continue;
      kept.push_back(t);
      break;
    }
  }
  if (kept.size() == terms || kept.empty()) return embedding;
  std::vector<double> left;
  for (std::size_t o = 0; o < code.outputs; ++o) {
    for (const std::size_t t : kept) left.push_back(code.coefficients[o * terms + t]);
  }
  const std::vector<std::size_t> parts = code.terms.parts();
  code.terms = select_terms(code.terms, kept);
  const std::vector<std::size_t> left_parts = code.terms.parts();
  std::vector<std::uint8_t> scales;  // of the parts that still have terms
  std::size_t scale = 0;
  for (std::size_t o = 0; o < code.outputs && !code.scales.empty(); ++o) {
    for (std::size_t p = 0; p + 1 < parts.size(); ++p) {
      if (parts[p + 1] == parts[p]) continue;
      if (left_parts[p + 1] != left_parts[p]) scales.push_back(code.scales[scale]);
      ++scale;
    }
  }
  code.coefficients = std::move(left);
  code.scales = std::move(scales);
  return ContinuousEmbedding::make(code, embedding.policy().contract(), embedding.policy().name());
}

}  // namespace

DictionaryPath::DictionaryPath(const Player* player, const Samples& samples, const ContinuousCode& shape,
                               const DictionaryOptions& dictionary, const CompressOptions& options, std::uint64_t item,
                               const Progress& progress)
    : player_(player),
      samples_(samples),
      options_(options),
      shape_(shape),
      dictionary_(make_dictionary(dictionary, shape.coordinates, samples.points(), options.judge.seed)),
      all_(evaluate_features(dictionary_, shape.coordinates, samples, progress)),
      chooser_(all_, samples, 1e-6, progress),
      item_(item) {}

bool DictionaryPath::choose(std::size_t k, const Progress& progress) {
  while (chooser_.path().chosen.size() < k) {
    if (!chooser_.next(progress)) return false;
  }
  const std::vector<std::size_t>& in_turn = chooser_.path().chosen;
  chosen_.assign(in_turn.begin(), in_turn.begin() + static_cast<std::ptrdiff_t>(k));
  std::ranges::sort(chosen_);
  k_ = k;
  few_ = select_rows(all_, chosen_);
  shape_.terms = select_terms(dictionary_, chosen_);
  return true;
}

bool DictionaryPath::fit(std::size_t k, const Progress& progress) {
  if (!choose(k, progress)) return false;
  coefficients_ = fitted(progress);
  return true;
}

bool DictionaryPath::grow(const EnoughTime& enough, const Progress& progress) {
  const std::vector<std::size_t> before = chosen_;
  if (!choose(k_ + 1, progress)) return false;
  std::vector<double> fit = fitted(progress);
  if (options_.polish != PolishBy::returned) {
    coefficients_ = std::move(fit);
    return true;
  }
  improve_from(cheapest({std::move(fit), grown(coefficients_, before)}), enough, progress);
  return true;
}

void DictionaryPath::improve(const EnoughTime& enough, const Progress& progress) {
  improve_from(coefficients_, enough, progress);
}

void DictionaryPath::improve_from(std::vector<double> start, const EnoughTime& enough, const Progress& progress) {
  coefficients_ = polished(start, options_.search.step, 1, enough, progress);
  // Smooth policies of few terms have more than one way to do their task: a search with short steps alone ends in the
  // first one it meets. For the return alone that has been good enough.
  if (options_.search.aim.return_alone() || (enough && enough())) return;
  coefficients_ = cheapest({coefficients_, polished(std::move(start), wide_step, 2, enough, progress)});
}

// What fewer terms had become, with nothing of the new one; empty where there were none.
std::vector<double> DictionaryPath::grown(const std::vector<double>& had,
                                          const std::vector<std::size_t>& before) const {
  if (had.empty()) return {};
  std::vector<double> out(shape_.outputs * k_, 0.0);
  for (std::size_t o = 0; o < shape_.outputs; ++o) {
    for (std::size_t j = 0; j < before.size(); ++j) {
      const auto place = std::ranges::lower_bound(chosen_, before[j]) - chosen_.begin();
      out[o * k_ + static_cast<std::size_t>(place)] = had[o * before.size() + j];
    }
  }
  return out;
}

std::vector<double> DictionaryPath::cheapest(std::vector<std::vector<double>> starts) const {
  std::erase_if(starts, [](const std::vector<double>& one) { return one.empty(); });
  if (starts.size() == 1) return std::move(starts.front());
  std::vector<double> costs;
  costs.reserve(starts.size());
  for (const std::vector<double>& one : starts) costs.push_back(cost(one));
  return std::move(starts[static_cast<std::size_t>(std::ranges::min_element(costs) - costs.begin())]);
}

std::vector<double> DictionaryPath::polished(std::vector<double> start, double step, std::uint64_t purpose,
                                             const EnoughTime& enough, const Progress& progress) const {
  ReturnPolish polish = search(purpose);
  polish.step = step;
  const TermFunction function(shape_.terms, shape_.coordinates, start);
  std::vector<double> moved = polish_on_return(*player_, shape_, samples_.teacher().contract(), function, few_, start,
                                               polish, enough, progress);
  // A search that only sees returns can be lured away, as by a car that earns more by not moving at all.
  return cost(moved) < cost(start) ? moved : start;
}

std::unique_ptr<Policy> DictionaryPath::policy() const {
  return continuous_policy("candidate", samples_.teacher().contract(), shape_.head, shape_.squash,
                           TermFunction(shape_.terms, shape_.coordinates, coefficients_));
}

ContinuousEmbedding DictionaryPath::rounded(NumberFormat format, bool careful, const EnoughTime& enough,
                                            const Progress& progress) const {
  ContinuousCode code = shape_;
  code.format = format;
  const auto embedding = ContinuousEmbedding::make(round_coefficients(code, few_, samples_, coefficients_),
                                                   samples_.teacher().contract(), samples_.teacher().name());
  if (!careful) return without_zeros(embedding);
  ReturnPolish polish = search(100 + static_cast<std::uint64_t>(format));
  polish.episodes *= 4;
  return without_zeros(polish_rounded(*player_, embedding, polish, 2, enough, progress));
}

std::vector<double> DictionaryPath::fitted(const Progress& progress) const {
  std::vector<double> out = least_squares(few_, samples_);
  return options_.polish == PolishBy::none ? out : polish(few_, samples_, std::move(out), {}, progress);
}

double DictionaryPath::cost(std::span<const double> coefficients) const {
  const auto policy = continuous_policy("candidate", samples_.teacher().contract(), shape_.head, shape_.squash,
                                        TermFunction(shape_.terms, shape_.coordinates, coefficients));
  return options_.search.aim.cost(*player_, *policy, 2 * options_.search.episodes, search(0).seed, options_.judge.act);
}

ReturnPolish DictionaryPath::search(std::uint64_t purpose) const {
  ReturnPolish polish = options_.search;
  polish.act = options_.judge.act;
  polish.seed = options_.judge.seed;
  polish.item = ((item_ * 1000 + k_) * 1000 + purpose) * 4;
  return polish;
}

}  // namespace mercer
