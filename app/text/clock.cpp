#include "app/text/clock.h"

namespace minerva::app {

QLocale regionalLocale() {
  const QLocale system = QLocale::system();
  return system.language() == QLocale::C ? QLocale() : system;
}

// The C locale's own formats are those of log files.
QString shortTime(QTime time, const QLocale& region) {
  return region.language() == QLocale::C ? time.toString(QStringLiteral("HH:mm")) : region.toString(time, QLocale::ShortFormat);
}

QString shortDate(QDate date, const QLocale& region) {
  return region.language() == QLocale::C ? date.toString(QStringLiteral("d MMM yyyy")) : region.toString(date, QLocale::ShortFormat);
}

}  // namespace minerva::app
