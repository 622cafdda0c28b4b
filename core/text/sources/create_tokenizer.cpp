#include "core/format/model_file.h"
#include "core/text/sources/tokenizer_sources.h"

#include <exception>

namespace minerva::text {
namespace {

// Converts exceptions of underlying libraries (out of memory, an unchecked JSON type) to errors.
template <class Make>
Result<std::unique_ptr<const Tokenizer>> guarded(const std::string& where, Make make) {
  try {
    Result<TokenizerParts> parts = make();
    if (!parts) {
      Error error = parts.error();
      if (!where.empty()) error.where = error.where.empty() ? where : where + ", " + error.where;
      return fail(std::move(error));
    }
    return std::make_unique<const PipelineTokenizer>(std::move(*parts));
  } catch (const std::bad_alloc&) {
    return fail({ErrorKind::outOfMemory, "there is not enough memory for the tokenizer", where, "", "", ""});
  } catch (const std::exception& exception) {
    return fail({ErrorKind::corrupt, "the tokenizer cannot be read", where, "", exception.what(), ""});
  }
}

}  // namespace

Result<std::unique_ptr<const Tokenizer>> createTokenizer(const format::ModelFile& file) {
  const std::string where = file.path().string();
  if (file.format() == format::FileFormat::gguf) return guarded(where, [&] { return tokenizerFromGguf(file.metadata()); });
  const format::HuggingFaceFiles& files = file.huggingFace();
  const TokenizerJsonContext context{files.tokenizerConfig, files.config, files.generationConfig, files.chatTemplate};
  const struct {
    std::string_view bytes;
    Result<TokenizerParts> (*create)(std::string_view, const TokenizerJsonContext&);
  } sources[] = {{files.tokenizerJson, tokenizerFromJson},
                 {files.tekken, tokenizerFromTekken},
                 {files.tokenizerModel, isRankList(files.tokenizerModel) ? tokenizerFromRankedModel : tokenizerFromSentencePiece},
                 {files.tiktokenModel, tokenizerFromTiktoken},
                 {files.qwenTiktoken, tokenizerFromQwenTiktoken}};
  for (const auto& source : sources)
    if (!source.bytes.empty()) return guarded(where, [&] { return source.create(source.bytes, context); });
  return fail({ErrorKind::notFound, "the model has no tokenizer", where, "tokenizer.json, tekken.json, tokenizer.model or tiktoken.model",
               "nothing", "Download the folder as a whole, or choose a GGUF of this model."});
}

Result<std::unique_ptr<const Tokenizer>> createTokenizerFromJson(std::string_view tokenizerJson, const nlohmann::json& tokenizerConfig) {
  const nlohmann::json none;
  return guarded("", [&] { return tokenizerFromJson(tokenizerJson, {tokenizerConfig, none, none}); });
}

Result<std::unique_ptr<const Tokenizer>> createTokenizerFromSentencePiece(std::string_view tokenizerModel,
                                                                          const nlohmann::json& tokenizerConfig) {
  const nlohmann::json none;
  return guarded("", [&] { return tokenizerFromSentencePiece(tokenizerModel, {tokenizerConfig, none, none}); });
}

}  // namespace minerva::text
