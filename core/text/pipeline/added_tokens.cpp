#include "core/text/pipeline/added_tokens.h"

#include "core/base/utf8.h"
#include "core/text/characters/unicode.h"

#include <algorithm>

namespace minerva::text {
namespace {

bool wordEndsAt(std::string_view text, std::size_t pos) { return pos > 0 && unicode::isWord(utf8::decodeBefore(text, pos).codePoint); }
bool wordStartsAt(std::string_view text, std::size_t pos) {
  return pos < text.size() && unicode::isWord(utf8::decode(text, pos).codePoint);
}

std::size_t skipSpaceLeft(std::string_view text, std::size_t pos) {
  while (pos > 0) {
    const utf8::Decoded before = utf8::decodeBefore(text, pos);
    if (!unicode::is(before.codePoint, unicode::space)) break;
    pos -= before.length;
  }
  return pos;
}

std::size_t skipSpaceRight(std::string_view text, std::size_t pos) {
  while (pos < text.size()) {
    const utf8::Decoded after = utf8::decode(text, pos);
    if (!unicode::is(after.codePoint, unicode::space)) break;
    pos += after.length;
  }
  return pos;
}

}  // namespace

AddedTokens::AddedTokens(std::vector<AddedToken> tokens, const std::function<std::string(std::string_view)>& normalize)
    : m_tokens(std::move(tokens)) {
  std::vector<std::pair<std::string, std::int32_t>> raw, normalized;
  for (std::size_t i = 0; i < m_tokens.size(); ++i) {
    const AddedToken& token = m_tokens[i];
    if (token.normalized) {
      normalized.emplace_back(normalize(token.text), static_cast<std::int32_t>(i));
    } else {
      raw.emplace_back(token.text, static_cast<std::int32_t>(i));
    }
  }
  m_raw = TokenTrie(std::move(raw));
  m_normalized = TokenTrie(std::move(normalized));
}

std::vector<TextPart> AddedTokens::split(const TokenTrie& trie, std::string_view text, bool parseSpecial) const {
  std::vector<TextPart> parts;
  if (trie.empty()) {
    if (!text.empty()) parts.push_back({0, text.size(), noToken});
    return parts;
  }
  std::size_t done = 0;
  for (std::size_t pos = 0; pos < text.size();) {
    if (!trie.startsWith(static_cast<unsigned char>(text[pos]))) {
      ++pos;
      continue;
    }
    const TokenTrie::Match match = trie.longestAt(text, pos);
    if (match.length == 0) {
      ++pos;
      continue;
    }
    std::size_t begin = pos, end = pos + match.length;
    pos = end;
    const AddedToken& token = m_tokens[static_cast<std::size_t>(match.value)];
    if (token.special && !parseSpecial) continue;
    const bool followsToken = done == begin && !parts.empty() && parts.back().id == token.follows;
    if (token.follows != noToken && !followsToken) continue;
    if (token.singleWord && (wordEndsAt(text, begin) || wordStartsAt(text, end))) continue;
    if (token.stripsLeft) begin = std::max(skipSpaceLeft(text, begin), done);
    if (token.stripsRight) end = skipSpaceRight(text, end);
    if (begin >= end) continue;  // the token before has stripped it all
    if (begin > done) parts.push_back({done, begin, noToken});
    parts.push_back({begin, end, token.id});
    done = end;  // less than before if this token stands in white space that the one before has stripped
  }
  if (done < text.size()) parts.push_back({done, text.size(), noToken});
  return parts;
}

}  // namespace minerva::text
