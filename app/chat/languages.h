// What the code highlighter knows of a language: one row each in languages.cpp.
#pragma once

#include <QSet>
#include <QString>
#include <QStringView>

namespace minerva::app {

struct Language {
  QStringList names;  // what may stand after the fence, lower case
  QSet<QString> keywords, types;
  QStringList lineComments;       // "//", "#"
  QString blockOpen, blockClose;  // "/*", "*/"; empty: none
  QString quotes;                 // characters that open and close a string on one line
  QString longQuote;              // a string over several lines: "\"\"\"", "`"; empty: none
  bool capitalTypes = false;      // a word that begins with a capital is a type
};

[[nodiscard]] const Language* languageNamed(const QString& name);  // null: not known

}  // namespace minerva::app
