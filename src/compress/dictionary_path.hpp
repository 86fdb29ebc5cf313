#pragma once

#include "mercer/compress.hpp"

namespace mercer {

/// One dictionary, followed from one term upwards: the terms of K are those of K - 1 and the one that helps most.
class DictionaryPath {
 public:
  /// Without a player nothing is polished on return. `samples` and all else that is referred to must outlive this.
  DictionaryPath(const Player* player, const Samples& samples, const ContinuousCode& shape,
                 const DictionaryOptions& dictionary, const CompressOptions& options, std::uint64_t item,
                 const Progress& progress);
  DictionaryPath(const DictionaryPath&) = delete;  // its chooser refers to its features
  DictionaryPath& operator=(const DictionaryPath&) = delete;

  /// Goes to K + 1 terms, fits and, where that is asked for, polishes on return; false when the dictionary has no more.
  bool grow(const EnoughTime& enough, const Progress& progress);
  /// Goes to K terms, more or fewer than before, and fits to the action alone; false when the dictionary has fewer.
  bool fit(std::size_t k, const Progress& progress);
  /// Polishes on return what is there.
  void improve(const EnoughTime& enough, const Progress& progress);

  std::size_t k() const { return k_; }
  /// The policy of the present K, coefficients not rounded.
  std::unique_ptr<Policy> policy() const;
  /// In this format; integers are polished on return one by one when `careful`.
  ContinuousEmbedding rounded(NumberFormat format, bool careful, const EnoughTime& enough,
                              const Progress& progress) const;

 private:
  bool choose(std::size_t k, const Progress& progress);
  std::vector<double> fitted(const Progress& progress) const;
  void improve_from(std::vector<double> start, const EnoughTime& enough, const Progress& progress);
  std::vector<double> grown(const std::vector<double>& had, const std::vector<std::size_t>& before) const;
  std::vector<double> cheapest(std::vector<std::vector<double>> starts) const;
  std::vector<double> polished(std::vector<double> start, double step, std::uint64_t purpose, const EnoughTime& enough,
                               const Progress& progress) const;
  double cost(std::span<const double> coefficients) const;
  ReturnPolish search(std::uint64_t purpose) const;

  const Player* player_;
  const Samples& samples_;
  const CompressOptions& options_;
  ContinuousCode shape_;
  Terms dictionary_;
  Features all_;
  TermChooser chooser_;
  std::uint64_t item_;
  std::size_t k_ = 0;
  std::vector<std::size_t> chosen_;   ///< rising
  Features few_;                      ///< of the chosen
  std::vector<double> coefficients_;  ///< of the chosen, a row for each output
};

}  // namespace mercer
