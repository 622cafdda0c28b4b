#include "app/inference/error_info.h"

#include "app/text/error_words.h"
#include "app/text/text.h"

#include <QCoreApplication>
#include <QStringList>

namespace minerva::app {

ErrorInfo ErrorInfo::from(const minerva::Error& error, const QString& headline) {
  ErrorInfo info;
  info.headline = headline;
  info.kind = QString::fromLatin1(minerva::name(error.kind));
  info.detail = capitalized(shownReason(error));
  info.hint = capitalized(shownSentence(error.hint));
  QStringList lines{headline, info.detail};
  if (!error.where.empty()) lines << QCoreApplication::translate("ErrorInfo", "Where: %1").arg(text(error.where));
  if (!info.hint.isEmpty()) lines << info.hint;
  lines << QCoreApplication::translate("ErrorInfo", "Kind: %1").arg(shownSentence(minerva::name(error.kind)));
  info.details = lines.join(QLatin1Char('\n'));
  return info;
}

}  // namespace minerva::app
