// How a reply is stored: its thoughts between <think> and </think>, an empty line, the answer. If the model thinks again later, more
// thoughts follow after an empty line, between <think again> and </think>. "</think>" within thoughts is written "</think\>", and what
// looks like that has one more backslash. Thread-safe.
#pragma once

#include <QLatin1String>
#include <QString>

#include <optional>

namespace minerva::app {

const QLatin1String thoughtsOpen("<think>"), thoughtsOpenAgain("<think again>"), thoughtsClose("</think>");

// Writes thoughts that come in pieces.
class ThoughtsWriter {
 public:
  [[nodiscard]] QString written(const QString& piece);

 private:
  qsizetype m_matched = 0;  // how much of "</think" the thoughts end with, followed by any number of backslashes if all
};

// Thoughts at the beginning of `text`, after white space.
struct Thoughts {
  QString text;       // without the line break after the tag and the white space before the closing one
  qsizetype end = 0;  // after the closing tag, or the end of the text
  bool open = false;  // without a closing tag
};
// first: `text` is the beginning of a reply. Later thoughts need a line for their tag; "<think>" there is text like any other.
[[nodiscard]] std::optional<Thoughts> thoughtsAt(QStringView text, bool first);

struct SplitReply {
  QString reasoning, answer;  // the parts of each, joined by empty lines; an answer in one part is exact, including white space
  bool thought = false;       // it has thoughts, even if they are empty
  bool thinking = false;      // it ends within thoughts
};
[[nodiscard]] SplitReply splitReply(const QString& reply);

// A reply whose thoughts only have a line that ends them, because the model's template puts their beginning into the prompt, and the server
// that runs it does not tell them apart: with their beginning. Any other reply as it is.
[[nodiscard]] QString withThoughtsBegun(const QString& reply);

// A reply as people read, edit and export it: all thoughts between <think> and a line </think>, within them what the model wrote. Only
// a line that would otherwise be such a tag has a backslash: "</think\>" in thoughts, "<think\>" after an empty line of an answer, where
// that is not within code.
// Thoughts that have not ended are kept as they are stored.
[[nodiscard]] QString plainReply(const QString& stored);
// The reverse: the text that plainReply() was called with, except for line breaks around closing tags.
[[nodiscard]] QString storedReply(const QString& plain);

}  // namespace minerva::app
