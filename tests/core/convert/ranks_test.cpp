// Tokenizers that are lists of ranks become merges of a GGUF, which encodes every text alike.
#include "core/format/model_file.h"
#include "core/text/pre_tokenizer/scanners.h"
#include "core/text/tokenizer.h"
#include "tests/core/convert/family_folders.h"
#include "tests/core/convert/peer_files.h"
#include "tests/core/format/temporary_folder.h"
#include "tests/core/text/ranked_files.h"

#include <gtest/gtest.h>

namespace minerva::convert {
namespace {

std::vector<FolderTensor> plainTensors() {
  auto tensors = attentionTensors("model.", 2);
  for (int i = 0; i < layers; ++i) {
    tensors.push_back({"model.layers." + std::to_string(i) + ".post_attention_layernorm.weight", {hidden}});
    addFeedForward(tensors, "model.layers." + std::to_string(i) + ".mlp.", feedForward);
  }
  return tensors;
}

// " world" is a token that no merges make, which GGUF's tekken knows and its kimi-k2 does not.
TEST(ConvertRanks, TokenizersOfRanksBecomeMerges) {
  std::vector<std::string> tokens{"He", "ll", "Hell", "lo", "Hello", " W", "or", "\xE4\xBD", "\xE4\xBD\xA0", "aa", "aaa", "aaaa", "  "};
  for (const bool tekken : {true, false}) {
    const TemporaryFolder folder;
    const auto in = folder.path() / "in", out = folder.path() / "out.gguf";
    auto tensors = plainTensors();
    auto settings = config("mistral", {{"tie_word_embeddings", true}, {"rms_norm_eps", 1e-5}, {"bos_token_id", 1}, {"eos_token_id", 2}});
    if (!tekken) settings.update({{"vocab_size", 256 + 13 + 256}, {"bos_token_id", 269}, {"eos_token_id", 270}});
    if (!tekken) tensors[0].shape[0] = 256 + 13 + 256;
    writeFolder(in, settings, tensors);
    std::filesystem::remove(in / "tokenizer.json");
    std::filesystem::remove(in / "tokenizer_config.json");
    if (tekken) {
      auto more = tokens;
      more.emplace_back(" world");
      folder.write("in/tekken.json", text::tekkenFile(text::ranked(more), 20, text::patterns::tekken).dump());
    } else {
      folder.write("in/tiktoken.model", text::tiktokenModel(text::ranked(tokens)));
      folder.write("in/tokenizer_config.json", R"({"tokenizer_class": "TikTokenTokenizer", "added_tokens_decoder": {
          "269": {"content": "[BOS]", "special": true}, "270": {"content": "[EOS]", "special": true},
          "272": {"content": "<think>", "special": false}}})");
    }
    const auto report = convertFile(in, out, "f32");
    ASSERT_TRUE(report) << report.error().message();
    const auto folderFile = openModel(in), file = openModel(out);
    expectSameTokenizer(*folderFile, *file);
    EXPECT_EQ(*file->metadata().string("tokenizer.ggml.pre"), tekken ? "tekken" : "kimi-k2");
    const auto first = text::createTokenizer(*folderFile), second = text::createTokenizer(*file);
    for (const char* text : {"Hello world aaaaaaa", "[INST]<think>aaaa[EOS]</s>", "\xE4\xBD\xA0\xE5 \xFF"}) {
      for (const bool special : {false, true}) {
        const text::EncodeOptions options{.addSpecial = true, .parseSpecial = special};
        EXPECT_EQ((*first)->encode(text, options), (*second)->encode(text, options)) << text;
      }
    }
  }
}

// GLM-4's tokenizer.model and Qwen 1's qwen.tiktoken, whose special tokens their Python classes number on after the ranks.
TEST(ConvertRanks, RanksOfOtherClassesBecomeMerges) {
  const std::vector<std::string> tokens{"He", "ll", "Hell", "lo", "Hello", " W", "or", "12", "123", "\xC3\xA9"};
  for (const bool glm : {true, false}) {
    const int all = 266 + (glm ? 14 : 208);
    const TemporaryFolder folder;
    const auto in = folder.path() / "in", out = folder.path() / "out.gguf";
    auto tensors = plainTensors();
    tensors[0].shape[0] = all;
    writeFolder(in, config("mistral", {{"tie_word_embeddings", true}, {"rms_norm_eps", 1e-5}, {"vocab_size", all}, {"eos_token_id", 266}}),
                tensors);
    std::filesystem::remove(in / "tokenizer.json");
    folder.write(glm ? "in/tokenizer.model" : "in/qwen.tiktoken", text::tiktokenModel(text::ranked(tokens)));
    folder.write("in/tokenizer_config.json",
                 glm ? R"({"tokenizer_class": "ChatGLM4Tokenizer"})" : R"({"tokenizer_class": "QWenTokenizer"})");
    const auto report = convertFile(in, out, "f32");
    ASSERT_TRUE(report) << report.error().message();
    const auto folderFile = openModel(in), file = openModel(out);
    const auto first = text::createTokenizer(*folderFile), second = text::createTokenizer(*file);
    ASSERT_TRUE(first && second);
    for (const char* text : {"Hello World 12345", "<|user|>He'LL\n\n<|endoftext|>", "<|im_start|>cafe\u0301<|extra_204|>", "\xFF"}) {
      const text::EncodeOptions plain{.addSpecial = false, .parseSpecial = true};
      EXPECT_EQ((*first)->encode(text, plain), (*second)->encode(text, plain)) << text;
    }
    EXPECT_EQ((*first)->special().eos, (*second)->special().eos);
    EXPECT_EQ((*first)->special().endOfGeneration, (*second)->special().endOfGeneration);
  }
}

}  // namespace
}  // namespace minerva::convert
