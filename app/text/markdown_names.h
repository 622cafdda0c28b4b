// Names of models, files and conversations inside Markdown: models and files come from elsewhere, so a name can hold markup.
#pragma once

#include <QRegularExpression>
#include <QString>

namespace minerva::app {

// Markdown that is shown as just this name, on one line. An underscore inside a word ("Q4_K") is no markup and stays.
inline QString markdownEscaped(const QString& name) {
  static const QRegularExpression special(QStringLiteral(R"(([\\`*\[\]|~#$]|(?<![^\W_])_|_(?![^\W_])))"),
                                          QRegularExpression::UseUnicodePropertiesOption);
  return name.simplified()
      .replace(QLatin1Char('&'), QLatin1String("&amp;"))
      .replace(QLatin1Char('<'), QLatin1String("&lt;"))
      .replace(QLatin1Char('>'), QLatin1String("&gt;"))
      .replace(special, QStringLiteral("\\\\1"));
}

inline QString markdownUnescaped(QString text) {
  static const QRegularExpression escaped(QStringLiteral(R"(\\([\\`*\[\]|~#$_]))"));
  return text.replace(escaped, QStringLiteral("\\1"))
      .replace(QLatin1String("&lt;"), QLatin1String("<"))
      .replace(QLatin1String("&gt;"), QLatin1String(">"))
      .replace(QLatin1String("&amp;"), QLatin1String("&"));
}

}  // namespace minerva::app
