#include "app/chat/conversation_search.h"

#include "app/chat/conversation_list_model.h"
#include "app/chat/meaning_search.h"
#include "app/chat/store_thread.h"

namespace minerva::app {
namespace {

constexpr int typingPauseMs = 120;

}  // namespace

ConversationSearch::ConversationSearch(StoreThread* store, ConversationListModel* list, QObject* parent)
    : QObject(parent), m_store(store), m_list(list) {
  m_typing.setSingleShot(true);
  m_typing.setInterval(typingPauseMs);
  connect(&m_typing, &QTimer::timeout, this, &ConversationSearch::ask);
  connect(list, &ConversationListModel::searchChanged, this, [this] {
    if (m_list->search().trimmed().isEmpty()) {
      m_typing.stop();
      take(m_list->search(), {});
      takeSimilar(m_list->search(), {});
    } else {
      m_typing.start();
    }
  });
  connect(store, &StoreThread::searched, this, &ConversationSearch::take);
}

void ConversationSearch::setMeaning(MeaningSearch* meaning) {
  m_meaning = meaning;
  connect(meaning, &MeaningSearch::found, this, &ConversationSearch::takeSimilar);
}

void ConversationSearch::ask() {
  m_store->search(m_list->search());
  if (m_meaning != nullptr) m_meaning->ask(m_list->search());
}

void ConversationSearch::take(const QString& words, const std::vector<Found>& found) {
  if (words != m_list->search()) return;  // the query has changed since
  m_messages.clear();
  QHash<qint64, QString> excerpts;
  for (const Found& one : found) {
    m_messages.insert(one.conversation, one.message);
    excerpts.insert(one.conversation, one.excerpt);
  }
  m_list->setFound(excerpts);
}

void ConversationSearch::takeSimilar(const QString& words, const std::vector<Found>& found) {
  if (words != m_list->search()) return;
  m_similar.clear();
  QList<qint64> order;
  QHash<qint64, QString> excerpts;
  for (const Found& one : found) {
    m_similar.insert(one.conversation, one.message);
    excerpts.insert(one.conversation, one.excerpt);
    order << one.conversation;
  }
  m_list->setSimilar(order, excerpts);
}

}  // namespace minerva::app
