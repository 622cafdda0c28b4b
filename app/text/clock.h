// Times and dates as the system's region writes them, whatever the window's language.
#pragma once

#include <QDate>
#include <QLocale>
#include <QString>
#include <QTime>

namespace minerva::app {

[[nodiscard]] QLocale regionalLocale();  // the system's; the window's, where the system has none
[[nodiscard]] QString shortTime(QTime time, const QLocale& region = regionalLocale());  // "15:04", "3:04 PM"
[[nodiscard]] QString shortDate(QDate date, const QLocale& region = regionalLocale());  // "31.12.26", "12/31/26"

}  // namespace minerva::app
