#include "core/text/word_model/word_piece.h"

#include "core/base/utf8.h"

namespace minerva::text {

void WordPiece::encode(std::string_view word, std::vector<TokenId>& out, WordCache* cache) const {
  const std::uint64_t hash = cache != nullptr ? hashOf(word) : 0;
  if (cache != nullptr && cache->lookUp(word, hash, out)) return;
  const std::size_t before = out.size();
  if (!spell(word, out)) {
    out.resize(before);
    if (m_options.unknown != noToken) out.push_back(m_options.unknown);
  }
  if (cache != nullptr) cache->remember(word, hash, out.data() + before, out.size() - before);
}

bool WordPiece::spell(std::string_view word, std::vector<TokenId>& out) const {
  std::vector<std::size_t> ends;  // end offsets of the word's characters
  for (std::size_t pos = 0; pos < word.size(); ends.push_back(pos)) {
    if (ends.size() == m_options.longestWord) return false;
    pos += utf8::decode(word, pos).length;
  }
  std::string piece;
  for (std::size_t begin = 0; begin < word.size();) {
    TokenId found = noToken;
    std::size_t end = begin;
    for (std::size_t last = ends.size(); last > 0 && ends[last - 1] > begin && found == noToken; --last) {
      end = ends[last - 1];
      piece.assign(begin > 0 ? m_options.continuingPrefix : m_options.firstPrefix).append(word.substr(begin, end - begin));
      found = m_vocabulary.findWord(piece);
    }
    if (found == noToken) return false;
    out.push_back(found);
    begin = end;
  }
  return true;
}

}  // namespace minerva::text
