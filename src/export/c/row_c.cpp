#include <algorithm>

#include "export/c/c_text.hpp"
#include "export/c/functions.hpp"
#include "export/c/machine.hpp"

namespace mercer {
namespace {

using Kind = RowTerms::Kind;

class RowFunctionWriter {
 public:
  RowFunctionWriter(const RowTerms& terms, const FixedRows& whole, bool fixed, std::string& text, CBody& body)
      : terms_(terms), whole_(whole), fixed_(fixed), text_(text), body_(body) {
    places_ = {{"K", std::to_string(terms.count())},
               {"L", std::to_string(terms.columns)},
               {"S", std::to_string(terms.leading)},
               {"A", std::to_string(terms.axes())},
               {"W", std::to_string(terms.most_present)},
               {"T", std::to_string(terms.low.size())},
               {"shift", std::to_string(terms.shift)},
               {"type", fixed ? "int32_t" : "float"},
               {"q", std::to_string(FixedRows::q)},
               {"down", std::to_string(whole.row_shift)},
               {"centre", fixed ? std::to_string(whole.centre) : c_float(terms.centre)}};
  }

  void write() {
    if (terms_.kind == Kind::factors) {
      write_factors();
    } else if (terms_.kind == Kind::wavelets) {
      write_wavelets();
    } else {
      write_waves();
    }
  }

 private:
  template <class T>
  void add(const std::string& type, std::size_t bytes, const std::string& name, const std::vector<T>& numbers,
           std::size_t columns = 0) {
    body_.table_bytes += add_integer_table(text_, type, bytes, name, numbers, columns);
  }
  void add_numbers(const std::string& name, const std::vector<double>& numbers, const std::vector<std::int32_t>& whole,
                   std::size_t columns = 0, bool narrow = false) {
    if (fixed_) return add(narrow ? "int16_t" : "int32_t", narrow ? 2 : 4, name, whole, columns);
    text_ += c_float_table(name, numbers, columns);
    body_.table_bytes += 4 * numbers.size();
  }
  void add_index() {
    const bool wide = !terms_.index.empty() && std::ranges::max(terms_.index) > 255;
    add(wide ? "uint16_t" : "unsigned char", wide ? 2 : 1, "index_of", terms_.index, terms_.axes());
  }
  // Sums of the fixed-point form go to 64 bits first.
  std::string begin() const { return fixed_ ? "  int64_t sums[@L@];\n" : ""; }
  std::string zero() const {
    return fixed_ ? "  for (c = 0; c < @L@; c++) sums[c] = 0;\n" : "  for (c = 0; c < @L@; c++) row[c] = 0.0f;\n";
  }
  std::string end() const {
    return fixed_ ? "  for (c = 0; c < @L@; c++) row[c] = (int32_t)(sums[c] >> @down@);\n" : "";
  }
  void put(const std::string& text) {
    Places places = places_;
    places.emplace_back("begin", begin());
    places.emplace_back("zero", zero());
    places.emplace_back("end", end());
    text_ += fill(fill(text, places), places_);
  }

  void write_factors() {
    add_numbers("left", terms_.left, whole_.left, terms_.rank, true);
    add_numbers("right", terms_.right, whole_.right, terms_.columns, true);
    put(fixed_ ? R"(/* A row of the table from its factors. */
static void fill_row(const uint32_t at[1], int32_t row[@L@])
{
  int64_t sum;
  uint32_t c, j;
  for (c = 0; c < @L@; c++) {
    sum = @centre@;
    for (j = 0; j < @K@; j++) sum += (int64_t)left[at[0]][j] * right[j][c];
    row[c] = (int32_t)(sum >> @down@);
  }
}

)"
               : R"(/* A row of the table from its factors. */
static void fill_row(const uint32_t at[1], float row[@L@])
{
  uint32_t c, j;
  for (c = 0; c < @L@; c++) row[c] = @centre@;
  for (j = 0; j < @K@; j++) {
    for (c = 0; c < @L@; c++) row[c] += left[at[0]][j] * right[j][c];
  }
}

)");
    const std::size_t work = terms_.rank * terms_.columns;
    body_.operations += {work, work, 0, 0, 2 * work};
    body_.code_bytes += 60;
  }

  void write_sine() {
    if (fixed_) {
      text_ += fmt::format("#define ONE ((int32_t)1 << {})\n", FixedRows::q) + fixed_functions::sine(FixedRows::q);
      text_ += "#undef ONE\n\n";
      body_.table_bytes += 20;
    } else {
      text_ += float_functions::sine();
    }
    body_.code_bytes += 110;
  }

  void write_waves() {
    const bool waves = terms_.kind == Kind::waves;
    add_numbers("amplitude", terms_.amplitudes, whole_.amplitudes);
    if (waves) add_numbers("phase", terms_.phases, whole_.phases);
    add_index();
    add("uint16_t", 2, "length", terms_.shape);
    write_sine();
    Places places{
        {"number", waves ? "index_of[j][i] * x % length[i]" : "index_of[j][i] * (2u * x + 1u) % (4u * length[i])"},
        {"of", waves ? "length[i]" : "(4u * length[i])"}};
    std::string part = fixed_ ? "(int64_t)(((uint64_t)(@number@) << @q@) / @of@)" : "(float)(@number@) / (float)@of@";
    if (!waves) part = fixed_ ? "sine(" + part + " + (1 << (@q@ - 2)))" : "sine(" + part + " + 0.25f)";
    text_ += fill(fill(fmt::format(R"(/* What place x of axis i brings to term j. */
static {} part(uint32_t j, uint32_t i, uint32_t x)
{{
  return {};
}}

)",
                                   fixed_ ? "int64_t" : "float", part),
                       places),
                  places_);
    const std::string sum = fixed_ ? "int64_t" : "float";
    const std::string join = waves    ? "@into@ += part(j, i, @x@);"
                             : fixed_ ? "@into@ = (@into@ * part(j, i, @x@)) >> @q@;"
                                      : "@into@ *= part(j, i, @x@);";
    const auto joined = [&](const std::string& into, const std::string& x) {
      const Places own{{"into", into}, {"x", x}};
      return fill(join, own);
    };
    const std::string add = fixed_ ? (waves ? "sums[c] += amplitude[j] * (int64_t)sine(own);" : "sums[c] += own;")
                                   : (waves ? "row[c] += amplitude[j] * sine(own);" : "row[c] += own;");
    put(fmt::format(R"(/* A row of the table from the kept coefficients. */
static void fill_row(const uint32_t at[@S@], @type@ row[@L@])
{{
@begin@  {0} lead, own;
  uint32_t i, j, c, rest;
@zero@  for (j = 0; j < @K@; j++) {{
    lead = {1}[j];
    for (i = 0; i < @S@; i++) {2}
    for (c = 0; c < @L@; c++) {{
      own = lead;
      rest = c;
      for (i = @A@; i-- > @S@; rest /= length[i]) {3}
      {4}
    }}
  }}
@end@}}

)",
                    sum, waves ? "phase" : "amplitude", joined("lead", "at[i]"), joined("own", "rest % length[i]"),
                    add));
    const std::size_t inner = terms_.count() * (terms_.leading + terms_.columns * (terms_.axes() - terms_.leading));
    const std::size_t sines = waves ? terms_.count() * terms_.columns : inner;
    body_.operations += {2 * inner + 7 * sines, 2 * inner + 6 * sines, 3 * inner, 3 * sines, 3 * inner};
    body_.code_bytes += 140;
  }

  void write_wavelets() {
    add_numbers("amplitude", terms_.amplitudes, whole_.amplitudes);
    add_index();
    add("unsigned char", 1, "level_of", terms_.level, terms_.axes());
    add_numbers("low_tap", terms_.low, whole_.low);
    add_numbers("high_tap", terms_.high, whole_.high);
    std::size_t deepest = 1;
    for (const auto& lengths : terms_.lengths) deepest = std::max(deepest, lengths.size());
    std::vector<std::uint32_t> lengths, levels;
    for (const auto& own : terms_.lengths) {
      levels.push_back(static_cast<std::uint32_t>(own.size()));
      for (std::size_t l = 0; l < deepest; ++l) lengths.push_back(l < own.size() ? own[l] : 1);
    }
    add("uint16_t", 2, "length", lengths, deepest);
    add("unsigned char", 1, "levels", levels);
    places_.emplace_back("D", std::to_string(deepest));
    places_.emplace_back("one", fixed_ ? "(int32_t)1 << @q@" : "1.0f");
    places_.emplace_back("none", fixed_ ? "0" : "0.0f");
    const auto product = [&](const std::string& a, const std::string& b) {
      return fixed_ ? fmt::format("(int32_t)(((int64_t){} * {}) >> @q@)", a, b) : fmt::format("{} * {}", a, b);
    };
    places_.emplace_back("low", product("finer->low[i]", "low_tap[tap]"));
    places_.emplace_back("high", product("finer->low[i]", "high_tap[tap]"));
    places_.emplace_back(
        "times", fixed_ ? "(@into@ * weight(&here[i][level_of[j][i] / 2], index_of[j][i], level_of[j][i] & 1)) >> @q@"
                        : "@into@ * weight(&here[i][level_of[j][i] / 2], index_of[j][i], level_of[j][i] & 1)");
    places_.emplace_back("sum", fixed_ ? "int64_t" : "float");
    places_.emplace_back("target", fixed_ ? "sums" : "row");
    std::string text = R"(/* The numbers of one level that a place gives weight to. */
typedef struct {
  @type@ low[@W@], high[@W@];
  uint32_t index[@W@], count;
} present;

/* From a level to the next coarser one, which has `half` numbers. */
static void coarsen(const present *finer, present *here, int32_t half)
{
  uint32_t i, k, tap;
  int32_t number;
  here->count = 0;
  for (i = 0; i < finer->count; i++) {
    for (tap = (finer->index[i] + @shift@u) % 2u; tap < @T@u; tap += 2) {
      number = ((int32_t)(finer->index[i] + tap) - @shift@) / 2 % half;
      number += number < 0 ? half : 0;
      for (k = 0; k < here->count && here->index[k] != (uint32_t)number; k++) continue;
      if (k == here->count) {
        here->index[k] = (uint32_t)number;
        here->low[k] = @none@;
        here->high[k] = @none@;
        here->count++;
      }
      here->low[k] += @low@;
      here->high[k] += @high@;
    }
  }
}

/* All levels of an axis at a place. */
static void look(uint32_t axis, uint32_t at, present here[@D@])
{
  uint32_t l;
  here[0].count = 1;
  here[0].index[0] = at;
  here[0].low[0] = @one@;
  here[0].high[0] = @none@;
  for (l = 1; l < levels[axis]; l++) coarsen(&here[l - 1], &here[l], length[axis][l]);
}

static @type@ weight(const present *here, uint32_t index, int high)
{
  uint32_t k;
  for (k = 0; k < here->count; k++) {
    if (here->index[k] == index) return high ? here->high[k] : here->low[k];
  }
  return @none@;
}

/* A row of the table from the kept coefficients. */
static void fill_row(const uint32_t at[@S@], @type@ row[@L@])
{
@begin@  present here[@A@][@D@];
  @sum@ own;
  uint32_t i, j, c, rest;
@zero@  for (i = 0; i < @S@; i++) look(i, at[i], here[i]);
  for (c = 0; c < @L@; c++) {
    rest = c;
    for (i = @A@; i-- > @S@; rest /= length[i][0]) look(i, rest % length[i][0], here[i]);
    for (j = 0; j < @K@; j++) {
      own = amplitude[j];
      for (i = 0; i < @A@; i++) own = @times@;
      @target@[c] += own;
    }
  }
@end@}

)";
    const Places into{{"into", "own"}};
    put(fill(fill(text, places_), into));
    const std::size_t inner = terms_.count() * terms_.columns * terms_.axes(), w = terms_.most_present;
    const std::size_t looks =
        (terms_.leading + terms_.columns * (terms_.axes() - terms_.leading)) * deepest * w * terms_.low.size() / 2;
    body_.operations += {inner + 2 * looks, inner + 3 * looks, looks, inner * w + looks * w, inner * w + looks * w};
    body_.code_bytes += 330;
    body_.ram_bytes += terms_.axes() * deepest * (12 * w + 4);
  }

  const RowTerms& terms_;
  const FixedRows& whole_;
  bool fixed_;
  Places places_;
  std::string& text_;
  CBody& body_;
};

}  // namespace

void write_row_functions(const RowTerms& terms, const FixedRows& whole, const COptions& options, std::string& text,
                         CBody& body) {
  RowFunctionWriter(terms, whole, options.numbers == CNumbers::fixed, text, body).write();
}

}  // namespace mercer
