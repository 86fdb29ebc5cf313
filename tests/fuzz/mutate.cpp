#include "fuzz/mutate.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <sstream>

#include "fuzz/reached.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

using json = nlohmann::ordered_json;

// Every value of a document, from the outside to the inside.
void collect(json& value, std::vector<json*>& all) {
  all.push_back(&value);
  if (!value.is_structured()) return;
  for (json& inner : value) collect(inner, all);
}

json odd_value(FuzzRandom& random) {
  static const std::array<json, 22> odd{json(),
                                        true,
                                        false,
                                        0,
                                        1,
                                        -1,
                                        2,
                                        3,
                                        255,
                                        65'536,
                                        4'294'967'296,
                                        9'223'372'036'854'775'807,
                                        18'446'744'073'709'551'615U,
                                        0.5,
                                        -1e308,
                                        1e-308,
                                        1e39,
                                        "",
                                        "x",
                                        "../x",
                                        json::array(),
                                        json::object()};
  return one_of(odd, random);
}

void change_number(json& value, FuzzRandom& random) {
  if (random() % 2 == 0) {
    value = odd_value(random);
  } else if (value.is_number_float()) {
    value = value.get<double>() * (random() % 2 == 0 ? -1 : 1 + static_cast<double>(random() % 100) / 10);
  } else {
    value = value.get<std::int64_t>() / 2 + static_cast<std::int64_t>(random() % 9) - 4;
  }
}

void change_list(json& list, FuzzRandom& random) {
  if (list.empty() || random() % 4 == 0) return list.push_back(list.empty() ? odd_value(random) : list.front());
  const auto chosen = static_cast<std::ptrdiff_t>(random() % list.size());
  if (random() % 2 == 0) {
    list.erase(list.begin() + chosen);
  } else {
    const json copy = list[static_cast<std::size_t>(chosen)];
    list.insert(list.begin() + chosen, copy);
  }
}

void change_object(json& object, FuzzRandom& random) {
  if (object.empty() || random() % 8 == 0) {
    object["more"] = odd_value(random);
    return;
  }
  auto chosen = object.begin();
  std::advance(chosen, static_cast<std::ptrdiff_t>(random() % object.size()));
  if (random() % 4 == 0) {  // under another name
    const json value = chosen.value();
    const std::string name = mutated_bytes(chosen.key(), 4);
    object.erase(chosen);
    object[name] = value;
  } else if (random() % 2 == 0) {
    object.erase(chosen);
  } else {
    chosen.value() = odd_value(random);
  }
}

constexpr std::array<const char*, 24> odd_settings{"0",
                                                   "-1",
                                                   "1",
                                                   "2.5",
                                                   "1e308",
                                                   "-0.0",
                                                   "nan",
                                                   "inf",
                                                   "true",
                                                   "\"\"",
                                                   "\"x\"",
                                                   "[]",
                                                   "[[]]",
                                                   "[1, 2, 3]",
                                                   "{ }",
                                                   "1e-300",
                                                   "\"~\"",
                                                   "[0]",
                                                   "'''a'''",
                                                   "{ a.b = [1] }",
                                                   "\"\\u0000\"",
                                                   "1979-05-27",
                                                   "0x7fffffffffffffff",
                                                   "[\"a\", \"a\"]"};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace

std::size_t fuzz_mutate(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed,
                        const std::function<std::string(const std::string&, FuzzRandom&)>& change) {
  FuzzRandom random(seed);
  if (!kept_inputs().empty() && random() % 2 == 0) {
    const std::string& start = one_of(kept_inputs(), random);
    if (start.size() <= most) std::memcpy(data, start.data(), size = start.size());
  }
  if (random() % 8 == 0) return LLVMFuzzerMutate(data, size, most);
  const std::string changed = change({reinterpret_cast<const char*>(data), size}, random);
  if (changed.empty() || changed.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::memcpy(data, changed.data(), changed.size());
  return changed.size();
}

std::string mutated_bytes(const std::string& bytes, std::size_t room) {
  std::string out = bytes;
  out.resize(bytes.size() + room);
  out.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(out.data()), bytes.size(), out.size()));
  return out;
}

void mutate_json(json& document, FuzzRandom& random) {
  std::vector<json*> all;
  collect(document, all);
  json& chosen = *one_of(all, random);
  if (random() % 8 == 0) {
    const json other = *one_of(all, random);  // a copy: it may hold the chosen one
    chosen = other;
  } else if (chosen.is_array()) {
    change_list(chosen, random);
  } else if (chosen.is_object()) {
    change_object(chosen, random);
  } else if (chosen.is_number()) {
    change_number(chosen, random);
  } else if (chosen.is_string() && random() % 2 == 0) {
    chosen = mutated_bytes(chosen.get<std::string>(), 8);
  } else {
    chosen = odd_value(random);
  }
}

std::string mutated_toml(const std::string& text, const std::vector<std::string>& words, FuzzRandom& random) {
  std::vector<std::string> lines = lines_of(text);
  if (lines.empty()) return {};
  const auto any_value = [&]() -> std::string {
    const std::string& other = one_of(lines, random);
    const std::size_t equals = other.find('=');
    if (random() % 3 == 0 && equals != std::string::npos) return other.substr(equals + 1);
    if (random() % 2 == 0 && !words.empty()) return " " + one_of(words, random);
    return " " + std::string(one_of(odd_settings, random));
  };
  for (auto changes = random() % 3; changes < 3; ++changes) {
    std::string& line = one_of(lines, random);
    const std::size_t equals = line.find('=');
    const auto at = lines.begin() + (&line - lines.data());
    switch (random() % 8) {
      case 0:
        lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(random() % lines.size()), std::string(line));
        break;
      case 1:
        if (lines.size() > 1) lines.erase(at);
        break;
      case 2:
        std::swap(line, one_of(lines, random));
        break;
      case 3:
        line = mutated_bytes(line, 16);
        break;
      case 4:  // a number in the middle
        if (const std::size_t digit = line.find_first_of("0123456789", equals == std::string::npos ? 0 : equals);
            digit != std::string::npos) {
          line[digit] = static_cast<char>('0' + random() % 10);
        }
        break;
      default:
        if (equals == std::string::npos) {
          line = mutated_bytes(line, 4);
        } else {
          line = line.substr(0, equals + 1) + any_value();
        }
    }
  }
  std::string out;
  for (const std::string& line : lines) out += line + '\n';
  return out;
}
