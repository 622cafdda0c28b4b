// GGUF files written by our own writer, read back; then damaged in one place each.
#include "core/convert/gguf_writer.h"
#include "core/format/model_file.h"
#include "tests/core/format/temporary_folder.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace minerva::format {
namespace {

class Gguf : public testing::Test {
 protected:
  // Two tensors: "a" F32 [2, 3] and "b" Q8_0 [1, 32].
  void SetUp() override {
    auto writer = convert::GgufWriter::create(m_folder.path() / "model.gguf");
    ASSERT_TRUE(writer);
    writer->set("general.architecture", "llama");
    writer->set("a.uint", 7U);
    writer->set("a.float", 0.5F);
    writer->set("a.bool", true);
    const std::vector<std::string> texts{"one", "", "three"};
    const std::array<std::int32_t, 3> numbers{-1, 0, 70000};
    const std::array<float, 2> floats{1.5F, -2.0F};
    writer->set("a.texts", texts);
    writer->set("a.numbers", numbers);
    writer->set("a.floats", floats);
    writer->declare("a", ElementType::F32, {.dims = {2, 3, 1, 1}, .rank = 2});
    writer->declare("b", ElementType::Q8_0, {.dims = {1, 32, 1, 1}, .rank = 2});
    ASSERT_TRUE(writer->begin());
    const std::array<float, 6> a{1, 2, 3, 4, 5, 6};
    ASSERT_TRUE(writer->write(std::as_bytes(std::span(a))));
    const std::array<std::byte, 34> b{};
    ASSERT_TRUE(writer->write(b));
    ASSERT_TRUE(writer->finish());
    m_bytes = TemporaryFolder::read(m_folder.path() / "model.gguf");
  }

  [[nodiscard]] auto open(const std::string& bytes) const { return ModelFile::open(m_folder.write("model.gguf", bytes)); }

  // The file with `value` written over the bytes that follow the first occurrence of `text`, `skip` bytes later.
  template <class T>
  [[nodiscard]] std::string patched(std::string_view text, std::size_t skip, T value) const {
    std::string bytes = m_bytes;
    std::memcpy(bytes.data() + bytes.find(text) + text.size() + skip, &value, sizeof value);
    return bytes;
  }

  void expectRefused(const std::string& bytes, std::string_view words) const {
    const auto file = open(bytes);
    ASSERT_FALSE(file) << words;
    EXPECT_NE(file.error().message().find(words), std::string::npos) << file.error().message();
    EXPECT_NE(file.error().message().find("model.gguf"), std::string::npos) << file.error().message();
  }

  TemporaryFolder m_folder;
  std::string m_bytes;
};

TEST_F(Gguf, KeepsKeysAndTensors) {
  const auto opened = open(m_bytes);
  ASSERT_TRUE(opened) << opened.error().message();
  const ModelFile& file = **opened;
  EXPECT_EQ(file.format(), FileFormat::gguf);
  EXPECT_EQ(file.fileBytes(), m_bytes.size());
  EXPECT_TRUE(file.warnings().empty());
  const Metadata& keys = file.metadata();
  EXPECT_EQ(keys.string("general.architecture").value(), "llama");
  EXPECT_EQ(keys.integer("a.uint").value(), 7);
  EXPECT_EQ(keys.number("a.float").value(), 0.5);
  EXPECT_EQ(keys.boolean("a.bool").value(), true);
  EXPECT_EQ(keys.strings("a.texts").value(), (std::vector<std::string_view>{"one", "", "three"}));
  EXPECT_EQ(keys.integers("a.numbers").value(), (std::vector<std::int64_t>{-1, 0, 70000}));
  EXPECT_EQ(keys.numbers("a.floats").value(), (std::vector<double>{1.5, -2.0}));
  EXPECT_EQ(keys.integer("absent").value(), std::nullopt);
  const TensorView* a = file.find("a");
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(toString(a->shape), "[2, 3]");
  float second[3];
  std::memcpy(second, a->row(1), sizeof second);
  EXPECT_EQ(second[0], 4.0F);
  ASSERT_NE(file.find("b"), nullptr);
  EXPECT_EQ(file.find("b")->bytes.size(), 34U);
  EXPECT_EQ(file.find("c"), nullptr);
}

TEST_F(Gguf, NamesTheTypeAKeyShouldHave) {
  const auto opened = open(m_bytes);
  ASSERT_TRUE(opened);
  const auto wrong = (*opened)->metadata().integer("a.texts");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message().find("(a.texts): expected an integer, found array of string"), std::string::npos) << wrong.error().message();
  EXPECT_FALSE((*opened)->metadata().strings("a.numbers"));
  EXPECT_FALSE((*opened)->metadata().integers("a.floats"));
  EXPECT_FALSE((*opened)->metadata().boolean("a.uint"));
}

TEST_F(Gguf, MayBeCutAnywhereWithoutHarm) {
  for (std::size_t size = 0; size < m_bytes.size() - 32; ++size) {
    const auto file = open(m_bytes.substr(0, size));
    ASSERT_FALSE(file) << "cut to " << size;
    EXPECT_FALSE(file.error().what.empty());
  }
}

TEST_F(Gguf, SurvivesEveryByteBeingWrong) {
  for (std::size_t at = 0; at < m_bytes.size(); ++at) {
    for (const char mask : {'\x01', '\x80', '\xff'}) {
      std::string bytes = m_bytes;
      bytes[at] = static_cast<char>(bytes[at] ^ mask);
      (void)open(bytes);
    }
  }
}

TEST_F(Gguf, RefusesWhatContradictsItself) {
  const std::string name = std::string("\x01\0\0\0\0\0\0\0", 8) + "a";  // the table's entry: length 1, "a"
  expectRefused(patched("GGUF", 0, 4U), "version");
  expectRefused(patched("GGUF", 0, __builtin_bswap32(3)), "big-endian");
  expectRefused(patched("GGUF", 4, std::uint64_t{1} << 63), "tensor table");
  expectRefused(patched("GGUF", 12, std::uint64_t{1} << 63), "metadata");
  expectRefused(patched(name, 0, 5U), "dimensions");
  expectRefused(patched(name, 4, std::uint64_t{0}), "impossible size");
  expectRefused(patched(name, 4, ~std::uint64_t{0}), "impossible size");
  expectRefused(patched(name, 20, 10U), "Q2_K");
  expectRefused(patched(name, 20, 4U), "not known");
  expectRefused(patched(name, 20, 12U), "multiple of 256");
  expectRefused(patched(name, 24, std::uint64_t{1}), "not aligned");
  expectRefused(patched(name, 24, std::uint64_t{1} << 40), "past the end");
  expectRefused(patched(name, 24, ~std::uint64_t{31}), "past the end");
  expectRefused(patched(name, 24, std::uint64_t{32}), "overlap");
  expectRefused(patched("a.bool", 0, 13U), "unknown type");
  expectRefused(patched("a.bool", 4, std::uint8_t{2}), "0 or 1");
  expectRefused(patched("a.texts", 4, 9U), "array of arrays");
  expectRefused(patched("a.texts", 8, std::uint64_t{1} << 61), "array");
}

TEST_F(Gguf, RefusesDuplicates) {
  std::string bytes = m_bytes;
  bytes.replace(bytes.find("a.uint"), 6, "a.same");
  bytes.replace(bytes.find("a.bool"), 6, "a.same");
  expectRefused(bytes, "twice");
}

TEST_F(Gguf, MayHoldAVocabularyAlone) {
  auto writer = convert::GgufWriter::create(m_folder.path() / "vocabulary.gguf");
  ASSERT_TRUE(writer);
  writer->set("general.architecture", "llama");
  ASSERT_TRUE(writer->begin());
  ASSERT_TRUE(writer->finish());
  const auto file = ModelFile::open(m_folder.path() / "vocabulary.gguf");
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_TRUE((*file)->tensors().empty());
}

TEST_F(Gguf, IsFoundInItsFolderAndByContent) {
  ASSERT_TRUE(ModelFile::open(m_folder.path()));
  const auto renamed = ModelFile::open(m_folder.write("weights.bin", m_bytes));
  ASSERT_TRUE(renamed) << renamed.error().message();
  m_folder.write("second.gguf", m_bytes);
  const auto two = ModelFile::open(m_folder.path());
  ASSERT_FALSE(two);
  EXPECT_NE(two.error().message().find("several"), std::string::npos);
}

TEST_F(Gguf, RefusesOnePartOfASplitModel) {
  auto writer = convert::GgufWriter::create(m_folder.path() / "part.gguf");
  ASSERT_TRUE(writer);
  writer->set("split.count", 3U);
  ASSERT_TRUE(writer->begin());
  ASSERT_TRUE(writer->finish());
  const auto file = ModelFile::open(m_folder.path() / "part.gguf");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().kind, ErrorKind::unsupported);
}

}  // namespace
}  // namespace minerva::format
