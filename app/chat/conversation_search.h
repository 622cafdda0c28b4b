// Debounces the search field above the conversation list, queries the store and the search by meaning, and passes the results to the
// list. GUI thread only.
#pragma once

#include "app/chat/chat_types.h"

#include <QHash>
#include <QObject>
#include <QTimer>

#include <vector>

namespace minerva::app {

class ConversationListModel;
class MeaningSearch;
class StoreThread;

class ConversationSearch : public QObject {
  Q_OBJECT
 public:
  ConversationSearch(StoreThread* store, ConversationListModel* list, QObject* parent = nullptr);
  void setMeaning(MeaningSearch* meaning);  // not owned; without it, only words are searched
  // The message found in this conversation, by words if they were found in it; 0: none, or no search is active.
  [[nodiscard]] qint64 messageIn(qint64 conversation) const { return m_messages.value(conversation, m_similar.value(conversation)); }

 private:
  void ask();
  void take(const QString& words, const std::vector<Found>& found);
  void takeSimilar(const QString& words, const std::vector<Found>& found);
  StoreThread* m_store;
  ConversationListModel* m_list;
  MeaningSearch* m_meaning = nullptr;
  QTimer m_typing;
  QHash<qint64, qint64> m_messages, m_similar;  // by conversation id
};

}  // namespace minerva::app
