// What is made of the answers that processors give to CPUID: of some as their manuals list them, and as virtual machines describe theirs.
#include "core/base/cpu_features.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace minerva {
namespace {

std::uint32_t bits(std::initializer_list<int> numbers) {
  std::uint32_t word = 0;
  for (const int number : numbers) word |= 1U << number;
  return word;
}

constexpr std::uint64_t sse = 0x3, avx = 0x7, zmm = 0xe7, tiles = 0x600e7;  // saved register sets
constexpr std::uint32_t extended = 0x80000001U;

// Nehalem: SSE3, SSSE3, CX16, SSE4.1, SSE4.2, POPCNT.
CpuidAnswers nehalem() {
  CpuidAnswers answers;
  answers.leaves[{1, 0}].c = bits({0, 9, 13, 19, 20, 23});
  return answers;
}

// Ivy Bridge adds OSXSAVE, AVX and F16C; of leaf 7 it has nothing that counts here.
CpuidAnswers ivyBridge() {
  CpuidAnswers answers = nehalem();
  answers.leaves[{1, 0}].c |= bits({27, 28, 29});
  answers.saved = avx;
  return answers;
}

// Haswell: FMA, MOVBE, BMI1, AVX2, BMI2, LZCNT.
CpuidAnswers haswell() {
  CpuidAnswers answers = ivyBridge();
  answers.leaves[{1, 0}].c |= bits({12, 22});
  answers.leaves[{7, 0}].b = bits({3, 5, 8});
  answers.leaves[{extended, 0}].c = bits({5});
  return answers;
}

// Skylake-X: AVX-512 F, DQ, CD, BW, VL.
CpuidAnswers skylakeX() {
  CpuidAnswers answers = haswell();
  answers.leaves[{7, 0}].b |= bits({16, 17, 28, 30, 31});
  answers.saved = zmm;
  return answers;
}

// Sapphire Rapids: AVX-512 VNNI and BF16, AVX-VNNI, AMX tiles with bf16.
CpuidAnswers sapphireRapids() {
  CpuidAnswers answers = skylakeX();
  answers.leaves[{7, 0}].c = bits({11});
  answers.leaves[{7, 0}].d = bits({22, 24});
  answers.leaves[{7, 1}].a = bits({4, 5});
  answers.saved = tiles;
  return answers;
}

CpuidAnswers of(CpuidAnswers answers, const char (&vendor)[13]) {
  const auto word = [&](int at) {
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i) value |= static_cast<std::uint32_t>(static_cast<unsigned char>(vendor[at + i])) << 8 * i;
    return value;
  };
  answers.leaves[{0, 0}] = {7, word(0), word(8), word(4)};
  return answers;
}

// v2, avx2, avxVnni, avx512, avx512Bf16, amx
std::vector<bool> sets(const CpuidAnswers& answers) {
  const CpuFeatures f = featuresOf(answers);
  return {f.v2, f.avx2, f.avxVnni, f.avx512, f.avx512Bf16, f.amx};
}

using Sets = std::vector<bool>;

TEST(CpuFeatures, EachGenerationHasItsSets) {
  EXPECT_EQ(sets({}), (Sets{false, false, false, false, false, false})) << "another kind of processor";
  EXPECT_EQ(sets(nehalem()), (Sets{true, false, false, false, false, false}));
  EXPECT_EQ(sets(ivyBridge()), (Sets{true, false, false, false, false, false}));
  EXPECT_EQ(sets(haswell()), (Sets{true, true, false, false, false, false}));
  EXPECT_EQ(sets(skylakeX()), (Sets{true, true, false, false, false, false})) << "AVX-512 without VNNI";
  EXPECT_EQ(sets(sapphireRapids()), (Sets{true, true, true, true, true, true}));
}

TEST(CpuFeatures, RegistersThatTheSystemDoesNotSaveCannotBeUsed) {
  CpuidAnswers answers = sapphireRapids();
  answers.saved = zmm;
  EXPECT_EQ(sets(answers), (Sets{true, true, true, true, true, false})) << "no tiles";
  answers.saved = avx;
  EXPECT_EQ(sets(answers), (Sets{true, true, true, false, false, false})) << "no ZMM";
  answers.saved = sse;
  EXPECT_EQ(sets(answers), (Sets{true, false, false, false, false, false})) << "no YMM";
}

TEST(CpuFeatures, ASingleHiddenInstructionTakesTheSetAway) {
  CpuidAnswers answers = haswell();
  answers.leaves[{7, 0}].b &= ~bits({8});
  EXPECT_EQ(sets(answers), (Sets{true, false, false, false, false, false})) << "no BMI2";
  answers = sapphireRapids();
  answers.leaves[{7, 0}].b &= ~bits({16});
  EXPECT_EQ(sets(answers), (Sets{true, true, true, false, false, false})) << "AVX-512 fused off";
}

TEST(CpuFeatures, OnlyOneMakerMultipliesPairsFast) {
  EXPECT_TRUE(featuresOf(of(sapphireRapids(), "AuthenticAMD")).fastBf16);
  EXPECT_FALSE(featuresOf(of(sapphireRapids(), "GenuineIntel")).fastBf16);
  EXPECT_FALSE(featuresOf(of(skylakeX(), "AuthenticAMD")).fastBf16);
}

// QEMU's kvm64: SSE3 and CX16, whatever the processor has.
TEST(CpuFeatures, AVirtualMachineSaysThatItIsOne) {
  EXPECT_FALSE(featuresOf(haswell()).virtualMachine);
  CpuidAnswers answers;
  answers.leaves[{1, 0}].c = bits({0, 13, 31});
  EXPECT_TRUE(featuresOf(answers).virtualMachine);
  EXPECT_FALSE(featuresOf(answers).v2);
}

TEST(CpuFeatures, TheNameHasNoSpacesAround) {
  CpuidAnswers answers = haswell();
  EXPECT_EQ(featuresOf(answers).brand, "unknown processor");
  answers.leaves[{0x80000002U, 0}] = {0x20202020U, 0x6f462020U, 0x206fU, 0};  // "      Fo", "o "
  EXPECT_EQ(featuresOf(answers).brand, "Foo");
  EXPECT_EQ(featuresOf({}).brand, "") << "the system is asked instead";
}

}  // namespace
}  // namespace minerva
