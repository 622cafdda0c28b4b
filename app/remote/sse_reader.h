// Splits a text/event-stream (https://html.spec.whatwg.org/multipage/server-sent-events.html) into events, as its bytes arrive.
#pragma once

#include "core/base/error.h"

#include <QByteArray>
#include <QList>

namespace minerva::app {

struct SseEvent {
  QByteArray name;  // of its "event" field; "error" also if the data is in an "error" field, as llama-server writes it; empty: "message"
  QByteArray data;
};

class SseReader {
 public:
  static constexpr qsizetype longestEvent = 1 << 20;  // a server's pieces of text have a few hundred bytes

  // The events that these bytes complete. The result depends only on the bytes, not on how they are cut. Lines may end with LF, CRLF
  // or CR. Errors: limit, if an event or a line is longer than longestEvent; the reader must not be used any more then.
  [[nodiscard]] Result<QList<SseEvent>> take(const QByteArray& bytes);
  // The last event of a stream that ended without the empty line after it; empty data: there is none.
  [[nodiscard]] Result<SseEvent> end();
  [[nodiscard]] bool isDone() const { return m_done; }  // "[DONE]" was read; what follows is ignored

 private:
  [[nodiscard]] Result<void> takeLine(QList<SseEvent>& events);
  void finishEvent(QList<SseEvent>& events);
  QByteArray m_line;
  SseEvent m_event;
  bool m_begun = false;    // the first line has been read: a byte order mark may be before it
  bool m_hasData = false;  // the event has a data field, which may be empty
  bool m_afterCr = false;  // a LF that comes next belongs to the line before
  bool m_done = false;
};

}  // namespace minerva::app
