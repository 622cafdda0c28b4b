// The list on the left: pinned conversations, folders with what is in them, then the rest, newest first, with a section for
// each day or week. While one searches: what matches, without folders. GUI thread only.
#pragma once

#include "app/chat/chat_types.h"

#include <QAbstractListModel>
#include <QHash>
#include <QVariantList>
#include <qqmlregistration.h>

#include <vector>

namespace minerva::app {

class ConversationListModel : public QAbstractListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with ChatController")
  Q_PROPERTY(int count READ count NOTIFY countChanged)  // rows shown (after search)
  // Filters by title, case-insensitive, and by what setFound() says.
  Q_PROPERTY(QString search READ search WRITE setSearch NOTIFY searchChanged)
  Q_PROPERTY(QVariantList folders READ folders NOTIFY foldersChanged)  // [{folderId, name}], by name
 public:
  enum Role {
    ConversationIdRole = Qt::UserRole + 1,  // conversationId; 0: the row is a folder
    TitleRole,                              // title: "New chat" until it has one; a folder's name
    SubtitleRole,                           // subtitle: "TinyLlama · 12:04", "Qwen3 4B · Mon", "Mistral 7B · 3 May"
    SectionRole,    // section: "Pinned", "Folders", "Today", "Yesterday", "Last week", "Earlier" (for ListView.section)
    CurrentRole,    // current: the conversation on the page
    BusyRole,       // busy: a reply is being written in it
    ExcerptRole,    // excerpt: what the search found in its messages, as HTML; empty: nothing
    PinnedRole,     // pinned
    FolderIdRole,   // folderId: a folder's own id, a conversation's folder (0: none)
    CollapsedRole,  // collapsed: a folder that does not show its conversations
    MembersRole,    // members: how many conversations a folder holds, pinned ones too
    NestedRole,     // nested: stands below its folder's row
  };
  using QAbstractListModel::QAbstractListModel;
  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;
  [[nodiscard]] int count() const { return static_cast<int>(m_shown.size()); }
  [[nodiscard]] QString search() const { return m_search; }
  void setSearch(const QString& search);
  [[nodiscard]] QVariantList folders() const;
  Q_INVOKABLE qint64 idAt(int row) const;  // 0: no such row, or a folder's
  Q_INVOKABLE int rowOf(qint64 id) const;  // of a conversation or a folder: they share their ids

  // For ChatController.
  void reset(std::vector<Conversation> all, std::vector<Folder> folders = {});
  void put(const Conversation& conversation);       // inserts or updates and moves to its place
  void add(const std::vector<Conversation>& more);  // new ones, all at once
  void take(qint64 id);
  void putFolder(const Folder& folder);
  void takeFolder(qint64 id);  // its conversations are in none from now on
  void setCurrent(qint64 id);
  void setBusy(qint64 id);  // 0: none
  [[nodiscard]] const Conversation* find(qint64 id) const;
  [[nodiscard]] const Folder* findFolder(qint64 id) const;
  [[nodiscard]] const std::vector<Conversation>& all() const { return m_all; }  // whatever the search says
  void setFound(const QHash<qint64, QString>& excerpts);                        // by conversation
  void setNow(const QDateTime& now);                                            // tests; otherwise the system's clock
  void refreshDates();                                                          // after midnight

 Q_SIGNALS:
  void countChanged();
  void searchChanged();
  void foldersChanged();

 private:
  [[nodiscard]] QDateTime now() const { return m_now.isValid() ? m_now : QDateTime::currentDateTime(); }
  [[nodiscard]] bool isSearching() const { return !m_search.trimmed().isEmpty(); }
  [[nodiscard]] bool matches(const Conversation& conversation) const;
  [[nodiscard]] QVariant folderData(const Folder& folder, int role) const;
  [[nodiscard]] QString sectionOf(const Conversation& conversation) const;
  [[nodiscard]] std::vector<qint64> arranged() const;  // the rows as they should be
  void arrange();                                      // makes the rows so, a step at a time
  void refreshShown();                                 // all at once
  void touch(qint64 id, const QList<int>& roles = {});
  std::vector<Conversation> m_all;  // newest first
  std::vector<Folder> m_folders;    // by name
  std::vector<qint64> m_shown;      // ids of the rows
  QString m_search;
  QHash<qint64, QString> m_found;
  QDateTime m_now;
  qint64 m_current = 0, m_busy = 0;
};

}  // namespace minerva::app
