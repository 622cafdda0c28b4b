#pragma once

#include <QString>

namespace minerva::app {

inline QString s(const char* text) { return QString::fromUtf8(text); }

}  // namespace minerva::app
