// Splits a text into words before the model encodes them: the pre-tokenizers of tokenizer.json, and lists of split patterns.
//
// A chain of steps over ranges of one text; each type has a row in the table of pre_tokenizer.cpp. Immutable, thread-safe.
#pragma once

#include "core/text/pattern/pattern.h"
#include "core/text/pre_tokenizer/scanners.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace minerva::text {

// A text being split. A step that rewrites the text stores the new one in `storage`.
struct Splitting {
  explicit Splitting(std::string_view whole, bool atStart) : text(whole), firstIsStart(atStart) {
    if (!whole.empty()) pieces.push_back({0, whole.size()});
  }
  Splitting(const Splitting&) = delete;
  Splitting& operator=(const Splitting&) = delete;
  [[nodiscard]] std::string_view of(const MatchRange& piece) const { return text.substr(piece.begin, piece.end - piece.begin); }
  void rewrite(std::string fresh, std::vector<MatchRange> freshPieces) {
    storage = std::move(fresh);
    text = storage;
    pieces = std::move(freshPieces);
  }

  std::string_view text;
  std::vector<MatchRange> pieces;  // contains no empty ranges
  bool firstIsStart;               // pieces[0] begins at the start of the user's whole text
  std::string storage;
};

class SplitStep {
 public:
  virtual ~SplitStep() = default;
  virtual void apply(Splitting& splitting) const = 0;
};

class PreTokenizer {
 public:
  PreTokenizer() = default;
  // Applies the patterns in order; matches and gaps both become pieces. Errors: those of Regex::compile.
  [[nodiscard]] static Result<PreTokenizer> fromPatterns(std::span<const std::string_view> patterns);
  // Errors: corrupt, unsupported (names the type), limit.
  [[nodiscard]] static Result<PreTokenizer> fromJson(const nlohmann::json& json);

  void apply(Splitting& splitting) const {
    for (const auto& step : m_steps) step->apply(splitting);
  }
  // The scanner, if the pre-tokenizer consists of a single one applied to unchanged text; otherwise null.
  [[nodiscard]] Scanner onlyScanner() const { return m_onlyScanner; }
  [[nodiscard]] bool empty() const { return m_steps.empty(); }
  // True: pieces are raw bytes that the model must read in GPT-2's byte alphabet (a final ByteLevel step is left to the
  // model).
  [[nodiscard]] bool leavesBytesToModel() const { return m_leavesBytes; }

  void add(std::unique_ptr<const SplitStep> step) {
    m_steps.push_back(std::move(step));
    m_onlyScanner = nullptr;
  }
  void addScanner(Scanner scanner);
  void setLeavesBytes() { m_leavesBytes = true; }
  // For models that cannot read raw bytes: adds a step that writes the byte alphabet.
  void writeBytes();

 private:
  std::vector<std::unique_ptr<const SplitStep>> m_steps;
  Scanner m_onlyScanner = nullptr;
  bool m_leavesBytes = false;
};

}  // namespace minerva::text
