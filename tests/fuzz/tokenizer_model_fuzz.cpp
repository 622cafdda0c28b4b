// Arbitrary bytes as a tokenizer.model (SentencePiece's format); a tokenizer that loads must encode and decode without a
// crash.
#include "core/text/sources/tokenizer_sources.h"
#include "core/text/stream_decoder.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace minerva::text;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const nlohmann::json none;
  auto parts = tokenizerFromSentencePiece(bytes, {none, none, none});
  if (!parts) {
    if (parts.error().message().empty()) std::abort();
    return 0;
  }
  const PipelineTokenizer tokenizer(std::move(*parts));
  StreamDecoder decoder(tokenizer);
  for (const std::string_view text : {std::string_view("Hello  wörld 123\n<s> ﬁ Ⅸ\xFF"), bytes.substr(0, 2000)}) {
    for (const TokenId id : tokenizer.encode(text, {true, true})) (void)decoder.push(id);
    (void)decoder.flush();
    (void)tokenizer.decode(tokenizer.encode(text, {}), {true});
  }
  return 0;
}
