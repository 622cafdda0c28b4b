// tiktoken.model, qwen.tiktoken and their like: lines of tokens and ranks. How a family splits text, and which tokens follow the ranks,
// only its own Python class states: a row of `families`.
#include "core/format/model_file.h"
#include "core/text/pre_tokenizer/pre_tokenizer_names.h"
#include "core/text/ranked_vocabulary.h"
#include "core/text/sources/json_model.h"
#include "core/text/sources/ranked_tokenizer.h"
#include "core/text/sources/tokenizer_sources.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <utility>

namespace minerva::text {
namespace {

using nlohmann::json;
using Names = std::vector<std::string>;

// Those that tokenizer_config.json does not name are reserved.
Names kimiNames(std::size_t firstId) {
  Names names;
  for (std::size_t id = firstId; id < firstId + 256; ++id) names.push_back("<|reserved_token_" + std::to_string(id) + "|>");
  return names;
}

Names glmNames(std::size_t /*firstId*/) {
  return {"<|endoftext|>",
          "[MASK]",
          "[gMASK]",
          "[sMASK]",
          "<sop>",
          "<eop>",
          "<|system|>",
          "<|user|>",
          "<|assistant|>",
          "<|observation|>",
          "<|begin_of_image|>",
          "<|end_of_image|>",
          "<|begin_of_video|>",
          "<|end_of_video|>"};
}

Names qwenNames(std::size_t /*firstId*/) {
  Names names{"<|endoftext|>", "<|im_start|>", "<|im_end|>"};
  for (int i = 0; i < 205; ++i) names.push_back("<|extra_" + std::to_string(i) + "|>");
  return names;
}

using NameList = std::span<const std::string_view>;
constexpr std::string_view glmPrefix[] = {"[gMASK]", "<sop>"}, qwenEnds[] = {"<|im_start|>"};

struct RankedFamily {
  std::string_view tokenizerClass;
  std::string_view preTokenizer;  // its name in GGUF
  Names (*names)(std::size_t firstId);
  std::string_view eos;          // if no file names one; empty: none
  NameList prefix, furtherEnds;  // of every prompt; of a reply
};
constexpr RankedFamily families[] = {
    {"TikTokenTokenizer", "kimi-k2", kimiNames, "", {}, {}},  // Kimi, Moonlight
    {"ChatGLM4Tokenizer", "chatglm-bpe", glmNames, "<|endoftext|>", glmPrefix, {}},
    {"QWenTokenizer", "qwen2", qwenNames, "<|endoftext|>", {}, qwenEnds},  // Qwen 1
};

struct RankFile {
  std::string_view name;
  std::string_view usualClass;  // if tokenizer_config.json names none
};
constexpr RankFile tiktokenFile{"tiktoken.model", "TikTokenTokenizer"}, qwenFile{"qwen.tiktoken", "QWenTokenizer"},
    modelFile{"tokenizer.model", ""};

Result<const RankedFamily*> familyOf(const RankFile& file, const json& config) {
  const json named = config.is_object() ? config.value("tokenizer_class", json()) : json();
  const std::string name = named.is_string() ? named.get<std::string>() : std::string(file.usualClass);
  std::string known;
  for (const RankedFamily& row : families) {
    if (row.tokenizerClass == name) return &row;
    known += (known.empty() ? "" : ", ") + std::string(row.tokenizerClass);
  }
  return fail({ErrorKind::unsupported, "it is not known how this " + std::string(file.name) + " splits text",
               "tokenizer_config.json, tokenizer_class", known, name.empty() ? "nothing" : inQuotes(name),
               "Choose a GGUF of this model, or a folder with tokenizer.json."});
}

// Lines of a token in base64 and its rank.
Result<std::monostate> readRankLines(std::string_view text, RankedVocabulary& ranked) {
  ranked.vocabulary().reserve(text.size() / 16, text.size() / 2);
  for (std::size_t line = 1; !text.empty(); ++line) {
    std::string_view row = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), row.size() + 1));
    if (row.ends_with('\r')) row.remove_suffix(1);
    if (row.empty()) continue;
    const std::size_t space = std::min(row.find(' '), row.size());
    const std::string_view digits = row.substr(std::min(row.size(), space + 1));
    std::int64_t rank = -1;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
    if (parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size())
      return ranked.corruptRanks("line " + std::to_string(line) + " is not a token and its rank", "base64, a space and a number",
                                 inQuotes(row));
    MINERVA_TRY(ranked.add(row.substr(0, space), rank));
  }
  return {};
}

Result<RankedVocabulary> readRanked(std::string_view text, const RankFile& file, const RankedFamily& family, const json& config) {
  RankedVocabulary ranked(std::string(file.name), 0);
  MINERVA_TRY(readRankLines(text, ranked));
  MINERVA_ASSIGN(std::vector<AddedToken> added, configuredTokens(config, ranked.vocabulary()));
  for (const AddedToken& token : added)
    if (std::cmp_less(token.id, ranked.ranks()))
      return ranked.corruptRanks("special token " + inQuotes(token.text) + " has the id of a rank",
                                 "an id from " + std::to_string(ranked.ranks()) + " on", std::to_string(token.id));
  ranked.addConfigured(std::move(added));
  auto id = static_cast<TokenId>(ranked.ranks());
  for (std::string& name : family.names(ranked.ranks())) {
    const TokenId place = id++;
    if (ranked.vocabulary().has(place) || ranked.vocabulary().find(name) != noToken) continue;
    AddedToken token;
    token.id = place;
    token.text = std::move(name);
    token.special = true;
    MINERVA_TRY(ranked.addSpecial(std::move(token)));
  }
  MINERVA_ASSIGN(const PreTokenizerName* row, preTokenizerNamed(family.preTokenizer));
  ranked.setPattern(row->patterns.front());
  if (row->nfc) ranked.setNfc();
  return ranked;
}

void addEnds(std::span<const TokenId> ends, SpecialTokens& special) {
  std::vector<TokenId>& all = special.endOfGeneration;
  all.insert(all.end(), ends.begin(), ends.end());
  std::ranges::sort(all);
  const auto twice = std::ranges::unique(all);
  all.erase(twice.begin(), twice.end());
}

Result<TokenizerParts> tokenizerFromRanks(std::string_view text, const RankFile& file, const TokenizerJsonContext& context) {
  MINERVA_ASSIGN(const RankedFamily* family, familyOf(file, context.tokenizerConfig));
  MINERVA_ASSIGN(RankedVocabulary ranked, readRanked(text, file, *family, context.tokenizerConfig));
  MINERVA_ASSIGN(TokenizerParts parts, ranked.finish());
  const auto idsOf = [&](NameList names) {
    std::vector<TokenId> ids;
    for (const std::string_view name : names)
      if (const TokenId id = parts.vocabulary->find(name); id != noToken) ids.push_back(id);
    return ids;
  };
  if (!family->eos.empty()) setNamed(parts.special.eos, *parts.vocabulary, family->eos);
  if (!family->prefix.empty()) parts.postProcessor = PostProcessor(idsOf(family->prefix), parts.special.eos.value_or(noToken));
  readConfiguredSpecials(context, {}, parts);
  addEnds(idsOf(family->furtherEnds), parts.special);
  return parts;
}

}  // namespace

bool isRankList(std::string_view text) {
  std::string_view line = text.substr(0, text.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  const std::size_t space = line.find(' ');
  if (space == 0 || space == std::string_view::npos || space + 1 == line.size()) return false;
  const auto isBase64 = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '+' || c == '/' || c == '=';
  };
  return std::ranges::all_of(line.substr(0, space), isBase64) &&
         std::ranges::all_of(line.substr(space + 1), [](char c) { return c >= '0' && c <= '9'; });
}

Result<TokenizerParts> tokenizerFromTiktoken(std::string_view text, const TokenizerJsonContext& context) {
  return tokenizerFromRanks(text, tiktokenFile, context);
}

Result<TokenizerParts> tokenizerFromQwenTiktoken(std::string_view text, const TokenizerJsonContext& context) {
  return tokenizerFromRanks(text, qwenFile, context);
}

Result<TokenizerParts> tokenizerFromRankedModel(std::string_view text, const TokenizerJsonContext& context) {
  return tokenizerFromRanks(text, modelFile, context);
}

bool isRanked(const format::HuggingFaceFiles& files) {
  if (!files.tekken.empty()) return true;
  return files.tokenizerModel.empty() ? !files.tiktokenModel.empty() || !files.qwenTiktoken.empty() : isRankList(files.tokenizerModel);
}

// No GGUF name of these pre-tokenizers finds whole words first.
Result<json> tokenizerJsonOfRanks(const format::HuggingFaceFiles& files) {
  if (!files.tekken.empty()) return tokenizerJsonOfTekken(files.tekken);
  const RankFile& file = !files.tokenizerModel.empty() ? modelFile : !files.tiktokenModel.empty() ? tiktokenFile : qwenFile;
  const std::string_view text = !files.tokenizerModel.empty()  ? files.tokenizerModel
                                : !files.tiktokenModel.empty() ? files.tiktokenModel
                                                               : files.qwenTiktoken;
  MINERVA_ASSIGN(const RankedFamily* family, familyOf(file, files.tokenizerConfig));
  MINERVA_ASSIGN(const RankedVocabulary ranked, readRanked(text, file, *family, files.tokenizerConfig));
  return ranked.written(false);
}

}  // namespace minerva::text
