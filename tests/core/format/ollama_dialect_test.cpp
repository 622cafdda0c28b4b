// Files of Ollama's converter get the usual keys and names; those of others stay as they are.
#include "core/convert/gguf_writer.h"
#include "core/format/model_file.h"
#include "tests/core/format/temporary_folder.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>

namespace minerva::format {
namespace {

using convert::GgufWriter;

// Writes a GGUF and opens it. Its tensors hold zeros.
std::unique_ptr<const ModelFile> openedGguf(const char* architecture, const std::function<void(GgufWriter&)>& fill) {
  const TemporaryFolder folder;
  auto writer = GgufWriter::create(folder.path() / "model.gguf");
  EXPECT_TRUE(writer);
  writer->set("general.architecture", architecture);
  fill(*writer);
  EXPECT_TRUE(writer->begin() && writer->finishHollow());
  auto file = ModelFile::open(folder.path() / "model.gguf");
  EXPECT_TRUE(file) << (file ? "" : file.error().message());
  return file ? std::move(*file) : nullptr;
}

void declare(GgufWriter& writer, std::string_view name, std::int64_t rows = 1) {
  writer.declare(name, ElementType::F32, {.dims = {rows, 2, 1, 1}, .rank = 2});
}

std::vector<std::string> namesOf(const ModelFile& file) {
  std::vector<std::string> names;
  for (const NamedTensor& tensor : file.tensors()) {
    names.push_back(tensor.name);
    EXPECT_EQ(file.find(tensor.name), &tensor.view) << tensor.name;
  }
  return names;
}

// Keys of a Gemma 3 that every converter writes; a token more than the embedding has rows.
void writeGemma3(GgufWriter& writer, std::uint32_t context) {
  writer.set("gemma3.context_length", context);
  writer.set("tokenizer.ggml.model", "llama");
  writer.set("tokenizer.ggml.tokens", std::vector<std::string>{"a", "bc", "<image>"});
  writer.set("tokenizer.ggml.scores", std::array{-1.0F, -2.0F, -3.0F});
  writer.set("tokenizer.ggml.token_type", std::array{1, 1, 4});
  declare(writer, "token_embd.weight", 2);
}

TEST(OllamaDialect, Gemma3GetsWhatTheEngineKnew) {
  const auto file = openedGguf("gemma3", [](GgufWriter& writer) {
    writeGemma3(writer, 131072);
    writer.set("gemma3.rope.global.freq_base", 1e6F);
    writer.set("gemma3.rope.local.freq_base", 1e4F);
  });
  const Metadata& keys = file->metadata();
  EXPECT_EQ(keys.number("gemma3.rope.freq_base").value(), 1e6);
  EXPECT_EQ(keys.number("gemma3.rope.freq_base_swa").value(), 1e4);
  EXPECT_EQ(keys.string("gemma3.rope.scaling.type").value(), "linear");
  EXPECT_EQ(keys.number("gemma3.rope.scaling.factor").value(), 8);
  EXPECT_EQ(keys.boolean("tokenizer.ggml.add_space_prefix").value(), false);
  EXPECT_EQ(keys.strings("tokenizer.ggml.tokens").value(), (std::vector<std::string_view>{"a", "bc"}));
  EXPECT_EQ(keys.numbers("tokenizer.ggml.scores").value(), (std::vector<double>{-1, -2}));
  EXPECT_EQ(keys.integers("tokenizer.ggml.token_type").value(), (std::vector<std::int64_t>{1, 1}));
}

TEST(OllamaDialect, ASmallGemma3IsNotStretched) {
  const auto file = openedGguf("gemma3", [](GgufWriter& writer) { writeGemma3(writer, 32768); });
  EXPECT_FALSE(file->metadata().has("gemma3.rope.scaling.type"));
  EXPECT_EQ(file->metadata().boolean("tokenizer.ggml.add_space_prefix").value(), false) << "told by the missing epsilon";
}

TEST(OllamaDialect, AGemma3OfAnotherConverterStaysAsItIs) {
  const auto file = openedGguf("gemma3", [](GgufWriter& writer) {
    writeGemma3(writer, 131072);
    writer.set("gemma3.attention.layer_norm_rms_epsilon", 1e-6F);
  });
  EXPECT_FALSE(file->metadata().has("gemma3.rope.scaling.type"));
  EXPECT_FALSE(file->metadata().has("tokenizer.ggml.add_space_prefix"));
  EXPECT_EQ(file->metadata().strings("tokenizer.ggml.tokens").value()->size(), 3U);
}

TEST(OllamaDialect, EmbeddingGemmaIsCalledSo) {
  const auto file = openedGguf("gemma3", [](GgufWriter& writer) {
    writeGemma3(writer, 2048);
    for (const char* name : {"dense.0.weight", "dense.1.weight", "norm.weight"}) declare(writer, name);
  });
  EXPECT_EQ(file->metadata().string("general.architecture").value(), "gemma-embedding");
  EXPECT_EQ(file->metadata().integer("gemma-embedding.context_length").value(), 2048);
  EXPECT_FALSE(file->metadata().has("gemma3.context_length"));
  EXPECT_EQ(namesOf(*file), (std::vector<std::string>{"token_embd.weight", "dense_2.weight", "dense_3.weight", "output_norm.weight"}));
}

TEST(OllamaDialect, Gemma4sTokenizerHasMerges) {
  const auto model = [](const char* stated, const char* pre, bool merges) {
    const auto file = openedGguf("gemma4", [&](GgufWriter& writer) {
      writer.set("tokenizer.ggml.model", stated);
      writer.set("tokenizer.ggml.pre", pre);
      if (merges) writer.set("tokenizer.ggml.merges", std::vector<std::string>{"a b"});
      declare(writer, "blk.0.ffn_gate_inp.per_expert_scale");
    });
    EXPECT_EQ(namesOf(*file), (std::vector<std::string>{"blk.0.ffn_down_exps.scale"}));
    return std::string(file->metadata().string("tokenizer.ggml.model").value().value_or(""));
  };
  EXPECT_EQ(model("llama", "gemma4", true), "gemma4");
  EXPECT_EQ(model("gemma4", "gemma4", true), "gemma4");
  EXPECT_EQ(model("llama", "gemma4", false), "llama");
  EXPECT_EQ(model("llama", "default", true), "llama");
}

TEST(OllamaDialect, Ministral3sRopeIsRenamed) {
  const auto file = openedGguf("mistral3", [](GgufWriter& writer) {
    writer.set("mistral3.rope.scaling.type", "yarn");
    writer.set("mistral3.rope.scaling.factor", 16.0F);
    writer.set("mistral3.rope.scaling.beta_fast", 32.0F);
    writer.set("mistral3.rope.scaling.beta_slow", 1.0F);
    writer.set("mistral3.rope.scaling.mscale_all_dim", 1.0F);
    writer.set("mistral3.rope.scaling_beta", 0.5F);
    writer.set("tokenizer.ggml.pre", "default");
  });
  const Metadata& keys = file->metadata();
  EXPECT_EQ(keys.string("mistral3.rope.scaling.type").value(), "yarn");
  EXPECT_EQ(keys.number("mistral3.rope.scaling.yarn_beta_fast").value(), 32);
  EXPECT_EQ(keys.number("mistral3.rope.scaling.yarn_beta_slow").value(), 1);
  EXPECT_EQ(keys.number("mistral3.rope.scaling.yarn_log_multiplier").value(), 1);
  EXPECT_EQ(keys.number("mistral3.attention.temperature_scale").value(), 0.5);
  EXPECT_EQ(keys.string("tokenizer.ggml.pre").value(), "tekken");
  EXPECT_FALSE(keys.has("mistral3.rope.scaling.beta_fast"));
}

// Told by its parts for images. It has no scaling, which is said by an empty text.
TEST(OllamaDialect, MistralSmallIsNotScaled) {
  const auto file = openedGguf("mistral3", [](GgufWriter& writer) {
    writer.set("mistral3.rope.scaling.type", "");
    declare(writer, "v.patch_conv.weight");
  });
  EXPECT_FALSE(file->metadata().has("mistral3.rope.scaling.type"));
  EXPECT_EQ(file->metadata().string("tokenizer.ggml.pre").value(), "tekken");
}

TEST(OllamaDialect, AMistralOfAnotherConverterKeepsItsPreTokenizer) {
  const auto file = openedGguf("mistral3", [](GgufWriter& writer) { writer.set("tokenizer.ggml.pre", "default"); });
  EXPECT_EQ(file->metadata().string("tokenizer.ggml.pre").value(), "default");
}

TEST(OllamaDialect, QwensListOfHeadsIsOneNumber) {
  for (const char* architecture : {"qwen35", "qwen35moe", "qwen3next"}) {
    const std::string prefix = architecture + std::string(".");
    const auto opened = [&](const std::array<std::int32_t, 4>& heads) {
      return openedGguf(architecture, [&](GgufWriter& writer) {
        writer.set(prefix + "attention.head_count_kv", heads);
        writer.set(prefix + "feed_forward_length", 0U);
        for (const char* name : {"blk.0.ssm_dt", "blk.1.ssm_dt.bias"}) declare(writer, name);
      });
    };
    const auto file = opened({0, 2, 0, 2});
    EXPECT_EQ(file->metadata().integer(prefix + "attention.head_count_kv").value(), 2);
    EXPECT_FALSE(file->metadata().has(prefix + "feed_forward_length"));
    EXPECT_EQ(namesOf(*file), (std::vector<std::string>{"blk.0.ssm_dt.bias", "blk.1.ssm_dt.bias"}));
    EXPECT_FALSE(opened({0, 2, 0, 4})->metadata().integer(prefix + "attention.head_count_kv")) << "layers that differ are still refused";
  }
}

// What only its engine knew is added: the kind of scaling, the experts' size, the pre-tokenizer.
TEST(OllamaDialect, GptOssIsCalledSo) {
  const auto file = openedGguf("gptoss", [](GgufWriter& writer) {
    writer.set("gptoss.block_count", std::uint32_t{1});
    writer.set("gptoss.rope.scaling.factor", 32.0F);
    writer.declare("blk.0.ffn_gate_exps.weight", ElementType::F32, {.dims = {4, 3, 2, 1}, .rank = 3});
    for (const char* name : {"blk.0.attn_out.weight", "blk.0.attn_out.bias", "blk.0.attn_sinks", "blk.0.ffn_norm.weight"})
      declare(writer, name);
  });
  const Metadata& keys = file->metadata();
  EXPECT_EQ(keys.string("general.architecture").value(), "gpt-oss");
  EXPECT_EQ(keys.integer("gpt-oss.block_count").value(), 1);
  EXPECT_EQ(keys.number("gpt-oss.rope.scaling.factor").value(), 32);
  EXPECT_EQ(keys.string("gpt-oss.rope.scaling.type").value(), "yarn");
  EXPECT_EQ(keys.integer("gpt-oss.expert_feed_forward_length").value(), 3);
  EXPECT_EQ(keys.string("tokenizer.ggml.pre").value(), "gpt-4o");
  EXPECT_EQ(namesOf(*file), (std::vector<std::string>{"blk.0.ffn_gate_exps.weight", "blk.0.attn_output.weight", "blk.0.attn_output.bias",
                                                      "blk.0.attn_sinks.weight", "blk.0.post_attention_norm.weight"}));
}

// In llama.cpp's names a head has 256 values, a position of the cache 576.
TEST(OllamaDialect, Glm47FlashHasTheSizesOfItsHeads) {
  const auto file = openedGguf("glm4moelite", [](GgufWriter& writer) {
    writer.set("glm4moelite.attention.key_length", std::uint32_t{256});
    writer.set("glm4moelite.attention.value_length", std::uint32_t{192});
    writer.set("glm4moelite.attention.key_length_mla", std::uint32_t{576});
    writer.set("glm4moelite.attention.value_length_mla", std::uint32_t{512});
  });
  const Metadata& keys = file->metadata();
  EXPECT_EQ(keys.string("general.architecture").value(), "deepseek2");
  EXPECT_EQ(keys.integer("deepseek2.attention.key_length_mla").value(), 256);
  EXPECT_EQ(keys.integer("deepseek2.attention.value_length_mla").value(), 192);
  EXPECT_EQ(keys.string("tokenizer.ggml.pre").value(), "glm4");
}

TEST(OllamaDialect, OtherNamesOfArchitecturesAreTranslated) {
  const std::pair<const char*, const char*> names[] = {
      {"olmo3", "olmo2"}, {"qwen25vl", "qwen2vl"}, {"nemotron_h_omni", "nemotron_h"}, {"qwen3", "qwen3"}};
  for (const auto& [written, meant] : names) {
    const auto file = openedGguf(written, [&](GgufWriter& writer) { writer.set(std::string(written) + ".block_count", std::uint32_t{7}); });
    EXPECT_EQ(file->metadata().string("general.architecture").value(), meant);
    EXPECT_EQ(file->metadata().integer(std::string(meant) + ".block_count").value(), 7);
  }
}

TEST(OllamaDialect, NemotronsLatentSpaceIsFound) {
  const auto file = openedGguf("nemotron_h_omni", [](GgufWriter& writer) {
    writer.set("nemotron_h_omni.expert_count", std::uint32_t{4});
    declare(writer, "blk.3.ffn_latent_in.weight", 5);
    declare(writer, "blk.3.ffn_latent_out.weight");
  });
  EXPECT_EQ(file->metadata().string("general.architecture").value(), "nemotron_h_moe");
  EXPECT_EQ(file->metadata().integer("nemotron_h_moe.moe_latent_size").value(), 5);
  EXPECT_EQ(namesOf(*file), (std::vector<std::string>{"blk.3.ffn_latent_down.weight", "blk.3.ffn_latent_up.weight"}));
}

TEST(OllamaDialect, Lfm2sFeedForwardIsAsLargeAsItsMatrix) {
  const auto file = openedGguf("lfm2", [](GgufWriter& writer) {
    writer.set("lfm2.feed_forward_length", std::uint32_t{12});
    declare(writer, "blk.0.ffn_gate.weight", 8);
  });
  EXPECT_EQ(file->metadata().integer("lfm2.feed_forward_length").value(), 8);
}

// llama.cpp refuses a size of another type than this one, also in a copy of the file.
TEST(OllamaDialect, SizesKeepTheirType) {
  const auto typeOf = [](const char* architecture, const std::string& key, const std::function<void(GgufWriter&)>& fill) {
    const auto file = openedGguf(architecture, fill);
    const auto entry = file->metadata().entries().find(key);
    EXPECT_NE(entry, file->metadata().entries().end()) << key;
    return entry == file->metadata().entries().end() ? MetadataType::array : entry->second.type;
  };
  for (const std::uint32_t stated : {12U, 8U}) {
    EXPECT_EQ(typeOf("lfm2", "lfm2.feed_forward_length",
                     [&](GgufWriter& writer) {
                       writer.set("lfm2.feed_forward_length", stated);
                       declare(writer, "blk.0.ffn_gate.weight", 8);
                     }),
              MetadataType::uint32);
  }
  EXPECT_EQ(typeOf("qwen35", "qwen35.attention.head_count_kv",
                   [](GgufWriter& writer) {
                     writer.set("qwen35.attention.head_count_kv", std::array<std::int32_t, 2>{0, 2});
                   }),
            MetadataType::uint32);
  EXPECT_EQ(typeOf("gptoss", "gpt-oss.expert_feed_forward_length",
                   [](GgufWriter& writer) {
                     writer.declare("blk.0.ffn_gate_exps.weight", ElementType::F32, {.dims = {4, 3, 2, 1}, .rank = 3});
                   }),
            MetadataType::uint32);
}

TEST(OllamaDialect, Gemma3nIsToldByItsHeadSize) {
  for (const bool own : {true, false}) {
    const auto file = openedGguf("gemma3n", [&](GgufWriter& writer) {
      if (own) writer.set("gemma3n.head_dim", std::uint32_t{256});
    });
    const Metadata& keys = file->metadata();
    EXPECT_EQ(keys.integer("gemma3n.attention.key_length").value(), own ? std::optional<std::int64_t>(256) : std::nullopt);
    EXPECT_EQ(keys.boolean("tokenizer.ggml.add_space_prefix").value(), own ? std::optional(false) : std::nullopt);
  }
}

// The first files of Llama 3, of any converter, name none or the default; told by a token at its place.
TEST(OllamaDialect, Llama3GetsItsPreTokenizer) {
  const auto preOf = [](const char* stated, std::string_view token) {
    const auto file = openedGguf("llama", [&](GgufWriter& writer) {
      writer.set("tokenizer.ggml.model", "gpt2");
      if (*stated != 0) writer.set("tokenizer.ggml.pre", stated);
      std::vector<std::string> tokens(128007);
      for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = std::to_string(i);
      tokens[128006] = token;
      writer.set("tokenizer.ggml.tokens", tokens);
    });
    return std::string(file->metadata().string("tokenizer.ggml.pre").value().value_or(""));
  };
  EXPECT_EQ(preOf("", "<|start_header_id|>"), "llama-bpe");
  EXPECT_EQ(preOf("default", "<|start_header_id|>"), "llama-bpe");
  EXPECT_EQ(preOf("", "another"), "");
  EXPECT_EQ(preOf("smaug-bpe", "<|start_header_id|>"), "smaug-bpe");
}

}  // namespace
}  // namespace minerva::format
