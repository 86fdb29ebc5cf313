#include <fmt/format.h>
#include <gtest/gtest.h>

#include "export/code_cases.hpp"
#include "export/compiled.hpp"
#include "export/continuous_cases.hpp"
#include "mercer/error.hpp"
#include "mercer/export.hpp"
#include "mercer/version.hpp"

namespace mercer {
namespace {

TEST(JavaScriptExport, ActsAsTheLibraryDoes) {
  if (!test::has_program("node")) GTEST_SKIP() << "node is not installed";
  const test::Folder folder;
  const std::vector<test::CodeCase> cases = test::code_cases();
  std::vector<double> stated;
  std::string program = "import { readFileSync } from \"node:fs\";\n", list;
  for (std::size_t c = 0; c < cases.size(); ++c) {
    const CodeExport made = export_js(*cases[c].file, {.name = fmt::format("m{}", c)});
    ASSERT_EQ(made.files.size(), 1U);
    stated.push_back(made.stated_error);
    test::write_file(folder.path() / made.files[0].path, made.files[0].text);
    program += fmt::format("import * as m{0} from \"./m{0}.mjs\";\n", c);
    list += fmt::format("m{}, ", c);
  }
  test::write_file(folder.path() / "main.mjs", program + "const all = [" + list + R"(];
for (const module of all) console.log(module.selftest());
for (const line of readFileSync(0, "utf8").trim().split("\n")) {
  const [one, ...obs] = line.split(" ").map((word) => Number(word.replace("inf", "Infinity")));
  console.log([all[one].act(obs)].flat().join(" "));
}
)");
  const test::CodeRun run = test::run_code("node main.mjs", folder.path(), cases);
  for (std::size_t c = 0; c < cases.size(); ++c) {
    EXPECT_EQ(run.selftests[c], 0) << cases[c].name;
    const double worst = test::worst_difference(cases[c], run.actions[c]);
    EXPECT_LE(worst, stated[c]) << cases[c].name;
    EXPECT_LE(stated[c], 1e-9) << cases[c].name;
    printf("  %-20s worst %.2g, stated %.2g\n", cases[c].name.c_str(), worst, stated[c]);
  }
}

TEST(JavaScriptExport, ChecksVectorsAndItself) {
  if (!test::has_program("node")) GTEST_SKIP() << "node is not installed";
  for (const std::string kind : {"mixed_mean", "legendre_greedy"}) {
    const test::Folder folder;
    const EmbeddingFile file = test::continuous_case(kind);
    CodeOptions options{.name = "pilot"};
    options.check = std::make_shared<const TestVectors>(make_test_vectors(file, 20, 3));
    CodeExport made = export_js(file, options);
    ASSERT_EQ(made.files.size(), 2U);
    for (const ExportedFile& one : made.files) test::write_file(folder.path() / one.path, one.text);
    EXPECT_EQ(test::complaint("node pilot_check.mjs | grep -q '20 test vectors: all actions agree'", folder.path()),
              "");

    std::string& source = made.files[0].text;  // a coefficient that is not the exported one
    const std::size_t row = source.find("const coefficient"), number = source.find_first_of("-0123456789", row);
    source.replace(number, source.find_first_of(",]", number) - number, "7.5");
    test::write_file(folder.path() / "pilot.mjs", source);
    EXPECT_NE(test::complaint("node pilot_check.mjs", folder.path()), "");
    test::write_file(folder.path() / "self.mjs",
                     "import { selftest } from \"./pilot.mjs\";\nprocess.exit(selftest() === 0 ? 1 : 0);\n");
    EXPECT_EQ(test::complaint("node self.mjs", folder.path()), "");
  }
}

// Names from a file cannot end a string or a comment, and what it says about itself is there.
TEST(JavaScriptExport, SaysWhereItComesFrom) {
  if (!test::has_program("node")) GTEST_SKIP() << "node is not installed";
  const test::Folder folder;
  EmbeddingFile file = test::continuous_case("legendre_mean");
  file.origin.teacher = "a\u2028throw 1;\u2029\n\"`${x}` * \u202e";
  file.origin.teacher_sha256 = std::string(64, 'a');
  file.certificate = Certificate{};
  const CodeExport made = export_js(file, {.name = "pilot"});
  test::write_file(folder.path() / "pilot.mjs", made.files[0].text);
  test::write_file(folder.path() / "main.mjs", fmt::format(R"(import {{ about, act }} from "./pilot.mjs";
const ok = about.mercer === "{}" && about.teacherSha256 === "a".repeat(64) && /^[0-9a-f]{{16}}$/.test(about.certificate) &&
  about.error.stated === {} && about.teacher.includes("throw 1;");
let refused = false;
try {{ act([]); }} catch (error) {{ refused = error instanceof RangeError; }}
process.exit(ok && refused ? 0 : 1);
)",
                                                           version(), made.stated_error));
  EXPECT_EQ(test::complaint("node main.mjs", folder.path()), "");
}

}  // namespace
}  // namespace mercer
