#include "app/metrics/figures.h"

#include "app/text/clock.h"

#include <QLocale>

#include <cmath>

namespace minerva::app {
namespace {

bool known(double value) { return std::isfinite(value) && value >= 0; }

// Thousands separator and decimal point of the window's language: "2,140", "38.6". English if QLocale is C.
QString number(double value, int decimals) {
  const QLocale language;
  return (language.language() == QLocale::C ? QLocale(QLocale::English) : language).toString(value, 'f', decimals);
}

QString significant(double value) { return number(value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0); }

}  // namespace

QString Figures::speed(double tokensPerSecond) {
  if (!known(tokensPerSecond)) return {};
  if (tokensPerSecond < 999.5) return significant(tokensPerSecond);
  const double step = std::pow(10, std::floor(std::log10(tokensPerSecond)) - 2);
  return number(std::round(tokensPerSecond / step) * step, 0);
}

QString Figures::milliseconds(double ms) { return known(ms) ? number(ms, ms < 9.95 ? 1 : 0) : QString(); }

QString Figures::duration(double ms) {
  if (!known(ms)) return {};
  if (ms < 999.5) return milliseconds(ms) + QStringLiteral(" ms");
  if (ms < 59995) return significant(ms / 1000) + QStringLiteral(" s");
  const auto seconds = static_cast<qint64>(std::llround(ms / 1000));
  return tr("%1 min %2 s").arg(seconds / 60).arg(seconds % 60, 2, 10, QLatin1Char('0'));
}

QString Figures::bytes(double bytes) {
  if (!known(bytes)) return {};
  if (bytes >= 0.1e9) return gigabytes(bytes) + QStringLiteral(" GB");
  if (bytes >= 1e6) return megabytes(bytes) + QStringLiteral(" MB");
  return bytes >= 1e3 || bytes == 0 ? number(bytes / 1e3, 0) + QStringLiteral(" kB") : number(bytes, 0) + QStringLiteral(" B");
}

QString Figures::gigabytes(double bytes) { return known(bytes) ? number(bytes / 1e9, 2) : QString(); }
QString Figures::megabytes(double bytes) { return known(bytes) ? number(bytes / 1e6, 0) : QString(); }
QString Figures::decimal(double value, int decimals) { return std::isfinite(value) ? number(value, decimals) : QString(); }
QString Figures::integer(double count) { return known(count) ? number(count, 0) : QString(); }

QString Figures::parameters(double count) {
  if (!known(count) || count == 0) return {};
  if (count >= 9.95e9) return number(count / 1e9, 0) + QStringLiteral(" B");
  if (count >= 0.995e9) return number(count / 1e9, 1) + QStringLiteral(" B");
  if (count >= 1e6) return number(count / 1e6, 0) + QStringLiteral(" M");
  return number(count / 1e3, 0) + QStringLiteral(" k");
}

QString Figures::percent(double share) { return known(share) ? number(share * 100, 0) + QStringLiteral(" %") : QString(); }

QString Figures::moment(const QDateTime& time) {
  const QDateTime local = time.toLocalTime();
  const QString clock = shortTime(local.time());
  if (local.date() == QDate::currentDate()) return tr("Today %1").arg(clock);
  return shortDate(local.date()) + QLatin1Char(' ') + clock;
}

}  // namespace minerva::app
