#include "app/text/reply_text.h"

#include "app/text/fence.h"

#include <QRegularExpression>
#include <QStringList>

#include <algorithm>

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

// Without its backslashes, this line would end the thoughts in the plain form of a reply.
bool looksLikeClosingLine(QStringView line) {
  line = line.trimmed();
  if (!line.startsWith(almostClosed) || !line.endsWith(u'>')) return false;
  line = line.mid(almostClosed.size()).chopped(1);
  return std::ranges::all_of(line, [](QChar c) { return c == u'\\'; });
}

template <class Change>
QString withLines(const QString& thoughts, const Change& change) {
  QStringList lines = thoughts.split(u'\n');
  for (QString& line : lines)
    if (!looksLikeClosingLine(line)) line = change(line);
  return lines.join(u'\n');
}

// Where the line begins that is the closing tag. -1: nowhere.
qsizetype closingLine(const QString& plain, qsizetype from) {
  while (from < plain.size()) {
    const qsizetype newline = plain.indexOf(u'\n', from), end = newline < 0 ? plain.size() : newline;
    if (QStringView(plain).mid(from, end - from).trimmed() == thoughtsClose) return from;
    from = end + 1;
  }
  return -1;
}

// Where the opening tag is, in the plain form of a reply: of thoughts at its beginning, or after the answer that begins at `from`. A tag
// within code is part of the answer. -1: nowhere.
qsizetype nextPlainThoughts(const QString& plain, qsizetype from) {
  static const QRegularExpression first(QStringLiteral("^\\s*<think>")), later(QStringLiteral("(?<=\\n\\n)<think>(?=\\n|$)"));
  if (from == 0)
    if (const auto match = first.match(plain); match.hasMatch()) return match.capturedEnd() - thoughtsOpen.size();
  FencedCode code(QStringView(plain).mid(from));
  for (auto tags = later.globalMatch(plain, from); tags.hasNext();)
    if (const qsizetype tag = tags.next().capturedStart(); tag >= from + 2 && !code.contains(tag - from)) return tag;
  return -1;
}

// Changes the lines of an answer, but not of code in it, that match `line`, which captures the backslashes of a tag.
QString withTags(const QString& answer, const QRegularExpression& line, QLatin1String end) {
  QString text;
  qsizetype from = 0;
  FencedCode code(answer);
  for (auto tags = line.globalMatch(answer); tags.hasNext();) {
    const QRegularExpressionMatch tag = tags.next();
    if (code.contains(tag.capturedStart())) continue;
    text += answer.mid(from, tag.capturedStart() - from) + QLatin1String("<think") + tag.captured(1) + end;
    from = tag.capturedEnd();
  }
  return text + answer.mid(from);
}

// Lines of an answer that look like the tag of later thoughts get one more backslash.
QString plainAnswer(const QString& answer) {
  static const QRegularExpression line(QStringLiteral(R"((?<=\n\n)<think(\\*)>(?=\n|$))"));
  return withTags(answer, line, QLatin1String("\\>"));
}

QString storedAnswer(const QString& answer) {
  static const QRegularExpression line(QStringLiteral(R"((?<=\n\n)<think(\\*)\\>(?=\n|$))"));
  return withTags(answer, line, QLatin1String(">"));
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

QString withThoughtsBegun(const QString& reply) {
  if (thoughtsAt(reply, true) || nextThoughts(reply, 0) >= 0) return reply;
  FencedCode code(reply);
  qsizetype close = closingLine(reply, 0);
  while (close >= 0 && code.contains(close)) close = closingLine(reply, reply.indexOf(thoughtsClose, close) + thoughtsClose.size() + 1);
  if (close < 0) return reply;
  qsizetype answer = reply.indexOf(u'\n', reply.indexOf(thoughtsClose, close));
  if (answer < 0) answer = reply.size();
  while (answer < reply.size() && reply[answer] == u'\n') ++answer;
  const QString thoughts = reply.left(close).trimmed();
  if (thoughts.isEmpty()) return reply.mid(answer);
  return thoughtsOpen + QLatin1Char('\n') + ThoughtsWriter().written(thoughts) + QLatin1Char('\n') + thoughtsClose + QLatin1String("\n\n") +
         reply.mid(answer);
}

QString plainReply(const QString& stored) {
  QString plain;
  for (qsizetype at = 0; at < stored.size();) {
    const auto thoughts = thoughtsAt(QStringView(stored).mid(at), at == 0);
    if (thoughts && thoughts->open) return plain + stored.mid(at);
    if (!thoughts) {
      const qsizetype next = nextThoughts(stored, at);
      plain += plainAnswer(stored.mid(at, next < 0 ? -1 : next - at));
      at = next < 0 ? stored.size() : next;
      continue;
    }
    const QString block = stored.mid(at, thoughts->end - thoughtsClose.size());
    const qsizetype begin = block.indexOf(u'<'), inside = block.indexOf(u'>') + 1;
    plain += block.left(begin);
    while (!plain.isEmpty() && at > 0 && !plain.endsWith(QLatin1String("\n\n"))) plain += u'\n';
    plain += thoughtsOpen + withLines(block.mid(inside), plainThoughts);
    if (!QStringView(plain).mid(plain.lastIndexOf(u'\n') + 1).trimmed().isEmpty()) plain += u'\n';
    plain += thoughtsClose;
    at += thoughts->end;
    if (const qsizetype newline = stored.indexOf(u'\n', at);
        !QStringView(stored).mid(at, newline < 0 ? -1 : newline - at).trimmed().isEmpty())
      plain += u'\n';
  }
  return plain;
}

QString storedReply(const QString& plain) {
  const auto escaped = [](const QString& line) { return ThoughtsWriter().written(line); };
  QString text;
  for (qsizetype at = 0; at < plain.size();) {
    const qsizetype tag = nextPlainThoughts(plain, at), kept = nextThoughts(plain, at);
    const bool first = text.isEmpty() && plain.left(tag).trimmed().isEmpty();
    const qsizetype inside = tag + thoughtsOpen.size(), close = tag < 0 ? -1 : closingLine(plain, inside);
    if (tag >= 0 && first && close < 0) return plain;  // thoughts that have not ended, or end within a line
    if (kept >= 0 && (close < 0 || kept < tag)) return text + storedAnswer(plain.mid(at, kept - at)) + plain.mid(kept);
    text += storedAnswer(plain.mid(at, close < 0 ? -1 : tag - at));
    if (close < 0) break;
    text += (first ? thoughtsOpen : thoughtsOpenAgain) + withLines(plain.mid(inside, close - inside), escaped);
    const qsizetype end = plain.indexOf(thoughtsClose, close) + thoughtsClose.size();
    text += plain.mid(close, end - close);
    at = end;
  }
  return text;
}

}  // namespace minerva::app
