// The sidebar's list: pinned conversations, folders with their conversations, then the others, newest first, in sections
// by date. During a search: the matches, without folders. GUI thread only.
#pragma once

#include "app/chat/chat_types.h"

#include <QAbstractListModel>
#include <QHash>
#include <QSet>
#include <QVariantList>
#include <qqmlregistration.h>

#include <vector>

namespace minerva::app {

class ConversationListModel : public QAbstractListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with ChatController")
  Q_PROPERTY(int count READ count NOTIFY countChanged)  // visible rows (after search)
  // Filters by title, case-insensitive, and by the results of setFound().
  Q_PROPERTY(QString search READ search WRITE setSearch NOTIFY searchChanged)
  Q_PROPERTY(QVariantList folders READ folders NOTIFY foldersChanged)  // [{folderId, name}], by name
 public:
  enum Role {
    ConversationIdRole = Qt::UserRole + 1,  // conversationId; 0: the row is a folder
    TitleRole,                              // title: "New chat" while it has none; a folder's name
    SubtitleRole,                           // subtitle: "TinyLlama · 12:04", "Qwen3 4B · Mon", "Mistral 7B · 3 May"
    SectionRole,                            // section: "Pinned", "Folders", "Today", "Yesterday", "Last week", "Earlier",
                                            // "Similar in meaning" (for ListView.section)
    CurrentRole,                            // current: the conversation shown on the page
    BusyRole,                               // busy: a reply is being generated in it
    ExcerptRole,                            // excerpt: match found in its messages, as HTML; empty: none
    PinnedRole,                             // pinned
    FolderIdRole,                           // folderId: a folder's own id, a conversation's folder (0: none)
    CollapsedRole,                          // collapsed: a folder whose conversations are hidden
    MembersRole,                            // members: number of conversations in a folder, including pinned ones
    NestedRole,                             // nested: shown below its folder's row
  };
  using QAbstractListModel::QAbstractListModel;
  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;
  [[nodiscard]] int count() const { return static_cast<int>(m_shown.size()); }
  [[nodiscard]] QString search() const { return m_search; }
  void setSearch(const QString& search);
  [[nodiscard]] QVariantList folders() const;
  Q_INVOKABLE qint64 idAt(int row) const;  // 0: no such row, or a folder
  Q_INVOKABLE int rowOf(qint64 id) const;  // of a conversation or folder, which share one id space; -1: not shown

  // For ChatController.
  void reset(std::vector<Conversation> all, std::vector<Folder> folders = {});
  void put(const Conversation& conversation);       // inserts or updates, and moves it to its position
  void add(const std::vector<Conversation>& more);  // new ones
  void take(qint64 id);
  void putFolder(const Folder& folder);
  void takeFolder(qint64 id);  // its conversations are kept, without a folder
  void setCurrent(qint64 id);
  void setBusy(const QSet<qint64>& ids);
  [[nodiscard]] const Conversation* find(qint64 id) const;
  [[nodiscard]] const Folder* findFolder(qint64 id) const;
  [[nodiscard]] const std::vector<Conversation>& all() const { return m_all; }  // regardless of the search
  void setFound(const QHash<qint64, QString>& excerpts);                        // excerpts by conversation id
  // Found only by their meaning, best first; shown below the others, in a section of their own.
  void setSimilar(const QList<qint64>& conversations, const QHash<qint64, QString>& excerpts);
  void setNow(const QDateTime& now);  // for tests; default: the system's clock
  void refreshDates();                // call after midnight

 Q_SIGNALS:
  void countChanged();
  void searchChanged();
  void foldersChanged();

 private:
  [[nodiscard]] QDateTime now() const { return m_now.isValid() ? m_now : QDateTime::currentDateTime(); }
  [[nodiscard]] bool isSearching() const { return !m_search.trimmed().isEmpty(); }
  [[nodiscard]] bool matches(const Conversation& conversation) const;
  [[nodiscard]] bool hides(const Folder& folder, qint64 id) const;  // the folder is collapsed and the conversation in it
  [[nodiscard]] QVariant folderData(const Folder& folder, int role) const;
  [[nodiscard]] QString sectionOf(const Conversation& conversation) const;
  [[nodiscard]] std::vector<qint64> arranged() const;  // the target order of rows
  // Brings the rows into that order one run after another: rows that stay keep their delegates, with a title that is being edited.
  void arrange();
  void moveTo(int row, const std::vector<qint64>& wanted);
  void refreshShown();  // the same with a model reset: nothing is being edited where the query or everything changes
  void touch(qint64 id, const QList<int>& roles = {});
  void touchAll(const QList<int>& roles);
  std::vector<Conversation> m_all;  // newest first
  std::vector<Folder> m_folders;    // by name
  std::vector<qint64> m_shown;      // ids of the visible rows
  QString m_search;
  QHash<qint64, QString> m_found, m_similarExcerpts;
  QList<qint64> m_similar;
  QDateTime m_now;
  qint64 m_current = 0;
  QSet<qint64> m_busy;
};

}  // namespace minerva::app
