// Minerva beside llama.cpp: the same file, lengths, depth and threads, one repetition of each in turn.
#include "core/format/model_file.h"
#include "bench/peer_process.h"
#include "bench/speed_options.h"
#include "core/speed/chart.h"
#include "core/speed/document.h"
#include "core/speed/machine.h"

#include <algorithm>
#include <cstdio>

namespace minerva::bench {
using namespace speed;
namespace {

struct PeerOptions {
  SpeedOptions speed;
  std::string model, peer = "llama-bench", markdown, svg;
  bool json = false;
};

// Samples of both at one depth; the two of an index were measured one after the other.
struct PeerPairs {
  int depth = 0;
  std::vector<double> prefill = {}, decode = {}, peerPrefill = {}, peerDecode = {};
  PeerFigures last = {};
};

// As llama-bench measures: the prompt is read at the depth, and, apart from that, tokens are written at the depth.
Result<void> measureOurs(SpeedRunner& runner, const SpeedOptions& options, PeerPairs* pairs, int depth) {
  MINERVA_ASSIGN(const Repetition read, runner.once({.depth = depth, .batch = 1, .prompt = options.prompt, .generate = 0}));
  MINERVA_ASSIGN(const Repetition written, runner.once({.depth = depth, .batch = 1, .prompt = 1, .generate = options.generate}));
  if (pairs == nullptr) return {};
  pairs->prefill.push_back(read.prefillPerSecond);
  pairs->decode.push_back(written.decodePerSecond);
  return {};
}

Result<void> measureTheirs(const std::vector<std::string>& command, const PeerTask& task, PeerPairs& pairs) {
  MINERVA_ASSIGN(pairs.last, runPeer(command, task));
  pairs.peerPrefill.push_back(pairs.last.prefillPerSecond);
  pairs.peerDecode.push_back(pairs.last.decodePerSecond);
  return {};
}

// Who begins a pair changes, so that neither always runs on the warmer machine.
Result<PeerPairs> measurePairs(SpeedRunner& runner, const PeerOptions& options, const std::vector<std::string>& command,
                               const PeerTask& task) {
  PeerPairs pairs{.depth = task.depth};
  MINERVA_TRY(measureOurs(runner, options.speed, nullptr, task.depth));
  for (int r = 0; r < options.speed.repetitions; ++r) {
    if (r % 2 == 0) MINERVA_TRY(measureOurs(runner, options.speed, &pairs, task.depth));
    MINERVA_TRY(measureTheirs(command, task, pairs));
    if (r % 2 == 1) MINERVA_TRY(measureOurs(runner, options.speed, &pairs, task.depth));
  }
  return pairs;
}

Json besideEachOther(const std::vector<double>& ours, const std::vector<double>& theirs) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < ours.size(); ++i) ratios.push_back(ours[i] / theirs[i]);
  return {{"minerva", median(ours)},  {"llama_cpp", median(theirs)}, {"ratio", median(ratios)},
          {"ratio_of_pairs", ratios}, {"minerva_samples", ours},     {"llama_cpp_samples", theirs}};
}

OurRun runOf(const PeerOptions& options, const engine::ModelInfo& info) {
  const DeviceOptions& device = options.speed.device;
  return {.device = info.device.id,
          .cpu = info.device.kind == "CPU",
          .threads = info.device.threads,
          .kv = device.kv,
          .exact = device.precision == "exact",
          .split = !device.gpuLayers.empty() || device.backend.cpuExperts};
}

Json peerJson(const PeerOptions& options, const engine::ModelInfo& info, const std::vector<PeerPairs>& all, const Machine& machine) {
  const PeerFigures& theirs = all.front().last;
  Json rows = Json::array();
  for (const PeerPairs& pairs : all)
    rows.push_back({{"depth", pairs.depth},
                    {"prefill_tokens_per_second", besideEachOther(pairs.prefill, pairs.peerPrefill)},
                    {"decode_tokens_per_second", besideEachOther(pairs.decode, pairs.peerDecode)}});
  return {{"model", info.displayName},
          {"format", format::name(info.format)},
          {"type", info.typeName},
          {"device", info.device.id},
          {"device_detail", info.device.detail},
          {"threads", info.device.threads},
          {"kv", options.speed.device.kv},
          {"prompt", options.speed.prompt},
          {"generate", options.speed.generate},
          {"repetitions", options.speed.repetitions},
          {"peer",
           {{"command", options.peer},
            {"build", theirs.build},
            {"cpu", theirs.cpu},
            {"backends", theirs.backends},
            {"kv", theirs.kv},
            {"threads", theirs.threads}}},
          {"rows", rows},
          {"warnings", unequalWork(runOf(options, info), theirs)},
          {"machine", toJson(machine)}};
}

// A GPU has none.
std::string threadsOf(const Json& run) {
  const int threads = run["threads"].get<int>();
  return threads > 0 ? ", " + std::to_string(threads) + " threads" : "";
}

// "llama.cpp abc 42 (CPU), 2 threads"
std::string peerRunOf(const Json& report) {
  const Json& peer = report["peer"];
  const auto backends = peer["backends"].get<std::string>();
  return "llama.cpp " + peer["build"].get<std::string>() + (backends.empty() ? "" : " (" + backends + ")") + threadsOf(peer);
}

std::string figureOf(const Json& beside, const char* field) { return figure(beside[field].get<double>()); }

std::string pairRange(const Json& beside) {
  const auto ratios = beside["ratio_of_pairs"].get<std::vector<double>>();
  return figureOf(beside, "ratio") + " (" + figure(std::ranges::min(ratios)) + " to " + figure(std::ranges::max(ratios)) + ")";
}

std::string peerMarkdown(const Json& report, const Machine& machine) {
  std::vector<Cells> cells;
  for (const Json& row : report["rows"]) {
    const Json &prefill = row["prefill_tokens_per_second"], &decode = row["decode_tokens_per_second"];
    cells.push_back({row["depth"].dump(), figureOf(prefill, "minerva"), figureOf(prefill, "llama_cpp"), pairRange(prefill),
                     figureOf(decode, "minerva"), figureOf(decode, "llama_cpp"), pairRange(decode)});
  }
  std::string out = "# " + report["model"].get<std::string>() + " " + report["type"].get<std::string>() + ": Minerva beside llama.cpp\n\n";
  out += markdownTable({"depth", "prefill tok/s", "llama.cpp", "ratio (of pairs)", "decode tok/s", "llama.cpp", "ratio (of pairs)"}, cells);
  out += "\nPrompts of " + report["prompt"].dump() + " tokens, " + report["generate"].dump() + " tokens decoded at the depth; medians of " +
         report["repetitions"].dump() + " pairs measured in turn. Minerva: " + report["device"].get<std::string>() + " (" +
         report["device_detail"].get<std::string>() + ")" + threadsOf(report) + ". " + peerRunOf(report) + ": `" +
         report["peer"]["command"].get<std::string>() + "`.\n";
  for (const Json& warning : report["warnings"]) out += "\nNote: " + warning.get<std::string>() + ".\n";
  return out + "\n" + toText(machine) + "\n";
}

std::string peerSvg(const Json& report, const Machine& machine) {
  Chart chart{
      .kind = ChartKind::bars,
      .title = report["model"].get<std::string>() + " " + report["type"].get<std::string>() + " on " + report["device"].get<std::string>(),
      .note = "llama.cpp " + report["peer"]["build"].get<std::string>() + ". " + toText(machine),
      .xTitle = "",
      .yTitle = "tokens/s",
      .labels = {},
      .x = {},
      .series = {{"Minerva", {}}, {"llama.cpp", {}}}};
  for (const auto& [key, name] : {std::pair{"prefill_tokens_per_second", "prefill"}, {"decode_tokens_per_second", "decode"}}) {
    for (const Json& row : report["rows"]) {
      chart.labels.push_back(std::string(name) + ", depth " + row["depth"].dump());
      chart.series[0].values.emplace_back(row[key]["minerva"].get<double>());
      chart.series[1].values.emplace_back(row[key]["llama_cpp"].get<double>());
    }
  }
  return toSvg(chart);
}

void printPeer(const Json& report) {
  std::printf("%s %s on %s%s, beside %s\n", report["model"].get<std::string>().c_str(), report["type"].get<std::string>().c_str(),
              report["device"].get<std::string>().c_str(), threadsOf(report).c_str(), peerRunOf(report).c_str());
  for (const Json& row : report["rows"]) {
    for (const auto& [key, name] : {std::pair{"prefill_tokens_per_second", "prefill"}, {"decode_tokens_per_second", "decode"}})
      std::printf("  depth %d, %s %s tok/s, llama.cpp %s: %s\n", row["depth"].get<int>(), name, figureOf(row[key], "minerva").c_str(),
                  figureOf(row[key], "llama_cpp").c_str(), pairRange(row[key]).c_str());
  }
}

Result<void> requireGguf(const std::string& path) {
  MINERVA_ASSIGN(const auto file, format::ModelFile::open(path));
  if (file->format() == format::FileFormat::gguf) return {};
  return fail({.kind = ErrorKind::unsupported,
               .what = "llama.cpp cannot read the model",
               .where = path,
               .expected = "GGUF",
               .actual = format::name(file->format()),
               .hint = "minerva-bench convert makes a GGUF copy."});
}

Result<void> compareWithPeer(const PeerOptions& options) {
  MINERVA_ASSIGN(const std::vector<std::string> command, splitCommand(options.peer));
  MINERVA_TRY(findPeer(command));
  MINERVA_TRY(requireGguf(options.model));
  const Machine machine = thisMachine();
  MINERVA_ASSIGN(const OpenModel model, openForSpeed(options.speed, options.model));
  const engine::ModelInfo& info = model.engine->info();
  SpeedRunner runner(*model.engine);
  std::vector<PeerPairs> all;
  for (const int depth : options.speed.depths) {
    const bool cpu = info.device.kind == "CPU";
    const PeerTask task{.model = std::filesystem::absolute(options.model).string(),
                        .prompt = options.speed.prompt,
                        .generate = options.speed.generate,
                        .depth = depth,
                        .threads = cpu ? info.device.threads : 0,
                        .cpu = cpu,
                        .kv = options.speed.device.kv == "f16" ? "" : options.speed.device.kv};  // f16 is its own
    MINERVA_ASSIGN(PeerPairs pairs, measurePairs(runner, options, command, task));
    all.push_back(std::move(pairs));
  }
  const Json report = peerJson(options, info, all, machine);
  for (const Json& warning : report["warnings"]) printWarnings({warning.get<std::string>()});
  if (options.json) print(report);
  else printPeer(report);
  if (!options.markdown.empty()) MINERVA_TRY(writeReport(options.markdown, peerMarkdown(report, machine)));
  if (!options.svg.empty()) MINERVA_TRY(writeReport(options.svg, peerSvg(report, machine)));
  return {};
}

}  // namespace

Runner definePeer(CLI::App& app) {
  auto options = std::make_shared<PeerOptions>();
  app.add_option("model", options->model, "A GGUF file")->required();
  app.add_option(
         "--peer", options->peer,
         "llama.cpp's llama-bench: a program, or a command with arguments (default: llama-bench). A command with {model} in it says "
         "threads, device and --kv itself")
      ->check([](const std::string& command) {
        const auto words = splitCommand(command);
        return words ? std::string() : words.error().message();
      });
  app.add_flag("--json", options->json, "Print a JSON object");
  app.add_option("--markdown", options->markdown, "Write a Markdown table to this file");
  app.add_option("--svg", options->svg, "Write a chart to this file");
  addSpeedOptions(app, options->speed, false);
  return [options] { return compareWithPeer(*options); };
}

}  // namespace minerva::bench
