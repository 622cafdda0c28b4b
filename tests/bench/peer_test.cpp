// minerva-bench peer with a stand-in for llama-bench, a script whose figures are known.
#include "tests/bench/bench_process.h"
#include "tests/core/format/temporary_folder.h"

#include "bench/peer_process.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace minerva::tests {
namespace {

using nlohmann::json;

// Prints what llama-bench prints, with 1000 and 10 tokens/s in its first call, 3000 and 30 in its second, 2000 and 20 in its third.
// Beside it: `arguments`, a line a call; `busy`, how many ticks the calling process ran during each.
constexpr std::string_view standIn = R"sh(#!/bin/sh
here=$(dirname "$0")
echo "$*" >> "$here/arguments"
ticks() { sed 's/.*) //' "/proc/$PPID/stat" | cut -d' ' -f12; }
before=$(ticks)
sleep 0.3
echo $(($(ticks) - before)) >> "$here/busy"
threads=7
while [ $# -gt 0 ]; do
  case $1 in -p) prompt=$2;; -n) generate=$2;; -d) depth=$2;; -t) threads=$2;; esac
  shift
done
case $(wc -l < "$here/arguments") in 1) speed=10;; 2) speed=30;; *) speed=20;; esac
echo "loading" >&2
same='"build_commit": "abc", "build_number": 42, "cpu_info": "stand-in", "backends": "CPU"'
cat <<END
some words before
[ { $same, "n_threads": $threads, "n_depth": $depth, "n_prompt": $prompt, "n_gen": 0, "avg_ts": 1, "samples_ts": [ ${speed}00 ] },
  { $same, "n_threads": $threads, "n_depth": $depth, "n_prompt": 0, "n_gen": $generate, "avg_ts": $speed } ]
END
)sh";

class Peer : public testing::Test {
 protected:
  std::string script(std::string_view text) const {
    const auto path = m_folder.write("llama-bench", text);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path.string();
  }
  [[nodiscard]] std::vector<std::string> linesOf(const char* name) const {
    std::istringstream text(TemporaryFolder::read(m_folder.path() / name));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }
  static Outcome peer(const std::string& command, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"peer", tinyModel("q4_0"), "--peer", command, "-p", "16", "-n", "8", "-t", "2", "--device", "cpu"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return bench(arguments);
  }
  static void expectPeerError(const Outcome& outcome, const char* words) {
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
  }

  TemporaryFolder m_folder;
};

void expectRatios(const json& beside, const std::vector<double>& theirs, double theirMedian) {
  EXPECT_EQ(beside["llama_cpp_samples"], json(theirs));
  EXPECT_EQ(beside["llama_cpp"], theirMedian);
  const auto ours = beside["minerva_samples"].get<std::vector<double>>();
  ASSERT_EQ(ours.size(), theirs.size());
  std::vector<double> ratios, sorted = ours;
  for (std::size_t i = 0; i < ours.size(); ++i) ratios.push_back(ours[i] / theirs[i]);
  EXPECT_EQ(beside["ratio_of_pairs"], json(ratios));
  std::ranges::sort(ratios);
  std::ranges::sort(sorted);
  EXPECT_DOUBLE_EQ(beside["ratio"].get<double>(), ratios[1]);
  EXPECT_DOUBLE_EQ(beside["minerva"].get<double>(), sorted[1]);
  EXPECT_GT(sorted[0], 0);
}

TEST_F(Peer, MediansAndRatiosAreThoseOfThePairs) {
  const auto markdown = m_folder.path() / "peer.md", svg = m_folder.path() / "peer.svg";
  const Outcome outcome =
      peer(script(standIn), {"-r", "3", "--depth", "24", "--json", "--markdown", markdown.string(), "--svg", svg.string()});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "") << "nothing to warn of";
  const json report = outcome.json();
  ASSERT_EQ(report["rows"].size(), 1U);
  const json& row = report["rows"][0];
  EXPECT_EQ(row["depth"], 24);
  expectRatios(row["prefill_tokens_per_second"], {1000, 3000, 2000}, 2000);
  expectRatios(row["decode_tokens_per_second"], {10, 30, 20}, 20);
  EXPECT_EQ(report["peer"]["build"], "abc 42");
  EXPECT_EQ(report["peer"]["threads"], 2);
  for (const char* field : {"processor", "cores", "instructions", "minerva_commit", "date_utc"})
    EXPECT_TRUE(report["machine"].contains(field)) << field;
  const std::string asked = "-m " + tinyModel("q4_0") + " -fa 1 -t 2 -dev none -p 16 -n 8 -d 24 -r 1 -o json";
  EXPECT_EQ(linesOf("arguments"), (std::vector<std::string>{asked, asked, asked}));
  const std::string table = TemporaryFolder::read(markdown), chart = TemporaryFolder::read(svg);
  EXPECT_NE(table.find("| 24 | "), std::string::npos) << table;
  EXPECT_NE(table.find(" | 2000 | "), std::string::npos) << table;
  EXPECT_NE(chart.find("llama.cpp, decode, depth 24: 20.0"), std::string::npos) << chart;
}

// Threads of ours that spin would take the cores from the peer.
TEST_F(Peer, MinervaIsIdleWhileThePeerRuns) {
  const Outcome outcome = peer(script(standIn), {"-r", "3"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::vector<std::string> busy = linesOf("busy");
  ASSERT_EQ(busy.size(), 3U);
  for (const std::string& ticks : busy) EXPECT_LE(std::stoi(ticks), 2) << "of 30 a core in 0.3 s";
}

TEST_F(Peer, SeveralDepthsAreRows) {
  const Outcome outcome = peer(script(standIn), {"-r", "1", "--depth", "0,8,16", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::vector<int> depths;
  const json report = outcome.json();
  for (const json& row : report["rows"]) depths.push_back(row["depth"]);
  EXPECT_EQ(depths, (std::vector<int>{0, 8, 16}));
}

TEST_F(Peer, ACommandThatNamesTheModelSaysItsOwnThreads) {
  const Outcome outcome = peer("'" + script(standIn) + "' --about \"{model}\"", {"-r", "1", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(linesOf("arguments"), (std::vector<std::string>{"--about " + tinyModel("q4_0") + " -p 16 -n 8 -d 0 -r 1 -o json"}));
  EXPECT_NE(outcome.err.find("Minerva ran with 2 threads, llama-bench with 7"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.json()["warnings"].size(), 1U);
}

TEST_F(Peer, KeysAndValuesAreOfTheSameType) {
  const Outcome outcome = peer(script(standIn), {"-r", "1", "--kv", "q8_0", "--precision", "exact"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string asked = "-m " + tinyModel("q4_0") + " -fa 1 -t 2 -dev none -ctk q8_0 -ctv q8_0 -p 16 -n 8 -d 0 -r 1 -o json";
  EXPECT_EQ(linesOf("arguments"), (std::vector<std::string>{asked}));
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  EXPECT_NE(outcome.err.find("exact precision"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.out.find(", 2 threads, beside llama.cpp abc 42 (CPU), 2 threads\n"), std::string::npos) << outcome.out;
}

TEST_F(Peer, WhatIsWrongWithThePeerIsSaid) {
  expectPeerError(peer("no-such-llama-bench"), "https://github.com/ggml-org/llama.cpp");
  expectPeerError(peer("/no/such/llama-bench"), "none at this path");
  expectPeerError(peer(script("#!/bin/sh\necho wrong flag >&2\nexit 3\n")), "exit status 3: wrong flag");
  expectPeerError(peer(script("#!/bin/sh\nkill -9 $$\n")), "signal 9");
  expectPeerError(peer(script("#!/bin/sh\necho hello\n")), "a JSON array (-o json), found hello");
  expectPeerError(peer(script("#!/bin/sh\necho '[1, {\"n_prompt\": \"x\"}, {'\n")), "a JSON array");
  expectPeerError(peer(script("#!/bin/sh\necho '[{\"n_prompt\": 16, \"n_gen\": 0, \"avg_ts\": 5}]'\n")), "8 decoded at depth 0");
  expectPeerError(bench({"peer", (goldenLlama / "hf").string(), "--peer", "true"}), "expected GGUF, found SafeTensors");
  for (const char* command : {"", "  ", "'llama-bench", "''"}) EXPECT_EQ(peer(command).code, 2) << command;
}

TEST(PeerFigures, WorkThatIsNotEqualIsNoted) {
  using bench::unequalWork;
  const auto notes = [](const bench::OurRun& ours, const bench::PeerFigures& theirs) {
    std::string all;
    for (const std::string& note : unequalWork(ours, theirs)) all += note.substr(0, note.find(": the ratios are not")) + "|";
    return all;
  };
  const bench::OurRun gpu{.device = "vulkan:0", .cpu = false};
  EXPECT_EQ(notes({.threads = 2}, {.threads = 2, .backends = "CPU", .kv = "f16"}), "");
  EXPECT_EQ(notes({.threads = 2}, {.threads = 7, .backends = "CPU"}), "Minerva ran with 2 threads, llama-bench with 7|");
  EXPECT_EQ(notes(gpu, {.threads = 8, .backends = "Vulkan"}), "");
  EXPECT_EQ(notes(gpu, {.threads = 8, .backends = "Vulkan,CPU"}), "");
  EXPECT_EQ(notes(gpu, {.threads = 8}), "");
  EXPECT_EQ(notes(gpu, {.threads = 8, .backends = "CPU"}), "Minerva ran on vulkan:0, llama-bench without a GPU (CPU)|");
  EXPECT_EQ(notes(gpu, {.threads = 8, .backends = "BLAS,CPU"}), "Minerva ran on vulkan:0, llama-bench without a GPU (BLAS,CPU)|");
  EXPECT_EQ(notes({.threads = 2, .kv = "q8_0"}, {.threads = 2, .kv = "f16"}), "Minerva kept keys and values in q8_0, llama-bench in f16|");
  EXPECT_EQ(notes({.threads = 2, .exact = true, .split = true}, {.threads = 2}),
            "Minerva computed in exact precision, which llama-bench does not have|"
            "Minerva's layers were on several devices as its options say, of which llama-bench was not told|");
}

TEST(PeerFigures, TypesOfKeysAndValuesAreRead) {
  const auto kvOf = [](const std::string& types) {
    const std::string same = R"({"n_depth": 0, "n_threads": 2, )" + types;
    const auto figures = bench::readPeerFigures(
        "[" + same + R"("n_prompt": 16, "n_gen": 0, "avg_ts": 5},)" + same + R"("n_prompt": 0, "n_gen": 8, "avg_ts": 5}])",
        {.model = {}, .prompt = 16, .generate = 8});
    EXPECT_TRUE(figures);
    return figures ? figures->kv : "none";
  };
  EXPECT_EQ(kvOf(""), "");
  EXPECT_EQ(kvOf(R"("type_k": "q8_0", "type_v": "q8_0", )"), "q8_0");
  EXPECT_EQ(kvOf(R"("type_k": "q8_0", "type_v": "f16", )"), "q8_0 and f16");
}

TEST(PeerCommand, IsSplitAtSpacesOutsideQuotes) {
  const auto words = bench::splitCommand("  a 'b c'  d\"e f\"g '' ");
  ASSERT_TRUE(words);
  EXPECT_EQ(*words, (std::vector<std::string>{"a", "b c", "de fg", ""}));
}

}  // namespace
}  // namespace minerva::tests
