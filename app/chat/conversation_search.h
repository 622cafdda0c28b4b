// Debounces the search field above the conversation list, queries the store and passes the results to the list. GUI
// thread only.
#pragma once

#include "app/chat/chat_types.h"

#include <QHash>
#include <QObject>
#include <QTimer>

#include <vector>

namespace minerva::app {

class ConversationListModel;
class StoreThread;

class ConversationSearch : public QObject {
  Q_OBJECT
 public:
  ConversationSearch(StoreThread* store, ConversationListModel* list, QObject* parent = nullptr);
  // The message found in this conversation; 0: none, or no search is active.
  [[nodiscard]] qint64 messageIn(qint64 conversation) const { return m_messages.value(conversation); }

 private:
  void ask();
  void take(const QString& words, const std::vector<Found>& found);
  StoreThread* m_store;
  ConversationListModel* m_list;
  QTimer m_typing;
  QHash<qint64, qint64> m_messages;  // by conversation id
};

}  // namespace minerva::app
