#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "mercer/basis.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

// The settings of a basis after the colon of its text: words ("centred") and key=value pairs, each at most once.
class BasisSettings {
 public:
  BasisSettings(std::string owner, std::string_view text) : owner_(std::move(owner)) {
    while (!text.empty()) {
      const std::size_t end = text.find(',');
      const std::string_view part = text.substr(0, end);
      const std::size_t equals = part.find('=');
      const bool word = equals == std::string_view::npos;
      if (!given_.emplace(part.substr(0, equals), word ? std::string_view() : part.substr(equals + 1)).second) {
        throw Error(ErrorCode::bad_value, fmt::format("{}: '{}' is given twice", owner_, part.substr(0, equals)),
                    "Give each setting once");
      }
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
  }

  bool word(const std::string& name) {
    const std::optional<std::string> value = take(name);
    if (value && !value->empty()) {
      throw Error(ErrorCode::bad_value,
                  fmt::format("{}: '{}' takes no value, and was given '{}'", owner_, name, *value),
                  fmt::format("Write '{}' alone, or leave it out", name));
    }
    return value.has_value();
  }

  std::optional<std::size_t> integer(const std::string& key, std::size_t low, std::size_t high) {
    const std::optional<std::string> text = take(key);
    if (!text) return std::nullopt;
    std::size_t value = 0;
    const auto [end, trouble] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (trouble != std::errc{} || end != text->data() + text->size() || text->empty()) {
      throw Error(ErrorCode::bad_value, fmt::format("{}: {} is '{}', which is not an integer", owner_, key, *text),
                  fmt::format("Give an integer from {} to {}", low, high));
    }
    require_in_range(fmt::format("{}: {}", owner_, key), static_cast<double>(value), static_cast<double>(low),
                     static_cast<double>(high), "Change it in the settings of the basis");
    return value;
  }

  // One of the codes of an enum; its first value if nothing was given.
  template <Named E>
  E choice(const std::string& key) {
    const std::optional<std::string> text = take(key);
    if (!text) return E{};
    if (const std::optional<E> found = find_name<E>(*text)) return *found;
    throw_unknown(fmt::format("{} of {}", key, owner_), *text, names<E>());
  }

  void check_all_read() const {
    if (given_.empty()) return;
    if (known_.empty()) {
      throw Error(ErrorCode::unknown_name,
                  fmt::format("{} has no settings, and was given '{}'", owner_, given_.begin()->first),
                  "Leave out the ':' and what follows");
    }
    throw_unknown(fmt::format("setting of {}", owner_), given_.begin()->first, known_);
  }

 private:
  std::optional<std::string> take(const std::string& key) {
    known_.push_back(key);
    const auto found = given_.find(key);
    if (found == given_.end()) return std::nullopt;
    std::string value = found->second;
    given_.erase(found);
    return value;
  }

  std::string owner_;
  std::map<std::string, std::string> given_;
  std::vector<std::string> known_;
};

// Settings behind the colon of a text.
std::string join(const std::string& name, const std::vector<std::string>& settings) {
  return settings.empty() ? name : fmt::format("{}:{}", name, fmt::join(settings, ","));
}

WaveletOptions wavelet_options(const std::string& filter, BasisSettings& settings) {
  WaveletOptions options;
  options.filter = filter;
  options.mode = settings.choice<WaveletMode>("mode");
  options.level = settings.integer("level", 0, 40);
  return options;
}

SvdOptions svd_options(BasisSettings& settings) {
  SvdOptions options;
  options.centred = settings.word("centred");
  options.weighted = settings.word("weighted");
  options.randomised = settings.word("randomised");
  options.rank = settings.integer("rank", 1, 1'000'000).value_or(0);
  return options;
}

std::string wavelet_text(const WaveletOptions& options) {
  std::vector<std::string> settings;
  if (options.mode != WaveletMode{}) settings.push_back(fmt::format("mode={}", name(options.mode)));
  if (options.level) settings.push_back(fmt::format("level={}", *options.level));
  return join(options.filter, settings);
}

std::string svd_text(const SvdOptions& options) {
  std::vector<std::string> settings;
  if (options.centred) settings.emplace_back("centred");
  if (options.weighted) settings.emplace_back("weighted");
  if (options.randomised) settings.emplace_back("randomised");
  if (options.rank != 0) settings.push_back(fmt::format("rank={}", options.rank));
  return join("svd", settings);
}

std::string mixture_text(const std::string& name, std::size_t iterations) {
  if (iterations == BasisSpec{}.iterations) return name;
  return join(name, {fmt::format("iterations={}", iterations)});
}

// By name; all other names are those of wavelets.
constexpr std::pair<std::string_view, BasisFamily> families[] = {{"fourier", BasisFamily::fourier},
                                                                 {"dct", BasisFamily::dct},
                                                                 {"svd", BasisFamily::svd},
                                                                 {"gmm", BasisFamily::gmm},
                                                                 {"fixed-gmm", BasisFamily::fixed_gmm},
                                                                 {"mle", BasisFamily::mle}};

}  // namespace

std::vector<std::string> known_bases() {
  return {"fourier", "dct", "haar", "db1", "db2", "db3", "db4", "db5", "db6", "db7", "db8", "db9", "db10", "svd"};
}

std::vector<std::string> known_row_models() { return {"gmm", "fixed-gmm", "mle"}; }

BasisSpec::BasisSpec(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string name(text.substr(0, colon));
  std::vector<std::string> known = known_bases();
  std::ranges::move(known_row_models(), std::back_inserter(known));
  if (std::ranges::find(known, name) == known.end()) throw_unknown("basis", name, known);
  BasisSettings settings("basis '" + name + "'", colon == std::string_view::npos ? "" : text.substr(colon + 1));
  family = BasisFamily::wavelet;
  for (const auto& [own, its] : families) {
    if (name == own) family = its;
  }
  switch (family) {
    case BasisFamily::wavelet:
    case BasisFamily::tensor_wavelet:
      if (settings.word("tensor")) {
        family = BasisFamily::tensor_wavelet;
        wavelet.filter = name;
      } else {
        wavelet = wavelet_options(name, settings);
      }
      break;
    case BasisFamily::svd:
      svd = svd_options(settings);
      break;
    case BasisFamily::gmm:
    case BasisFamily::fixed_gmm:
      iterations = settings.integer("iterations", 0, 1'000'000).value_or(iterations);
      break;
    case BasisFamily::fourier:
      if (settings.word("printed")) family = BasisFamily::printed_fourier;
      break;
    case BasisFamily::printed_fourier:
    case BasisFamily::dct:
    case BasisFamily::mle:
      break;
  }
  settings.check_all_read();
}

std::string to_text(const BasisSpec& spec) {
  switch (spec.family) {
    case BasisFamily::fourier:
      return "fourier";
    case BasisFamily::printed_fourier:
      return "fourier:printed";
    case BasisFamily::dct:
      return "dct";
    case BasisFamily::wavelet:
      return wavelet_text(spec.wavelet);
    case BasisFamily::tensor_wavelet:
      return spec.wavelet.filter + ":tensor";
    case BasisFamily::svd:
      return svd_text(spec.svd);
    case BasisFamily::gmm:
      return mixture_text("gmm", spec.iterations);
    case BasisFamily::fixed_gmm:
      return mixture_text("fixed-gmm", spec.iterations);
    case BasisFamily::mle:
      break;
  }
  return "mle";
}

std::unique_ptr<Basis> make_basis(const BasisSpec& spec, std::uint64_t seed) {
  switch (spec.family) {
    case BasisFamily::fourier:
      return std::make_unique<FourierBasis>();
    case BasisFamily::printed_fourier:
      return std::make_unique<PrintedFourierBasis>();
    case BasisFamily::dct:
      return std::make_unique<CosineBasis>();
    case BasisFamily::wavelet:
      return std::make_unique<WaveletBasis>(spec.wavelet);
    case BasisFamily::tensor_wavelet:
      return std::make_unique<TensorWaveletBasis>(spec.wavelet.filter);
    case BasisFamily::svd: {
      SvdOptions options = spec.svd;
      options.sketch.seed = seed;
      return std::make_unique<SvdBasis>(options);
    }
    case BasisFamily::gmm:
    case BasisFamily::fixed_gmm:
    case BasisFamily::mle:
      break;
  }
  throw Error(ErrorCode::bad_value, fmt::format("'{}' writes every row by itself and is no basis", to_text(spec)),
              fmt::format("Take one of {}", fmt::join(known_bases(), ", ")));
}

}  // namespace mercer
