#include "core/text/pre_tokenizer/pre_tokenizer_names.h"

#include "core/text/pre_tokenizer/scanners.h"

#include <string>

namespace minerva::text {
namespace {

using View = std::string_view;

// Patterns as written in the publishers' tokenizer.json files, in Oniguruma's syntax.
constexpr View bloomWords = R"( ?[^(\s|[.,!?…。，、।۔،])]+)";
constexpr View kimiWords =
    R"([\p{Han}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr View seedCoderWords =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1}| ?[^\s\p{L}\p{N}\r\n]+|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr View exaoneMoeWords =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+)";
constexpr View youtuScripts = "[가-힣ㄱ-ㆎ]+|[！…“”‘’—：；，、-〿︰-﹏]+|[ㄅ-ㄯ]+|[一-龥぀-ゟ゠-ヿ]+";
constexpr View youtuWords =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

constexpr View jais2Words =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s{512}(?!\S)|\s{256}(?!\S)|\s{128}(?!\S)|\s{64}(?!\S)|\s{32}(?!\S)|\s{16}(?!\S)|\s{8}(?!\S)|\s{4}(?!\S)|\s{1,2}(?!\S)|\s{1})";
constexpr View ufakzekaWords = R"([^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr View afmoeScripts =
    "[一-鿿㐀-䶿豈-﫿぀-ゟ゠-ヿ･-ﾟ⼀-⿟เ-๿຀-໿ក-៿က-႟ꩠ-ꩿꧠ-꧿가-힯ᄀ-ᇿ]+";
constexpr View newLines = R"([^\n]+|[\n]+)";

constexpr View gpt2[] = {patterns::gpt2};
constexpr View llama3[] = {patterns::llama3};
constexpr View qwen2[] = {patterns::qwen2};
constexpr View qwen35[] = {patterns::qwen35};
constexpr View o200k[] = {patterns::o200k};
constexpr View tekken[] = {patterns::tekken};
constexpr View digitsThenGpt2[] = {patterns::digit, patterns::gpt2};
constexpr View plainDefault[] = {patterns::plainPunctuation, patterns::gpt2, patterns::numbers, patterns::threeDigits};
constexpr View falcon[] = {patterns::falconPunctuation, patterns::gpt2, patterns::threeDigits};
constexpr View deepseekLlm[] = {
    patterns::lineEnd, patterns::deepseekCasedLetters, patterns::deepseekSymbols, patterns::spaceAtEnd, patterns::cjk, patterns::numbers};
constexpr View deepseekCoder[] = {patterns::lineEnd, patterns::deepseekLetters, patterns::deepseekPunctuation, patterns::cjk,
                                  patterns::digit};
constexpr View deepseek3[] = {patterns::digits3, patterns::kana, patterns::deepseek3Words};
constexpr View bloom[] = {bloomWords};
constexpr View viking[] = {bloomWords, patterns::digit};
constexpr View chameleon[] = {"<sentinel:[0-9]+>",       "(IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z",
                              R"(([\t\n]|    |  ))",     patterns::digit,
                              R"([\p{P}!-/:-@\[-`{-~])", patterns::gpt2};
constexpr View superBpe[] = {patterns::numbers, R"((?=(\d{3})+(?!\d)))"};
constexpr View kimi[] = {kimiWords};
constexpr View seedCoder[] = {seedCoderWords};
constexpr View exaoneMoe[] = {exaoneMoeWords};
constexpr View youtu[] = {youtuScripts, youtuWords};
constexpr View jais2[] = {jais2Words};
constexpr View miniCpm5[] = {patterns::digits3, patterns::miniCpm5Words};
constexpr View spark25[] = {patterns::digits3, patterns::kana, patterns::spark25Words, patterns::digit};
constexpr View ufakzeka[] = {ufakzekaWords};
constexpr View afmoe[] = {patterns::groupedNumbers, afmoeScripts, patterns::deepseek3Words};
constexpr View tinyAya[] = {patterns::groupedWords, patterns::o200k};
constexpr View laguna[] = {newLines, patterns::qwen2};
constexpr View lines[] = {newLines};
constexpr View notSpace[] = {R"(\S+)"};
constexpr MergedSymbols marked = MergedSymbols::markedCharacters;

// clang-format off
constexpr PreTokenizerName nameTable[] = {
    // name, patterns, nfc, wholeWordFirst, addsBos, symbols
    {"default", plainDefault},
    {"gpt-2", gpt2}, {"phi-2", gpt2}, {"jina-es", gpt2}, {"jina-de", gpt2}, {"jina-v1-en", gpt2}, {"jina-v2-es", gpt2},
    {"jina-v2-de", gpt2}, {"jina-v2-code", gpt2}, {"gigachat", gpt2}, {"roberta-bpe", gpt2}, {"a.x-4.0", gpt2}, {"mellum", gpt2},
    {"modern-bert", gpt2, true}, {"mpt", gpt2, true}, {"olmo", gpt2, true}, {"jais", gpt2}, {"trillion", gpt2}, {"granite-docling", gpt2},
    {"exaone4", gpt2},
    {"llama3", llama3, false, true, true}, {"llama-v3", llama3, false, true, true}, {"llama-bpe", llama3, false, true, true},
    {"falcon3", llama3, false, true, true}, {"falcon-h1", llama3, false, true, true}, {"pixtral", llama3, false, true, true},
    {"midm-2.0", llama3, false, true, true}, {"lfm2", llama3, false, true, true}, {"jina-v5-nano", llama3, false, true, true},
    {"dbrx", llama3}, {"smaug-bpe", llama3}, {"chatglm-bpe", llama3}, {"glm4", llama3}, {"cl100k", llama3},
    {"qwen2", qwen2, true}, {"deepseek-r1-qwen", qwen2}, {"megrez", qwen2, true}, {"kormo", qwen2}, {"f2llmv2", qwen2, true},
    {"stablelm2", qwen2, true}, {"hunyuan", qwen2}, {"solar-open", qwen2}, {"grok-2", qwen2},
    {"bailingmoe", qwen2}, {"bailingmoe2", qwen2}, {"llada-moe", qwen2},
    {"qwen35", qwen35, true},
    {"gpt-4o", o200k}, {"granite-embed-multi-97m", o200k, false, true}, {"llama4", o200k}, {"o200k", o200k}, {"minimax-m2", o200k}, {"kanana2", o200k}, {"talkie", o200k},
    {"tekken", tekken, false, true, true},
    {"starcoder", digitsThenGpt2}, {"refact", digitsThenGpt2}, {"command-r", digitsThenGpt2, true}, {"smollm", digitsThenGpt2},
    {"codeshell", digitsThenGpt2}, {"exaone", digitsThenGpt2}, {"minerva-7b", digitsThenGpt2}, {"mellum2", digitsThenGpt2},
    {"falcon", falcon},
    {"deepseek-llm", deepseekLlm}, {"deepseek-coder", deepseekCoder},
    {"deepseek-v3", deepseek3}, {"hunyuan-dense", deepseek3}, {"joyai-llm", deepseek3}, {"hy_v4", deepseek3},
    {"bloom", bloom}, {"gpt3-finnish", bloom}, {"poro-chat", bloom}, {"viking", viking},
    {"chameleon", chameleon, false, true, true},
    {"superbpe", superBpe},
    {"kimi-k2", kimi}, {"seed-coder", seedCoder}, {"exaone-moe", exaoneMoe}, {"youtu", youtu, false, true},
    {"jais-2", jais2}, {"minicpm5", miniCpm5, false, true}, {"spark2_5", spark25}, {"ufakzeka", ufakzeka},
    {"afmoe", afmoe}, {"tiny_aya", tinyAya}, {"cohere2moe", tinyAya}, {"laguna", laguna},
    {"gemma4", lines, false, false, true, marked}, {"granite-embed-multi-311m", lines, false, false, true, marked},
    {"sarvam-moe", lines, false, false, false, marked}, {"whitespace", notSpace, false, false, false, MergedSymbols::characters},
};
// clang-format on

}  // namespace

std::span<const PreTokenizerName> preTokenizerNames() { return nameTable; }

Result<const PreTokenizerName*> preTokenizerNamed(std::string_view name) {
  std::string known;
  for (const PreTokenizerName& row : nameTable) {
    if (row.name == name) return &row;
    known += (known.empty() ? "" : ", ") + std::string(row.name);
  }
  Error error;
  error.kind = ErrorKind::unsupported;
  error.what = "pre-tokenizer '" + std::string(name.substr(0, 100)) + "' is not known; known: " + known;
  error.where = "tokenizer.ggml.pre";
  error.hint = "Without it, text would be split incorrectly; a newer version of Minerva may support it.";
  return fail(std::move(error));
}

}  // namespace minerva::text
