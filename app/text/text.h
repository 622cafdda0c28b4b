// Conversion of engine texts to QString, and translation outside of QObjects.
#pragma once

#include <QCoreApplication>
#include <QString>

#include <string>

namespace minerva::app {

inline QString text(const std::string& utf8) { return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size())); }

// The engine's sentences begin in lower case, because in a terminal other words precede them.
inline QString capitalized(QString sentence) {
  if (!sentence.isEmpty()) sentence[0] = sentence[0].toUpper();
  return sentence;
}

// Translation for code outside a QObject. All texts share one context (shell/language.cpp).
inline QString tr(const char* text) { return QCoreApplication::translate("Minerva", text); }

}  // namespace minerva::app
