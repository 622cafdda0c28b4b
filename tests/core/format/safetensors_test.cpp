// SafeTensors files and Hugging Face folders: written files are read back, inconsistent ones are refused.
#include "core/format/json_reader.h"
#include "core/format/model_file.h"
#include "core/format/safetensors.h"
#include "tests/core/format/temporary_folder.h"

#include <gtest/gtest.h>

#include <array>

namespace minerva::format {
namespace {

std::string withHeader(std::string header, std::size_t dataBytes) {
  const std::uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + header + std::string(dataBytes, '\0');
}

Result<SafeTensorsFile> parse(const std::string& bytes) { return readSafeTensors(std::as_bytes(std::span(bytes)), "test"); }

void expectRefused(const std::string& header, std::size_t dataBytes, std::string_view words) {
  const auto file = parse(withHeader(header, dataBytes));
  ASSERT_FALSE(file) << header;
  EXPECT_NE(file.error().message().find(words), std::string::npos) << file.error().message();
}

TEST(SafeTensors, ReadsWhatItWrote) {
  const TemporaryFolder folder;
  const std::array<float, 6> values{1, 2, 3, 4, 5, 6};
  const std::vector<SafeTensor> tensors{{"x", "F32", {2, 3}, std::as_bytes(std::span(values))},
                                        {"s", "I32", {}, std::as_bytes(std::span(values)).first(4)}};
  ASSERT_TRUE(writeSafeTensors(folder.path() / "t.safetensors", tensors, {{"who", "we"}}));
  const std::string bytes = TemporaryFolder::read(folder.path() / "t.safetensors");
  const auto file = parse(bytes);
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_EQ(file->metadata.at("who"), "we");
  EXPECT_TRUE(file->warnings.empty());
  ASSERT_EQ(file->tensors.size(), 2U);
  EXPECT_EQ(file->tensors[0].name, "x");
  EXPECT_EQ(file->tensors[0].shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_TRUE(std::ranges::equal(file->tensors[0].bytes, std::as_bytes(std::span(values))));
  EXPECT_TRUE(file->tensors[1].shape.empty());
}

TEST(SafeTensors, RefusesWhatContradictsItself) {
  expectRefused(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4, "contradict");
  expectRefused(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", 4, "past the end");
  expectRefused(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", 4, "in order");
  expectRefused(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[-4,0]}})", 4, "whole numbers");
  expectRefused(R"({"x":{"dtype":"F32","shape":[1.0],"data_offsets":[0,4]}})", 4, "shape");
  expectRefused(R"({"x":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,4]}})", 4, "impossible shape");
  expectRefused(R"({"x":{"dtype":"Z9","shape":[1],"data_offsets":[0,4]}})", 4, "Z9");
  expectRefused(R"({"x":{"shape":[1],"data_offsets":[0,4]}})", 4, "dtype");
  expectRefused(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"y":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}})", 6,
                "overlap");
  expectRefused(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"x":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", 8,
                "twice");
  expectRefused(R"({"x":)", 0, "JSON");
  expectRefused(R"([1,2,3])", 0, "object");
  expectRefused(std::string(100000, '['), 0, "nested");
  EXPECT_FALSE(parse(""));
  EXPECT_FALSE(parse(std::string("\xff\xff\xff\xff\xff\xff\xff\xff{}", 10)));
}

TEST(SafeTensors, WarnsOfBytesThatBelongToNoTensor) {
  const auto file = parse(withHeader(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 20));
  ASSERT_TRUE(file);
  ASSERT_EQ(file->warnings.size(), 1U);
  EXPECT_NE(file->warnings[0].find("16 bytes"), std::string::npos);
}

class Folder : public testing::Test {
 protected:
  void shard(std::string_view file, const std::string& tensor) {
    m_folder.write(file, withHeader(R"({")" + tensor + R"(":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 4));
  }
  void expectRefused(std::string_view words) const {
    const auto file = ModelFile::open(m_folder.path());
    ASSERT_FALSE(file) << words;
    EXPECT_NE(file.error().message().find(words), std::string::npos) << file.error().message();
  }
  TemporaryFolder m_folder;
};

TEST_F(Folder, JoinsTheShardsOfAnIndex) {
  shard("a.safetensors", "x");
  shard("b.safetensors", "y");
  m_folder.write("model.safetensors.index.json", R"({"weight_map":{"x":"a.safetensors","y":"b.safetensors"}})");
  m_folder.write("config.json", R"({"model_type":"llama"})");
  for (const auto& path : {m_folder.path(), m_folder.path() / "b.safetensors"}) {
    const auto file = ModelFile::open(path);
    ASSERT_TRUE(file) << file.error().message();
    EXPECT_NE((*file)->find("x"), nullptr);
    EXPECT_NE((*file)->find("y"), nullptr);
    EXPECT_EQ((*file)->format(), FileFormat::safetensors);
    EXPECT_EQ((*file)->huggingFace().config["model_type"], "llama");
  }
}

TEST_F(Folder, RefusesAnIndexThatLeadsAstray) {
  shard("a.safetensors", "x");
  m_folder.write("model.safetensors.index.json", R"({"weight_map":{"x":"../a.safetensors"}})");
  expectRefused("outside");
  m_folder.write("model.safetensors.index.json", R"({"weight_map":{"x":"/etc/passwd"}})");
  expectRefused("outside");
  m_folder.write("model.safetensors.index.json", R"({"weight_map":{"x":5}})");
  expectRefused("outside");
  m_folder.write("model.safetensors.index.json", R"({"weight_map":{"x":"b.safetensors"}})");
  expectRefused("missing");
  m_folder.write("model.safetensors.index.json", R"({"weight_map":{"y":"a.safetensors"}})");
  expectRefused("not in the part");
  m_folder.write("model.safetensors.index.json", R"({})");
  expectRefused("no tensors");
}

// Buffers that were not saved, or a head that is the embedding. What the model needs its family misses.
TEST_F(Folder, WarnsOfWhatOnlyTheIndexNames) {
  shard("a.safetensors", "x");
  m_folder.write("model.safetensors.index.json", R"({"weight_map":{"x":"a.safetensors","rotary_emb.inv_freq":"a.safetensors"}})");
  const auto file = ModelFile::open(m_folder.path());
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_NE((*file)->find("x"), nullptr);
  ASSERT_EQ((*file)->warnings().size(), 1U);
  EXPECT_NE((*file)->warnings()[0].find("rotary_emb.inv_freq"), std::string::npos);
}

// Such as mlx-community/gemma-3-12b-it-4bit: the index is the source model's.
TEST_F(Folder, ReadsACompleteSetBesideTheIndexOfAnotherModel) {
  m_folder.write("model.safetensors.index.json",
                 R"({"weight_map":{"x":"model-00001-of-00005.safetensors","y":"model-00005-of-00005.safetensors"}})");
  shard("model-00001-of-00002.safetensors", "x");
  expectRefused("missing");
  shard("model-00002-of-00002.safetensors", "y");
  const auto file = ModelFile::open(m_folder.path());
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_NE((*file)->find("x"), nullptr);
  EXPECT_NE((*file)->find("y"), nullptr);
  ASSERT_EQ((*file)->warnings().size(), 1U);
  EXPECT_NE((*file)->warnings()[0].find("model-00001-of-00002.safetensors is used"), std::string::npos);
  shard("model-00005-of-00005.safetensors", "y");  // one of the index's: the others are still to come
  expectRefused("missing");
}

TEST_F(Folder, ReadsOneFileBesideTheIndexOfAnotherModel) {
  m_folder.write("model.safetensors.index.json", R"({"weight_map":{"x":"model-00001-of-00002.safetensors"}})");
  shard("consolidated.safetensors", "x");  // the same model in another form, not what an index misses
  expectRefused("missing");
  shard("model.safetensors", "x");
  EXPECT_TRUE(ModelFile::open(m_folder.path()));
}

TEST_F(Folder, TakesTheTemplateFromWhereItIs) {
  shard("model.safetensors", "x");
  m_folder.write("chat_template.json", R"({"chat_template":"P"})");
  EXPECT_EQ((*ModelFile::open(m_folder.path()))->huggingFace().chatTemplate, "P");
  m_folder.write("tokenizer_config.json", R"({"chat_template":[{"name":"tool_use","template":"T"},{"name":"default","template":"D"}]})");
  EXPECT_EQ((*ModelFile::open(m_folder.path()))->huggingFace().chatTemplate, "D");
  EXPECT_EQ((*ModelFile::open(m_folder.path()))->huggingFace().toolTemplate, "T");
  m_folder.write("chat_template.jinja", "J");
  EXPECT_EQ((*ModelFile::open(m_folder.path()))->huggingFace().chatTemplate, "J");
  EXPECT_EQ((*ModelFile::open(m_folder.path()))->huggingFace().toolTemplate, "") << "the list is not used";
  std::filesystem::create_directories(m_folder.path() / "additional_chat_templates");
  m_folder.write("additional_chat_templates/tool_use.jinja", "A");
  EXPECT_EQ((*ModelFile::open(m_folder.path()))->huggingFace().toolTemplate, "A");
}

TEST_F(Folder, SaysWhatIsMissing) {
  expectRefused("no model weights");
  m_folder.write("config.json", "[]");
  expectRefused("not a JSON object");
  m_folder.write("config.json", "{\"a\": NaN}");
  expectRefused("not valid JSON");
}

TEST(Detection, NamesFormatsItCannotRead) {
  const TemporaryFolder folder;
  const auto messageOf = [&](std::string_view bytes) {
    const auto file = ModelFile::open(folder.write("m", bytes));
    return file ? std::string("accepted") : file.error().message();
  };
  EXPECT_NE(messageOf("").find("empty"), std::string::npos);
  EXPECT_NE(messageOf("PK\x03\x04...........").find("PyTorch"), std::string::npos);
  EXPECT_NE(messageOf("version https://git-lfs.github.com/spec/v1\n").find("LFS"), std::string::npos);
  EXPECT_NE(messageOf("<!DOCTYPE html>").find("web page"), std::string::npos);
  EXPECT_NE(messageOf("{\"a\": 1}        ").find("JSON"), std::string::npos);
  EXPECT_NE(messageOf("\x01\x02\x03").find("\\x01\\x02\\x03"), std::string::npos);
  EXPECT_EQ(ModelFile::open(folder.path() / "absent").error().kind, ErrorKind::notFound);
}

TEST(Json, IsReadWithinLimits) {
  EXPECT_EQ(parseJson("{\"a\": [1, 2]}", "t").value()["a"][1], 2);
  EXPECT_EQ(parseJson("[[[]]]", "t", {.depth = 2}).error().kind, ErrorKind::limit);
  EXPECT_TRUE(parseJson("[[[]]]", "t", {.depth = 3}));
  EXPECT_EQ(parseJson("[1]", "t", {.bytes = 2}).error().kind, ErrorKind::limit);
  EXPECT_TRUE(parseJson("{\"a\":1,\"a\":2}", "t"));
  EXPECT_FALSE(parseJson("{\"a\":1,\"a\":2}", "t", {.uniqueKeys = true}));
  EXPECT_TRUE(parseJson("[{\"a\":1},{\"a\":2}]", "t", {.uniqueKeys = true}));
  EXPECT_FALSE(parseJson("{\"a\": 1e999}", "t"));
  EXPECT_FALSE(parseJson("[Infinity]", "t"));
  EXPECT_EQ(parseJson(R"([-Infinity, "\" Infinity", Infinity])", "t", {.infinities = true}).value().dump(), R"([null,"\" Infinity",null])");
  EXPECT_FALSE(parseJson("[NaN]", "t", {.infinities = true}));
  EXPECT_NE(parseJson("[-Infinity, x]", "t", {.infinities = true}).error().message().find("byte 13"), std::string::npos);
  EXPECT_FALSE(parseJson("\"\xff\"", "t"));
  const auto bomb = parseJson(std::string(1000000, '[') + std::string(1000000, ']'), "t");
  EXPECT_EQ(bomb.error().kind, ErrorKind::limit);
}

}  // namespace
}  // namespace minerva::format
