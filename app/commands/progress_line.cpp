#include "app/commands/progress_line.h"

#include "app/commands/command.h"
#include "app/hub/progress_text.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace minerva::app {
namespace {

constexpr int longestSilenceMs = 10'000;
constexpr int barWidth = 24;

int terminalWidth() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

QString drawnBar(double share) {
  const int full = static_cast<int>(share * barWidth);
  return QLatin1Char('[') + QString(full, QLatin1Char('=')) + QString(barWidth - full, QLatin1Char(' ')) + QLatin1Char(']');
}

}  // namespace

ProgressLine::ProgressLine(QString name) : m_name(std::move(name)), m_terminal(::isatty(STDERR_FILENO) == 1) { m_sinceLine.start(); }

void ProgressLine::show(const DownloadStatus& status) {
  const double share = status.bytesTotal > 0 ? static_cast<double>(status.bytesDone) / static_cast<double>(status.bytesTotal) : 1;
  const QString text = shown(progressText(status));
  if (m_terminal) {
    const QString line =
        QStringLiteral("%1 %2 %3 %  %4").arg(shown(m_name), drawnBar(share)).arg(static_cast<int>(share * 100), 3).arg(text);
    std::fprintf(stderr, "\r\033[K%s", qPrintable(line.left(terminalWidth() - 1)));
    std::fflush(stderr);
    m_open = true;
    return;
  }
  const int tenth = static_cast<int>(share * 10);
  if (status.state != DownloadStatus::Done && tenth == m_lastTenth && status.note == m_lastNote && status.waits == m_lastWaits &&
      m_sinceLine.elapsed() < longestSilenceMs)
    return;
  m_lastTenth = tenth;
  m_lastNote = status.note;
  m_lastWaits = status.waits;
  m_sinceLine.restart();
  std::fprintf(stderr, "%3d %%  %s\n", static_cast<int>(share * 100), qPrintable(text));
}

void ProgressLine::end() {
  if (m_open) std::fprintf(stderr, "\n");
  m_open = false;
}

}  // namespace minerva::app
