// How a text is cut into words before the model sees it: tokenizer.json's pre-tokenizers, and lists of split patterns.
//
// A chain of steps over ranges of one text; a row in the table of pre_tokenizer.cpp each. Immutable, thread-safe.
#pragma once

#include "core/text/pattern/pattern.h"
#include "core/text/pre_tokenizer/scanners.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace minerva::text {

// A text being cut. A step that rewrites the text owns the new one through `storage`.
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
  std::vector<MatchRange> pieces;  // never empty ones
  bool firstIsStart;               // pieces[0] begins where the user's whole text begins
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
  // Each pattern in turn, matches and gaps both pieces. Errors: those of Regex::compile.
  [[nodiscard]] static Result<PreTokenizer> fromPatterns(std::span<const std::string_view> patterns);
  // Errors: corrupt, unsupported (type named), limit.
  [[nodiscard]] static Result<PreTokenizer> fromJson(const nlohmann::json& json);

  void apply(Splitting& splitting) const {
    for (const auto& step : m_steps) step->apply(splitting);
  }
  // The whole pre-tokenizer, where it is one scanner over unchanged text; else null.
  [[nodiscard]] Scanner onlyScanner() const { return m_onlyScanner; }
  [[nodiscard]] bool empty() const { return m_steps.empty(); }
  // Pieces are raw bytes that the model must read in GPT-2's byte alphabet (a final ByteLevel step is left to the model).
  [[nodiscard]] bool leavesBytesToModel() const { return m_leavesBytes; }

  void add(std::unique_ptr<const SplitStep> step) {
    m_steps.push_back(std::move(step));
    m_onlyScanner = nullptr;
  }
  void addScanner(Scanner scanner);
  void setLeavesBytes() { m_leavesBytes = true; }
  // For models that cannot read raw bytes: the alphabet is written by a step of its own.
  void writeBytes();

 private:
  std::vector<std::unique_ptr<const SplitStep>> m_steps;
  Scanner m_onlyScanner = nullptr;
  bool m_leavesBytes = false;
};

}  // namespace minerva::text
