#include "core/text/infill.h"

#include "core/format/model_file.h"
#include <algorithm>

namespace minerva::text {
namespace {

enum class InfillOrder { prefixFirst, suffixFirst };

// The tokens before what comes before, before what comes after, and before the answer ("": none).
struct InfillForm {
  std::string_view prefix, suffix, middle;
  InfillOrder order = InfillOrder::prefixFirst;
};

// clang-format off
constexpr InfillForm infillForms[] = {
    {"<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"},        // Qwen's coders, CodeGemma, Granite 4
    {"<fim_prefix>", "<fim_suffix>", "<fim_middle>"},              // StarCoder, Granite 3, Stable Code
    {"<fim-prefix>", "<fim-suffix>", "<fim-middle>"},              // SantaCoder
    {"<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>"},        // DeepSeek
    {"<|code_prefix|>", "<|code_suffix|>", "<|code_middle|>"},     // GLM
    {"▁<PRE>", "▁<SUF>", "▁<MID>"},                                // Code Llama
    {"<[fim-prefix]>", "<[fim-suffix]>", "<[fim-middle]>", InfillOrder::suffixFirst},  // Seed-Coder
    {"[PREFIX]", "[SUFFIX]", "", InfillOrder::suffixFirst},        // Codestral
};
// clang-format on

struct InfillTokens {
  TokenId prefix = 0, suffix = 0;
  std::optional<TokenId> middle;
  InfillOrder order = InfillOrder::prefixFirst;
};

std::optional<InfillTokens> infillTokens(const Tokenizer& tokenizer) {
  for (const InfillForm& form : infillForms) {
    const auto prefix = tokenizer.find(form.prefix), suffix = tokenizer.find(form.suffix);
    const auto middle = form.middle.empty() ? std::nullopt : tokenizer.find(form.middle);
    if (prefix && suffix && (middle || form.middle.empty())) return InfillTokens{*prefix, *suffix, middle, form.order};
  }
  return std::nullopt;
}

// What comes after the cursor goes on within a line, so that a tokenizer which puts a space before every text must not do so here. Behind a
// character that merges with nothing it does not, which is how Code Llama and Codestral were trained.
std::vector<TokenId> encodeSuffix(const Tokenizer& tokenizer, std::string_view after) {
  constexpr std::string_view smile = "☺";
  constexpr EncodeOptions plain{.addSpecial = false, .parseSpecial = false};
  const std::vector<TokenId> letter = tokenizer.encode("a", plain);
  const bool putsSpace = !letter.empty() && tokenizer.firstPiece(letter.front()) != tokenizer.piece(letter.front());
  if (!putsSpace) return tokenizer.encode(after, plain);
  const std::vector<TokenId> alone = tokenizer.encode(smile, plain);
  std::vector<TokenId> ids = tokenizer.encode(std::string(smile) + std::string(after), plain);
  if (ids.size() < alone.size() || !std::equal(alone.begin(), alone.end(), ids.begin())) return tokenizer.encode(after, plain);
  ids.erase(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(alone.size()));
  return ids;
}

}  // namespace

bool canInfill(const Tokenizer& tokenizer) { return infillTokens(tokenizer).has_value(); }

bool canInfill(const format::ModelFile& file) {
  const format::HuggingFaceFiles& files = file.huggingFace();
  const auto listed = file.metadata().strings("tokenizer.ggml.tokens");
  const auto tokens = listed ? listed->value_or(std::vector<std::string_view>()) : std::vector<std::string_view>();
  const auto has = [&](std::string_view token) {
    const std::string quoted = '"' + std::string(token) + '"';
    return token.empty() || std::ranges::find(tokens, token) != tokens.end() ||
           files.tokenizerJson.find(quoted) != std::string_view::npos || files.tekken.find(quoted) != std::string_view::npos ||
           files.tokenizerModel.find(token) != std::string_view::npos;
  };
  return std::ranges::any_of(infillForms, [&](const InfillForm& form) { return has(form.prefix) && has(form.suffix) && has(form.middle); });
}

std::vector<TokenId> infillContext(const Tokenizer& tokenizer, std::span<const InfillFile> files) {
  const auto project = tokenizer.find("<|repo_name|>"), file = tokenizer.find("<|file_sep|>");
  std::vector<TokenId> ids;
  if (files.empty()) return ids;
  const auto add = [&](std::optional<TokenId> mark, const std::string& text) {
    if (mark) ids.push_back(*mark);
    const std::vector<TokenId> more = tokenizer.encode(text, {.addSpecial = false, .parseSpecial = false});
    ids.insert(ids.end(), more.begin(), more.end());
  };
  const bool marks = project && file;
  if (marks) add(project, "project\n");
  for (const InfillFile& one : files) add(marks ? file : std::nullopt, (marks ? one.name + "\n" : std::string()) + one.text + "\n");
  if (marks) add(file, "file\n");  // that of the prompt, whose name nobody tells
  return ids;
}

std::optional<std::vector<TokenId>> infillPrompt(const Tokenizer& tokenizer, std::string_view before, std::string_view after) {
  const std::optional<InfillTokens> tokens = infillTokens(tokenizer);
  if (!tokens) return std::nullopt;
  std::vector<TokenId> ids;
  if (tokenizer.addsBos() && tokenizer.special().bos) ids.push_back(*tokenizer.special().bos);
  const auto add = [&ids](TokenId mark, const std::vector<TokenId>& text) {
    ids.push_back(mark);
    ids.insert(ids.end(), text.begin(), text.end());
  };
  const std::vector<TokenId> first = tokenizer.encode(before, {.addSpecial = false, .parseSpecial = false});
  const std::vector<TokenId> last = encodeSuffix(tokenizer, after);
  if (tokens->order == InfillOrder::suffixFirst) add(tokens->suffix, last);
  add(tokens->prefix, first);
  if (tokens->order == InfillOrder::prefixFirst) add(tokens->suffix, last);
  if (tokens->middle) ids.push_back(*tokens->middle);
  return ids;
}

}  // namespace minerva::text
