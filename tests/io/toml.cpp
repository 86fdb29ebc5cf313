#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io/documents.hpp"
#include "io/limits.hpp"
#include "mercer/error.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"
#include "support/temporary.hpp"

namespace mercer {
namespace {

using Values = std::vector<std::string>;

class Toml : public testing::Test {
 protected:
  std::vector<TomlEntry> read(const std::string& text) {
    write_bytes(path_, text);
    return read_toml(path_);
  }
  // The one entry of that key.
  TomlEntry entry(const std::string& text, const std::string& key) {
    const std::vector<TomlEntry> entries = read(text);
    const auto is_it = [&](const TomlEntry& entry) { return entry.key == key; };
    EXPECT_EQ(std::count_if(entries.begin(), entries.end(), is_it), 1) << key;
    const auto found = std::find_if(entries.begin(), entries.end(), is_it);
    return found == entries.end() ? TomlEntry{} : *found;
  }
  void expect_bad(const std::string& message, const std::string& text) {
    expect_error(ErrorCode::bad_format, message, [&] { read(text); });
  }
  const TemporaryFolder folder_;
  const std::filesystem::path path_ = folder_ / "c.toml";
};

TEST_F(Toml, tables_become_dotted_keys_with_their_lines) {
  const std::string text = "seed = 7\n\n[rollout]\nepisodes = 10\n[rollout.noise]\nscale = 0.5\n";
  EXPECT_EQ(read(text).size(), 3U);
  EXPECT_EQ(entry(text, "seed").values, Values{"7"});
  EXPECT_EQ(entry(text, "seed").line, 1U);
  EXPECT_EQ(entry(text, "rollout.episodes").values, Values{"10"});
  EXPECT_EQ(entry(text, "rollout.episodes").line, 4U);
  EXPECT_EQ(entry(text, "rollout.noise.scale").values, Values{"0.5"});
  EXPECT_EQ(entry(text, "rollout.noise.scale").line, 6U);
}

TEST_F(Toml, dotted_keys_and_inline_tables_are_tables) {
  EXPECT_EQ(entry("rollout.episodes = 10\n", "rollout.episodes").values, Values{"10"});
  EXPECT_EQ(entry("rollout = { episodes = 10, steps = 2 }\n", "rollout.steps").values, Values{"2"});
}

TEST_F(Toml, scalars_become_text_that_options_read) {
  EXPECT_EQ(entry("k = \"a b\"\n", "k").values, Values{"a b"});
  EXPECT_EQ(entry("k = ''\n", "k").values, Values{""});
  EXPECT_EQ(entry("k = true\n", "k").values, Values{"true"});
  EXPECT_EQ(entry("k = false\n", "k").values, Values{"false"});
  EXPECT_EQ(entry("k = -9223372036854775808\n", "k").values, Values{"-9223372036854775808"});  // the smallest int64
  EXPECT_EQ(entry("k = 0x10\n", "k").values, Values{"16"});
  EXPECT_EQ(entry("k = 1_000\n", "k").values, Values{"1000"});
  EXPECT_EQ(entry("k = 0.1\n", "k").values, Values{"0.1"});
  EXPECT_EQ(entry("k = 1e-3\n", "k").values, Values{"0.001"});
  EXPECT_EQ(entry("k = inf\n", "k").values, Values{"inf"});
}

TEST_F(Toml, arrays_give_a_value_each) {
  EXPECT_EQ(entry("k = [1, 2.5, 3]\n", "k").values, (Values{"1", "2.5", "3"}));
  EXPECT_EQ(entry("k = ['a', 'b,c']\n", "k").values, (Values{"a", "b,c"}));
  EXPECT_EQ(entry("k = []\n", "k").values, Values{});
}

// Of these toml++ alone asserts the first two, and has undefined behaviour for the others.
TEST_F(Toml, mistakes_that_the_parser_takes_for_impossible) {
  expect_bad("line 2: Error while parsing key", "k = 1\n[=x]\n");
  expect_bad("line 1: Error while parsing key", "[+]\n");
  expect_bad("line 3: Error while parsing key", "a = 'é'\n# é\n[é]\n");
  expect_bad("line 1: Error while parsing key-value pair", "k = \"é\" é\n");
  expect_bad("line 1: Error while parsing", "k = [\"a\",-\"b\"=\"é\n");
  EXPECT_EQ(entry("k = \"\"\"\né\"\"\"\nc = 2 # é\n", "c").values, Values{"2"});
}

TEST_F(Toml, empty_files_and_tables_hold_nothing) {
  EXPECT_TRUE(read("").empty());
  EXPECT_TRUE(read("# only a remark\n").empty());
  EXPECT_TRUE(read("[rollout]\n").empty());
}

TEST_F(Toml, mistakes_are_told_with_file_and_line) {
  expect_bad("c.toml' line 2:", "a = 1\nb = \n");
  expect_bad("line 3:", "a = 1\n\n[rollout\n");
  expect_bad("line 2:", "a = 1\na = 2\n");  // twice the same key
  expect_bad("line 1:", "a = \"no end\n");
  expect_bad("line 1:", "a = \"\xff\"\n");  // not UTF-8
}

TEST_F(Toml, values_that_no_option_takes_are_refused_with_their_line) {
  const std::string what = "a setting is a number, text, true, false or an array of those";
  expect_bad("line 2: " + what, "a = 1\nday = 2024-05-01\n");
  expect_bad("line 1: " + what, "time = 07:32:00\n");
  expect_bad("line 1: " + what, "both = 1979-05-27T07:32:00Z\n");
  expect_bad("line 1: " + what, "nested = [[1, 2], [3]]\n");
  expect_bad("line 2: " + what, "list = [1,\n  2024-05-01]\n");
  expect_bad(what, "[[tables]]\na = 1\n");
}

// The parser follows dots to any depth, and code that walks through its tables calls itself for each.
TEST_F(Toml, is_read_down_to_its_depth) {
  const auto keys = [](std::size_t depth) {
    std::string text = "a";
    for (std::size_t i = 1; i < depth; ++i) text += ".a";
    return text;
  };
  const std::size_t most = limits::depth;
  EXPECT_EQ(read(keys(most + 1) + " = 1\n").size(), 1U);  // that many dots
  EXPECT_EQ(read("[" + keys(most) + "]\nb = 1\n").size(), 1U);
  const std::string dots(200, '.'), open(200, '[');
  EXPECT_EQ(read("a = [0.1, 0.2]\n\"x.y\" = \"" + dots + "\" # " + dots).size(), 2U);
  EXPECT_EQ(read("a = \"\"\"\n" + open + "\"\"\"\nb = '" + open + "'\n").size(), 2U);
  const std::string deep[] = {keys(most + 2) + " = 1\n",
                              "[" + keys(most + 1) + "]\n",
                              "[" + keys(30000) + "]\n",
                              keys(30000) + " = 1\n",
                              "a = {" + keys(40) + " = {" + keys(40) + " = 1}}\n",
                              "a = " + std::string(30000, '['),
                              "a = '''\n'''\n[" + keys(most + 1) + "]\n"};
  for (const std::string& text : deep) expect_bad("deeper than 64 levels", text);
  expect_bad("line 3", "a = 1\n# a\n[" + keys(100) + "]\n");
}

TEST_F(Toml, needs_the_file) {
  expect_error(ErrorCode::cannot_open, "missing.toml", [&] { read_toml(folder_ / "missing.toml"); });
}

}  // namespace
}  // namespace mercer
