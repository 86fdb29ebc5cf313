#include "export/c/c_text.hpp"
#include "export/c/functions.hpp"

namespace mercer::float_functions {
namespace {

// c0 + v (c1 + v (c2 + ...))
template <class Polynomial>
std::string horner(const Polynomial& polynomial, const std::string& v) {
  std::string text = c_float(polynomial.back());
  for (std::size_t i = polynomial.size() - 1; i-- > 0;)
    text = fmt::format("{} + {} * ({})", c_float(polynomial[i]), v, text);
  return text;
}

}  // namespace

std::string unusable() {
  return R"(/* 1 for what is not a number, infinite or beyond 1e18: by bits, which -ffast-math leaves alone. */
static int unusable(float value)
{
  const unsigned char *from = (const unsigned char *)&value;
  uint32_t bits = 0u;
  unsigned char *to = (unsigned char *)&bits;
  to[0] = from[0];
  to[1] = from[1];
  to[2] = from[2];
  to[3] = from[3];
  return (bits & 0x7fffffffu) >= 0x5d800000u;
}

)";
}

std::string sine() {
  const std::pair<std::string, std::string> places[] = {{"sum", horner(sine_polynomial, "square")}};
  return fill(R"(/* sin(2 pi t) to 1e-7, |t| < 2^22: folded into a quarter turn, then a polynomial. */
static float sine(float t)
{
  float s, square;
  t -= (float)(int32_t)(t + (t < 0.0f ? -0.5f : 0.5f));
  s = 4.0f * t;
  s = s > 1.0f ? 2.0f - s : s < -1.0f ? -2.0f - s : s;
  square = s * s;
  return s * (@sum@);
}

)",
              places);
}

std::string power() {
  const std::pair<std::string, std::string> places[] = {{"sum", horner(power_polynomial, "t")}};
  return fill(R"(/* 2^t to 2e-7 of itself, t cut to [-126, 126]: the whole part goes into the exponent's bits. */
static float power(float t)
{
  int32_t n;
  uint32_t bits = 0u;
  float scale = 0.0f;
  const unsigned char *from = (const unsigned char *)&bits;
  unsigned char *to = (unsigned char *)&scale;
  t = t < -126.0f ? -126.0f : t > 126.0f ? 126.0f : t;
  n = (int32_t)t;
  n -= (float)n > t ? 1 : 0;
  t -= (float)n;
  bits = (uint32_t)(n + 127) << 23;
  to[0] = from[0];
  to[1] = from[1];
  to[2] = from[2];
  to[3] = from[3];
  return scale * (@sum@);
}

)",
              places);
}

std::string exponential(CMath math) {
  if (math == CMath::libm) return "static float exponential(float x)\n{\n  return expf(x);\n}\n\n";
  return "static float exponential(float x)\n{\n  return power(1.44269504f * x);\n}\n\n";
}

std::string bend(CMath math) {
  if (math == CMath::libm) return "static float bend(float u)\n{\n  return tanhf(u);\n}\n\n";
  return R"(/* tanh(u) = (1 - e) / (1 + e) with e = exp(-2 |u|), to 2e-7. */
static float bend(float u)
{
  const float e = power(u < 0.0f ? 2.88539008f * u : -2.88539008f * u);
  const float t = (1.0f - e) / (1.0f + e);
  return u < 0.0f ? -t : t;
}

)";
}

std::string square_root(CMath math) {
  if (math == CMath::libm) return "static float square_root(float x)\n{\n  return sqrtf(x);\n}\n\n";
  return R"(/* Square root of what is not negative, to 2e-7 of itself: half the exponent, then three steps of Newton's. */
static float square_root(float x)
{
  uint32_t bits = 0u;
  float y = 0.0f;
  int i;
  unsigned char *to = (unsigned char *)&bits;
  const unsigned char *from = (const unsigned char *)&x;
  if (x < 1e-30f) return 0.0f;
  for (i = 0; i < 4; i++) to[i] = from[i];
  bits = (bits >> 1) + 0x1fbd1df5u;
  to = (unsigned char *)&y;
  from = (const unsigned char *)&bits;
  for (i = 0; i < 4; i++) to[i] = from[i];
  for (i = 0; i < 3; i++) y = 0.5f * (y + x / y);
  return y;
}

)";
}

}  // namespace mercer::float_functions
