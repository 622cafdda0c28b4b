// Arbitrary bytes as a template: parsing and rendering must finish within the limits, with a text or an error.
#include "core/text/template/chat_template.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

const nlohmann::ordered_json& variables() {
  static const auto json = nlohmann::ordered_json::parse(R"({
    "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Héllo 中 😀"},
                 {"role": "assistant", "content": null, "tool_calls": [{"function": {"name": "f", "arguments": {"a": [1, 2.5, true]}}}]}],
    "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "array"}}}}}],
    "s": "Hello World", "x": 5, "f": 2.5, "l": [3, 1, 2], "d": {"b": 1, "a": {"k": "v"}}, "n": null, "t": true,
    "add_generation_prompt": true, "bos_token": "<s>", "eos_token": "</s>"})");
  return json;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto parsed = minerva::text::ChatTemplate::parse({reinterpret_cast<const char*>(data), size});
  if (!parsed) return 0;
  minerva::text::RenderLimits limits;
  limits.time = std::chrono::milliseconds(200);
  limits.outputBytes = 1u << 20;
  limits.memoryBytes = 8u << 20;
  const auto rendered = parsed->render(variables(), limits);
  if (rendered && rendered->size() > limits.outputBytes) std::abort();
  return 0;
}
