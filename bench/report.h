// Output of verbs: JSON of timings, devices and memory, and this process's memory use.
#pragma once

#include "core/base/byte_text.h"
#include "core/engine/engine.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace minerva::bench {

using Json = nlohmann::ordered_json;

void addDraft(Json& object, const engine::ModelInfo& info);  // draft_model and draft_memory, if there is one
// ttft_ms, prefill_tokens_per_second, decode_tokens_per_second, tpot_ms, ...
void addTimings(Json& object, const engine::Timings& timings);
[[nodiscard]] Json toJson(const backend::DeviceInfo& device);
[[nodiscard]] Json toJson(const backend::MemoryUse& memory);

void print(const Json& json);                   // one document, indented, to stdout
void printLine(const Json& json);               // one line
[[nodiscard]] std::uint64_t peakMemoryBytes();  // peak resident set size (VmHWM); 0 if unavailable
[[nodiscard]] double median(std::vector<double> values);

}  // namespace minerva::bench
