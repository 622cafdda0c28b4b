// Conversations and messages with the minimum that a store test needs.
#pragma once

#include "app/chat/chat_types.h"

namespace minerva::app {

inline Conversation conversation(qint64 id) {
  Conversation c;
  c.id = id;
  c.title = QStringLiteral("c%1").arg(id);
  c.created = c.updated = QDateTime::fromMSecsSinceEpoch(1000000 + id);
  return c;
}

inline Message message(qint64 id, qint64 of, qint64 parent, const QString& text) {
  Message m;
  m.id = id;
  m.conversation = of;
  m.parent = parent;
  m.text = text;
  m.created = QDateTime::fromMSecsSinceEpoch(1000000 + id);
  return m;
}

}  // namespace minerva::app
