#pragma once

#include "mercer/compress.hpp"

namespace mercer {

/// One dictionary, followed from one term upwards: the terms of K are those of K - 1 and the one that helps most.
class DictionaryPath {
 public:
  /// Without a player nothing is polished on return. `samples` and all else that is referred to must outlive this.
  DictionaryPath(const Player* player, const Samples& samples, const ContinuousCode& shape,
                 const DictionaryOptions& dictionary, const CompressOptions& options, std::uint64_t item);

  /// Goes to K + 1 terms, fits and polishes; false when the dictionary has no more.
  bool grow(const EnoughTime& enough, const Progress& progress);

  std::size_t k() const { return k_; }
  /// The policy of the present K, coefficients not rounded.
  std::unique_ptr<Policy> policy() const;
  /// In this format; whole numbers are polished on return one by one when `careful`.
  ContinuousEmbedding rounded(NumberFormat format, bool careful, const EnoughTime& enough,
                              const Progress& progress) const;

 private:
  std::vector<double> fitted() const;
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
  TermPath path_;
  std::uint64_t item_;
  std::size_t k_ = 0;
  std::vector<std::size_t> chosen_;   ///< rising
  Features few_;                      ///< of the chosen
  std::vector<double> coefficients_;  ///< of the chosen, a row for each output
};

}  // namespace mercer
