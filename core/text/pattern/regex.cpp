#define PCRE2_CODE_UNIT_WIDTH 8
#include "core/text/pattern/regex.h"

#include "core/base/utf8.h"

#include <pcre2.h>

#include <algorithm>
#include <chrono>

namespace minerva::text {
namespace {

constexpr std::size_t longestPattern = 64u << 10;
constexpr std::uint32_t matchLimit = 1'000'000;      // steps per match attempt
constexpr std::size_t searchWindow = 4096;           // bytes searched for a match start per call, so that the deadline is checked
constexpr auto timeLimit = std::chrono::seconds(2);  // per text, in addition to the time that fairBytesPerSecond grants
constexpr std::size_t fairBytesPerSecond = 1'000'000;

template <auto release>
struct Releaser {
  template <class T>
  void operator()(T* object) const {
    release(object);
  }
};
using CompileContext = std::unique_ptr<pcre2_compile_context, Releaser<pcre2_compile_context_free>>;
using MatchContext = std::unique_ptr<pcre2_match_context, Releaser<pcre2_match_context_free>>;
using MatchData = std::unique_ptr<pcre2_match_data, Releaser<pcre2_match_data_free>>;
using JitStack = std::unique_ptr<pcre2_jit_stack, Releaser<pcre2_jit_stack_free>>;

std::string cannotBeUsed(std::string_view pattern) {
  return "the regular expression '" + std::string(pattern.substr(0, 200)) + "' cannot be used";
}

Error patternError(std::string_view pattern, int code, std::size_t offset) {
  PCRE2_UCHAR words[256] = {};
  pcre2_get_error_message(code, words, sizeof words);
  return {ErrorKind::corrupt, cannotBeUsed(pattern), "character " + std::to_string(offset), "", reinterpret_cast<const char*>(words), ""};
}

}  // namespace

struct Regex::Code {
  struct Release {
    void operator()(pcre2_code* code) const { pcre2_code_free(code); }
  };
  std::unique_ptr<pcre2_code, Release> compiled;
};

Result<Regex> Regex::compile(std::string_view pattern) {
  if (pattern.size() > longestPattern)
    return fail({ErrorKind::limit, "a regular expression is too long", "", "at most 65536 bytes", std::to_string(pattern.size()), ""});
  auto translation = toPcre2Syntax(pattern);
  if (!translation) {
    translation.error().what = cannotBeUsed(pattern);
    return fail(std::move(translation.error()));
  }
  const std::string& translated = *translation;
  const CompileContext context(pcre2_compile_context_create(nullptr));
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  pcre2_set_parens_nest_limit(context.get(), 100);
  int code = 0;
  PCRE2_SIZE offset = 0;
  // In Ruby, ^ and $ always match at line boundaries. The offset limit lets matches() check its deadline regularly.
  const std::uint32_t options = PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_USE_OFFSET_LIMIT | PCRE2_NEVER_BACKSLASH_C;
  auto made = std::make_shared<Code>();
  made->compiled.reset(
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(translated.data()), translated.size(), options, &code, &offset, context.get()));
  if (!made->compiled) return fail(patternError(pattern, code, offset));
  pcre2_jit_compile(made->compiled.get(), PCRE2_JIT_COMPLETE);  // if it fails, PCRE2 falls back to its interpreter
  return Regex(std::move(made));
}

std::vector<MatchRange> Regex::matches(std::string_view text) const {
  if (utf8::isValid(text)) return matchesInValid(text);
  std::string valid;
  std::vector<std::size_t> origin;  // offset in `text` of each byte of `valid`, and of its end
  for (std::size_t pos = 0; pos < text.size();) {
    const utf8::Decoded decoded = utf8::decode(text, pos);
    utf8::append(valid, decoded.codePoint);
    while (origin.size() < valid.size()) origin.push_back(pos);
    pos += decoded.length;
  }
  origin.push_back(text.size());
  std::vector<MatchRange> found = matchesInValid(valid);
  for (MatchRange& range : found) range = {origin[range.begin], origin[range.end]};
  return found;
}

std::vector<MatchRange> Regex::matchesInValid(std::string_view text) const {
  std::vector<MatchRange> found;
  const MatchContext context(pcre2_match_context_create(nullptr));
  const MatchData data(pcre2_match_data_create(1, nullptr));
  const JitStack stack(pcre2_jit_stack_create(32u << 10, 4u << 20, nullptr));
  if (!context || !data) return found;
  pcre2_set_match_limit(context.get(), matchLimit);
  pcre2_set_heap_limit(context.get(), 64u << 10);  // KiB
  if (stack) pcre2_jit_stack_assign(context.get(), nullptr, stack.get());
  const auto deadline = std::chrono::steady_clock::now() + timeLimit + std::chrono::milliseconds(text.size() * 1000 / fairBytesPerSecond);
  const auto* subject = reinterpret_cast<PCRE2_SPTR>(text.data());
  std::size_t from = 0;
  std::size_t lastEnd = SIZE_MAX;  // end of the previous match: an empty match at this position is ignored
  for (unsigned calls = 0; from <= text.size(); ++calls) {
    if (calls % 64 == 0 && std::chrono::steady_clock::now() > deadline) break;
    std::size_t window = std::min(text.size(), from + searchWindow);
    pcre2_set_offset_limit(context.get(), window);
    const int result = pcre2_match(m_code->compiled.get(), subject, text.size(), from, PCRE2_NO_UTF_CHECK, data.get(), context.get());
    if (result == PCRE2_ERROR_NOMATCH) {
      if (window >= text.size()) break;
      while (window > from && (static_cast<unsigned char>(text[window]) & 0xC0) == 0x80) --window;
      from = window + (window == from ? 1 : 0);
      continue;
    }
    if (result < 0) break;  // a limit was exceeded: the rest is not matched
    const PCRE2_SIZE* range = pcre2_get_ovector_pointer(data.get());
    const bool empty = range[1] <= range[0];
    if (!(empty && range[0] == lastEnd)) found.push_back({range[0], std::max(range[0], range[1])});
    lastEnd = std::max(range[0], range[1]);
    from = lastEnd;
    if (empty) from += from < text.size() ? utf8::decode(text, from).length : 1;
  }
  return found;
}

}  // namespace minerva::text
