// Formulas in Markdown: $..$, $$..$$, \(..\) and \[..\]; not in code, and prices are none. Pure functions.
#pragma once

#include <QString>

#include <vector>

namespace minerva::app {

struct MathSpan {
  QString source;  // as it was written, with what stands around it
  QString tex;
  bool display = false;  // $$..$$, \[..\]
};

constexpr qsizetype longestFormula = 6000;  // characters

// A formula's place in the text while Markdown is parsed: its number between two characters that mean nothing to Markdown.
constexpr QChar mathOpens(0xF8F0), mathCloses(0xF8F1);

// The text with places instead of formulas.
[[nodiscard]] QString hideMath(const QString& markdown, std::vector<MathSpan>& spans);

// A formula without what stands around it.
[[nodiscard]] MathSpan texOf(const QString& source);

// HTML that shows a formula's source, and can be told from other code to be replaced by its picture: the tex in it, escaped.
[[nodiscard]] QString mathHtml(const MathSpan& span);

}  // namespace minerva::app
