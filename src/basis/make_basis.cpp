#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "mercer/basis/basis.hpp"
#include "mercer/basis/cosine.hpp"
#include "mercer/basis/fourier.hpp"
#include "mercer/basis/svd.hpp"
#include "mercer/basis/tensor_wavelet.hpp"
#include "mercer/basis/wavelet.hpp"
#include "mercer/core/error.hpp"
#include "mercer/core/nearest.hpp"

namespace mercer {
namespace {

// The settings after the colon: words ("centred") and key=value pairs, each at most once.
class Settings {
 public:
  Settings(std::string owner, std::string_view text) : owner_(std::move(owner)) {
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
      throw Error(ErrorCode::bad_value, fmt::format("{}: {} is '{}', which is not a whole number", owner_, key, *text),
                  fmt::format("Give a whole number from {} to {}", low, high));
    }
    require_in_range(fmt::format("{}: {}", owner_, key), static_cast<double>(value), static_cast<double>(low),
                     static_cast<double>(high), "Change it in the settings of the basis");
    return value;
  }

  // Which of the names, counted from 0; the first if nothing was given.
  std::size_t choice(const std::string& key, const std::vector<std::string>& names) {
    const std::optional<std::string> text = take(key);
    if (!text) return 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == *text) return i;
    }
    throw_unknown(fmt::format("{} of {}", key, owner_), *text, names);
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

std::unique_ptr<Basis> make_wavelet(const std::string& name, Settings& settings) {
  const bool tensor = settings.word("tensor");
  if (tensor) return std::make_unique<TensorWaveletBasis>(name);
  WaveletOptions options;
  options.filter = name;
  options.mode = static_cast<WaveletMode>(settings.choice("mode", {"periodization", "symmetric"}));
  options.level = settings.integer("level", 0, 40);
  return std::make_unique<WaveletBasis>(options);
}

std::unique_ptr<Basis> make_svd(Settings& settings, std::uint64_t seed) {
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
  Settings settings("basis '" + name + "'",
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
