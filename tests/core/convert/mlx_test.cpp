// MLX folders written by Minerva: bit-identical to mlx_lm's output for the same weights, and read back according to the
// published formula.
#include "core/format/model_file.h"
#include "core/convert/mlx_folder.h"
#include "core/convert/mlx_quantize.h"
#include "core/model/model_config.h"
#include "tests/core/convert/convert_support.h"
#include "tests/core/format/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
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

// The name without the part in front of the text model's, which differs.
std::string textName(std::string name) {
  for (const std::string before : {"language_model.model.", "model.language_model."}) {
    if (name.starts_with(before)) return "model." + name.substr(before.size());
  }
  return name;
}

// mlx_lm stacks experts and has 8 bits for their routers; all else is the same. The reference without experts is met by the numbers.
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
    std::map<std::string, TensorView> named;
    for (const auto& tensor : theirs->tensors()) named.emplace(textName(tensor.name), tensor.view);
    int compared = 0;
    for (const auto& tensor : mine->tensors()) {
      const auto other = named.find(textName(tensor.name));
      if (other == named.end() || other->second.type != tensor.view.type) continue;
      EXPECT_TRUE(std::ranges::equal(other->second.bytes, tensor.view.bytes)) << tensor.name;
      EXPECT_TRUE(std::ranges::equal(other->second.planes.scales, tensor.view.planes.scales)) << tensor.name << " scales";
      EXPECT_TRUE(std::ranges::equal(other->second.planes.biases, tensor.view.planes.biases)) << tensor.name << " biases";
      ++compared;
    }
    EXPECT_GT(compared, 30);
    const fs::path reference = models / id / "ref-mlx-4bit-g32.safetensors";
    const bool mixture = id == "qwen3next" || id.ends_with("moe");
    EXPECT_LT(mixture ? 0 : distance(folder.path() / "out", reference), 1e-3);
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
