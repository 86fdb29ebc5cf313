#include "io/sha256.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <vector>

#include <fmt/format.h>

#include "mercer/error.hpp"

namespace mercer {
namespace {

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes, as FIPS 180-4 defines them. Cube
// roots of primes below 312 to 40 bits by integer search, so that no table can hold a slip.
constexpr std::array<std::uint32_t, 64> round_constants() {
  std::array<std::uint32_t, 64> constants{};
  std::size_t found = 0;
  for (std::uint64_t candidate = 2; found < constants.size(); ++candidate) {
    bool prime = true;
    for (std::uint64_t divisor = 2; divisor * divisor <= candidate; ++divisor) prime &= candidate % divisor != 0;
    if (!prime) continue;
    __extension__ using Wide = unsigned __int128;
    std::uint64_t root = 0;  // floor(cbrt(candidate) * 2^32), below 2^35
    for (std::uint64_t bit = std::uint64_t{1} << 35; bit > 0; bit >>= 1) {
      const Wide tried = root | bit;
      if (tried * tried * tried <= static_cast<Wide>(candidate) << 96) root |= bit;
    }
    constants[found++] = static_cast<std::uint32_t>(root);
  }
  return constants;
}

class Sha256 {
 public:
  void add(const unsigned char* data, std::size_t count) {
    length_ += count;
    while (count > 0) {
      const std::size_t taken = std::min(count, block_.size() - filled_);
      std::memcpy(block_.data() + filled_, data, taken);
      filled_ += taken;
      data += taken;
      count -= taken;
      if (filled_ == block_.size()) compress();
    }
  }

  std::string finish() {
    const std::uint64_t bits = length_ * 8;
    const unsigned char one = 0x80, zero = 0;
    add(&one, 1);
    while (filled_ != 56) add(&zero, 1);
    std::array<unsigned char, 8> tail{};
    for (std::size_t i = 0; i < 8; ++i) tail[i] = static_cast<unsigned char>(bits >> (56 - 8 * i));
    add(tail.data(), tail.size());
    std::string text;
    for (const std::uint32_t word : state_) text += fmt::format("{:08x}", word);
    return text;
  }

 private:
  void compress() {
    static constexpr auto k = round_constants();
    std::array<std::uint32_t, 64> w{};
    for (std::size_t i = 0; i < 16; ++i) {
      for (std::size_t b = 0; b < 4; ++b) w[i] = w[i] << 8 | block_[4 * i + b];
    }
    for (std::size_t i = 16; i < 64; ++i) {
      const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
      const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = state_;
    for (std::size_t i = 0; i < 64; ++i) {
      const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
      const std::uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + k[i] + w[i];
      const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
      const std::uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    const std::array<std::uint32_t, 8> mixed{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < 8; ++i) state_[i] += mixed[i];
    filled_ = 0;
  }

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> block_{};
  std::size_t filled_ = 0;
  std::uint64_t length_ = 0;
};

}  // namespace

std::string sha256(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.add(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  return hash.finish();
}

std::string sha256(std::string_view text) { return sha256(std::as_bytes(std::span(text))); }

std::string sha256_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  Sha256 hash;
  std::vector<char> piece(1 << 16);
  while (in) {
    in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    hash.add(reinterpret_cast<const unsigned char*>(piece.data()), static_cast<std::size_t>(in.gcount()));
  }
  if (!in.eof()) {
    throw Error(ErrorCode::cannot_open, fmt::format("cannot read '{}'", path.string()),
                "Check that it exists and may be read");
  }
  return hash.finish();
}

}  // namespace mercer
