// MLX folders written by Minerva: bit-identical to mlx_lm's output for the same weights, and read back according to the
// published formula.
#include "core/format/model_file.h"
#include "core/convert/mlx_folder.h"
#include "core/convert/mlx_quantize.h"
#include "core/convert/partial.h"
#include "core/model/model_config.h"
#include "tests/core/convert/convert_support.h"
#include "tests/core/convert/family_folders.h"
#include "tests/core/format/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>

namespace minerva::convert {
namespace {

namespace fs = std::filesystem;

void expectSameAsBefore(const fs::path& expected, const fs::path& actual) {
  const File a = openModel(expected), b = openModel(actual);
  ASSERT_EQ(b->format(), format::FileFormat::mlx);
  ASSERT_EQ(a->tensors().size(), b->tensors().size());
  for (const auto& tensor : a->tensors()) {
    const TensorView* other = b->find(tensor.name);
    ASSERT_NE(other, nullptr) << tensor.name;
    EXPECT_EQ(other->type, tensor.view.type) << tensor.name;
    EXPECT_EQ(other->shape, tensor.view.shape) << tensor.name;
    EXPECT_TRUE(std::ranges::equal(other->bytes, tensor.view.bytes)) << tensor.name;
    EXPECT_TRUE(std::ranges::equal(other->planes.scales, tensor.view.planes.scales)) << tensor.name << " scales";
    EXPECT_TRUE(std::ranges::equal(other->planes.biases, tensor.view.planes.biases)) << tensor.name << " biases";
  }
}

TEST(MlxFolder, BytesAreThoseOfMlx) {
  const TemporaryFolder folder;
  const fs::path source = golden / "models" / "llama-gqa-bf16";
  const auto report = convertToMlx(*openModel(source / "hf"), folder.path() / "out", {.bits = 4, .group = 32});
  ASSERT_TRUE(report) << report.error().message();
  expectSameAsBefore(source / "mlx-4bit-g32", folder.path() / "out");
  EXPECT_LT(distance(folder.path() / "out", source / "ref-mlx-4bit-g32.safetensors"), 1e-3);
  expectSameTokenizer(*openModel(source / "hf"), *openModel(folder.path() / "out"));
}

// What a folder may hold beside its weights and config.json, the template wherever it is.
TEST(MlxFolder, KeepsTheFilesBesideTheWeights) {
  const TemporaryFolder folder;
  const fs::path in = folder.path() / "in", out = folder.path() / "out";
  fs::copy(golden / "models" / "llama-gqa-bf16" / "hf", in, fs::copy_options::recursive);
  fs::remove(in / "chat_template.jinja");
  folder.write("in/chat_template.json", R"({"chat_template": "the processor's"})");
  for (const char* name : {"added_tokens.json", "preprocessor_config.json", "processor_config.json", "vocab.txt"})
    folder.write(std::string("in/") + name, "{}");
  fs::create_directories(in / "additional_chat_templates");
  folder.write("in/additional_chat_templates/tool_use.jinja", "for tools");
  const auto report = convertToMlx(*openModel(in), out, {.bits = 4, .group = 32});
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(openModel(in)->huggingFace().chatTemplate, "the processor's");
  EXPECT_EQ(openModel(out)->huggingFace().chatTemplate, "the processor's");
  for (const auto& entry : fs::recursive_directory_iterator(in))
    EXPECT_TRUE(fs::exists(out / fs::relative(entry.path(), in))) << entry.path();
}

// mlx_lm names all tensors from "model." on, also those that a published embedding model names without it, and leaves the parts behind the
// model alone.
TEST(MlxFolder, AnEmbeddingModelKeepsItsParts) {
  const TemporaryFolder folder;
  const fs::path out = folder.path() / "out", gguf = folder.path() / "out.gguf";
  for (const char* id : {"qwen3-embedding", "embedding-gemma"}) {
    SCOPED_TRACE(id);
    const fs::path source = fs::path(MINERVA_TEST_DATA) / "convert" / id / "hf";
    fs::remove_all(out);
    const auto report = convertToMlx(*openModel(source), out, {.bits = 8, .group = 32});
    ASSERT_TRUE(report) << report.error().message();
    const File before = openModel(source), after = openModel(out);
    EXPECT_EQ(after->format(), format::FileFormat::mlx);
    EXPECT_EQ(after->tensors().size(), before->tensors().size());
    for (const auto& tensor : before->tensors()) {
      const bool part = tensor.name.find('/') != std::string::npos;
      const TensorView* view = after->find(part ? tensor.name : "model." + tensor.name);
      ASSERT_NE(view, nullptr) << tensor.name;
      const bool packed = !part && tensor.view.shape.rank == 2 && tensor.view.shape.columns() % 32 == 0;
      EXPECT_EQ(traits(view->type).kind == ElementKind::plain, !packed) << tensor.name;
    }
    const auto config = model::readModelConfig(*after), stated = model::readModelConfig(*before);
    ASSERT_TRUE(config && stated);
    EXPECT_EQ(config->embedding.pooling, stated->embedding.pooling);
    EXPECT_EQ(config->embedding.dense.size(), stated->embedding.dense.size());
    EXPECT_LT(distanceBetween(source, out), 0.05);
    ASSERT_TRUE(convertFile(out, gguf, "f32"));
    EXPECT_LT(distanceBetween(out, gguf), 1e-4);
  }
  const auto refused = convertToMlx(*openModel(fs::path(MINERVA_TEST_DATA) / "convert" / "bert" / "hf"), out, {.bits = 4, .group = 32});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::unsupported);
}

// The temporary name of the output folder may be the name of the source model.
TEST(MlxFolder, DoesNotClearAwayWhatItReads) {
  const TemporaryFolder folder;
  const fs::path model = folder.path() / "out.partial";
  fs::copy(golden / "models" / "llama-gqa-bf16" / "hf", model, fs::copy_options::recursive);
  for (const fs::path& source : {model, model / "model.safetensors"}) {
    const auto report = convertToMlx(*openModel(source), folder.path() / "out", {.bits = 4, .group = 32});
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().kind, ErrorKind::invalidArgument) << report.error().message();
    ASSERT_TRUE(fs::exists(model / "model.safetensors"));
  }
}

// Hashes of mlx_lm's output for the same weights. If ../shared has its files, they are compared as well.
TEST(MlxFolder, EveryWidthIsThatOfMlx) {
  const std::map<std::pair<int, int>, std::uint64_t> hashes{
      {{2, 32}, 0x644430c42818a2c5U}, {{3, 32}, 0x97cc900292e10b63U}, {{3, 64}, 0x08bb480b45c78d43U}, {{4, 32}, 0x0d73d6fb35385459U},
      {{4, 64}, 0x0401a69bd545fa9eU}, {{5, 32}, 0xd40f1e0cf4a96490U}, {{6, 32}, 0x3f96b2ca5cd25cb2U}, {{8, 32}, 0xf80c9ba6a754ee7bU},
  };
  const fs::path published = oracle / "models" / "llama-gqa-bf16";
  for (const auto& [width, hash] : hashes) {
    const auto [bits, group] = width;
    const std::string name = "mlx-" + std::to_string(bits) + "bit-g" + std::to_string(group);
    SCOPED_TRACE(name);
    const TemporaryFolder folder;
    const File source = openModel(golden / "models" / "llama-gqa-bf16" / "hf");
    ASSERT_TRUE(convertToMlx(*source, folder.path() / "out", {.bits = bits, .group = group}));
    EXPECT_EQ(hashOf(*openModel(folder.path() / "out")), hash);
    if (!fs::exists(published / name)) continue;
    EXPECT_EQ(hashOf(*openModel(published / name)), hash);
    expectSameAsBefore(published / name, folder.path() / "out");
  }
}

// Names, shapes and bytes. The rows of these models' routers are half as long as the groups that mlx_lm packs routers in; the reference has
// them in shorter ones.
TEST(MlxFolder, FamiliesOf2026AreThoseOfMlx) {
  const fs::path models = oracle.parent_path() / "oracle-2026" / "models";
  if (!fs::exists(models)) GTEST_SKIP() << "skipped: no ../shared/oracle-2026 here";
  for (const std::string id : {"qwen3next", "qwen35", "qwen35-published-layout", "qwen35moe", "gemma4-e2b", "gemma4-moe"}) {
    SCOPED_TRACE(id);
    const fs::path published = models / id / "mlx-4bit-g32";
    if (!fs::exists(published)) continue;
    const TemporaryFolder folder;
    const auto report = convertToMlx(*openModel(models / id / "hf"), folder.path() / "out", {.bits = 4, .group = 32});
    ASSERT_TRUE(report) << report.error().message();
    const File theirs = openModel(published), mine = openModel(folder.path() / "out");
    EXPECT_GE(mine->tensors().size(), theirs->tensors().size());  // mlx_lm drops the part for images
    for (const auto& tensor : theirs->tensors()) {
      const TensorView* other = mine->find(tensor.name);
      ASSERT_NE(other, nullptr) << tensor.name;
      EXPECT_EQ(other->shape, tensor.view.shape) << tensor.name;
      const auto isRouter = [&](const char* ending) { return tensor.name.ends_with(ending); };
      if (isRouter("mlp.gate.weight") || isRouter("shared_expert_gate.weight") || isRouter("router.proj.weight")) continue;
      EXPECT_EQ(other->type, tensor.view.type) << tensor.name;
      EXPECT_TRUE(std::ranges::equal(other->bytes, tensor.view.bytes)) << tensor.name;
      EXPECT_TRUE(std::ranges::equal(other->planes.scales, tensor.view.planes.scales)) << tensor.name << " scales";
      EXPECT_TRUE(std::ranges::equal(other->planes.biases, tensor.view.planes.biases)) << tensor.name << " biases";
    }
    const bool mixture = id == "qwen3next" || id.ends_with("moe");
    EXPECT_LT(mixture ? 0 : distance(folder.path() / "out", models / id / "ref-mlx-4bit-g32.safetensors"), 1e-3);
  }
}

// mlx_lm stacks single experts only of weights without scales, and splits fused stacks in no other way.
TEST(MlxFolder, ExpertsAreStacksThatArePacked) {
  int mixtures = 0;
  for (const auto& entry : fs::directory_iterator(golden / "models")) {
    const fs::path source = entry.path() / "hf";
    SCOPED_TRACE(source);
    const auto file = fs::exists(source) ? openModel(source) : nullptr;
    const auto config = file ? model::readModelConfig(*file) : Result<model::ModelConfig>(fail({}));
    const auto isMixture = [](const model::LayerConfig& layer) { return layer.hasExperts(); };
    if (!config || file->format() != format::FileFormat::safetensors || std::ranges::none_of(config->layers, isMixture)) continue;
    const TemporaryFolder folder;
    const auto report = convertToMlx(*file, folder.path() / "out", {.bits = 8, .group = 32});
    if (!report && report.error().kind == ErrorKind::unsupported) continue;  // packed already
    ASSERT_TRUE(report) << report.error().message();
    const File made = openModel(folder.path() / "out");
    for (const auto& tensor : made->tensors()) {
      EXPECT_EQ(tensor.name.find("experts.0."), std::string::npos) << tensor.name;
      const Shape& shape = tensor.view.shape;
      const bool packed = traits(tensor.view.type).kind != ElementKind::plain;
      EXPECT_TRUE(packed || shape.rank != 3 || shape.columns() % 32 != 0) << tensor.name;
    }
    ++mixtures;
  }
  EXPECT_GE(mixtures, 15);
}

// What mlx_lm's predicates say: 8 bits for some, others are no layers that it packs.
TEST(MlxFolder, RoutersHaveTheBitsThatMlxGivesThem) {
  for (const auto& [type, packed] : {std::pair{"qwen3_moe", true}, std::pair{"glm4_moe", false}}) {
    SCOPED_TRACE(type);
    const TemporaryFolder folder;
    const auto json = config(type, {{"num_experts", 4},
                                    {"n_routed_experts", 4},
                                    {"num_experts_per_tok", 2},
                                    {"moe_intermediate_size", 64},
                                    {"norm_topk_prob", true},
                                    {"first_k_dense_replace", 0},
                                    {"n_shared_experts", 1},
                                    {"n_group", 1},
                                    {"topk_group", 1},
                                    {"routed_scaling_factor", 1.0},
                                    {"tie_word_embeddings", true}});
    std::vector<FolderTensor> tensors = attentionTensors("model.", 2);
    tensors.push_back({"lm_head.weight", {vocabulary, hidden}});  // some publish it although it is the embedding
    for (int i = 0; i < layers; ++i) {
      const std::string layer = "model.layers." + std::to_string(i) + ".";
      tensors.push_back({layer + "post_attention_layernorm.weight", {hidden}});
      if (packed) {
        for (const char* norm : {"self_attn.q_norm.weight", "self_attn.k_norm.weight"}) tensors.push_back({layer + norm, {16}});
      } else {
        tensors.push_back({layer + "mlp.gate.e_score_correction_bias", {4}});
        addFeedForward(tensors, layer + "mlp.shared_experts.", 64);
      }
      tensors.push_back({layer + "mlp.gate.weight", {4, hidden}});
      for (int e = 0; e < 4; ++e) addFeedForward(tensors, layer + "mlp.experts." + std::to_string(e) + ".", 64);
    }
    writeFolder(folder.path() / "in", json, tensors);
    const auto report = convertToMlx(*openModel(folder.path() / "in"), folder.path() / "out", {.bits = 4, .group = 64});
    ASSERT_TRUE(report) << report.error().message();
    const File made = openModel(folder.path() / "out");
    const TensorView* gate = made->find("model.layers.3.mlp.gate.weight");
    ASSERT_NE(gate, nullptr);
    EXPECT_EQ(gate->type, packed ? mlxType(8, 64, ElementType::F32)->type : ElementType::F32);
    const auto& stated = made->huggingFace().config["quantization"];
    EXPECT_EQ(stated.value("model.layers.3.mlp.gate", nlohmann::json()),
              packed ? nlohmann::json({{"group_size", 64}, {"bits", 8}}) : nlohmann::json());
    const TensorView* stack = made->find("model.layers.3.mlp.switch_mlp.up_proj.weight");
    ASSERT_NE(stack, nullptr);
    EXPECT_EQ(stack->type, mlxType(4, 64, ElementType::F32)->type);
    EXPECT_EQ(made->find("lm_head.weight"), nullptr) << "mlx_lm would find the scales of a head that it has not";
    EXPECT_LT(distanceBetween(folder.path() / "in", folder.path() / "out"), 5);
  }
}

// Before the first tensor.
TEST(MlxFolder, ADiskWithoutRoomIsSeenAtOnce) {
  EXPECT_TRUE(checkSpace("out", 0));
  const auto refused = checkSpace("out", std::uint64_t{1} << 62);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::limit);
}

TEST(MlxFolder, WeightsThatAreNoNumbersAreRefused) {
  const TemporaryFolder folder;
  const auto json = config("qwen3", {{"tie_word_embeddings", true}});
  std::vector<FolderTensor> tensors = attentionTensors("model.", 2);
  for (int i = 0; i < layers; ++i) {
    const std::string layer = "model.layers." + std::to_string(i) + ".";
    tensors.push_back({layer + "post_attention_layernorm.weight", {hidden}});
    for (const char* norm : {"self_attn.q_norm.weight", "self_attn.k_norm.weight"}) tensors.push_back({layer + norm, {16}});
    addFeedForward(tensors, layer + "mlp.", feedForward);
  }
  writeFolder(folder.path() / "in", json, tensors);
  std::fstream file(folder.path() / "in" / "model.safetensors", std::ios::binary | std::ios::in | std::ios::out);
  const float none = std::numeric_limits<float>::quiet_NaN();
  file.seekp(-4, std::ios::end);
  file.write(reinterpret_cast<const char*>(&none), sizeof none);
  file.close();
  const File model = openModel(folder.path() / "in");
  for (const auto& refused : {convertToMlx(*model, folder.path() / "out", {.bits = 4, .group = 32}),
                              convertToGguf(*model, folder.path() / "out", {.type = "q8_0", .progress = {}, .cancel = {}})}) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::corrupt);
    EXPECT_NE(refused.error().where.find("down_proj"), refused.error().where.find("ffn_down")) << refused.error().message();
    EXPECT_FALSE(fs::exists(folder.path() / "out"));
  }
}

// Groups whose codes, scale and bias are calculated by hand.
TEST(MlxQuantize, GroupsWithKnownAnswers) {
  std::vector<float> values(64);
  std::vector<std::uint8_t> codes(64);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 16) - 8.0F;  // -8 .. 7: steps of 1
  const MlxGroup even = quantizeMlxGroup(values, 4, ElementType::F32, codes);
  EXPECT_EQ(even.scale, 1.0F);
  EXPECT_EQ(even.bias, -8.0F);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(codes[i], i % 16);
  // 8 .. -7: the value of largest magnitude is positive, so the scale is negative.
  std::ranges::transform(values, values.begin(), std::negate<>());
  const MlxGroup turned = quantizeMlxGroup(values, 4, ElementType::F32, codes);
  EXPECT_EQ(turned.scale, -1.0F);
  EXPECT_EQ(turned.bias, 8.0F);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(codes[i], i % 16);
  std::ranges::fill(values, 0.0F);
  const MlxGroup none = quantizeMlxGroup(values, 4, ElementType::F32, codes);
  EXPECT_EQ(none.scale, -1e-7F);
  EXPECT_EQ(none.bias, 0.0F);
  EXPECT_TRUE(std::ranges::all_of(codes, [](std::uint8_t code) { return code == 0; }));
  // A step of 1.01 rounds to 1.0078125 in BF16, and the codes are computed with the rounded scale.
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 16) * 1.01F - 8.0F * 1.01F;
  const MlxGroup brief = quantizeMlxGroup(values, 4, ElementType::BF16, codes);
  EXPECT_EQ(brief.scale, 1.0078125F);
  EXPECT_EQ(brief.bias, -8.0625F);
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(codes[i], std::clamp(std::nearbyint((values[i] + 8.0625F) / 1.0078125F), 0.0F, 15.0F));
  values[5] = NAN;
  static_cast<void>(quantizeMlxGroup(values, 4, ElementType::F32, codes));
  EXPECT_EQ(codes[5], 0);
}

TEST(MlxQuantize, CodesAreAStreamOfBits) {
  const std::vector<std::uint8_t> codes{1, 2, 3, 4, 5, 6, 7, 0};
  std::vector<std::byte> out(3);
  packMlxCodes(codes, 3, out);
  const unsigned stream = 1U | 2U << 3 | 3U << 6 | 4U << 9 | 5U << 12 | 6U << 15 | 7U << 18;
  for (unsigned i = 0; i < 3; ++i) EXPECT_EQ(out[i], static_cast<std::byte>(stream >> (8 * i)));
}

// Before anything is written.
TEST(MlxFolder, ATransposedModelIsRefusedAtOnce) {
  const TemporaryFolder folder;
  bool began = false;
  const auto refused = convertToMlx(*openModel(golden / "models" / "tiny-gpt2" / "hf"), folder.path() / "out",
                                    {.bits = 8, .group = 32, .progress = [&](const ConvertProgress&) { began = true; }});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::unsupported);
  EXPECT_NE(refused.error().what.find("transposed"), std::string::npos) << refused.error().message();
  EXPECT_FALSE(began);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(MlxFolder, WhatCannotBeWrittenIsSaidAndNothingIsLeft) {
  const TemporaryFolder folder;
  const fs::path hf = golden / "models" / "llama-gqa-bf16" / "hf", out = folder.path() / "out";
  EXPECT_EQ(convertToMlx(*openModel(hf), out, {.bits = 7}).error().kind, ErrorKind::invalidArgument);
  EXPECT_EQ(convertToMlx(*openModel(golden / "models" / "llama-gqa-bf16" / "mlx-4bit-g32"), out, {}).error().kind, ErrorKind::unsupported);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(convertToMlx(*openModel(hf), out, {.cancel = stop.get_token()}).error().kind, ErrorKind::cancelled);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

}  // namespace
}  // namespace minerva::convert
