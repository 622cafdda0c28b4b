#include "bench/base64.h"
#include "bench/json_fields.h"
#include "bench/report.h"
#include "bench/text_source.h"
#include "bench/verb.h"

#include <cstdio>

namespace minerva::bench {
namespace {

struct DetokenizeOptions {
  std::string model;
  std::vector<text::TokenId> ids;
  bool skipSpecial = false, lines = false;
};

Result<std::string> bytesOf(const std::vector<text::TokenId>& ids, const text::Tokenizer& tokenizer, bool skipSpecial) {
  for (const text::TokenId id : ids) {
    if (id >= 0 && static_cast<std::size_t>(id) < tokenizer.vocabularySize()) continue;
    return fail({.kind = ErrorKind::invalidArgument,
                 .what = "This token id is not in the vocabulary",
                 .where = "ids",
                 .expected = "0 to " + std::to_string(tokenizer.vocabularySize() - 1),
                 .actual = std::to_string(id)});
  }
  return tokenizer.decode(ids, {.skipSpecial = skipSpecial});
}

Result<Json> bytesFor(const DetokenizeOptions& options, const text::Tokenizer& tokenizer, const Json& request) {
  MINERVA_ASSIGN(const std::vector<text::TokenId> ids, idsField(request, "ids"));
  MINERVA_ASSIGN(const bool skip, boolField(request, "skip_special", options.skipSpecial));
  MINERVA_ASSIGN(const std::string bytes, bytesOf(ids, tokenizer, skip));
  return Json{{"bytes_b64", encodeBase64(bytes)}};
}

Result<void> runDetokenize(const DetokenizeOptions& options) {
  MINERVA_ASSIGN(const TextSource source, openTextSource(options.model));
  if (options.lines) {
    answerLines([&](const Json& request) { return bytesFor(options, *source.tokenizer, request); });
    return {};
  }
  MINERVA_ASSIGN(const std::string bytes, bytesOf(options.ids, *source.tokenizer, options.skipSpecial));
  std::fwrite(bytes.data(), 1, bytes.size(), stdout);
  return {};
}

}  // namespace

Runner defineDetokenize(CLI::App& app) {
  auto options = std::make_shared<DetokenizeOptions>();
  app.add_option("model", options->model, "A model, a vocabulary-only GGUF, a tokenizer.json or a tokenizer.model")->required();
  CLI::Option_group* input = app.add_option_group("input");
  input->add_option("ids", options->ids, "Token ids, separated by commas")->delimiter(',');
  input->add_flag("--jsonl", options->lines, "One JSON request per line, one answer per line");
  input->require_option(1);
  app.add_flag("--skip-special", options->skipSpecial, "Omit control tokens");
  return [options] { return runDetokenize(*options); };
}

}  // namespace minerva::bench
