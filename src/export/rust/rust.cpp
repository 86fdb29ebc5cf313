#include "export/rust/rust.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "export/c/c_text.hpp"

namespace mercer {

std::string rust_float(double value) {
  std::string text = c_float(value);
  text.pop_back();  // the f
  return text;
}

namespace {

struct Whole {
  const char* type;
  double low, high;
  std::size_t bytes;
};

constexpr Whole wholes[] = {{"u8", 0, 255, 1},           {"i8", -128, 127, 1},
                            {"u16", 0, 65535, 2},        {"i16", -32768, 32767, 2},
                            {"u32", 0, 4294967295.0, 4}, {"u64", 0, std::numeric_limits<double>::max(), 8}};

constexpr std::string_view keywords[] = {
    "abstract", "alloc", "as",     "async",  "await",   "become", "box",     "break", "const", "continue", "core",
    "crate",    "do",    "dyn",    "else",   "enum",    "extern", "false",   "final", "fn",    "for",      "if",
    "impl",     "in",    "let",    "loop",   "macro",   "match",  "mod",     "move",  "mut",   "override", "priv",
    "pub",      "ref",   "return", "self",   "static",  "std",    "struct",  "super", "test",  "trait",    "true",
    "try",      "type",  "typeof", "unsafe", "unsized", "use",    "virtual", "where", "while", "yield"};

std::string upper(std::string name) {
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

CodeTable reals(const char* name, std::size_t columns, std::vector<double> numbers) {
  return {name, true, columns, std::move(numbers)};
}

constexpr const char* unusable = R"(/// Not a number, infinite or beyond 1e18.
fn unusable(value: f32) -> bool {
    !(value > -1e18 && value < 1e18)
}

)";

// `act` of a continuous embedding, of a lattice, and of each with discrete actions.
std::string act_function(const CodeSubject& subject) {
  const std::string doc = "/// The action for an observation; the safe action if a number in it is not usable.\n";
  if (subject.lattice) {
    return doc + (subject.discrete() ? R"(pub fn act(obs: &[f32; OBSERVATIONS]) -> usize {
    match find(obs) {
        Some(row) => ROW[row] as usize,
        None => SAFE[0] as usize,
    }
}

)"
                                     : R"(pub fn act(obs: &[f32; OBSERVATIONS]) -> [f32; ACTIONS] {
    match find(obs) {
        Some(row) => ROW[row],
        None => SAFE,
    }
}

)");
  }
  const Places places{{"O", std::to_string(subject.continuous->flat.outputs)},
                      {"u", subject.continuous->squash ? "bend(out[i])" : "out[i]"}};
  return fill(doc + (subject.discrete() ? R"(pub fn act(obs: &[f32; OBSERVATIONS]) -> usize {
    let mut out = [0.0f32; @O@];
    if !evaluate(obs, &mut out) {
        return SAFE[0] as usize;
    }
    let mut best = 0;
    for i in 1..@O@ {
        if out[i] > out[best] {
            best = i;
        }
    }
    best
}

)"
                                        : R"(pub fn act(obs: &[f32; OBSERVATIONS]) -> [f32; ACTIONS] {
    let mut out = [0.0f32; @O@];
    if !evaluate(obs, &mut out) {
        return SAFE;
    }
    let mut act = [0.0; ACTIONS];
    for i in 0..ACTIONS {
        let [centre, scale, low, high] = ACTION[i];
        let a = centre + scale * @u@;
        act[i] = if a < low { low } else if a > high { high } else { a };
    }
    act
}

)"),
              places);
}

std::string selftest(const CodeSubject& subject, double stated_error) {
  const CodeCases& cases = subject.cases;
  const std::size_t n = subject.outside().observations(), m = subject.outside().actions();
  const std::size_t count = cases.given.size() / n, each = cases.numbers.size() / count;
  const bool discrete = subject.discrete();
  std::size_t ignored = 0;
  std::string tables = rust_table(reals("test_obs", n, cases.given), ignored);
  tables += rust_table({"test_act", !discrete, discrete ? 0 : m, cases.expected}, ignored);
  if (!discrete)
    tables += rust_table(reals("test_limit", 0, case_limits(subject.outside(), stated_error, nullptr)), ignored);
  if (each > 0) tables += rust_table(reals("test_out", each, cases.numbers), ignored);
  const std::string compare = discrete ? R"(        if act(&TEST_OBS[i]) != TEST_ACT[i] as usize {
            return Err(i + 1);
        }
)"
                                       : R"(        let act = act(&TEST_OBS[i]);
        for j in 0..ACTIONS {
            let off = act[j] - TEST_ACT[i][j];
            if !(off <= TEST_LIMIT[j] && off >= -TEST_LIMIT[j]) {
                return Err(i + 1);
            }
        }
)";
  const std::string numbers = each == 0 ? ""
                                        : fmt::format(R"(        let mut out = [0.0f32; {0}];
        evaluate(&TEST_OBS[i], &mut out);
        for j in 0..{0} {{
            let off = out[j] - TEST_OUT[i][j];
            if !(off <= {1} && off >= -{1}) {{
                return Err(i + 1);
            }}
        }}
)",
                                                      each, rust_float(2 * stated_error));
  return fill(tables + R"(
/// Checks that stored observations give the stored actions here; otherwise the number of the first case that does not.
pub fn selftest() -> Result<(), usize> {
    for i in 0..TEST_OBS.len() {
@compare@@numbers@    }
    // The last observation is not a number: the safe action.
    let mut obs = TEST_OBS[0];
    obs[OBSERVATIONS - 1] = f32::NAN;
    if act(&obs) != @safe@ {
        return Err(TEST_OBS.len() + 1);
    }
    Ok(())
}
)",
              Places{{"compare", compare}, {"numbers", numbers}, {"safe", discrete ? "SAFE[0] as usize" : "SAFE"}});
}

std::string manifest(const CodeOptions& options, const CodeSubject& subject) {
  std::string description = c_comment(subject.what);
  std::erase_if(description, [](char c) { return c == '"' || c == '\\' || c < ' ' || c > '~'; });
  return fmt::format(R"([package]
name = "{}"
version = "0.1.0"
edition = "2021"
description = "{}"
publish = false

[lib]
path = "src/lib.rs"
)",
                     options.name, description);
}

std::string example(const CodeOptions& options, const CodeSubject& subject) {
  std::string observation;
  for (std::size_t d = 0; d < subject.outside().observations(); ++d)
    observation += (d == 0 ? "" : ", ") + rust_float(subject.cases.given[d]);
  return fmt::format(
      R"(//! Checks the controller, then asks it for the action at the first observation of the self-test, which need not
//! occur in the task: cargo run --example act

fn main() {{
    if let Err(case) = {0}::selftest() {{
        println!("self-test: case {{}} failed", case);
        std::process::exit(1);
    }}
    let obs = [{1}];
    println!("observation {{:?}}", obs);
    println!("action {{:?}}", {0}::act(&obs));
}}
)",
      options.name, observation);
}

std::string check(const CodeOptions& options, const CodeSubject& subject, double stated_error) {
  const TestVectors& vectors = *options.check;
  const std::size_t n = subject.outside().observations(), m = subject.outside().actions();
  const bool discrete = subject.discrete();
  std::size_t ignored = 0;
  std::string tables = rust_table(reals("check_obs", n, vectors.observations), ignored);
  tables += rust_table({"check_act", !discrete, discrete ? 0 : m, vectors.actions}, ignored);
  if (!discrete)
    tables += rust_table(reals("check_limit", 0, case_limits(subject.outside(), stated_error, &vectors)), ignored);
  return fill(R"(//! Checks @name@ with @count@ test vectors, seed @seed@: cargo test

@tables@
#[test]
fn vectors() {
    for i in 0..CHECK_OBS.len() {
        let act = @name@::act(&CHECK_OBS[i]);
@compare@    }
}
)",
              Places{{"tables", tables},
                     {"name", options.name},
                     {"count", std::to_string(vectors.count())},
                     {"seed", std::to_string(vectors.seed)},
                     {"compare", discrete ? "        assert_eq!(act, CHECK_ACT[i] as usize, \"vector {}\", i + 1);\n"
                                          : R"(        for j in 0..act.len() {
            let off = (act[j] - CHECK_ACT[i][j]).abs();
            assert!(off <= CHECK_LIMIT[j], "vector {}: action {} is {} and not {}", i + 1, j, act[j], CHECK_ACT[i][j]);
        }
)"}});
}

double table_error(const CodeSubject& subject) {
  double worst = 0;
  const std::vector<double>& rows = subject.find("row")->numbers;
  const std::size_t m = subject.outside().actions();
  for (std::size_t i = 0; i < rows.size(); ++i)
    worst = std::max(worst, std::abs(static_cast<float>(rows[i]) - rows[i]) / subject.outside().width(i % m));
  return worst;
}

}  // namespace

std::string rust_table(const CodeTable& table, std::size_t& bytes) {
  const std::size_t count = table.numbers.size();
  std::string type = "f32";
  std::size_t each = 4;
  if (!table.real) {
    const auto ends = std::ranges::minmax(table.numbers);
    const Whole* whole =
        std::ranges::find_if(wholes, [&](const Whole& w) { return w.low <= ends.min && ends.max <= w.high; });
    type = whole->type;
    each = whole->bytes;
  }
  bytes += each * count;
  if (table.columns > 0) type = fmt::format("[{}; {}]", type, table.columns);
  const auto number = [&](double value) { return table.real ? rust_float(value) : fmt::format("{:.0f}", value); };
  return fmt::format("static {}: [{}; {}] = [{}];\n", upper(table.name), type,
                     table.columns > 0 ? count / table.columns : count, table_text(table, number, '[', ']'));
}

CodeExport export_rust(const EmbeddingFile& file, const CodeOptions& options) {
  const CodeSubject subject = code_subject(file, options, keywords);
  CodeExport made;
  // The C without a library does the same in the same order.
  made.error = subject.continuous ? float_body(*subject.continuous, {.math = CMath::none}).error : table_error(subject);
  made.stated_error = with_margin(1.5 * made.error, 1e-6);
  std::string tables;
  for (const CodeTable& table : subject.tables) tables += rust_table(table, made.table_bytes);
  std::string source = code_notes(file, options, subject, made, "//!");
  source += "#![no_std]\n#![forbid(unsafe_code)]\n\n/// Numbers of an observation.\n";
  source += fmt::format("pub const OBSERVATIONS: usize = {};\n", subject.outside().observations());
  source +=
      subject.discrete()
          ? fmt::format("/// Actions to choose from: `act` gives the number of one.\npub const CHOICES: usize = {};\n",
                        subject.outside().contract.action.count)
          : fmt::format("/// Numbers of an action.\npub const ACTIONS: usize = {};\n", subject.outside().actions());
  source += "\n" + tables + "\n" + unusable;
  source += subject.continuous ? rust_continuous(*subject.continuous) : rust_lattice(*subject.lattice);
  source += act_function(subject) + selftest(subject, made.stated_error);
  made.files = {{"Cargo.toml", manifest(options, subject)},
                {"src/lib.rs", std::move(source)},
                {"examples/act.rs", example(options, subject)}};
  if (options.check) made.files.push_back({"tests/check.rs", check(options, subject, made.stated_error)});
  return made;
}

std::string rust_lattice(const LatticeController& controller) {
  const bool full = controller.full(), nearest = controller.code.play.unvisited == Unvisited::nearest;
  std::string text;
  if (!full && nearest) {
    text += R"(/// The row whose cell has its middle nearest, each observation in units of its range.
fn nearest(obs: &[f32; OBSERVATIONS]) -> usize {
    let (mut least, mut best) = (3e38f32, 0);
    for (row, key) in KEY.iter().enumerate() {
        let (mut number, mut distance, mut end) = (*key as u64, 0.0, EDGE.len());
        for i in (0..OBSERVATIONS).rev() {
            let bins = BINS[i] as usize;
            let first = end - bins - 1;
            let at = first + (number % bins as u64) as usize;
            number /= bins as u64;
            let away = (0.5 * (EDGE[at] + EDGE[at + 1]) - obs[i]) / (EDGE[end - 1] - EDGE[first]);
            distance += away * away;
            end = first;
        }
        if distance < least {
            least = distance;
            best = row;
        }
    }
    best
}

)";
  }
  const std::string row = full ? "    Some(cell as usize)\n"
                               : fmt::format(R"(    match KEY.binary_search_by(|key| (*key as u64).cmp(&cell)) {{
        Ok(row) => Some(row),
        Err(_) => Some({}),
    }}
)",
                                             nearest ? "nearest(obs)" : "KEY.len()");
  return text + R"(/// The row of an observation; none if it is not usable.
fn find(obs: &[f32; OBSERVATIONS]) -> Option<usize> {
    let (mut cell, mut first) = (0u64, 0);
    for i in 0..OBSERVATIONS {
        if unusable(obs[i]) {
            return None;
        }
        // How many of the inner edges are not above it, by halving.
        let bins = BINS[i] as usize;
        let (mut found, mut count) = (0, bins - 1);
        while count > 0 {
            let half = (count + 1) / 2;
            if EDGE[first + found + half] <= obs[i] {
                found += half;
            }
            count -= half;
        }
        cell = cell * bins as u64 + found as u64;
        first += bins + 1;
    }
)" + row +
         "}\n\n";
}

}  // namespace mercer
