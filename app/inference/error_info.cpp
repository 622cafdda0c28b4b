#include "app/inference/error_info.h"

#include "app/text/text.h"

#include <QCoreApplication>
#include <QStringList>

namespace minerva::app {
namespace {

QString figures(const minerva::Error& error) {
  QString line = capitalized(text(error.what));
  if (!error.expected.empty() && !error.actual.empty())
    line += QCoreApplication::translate("ErrorInfo", ": expected %1, found %2").arg(text(error.expected), text(error.actual));
  else if (!error.expected.empty()) line += QCoreApplication::translate("ErrorInfo", ": expected %1").arg(text(error.expected));
  else if (!error.actual.empty()) line += QStringLiteral(": ") + text(error.actual);
  return line;
}

}  // namespace

ErrorInfo ErrorInfo::from(const minerva::Error& error, const QString& headline) {
  ErrorInfo info;
  info.headline = headline;
  info.kind = QString::fromLatin1(minerva::name(error.kind));
  info.detail = figures(error);
  info.hint = capitalized(text(error.hint));
  QStringList lines{headline, info.detail};
  if (!error.where.empty()) lines << QCoreApplication::translate("ErrorInfo", "Where: %1").arg(text(error.where));
  if (!info.hint.isEmpty()) lines << info.hint;
  lines << QCoreApplication::translate("ErrorInfo", "Kind: %1").arg(info.kind);
  info.details = lines.join(QLatin1Char('\n'));
  return info;
}

}  // namespace minerva::app
