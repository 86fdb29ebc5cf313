#include <algorithm>

#include "basis/settings.hpp"
#include "mercer/basis/basis.hpp"
#include "mercer/basis/cosine.hpp"
#include "mercer/basis/fourier.hpp"
#include "mercer/basis/svd.hpp"
#include "mercer/basis/tensor_wavelet.hpp"
#include "mercer/basis/wavelet.hpp"
#include "mercer/core/nearest.hpp"

namespace mercer {
namespace {

std::unique_ptr<Basis> make_wavelet(const std::string& name, BasisSettings& settings) {
  const bool tensor = settings.word("tensor");
  if (tensor) return std::make_unique<TensorWaveletBasis>(name);
  WaveletOptions options;
  options.filter = name;
  options.mode = static_cast<WaveletMode>(settings.choice("mode", {"periodization", "symmetric"}));
  options.level = settings.integer("level", 0, 40);
  return std::make_unique<WaveletBasis>(options);
}

std::unique_ptr<Basis> make_svd(BasisSettings& settings, std::uint64_t seed) {
  SvdOptions options;
  options.centred = settings.word("centred");
  options.weighted = settings.word("weighted");
  options.randomised = settings.word("randomised");
  options.rank = settings.integer("rank", 1, 1'000'000).value_or(0);
  options.sketch.seed = seed;
  return std::make_unique<SvdBasis>(options);
}

}  // namespace

std::vector<std::string> known_bases() {
  return {"fourier", "dct", "haar", "db1", "db2", "db3", "db4", "db5", "db6", "db7", "db8", "db9", "db10", "svd"};
}

std::unique_ptr<Basis> make_basis(std::string_view spec, std::uint64_t seed) {
  const std::size_t colon = spec.find(':');
  const std::string name(spec.substr(0, colon));
  BasisSettings settings("basis '" + name + "'",
                         colon == std::string_view::npos ? std::string_view() : spec.substr(colon + 1));
  std::unique_ptr<Basis> basis;
  if (name == "fourier") {
    basis = std::make_unique<FourierBasis>();
  } else if (name == "dct") {
    basis = std::make_unique<CosineBasis>();
  } else if (name == "svd") {
    basis = make_svd(settings, seed);
  } else if (name == "haar" || name.starts_with("db")) {
    const std::vector<std::string> known = known_bases();
    if (std::find(known.begin(), known.end(), name) == known.end()) throw_unknown("basis", name, known);
    basis = make_wavelet(name, settings);
  } else {
    throw_unknown("basis", name, known_bases());
  }
  settings.check_all_read();
  return basis;
}

}  // namespace mercer
