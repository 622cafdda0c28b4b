// Arbitrary bytes as a tokenizer.json; a tokenizer that loads must encode and decode without a crash.
#include "core/text/stream_decoder.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace minerva::text;
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  const auto tokenizer = createTokenizerFromJson(json, nlohmann::json());
  if (!tokenizer) return 0;
  StreamDecoder decoder(**tokenizer);
  for (const std::string_view text : {std::string_view("Hello  wörld 123\n<|x|>\xFF"), json.substr(0, 2000)}) {
    for (const TokenId id : (*tokenizer)->encode(text, {true, true})) (void)decoder.push(id);
    (void)decoder.flush();
    (void)(*tokenizer)->decode((*tokenizer)->encode(text, {}), {true});
  }
  return 0;
}
