// Texts of the engine and of the translation as the window's code takes them.
#pragma once

#include <QCoreApplication>
#include <QString>

#include <string>

namespace minerva::app {

inline QString text(const std::string& utf8) { return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size())); }

// For code outside a QObject, which has its own. All texts are in one context (shell/language.cpp).
inline QString tr(const char* text) { return QCoreApplication::translate("Minerva", text); }

}  // namespace minerva::app
