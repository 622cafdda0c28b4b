#include "bench/report.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>

namespace minerva::bench {

void addTimings(Json& object, const engine::Timings& t) {
  object["prompt_tokens"] = t.promptTokens;
  object["reused_tokens"] = t.reusedTokens;
  object["generated_tokens"] = t.generatedTokens;
  if (t.draftedTokens > 0) {
    object["drafted_tokens"] = t.draftedTokens;
    object["accepted_tokens"] = t.acceptedTokens;
  }
  object["queue_ms"] = t.queueMs;
  object["template_ms"] = t.templateMs;
  object["tokenize_ms"] = t.tokenizeMs;
  object["prefill_ms"] = t.prefillMs;
  object["ttft_ms"] = t.ttftMs;
  object["decode_ms"] = t.decodeMs;
  object["wall_ms"] = t.wallMs;
  object["prefill_tokens_per_second"] = t.prefillTokensPerSecond;
  object["decode_tokens_per_second"] = t.decodeTokensPerSecond;
  object["tpot_ms"] = {{"p50", t.tpotP50}, {"p95", t.tpotP95}, {"p99", t.tpotP99}};
}

Json toJson(const backend::DeviceInfo& device) {
  return {{"id", device.id},
          {"kind", device.kind},
          {"name", device.name},
          {"detail", device.detail},
          {"uuid", device.uuid},
          {"software", device.software},
          {"memory_total", device.memoryTotal},
          {"memory_free", device.memoryFree},
          {"threads", device.threads}};
}

void print(const Json& json) { std::printf("%s\n", json.dump(2, ' ', false, Json::error_handler_t::replace).c_str()); }

void printLine(const Json& json) {
  std::printf("%s\n", json.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
  std::fflush(stdout);
}

std::string fileNameOf(const std::filesystem::path& path) {
  const auto whole = std::filesystem::absolute(path).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

std::uint64_t peakMemoryBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("VmHWM:")) continue;
    std::istringstream value(line.substr(6));
    std::uint64_t kib = 0;
    value >> kib;
    return kib * 1024;
  }
  return 0;
}

}  // namespace minerva::bench
