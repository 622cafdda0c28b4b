#include "app/hub/progress_text.h"

#include "app/metrics/figures.h"
#include "app/text/text.h"

#include <QCoreApplication>

#include <cmath>

namespace minerva::app {
namespace {

// "1.58 of 2.50 GB": prints the unit once.
QString amount(double done, double total) {
  const QString of = Figures::bytes(total);
  if (of.endsWith(QLatin1String(" GB"))) return tr("%1 of %2 GB").arg(Figures::gigabytes(done), Figures::gigabytes(total));
  if (of.endsWith(QLatin1String(" MB"))) return tr("%1 of %2 MB").arg(Figures::megabytes(done), Figures::megabytes(total));
  return tr("%1 of %2").arg(Figures::bytes(done), of);
}

QString rate(double perSecond) {
  if (perSecond >= 1e6) return tr("%1 MB/s").arg(Figures::decimal(perSecond / 1e6, perSecond < 99.95e6 ? 1 : 0));
  return tr("%1 kB/s").arg(Figures::decimal(perSecond / 1e3, 0));
}

QString left(double seconds) {
  const auto whole = static_cast<qint64>(seconds + 0.5);
  if (whole < 60) return tr("%1 s left").arg(whole);
  if (whole < 3600) return tr("%1 min %2 s left").arg(whole / 60).arg(whole % 60, 2, 10, QLatin1Char('0'));
  return tr("%1 h %2 min left").arg(whole / 3600).arg(whole / 60 % 60, 2, 10, QLatin1Char('0'));
}

}  // namespace

QString againText(const QString& reason, double seconds) {
  return seconds > 0 ? tr("%1; next attempt in %2 s").arg(reason).arg(static_cast<int>(std::ceil(seconds)))
                     : tr("%1; trying again").arg(reason);
}

QString progressText(const DownloadStatus& status) {
  const QString there = amount(static_cast<double>(status.bytesDone), static_cast<double>(status.bytesTotal));
  QStringList parts{there};
  switch (status.state) {
    case DownloadStatus::Waiting: parts << tr("waiting for its turn"); break;
    case DownloadStatus::Checking: parts << tr("checking existing files"); break;
    case DownloadStatus::Running:
      if (status.bytesPerSecond > 0) parts << rate(status.bytesPerSecond);
      if (status.secondsLeft >= 0) parts << left(status.secondsLeft);
      parts << (status.note.isEmpty() ? tr("verified while downloading") : status.note);
      break;
    case DownloadStatus::Retrying: parts << againText(status.note, status.secondsToRetry); break;
    case DownloadStatus::Paused: parts << tr("paused"); break;
    case DownloadStatus::Failed: parts << tr("stopped"); break;
    case DownloadStatus::Done:
      parts = {tr("%1, verified").arg(Figures::bytes(static_cast<double>(status.bytesTotal)))};
      if (status.replaced && !status.replaced->place.at.isEmpty()) parts << tr("the earlier version is in the trash");
      else if (status.replaced) parts << tr("the earlier version is kept in %1").arg(status.replaced->place.from);
      break;
  }
  return parts.join(QStringLiteral(" · "));
}

}  // namespace minerva::app
