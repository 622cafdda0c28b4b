// The syntax rules of a language for the highlighter. Defined in languages.cpp.
#pragma once

#include <QSet>
#include <QString>
#include <QStringView>

namespace minerva::app {

struct Language {
  QStringList names;  // names after a code fence, lower case
  QSet<QString> keywords, types;
  QStringList lineComments;       // "//", "#"
  QString blockOpen, blockClose;  // "/*", "*/"; empty: none
  QString quotes;                 // delimiters of strings on one line
  QString longQuote;              // delimiter of multi-line strings: "\"\"\"", "`"; empty: none
  bool capitalTypes = false;      // identifiers that start with a capital are types
};

[[nodiscard]] const Language* languageNamed(const QString& name);  // null: unknown

}  // namespace minerva::app
