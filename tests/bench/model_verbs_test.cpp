// The JSON of inspect, run, logits, speed, compare, perplexity, devices, probe, synth and convert.
#include "tests/bench/bench_process.h"
#include "tests/core/format/temporary_folder.h"
#include "tests/support/oracle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

namespace minerva::tests {
namespace {

using nlohmann::json;
const std::string hf = (goldenLlama / "hf").string();

OracleCase goldenCase() {
  for (OracleCase& c : oracleCases(std::filesystem::path(MINERVA_TEST_DATA) / "golden")) {
    if (c.id == "llama-gqa-bf16") return std::move(c);
  }
  throw std::runtime_error("no case llama-gqa-bf16");
}

std::string listed(const std::vector<std::int32_t>& ids) {
  std::string text;
  for (const auto id : ids) text += (text.empty() ? "" : ",") + std::to_string(id);
  return text;
}

TEST(ModelVerbs, InspectSaysWhatTheFileHolds) {
  const Outcome outcome = bench({"inspect", tinyModel("q4_0"), "--json", "--tensors"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json j = outcome.json();
  EXPECT_EQ(j["format"], "GGUF");
  EXPECT_EQ(j["architecture"], "llama");
  EXPECT_EQ(j["layers"], 2);
  EXPECT_EQ(j["hidden"], 256);
  EXPECT_EQ(j["vocabulary"], 1024);
  EXPECT_EQ(j["context"], 512);
  // Embedding and head; per layer q, k, v, o, gate, up, down and two norms; the final norm.
  const std::uint64_t parameters = 2 * 1024 * 256 + 2 * (256 * 256 + 2 * 128 * 256 + 256 * 256 + 3 * 512 * 256 + 2 * 256) + 256;
  EXPECT_EQ(j["parameters"], parameters);
  std::uint64_t bytes = 0, elements = 0;
  for (const auto& [type, size] : j["types"].items()) bytes += size.get<std::uint64_t>();
  for (const auto& tensor : j["tensors"]) {
    std::uint64_t size = 1;
    for (const auto& side : tensor["shape"]) size *= side.get<std::uint64_t>();
    elements += size;
  }
  EXPECT_EQ(elements, parameters);
  EXPECT_EQ(j["memory"]["weights"], bytes);
  EXPECT_EQ(j["memory"]["total"], bytes + j["memory"]["kv"].get<std::uint64_t>());
  EXPECT_NEAR(j["bits_per_weight"].get<double>(), 8.0 * static_cast<double>(bytes) / static_cast<double>(parameters), 1e-9);
  EXPECT_TRUE(j["types"].contains("Q4_0"));
  EXPECT_TRUE(j["types"].contains("Q6_K")) << "the head";
}

TEST(ModelVerbs, RunContinuesAsTheOracleDoes) {
  const OracleCase c = goldenCase();
  const auto prompts = oraclePrompts(c.reference);
  ASSERT_TRUE(prompts) << prompts.error().message();
  const Outcome outcome = bench({"run", hf, "--tokens", listed((*prompts)[1].tokens), "-n", std::to_string(c.greedy.size()), "--temp", "0",
                                 "--ignore-eos", "--precision", "exact", "--device", "cpu", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json j = outcome.json();
  EXPECT_EQ(j["tokens"].get<std::vector<std::int32_t>>(), c.greedy);
  EXPECT_EQ(j["finish_reason"], "length");
  EXPECT_EQ(j["prompt_tokens"], (*prompts)[1].tokens.size());
  EXPECT_EQ(j["generated_tokens"], c.greedy.size());
  for (const char* field : {"load_ms", "ttft_ms", "prefill_ms", "decode_ms", "prefill_tokens_per_second", "decode_tokens_per_second"}) {
    EXPECT_GT(j[field].get<double>(), 0) << field;
  }
  EXPECT_LE(j["tpot_ms"]["p50"].get<double>(), j["tpot_ms"]["p99"].get<double>());
}

TEST(ModelVerbs, RunWritesTheTextAloneToStdout) {
  const std::vector<std::string> common{"run", tinyModel("f16"), "-p", "hello", "-n", "8", "--temp", "0", "--device", "cpu"};
  auto asJson = common;
  asJson.emplace_back("--json");
  const Outcome plain = bench(common), structured = bench(asJson);
  ASSERT_EQ(plain.code, 0) << plain.err;
  EXPECT_EQ(plain.out, structured.json()["text"].get<std::string>() + "\n");
}

TEST(ModelVerbs, RunWithADraftModelWritesTheSame) {
  const std::vector<std::string> common{"run", tinyModel("f16"), "-p", "hello",    "-n",  "200",   "--ignore-eos", "-t",
                                        "1",   "--temp",         "0",  "--device", "cpu", "--json"};
  auto drafted = common, refused = common;
  drafted.insert(drafted.end(), {"--draft", tinyModel("f16")});
  refused.insert(refused.end(), {"--draft", hf});
  const Outcome plain = bench(common), found = bench(drafted), other = bench(refused);
  ASSERT_EQ(found.code, 0) << found.err;
  EXPECT_EQ(found.json()["tokens"], plain.json()["tokens"]);
  EXPECT_TRUE(found.json().contains("draft_model"));
  EXPECT_GT(found.json()["draft_memory"]["weights"], 0);
  EXPECT_FALSE(plain.json().contains("draft_model"));
  EXPECT_EQ(other.code, 1);
  EXPECT_NE(other.err.find("The draft model has another vocabulary"), std::string::npos) << other.err;
}

void writeFile(const std::filesystem::path& path, std::string_view text) { std::ofstream(path, std::ios::binary) << text; }

TEST(ModelVerbs, RunFollowsAGrammarOrASchema) {
  const auto grammar = temporaryFolder() / "answer.gbnf", schema = temporaryFolder() / "schema.json";
  writeFile(grammar, "root ::= [xy]{5}");
  writeFile(schema, R"({"type":"array","items":{"type":"integer","minimum":0,"maximum":9},"minItems":2,"maxItems":2})");
  const std::vector<std::string> common{"run", tinyModel("f16"), "-p", "hello", "--temp", "1", "--seed", "4", "--device", "cpu", "--json"};
  auto byGrammar = common, bySchema = common;
  byGrammar.insert(byGrammar.end(), {"--grammar", grammar.string()});
  bySchema.insert(bySchema.end(), {"--json-schema", schema.string()});
  const Outcome letters = bench(byGrammar), list = bench(bySchema);
  ASSERT_EQ(letters.code, 0) << letters.err;
  ASSERT_EQ(list.code, 0) << list.err;
  const std::string text = letters.json()["text"];
  EXPECT_EQ(text.size(), 5U);
  EXPECT_EQ(text.find_first_not_of("xy"), std::string::npos) << text;
  const json array = json::parse(list.json()["text"].get<std::string>());
  ASSERT_EQ(array.size(), 2U);
  EXPECT_LE(array[0], 9);
  auto both = byGrammar;
  both.insert(both.end(), {"--json-schema", schema.string()});
  EXPECT_EQ(bench(both).code, 2);
  writeFile(grammar, "root ::= [xy");
  const Outcome broken = bench(byGrammar);
  EXPECT_EQ(broken.code, 1);
  EXPECT_NE(broken.err.find("answer.gbnf, line 1"), std::string::npos) << broken.err;
}

TEST(ModelVerbs, LogitsAreTheOraclesAtEveryPosition) {
  const OracleCase c = goldenCase();
  const auto prompts = oraclePrompts(c.reference);
  ASSERT_TRUE(prompts);
  const OraclePrompt& prompt = (*prompts)[0];
  const auto path = temporaryFolder() / "logits.safetensors";
  const Outcome outcome =
      bench({"logits", hf, "--tokens", listed(prompt.tokens), "--all", "--precision", "exact", "--device", "cpu", "--out", path.string()});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string bytes = TemporaryFolder::read(path);
  std::uint64_t headerSize = 0;
  std::memcpy(&headerSize, bytes.data(), sizeof headerSize);
  const json header = json::parse(bytes.substr(8, headerSize));
  EXPECT_EQ(header["logits"]["dtype"], "F32");
  EXPECT_EQ(header["logits"]["shape"], (json{prompt.tokens.size(), prompt.logits.size() / prompt.tokens.size()}));
  ASSERT_EQ(bytes.size(), 8 + headerSize + 4 * prompt.logits.size());
  double largest = 0;
  for (std::size_t i = 0; i < prompt.logits.size(); ++i) {
    float value = 0;
    std::memcpy(&value, bytes.data() + 8 + headerSize + 4 * i, sizeof value);
    largest = std::max(largest, std::abs(static_cast<double>(value) - prompt.logits[i]));
  }
  EXPECT_LT(largest, 1e-3);
}

TEST(ModelVerbs, SpeedReportsEveryFieldItPromises) {
  const Outcome outcome = bench({"speed", tinyModel("q8_0"), "-p", "16", "-n", "8", "-r", "2", "--device", "cpu", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json j = outcome.json();
  ASSERT_TRUE(j.is_object());
  for (const char* field : {"load_ms", "ttft_ms", "prefill_tokens_per_second", "decode_tokens_per_second", "peak_memory_bytes",
                            "bytes_per_token", "read_bytes_per_second"}) {
    EXPECT_GT(j.value(field, 0.0), 0) << field;
  }
  EXPECT_EQ(j["format"], "GGUF");
  EXPECT_EQ(j["type"], "Q8_0");
  EXPECT_EQ(j["device"], "cpu");
  EXPECT_GE(j["threads"].get<int>(), 1);
  EXPECT_EQ(j["repetitions"].size(), 2U);
  EXPECT_LE(j["tpot_ms"]["p50"].get<double>(), j["tpot_ms"]["p95"].get<double>());
  ASSERT_TRUE(j["bandwidth_share"].is_number()) << "the speed passed the bandwidth measured three times";
  EXPECT_GT(j["bandwidth_share"].get<double>(), 0);
  EXPECT_LE(j["bandwidth_share"].get<double>(), 1);
  EXPECT_NEAR(j["bandwidth_share"].get<double>(),
              j["bytes_per_token"].get<double>() * j["decode_tokens_per_second"].get<double>() / j["read_bytes_per_second"].get<double>(),
              1e-9);
}

TEST(ModelVerbs, SpeedOfSeveralDepthsAndBatchesIsAnArray) {
  const Outcome outcome = bench(
      {"speed", tinyModel("q8_0"), "-p", "8", "-n", "4", "-r", "1", "--depth", "0,16", "--batch", "1,2", "--device", "cpu", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json j = outcome.json();
  ASSERT_EQ(j.size(), 4U);
  EXPECT_EQ(j[1]["batch"], 2);
  EXPECT_EQ(j[2]["depth"], 16);
  EXPECT_GT(j[2]["bytes_per_token"].get<double>(), j[0]["bytes_per_token"].get<double>());
}

TEST(ModelVerbs, AModelDoesNotDifferFromItself) {
  const Outcome outcome = bench({"compare", tinyModel("f16"), tinyModel("f16"), tinyModel("q4_0"), "-p", "the water and the stone", "-n",
                                 "8", "--device", "cpu", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json j = outcome.json();
  ASSERT_EQ(j.size(), 3U);
  for (const int i : {0, 1}) {
    const json& same = j[static_cast<std::size_t>(i)];
    EXPECT_EQ(same["kl"], 0.0);
    EXPECT_EQ(same["top1_agreement"], 1.0);
    EXPECT_EQ(same["first_divergence"], -1);
    EXPECT_EQ(same["max_logit_difference"], 0.0);
    EXPECT_GT(same["perplexity"].get<double>(), 1);
  }
  EXPECT_GT(j[2]["kl"].get<double>(), 0);
  EXPECT_LT(j[2]["disk_bytes"].get<double>(), j[0]["disk_bytes"].get<double>());
}

// What follows a list of ids is the model.
TEST(ModelVerbs, TokensMayBeNamedBeforeTheModel) {
  const Outcome run = bench({"run", "--tokens", "5,9,11", tinyModel("f16"), "-n", "1", "--device", "cpu"});
  EXPECT_EQ(run.code, 0) << run.err;
  const auto out = (temporaryFolder() / "before.safetensors").string();
  const Outcome logits = bench({"logits", "--tokens", "5,9,11", tinyModel("f16"), "--out", out, "--device", "cpu"});
  EXPECT_EQ(logits.code, 0) << logits.err;
}

TEST(ModelVerbs, PerplexityRefusesWindowsThatCannotBeScored) {
  const auto text = temporaryFolder() / "window.txt";
  std::ofstream(text) << std::string(4000, 'a');
  const auto perplexity = [&](const char* window) {
    return bench({"perplexity", tinyModel("f16"), text.string(), "--ctx", window, "--windows", "1", "--device", "cpu", "--json"});
  };
  for (const char* window : {"1", "2", "513"}) {
    const Outcome outcome = perplexity(window);
    EXPECT_EQ(outcome.code, 1) << window;
    EXPECT_NE(outcome.err.find("expected 3 tokens to the model's context of"), std::string::npos) << outcome.err;
  }
  for (const auto& [window, scored] : {std::pair{"3", 1}, {"512", 255}}) {
    const Outcome outcome = perplexity(window);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["tokens"], scored);
  }
}

// The second model's tokens are others.
TEST(ModelVerbs, CompareLeavesOutFiguresThatDoNotExist) {
  const std::vector<std::string> call{"compare", tinyModel("f16"), hf, "-p", "the water", "-n", "4", "--device", "cpu"};
  std::vector<std::string> asJson = call;
  asJson.emplace_back("--json");
  const json other = bench(asJson).json()[1];
  for (const char* field : {"kl", "top1_agreement", "max_relative_logit_difference", "first_divergence"})
    EXPECT_FALSE(other.contains(field)) << field;
  EXPECT_GT(other["perplexity"].get<double>(), 1);
  const Outcome outcome = bench(call);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::istringstream lines(outcome.out);
  std::string header, first, second;
  ASSERT_TRUE(std::getline(lines, header) && std::getline(lines, first) && std::getline(lines, second)) << outcome.out;
  const auto cell = [&](const std::string& line, const char* title) {
    const std::size_t end = header.find(title) + std::string_view(title).size();
    const std::size_t begin = line.rfind(' ', end - 1) + 1;
    return line.substr(begin, end - begin);
  };
  EXPECT_EQ(cell(first, "diverge"), "-1");
  EXPECT_EQ(cell(first, "top-1"), "100.0%");
  for (const char* title : {"diverge", "KL", "top-1", "max rel"}) EXPECT_EQ(cell(second, title), "-") << title << "\n" << outcome.out;
}

// Figures that llama-perplexity (build 11669, -c 256 -b 256 -fa off -ctk f32 -ctv f32) prints for the same GGUF and text after 1, 8
// and 16 windows: everything in float32.
TEST(ModelVerbs, PerplexityIsLlamaPerplexitys) {
  const auto gguf = (temporaryFolder() / "perplexity.gguf").string();
  const Outcome converted = bench({"convert", MINERVA_SOURCE_DIR "/resources/builtin-model", gguf, "--type", "f32"});
  ASSERT_EQ(converted.code, 0) << converted.err;
  const std::vector<std::pair<const char*, double>> expected{{"1", 4798.2250}, {"8", 3000.8734}, {"16", 3931.1815}};
  for (const auto& [windows, perplexity] : expected) {
    const Outcome outcome = bench({"perplexity", gguf, MINERVA_TEST_DATA "/text/small-talk.txt", "--ctx", "256", "--windows", windows,
                                   "--precision", "exact", "--device", "cpu", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NEAR(outcome.json()["perplexity"].get<double>(), perplexity, 1e-5 * perplexity) << windows << " windows";
  }
  const auto word = temporaryFolder() / "word.txt";
  std::ofstream(word) << "Hello";
  const Outcome tooShort = bench({"perplexity", gguf, word.string(), "--ctx", "64", "--device", "cpu"});
  EXPECT_EQ(tooShort.code, 1);
  EXPECT_NE(tooShort.err.find("too short"), std::string::npos) << tooShort.err;
}

TEST(ModelVerbs, DevicesListsTheProcessor) {
  const Outcome outcome = bench({"devices", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json devices = outcome.json()["devices"];
  const auto cpu = std::ranges::find_if(devices, [](const json& d) { return d["id"] == "cpu"; });
  ASSERT_NE(cpu, devices.end());
  EXPECT_FALSE((*cpu)["name"].get<std::string>().empty());
  EXPECT_GE((*cpu)["threads"].get<int>(), 1);
}

// Bounds that hold on any machine of this century and fail if a unit is off by a factor of a thousand.
TEST(ModelVerbs, ProbeMeasuresWhatAMachineCanDo) {
  const Outcome outcome = bench({"probe", "--device", "cpu", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json j = outcome.json();
  EXPECT_GT(j["read_bytes_per_second"].get<double>(), 1e8);
  EXPECT_LT(j["read_bytes_per_second"].get<double>(), 1e13);
  ASSERT_GE(j["read_curve"].size(), 7U);  // data that fits into a cache is read no slower than the rest
  for (std::size_t i = 1; i < j["read_curve"].size(); ++i) {
    EXPECT_GT(j["read_curve"][i]["bytes"].get<double>(), j["read_curve"][i - 1]["bytes"].get<double>());
    EXPECT_LE(j["read_curve"][i]["bytes_per_second"].get<double>(), j["read_curve"][i - 1]["bytes_per_second"].get<double>());
  }
  EXPECT_EQ(j["read_curve"].back()["bytes_per_second"], j["read_bytes_per_second"]);
  EXPECT_GT(j["step_us"].get<double>(), 0.1);
  EXPECT_LT(j["step_us"].get<double>(), 1e6);
  EXPECT_GT(j["matrix_flops"].get<double>(), 1e8);
  EXPECT_LT(j["matrix_flops"].get<double>(), 1e15);
}

// One that cannot be written and one whose parts are apart.
TEST(ModelVerbs, ProbeMeasuresElementTypes) {
  const Outcome outcome = bench({"probe", "--device", "cpu", "--types", "iq2_xxs,F8_E4M3_SCALED", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json types = outcome.json()["types"];
  ASSERT_EQ(types.size(), 2U);
  const std::vector<std::pair<std::string, double>> bits{{"IQ2_XXS", 2.0625}, {"F8_E4M3_SCALED", 8.25}};
  for (std::size_t i = 0; i < bits.size(); ++i) {
    EXPECT_EQ(types[i]["type"], bits[i].first);
    for (const char* rate : {"row_flops", "few_flops", "matrix_flops"}) {
      EXPECT_GT(types[i][rate].get<double>(), 1e7) << bits[i].first;
      EXPECT_LT(types[i][rate].get<double>(), 1e15) << bits[i].first;
    }
    EXPECT_NEAR(types[i]["row_bytes_per_second"].get<double>() / types[i]["row_flops"].get<double>(), bits[i].second / 16, 1e-6);
  }
  const Outcome refused = bench({"probe", "--device", "cpu", "--types", "Q4_0,I32"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.err.find("found I32"), std::string::npos) << refused.err;
}

TEST(ModelVerbs, SynthAndConvertWriteModelsThatRun) {
  const auto folder = (temporaryFolder() / "synth-hf").string(), gguf = (temporaryFolder() / "converted.gguf").string();
  ASSERT_EQ(bench({"synth", folder, "--shape", "test-tiny", "--type", "bf16", "--format", "safetensors"}).code, 0);
  const Outcome converted = bench({"convert", folder, gguf, "--type", "q8_0"});
  ASSERT_EQ(converted.code, 0) << converted.err;
  EXPECT_FALSE(std::filesystem::exists(gguf + ".partial"));
  const Outcome inspected = bench({"inspect", gguf, "--json"});
  EXPECT_TRUE(inspected.json()["types"].contains("Q8_0")) << inspected.err;
  EXPECT_EQ(bench({"run", gguf, "-p", "a", "-n", "2", "--device", "cpu"}).code, 0);
  const auto mlx = (temporaryFolder() / "converted-mlx").string();
  ASSERT_EQ(bench({"convert", folder, mlx, "--type", "MLX4"}).code, 0);
  EXPECT_EQ(bench({"inspect", mlx, "--json"}).json()["format"], "MLX");
  EXPECT_EQ(bench({"run", mlx, "-p", "a", "-n", "2", "--device", "cpu"}).code, 0);
}

TEST(ModelVerbs, AFileThatIsThereIsReplacedOnlyWhenAsked) {
  const auto there = temporaryFolder() / "there.gguf";
  std::ofstream(there) << "mine";
  const std::vector<std::vector<std::string>> calls{{"convert", tinyModel("q4_0"), there.string(), "--type", "q4_0"},
                                                    {"synth", there.string(), "--shape", "test-tiny", "--type", "q4_0"}};
  for (std::vector<std::string> call : calls) {
    const Outcome refused = bench(call);
    EXPECT_EQ(refused.code, 1);
    EXPECT_NE(refused.err.find("--force"), std::string::npos) << refused.err;
    EXPECT_EQ(std::filesystem::file_size(there), 4U);
    call.emplace_back("--force");
    EXPECT_EQ(bench(call).code, 0);
    EXPECT_GT(std::filesystem::file_size(there), 4U);
    std::ofstream(there) << "mine";
  }
  // Neither by a folder.
  const Outcome other = bench({"convert", goldenLlama / "hf", there.string(), "--type", "mlx4", "--force"});
  EXPECT_EQ(other.code, 1);
  EXPECT_NE(other.err.find("file of this name already"), std::string::npos) << other.err;
  // A folder is never replaced by a file, and is refused before the work.
  const auto empty = temporaryFolder() / "empty";
  std::filesystem::create_directory(empty);
  for (const auto& call : {std::vector<std::string>{"convert", tinyModel("q4_0"), empty.string(), "--type", "q8_0", "--force"},
                           std::vector<std::string>{"synth", empty.string(), "--shape", "test-tiny", "--type", "q4_0", "--force"}}) {
    const Outcome refused = bench(call);
    EXPECT_EQ(refused.code, 1);
    EXPECT_NE(refused.err.find("folder of this name already"), std::string::npos) << refused.err;
  }
  // Nor by a folder, unless it is empty.
  const Outcome folder = bench({"convert", goldenLlama / "hf", temporaryFolder().string(), "--type", "mlx4", "--force"});
  EXPECT_EQ(folder.code, 1);
  EXPECT_NE(folder.err.find("folder of this name"), std::string::npos) << folder.err;
}

TEST(ModelVerbs, SynthWritesAModelOfFewerLayersThatIsComparedAndRuns) {
  const auto whole = (temporaryFolder() / "delta.gguf").string(), brief = (temporaryFolder() / "delta-3.gguf").string();
  ASSERT_EQ(bench({"synth", whole, "--shape", "test-delta-net", "--type", "q4_k_m"}).code, 0);
  ASSERT_EQ(bench({"synth", brief, "--shape", "test-delta-net", "--type", "q4_k_m", "--layers", "3"}).code, 0);
  const json inspected = bench({"inspect", brief, "--json", "--device", "cpu"}).json();
  EXPECT_EQ(inspected["architecture"], "qwen3.5");
  EXPECT_EQ(inspected["layers"], 3);
  EXPECT_EQ(bench({"run", brief, "-p", "a", "-n", "2", "--device", "cpu"}).code, 0);
  const Outcome compared = bench({"compare", whole, brief, "--json", "--device", "cpu"});
  EXPECT_EQ(compared.code, 0) << compared.err;
}

}  // namespace
}  // namespace minerva::tests
