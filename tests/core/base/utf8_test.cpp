#include "core/base/utf8.h"

#include <gtest/gtest.h>

namespace minerva::utf8 {
namespace {

std::string encoded(char32_t c) {
  std::string out;
  append(out, c);
  return out;
}

TEST(Utf8, everyCharacterComesBack) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    const std::string text = encoded(c);
    const Decoded decoded = decode(text, 0);
    ASSERT_TRUE(decoded.valid && decoded.codePoint == c && decoded.length == text.size()) << std::hex << static_cast<unsigned>(c);
    const Decoded before = decodeBefore("x" + text, text.size() + 1);
    ASSERT_TRUE(before.valid && before.codePoint == c && before.length == text.size()) << std::hex << static_cast<unsigned>(c);
    ASSERT_TRUE(isValid(text));
  }
}

TEST(Utf8, surrogatesAndTooLargeAreReplaced) {
  EXPECT_EQ(encoded(0xD800), "\xEF\xBF\xBD");
  EXPECT_EQ(encoded(0x110000), "\xEF\xBF\xBD");
}

TEST(Utf8, brokenBytesAreFound) {
  for (const char* text : {"\x80", "\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF5", "\xFF", "a\xC3", "\xE2\x82"}) {
    EXPECT_FALSE(isValid(text)) << text;
    const std::string_view view(text);
    for (std::size_t pos = 0; pos < view.size(); ++pos) EXPECT_EQ(decode(view, pos).length, 1u);
  }
}

// The examples of Unicode 3.9, tables 3-8 to 3-11, and of the WHATWG decoder.
TEST(Utf8, maximalSubpartsAreReplacedOnce) {
  const std::string r = "\xEF\xBF\xBD";
  EXPECT_EQ(replaceBroken("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"), r + r + r + r + r + r + r + r + "A");
  EXPECT_EQ(replaceBroken("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"), r + r + r + r + r + r + r + r + "A");
  EXPECT_EQ(replaceBroken("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"), r + r + r + r + r + "A" + r + r + "B");
  EXPECT_EQ(replaceBroken("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), r + r + r + r + "A");
  EXPECT_EQ(replaceBroken("ok é 😀"), "ok é 😀");
}

TEST(Utf8, extentsTellWholeFromPartial) {
  const Extent partial = extentAt("\xF0\x9F\x98", 0);
  EXPECT_EQ(partial.have, 3);
  EXPECT_EQ(partial.need, 4);
  EXPECT_FALSE(partial.whole());
  EXPECT_EQ(extentAt("\xFF", 0).need, 0);
  EXPECT_TRUE(extentAt("é", 0).whole());
}

TEST(Utf8, decodingBackwardsStopsAtBrokenBytes) {
  const std::string text = "a\x80\x80\x80\x80";
  EXPECT_FALSE(decodeBefore(text, 5).valid);
  EXPECT_EQ(decodeBefore(text, 1).codePoint, U'a');
  EXPECT_FALSE(decodeBefore("\xC3", 1).valid);
}

TEST(Utf8, printableTextCannotSteerATerminal) {
  const std::string r = "\xEF\xBF\xBD";
  EXPECT_EQ(printable("a\033[31mred\007\r\nb\tc"), "a" + r + "[31mred" + r + r + r + "b\tc");
  EXPECT_EQ(printable("one\ntwo\x7F", LineFeeds::kept), "one\ntwo" + r);
  EXPECT_EQ(printable("one\r\ntwo\rthree\r", LineFeeds::kept), "one\ntwothree");
  EXPECT_EQ(printable("\xC2\x9B"
                      "2J \xC2\xA0é 😀"),
            r + "2J \xC2\xA0é 😀");  // CSI as a C1 control character
  EXPECT_EQ(printable("\xE1\x80\xE2\x41"), r + r + "A");
}

}  // namespace
}  // namespace minerva::utf8
