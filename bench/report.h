// Output of verbs: JSON of timings, devices and memory, and this process's memory use.
#pragma once

#include "core/base/byte_text.h"
#include "core/base/percentile.h"
#include "core/engine/engine.h"
#include "core/speed/json.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace minerva::bench {

using speed::addDraft;
using speed::Json;
using speed::toJson;

// ttft_ms, prefill_tokens_per_second, decode_tokens_per_second, tpot_ms, ...
void addTimings(Json& object, const engine::Timings& timings);
[[nodiscard]] Json toJson(const backend::DeviceInfo& device);

void print(const Json& json);      // one document, indented, to stdout
void printLine(const Json& json);  // one line
// The own name of a file or folder, also where a slash follows it, or dots stand for it.
[[nodiscard]] std::string fileNameOf(const std::filesystem::path& path);
[[nodiscard]] std::uint64_t peakMemoryBytes();  // peak resident set size (VmHWM); 0 if unavailable

}  // namespace minerva::bench
