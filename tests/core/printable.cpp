#include "core/printable.hpp"

#include <gtest/gtest.h>

#include "mercer/error.hpp"
#include "mercer/warning.hpp"

namespace mercer {
namespace {

TEST(Printable, keeps_what_people_read) {
  for (const char* text : {"", "pendulum", "a\\b 'c' \"d\"", "Größe 3 µm", "日本語", "█▌ ≤ −", "👍"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, escapes_what_controls_a_terminal_or_ends_a_line) {
  EXPECT_EQ(printable("a\x1b[31mb"), "a\\x1b[31mb");
  EXPECT_EQ(printable("a\nb\tc\r"), "a\\nb\\tc\\x0d");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\x7f\x08"), "\\x7f\\x08");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\u009b31m");  // one character that begins a control sequence
  EXPECT_EQ(printable("a\xe2\x80\xa8z"), "a\\u2028z");
}

TEST(Printable, escapes_what_turns_the_direction_of_text) {
  EXPECT_EQ(printable("txt.\xe2\x80\xae"
                      "exe"),
            "txt.\\u202eexe");
  EXPECT_EQ(printable("\xe2\x81\xa6\xd8\x9c\xef\xbb\xbf"), "\\u2066\\u061c\\ufeff");
}

TEST(Printable, escapes_bytes_that_are_not_utf8) {
  EXPECT_EQ(printable("caf\xe9"), "caf\\xe9");
  EXPECT_EQ(printable("\xc0\x9b"), "\\xc0\\x9b");                    // ESC in more bytes than it needs
  EXPECT_EQ(printable("\xe0\x80\x9b"), "\\xe0\\x80\\x9b");           // likewise
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // half of a pair
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond the last character
  EXPECT_EQ(printable("\xe2\x80"), "\\xe2\\x80");                    // cut short
}

TEST(Printable, is_printable_itself) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string once = printable(std::string{static_cast<char>(first), static_cast<char>(second)});
      ASSERT_EQ(printable(once), once) << first << " " << second;
    }
  }
}

TEST(Printable, is_every_error_and_warning) {
  const Error error(ErrorCode::bad_value, "'a\nE000: all is well\x1b[2J'", "Give b\n");
  EXPECT_EQ(std::string(error.what()), "E203: 'a\\nE000: all is well\\x1b[2J'. Give b\\n.");
  EXPECT_EQ(error.problem(), "'a\\nE000: all is well\\x1b[2J'");
  std::string told;
  set_warning_sink([&](const std::string& sentence) { told = sentence; });
  warn("a\x1b");
  set_warning_sink({});
  EXPECT_EQ(told, "a\\x1b");
}

}  // namespace
}  // namespace mercer
