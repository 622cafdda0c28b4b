#include "core/base/error.h"

#include <gtest/gtest.h>

namespace minerva {
namespace {

TEST(Errors, TellEverythingInOneLine) {
  const Error error{.kind = ErrorKind::corrupt,
                    .what = "The file ends early",
                    .where = "a.gguf",
                    .expected = "10 bytes",
                    .actual = "4",
                    .hint = "Download it again."};
  EXPECT_EQ(error.message(), "The file ends early (a.gguf): expected 10 bytes, found 4. Download it again.");
}

TEST(Errors, LeaveOutWhatIsNotKnown) {
  EXPECT_EQ((Error{.kind = ErrorKind::io, .what = "The disk is full"}).message(), "The disk is full");
  EXPECT_EQ((Error{.kind = ErrorKind::io, .what = "It failed", .actual = "EIO"}).message(), "It failed: EIO");
}

TEST(Errors, QuoteAFileWithoutItsControlCharacters) {
  const Error error{.kind = ErrorKind::corrupt, .what = "No such tensor", .where = "\033]0;title\007.gguf"};
  EXPECT_EQ(error.message().find_first_of("\033\007"), std::string::npos);
  EXPECT_NE(error.message().find("]0;title"), std::string::npos);
}

Result<int> half(int value) {
  if (value % 2 != 0) return fail({.kind = ErrorKind::invalidArgument, .what = "odd"});
  return value / 2;
}

Result<int> quarter(int value) {
  MINERVA_ASSIGN(const int once, half(value));
  return half(once);
}

TEST(Results, PassErrorsUpwards) {
  EXPECT_EQ(quarter(12).value(), 3);
  ASSERT_FALSE(quarter(6));
  EXPECT_EQ(quarter(6).error().what, "odd");
}

}  // namespace
}  // namespace minerva
