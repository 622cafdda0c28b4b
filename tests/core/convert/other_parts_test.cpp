// What a model has beside its text model is left out of copies, whatever it is called.
#include "core/convert/gguf_writer.h"
#include "tests/core/convert/convert_support.h"
#include "tests/core/convert/family_folders.h"
#include "tests/core/format/temporary_folder.h"

#include <gtest/gtest.h>

namespace minerva::convert {
namespace {

namespace fs = std::filesystem;

// A Llama whose tensors' names begin with this.
std::vector<FolderTensor> llamaIn(const std::string& base) {
  std::vector<FolderTensor> tensors = attentionTensors(base, 2);
  for (int i = 0; i < layers; ++i) {
    const std::string layer = base + "layers." + std::to_string(i) + ".";
    tensors.push_back({layer + "post_attention_layernorm.weight", {hidden}});
    addFeedForward(tensors, layer + "mlp.", feedForward);
  }
  return tensors;
}

TEST(OtherParts, OfFoldersAreLeftOut) {
  struct Case {
    const char *outer, *key, *base;
    std::vector<std::string> parts;
  };
  const Case cases[] = {
      {"idefics3", "text_config", "model.text_model.", {"model.connector.modality_projection.proj.weight", "model.vision_model.x.weight"}},
      {"llava_next", "text_config", "language_model.model.", {"image_newline", "vision_tower.x.weight"}},
      {"llava_next", "text_config", "model.language_model.", {"model.image_newline", "model.multi_modal_projector.linear_1.weight"}},
      {"internvl_chat", "llm_config", "language_model.model.", {"vision_model.x.weight", "mlp1.1.weight"}},
      {"granite_speech", "text_config", "language_model.model.", {"encoder.layers.9.conv.weight", "projector.query"}},
      {"qwen2_5_omni", "thinker_config", "thinker.model.", {"thinker.visual.x.weight", "talker.model.embed_tokens.weight"}}};
  for (const Case& one : cases) {
    SCOPED_TRACE(one.parts.front());
    const TemporaryFolder folder;
    const fs::path in = folder.path() / "in", gguf = folder.path() / "out.gguf", mlx = folder.path() / "mlx";
    std::vector<FolderTensor> tensors = llamaIn(one.base);
    for (const std::string& part : one.parts) tensors.push_back({part, {hidden, hidden}});
    const nlohmann::json text = config("llama", {{"tie_word_embeddings", true}});
    const bool thinker = one.key == std::string("thinker_config");
    writeFolder(
        in, {{"model_type", one.outer}, {one.key, thinker ? nlohmann::json{{"text_config", text}} : text}, {"tie_word_embeddings", true}},
        tensors);
    const auto report = convertFile(in, gguf, "f32");
    ASSERT_TRUE(report) << report.error().message();
    ASSERT_EQ(report->warnings.size(), 1U);
    EXPECT_NE(report->warnings[0].find("left out: 2 tensors"), std::string::npos) << report->warnings[0];
    EXPECT_LT(distanceBetween(in, gguf), 1e-4);
  }
}

// Ollama's files hold everything; readers refuse tensors that they do not expect.
TEST(OtherParts, OfGgufFilesAreLeftOut) {
  const TemporaryFolder folder;
  const fs::path whole = folder.path() / "whole.gguf", out = folder.path() / "out.gguf", plain = folder.path() / "plain.gguf";
  ASSERT_TRUE(convertFile(golden / "models" / "llama-gqa-bf16" / "hf", plain, "f32"));
  const File source = openModel(plain);
  auto writer = GgufWriter::create(whole);
  ASSERT_TRUE(writer);
  for (const auto& [key, value] : source->metadata().entries()) writer->copy(key, value);
  for (const auto& tensor : source->tensors()) writer->declare(tensor.name, tensor.view.type, tensor.view.shape);
  writer->declare("v.blk.0.attn_q.weight", ElementType::F32, {.dims = {2, 32, 1, 1}, .rank = 2});
  ASSERT_TRUE(writer->begin());
  for (const auto& tensor : source->tensors()) ASSERT_TRUE(writer->write(tensor.view.bytes));
  ASSERT_TRUE(writer->write(std::vector<std::byte>(2 * 32 * sizeof(float))));
  ASSERT_TRUE(writer->finish());
  const auto report = convertFile(whole, out, "q8_0");
  ASSERT_TRUE(report) << report.error().message();
  ASSERT_EQ(report->warnings.size(), 1U);
  EXPECT_NE(report->warnings[0].find("left out: 1 tensors"), std::string::npos) << report->warnings[0];
  EXPECT_EQ(openModel(out)->tensors().size(), source->tensors().size());
}

}  // namespace
}  // namespace minerva::convert
