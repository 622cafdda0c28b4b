#include "bench/base64.h"
#include "bench/json_fields.h"
#include "bench/report.h"
#include "bench/text_source.h"
#include "bench/verb.h"

namespace minerva::bench {
namespace {

struct TokenizeOptions {
  std::string model;
  bool noBos = false, parseSpecial = false, lines = false;
};

Result<std::string> textOf(const Json& request) {
  MINERVA_ASSIGN(const auto encoded, stringField(request, "bytes_b64"));
  if (encoded) {
    if (auto bytes = decodeBase64(*encoded)) return *std::move(bytes);
    return fail({.kind = ErrorKind::invalidArgument, .what = "bytes_b64 is not base64", .where = "request"});
  }
  MINERVA_ASSIGN(auto text, stringField(request, "text"));
  if (text) return *std::move(text);
  return fail({.kind = ErrorKind::invalidArgument,
               .what = "The request has no text",
               .where = "request",
               .expected = "text or bytes_b64",
               .actual = "neither"});
}

Result<Json> idsFor(const TokenizeOptions& options, const text::Tokenizer& tokenizer, const Json& request) {
  MINERVA_ASSIGN(const std::string text, textOf(request));
  MINERVA_ASSIGN(const bool addBos, boolField(request, "add_bos", !options.noBos));
  MINERVA_ASSIGN(const bool addSpecial, boolField(request, "add_special_tokens", addBos));
  MINERVA_ASSIGN(const bool parseSpecial, boolField(request, "parse_special", options.parseSpecial));
  return Json{{"ids", tokenizer.encode(text, {.addSpecial = addSpecial, .parseSpecial = parseSpecial})}};
}

Result<void> runTokenize(const TokenizeOptions& options) {
  MINERVA_ASSIGN(const TextSource source, openTextSource(options.model));
  if (options.lines) {
    answerLines([&](const Json& request) { return idsFor(options, *source.tokenizer, request); });
    return {};
  }
  printLine(source.tokenizer->encode(readStdin(), {.addSpecial = !options.noBos, .parseSpecial = options.parseSpecial}));
  return {};
}

}  // namespace

Runner defineTokenize(CLI::App& app) {
  auto options = std::make_shared<TokenizeOptions>();
  app.add_option("model", options->model, "A model, a vocabulary-only GGUF, a tokenizer.json or a tokenizer.model")->required();
  app.add_flag("--no-bos", options->noBos, "Do not add BOS or EOS");
  app.add_flag("--parse-special", options->parseSpecial, "Parse control tokens written in the text as such");
  app.add_flag("--jsonl", options->lines, "One JSON request per line, one answer per line");
  return [options] { return runTokenize(*options); };
}

}  // namespace minerva::bench
