#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

/// Parts of LLVMFuzzerCustomMutator: bytes changed at random rarely get past the first check of a format, so most
/// inputs are taken apart, changed as what they are, and put together again with the sizes and digests that fit.
using FuzzRandom = std::minstd_rand;

/// Changes an input, every second time one that was `reached` in its place, by `change`; every eighth time by
/// libFuzzer's own mutations instead; so too where `change` returns an empty text, or more than `most` bytes.
std::size_t fuzz_mutate(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed,
                        const std::function<std::string(const std::string& input, FuzzRandom& random)>& change);

/// The bytes after a mutation of libFuzzer's own; they may grow by `room`.
std::string mutated_bytes(const std::string& bytes, std::size_t room = 64);

/// Changes one value, key or element of a document, at any depth: numbers at the edges of what fits, other types,
/// values of other places, lists that are longer, shorter or deeper.
void mutate_json(nlohmann::ordered_json& document, FuzzRandom& random);

/// Changes a TOML text by lines: values that are those of other lines or at the edge, lines twice, away, swapped, moved
/// into other tables, keys by one letter. `words` are put in for values now and then.
std::string mutated_toml(const std::string& text, const std::vector<std::string>& words, FuzzRandom& random);

/// One of a list, which is not empty.
template <class List>
auto& one_of(List& list, FuzzRandom& random) {
  return list[random() % list.size()];
}
