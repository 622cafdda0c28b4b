#include "app/chat/attachment.h"

#include <algorithm>

namespace minerva::app {
namespace {

constexpr qsizetype shortestFence = 3;

qsizetype longestRunOf(QChar wanted, const QString& text) {
  qsizetype longest = 0, run = 0;
  for (const QChar c : text) {
    run = c == wanted ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

}  // namespace

Attachment attachmentOf(const QString& name, const QString& text) { return {name, text, text.toUtf8().size()}; }

QString withAttachments(const QList<Attachment>& files, const QString& text) {
  QString all;
  for (const Attachment& file : files) {
    const QString fence(std::max(shortestFence, longestRunOf(QLatin1Char('`'), file.text) + 1), QLatin1Char('`'));
    all += QLatin1String("Attached file: ") + file.name.simplified() + QLatin1Char('\n') + fence + QLatin1Char('\n') + file.text;
    if (!file.text.endsWith(QLatin1Char('\n'))) all += QLatin1Char('\n');
    all += fence + QLatin1String("\n\n");
  }
  if (text.isEmpty() && !all.isEmpty()) all.chop(2);  // nothing follows
  return all + text;
}

QStringList partsOf(const QString& text, qsizetype length) {
  QStringList parts;
  for (qsizetype begin = 0; begin < text.size();) {
    qsizetype end = std::min(begin + length, text.size()), next = end;
    if (end < text.size()) {
      const qsizetype line = text.lastIndexOf(QLatin1Char('\n'), end);
      if (line > begin) {
        end = line;
        next = line + 1;
      } else if (text[end].isLowSurrogate()) {
        next = --end;
      }
    }
    parts << text.mid(begin, end - begin);
    begin = next;
  }
  return parts;
}

}  // namespace minerva::app
