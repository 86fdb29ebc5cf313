#include "export/c/c_text.hpp"
#include "export/c/fixed_plan.hpp"
#include "export/c/functions.hpp"

namespace mercer::fixed_functions {
namespace {

std::string with_q(std::string text, int q) {
  const std::pair<std::string, std::string> places[] = {{"q", std::to_string(q)}};
  return fill(std::move(text), places);
}

template <class Polynomial>
std::string table(const std::string& name, const Polynomial& polynomial) {
  std::vector<std::int64_t> numbers;
  for (std::size_t i = polynomial.size(); i-- > 0;) numbers.push_back(q30(polynomial[i]));
  return c_integer_table("int32_t", name, numbers);
}

}  // namespace

std::string multiply(int q) {
  return with_q(R"(static int32_t mul(int64_t a, int32_t b)
{
  return (int32_t)((a * b) >> @q@);
}

)",
                q);
}

std::string sine(int q) {
  return table("sine_part", sine_polynomial) +
         with_q(R"(/* sin(2 pi turns): folded into a quarter turn, then a polynomial. */
static int32_t sine(int64_t turns)
{
  const int32_t part = (int32_t)(turns & (ONE - 1)) * 4;
  const int32_t s = part <= ONE ? part : part <= 3 * ONE ? 2 * ONE - part : part - 4 * ONE;
  const int32_t square = (int32_t)(((int64_t)s * s) >> @q@);
  int64_t sum = sine_part[0];
  int i;
  for (i = 1; i < 5; i++) sum = sine_part[i] + ((sum * square) >> @q@);
  return (int32_t)((sum * s) >> 30);
}

)",
                q);
}

std::string power(int q) {
  return table("power_part", power_polynomial) + with_q(R"(/* 2^t, 30 bits after the point; t below 2^12. */
static int64_t power(int64_t t)
{
  const int n = (int)(t >> @q@);
  const int32_t part = (int32_t)(t & (ONE - 1));
  int64_t sum = power_part[0];
  int i;
  if (n < -31) return 0;
  for (i = 1; i < 7; i++) sum = power_part[i] + ((sum * part) >> @q@);
  return n < 0 ? sum >> -n : sum << n;
}

)",
                                                        q);
}

std::string bend(int q) {
  return with_q(
      R"(/* tanh(u) = (1 - e) / (1 + e) with e = exp(-2 |u|), 30 bits after the point; 1 / (1 + e) by Newton's steps. */
static int32_t bend(int64_t u)
{
  const int64_t one = (int64_t)1 << 30;
  int64_t size = u < 0 ? -u : u, e, d, y;
  int32_t t;
  int i;
  if (size > 16 * ONE) size = 16 * ONE;
  e = power(-((size * 387270501) >> 27));
  d = one + e;
  y = 1564441838 - (d >> 1);
  for (i = 0; i < 3; i++) y = (y * (2 * one - ((d * y) >> 30))) >> 30;
  t = (int32_t)(((one - e) * y) >> 30);
  return u < 0 ? -t : t;
}

)",
      q);
}

std::string square_root(int q) {
  return with_q(R"(static int32_t square_root(int64_t v)
{
  const uint64_t square = (uint64_t)v << @q@;
  uint64_t y = 0, bit;
  for (bit = (uint64_t)1 << 25; bit > 0; bit >>= 1) {
    if ((y + bit) * (y + bit) <= square) y += bit;
  }
  return (int32_t)y;
}

)",
                q);
}

}  // namespace mercer::fixed_functions
