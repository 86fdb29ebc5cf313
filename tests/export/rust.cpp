#include <fmt/format.h>
#include <gtest/gtest.h>

#include "export/code_cases.hpp"
#include "export/compiled.hpp"
#include "export/continuous_cases.hpp"
#include "mercer/error.hpp"
#include "mercer/export.hpp"

namespace mercer {
namespace {

// Debian's, not one of a user's own that comes first on the path.
constexpr const char* rustc = "/usr/bin/rustc";
bool no_rust() { return !test::has_program(rustc); }

const std::string& source_of(const CodeExport& made) { return made.files[1].text; }

// The crate as a module of a test's program: all kinds are then compiled at once.
std::string as_module(std::string source) {
  for (const char* line : {"#![no_std]\n", "#![forbid(unsafe_code)]\n"}) {
    const std::size_t at = source.find(line);
    EXPECT_NE(at, std::string::npos);
    source.erase(at, std::string(line).size());
  }
  return source;
}

TEST(RustExport, ActsAsTheLibraryDoes) {
  if (no_rust()) GTEST_SKIP() << "rustc is not installed";
  const test::Folder folder;
  const std::vector<test::CodeCase> cases = test::code_cases();
  std::vector<double> stated;
  std::string modules, checks, acts;
  for (std::size_t c = 0; c < cases.size(); ++c) {
    const CodeExport made = export_rust(*cases[c].file);
    stated.push_back(made.stated_error);
    test::write_file(folder.path() / fmt::format("m{}.rs", c), as_module(source_of(made)));
    modules += fmt::format("mod m{};\n", c);
    checks += fmt::format("    println!(\"{{}}\", match m{}::selftest() {{ Ok(()) => 0, Err(i) => i }});\n", c);
    acts += fmt::format("            {0} => {1},\n", c,
                        cases[c].discrete() ? fmt::format("println!(\"{{}}\", m{}::act(&array(&numbers)))", c)
                                            : fmt::format("show(&m{}::act(&array(&numbers)))", c));
  }
  test::write_file(folder.path() / "main.rs", "#![deny(warnings)]\n#![allow(dead_code)]\n" + modules + R"(
use std::io::BufRead;

fn array<const N: usize>(numbers: &[f32]) -> [f32; N] {
    numbers.try_into().unwrap()
}

fn show(act: &[f32]) {
    println!("{}", act.iter().map(|a| a.to_string()).collect::<Vec<_>>().join(" "));
}

fn main() {
)" + checks + R"(    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let mut words = line.split(' ');
        let case: usize = words.next().unwrap().parse().unwrap();
        let numbers: Vec<f32> = words.map(|w| w.parse().unwrap()).collect();
        match case {
)" + acts + "            _ => panic!(),\n        }\n    }\n}\n");
  // With checks of overflow and of subscripts.
  ASSERT_EQ(
      test::complaint(fmt::format("{} --edition 2021 -C debug-assertions=on main.rs -o main", rustc), folder.path()),
      "");
  const test::CodeRun run = test::run_code("./main", folder.path(), cases);
  for (std::size_t c = 0; c < cases.size(); ++c) {
    EXPECT_EQ(run.selftests[c], 0) << cases[c].name;
    const double worst = test::worst_difference(cases[c], run.actions[c]);
    EXPECT_LE(worst, stated[c]) << cases[c].name;
    EXPECT_LE(stated[c], 1e-5) << cases[c].name;
    printf("  %-20s worst %.2g, stated %.2g\n", cases[c].name.c_str(), worst, stated[c]);
  }
}

// The files as they are written: a crate without std, its example, and its test of vectors, all without a warning.
TEST(RustExport, TheCrateCompilesWithoutStd) {
  if (no_rust()) GTEST_SKIP() << "rustc is not installed";
  for (const std::string kind : {"mixed_mean", "legendre_greedy"}) {
    const test::Folder folder;
    const EmbeddingFile file = test::continuous_case(kind);
    CodeOptions options{.name = "pilot"};
    options.check = std::make_shared<const TestVectors>(make_test_vectors(file, 20, 3));
    const CodeExport made = export_rust(file, options);
    for (const ExportedFile& one : made.files) test::write_file(folder.path() / one.path, one.text);
    const std::string compile = fmt::format("{} --edition 2021 -D warnings -D missing_docs", rustc);
    EXPECT_EQ(test::complaint(compile + " --crate-type rlib --crate-name pilot src/lib.rs", folder.path()), "");
    const std::string linked = fmt::format("{} --edition 2021 -D warnings --extern pilot=libpilot.rlib", rustc);
    EXPECT_EQ(test::complaint(linked + " examples/act.rs -o act && ./act && ./act | grep -q '^action '", folder.path()),
              "");
    EXPECT_EQ(test::complaint(linked + " --test tests/check.rs -o check && ./check", folder.path()), "");
    EXPECT_EQ(source_of(made).find("std::"), std::string::npos);
    EXPECT_EQ(source_of(made).find("alloc"), std::string::npos);
  }
}

// The self-test and the test of vectors notice a coefficient that is not the exported one.
TEST(RustExport, TestsSeeATamperedCoefficient) {
  if (no_rust()) GTEST_SKIP() << "rustc is not installed";
  const test::Folder folder;
  const EmbeddingFile file = test::continuous_case("legendre_mean");
  CodeOptions options{.name = "pilot"};
  options.check = std::make_shared<const TestVectors>(make_test_vectors(file, 20, 3));
  CodeExport made = export_rust(file, options);
  std::string& source = made.files[1].text;
  const std::size_t row = source.find("static COEFFICIENT"),
                    number = source.find_first_of("-0123456789", source.find("= [", row));
  source.replace(number, source.find_first_of(",]", number) - number, "7.5");
  for (const ExportedFile& one : made.files) test::write_file(folder.path() / one.path, one.text);
  const std::string compile = fmt::format("{} --edition 2021", rustc);
  ASSERT_EQ(test::complaint(compile + " --crate-type rlib --crate-name pilot src/lib.rs", folder.path()), "");
  const std::string linked = compile + " --extern pilot=libpilot.rlib";
  ASSERT_EQ(test::complaint(linked + " examples/act.rs -o act && " + linked + " --test tests/check.rs -o check",
                            folder.path()),
            "");
  EXPECT_NE(test::complaint("./act", folder.path()), "");
  EXPECT_NE(test::complaint("./check", folder.path()), "");
}

TEST(RustExport, NamesAreOfTheLanguage) {
  const EmbeddingFile file = test::continuous_case("legendre_mean");
  for (const char* name : {"", "1st", "a-b", "Pilot", "_x", "fn", "core", "self"})
    EXPECT_THROW(export_rust(file, {.name = name}), Error) << name;
  EXPECT_NO_THROW(export_rust(file, {.name = "pilot_2"}));
}

}  // namespace
}  // namespace mercer
