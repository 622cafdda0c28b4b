// GGUF files written by our own writer are read back, then damaged in one place each.
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

  // Returns the file with `value` written `skip` bytes after the end of the first occurrence of `text`.
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
  EXPECT_NE(wrong.error().message().find("(a.texts): expected an integer, found array of string"), std::string::npos)
      << wrong.error().message();
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
  const std::string name = std::string("\x01\0\0\0\0\0\0\0", 8) + "a";  // entry of the tensor table: length 1, "a"
  expectRefused(patched("GGUF", 0, 4U), "version");
  expectRefused(patched("GGUF", 0, 1U), "version 1");
  expectRefused(patched("GGUF", 0, __builtin_bswap32(3)), "big-endian");
  expectRefused(patched("GGUF", 4, std::uint64_t{1} << 63), "tensor table");
  expectRefused(patched("GGUF", 12, std::uint64_t{1} << 63), "metadata");
  expectRefused(patched(name, 0, 5U), "dimensions");
  expectRefused(patched(name, 4, std::uint64_t{0}), "impossible size");
  expectRefused(patched(name, 4, ~std::uint64_t{0}), "impossible size");
  expectRefused(patched(name, 20, 4U), "Q4_2");
  expectRefused(patched(name, 20, 36U), "IQ4_NL_4_4");
  expectRefused(patched(name, 20, 77U), "not known");
  expectRefused(patched(name, 20, 12U), "multiple of 256");
  expectRefused(patched(name, 24, std::uint64_t{1}), "not aligned");
  expectRefused(patched(name, 24, std::uint64_t{1} << 40), "past the end");
  expectRefused(patched(name, 24, ~std::uint64_t{31}), "past the end");
  expectRefused(patched(name, 24, std::uint64_t{32}), "overlap");
  expectRefused(patched("a.bool", 0, 13U), "unknown type");
  expectRefused(patched("a.bool", 4, std::uint8_t{2}), "0 or 1");
  expectRefused(patched("a.texts", 8, std::uint64_t{1} << 61), "array");
}

// ggml takes no dimensions for one element.
TEST_F(Gguf, ANumberAloneIsAVectorOfOne) {
  std::string bytes = "GGUF";
  const auto append = [&](auto value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); };
  const auto appendText = [&](std::string_view text) {
    append(static_cast<std::uint64_t>(text.size()));
    bytes += text;
  };
  append(std::uint32_t{3});
  append(std::uint64_t{1});
  append(std::uint64_t{1});
  appendText("general.architecture");
  append(std::uint32_t{8});
  appendText("llama");
  appendText("alone");
  append(std::uint32_t{0});  // dimensions
  append(std::uint32_t{0});  // F32
  append(std::uint64_t{0});
  bytes.resize((bytes.size() + 31) / 32 * 32);
  append(2.5F);
  const auto file = open(bytes);
  ASSERT_TRUE(file) << file.error().message();
  const TensorView* alone = (*file)->find("alone");
  ASSERT_NE(alone, nullptr);
  EXPECT_EQ(alone->shape, (Shape{.dims = {1, 1, 1, 1}, .rank = 1}));
  EXPECT_EQ(alone->bytes.size(), sizeof(float));
}

// Also lists of lists, which no key of ours needs.
TEST_F(Gguf, EveryValueIsCopiedAsItIsStored) {
  const TemporaryFolder folder;
  std::string nested;
  for (const std::uint32_t part : {4U, 2U, 0U, 7U, 8U, 5U, 1U, 0U, 9U}) nested.append(reinterpret_cast<const char*>(&part), sizeof part);
  const auto write = [&](const char* name, const Metadata& from) {
    auto writer = convert::GgufWriter::create(folder.path() / name);
    ASSERT_TRUE(writer);
    for (const auto& [key, value] : from.entries()) writer->copy(key, value);
    ASSERT_TRUE(writer->begin() && writer->finish());
  };
  const auto source = open(m_bytes);
  Metadata keys = (*source)->metadata();
  keys.entries()["a.nested"] = {MetadataType::array, MetadataArray{MetadataType::array, 2, std::as_bytes(std::span(nested))}};
  write("first.gguf", keys);
  const auto first = ModelFile::open(folder.path() / "first.gguf");
  ASSERT_TRUE(first) << first.error().message();
  EXPECT_TRUE((*first)->metadata().has("a.nested"));
  write("second.gguf", (*first)->metadata());
  EXPECT_EQ(TemporaryFolder::read(folder.path() / "first.gguf"), TemporaryFolder::read(folder.path() / "second.gguf"));
  EXPECT_EQ((*first)->metadata().strings("a.texts").value(), (std::vector<std::string_view>{"one", "", "three"}));
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
  m_folder.write("mmproj-model.gguf", "anything");
  const auto beside = ModelFile::open(m_folder.path());
  EXPECT_TRUE(beside) << beside.error().message();
  m_folder.write("config.json", R"({"model_type":"llama"})");  // of what it was made from
  const auto described = ModelFile::open(m_folder.path());
  EXPECT_TRUE(described) << described.error().message();
  m_folder.write("second.gguf", m_bytes);
  const auto two = ModelFile::open(m_folder.path());
  ASSERT_FALSE(two);
  EXPECT_NE(two.error().message().find("several"), std::string::npos);
}

TEST_F(Gguf, IsFoundUnderANameInCapitals) {
  std::filesystem::rename(m_folder.path() / "model.gguf", m_folder.path() / "MODEL.GGUF");
  const auto file = ModelFile::open(m_folder.path());
  EXPECT_TRUE(file) << file.error().message();
}

TEST_F(Gguf, SaysThatItsFolderMayNotBeRead) {
  using std::filesystem::perms;
  const auto closed = m_folder.path() / "closed";
  std::filesystem::create_directories(closed);
  std::filesystem::permissions(m_folder.path(), static_cast<perms>(0755));
  const bool asRoot = ::geteuid() == 0;  // root may read everything, so switch to the user nobody
  for (const auto mode : {perms::none, perms::owner_exec | perms::group_exec | perms::others_exec}) {
    std::filesystem::permissions(closed, mode);
    if (asRoot) {
      ASSERT_EQ(::seteuid(65534), 0);
    }
    const auto folder = ModelFile::open(closed), file = ModelFile::open(closed / "model.gguf");
    if (asRoot) {
      ASSERT_EQ(::seteuid(0), 0);
    }
    ASSERT_FALSE(folder);
    EXPECT_NE(folder.error().what.find("ermission denied"), std::string::npos) << folder.error().message();
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().what.find("ermission denied") != std::string::npos, mode == perms::none) << file.error().message();
  }
  std::filesystem::permissions(closed, perms::owner_all);
}

// A folder that was not wholly read may hold the model, and must not be replaced.
TEST_F(Gguf, AFolderThatCannotBeReadMayHoldTheModel) {
  using std::filesystem::perms;
  const auto file = ModelFile::open(m_folder.path() / "model.gguf");
  ASSERT_TRUE(file) << file.error().message();
  const auto other = m_folder.path() / "other", closed = other / "closed";
  std::filesystem::create_directories(closed);
  EXPECT_FALSE((*file)->reads(other));
  EXPECT_TRUE((*file)->reads(m_folder.path()));
  for (const auto& open : {m_folder.path(), other}) std::filesystem::permissions(open, static_cast<perms>(0755));
  std::filesystem::permissions(closed, perms::none);
  const bool asRoot = ::geteuid() == 0;  // root may read everything, so switch to the user nobody
  if (asRoot) {
    ASSERT_EQ(::seteuid(65534), 0);
  }
  const bool itself = (*file)->reads(closed), inside = (*file)->reads(other), below = (*file)->reads(closed / "out.gguf");
  if (asRoot) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  std::filesystem::permissions(closed, perms::owner_all);
  EXPECT_TRUE(itself);
  EXPECT_TRUE(inside);
  EXPECT_TRUE(below);
}

// Writes a file field by field, in either byte order, for contents that our writer does not produce.
class RawGguf {
 public:
  explicit RawGguf(bool bigEndian = false) : m_bigEndian(bigEndian) { m_bytes = "GGUF"; }
  template <class T>
  RawGguf& number(T value) {
    std::array<char, sizeof(T)> bytes;
    std::memcpy(bytes.data(), &value, sizeof value);
    if (m_bigEndian) std::ranges::reverse(bytes);
    m_bytes.append(bytes.data(), bytes.size());
    return *this;
  }
  RawGguf& text(std::string_view value) {
    number<std::uint64_t>(value.size());
    m_bytes += value;
    return *this;
  }
  // Version, number of tensors, number of keys.
  RawGguf& header(std::uint64_t tensors, std::uint64_t keys) { return number<std::uint32_t>(3).number(tensors).number(keys); }
  [[nodiscard]] const std::string& bytes() const { return m_bytes; }

 private:
  bool m_bigEndian;
  std::string m_bytes;
};

TEST_F(Gguf, NamesWhatABigEndianFileHolds) {
  RawGguf raw(true);
  raw.header(0, 2).text("general.architecture").number(8U).text("llama").text("general.name").number(8U).text("From an S/390");
  const auto file = open(raw.bytes());
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().kind, ErrorKind::unsupported);
  const std::string message = file.error().message();
  EXPECT_NE(message.find("architecture \"llama\""), std::string::npos) << message;
  EXPECT_NE(message.find("From an S/390"), std::string::npos) << message;
  EXPECT_EQ(message.find("damaged"), std::string::npos) << message;
}

TEST_F(Gguf, ReadsEveryMetadataType) {
  RawGguf raw;
  raw.header(0, 14);
  raw.text("u8").number(0U).number<std::uint8_t>(200).text("i8").number(1U).number<std::int8_t>(-100);
  raw.text("u16").number(2U).number<std::uint16_t>(60000).text("i16").number(3U).number<std::int16_t>(-30000);
  raw.text("u32").number(4U).number<std::uint32_t>(4000000000).text("i32").number(5U).number<std::int32_t>(-2000000000);
  raw.text("f32").number(6U).number(0.25F).text("bool").number(7U).number<std::uint8_t>(1);
  raw.text("text").number(8U).text("x").text("u64").number(10U).number<std::uint64_t>(~0ULL);
  raw.text("i64").number(11U).number<std::int64_t>(-5000000000).text("f64").number(12U).number(1e300);
  raw.text("i8s").number(9U).number(1U).number<std::uint64_t>(2).number<std::int8_t>(-1).number<std::int8_t>(7);
  raw.text("nested").number(9U).number(9U).number<std::uint64_t>(1).number(4U).number<std::uint64_t>(1).number(5U);
  const auto opened = open(raw.bytes());
  ASSERT_TRUE(opened) << opened.error().message();
  const Metadata& keys = (*opened)->metadata();
  EXPECT_EQ(keys.integer("u8").value(), 200);
  EXPECT_EQ(keys.integer("i8").value(), -100);
  EXPECT_EQ(keys.integer("u16").value(), 60000);
  EXPECT_EQ(keys.integer("i16").value(), -30000);
  EXPECT_EQ(keys.integer("u32").value(), 4000000000);
  EXPECT_EQ(keys.integer("i32").value(), -2000000000);
  EXPECT_EQ(keys.number("f32").value(), 0.25);
  EXPECT_EQ(keys.boolean("bool").value(), true);
  EXPECT_EQ(keys.string("text").value(), "x");
  EXPECT_FALSE(keys.integer("u64"));  // does not fit into a signed integer, but can be read as a number
  EXPECT_EQ(keys.number("u64").value(), 18446744073709551615.0);
  EXPECT_EQ(keys.integer("i64").value(), -5000000000);
  EXPECT_EQ(keys.number("f64").value(), 1e300);
  EXPECT_EQ(keys.integers("i8s").value(), (std::vector<std::int64_t>{-1, 7}));
  EXPECT_TRUE(keys.has("nested"));
  EXPECT_FALSE(keys.integers("nested"));
}

TEST_F(Gguf, RefusesNamesAndNestingMadeToHarm) {
  RawGguf withNul;
  withNul.header(0, 1).text(std::string_view("a\0b", 3)).number(0U).number<std::uint8_t>(1);
  expectRefused(withNul.bytes(), "NUL");
  RawGguf deep;
  deep.header(0, 1).text("deep").number(9U);
  for (int i = 0; i < 1000; ++i) deep.number(9U).number<std::uint64_t>(1);
  expectRefused(deep.bytes(), "too deeply");
  RawGguf wide;  // claims a million arrays, but contains none
  wide.header(0, 1).text("wide").number(9U).number(9U).number<std::uint64_t>(1000000);
  expectRefused(wide.bytes(), "array");
}

TEST_F(Gguf, TakesEveryAlignmentThatIsOne) {
  for (const std::uint32_t step : {8U, 16U, 64U, 4096U, 65536U}) {
    RawGguf raw;
    raw.header(2, 1).text("general.alignment").number(4U).number(step);
    raw.text("x").number(1U).number<std::uint64_t>(1).number(0U).number<std::uint64_t>(0);
    raw.text("y").number(1U).number<std::uint64_t>(1).number(0U).number<std::uint64_t>(step);
    std::string bytes = raw.bytes();
    bytes.resize((bytes.size() + step - 1) / step * step);
    bytes.resize(bytes.size() + step);
    bytes.append(std::string("\0\0\x80\x3f", 4));
    const auto file = open(bytes);
    ASSERT_TRUE(file) << file.error().message();
    float y = 0;
    std::memcpy(&y, (*file)->find("y")->bytes.data(), sizeof y);
    EXPECT_EQ(y, 1.0F) << step;
  }
  for (const std::uint32_t step : {0U, 1U, 3U, 24U, 131072U}) {
    RawGguf raw;
    raw.header(1, 1).text("general.alignment").number(4U).number(step);
    raw.text("x").number(1U).number<std::uint64_t>(1).number(0U).number<std::uint64_t>(0);
    expectRefused(raw.bytes() + std::string(256, '\0'), "alignment");
  }
}

// Three parts with tensors "t1" to "t3", with the names and keys of llama-gguf-split.
class SplitGguf : public testing::Test {
 protected:
  void SetUp() override {
    for (int number = 1; number <= 3; ++number) writePart(number, number - 1, 3, 3);
  }
  void writePart(int name, int number, int count, int tensors) const {
    auto writer = convert::GgufWriter::create(part(name));
    ASSERT_TRUE(writer);
    if (name == 1) writer->set("general.architecture", "llama");
    writer->set("split.no", static_cast<std::uint32_t>(number));
    writer->set("split.count", static_cast<std::uint32_t>(count));
    writer->set("split.tensors.count", static_cast<std::uint32_t>(tensors));
    writer->declare("t" + std::to_string(name), ElementType::F32, {.dims = {1, 1, 1, 1}, .rank = 1});
    ASSERT_TRUE(writer->begin());
    const float value = static_cast<float>(name);
    ASSERT_TRUE(writer->write(std::as_bytes(std::span(&value, 1))));
    ASSERT_TRUE(writer->finish());
  }
  [[nodiscard]] std::filesystem::path part(int number) const {
    return m_folder.path() / ("tiny-0000" + std::to_string(number) + "-of-00003.gguf");
  }
  void expectRefused(const std::filesystem::path& path, ErrorKind kind, std::string_view words) const {
    const auto file = ModelFile::open(path);
    ASSERT_FALSE(file) << words;
    EXPECT_EQ(file.error().kind, kind) << file.error().message();
    EXPECT_NE(file.error().message().find(words), std::string::npos) << file.error().message();
  }
  TemporaryFolder m_folder;
};

TEST_F(SplitGguf, OpensByAnyPartAndByItsFolder) {
  std::size_t bytes = 0;
  for (int number = 1; number <= 3; ++number) bytes += std::filesystem::file_size(part(number));
  for (const auto& path : {part(1), part(2), part(3), m_folder.path()}) {
    const auto file = ModelFile::open(path);
    ASSERT_TRUE(file) << file.error().message();
    EXPECT_EQ((*file)->metadata().string("general.architecture").value(), "llama");
    EXPECT_EQ((*file)->metadata().integer("split.no").value(), 0);
    EXPECT_EQ((*file)->fileBytes(), bytes);
    ASSERT_EQ((*file)->tensors().size(), 3U);
    for (int number = 1; number <= 3; ++number) {
      const TensorView* view = (*file)->find("t" + std::to_string(number));
      ASSERT_NE(view, nullptr);
      float value = 0;
      std::memcpy(&value, view->bytes.data(), sizeof value);
      EXPECT_EQ(value, static_cast<float>(number));
    }
  }
}

TEST_F(SplitGguf, NamesTheMissingPart) {
  std::filesystem::remove(part(2));
  expectRefused(part(1), ErrorKind::notFound, "tiny-00002-of-00003.gguf");
  expectRefused(part(3), ErrorKind::notFound, "Part 2");
  expectRefused(m_folder.path(), ErrorKind::notFound, "Part 2");
}

TEST_F(SplitGguf, RefusesPartsThatContradictEachOther) {
  writePart(2, 2, 3, 3);
  expectRefused(part(1), ErrorKind::corrupt, "part 3 of 3");
  writePart(2, 1, 4, 3);
  expectRefused(part(1), ErrorKind::corrupt, "part 2 of 4");
  writePart(2, 3, 3, 3);
  expectRefused(part(1), ErrorKind::corrupt, "split.no");
  writePart(2, 1, 3, 3);
  writePart(1, 0, 3, 4);
  expectRefused(part(3), ErrorKind::corrupt, "expected 4, found 3");
  writePart(1, 0, 3, 3);
  std::filesystem::copy_file(part(1), part(3), std::filesystem::copy_options::overwrite_existing);
  expectRefused(part(1), ErrorKind::corrupt, "twice");
}

TEST_F(SplitGguf, RefusesARenamedPart) {
  std::filesystem::copy_file(part(2), m_folder.path() / "other.gguf");
  expectRefused(m_folder.path() / "other.gguf", ErrorKind::invalidArgument, "NAME-00002-of-00003.gguf");
}

}  // namespace
}  // namespace minerva::format
