#include "core/text/stream_decoder.h"

#include "core/base/utf8.h"

namespace minerva::text {

std::string StreamDecoder::push(TokenId id) {
  if (m_skipSpecial && m_tokenizer.isControl(id)) return {};
  const std::string piece = m_first ? m_tokenizer.firstPiece(id) : m_tokenizer.piece(id);
  // A token without any text, such as an id outside the vocabulary, does not count as the first.
  m_first = m_first && piece.empty() && (m_tokenizer.dropsSpaceUntilText() || m_tokenizer.piece(id).empty());
  m_pending += piece;
  std::string shown;
  std::size_t pos = 0;
  while (pos < m_pending.size()) {
    const utf8::Extent extent = utf8::extentAt(m_pending, pos);
    if (extent.whole()) {
      shown.append(m_pending, pos, extent.have);
    } else if (extent.need != 0 && pos + extent.have == m_pending.size()) {
      break;  // may still become a character
    } else {
      utf8::append(shown, utf8::replacement);
    }
    pos += extent.have;
  }
  m_pending.erase(0, pos);
  return shown;
}

std::string StreamDecoder::flush() {
  std::string rest = utf8::replaceBroken(m_pending);
  m_pending.clear();
  m_first = true;
  return rest;
}

}  // namespace minerva::text
