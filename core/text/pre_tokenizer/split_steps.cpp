#include "core/text/pre_tokenizer/split_steps.h"

#include "core/base/utf8.h"
#include "core/text/characters/byte_alphabet.h"

#include <algorithm>

namespace minerva::text {
namespace {

struct Segment {
  MatchRange range;
  bool match = false;
};

// Returns matches and gaps in order, relative to the piece.
std::vector<Segment> segmentsOf(const std::vector<MatchRange>& matches, std::size_t size, bool invert) {
  std::vector<Segment> segments;
  segments.reserve(matches.size() * 2 + 1);
  std::size_t done = 0;
  for (const MatchRange& match : matches) {
    if (match.begin > done) segments.push_back({{done, match.begin}, invert});
    segments.push_back({match, !invert});
    done = match.end;
  }
  if (done < size) segments.push_back({{done, size}, invert});
  return segments;
}

// Merges each match into the previous segment (`next`: the following one), unless that one is a match too.
void mergeWithNeighbour(std::vector<Segment>& segments, bool next) {
  if (next) std::reverse(segments.begin(), segments.end());
  std::vector<Segment> merged;
  bool previousMatch = false;
  for (const Segment& segment : segments) {
    if (segment.match && !previousMatch && !merged.empty()) {
      MatchRange& range = merged.back().range;
      (next ? range.begin : range.end) = next ? segment.range.begin : segment.range.end;
    } else {
      merged.push_back(segment);
    }
    previousMatch = segment.match;
  }
  if (next) std::reverse(merged.begin(), merged.end());
  segments = std::move(merged);
}

void applyBehaviour(std::vector<Segment>& segments, SplitBehaviour behaviour) {
  switch (behaviour) {
    case SplitBehaviour::isolated: break;
    case SplitBehaviour::removed: std::erase_if(segments, [](const Segment& s) { return s.match; }); break;
    case SplitBehaviour::mergedWithPrevious: mergeWithNeighbour(segments, false); break;
    case SplitBehaviour::mergedWithNext: mergeWithNeighbour(segments, true); break;
    case SplitBehaviour::contiguous: {
      std::vector<Segment> joined;
      for (const Segment& segment : segments) {
        if (!joined.empty() && joined.back().match == segment.match) {
          joined.back().range.end = segment.range.end;
        } else {
          joined.push_back(segment);
        }
      }
      segments = std::move(joined);
    }
  }
}

// Splits every piece by the matches that `find` returns for its text, and applies the behaviour.
template <class Find>
void splitPieces(Splitting& splitting, SplitBehaviour behaviour, bool invert, Find find) {
  std::vector<MatchRange> pieces;
  const std::size_t start = splitting.pieces.empty() ? 0 : splitting.pieces[0].begin;
  for (const MatchRange& piece : splitting.pieces) {
    const std::string_view text = splitting.of(piece);
    std::vector<Segment> segments = segmentsOf(find(text), text.size(), invert);
    applyBehaviour(segments, behaviour);
    for (const Segment& segment : segments)
      if (segment.range.end > segment.range.begin) pieces.push_back({piece.begin + segment.range.begin, piece.begin + segment.range.end});
  }
  splitting.firstIsStart = splitting.firstIsStart && !pieces.empty() && pieces[0].begin == start;
  splitting.pieces = std::move(pieces);
}

// Rewrites every piece: `write(piece, index, out)` appends its new text.
template <class Write>
void rewritePieces(Splitting& splitting, Write write) {
  std::string fresh;
  fresh.reserve(splitting.text.size() + splitting.text.size() / 4);
  std::vector<MatchRange> pieces;
  pieces.reserve(splitting.pieces.size());
  for (std::size_t i = 0; i < splitting.pieces.size(); ++i) {
    const std::size_t begin = fresh.size();
    write(splitting.of(splitting.pieces[i]), i, fresh);
    pieces.push_back({begin, fresh.size()});
  }
  splitting.rewrite(std::move(fresh), std::move(pieces));
}

class PatternSplit final : public SplitStep {
 public:
  PatternSplit(Pattern pattern, SplitBehaviour behaviour, bool invert)
      : m_pattern(std::move(pattern)), m_behaviour(behaviour), m_invert(invert) {}
  void apply(Splitting& splitting) const override {
    splitPieces(splitting, m_behaviour, m_invert, [this](std::string_view text) { return m_pattern.matches(text); });
  }

 private:
  Pattern m_pattern;
  SplitBehaviour m_behaviour;
  bool m_invert;
};

class ScannerSplit final : public SplitStep {
 public:
  explicit ScannerSplit(Scanner scanner) : m_scanner(scanner) {}
  void apply(Splitting& splitting) const override {
    std::vector<MatchRange> pieces;
    pieces.reserve(splitting.pieces.size() * 2);
    for (const MatchRange& piece : splitting.pieces) {
      const std::string_view text = splitting.of(piece);
      for (std::size_t pos = 0; pos < text.size();) {
        const std::size_t end = m_scanner(text, pos);
        pieces.push_back({piece.begin + pos, piece.begin + end});
        pos = end;
      }
    }
    splitting.pieces = std::move(pieces);
  }

 private:
  Scanner m_scanner;
};

class CharacterSplit final : public SplitStep {
 public:
  CharacterSplit(CharacterTest matches, SplitBehaviour behaviour) : m_matches(matches), m_behaviour(behaviour) {}
  void apply(Splitting& splitting) const override {
    splitPieces(splitting, m_behaviour, false, [this](std::string_view text) {
      std::vector<MatchRange> found;
      for (std::size_t pos = 0; pos < text.size();) {
        const utf8::Decoded c = utf8::decode(text, pos);
        if (m_matches(c.codePoint)) found.push_back({pos, pos + c.length});
        pos += c.length;
      }
      return found;
    });
  }

 private:
  CharacterTest m_matches;
  SplitBehaviour m_behaviour;
};

class DelimiterSplit final : public SplitStep {
 public:
  explicit DelimiterSplit(std::string delimiter) : m_delimiter(std::move(delimiter)) {}
  void apply(Splitting& splitting) const override {
    splitPieces(splitting, SplitBehaviour::removed, false, [this](std::string_view text) {
      std::vector<MatchRange> found;
      if (m_delimiter.empty()) return found;
      for (std::size_t at = text.find(m_delimiter); at != std::string_view::npos; at = text.find(m_delimiter, at + m_delimiter.size()))
        found.push_back({at, at + m_delimiter.size()});
      return found;
    });
  }

 private:
  std::string m_delimiter;
};

class WordSplit final : public SplitStep {
 public:
  void apply(Splitting& splitting) const override {
    splitPieces(splitting, SplitBehaviour::removed, true, [](std::string_view text) {
      enum Kind { word, symbols, space };
      std::vector<MatchRange> found;
      Kind before = space;
      for (std::size_t pos = 0; pos < text.size();) {
        const utf8::Decoded c = utf8::decode(text, pos);
        const Kind kind = unicode::isWord(c.codePoint) ? word : unicode::is(c.codePoint, unicode::space) ? space : symbols;
        if (kind != space && kind == before) {
          found.back().end += c.length;
        } else if (kind != space) {
          found.push_back({pos, pos + c.length});
        }
        before = kind;
        pos += c.length;
      }
      return found;
    });
  }
};

class FixedLength final : public SplitStep {
 public:
  explicit FixedLength(std::size_t characters) : m_characters(std::max<std::size_t>(1, characters)) {}
  void apply(Splitting& splitting) const override {
    splitPieces(splitting, SplitBehaviour::isolated, false, [this](std::string_view text) {
      std::vector<MatchRange> found;
      std::size_t count = 0;
      for (std::size_t pos = 0; pos < text.size(); ++count) {
        const std::size_t length = utf8::decode(text, pos).length;
        if (count % m_characters == 0) found.push_back({pos, pos});
        pos += length;
        found.back().end = pos;
      }
      return found;
    });
  }

 private:
  std::size_t m_characters;
};

class Metaspace final : public SplitStep {
 public:
  Metaspace(std::string replacement, PrependScheme scheme, bool split)
      : m_replacement(std::move(replacement)), m_scheme(scheme), m_split(split) {}

  void apply(Splitting& splitting) const override {
    const bool atStart = splitting.firstIsStart;
    rewritePieces(splitting, [&](std::string_view piece, std::size_t index, std::string& out) {
      const bool wanted = m_scheme == PrependScheme::always || (m_scheme == PrependScheme::first && index == 0 && atStart);
      if (wanted && !piece.starts_with(m_replacement) && !piece.starts_with(' ')) out += m_replacement;
      std::size_t done = 0;
      for (std::size_t at = piece.find(' '); at != std::string_view::npos; at = piece.find(' ', done)) {
        out.append(piece.substr(done, at - done)).append(m_replacement);
        done = at + 1;
      }
      out.append(piece.substr(done));
    });
    if (!m_split) return;
    splitPieces(splitting, SplitBehaviour::mergedWithNext, false, [this](std::string_view text) {
      std::vector<MatchRange> found;
      for (std::size_t at = text.find(m_replacement); at != std::string_view::npos;
           at = text.find(m_replacement, at + m_replacement.size()))
        found.push_back({at, at + m_replacement.size()});
      return found;
    });
  }

 private:
  std::string m_replacement;
  PrependScheme m_scheme;
  bool m_split;
};

class PrefixSpace final : public SplitStep {
 public:
  void apply(Splitting& splitting) const override {
    rewritePieces(splitting, [](std::string_view piece, std::size_t, std::string& out) {
      if (!piece.starts_with(' ')) out += ' ';
      out += piece;
    });
  }
};

class ByteAlphabet final : public SplitStep {
 public:
  void apply(Splitting& splitting) const override {
    rewritePieces(splitting, [](std::string_view piece, std::size_t, std::string& out) { appendWritten(out, piece); });
  }
};

}  // namespace

Result<SplitBehaviour> splitBehaviour(const nlohmann::json& owner, const char* fallback, const std::string& name) {
  MINERVA_ASSIGN(const std::string text, stringFieldOr(owner, "behavior", fallback, name));
  if (text == "Removed") return SplitBehaviour::removed;
  if (text == "Isolated") return SplitBehaviour::isolated;
  if (text == "MergedWithPrevious") return SplitBehaviour::mergedWithPrevious;
  if (text == "MergedWithNext") return SplitBehaviour::mergedWithNext;
  if (text == "Contiguous") return SplitBehaviour::contiguous;
  return fail(fieldError(name, "behavior", "Removed, Isolated, MergedWithPrevious, MergedWithNext or Contiguous",
                         owner.contains("behavior") ? &owner["behavior"] : nullptr));
}

std::unique_ptr<const SplitStep> makePatternSplit(Pattern pattern, SplitBehaviour behaviour, bool invert) {
  return std::make_unique<PatternSplit>(std::move(pattern), behaviour, invert);
}
std::unique_ptr<const SplitStep> makeScannerSplit(Scanner scanner) { return std::make_unique<ScannerSplit>(scanner); }
std::unique_ptr<const SplitStep> makeCharacterSplit(CharacterTest matches, SplitBehaviour behaviour) {
  return std::make_unique<CharacterSplit>(matches, behaviour);
}
std::unique_ptr<const SplitStep> makeDelimiterSplit(std::string delimiter) {
  return std::make_unique<DelimiterSplit>(std::move(delimiter));
}
std::unique_ptr<const SplitStep> makeWordSplit() { return std::make_unique<WordSplit>(); }
std::unique_ptr<const SplitStep> makeFixedLength(std::size_t characters) { return std::make_unique<FixedLength>(characters); }
std::unique_ptr<const SplitStep> makeMetaspace(std::string replacement, PrependScheme scheme, bool split) {
  return std::make_unique<Metaspace>(std::move(replacement), scheme, split);
}
std::unique_ptr<const SplitStep> makePrefixSpace() { return std::make_unique<PrefixSpace>(); }
std::unique_ptr<const SplitStep> makeByteAlphabet() { return std::make_unique<ByteAlphabet>(); }

}  // namespace minerva::text
