#include "core/text/word_model/unigram.h"

#include "core/base/utf8.h"

#include <algorithm>
#include <cmath>

namespace minerva::text {

Unigram::Unigram(const Vocabulary& vocabulary, std::span<const double> scores, UnigramOptions options)
    : m_vocabulary(vocabulary), m_scores(scores.begin(), scores.end()), m_options(options) {
  std::vector<std::pair<std::string, std::int32_t>> tokens;
  tokens.reserve(m_scores.size());
  for (TokenId id = 0; static_cast<std::size_t>(id) < m_scores.size(); ++id)
    if (!std::isnan(m_scores[static_cast<std::size_t>(id)])) tokens.emplace_back(vocabulary.text(id), id);
  m_trie = TokenTrie(std::move(tokens));
  if (m_options.singlePrecision) m_singleScores.assign(m_scores.begin(), m_scores.end());
  for (unsigned byte = 0; byte < 256; ++byte) m_bytes[byte] = vocabulary.findByte(static_cast<std::uint8_t>(byte));
}

// Viterbi search for the best path to every position. Wherever all paths meet in one position, the tokens before it are
// final, so memory is bounded by the longest stretch between two such positions.
template <class Score>
class Unigram::Search {
 public:
  Search(const Unigram& model, const Score* scores, std::string_view text, std::vector<TokenId>& out)
      : m_model(model), m_scores(scores), m_unknownScore(static_cast<Score>(model.m_options.unknownScore)), m_text(text), m_out(out) {}

  void run() {
    m_nodes.assign(1, {});
    for (std::size_t pos = 0; pos < m_text.size();) {
      if (pos - m_begin + 1 == m_nodes.size()) settle(pos);
      pos += extendFrom(pos);
    }
    settle(m_text.size());
    flushUnknown(m_text.size());
  }

 private:
  struct Node {
    Score score = 0;
    TokenId id = unreached;  // the token ending here
    std::uint32_t length = 0;
  };
  static constexpr TokenId unreached = -2;
  static constexpr TokenId unknownCharacter = -3;

  // Offers every token starting at pos; returns the length of the character at pos.
  std::size_t extendFrom(std::size_t pos) {
    const std::size_t character = utf8::decode(m_text, pos).length;
    const Score before = m_nodes[pos - m_begin].score;
    bool characterIsToken = false;
    m_model.m_trie.visitAt(m_text, pos, [&](std::size_t length, TokenId id) {
      offer(pos, length, id, m_scores[static_cast<std::size_t>(id)] + before);
      characterIsToken = characterIsToken || length == character;
    });
    if (!characterIsToken) offer(pos, character, unknownCharacter, m_unknownScore + before);
    return character;
  }

  void offer(std::size_t pos, std::size_t length, TokenId id, Score score) {
    const std::size_t at = pos + length - m_begin;
    if (at >= m_nodes.size()) m_nodes.resize(at + 1);
    Node& node = m_nodes[at];
    if (node.id == unreached || score > node.score) node = {score, id, static_cast<std::uint32_t>(length)};
  }

  // Emits the tokens up to `end`, which all paths go through.
  void settle(std::size_t end) {
    m_path.clear();
    for (std::size_t at = end - m_begin; at > 0; at -= m_nodes[at].length) m_path.push_back(static_cast<std::uint32_t>(at));
    for (auto at = m_path.rbegin(); at != m_path.rend(); ++at) take(m_nodes[*at], m_begin + *at);
    const Score score = m_nodes[end - m_begin].score;
    m_nodes.resize(1);
    m_nodes[0] = {score, unreached, 0};
    m_begin = end;
  }

  // Adjacent unknown characters are merged into one unknown text.
  void take(const Node& node, std::size_t end) {
    const std::size_t begin = end - node.length;
    const bool unknown = node.id == unknownCharacter || node.id == m_model.m_options.unknown;
    if (unknown) {
      if (!m_inUnknown) m_unknownBegin = begin;
      m_inUnknown = true;
      return;
    }
    flushUnknown(begin);
    m_out.push_back(node.id);
  }

  void flushUnknown(std::size_t end) {
    if (m_inUnknown) m_model.emitUnknown(m_text.substr(m_unknownBegin, end - m_unknownBegin), m_out);
    m_inUnknown = false;
  }

  const Unigram& m_model;
  const Score* m_scores;
  Score m_unknownScore;
  std::string_view m_text;
  std::vector<TokenId>& m_out;
  std::vector<Node> m_nodes;  // [0] is the position m_begin
  std::vector<std::uint32_t> m_path;
  std::size_t m_begin = 0;
  bool m_inUnknown = false;
  std::size_t m_unknownBegin = 0;
};

void Unigram::emitUnknown(std::string_view text, std::vector<TokenId>& out) const {
  if (m_options.unknown != noToken && m_vocabulary.find(text) == m_options.unknown) return out.push_back(m_options.unknown);  // by its name
  const auto hasByte = [this](char byte) { return m_bytes[static_cast<unsigned char>(byte)] != noToken; };
  if (m_options.byteFallback && std::all_of(text.begin(), text.end(), hasByte)) {
    for (const char byte : text) out.push_back(m_bytes[static_cast<unsigned char>(byte)]);
  } else if (m_options.unknown != noToken) {
    out.push_back(m_options.unknown);
  }
}

void Unigram::encode(std::string_view word, std::vector<TokenId>& out, WordCache*) const {
  if (m_options.singlePrecision) {
    Search<float>(*this, m_singleScores.data(), word, out).run();
  } else {
    Search<double>(*this, m_scores.data(), word, out).run();
  }
}

}  // namespace minerva::text
