#include "io/pickle.hpp"

#include <gtest/gtest.h>

#include "io/numpy_values.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"
#include "support/pickle_writer.hpp"

namespace mercer {
namespace {

constexpr std::string_view known_here[] = {"numpy.*", "collections.OrderedDict", "_codecs.encode", "some.module.*"};

Pickle parse_known(const std::string& content) { return parse_pickle(as_bytes(content), "a.pkl", known_here); }

void expect_pickle_refused(ErrorCode code, const std::string& part, const std::string& content) {
  expect_error(code, part, [&] { parse_known(content); });
}

TEST(Pickle, plain_values_are_what_python_wrote) {
  // pickle.dumps({"a": [1, -2, 300, 2**40, -2**40, 1.5, None, True], "b": ("x", b"y")}, protocol=4)
  const std::string content(
      "\x80\x04\x95@\x00\x00\x00\x00\x00\x00\x00}\x94(\x8c\x01"
      "a\x94]\x94(K\x01J\xfe\xff\xff\xffM,\x01\x8a\x06\x00\x00\x00\x00\x00\x01\x8a\x06\x00\x00\x00\x00\x00\xffG?\xf8"
      "\x00\x00\x00\x00\x00\x00N\x88"
      "e\x8c\x01"
      "b\x94\x8c\x01x\x94"
      "C\x01y\x94\x86\x94u.",
      75);
  const Pickle pickle = parse_known(content);
  const Pickle::Value* list = pickle.find(pickle.root(), "a");
  ASSERT_NE(list, nullptr);
  const auto integer = [&](std::size_t i) { return pickle.argument(*list, i)->integer; };
  EXPECT_EQ(integer(0), 1);
  EXPECT_EQ(integer(1), -2);
  EXPECT_EQ(integer(2), 300);
  EXPECT_EQ(integer(3), std::int64_t{1} << 40);
  EXPECT_EQ(integer(4), -(std::int64_t{1} << 40));
  EXPECT_EQ(pickle.argument(*list, 5)->real, 1.5);
  EXPECT_EQ(pickle.argument(*list, 6)->kind, Pickle::Kind::none);
  EXPECT_EQ(integer(7), 1);
  EXPECT_EQ(pickle.argument(*list, 8), nullptr);
  const Pickle::Value* tuple = pickle.find(pickle.root(), "b");
  EXPECT_EQ(pickle.argument(*tuple, 0)->text, "x");
  EXPECT_EQ(pickle.argument(*tuple, 1)->kind, Pickle::Kind::bytes);
  EXPECT_EQ(pickle.size(), content.size());
}

TEST(Pickle, objects_are_records_of_class_arguments_state_and_items) {
  using namespace pickle;
  const std::string content = start +
                              build(call(global("some.module", "Thing"), {integer(5)}), dict({text("x"), real(0.25)})) +
                              mark + text("key") + integer(7) + "u" + stop;
  const Pickle read = parse_known(content);
  EXPECT_EQ(read.root().kind, Pickle::Kind::object);
  EXPECT_EQ(read.root().text, "some.module.Thing");
  EXPECT_EQ(read.argument(read.root(), 0)->integer, 5);
  EXPECT_EQ(read.attribute(read.root(), "x")->real, 0.25);
  EXPECT_EQ(read.find(read.root(), "key")->integer, 7);
  EXPECT_EQ(read.attribute(read.root(), "y"), nullptr);
}

TEST(Pickle, memo_shares_values) {
  using namespace pickle;
  const Pickle read = parse_known(start + "]q" + little(3, 1) + "0(h" + little(3, 1) + "h" + little(3, 1) + "t" + stop);
  EXPECT_EQ(read.argument(read.root(), 0), read.argument(read.root(), 1));
}

TEST(Pickle, other_classes_and_functions_are_refused_by_name) {
  using namespace pickle;
  expect_pickle_refused(ErrorCode::bad_format, "'posix.system'",
                        start + call(global("posix", "system"), {text("touch x")}) + stop);
  expect_pickle_refused(ErrorCode::bad_format, "'builtins.eval'",
                        start + text("builtins") + text("eval") + "\x93" + stop);
  expect_pickle_refused(ErrorCode::bad_format, "'os.s\\x1b[2Jm'", start + global("os", "s\x1b[2Jm") + stop);
  expect_pickle_refused(ErrorCode::bad_format, "at byte", start + global("os", "system") + stop);
  // A chain of calls: the result of one is called by the next.
  expect_pickle_refused(ErrorCode::bad_format, "a call of what is no known class",
                        start + call(call(global("some.module", "f"), {}), {integer(1)}) + stop);
  expect_pickle_refused(ErrorCode::bad_format, "more than 256", start + global(std::string(300, 'a'), "b") + stop);
}

TEST(Pickle, opcodes_that_data_does_not_need_are_refused) {
  for (const char opcode : {'i', 'o', 'P', 'I', 'S', 'g', 'p', '2', 'd', '\x82', '\x97', '\x98', '\x92', '\xff'}) {
    expect_pickle_refused(ErrorCode::bad_format, "opcode 0x", pickle::start + opcode + "1\n" + pickle::stop);
  }
  expect_pickle_refused(ErrorCode::bad_format, "protocol 6", std::string("\x80\x06N.", 4));
}

TEST(Pickle, what_cannot_be_on_the_stack_is_damage) {
  using namespace pickle;
  for (const std::string& body :
       {std::string(), std::string("0"), std::string("t"), std::string("(0"), none + "u",
        integer(1) + mark + text("a") + "u", std::string("}") + mark + none + "u", std::string("h\x05"),
        none + none + "a", std::string("\x86"), std::string("Q"), integer(1) + none + "R",
        global("some.module", "f") + integer(1) + "R", none + none + "\x93", std::string("b"), mark}) {
    expect_error(body == integer(1) + none + "R" ? ErrorCode::bad_format : ErrorCode::corrupt_file, "a.pkl",
                 [&] { parse_known(start + body + stop); });
  }
}

TEST(Pickle, sizes_are_bounded) {
  using namespace pickle;
  expect_pickle_refused(ErrorCode::bad_format, "of the memo", start + none + "r" + little(0xffffffff, 4) + stop);
  expect_pickle_refused(ErrorCode::corrupt_file, "ends early", start + "X" + little(0xffffffff, 4) + "abc" + stop);
  expect_pickle_refused(ErrorCode::corrupt_file, "ends early",
                        start + "\x8d" + little(~std::uint64_t{0}, 8) + "abc" + stop);
  expect_pickle_refused(ErrorCode::corrupt_file, "ends early", start + "\x8b" + little(0x7fffffff, 4) + "abc" + stop);
  expect_pickle_refused(ErrorCode::bad_format, "more than 524288 values", start + std::string(600'000, ']') + stop);
  expect_pickle_refused(ErrorCode::bad_format, "more than 64 marks", start + std::string(65, '(') + stop);
  EXPECT_NO_THROW(parse_known(start + std::string(64, '(') + std::string(64, 't') + stop));
  // Ten levels of a list that holds the one before ten times: small here, 10^10 where values are copied.
  std::string laughs = start + "]q" + std::string(1, '\0');
  for (int level = 1; level <= 10; ++level) {
    laughs += "](";
    for (int i = 0; i < 10; ++i) laughs += "h" + little(static_cast<std::uint64_t>(level) - 1, 1);
    laughs += "eq" + little(static_cast<std::uint64_t>(level), 1);
  }
  EXPECT_EQ(parse_known(laughs + stop).root().items.size(), 10U);
  // A list inside a list, 200,000 deep, is read and forgotten without recursion.
  EXPECT_EQ(parse_known(start + std::string(200'000, ']') + std::string(199'999, 'a') + stop).root().items.size(), 1U);
}

TEST(Pickle, truncation_at_every_byte_is_noticed) {
  using namespace pickle;
  const std::string whole =
      start + dict({text("a"), array({1, 2}), text("b"), tuple({integer(1), real(2), bytes("xy")})}) + stop;
  parse_known(whole);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THROW(parse_known(whole.substr(0, size)), Error) << size;
  }
}

TEST(NumpyValues, arrays_of_every_layout) {
  using namespace pickle;
  const auto read = [](const std::string& value) {
    const std::string content = start + value + stop;
    const Pickle made = parse_known(content);
    return array_of(made, made.root(), "a.pkl").as_doubles();
  };
  EXPECT_EQ(read(array({1, -2.5})), (std::vector<double>{1, -2.5}));
  EXPECT_EQ(read(integer(-3)), std::vector<double>{-3});
  EXPECT_EQ(read(real(0.5)), std::vector<double>{0.5});
  const std::string type =
      build(call(global("numpy", "dtype"), {text("f8"), no, yes}),
            tuple({integer(3), text("<"), none, none, none, integer(-1), integer(-1), integer(0)}));
  const std::string half("\x00\x00\x00\x00\x00\x00\xe0\x3f", 8);
  EXPECT_EQ(read(call(global("numpy._core.multiarray", "scalar"), {type, bytes(half)})), std::vector<double>{0.5});
  EXPECT_EQ(
      read(call(global("numpy.core.numeric", "_frombuffer"), {bytes(half), type, tuple({integer(1)}), text("C")})),
      std::vector<double>{0.5});
  // Protocol 2 has no bytes: 0xe0 is U+00E0, two bytes of UTF-8.
  const std::string latin =
      call(global("_codecs", "encode"), {text(std::string("\0\0\0\0\0\0\xc3\xa0?", 9)), text("latin1")});
  EXPECT_EQ(read(call(global("numpy.core.multiarray", "scalar"), {type, latin})), std::vector<double>{0.5});
  expect_error(ErrorCode::corrupt_file, "do not fill", [&] {
    read(call(global("numpy.core.numeric", "_frombuffer"),
              {bytes(half), type, tuple({integer(1'000'000'000)}), text("C")}));
  });
  expect_error(ErrorCode::bad_format, "missing", [&] { read(text("five")); });
}

}  // namespace
}  // namespace mercer
