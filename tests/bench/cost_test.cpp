// minerva-bench cost: shapes without files, cards as data, what-if, and llama.cpp's plan.
#include "bench/cost_cards.h"
#include "bench/cost_estimate.h"
#include "bench/peer_plan.h"
#include "core/convert/synth.h"
#include "core/inspect/model_report.h"
#include "tests/bench/bench_process.h"
#include "tests/core/format/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace minerva::bench {
namespace {

using nlohmann::json;
using tests::Outcome;

ModelReport hollow(const std::string& shape, const std::string& type) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "hollow.gguf";
  const auto written = convert::writeSynthetic(path, {.shape = shape, .type = type, .hollow = true});
  EXPECT_TRUE(written) << written.error().message();
  auto report = inspectModel(path);
  EXPECT_TRUE(report && report->plan) << shape;
  return std::move(*report);
}

json cost(const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"cost", "--json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Outcome outcome = tests::bench(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return outcome.json();
}

bool isWithoutVulkan(const std::vector<std::string>& arguments) {
  return tests::bench(arguments).err.find("built without Vulkan") != std::string::npos;
}

// 1 GB/s, 1 GFLOP/s; everything round.
std::string cardFile(const std::string& change = "", const std::string& to = "") {
  std::string text = R"({"kinds": [{"name": "k", "source": "s", "dispatch_us": 10, "barrier_us": 20, "step_us": 100, "share": 0.5,
    "expert_share": 0.25, "unit_share": 0.5, "plain_share": 0.5, "peer_unit_share": 0.5, "peer_plain_share": 0.5, "expert_peak_share": 0.5}],
    "cards": [{"name": "c", "kind": "k", "source": "s", "bandwidth_gb_s": 1, "f32_tflops": 0.1, "matrix_tflops": 1, "lanes": 32, "cores": 8, "shared_kb": 32}],
    "anchors": []})";
  if (const std::size_t at = text.find(change); !change.empty() && at != std::string::npos) text.replace(at, change.size(), to);
  return text;
}

TEST(CostVerb, PredictsAShapeOnEveryListedCardWithoutAFile) {
  if (isWithoutVulkan({"cost", "test-tiny"})) GTEST_SKIP() << "skipped: built without Vulkan";
  const json all = cost({"llama-3-8b", "--type", "q4_0"});
  ASSERT_EQ(all["cards"].size(), 10U);
  // 6.98e9 of 4.5 bits in the layers, 128256 * 4096 of 6.5625 in the head.
  EXPECT_NEAR(all["token"]["weight_bytes"].get<double>(), 4.357e9, 0.005e9);
  EXPECT_NEAR(all["token"]["flops"].get<double>(), 15.0e9, 0.1e9);
  for (const json& card : all["cards"]) {
    EXPECT_EQ(card["layer_counts"]["dispatches"], 6 * 32 + 2) << card["card"];  // the last layer gathers twice
    EXPECT_GT(card["decode"]["tokens_per_second"], card["decode_deep"]["tokens_per_second"]) << card["card"];
    EXPECT_GT(card["prefill"]["tokens_per_second"], card["decode"]["tokens_per_second"]) << card["card"];
    EXPECT_GE(card["decode"]["tokens_per_second"], card["peer_decode"]["tokens_per_second"]) << card["card"];
    EXPECT_FALSE(card["source"].get<std::string>().empty());
  }
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::temp_directory_path()))
    EXPECT_FALSE(entry.path().filename().string().starts_with("minerva-cost-")) << entry.path();
}

// The figure is the formula's, of counts that the output states.
TEST(CostVerb, SpeedIsTheFormulaOfItsCounts) {
  const TemporaryFolder folder;
  const std::string cards = folder.write("cards.json", cardFile()).string();
  if (isWithoutVulkan({"cost", "test-tiny"})) GTEST_SKIP() << "skipped: built without Vulkan";
  const json all = cost({"test-tiny", "--type", "q8_0", "--cards", cards, "--ops"});
  ASSERT_EQ(all["cards"].size(), 1U);
  const json& card = all["cards"][0];
  const auto seconds = [&](const json& counts) {
    const double bytes = all["token"]["weight_bytes"].get<double>() + all["token"]["state_bytes"].get<double>();
    return bytes / 0.5e9 + counts["dispatches"].get<double>() * 10e-6 + counts["barriers"].get<double>() * 20e-6 + 100e-6;
  };
  EXPECT_NEAR(card["decode"]["tokens_per_second"].get<double>(), 1 / seconds(card["counts"]), 1e-6);
  EXPECT_NEAR(card["peer_decode"]["tokens_per_second"].get<double>(), 1 / seconds(card["peer_counts"]), 1e-6);
  EXPECT_NEAR(card["decode"]["dispatch_worth"].get<double>(), 2 * 30e-6 / seconds(card["counts"]), 1e-9);
  std::size_t dispatches = 0;
  for (const auto& [name, op] : all["ops"].items()) dispatches += op["dispatches"].get<std::size_t>();
  EXPECT_EQ(dispatches, card["counts"]["dispatches"].get<std::size_t>());
  EXPECT_TRUE(card["decode_deep"]["tokens_per_second"] == 0);  // beyond the model's context of 512
  // What if: 4 dispatches and 3 barriers a layer, and half of the weights.
  const json changed = cost(
      {"test-tiny", "--type", "q8_0", "--cards", cards, "--dispatches-per-layer", "4", "--barriers-per-layer", "3", "--weights", "0.5"});
  const json& layers = card["layer_counts"];
  const double saved = (layers["dispatches"].get<double>() - 8) * 10e-6 + (layers["barriers"].get<double>() - 6) * 20e-6 +
                       0.5 * all["token"]["weight_bytes"].get<double>() / 0.5e9;
  EXPECT_NEAR(changed["cards"][0]["decode"]["tokens_per_second"].get<double>(), 1 / (seconds(card["counts"]) - saved), 1e-6);
}

TEST(CostVerb, PrintsATableAndWritesIt) {
  const TemporaryFolder folder;
  if (isWithoutVulkan({"cost", "test-tiny"})) GTEST_SKIP() << "skipped: built without Vulkan";
  const auto path = folder.path() / "cost.md";
  const Outcome outcome =
      tests::bench({"cost", "test-moe", "--type", "mxfp4", "--card", "RX 7900 XTX", "--ops", "--markdown", path.string()});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(TemporaryFolder::read(path), outcome.out);
  EXPECT_NE(outcome.out.find("| RX 7900 XTX |"), std::string::npos);
  EXPECT_NE(outcome.out.find("| expert_proj | 4 |"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("| RTX 4090 |"), std::string::npos);
}

TEST(CostVerb, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong{
      {{"cost"}, "A model is needed"},
      {{"cost", "no-such-shape"}, "no-such-shape"},
      {{"cost", "test-tiny", "--type", "q9"}, "q9"},
      {{"cost", "test-tiny", "--cards", "/nowhere"}, "/nowhere"},
      {{"cost", "test-tiny", "--here", "--device", "cpu"}, "--here"},
  };
  for (const auto& [arguments, contained] : wrong) {
    const Outcome outcome = tests::bench(arguments);
    EXPECT_EQ(outcome.code, 1) << contained;
    EXPECT_NE(outcome.err.find(contained), std::string::npos) << outcome.err;
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  }
}

TEST(CostVerb, ACardThatIsNotInTheFileIsToldWithThoseThatAre) {
  if (isWithoutVulkan({"cost", "test-tiny"})) GTEST_SKIP() << "skipped: built without Vulkan";
  const Outcome card = tests::bench({"cost", "test-tiny", "--card", "Voodoo 2"});
  EXPECT_EQ(card.code, 1);
  EXPECT_NE(card.err.find("RTX 4090"), std::string::npos) << card.err;
}

TEST(CostCards, TheProgramsFileHasASourceForEveryFigure) {
  const auto file = readCards("");
  ASSERT_TRUE(file.has_value()) << file.error().message();
  EXPECT_EQ(std::ranges::count_if(file->cards, &Card::listed), 10);
  EXPECT_GE(file->anchors.size(), 15U);
  for (const Anchor& anchor : file->anchors) {
    EXPECT_TRUE(anchor.decode > 0 || anchor.prefill > 0) << anchor.card;
    const auto shapes = convert::synthShapes();
    EXPECT_NE(std::ranges::find(shapes, anchor.shape), shapes.end()) << anchor.shape;
  }
}

// With the same peak in more cores, a short prompt keeps fewer of them busy. llama.cpp's tiles are not counted.
TEST(CostCards, IdleCoresCount) {
  if (isWithoutVulkan({"cost", "test-tiny"})) GTEST_SKIP() << "skipped: built without Vulkan";
  const ModelReport model = hollow("tinyllama-1.1b", "q4_0");
  const auto file = readCards("");
  ASSERT_TRUE(file.has_value()) << file.error().message();
  Card card = *std::ranges::find(file->cards, "RTX 4090", &Card::name);
  const auto predicted = [&](std::uint32_t cores) {
    card.cores = cores;
    const auto all = estimate(*model.plan, card, {.prompt = 128});
    EXPECT_TRUE(all.has_value());
    return std::pair{all->prefill.perSecond, all->peerPrefill->perSecond};
  };
  const auto one = predicted(1), several = predicted(128), many = predicted(4096);
  EXPECT_GT(one.first, 1.05 * several.first);
  EXPECT_GT(several.first, 2 * many.first);
  EXPECT_EQ(one.second, several.second);
  EXPECT_EQ(one.second, many.second);
}

// A card's matrix units count only if our kernels run on its description: all projections of a prompt and its attention.
TEST(CostCards, MatrixUnitsMultiplyPromptsWhereACardHasThem) {
  if (isWithoutVulkan({"cost", "test-tiny"})) GTEST_SKIP() << "skipped: built without Vulkan";
  const ModelReport model = hollow("tinyllama-1.1b", "q8_0");
  const auto file = readCards("");
  ASSERT_TRUE(file.has_value()) << file.error().message();
  for (const Card& card : file->cards) {
    const auto ops = costsOfOps(*model.plan, card, {}, {.rows = 512, .outputs = 1, .depth = 0});
    ASSERT_TRUE(ops.has_value()) << ops.error().message();
    std::size_t onUnits = 0;
    for (const OpCost& op : *ops) onUnits += op.counts.units ? 1 : 0;
    // q k v, attention, o, gate and up, down; the last layer goes on with one row after its attention.
    EXPECT_EQ(onUnits, card.unitPeak > 0 ? 22U * 5 - 3 : 0U) << card.name;
  }
}

TEST(CostCards, AWrongFieldIsNamed) {
  ASSERT_TRUE(parseCards(cardFile(), "f").has_value());
  const std::vector<std::array<std::string, 3>> wrong{
      {"\"share\": 0.5", "\"share\": 0", "kinds[0], share"},
      {"\"share\": 0.5", "\"share\": \"half\"", "kinds[0], share"},
      {"\"bandwidth_gb_s\": 1,", "", "cards[0], bandwidth_gb_s"},
      {"\"bandwidth_gb_s\": 1,", "\"bandwidth_gb_s\": -1,", "cards[0], bandwidth_gb_s"},
      {"\"kind\": \"k\"", "\"kind\": \"other\"", "other"},
      {"\"anchors\": []",
       "\"anchors\": [{\"card\": \"x\", \"shape\": \"a\", \"type\": \"b\", \"source\": \"s\", \"decode\": 1, \"prefill\": 1}]", "x"},
      {"\"anchors\": []", "\"anchors\": [7]", "anchors[0]"},
      {"\"anchors\": []", "\"others\": []", "anchors"},
      {"{\"kinds\"", "[\"kinds\"", "kinds"},
  };
  for (const auto& [what, to, named] : wrong) {
    const auto parsed = parseCards(cardFile(what, to), "f");
    ASSERT_FALSE(parsed.has_value()) << to;
    EXPECT_NE(parsed.error().message().find(named), std::string::npos) << parsed.error().message();
  }
}

// 15 of a dense layer: norm; q, k, v; two rotations, one with the store, and the store of the values; attention and its join; o; norm;
// gate, up; their activation; down. Before and after the layers: the embedding, two gathers in the last layer, norm and head.
TEST(PeerPlan, CountsALayerAsItsSourceDoes) {
  const ModelReport llama = hollow("llama-3-8b", "q8_0");
  const auto one = peerCounts(*llama.plan, 1, false);
  ASSERT_TRUE(one.has_value());
  EXPECT_EQ(one->dispatches, 15U * 32 + 5);
  EXPECT_EQ(one->barriers, 10U * 32 + 4);
  // 8-bit activations: of q k v, of o, of gate and up, of down, and of the head.
  EXPECT_EQ(peerCounts(*llama.plan, 1, true)->dispatches, 19U * 32 + 6);
  // Many rows: no join, but the two residuals are sums of their own.
  EXPECT_EQ(peerCounts(*llama.plan, 512, false)->dispatches, 16U * 32 + 5);
  // norm; q k v; rotations and stores; attention, join; o; norm; router; selection; gate, up; activation; down; sum.
  const ModelReport oss = hollow("gpt-oss-20b", "mxfp4");
  EXPECT_EQ(peerCounts(*oss.plan, 1, false)->dispatches, 18U * 24 + 5);
  EXPECT_FALSE(peerCounts(*hollow("test-delta-net", "q8_0").plan, 1, false).has_value());  // not counted
}

}  // namespace
}  // namespace minerva::bench
