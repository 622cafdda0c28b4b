// Finds formulas in Markdown: $..$, $$..$$, \(..\) and \[..\], except in code, and except prices. Pure functions.
#pragma once

#include <QString>

#include <vector>

namespace minerva::app {

struct MathSpan {
  QString source;  // as written, with its delimiters
  QString tex;
  bool display = false;  // $$..$$, \[..\]
};

constexpr qsizetype longestFormula = 6000;  // characters

// While Markdown is parsed, formulas are replaced by placeholders: an index between two characters that have no meaning
// in Markdown.
constexpr QChar mathOpens(0xF8F0), mathCloses(0xF8F1);

// Replaces the formulas by placeholders and appends them to `spans`.
[[nodiscard]] QString hideMath(const QString& markdown, std::vector<MathSpan>& spans);

// Strips the formula's delimiters.
[[nodiscard]] MathSpan texOf(const QString& source);

// The formula's source as HTML, marked so that showFormulas() can replace it by a picture: escaped, in a tagged code
// element.
[[nodiscard]] QString mathHtml(const MathSpan& span);

}  // namespace minerva::app
