// Arbitrary bytes as a grammar in GBNF or, if they begin with "{", as a JSON schema: an error, or a grammar whose masks are what each
// token alone would be, along a walk through its text.
#include "core/grammar/gbnf.h"
#include "core/grammar/json_schema.h"
#include "core/grammar/matcher.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace minerva;
using namespace minerva::grammar;

const std::vector<std::string>& tokens() {
  static const std::vector<std::string> made = [] {
    std::vector<std::string> list;
    for (int b = 0; b < 256; ++b) list.emplace_back(1, static_cast<char>(b));
    for (const char* text : {"{\"", "\":", "\": ", "\",", "\"}", "null", "true", "a\"", "aaa", "\\n", "\\u00", "12", "-1", "2024-",
                             "\xC3\xA9", "\xE2\x82", "\x82\xAC",
                             "\xE2\x82\xAC"
                             "a",
                             "[{"})
      list.emplace_back(text);
    return list;
  }();
  return made;
}

void walk(const std::shared_ptr<const Grammar>& grammar, std::string_view seed) {
  static const auto vocabulary = std::make_shared<const Vocabulary>(tokens(), std::vector<std::int32_t>{});
  Matcher matcher(std::make_shared<Tables>(grammar, Vocabularies{vocabulary, vocabulary}));
  std::size_t choice = 0;
  for (std::size_t step = 0; step < 12 && !seed.empty(); ++step) {
    const auto bits = matcher.mask();
    const Mask mask(bits.begin(), bits.end());
    std::vector<std::size_t> allowed;
    for (std::size_t id = 0; id < tokens().size(); ++id) {
      Matcher probe = matcher;
      const bool takes = probe.accept(tokens()[id]);
      if (matcher.tooAmbiguous()) return;
      if (takes != has(mask, static_cast<std::int32_t>(id))) std::abort();
      if (takes) allowed.push_back(id);
    }
    if (allowed.empty()) {
      if (!matcher.canEnd()) std::abort();  // a dead end
      return;
    }
    choice = choice * 31 + static_cast<unsigned char>(seed[step % seed.size()]);
    if (!matcher.accept(tokens()[allowed[choice % allowed.size()]])) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Result<std::shared_ptr<const Grammar>> made;
  if (text.starts_with('{')) {
    const Json schema = Json::parse(text, nullptr, false);
    if (schema.is_discarded()) return 0;
    made = jsonSchemaGrammar(schema, "schema");
  } else {
    made = parseGbnf(text);
  }
  if (made) walk(*made, text);
  else if (made.error().message().empty()) std::abort();
  return 0;
}
