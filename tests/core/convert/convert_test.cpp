// Converted files are the same model to our own engine and have the same bytes as those of llama-quantize; nothing is left
// after an error.
#include "core/format/model_file.h"
#include "core/convert/partial.h"
#include "core/convert/synth.h"
#include "core/engine/loader.h"
#include "core/text/tokenizer.h"
#include "tests/core/convert/convert_support.h"
#include "tests/core/format/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <new>

namespace minerva::convert {
namespace {

namespace fs = std::filesystem;
TEST(Convert, AFolderBecomesTheSameModel) {
  const TemporaryFolder folder;
  const fs::path source = golden / "models" / "llama-gqa-bf16";
  for (const char* type : {"f32", "bf16"}) {
    const auto out = folder.path() / "out.gguf";
    const auto report = convertFile(source / "hf", out, type);
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_TRUE(report->warnings.empty()) << report->warnings.front();
    EXPECT_LT(distance(out, source / "ref.safetensors"), 1e-3) << type;
    expectSameTokenizer(*openModel(source / "hf"), *openModel(out));
    EXPECT_EQ(*openModel(out)->metadata().string("tokenizer.chat_template"), openModel(source / "hf")->huggingFace().chatTemplate);
  }
}

TEST(Convert, AFolderKeepsItsTemplateForTools) {
  const TemporaryFolder folder;
  const fs::path in = folder.path() / "in", out = folder.path() / "out.gguf", again = folder.path() / "again.gguf";
  fs::copy(golden / "models" / "llama-gqa-bf16" / "hf", in, fs::copy_options::recursive);
  fs::create_directories(in / "additional_chat_templates");
  folder.write("in/additional_chat_templates/tool_use.jinja", "for tools");
  ASSERT_TRUE(convertFile(in, out, "bf16"));
  ASSERT_TRUE(convertFile(out, again, "f16"));
  for (const fs::path& file : {out, again})
    EXPECT_EQ(openModel(file)->metadata().string("tokenizer.chat_template.tool_use").value(), "for tools") << file;
}

using Numbers = std::array<float, 5>;
Numbers numbersOf(const engine::SamplingOptions& options) {
  return {options.temperature, static_cast<float>(options.topK), options.topP, options.minP, options.repeatPenalty};
}

// What a folder with this generation_config.json recommends, which its copy must, too.
Numbers recommendedBy(const std::string& generationConfig) {
  const TemporaryFolder folder;
  const fs::path in = folder.path() / "in", out = folder.path() / "out.gguf";
  fs::copy(golden / "models" / "llama-gqa-bf16" / "hf", in, fs::copy_options::recursive);
  folder.write("in/generation_config.json", generationConfig);
  const auto report = convertFile(in, out, "bf16");
  EXPECT_TRUE(report) << report.error().message();
  const Numbers recommended = numbersOf(engine::recommendedSampling(*openModel(in)));
  EXPECT_EQ(numbersOf(engine::recommendedSampling(*openModel(out))), recommended) << generationConfig;
  return recommended;
}

TEST(Convert, AFolderKeepsTheSamplingThatItsPublisherRecommends) {
  EXPECT_EQ(recommendedBy(R"({"temperature": 0.6, "top_k": 20, "top_p": 0.9, "min_p": 0.01, "repetition_penalty": 1.05})"),
            (Numbers{0.6F, 20, 0.9F, 0.01F, 1.05F}));
  EXPECT_EQ(recommendedBy(R"({"do_sample": false, "temperature": 0.6})"), (Numbers{0, 40, 0.95F, 0.05F, 1}));
  EXPECT_EQ(recommendedBy(R"({"temperature": "warm", "top_k": -1, "top_p": 7, "min_p": null})"), numbersOf({}));
}

TEST(Convert, AFolderKeepsAllTokensThatEndReplies) {
  const TemporaryFolder folder;
  const fs::path in = folder.path() / "in", out = folder.path() / "out.gguf";
  fs::copy(golden / "models" / "llama-gqa-bf16" / "hf", in, fs::copy_options::recursive);
  const auto ends = [](const fs::path& model) {
    return engine::endOfTurnTokens(*openModel(model), text::createTokenizer(*openModel(model))->get(), 320);
  };
  const std::vector<std::pair<std::string, std::vector<text::TokenId>>> cases{{"319", {317, 319}}, {"[319, 5, 40]", {5, 40, 317, 319}}};
  for (const auto& [stated, expected] : cases) {
    folder.write("in/generation_config.json", R"({"eos_token_id": )" + stated + "}");
    const auto report = convertFile(in, out, "bf16");
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_TRUE(report->warnings.empty());
    EXPECT_EQ(ends(in), expected);
    EXPECT_EQ(ends(out), expected);
    EXPECT_EQ(*openModel(out)->metadata().integer("tokenizer.ggml.eos_token_id"), 319);
  }
}

TEST(Convert, AFolderKeepsTheTokensThatItsModelMustNeverWrite) {
  const TemporaryFolder folder;
  const fs::path in = folder.path() / "in", out = folder.path() / "out.gguf", again = folder.path() / "again.gguf";
  fs::copy(golden / "models" / "llama-gqa-bf16" / "hf", in, fs::copy_options::recursive);
  const auto suppressed = [](const fs::path& model) { return engine::suppressedTokens(*openModel(model), 320); };
  // As Gemma 4 12B states them, in falling order; a number alone; what says nothing.
  const std::vector<std::pair<std::string, std::vector<text::TokenId>>> cases{
      {"[258, 40, 258]", {40, 258}}, {"7", {7}}, {"null", {}}, {R"([-1, 320, "a", 3])", {3}}, {"[]", {}}};
  for (const auto& [stated, expected] : cases) {
    folder.write("in/generation_config.json", R"({"suppress_tokens": )" + stated + "}");
    ASSERT_TRUE(convertFile(in, out, "bf16"));
    ASSERT_TRUE(convertFile(out, again, "f16"));
    EXPECT_EQ(suppressed(in), expected) << stated;
    EXPECT_EQ(suppressed(out), expected) << stated;
    EXPECT_EQ(suppressed(again), expected) << stated;
    EXPECT_EQ(openModel(out)->metadata().has("tokenizer.ggml.suppress_tokens"), !expected.empty()) << stated;
  }
}

// Hashes of llama-quantize's output (ggml 0.27.0) for the same weights; tests/data/golden/README.md says how to regenerate
// them.
TEST(Convert, BytesAreThoseOfLlamaQuantize) {
  const std::map<std::string, std::uint64_t> expected{
      {"bf16", 0x28dfa44059d21145U},   {"f16", 0x8cc94f6cf1516599U},  {"q8_0", 0x0e329d3486673285U}, {"q4_0", 0x74adba0c1ae28491U},
      {"q4_1", 0x675a28801ab1ad73U},   {"q5_0", 0x3ae1151362f2169fU}, {"q5_1", 0xe84103399c27766eU}, {"q4_k_m", 0x2bbf1558d30bed66U},
      {"q5_k_m", 0x39d6c4e6dca75af3U}, {"q6_k", 0x0e329d3486673285U},
  };
  const TemporaryFolder folder;
  for (const auto& [type, hash] : expected) {
    const auto out = folder.path() / "out.gguf";
    const auto report = convertFile(golden / "models" / "llama-gqa-bf16" / "hf", out, type);
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_EQ(hashOf(*openModel(out)), hash) << type;
  }
}

// The same for families with fused matrices, latent attention and experts, for whose tensors special rules apply.
TEST(Convert, BytesOfOtherFamiliesAreThoseOfLlamaQuantize) {
  const std::map<std::pair<std::string, std::string>, std::uint64_t> expected{
      {{"tiny-phi3", "q4_k_m"}, 0x7967e5e6792689abU},       {{"tiny-phi3", "q5_k_m"}, 0xaec286872dddc0ccU},
      {{"tiny-gpt2", "q4_k_m"}, 0xcdf5aa428d8f1109U},       {{"tiny-deepseek-v2", "q4_k_m"}, 0xc48d13cfc8da5ed5U},
      {{"tiny-granite-moe", "mxfp4"}, 0xff07a885b1a80836U}, {{"tiny-gpt-oss", "mxfp4"}, 0x512cb02a48946bf7U},
      {{"tiny-gemma3", "q6_k"}, 0x6b92e52aa3cce5b8U},
  };
  const TemporaryFolder folder;
  const auto in = folder.path() / "in", out = folder.path() / "out.gguf";
  for (const auto& [which, hash] : expected) {
    copyWithTokenizer(golden / "models" / which.first / "hf", in);
    const auto report = convertFile(in, out, which.second);
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_EQ(hashOf(*openModel(out)), hash) << which.first << " " << which.second << std::hex << " 0x" << hashOf(*openModel(out));
  }
}

TEST(Convert, OracleFilesOfLlamaQuantizeAreEqualTensorByTensor) {
  if (!fs::exists(oracle / "models" / "q-llama")) GTEST_SKIP() << "skipped: no ../shared/oracle here";
  const TemporaryFolder folder;
  for (const char* type : {"F16", "BF16", "Q8_0", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q4_K_M", "Q5_K_M", "Q6_K"}) {
    const auto theirs = oracle / "models" / "q-llama" / "gguf" / (std::string("q-llama-") + type + ".gguf");
    const auto out = folder.path() / "out.gguf";
    const auto report = convertFile(oracle / "models" / "q-llama" / "hf", out, type);
    ASSERT_TRUE(report) << report.error().message();
    const File expected = openModel(theirs), actual = openModel(out);
    EXPECT_EQ(expected->tensors().size(), actual->tensors().size());
    for (const auto& tensor : expected->tensors()) {
      const TensorView* mine = actual->find(tensor.name);
      ASSERT_NE(mine, nullptr) << tensor.name;
      EXPECT_EQ(traits(mine->type).name, traits(tensor.view.type).name) << type << " " << tensor.name;
      EXPECT_TRUE(std::ranges::equal(mine->bytes, tensor.view.bytes)) << type << " " << tensor.name;
    }
  }
}

TEST(Convert, AGgufFileKeepsItsMetadataAndItsNames) {
  const TemporaryFolder folder;
  const auto in = golden / "models" / "q-llama" / "gguf" / "q-llama-Q4_K_M.gguf", out = folder.path() / "out.gguf";
  const auto report = convertFile(in, out, "q8_0");
  ASSERT_TRUE(report) << report.error().message();
  ASSERT_EQ(report->warnings.size(), 1U) << "that it was quantized already";
  const File before = openModel(in), after = openModel(out);
  ASSERT_EQ(before->tensors().size(), after->tensors().size());
  for (const auto& tensor : before->tensors()) {
    const TensorView* copy = after->find(tensor.name);
    ASSERT_NE(copy, nullptr) << tensor.name;
    EXPECT_EQ(copy->shape, tensor.view.shape);
  }
  EXPECT_EQ(*after->metadata().integer("general.file_type"), 7);
  for (const auto& [key, value] : before->metadata().entries()) {
    if (key == "general.file_type" || key == "general.quantization_version" || key == "general.alignment" || key.starts_with("quantize."))
      continue;
    const auto found = after->metadata().entries().find(key);
    ASSERT_NE(found, after->metadata().entries().end()) << key;
    EXPECT_EQ(found->second.type, value.type) << key;
    if (const auto* array = std::get_if<format::MetadataArray>(&value.value)) {
      const auto& copy = std::get<format::MetadataArray>(found->second.value);
      EXPECT_EQ(copy.type, array->type) << key;
      EXPECT_TRUE(std::ranges::equal(copy.bytes, array->bytes)) << key;
    } else if (const auto* text = std::get_if<std::string_view>(&value.value)) {
      EXPECT_EQ(std::get<std::string_view>(found->second.value), *text) << key;
    } else {
      std::visit(
          [&]<class T>(const T& number) {
            if constexpr (std::is_arithmetic_v<T>) {
              EXPECT_EQ(std::get<T>(found->second.value), number) << key;
            }
          },
          value.value);
    }
  }
}

TEST(Convert, TheSameTypeIsACopy) {
  const TemporaryFolder folder;
  const auto in = folder.path() / "in.gguf", out = folder.path() / "out.gguf";
  ASSERT_TRUE(writeSynthetic(in, {.shape = "test-tied", .type = "q4_k_m"}));
  ASSERT_TRUE(convertFile(in, out, "q4_k_m"));
  EXPECT_EQ(hashOf(*openModel(in)), hashOf(*openModel(out)));
}

TEST(Convert, ThreadsDoNotChangeTheBytes) {
  const TemporaryFolder folder;
  const auto in = folder.path() / "in.gguf", one = folder.path() / "one.gguf", three = folder.path() / "three.gguf";
  ASSERT_TRUE(writeSynthetic(in, {.shape = "test-tiny", .type = "f32"}));
  const File file = openModel(in);
  ASSERT_TRUE(convertToGguf(*file, one, {.type = "q5_k_m", .threads = 1, .progress = {}, .cancel = {}}));
  ASSERT_TRUE(convertToGguf(*file, three, {.type = "q5_k_m", .threads = 3, .progress = {}, .cancel = {}}));
  EXPECT_EQ(TemporaryFolder::read(one), TemporaryFolder::read(three));
}

// The file's own name for itself is the folder's, however the folder is called.
TEST(Convert, AFolderIsNamedAsItIsFromAnywhere) {
  const TemporaryFolder folder;
  const fs::path in = folder.path() / "Small-7B", out = folder.path() / "out.gguf", before = fs::current_path();
  fs::copy(golden / "models" / "llama-gqa-bf16" / "hf", in, fs::copy_options::recursive);
  fs::current_path(in);
  for (const fs::path& called : {fs::path("."), fs::path("./"), in / "", fs::path("model.safetensors"), fs::path("../Small-7B/.")}) {
    const auto report = convertFile(called, out, "bf16");
    EXPECT_TRUE(report) << report.error().message();
    EXPECT_EQ(*openModel(out)->metadata().string("general.name"), "Small-7B") << called;
  }
  fs::current_path(before);
}

TEST(Convert, SaysHowFarItIs) {
  const TemporaryFolder folder;
  const auto in = folder.path() / "in.gguf";
  ASSERT_TRUE(writeSynthetic(in, {.shape = "test-tiny", .type = "f16"}));
  std::uint64_t last = 0, total = 0;
  std::size_t calls = 0;
  const auto report = convertToGguf(*openModel(in), folder.path() / "out.gguf",
                                    {.type = "q8_0",
                                     .progress =
                                         [&](const ConvertProgress& progress) {
                                           EXPECT_GT(progress.bytesDone, last);
                                           EXPECT_LT(progress.tensor, progress.tensors);
                                           last = progress.bytesDone;
                                           total = progress.bytesTotal;
                                           ++calls;
                                         },
                                     .cancel = {}});
  ASSERT_TRUE(report);
  EXPECT_EQ(last, total);
  EXPECT_EQ(total, report->bytes);
  EXPECT_GE(calls, 21U);
}

TEST(Convert, ACancelLeavesNothingBehind) {
  const TemporaryFolder folder;
  const auto in = folder.path() / "in.gguf", out = folder.path() / "out.gguf";
  ASSERT_TRUE(writeSynthetic(in, {.shape = "test-tiny", .type = "f16"}));
  folder.write("out.gguf", "what was there before");
  std::stop_source stop;
  const auto report = convertToGguf(*openModel(in), out,
                                    {.type = "q8_0",
                                     .progress =
                                         [&](const ConvertProgress& p) {
                                           if (p.tensor == 3) stop.request_stop();
                                         },
                                     .cancel = stop.get_token()});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, ErrorKind::cancelled);
  EXPECT_EQ(TemporaryFolder::read(out), "what was there before");
  EXPECT_FALSE(fs::exists(out.string() + ".partial"));
}

TEST(Convert, TooLittleMemoryIsAnErrorAndLeavesNothingBehind) {
  const TemporaryFolder folder;
  const auto in = folder.path() / "in.gguf", out = folder.path() / "out.gguf";
  ASSERT_TRUE(writeSynthetic(in, {.shape = "test-tiny", .type = "f16"}));
  const auto report = convertToGguf(*openModel(in), out,
                                    {.type = "q8_0", .progress = [](const ConvertProgress&) { throw std::bad_alloc(); }, .cancel = {}});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, ErrorKind::outOfMemory);
  EXPECT_EQ(report.error().where, in.string());
  EXPECT_FALSE(fs::exists(out));
  EXPECT_FALSE(fs::exists(partialName(out)));
}

TEST(Convert, WhatCannotBeDoneIsRefusedBeforeAnythingIsWritten) {
  const TemporaryFolder folder;
  const auto in = folder.path() / "in.gguf", out = folder.path() / "out.gguf";
  ASSERT_TRUE(writeSynthetic(in, {.shape = "test-tiny", .type = "f16"}));
  const auto unknown = convertFile(in, out, "q9_z");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, ErrorKind::invalidArgument);
  EXPECT_NE(unknown.error().expected.find("q4_k_m"), std::string::npos);
  const auto onto = convertFile(in, in, "q8_0");
  ASSERT_FALSE(onto);
  EXPECT_EQ(onto.error().kind, ErrorKind::invalidArgument);
  const auto nowhere = convertFile(in, folder.path() / "no" / "such" / "folder" / "out.gguf", "q8_0");
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().kind, ErrorKind::io);
  EXPECT_FALSE(fs::exists(out));
}

// Every file below a folder, with its contents.
std::map<std::string, std::string> contentsOf(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files[entry.path().string()] = TemporaryFolder::read(entry.path());
  }
  return files;
}

// The target may name a file of the model in any way: a shard, a companion file, a symbolic or hard link, or a target whose
// temporary file is one.
void expectNoneReplaced(const fs::path& model, const std::vector<fs::path>& targets) {
  const fs::path folder = fs::is_directory(model) ? model : model.parent_path();
  const auto before = contentsOf(folder);
  for (const fs::path& out : targets) {
    const auto report = convertFile(model, out, "q8_0");
    EXPECT_FALSE(report) << model << " to " << out;
    if (!report) {
      EXPECT_EQ(report.error().kind, ErrorKind::invalidArgument) << report.error().message();
    }
    EXPECT_TRUE(contentsOf(folder) == before) << "files have changed after " << out;
  }
}

TEST(Convert, NoFileOfASplitModelIsReplaced) {
  const TemporaryFolder folder;
  for (const auto& entry : fs::directory_iterator(fs::path(MINERVA_TEST_DATA) / "format" / "split")) {
    fs::copy(entry.path(), folder.path() / entry.path().filename());
  }
  const fs::path first = folder.path() / "tiny-00001-of-00004.gguf", third = folder.path() / "tiny-00003-of-00004.gguf";
  const fs::path hard = folder.path() / "hard.gguf", soft = folder.path() / "soft.gguf";
  fs::create_hard_link(third, hard);
  fs::create_symlink(third, soft);
  fs::create_hard_link(third, folder.path() / "next.gguf.partial");
  expectNoneReplaced(first, {first, third, folder.path() / "." / third.filename(), hard, soft, folder.path() / "next.gguf"});
  const TemporaryFolder elsewhere;
  EXPECT_TRUE(convertFile(first, elsewhere.path() / "out.gguf", "q8_0"));
}

TEST(Convert, NoFileOfAFolderIsReplaced) {
  const TemporaryFolder folder;
  const fs::path model = folder.path() / "model";
  fs::copy(golden / "models" / "llama-gqa-bf16" / "hf", model, fs::copy_options::recursive);
  fs::create_symlink(model, folder.path() / "way");
  fs::create_directory(folder.path() / "other");
  fs::create_hard_link(model / "tokenizer.json", folder.path() / "other" / "t.json");
  expectNoneReplaced(model, {model / "model.safetensors", model / "config.json", model / "tokenizer.json", model,
                             folder.path() / "way" / "model.safetensors", folder.path() / "other" / "t.json"});
}

}  // namespace
}  // namespace minerva::convert
