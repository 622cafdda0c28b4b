#include "app/remote/sse_reader.h"

#include <algorithm>
#include <utility>

namespace minerva::app {
namespace {

std::unexpected<Error> eventTooLong() {
  return fail({.kind = ErrorKind::limit,
               .what = "The server sent an event that is too long",
               .where = {},
               .expected = "at most " + std::to_string(SseReader::longestEvent) + " bytes",
               .actual = "more",
               .hint = "This is not how chat servers stream their replies: check the address"});
}

}  // namespace

Result<QList<SseEvent>> SseReader::take(const QByteArray& bytes) {
  QList<SseEvent> events;
  const char* at = bytes.constData();
  const char* const last = at + bytes.size();
  while (at != last && !m_done) {
    if (std::exchange(m_afterCr, false) && *at == '\n') {
      ++at;
      continue;
    }
    const char* const stop = std::find_if(at, last, [](char c) { return c == '\n' || c == '\r'; });
    if (m_line.size() + m_event.data.size() + (stop - at) > longestEvent) return eventTooLong();
    m_line.append(at, stop - at);
    if (stop == last) break;
    m_afterCr = *stop == '\r';
    MINERVA_TRY(takeLine(events));
    at = stop + 1;
  }
  return events;
}

Result<SseEvent> SseReader::end() {
  QList<SseEvent> events;
  if (!m_line.isEmpty() && !m_done) MINERVA_TRY(takeLine(events));
  finishEvent(events);
  return events.isEmpty() ? SseEvent() : events.back();
}

Result<void> SseReader::takeLine(QList<SseEvent>& events) {
  QByteArray line = std::exchange(m_line, {});
  if (!std::exchange(m_begun, true) && line.startsWith("\xEF\xBB\xBF")) line.remove(0, 3);
  if (line.isEmpty()) {
    finishEvent(events);
    return {};
  }
  const qsizetype colon = line.indexOf(':');
  if (colon == 0) return {};  // a comment, which servers send to keep the connection open
  const QByteArray field = colon < 0 ? line : line.left(colon);
  QByteArray value = colon < 0 ? QByteArray() : line.mid(colon + 1);
  if (value.startsWith(' ')) value.remove(0, 1);
  if (field == "event") m_event.name = value;
  if (field == "error") m_event.name = "error";
  if (field != "data" && field != "error") return {};
  if (std::exchange(m_hasData, true)) m_event.data += '\n';
  m_event.data += value;
  return {};
}

void SseReader::finishEvent(QList<SseEvent>& events) {
  SseEvent event = std::exchange(m_event, {});
  if (!std::exchange(m_hasData, false)) return;
  if (event.data.trimmed() == "[DONE]") m_done = true;
  else events.push_back(std::move(event));
}

}  // namespace minerva::app
