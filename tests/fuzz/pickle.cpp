#include "io/pickle.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "fuzz/mutate.hpp"
#include "fuzz/reached.hpp"
#include "mercer/error.hpp"

// libFuzzer calls this with bytes of its own making. Whatever they are, reading them ends in values or in an Error; the
// sanitizers watch how. Every value that was made is visited.

namespace {

constexpr std::array<std::string_view, 5> known{"collections.OrderedDict", "torch.*", "numpy.*", "stable_baselines3.*",
                                                "__torch__.*"};
std::size_t values = 0;

void visit(const mercer::Pickle& pickle) {
  for (const mercer::Pickle::Value& value : pickle.values()) {
    ++values;
    for (const mercer::Pickle::Place item : value.items) pickle.at(item);
    pickle.argument(value, 0);
    pickle.find(value, "weight");
    pickle.attribute(value, "mean");
  }
}

// An opcode with its arguments.
struct Step {
  std::string bytes;
};

std::uint64_t little(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

// Bytes of the arguments at the beginning of `rest`; more than there are where they end early.
std::size_t argument_size(unsigned char code, std::string_view rest) {
  const auto counted = [&](std::size_t width) {
    const std::uint64_t size = little(rest.substr(0, width));
    return width + static_cast<std::size_t>(std::min<std::uint64_t>(size, rest.size() + 1));
  };
  const auto lines = [&](int count) {
    std::size_t at = 0;
    for (int i = 0; i < count && at != std::string_view::npos; ++i) {
      at = rest.find('\n', at);
      if (at != std::string_view::npos) ++at;
    }
    return std::min(at, rest.size() + 1);
  };
  switch (code) {
    case 0x80:  // PROTO
    case 'K':
    case 'q':
    case 'h':
      return 1;
    case 'M':
      return 2;
    case 'J':
    case 'r':
    case 'j':
      return 4;
    case 'G':
    case 0x95:  // FRAME
      return 8;
    case 0x8a:  // LONG1
    case 0x8c:  // SHORT_BINUNICODE
    case 'U':
    case 'C':
      return counted(1);
    case 0x8b:  // LONG4
    case 'X':
    case 'T':
    case 'B':
      return counted(4);
    case 0x8d:  // BINUNICODE8
    case 0x8e:  // BINBYTES8
    case 0x96:  // BYTEARRAY8
      return counted(8);
    case 'c':
      return lines(2);
    default:
      return 0;
  }
}

std::vector<Step> steps_of(std::string_view pickle) {
  std::vector<Step> steps;
  while (!pickle.empty()) {
    const std::size_t size = 1 + argument_size(static_cast<unsigned char>(pickle[0]), pickle.substr(1));
    steps.push_back({std::string(pickle.substr(0, size))});
    pickle.remove_prefix(std::min(size, pickle.size()));
  }
  return steps;
}

// Opcodes that make, take or name something.
constexpr std::array<std::string_view, 34> pieces{"N",
                                                  "\x88",
                                                  "]",
                                                  "}",
                                                  ")",
                                                  "\x8f",
                                                  "(",
                                                  "t",
                                                  "l",
                                                  "a",
                                                  "e",
                                                  "s",
                                                  "u",
                                                  "0",
                                                  "1",
                                                  "2",
                                                  "\x85",
                                                  "\x86",
                                                  "\x87",
                                                  "\x91",
                                                  "\x90",
                                                  "R",
                                                  "\x81",
                                                  "b",
                                                  "Q",
                                                  "\x94",
                                                  "\x93",
                                                  "K\x05",
                                                  "M\x01\x02",
                                                  "X\x01\x00\x00\x00",
                                                  "\x8c\x06weight",
                                                  "q\x01",
                                                  "h\x01",
                                                  "ctorch\nTensor\n"};

std::string changed(const std::string& input, FuzzRandom& random) {
  std::vector<Step> steps = steps_of(input);
  if (steps.empty()) return {};
  for (auto changes = random() % 3; changes < 3; ++changes) {
    const std::size_t chosen = random() % steps.size();
    const auto at = steps.begin() + static_cast<std::ptrdiff_t>(chosen);
    switch (random() % 6) {
      case 0:
        if (steps.size() > 1) steps.erase(at);
        break;
      case 1:
        steps.insert(at, Step(one_of(steps, random)));
        break;
      case 2:
        std::swap(*at, one_of(steps, random));
        break;
      case 3:  // an argument
        if (at->bytes.size() > 1) at->bytes = at->bytes.substr(0, 1) + mutated_bytes(at->bytes.substr(1), 4);
        break;
      case 4: {  // a stretch twice
        const std::size_t count = std::min<std::size_t>(1 + random() % 8, steps.size() - chosen);
        const std::vector<Step> copy(at, at + static_cast<std::ptrdiff_t>(count));
        steps.insert(at, copy.begin(), copy.end());
        break;
      }
      default:
        steps.insert(at, {std::string(one_of(pieces, random))});
    }
  }
  std::string out;
  for (const Step& step : steps) out += step.bytes;
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  count_reached("fuzz_pickle", "were pickles", [] { return fmt::format(" of {} values", values); });
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const mercer::Pickle pickle = mercer::parse_pickle(std::as_bytes(std::span(data, size)), "fuzz.pkl", known);
    if (pickle.values().size() > 1) reached({data, size});
    visit(pickle);
  } catch (const mercer::Error&) {
    return 0;
  }
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  return fuzz_mutate(data, size, most, seed, changed);
}
