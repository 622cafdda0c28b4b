// Formulas in rich text, as images on the text's baseline. GUI thread only.
#pragma once

#include <QColor>
#include <QString>

class QTextDocument;

namespace minerva::app {

// Whether the text has formulas, as mathHtml() writes them.
[[nodiscard]] bool hasFormulas(const QString& html);
// Sets the document to before + html + after. Formulas wider than the document are scaled down. Those that cannot be
// drawn, or are not drawn yet, are shown as source. Returns false in the latter case; MathCache::ready() will follow.
bool showFormulas(QTextDocument& document, const QString& before, const QString& html, const QString& after, const QColor& color,
                  double ratio);
// The document's text between two positions; formulas as their source.
[[nodiscard]] QString textWithFormulas(const QTextDocument& document, int from, int to);

}  // namespace minerva::app
