// Unicode's normalization forms, beyond the texts of the references.
#include "core/text/normalizer/normalizer.h"

#include <gtest/gtest.h>

namespace minerva::text {
namespace {

// A person pastes what the web has. Sorted by an exchange of neighbours, so many marks would take minutes.
TEST(Normalizer, manyMarksAreOrderedInTime) {
  constexpr int times = 200'000;
  std::string text = "xe", cedillas, acutes;
  for (int i = 0; i < times; ++i) {
    text += "\u0301\u0327";
    if (i > 0) cedillas += "\u0327";
    acutes += "\u0301";
  }
  text += "\u00e9 e\u0301.";
  makeNfc()->apply(text);
  EXPECT_TRUE(text == "x\u0229" + cedillas + acutes + "\u00e9 \u00e9.") << text.size();
}

}  // namespace
}  // namespace minerva::text
