// Formulas in lines of rich text, as pictures on the text's baseline. GUI thread only.
#pragma once

#include <QColor>
#include <QString>

class QTextDocument;

namespace minerva::app {

// Whether there are any, as mathHtml() writes them.
[[nodiscard]] bool hasFormulas(const QString& html);
// Fills the document with before + html + after. What is wider than the document is made smaller. What cannot be drawn stays as its source;
// so does what is not drawn yet, and false says that MathCache::ready() will follow.
bool showFormulas(QTextDocument& document, const QString& before, const QString& html, const QString& after, const QColor& color,
                  double ratio);
// The document's text between two places; a formula's picture is its source.
[[nodiscard]] QString textWithFormulas(const QTextDocument& document, int from, int to);

}  // namespace minerva::app
