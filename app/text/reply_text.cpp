#include "app/text/reply_text.h"

#include <QRegularExpression>

namespace minerva::app {
namespace {

const QLatin1String almostClosed("</think");

QString plainThoughts(QString thoughts) {
  static const QRegularExpression escaped(QStringLiteral(R"(</think\\(\\*)>)"));
  return thoughts.replace(escaped, QStringLiteral("</think\\1>"));
}

// Where the empty line before later thoughts begins. -1: nowhere.
qsizetype nextThoughts(const QString& reply, qsizetype from) {
  static const QRegularExpression line(QStringLiteral("\\n\\n<think again>(?=\\n|$)"));
  const QRegularExpressionMatch match = line.match(reply, from);
  return match.hasMatch() ? match.capturedStart() : -1;
}

void appendPart(QString& parts, const QString& more) {
  if (!parts.isEmpty() && !more.isEmpty()) parts += QLatin1String("\n\n");
  parts += more;
}

}  // namespace

QString ThoughtsWriter::written(const QString& piece) {
  QString text;
  for (const QChar c : piece) {
    const bool all = m_matched == almostClosed.size();
    if (all && c == u'>') text += u'\\';
    text += c;
    if (all && c == u'\\') continue;
    if (!all && c == almostClosed[m_matched]) ++m_matched;
    else m_matched = c == almostClosed[0] ? 1 : 0;
  }
  return text;
}

std::optional<Thoughts> thoughtsAt(QStringView text, bool first) {
  qsizetype begin = 0;
  while (begin < text.size() && text[begin].isSpace()) ++begin;
  const bool again = !first || !text.mid(begin).startsWith(thoughtsOpen);
  if (again && !text.mid(begin).startsWith(thoughtsOpenAgain)) return std::nullopt;
  begin += again ? thoughtsOpenAgain.size() : thoughtsOpen.size();
  if (again && begin < text.size() && text[begin] != u'\n') return std::nullopt;
  const qsizetype close = text.indexOf(thoughtsClose, begin);
  qsizetype end = close < 0 ? text.size() : close;
  if (begin < end && text[begin] == u'\n') ++begin;
  while (again && begin < end && text[begin] == u'\n') ++begin;
  while (close >= 0 && end > begin && text[end - 1].isSpace()) --end;
  return Thoughts{.text = plainThoughts(text.mid(begin, end - begin).toString()),
                  .end = close < 0 ? text.size() : close + thoughtsClose.size(),
                  .open = close < 0};
}

SplitReply splitReply(const QString& reply) {
  SplitReply split;
  for (qsizetype at = 0; at < reply.size();) {
    if (const auto thoughts = thoughtsAt(QStringView(reply).mid(at), at == 0)) {
      split.thought = true;
      split.thinking = thoughts->open;
      appendPart(split.reasoning, thoughts->text);
      at += thoughts->end;
      while (at < reply.size() && reply[at] == u'\n') ++at;
    } else {
      const qsizetype next = nextThoughts(reply, at);
      appendPart(split.answer, reply.mid(at, next < 0 ? -1 : next - at));
      at = next < 0 ? reply.size() : next + 2;
    }
  }
  return split;
}

}  // namespace minerva::app
