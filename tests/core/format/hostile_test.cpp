// Hugging Face and MLX folders with inconsistent parts, and malicious files: each is refused with the reason.
#include "core/format/model_file.h"
#include "core/format/safetensors.h"
#include "tests/core/format/temporary_folder.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace minerva::format {
namespace {

const std::vector<std::byte> zeros(std::size_t{1} << 16);

SafeTensor tensor(std::string name, std::string dtype, std::vector<std::int64_t> shape) {
  std::size_t bytes = dtype == "U8" || dtype.starts_with("F8") ? 1 : dtype == "F32" || dtype == "U32" || dtype == "I32" ? 4 : 2;
  for (const auto size : shape) bytes *= static_cast<std::size_t>(size);
  return {std::move(name), std::move(dtype), std::move(shape), std::span(zeros).first(bytes)};
}

class Hostile : public testing::Test {
 protected:
  void config(std::string_view text) const { m_folder.write("config.json", text); }
  void weights(const std::vector<SafeTensor>& tensors) const {
    ASSERT_TRUE(writeSafeTensors(m_folder.path() / "model.safetensors", tensors));
  }
  // The message must contain every word.
  void expectRefused(const std::vector<std::string_view>& words) const {
    const auto file = ModelFile::open(m_folder.path());
    ASSERT_FALSE(file) << words.front();
    const std::string message = file.error().message();
    for (const auto word : words) EXPECT_NE(message.find(word), std::string::npos) << word << " is not in: " << message;
    EXPECT_NE(message.find(m_folder.path().string()), std::string::npos) << message;
  }
  TemporaryFolder m_folder;
};

// One packed layer "l": 4 rows of 64 weights, 4 bits, group 32.
std::vector<SafeTensor> packed() {
  return {tensor("l.weight", "U32", {4, 8}), tensor("l.scales", "F16", {4, 2}), tensor("l.biases", "F16", {4, 2})};
}
std::vector<SafeTensor> packedBut(std::size_t index, SafeTensor other) {
  auto all = packed();
  all[index] = std::move(other);
  return all;
}
constexpr const char* fourBits = R"({"quantization":{"group_size":32,"bits":4}})";

TEST_F(Hostile, AcceptsTheLayerTheseTestsDamage) {
  config(fourBits);
  weights(packed());
  const auto file = ModelFile::open(m_folder.path());
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_EQ(toString((*file)->find("l.weight")->shape), "[4, 64]");
}

TEST_F(Hostile, MlxPartsThatContradictEachOther) {
  config(fourBits);
  weights({tensor("l.weight", "U32", {4, 8})});
  expectRefused({"l.weight", "no l.scales", "[4, 2]"});
  weights({tensor("l.weight", "U32", {4, 8}), tensor("l.scales", "F16", {4, 2})});
  expectRefused({"no l.biases"});
  weights({tensor("l.scales", "F16", {4, 2})});
  expectRefused({"l.scales", "belongs to no packed weight"});
  weights(packedBut(0, tensor("l.weight", "F32", {4, 8})));
  expectRefused({"has scales, but is not packed", "U32", "F32"});
  weights(packedBut(0, tensor("l.weight", "U32", {4, 6})));
  expectRefused({"not whole groups", "192 bits"});
  weights(packedBut(0, tensor("l.weight", "U32", {32})));
  expectRefused({"a shape that packed weights cannot have", "[32]"});
  weights(packedBut(0, tensor("l.weight", "U32", {1, 1, 4, 8})));
  expectRefused({"a shape that packed weights cannot have"});
  weights(packedBut(1, tensor("l.scales", "F16", {4, 1})));
  expectRefused({"l.scales", "expected [4, 2]", "found [4, 1]"});
  weights(packedBut(1, tensor("l.scales", "F16", {2, 4})));
  expectRefused({"l.scales", "expected [4, 2]", "found [2, 4]"});
  weights(packedBut(1, tensor("l.scales", "U8", {4, 2})));
  expectRefused({"l.scales", "F32 or F16 or BF16", "U8"});
  weights(packedBut(2, tensor("l.biases", "BF16", {4, 2})));
  expectRefused({"l.biases", "F16", "BF16"});
  weights(packedBut(2, tensor("l.biases", "F16", {4, 2, 1})));
  expectRefused({"l.biases", "[4, 2, 1]"});
}

TEST_F(Hostile, MlxSettingsThatAreNone) {
  weights(packed());
  const auto refused = [&](const char* quantization, const std::vector<std::string_view>& words) {
    config(std::string("{\"quantization\":") + quantization + "}");
    expectRefused(words);
  };
  refused("4", {"not an object"});
  refused("[]", {"not an object"});
  refused("{}", {"lacks group_size"});
  refused(R"({"group_size":32})", {"lacks bits"});
  refused(R"({"group_size":32,"bits":7})", {"no such quantization", "7 bits in groups of 32"});
  refused(R"({"group_size":32,"bits":0})", {"0 bits"});
  refused(R"({"group_size":32,"bits":-4})", {"not valid", "-4"});
  refused(R"({"group_size":32,"bits":1e30})", {"not valid"});
  refused(R"({"group_size":32,"bits":18446744073709551615})", {"not valid"});
  refused(R"({"group_size":32,"bits":"4"})", {"not valid", "\"4\""});
  refused(R"({"group_size":32,"bits":4.0})", {"not valid"});
  refused(R"({"group_size":48,"bits":4})", {"groups of 48"});
  refused(R"({"group_size":32,"bits":4,"mode":"zebra"})", {"zebra", "affine, mxfp4"});
  refused(R"({"group_size":32,"bits":4,"mode":7})", {"mode"});
  refused(R"({"group_size":64,"bits":4,"mode":"mxfp4"})", {"4 bits in groups of 32 for mxfp4"});
  refused(R"({"group_size":32,"bits":4,"mode":"mxfp4"})", {"l.scales", "U8", "F16"});
  refused(R"({"group_size":32,"bits":8})", {"l.scales", "[4, 1]", "[4, 2]"});
  refused(R"({"group_size":32,"bits":4,"l":{"group_size":32,"bits":8}})", {"l.scales", "8 bits"});
  refused(R"({"group_size":32,"bits":4,"l":false})", {"l.weight", "is packed, but config.json says"});
  refused(R"({"group_size":32,"bits":4,"l":{"bits":{}}})", {", l, bits"});
  config("{}");
  expectRefused({"config.json does not say how"});
}

TEST_F(Hostile, MlxLayersThatAreNotThere) {
  weights(packed());
  config(R"({"quantization":{"group_size":32,"bits":4,"m":{"group_size":32,"bits":8},"note":"x"}})");
  const auto file = ModelFile::open(m_folder.path());
  ASSERT_TRUE(file) << file.error().message();
  ASSERT_EQ((*file)->warnings().size(), 2U);
  EXPECT_NE((*file)->warnings()[0].find("note"), std::string::npos);
  EXPECT_NE((*file)->warnings()[1].find("does not exist: m"), std::string::npos);
  auto all = packed();
  all.push_back(tensor("m.weight", "F16", {4, 64}));
  weights(all);
  expectRefused({"m.weight", "is not packed, but config.json says that it is"});
}

TEST_F(Hostile, Mxfp4BlocksThatAreNone) {
  config(R"({"quantization_config":{"quant_method":"mxfp4"}})");
  weights({tensor("x_blocks", "U8", {2, 3, 16})});
  expectRefused({"x_blocks", "x_scales"});
  weights({tensor("x_blocks", "U8", {2, 3, 15}), tensor("x_scales", "U8", {2, 3})});
  expectRefused({"x_blocks", "[2, 3, 15]"});
  weights({tensor("x_blocks", "U8", {2, 3, 16}), tensor("x_scales", "U8", {2, 4})});
  expectRefused({"x_scales", "[2, 3]", "[2, 4]"});
  weights({tensor("x_blocks", "U8", {2, 3, 16}), tensor("x_scales", "F16", {2, 3})});
  expectRefused({"x_scales", "F16"});
  weights({tensor("x_blocks", "U8", {16}), tensor("x_scales", "U8", {1})});
  expectRefused({"x_blocks", "[16]"});
  weights({tensor("x_blocks", "U8", {2, 1, 16}), tensor("x_scales", "U8", {2, 1}), tensor("x", "F16", {2, 32})});
  expectRefused({"Tensor x", "twice"});
}

TEST_F(Hostile, Fp8ScalesThatDoNotFit) {
  config(R"({"quantization_config":{"quant_method":"fp8","weight_block_size":[128,128]}})");
  weights({tensor("l.weight", "F8_E4M3", {4, 256})});
  expectRefused({"l.weight", "has no scales", "l.weight_scale_inv"});
  weights({tensor("l.weight", "F8_E4M3", {4, 256}), tensor("l.weight_scale_inv", "F32", {1, 3})});
  expectRefused({"l.weight_scale_inv", "[1, 2]", "[1, 3]"});
  weights({tensor("l.weight", "F8_E4M3", {4, 256}), tensor("l.weight_scale_inv", "I32", {1, 2})});
  expectRefused({"l.weight_scale_inv", "I32"});
  weights({tensor("l.weight", "F8_E4M3", {4, 100}), tensor("l.weight_scale_inv", "F32", {1, 1})});
  expectRefused({"l.weight", "multiples of 32", "100"});
  weights({tensor("l.weight", "F8_E4M3", {128}), tensor("l.weight_scale_inv", "F32", {1})});
  expectRefused({"l.weight", "[128]"});
  weights({tensor("l.weight", "F8_E4M3", {2, 4, 128}), tensor("l.weight_scale_inv", "F32", {3, 1, 1})});
  expectRefused({"l.weight_scale_inv", "[2, 1, 1]", "[3, 1, 1]"});
  weights({tensor("l.weight", "F8_E4M3", {2, 192, 128}), tensor("l.weight_scale_inv", "F32", {2, 2, 1})});
  expectRefused({"l.weight", "rows in multiples of 128", "[2, 192, 128]"});
  config(R"({"quantization_config":{"quant_method":"fp8","weight_block_size":[0,128]}})");
  expectRefused({"block size", "[0,128]"});
  config(R"({"quantization_config":{"quant_method":"fp8","weight_block_size":[128,48]}})");
  weights({tensor("l.weight", "F8_E4M3", {4, 96}), tensor("l.weight_scale_inv", "F32", {1, 2})});
  expectRefused({"multiples of 32", "48"});
}

// Some tools keep their settings in files of their own, older ones under another name, and models with images in the part about text.
TEST_F(Hostile, Fp8WeightsAreScaledWhereverTheirSettingsAre) {
  for (const char* settings : {R"({})", R"({"compression_config":{"quant_method":"fp8"}})",
                               R"({"text_config":{"quantization_config":{"quant_method":"fp8","weight_block_size":[128,128]}}})"}) {
    config(settings);
    weights({tensor("l.weight", "F8_E4M3", {4, 256}), tensor("l.weight_scale", "F32", {}), tensor("l.input_scale", "F32", {})});
    const auto file = ModelFile::open(m_folder.path());
    ASSERT_TRUE(file) << file.error().message();
    ASSERT_NE((*file)->find("l.weight"), nullptr);
    EXPECT_EQ((*file)->find("l.weight")->type, ElementType::F8_E4M3_SCALED) << settings;
    EXPECT_EQ((*file)->find("l.input_scale"), nullptr) << settings;
  }
  config("{}");
  weights({tensor("l.weight", "F8_E4M3", {4, 256})});
  const auto plain = ModelFile::open(m_folder.path());
  ASSERT_TRUE(plain) << plain.error().message();
  EXPECT_EQ((*plain)->find("l.weight")->type, ElementType::F8_E4M3);
}

TEST_F(Hostile, Fp8OfModelOptAndOfCompressedTensorsIsRead) {
  for (
      const char* settings :
      {R"({"quant_method":"modelopt","quant_algo":"FP8","ignore":["lm_head"]})",
       R"({"quant_method":"compressed-tensors","format":"float-quantized"})",
       R"({"quant_method":"compressed-tensors","format":"naive-quantized"})",
       R"({"quant_method":"compressed-tensors","format":"naive-quantized","config_groups":{"group_0":{"weights":{"num_bits":8,"type":"float"}}}})"}) {
    config(std::string("{\"quantization_config\":") + settings + "}");
    weights({tensor("l.weight", "F8_E4M3", {4, 256}), tensor("l.weight_scale", "F32", {}), tensor("l.k_scale", "F32", {})});
    const auto file = ModelFile::open(m_folder.path());
    ASSERT_TRUE(file) << settings << file.error().message();
    EXPECT_EQ((*file)->find("l.weight")->type, ElementType::F8_E4M3_SCALED) << settings;
    EXPECT_EQ((*file)->find("l.k_scale"), nullptr) << settings;
    weights({tensor("l.weight", "F8_E4M3", {4, 256})});
    expectRefused({"l.weight", "has no scales"});
  }
}

TEST_F(Hostile, OtherQuantizationsAreNamed) {
  weights({tensor("x", "F16", {4})});
  const auto refused = [&](const char* json, std::string_view word) {
    config(std::string("{\"quantization_config\":") + json + "}");
    expectRefused({"not supported", word});
  };
  refused(R"({"quant_method":"gptq","bits":4,"group_size":128,"checkpoint_format":"marlin"})", "marlin");
  refused(R"({"quant_method":"awq","version":"gemv_fast"})", "gemv_fast");
  refused(R"({"quant_method":"hqq"})", "hqq");
  refused(R"({"quant_method":"bitsandbytes","load_in_4bit":true})", "bitsandbytes");
  refused(
      R"({"quant_method":"compressed-tensors","format":"naive-quantized","config_groups":{"group_0":{"weights":{"num_bits":8,"type":"int"}}}})",
      "naive-quantized");
  refused(R"({"quant_method":"compressed-tensors","format":"naive-quantized","config_groups":{"group_0":7}})", "naive-quantized");
  refused(R"({"quant_method":"modelopt","quant_algo":"NVFP4"})", "NVFP4");
  refused(R"({"quant_method":"modelopt","quant_algo":"MIXED_PRECISION"})", "MIXED_PRECISION");
  refused(R"({"quant_method":"modelopt"})", "modelopt");
  refused(R"("int8")", "int8");
}

TEST_F(Hostile, HeadersMadeToHarm) {
  const auto header = [&](std::string text, std::size_t data) {
    const std::uint64_t length = text.size();
    m_folder.write("model.safetensors", std::string(reinterpret_cast<const char*>(&length), 8) + text + std::string(data, '\0'));
  };
  config("{}");
  header(R"({"x":{"dtype":"F16","shape":[9223372036854775808],"data_offsets":[0,4]}})", 4);
  expectRefused({"impossible shape"});
  header(R"({"x":{"dtype":"F16","shape":[2147483648,2147483648,2147483648],"data_offsets":[0,4]}})", 4);
  expectRefused({"impossible shape"});
  header(R"({"x":{"dtype":"F16","shape":[0,9223372036854775807],"data_offsets":[0,4]}})", 4);
  expectRefused({"impossible shape"});
  header(R"({"x":{"dtype":"F4","shape":[3],"data_offsets":[0,2]}})", 2);
  expectRefused({"impossible shape"});
  header(R"({"a\u0000b":{"dtype":"F16","shape":[2],"data_offsets":[0,4]}})", 4);
  expectRefused({"NUL"});
  header(R"({"":{"dtype":"F16","shape":[2],"data_offsets":[0,4]}})", 4);
  expectRefused({"no valid header entry"});
  header(R"({"x":{"dtype":"F16","shape":[2],"data_offsets":[-4,0]}})", 4);
  expectRefused({"whole numbers"});
  header(R"({"x":{"dtype":"F16","shape":[2],"data_offsets":[18446744073709551612,18446744073709551616]}})", 4);
  expectRefused({"whole numbers"});
  header(R"({"x":{"dtype":"C64","shape":[1],"data_offsets":[0,8]}})", 8);
  expectRefused({"Tensor x", "C64"});
  std::string deep = R"({"x":)";
  for (int i = 0; i < 100000; ++i) deep += R"({"a":)";
  header(deep, 0);
  expectRefused({"nested"});
}

TEST_F(Hostile, TensorsWithNothingInThem) {
  config("{}");
  weights({tensor("none", "F16", {0, 4}), tensor("x", "F16", {4}), tensor("deep", "F16", {1, 1, 1, 1, 1})});
  const auto file = ModelFile::open(m_folder.path());
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_EQ((*file)->tensors().size(), 1U);
  EXPECT_EQ((*file)->warnings().size(), 2U);
}

class Shards : public Hostile {
 protected:
  void shard(const std::string& file, const std::string& name) const {
    const std::vector<SafeTensor> one{tensor(name, "F16", {4})};
    ASSERT_TRUE(writeSafeTensors(m_folder.path() / file, one));
  }
};

TEST_F(Shards, WithoutAnIndexAreFoundByTheirNames) {
  shard("model-00001-of-00002.safetensors", "x");
  shard("model-00002-of-00002.safetensors", "y");
  shard("consolidated.safetensors", "x");
  for (const auto& path : {m_folder.path(), m_folder.path() / "model-00002-of-00002.safetensors"}) {
    const auto file = ModelFile::open(path);
    ASSERT_TRUE(file) << file.error().message();
    EXPECT_NE((*file)->find("x"), nullptr);
    EXPECT_NE((*file)->find("y"), nullptr);
  }
  std::filesystem::remove(m_folder.path() / "model-00001-of-00002.safetensors");
  expectRefused({"Part 1", "model-00001-of-00002.safetensors", "missing"});
  shard("model-00001-of-00002.safetensors", "y");
  expectRefused({"y occurs twice", "model-00002"});
  shard("other-00001-of-00001.safetensors", "x");
  expectRefused({"several weight files"});
}

TEST_F(Shards, OfAnIndexMustStayInTheFolder) {
  shard("a.safetensors", "x");
  const auto refused = [&](const std::string& shardName, const std::vector<std::string_view>& words) {
    m_folder.write("model.safetensors.index.json", R"({"weight_map":{"x":)" + shardName + "}}");
    expectRefused(words);
  };
  for (const char* name : {R"("../x")", R"("..")", R"(".")", R"("")", R"("/etc/passwd")", R"("a/../a.safetensors")", R"("a\\b")",
                           R"("a\u0000")", "null", "{}", "[\"a.safetensors\"]"}) {
    refused(name, {"outside"});
  }
  refused(R"("b.safetensors")", {"missing", "b.safetensors"});
  m_folder.write("model.safetensors.index.json", R"({"weight_map":{"x":"a.safetensors","x":"b.safetensors"}})");
  (void)ModelFile::open(m_folder.path());  // the last duplicate wins; this must only not crash
  m_folder.write("model.safetensors.index.json", R"({"weight_map":{"y":"a.safetensors"}})");
  expectRefused({"y is not in the part"});
  m_folder.write("model.safetensors.index.json", "[]");
  expectRefused({"not a JSON object"});
}

}  // namespace
}  // namespace minerva::format
