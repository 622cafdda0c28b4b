// The list on the left: conversations, newest first, with a section for each day or week. GUI thread only.
#pragma once

#include "app/chat/chat_types.h"

#include <QAbstractListModel>
#include <QHash>
#include <qqmlregistration.h>

#include <vector>

namespace minerva::app {

class ConversationListModel : public QAbstractListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with ChatController")
  Q_PROPERTY(int count READ count NOTIFY countChanged)     // rows shown (after search)
  Q_PROPERTY(QString search READ search WRITE setSearch NOTIFY searchChanged)  // filters by title, case-insensitive, and by what setFound() says
 public:
  enum Role {
    ConversationIdRole = Qt::UserRole + 1,  // conversationId
    TitleRole,      // title: "New chat" until it has one
    SubtitleRole,   // subtitle: "TinyLlama · 12:04", "Qwen3 4B · Mon", "Mistral 7B · 3 May"
    SectionRole,    // section: "Today", "Yesterday", "Last week", "Earlier" (for ListView.section)
    CurrentRole,    // current: the conversation on the page
    BusyRole,       // busy: a reply is being written in it
    ExcerptRole,    // excerpt: what the search found in its messages, as HTML; empty: nothing
  };
  using QAbstractListModel::QAbstractListModel;
  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;
  [[nodiscard]] int count() const { return static_cast<int>(m_shown.size()); }
  [[nodiscard]] QString search() const { return m_search; }
  void setSearch(const QString& search);
  Q_INVOKABLE qint64 idAt(int row) const;          // 0: no such row
  Q_INVOKABLE int rowOf(qint64 conversationId) const;

  // For ChatController.
  void reset(std::vector<Conversation> all);
  void put(const Conversation& conversation);      // inserts or updates and moves to its place
  void take(qint64 id);
  void setCurrent(qint64 id);
  void setBusy(qint64 id);                         // 0: none
  [[nodiscard]] const Conversation* find(qint64 id) const;
  void setFound(const QHash<qint64, QString>& excerpts);  // by conversation
  void setNow(const QDateTime& now);               // tests; otherwise the system's clock
  void refreshDates();                             // after midnight

 Q_SIGNALS:
  void countChanged();
  void searchChanged();

 private:
  [[nodiscard]] QDateTime now() const { return m_now.isValid() ? m_now : QDateTime::currentDateTime(); }
  [[nodiscard]] bool matches(const Conversation& conversation) const;
  void touch(qint64 id, int role);
  void takeShown(qint64 id);
  void refreshShown();
  std::vector<Conversation> m_all;    // newest first
  std::vector<Conversation> m_shown;  // those that match the search, same order
  QString m_search;
  QHash<qint64, QString> m_found;
  QDateTime m_now;
  qint64 m_current = 0, m_busy = 0;
};

}  // namespace minerva::app
