// 'Recently deleted': conversations that can be restored, last deleted first. GUI thread only; filled by ChatController.
#pragma once

#include "app/chat/chat_types.h"

#include <QAbstractListModel>
#include <qqmlregistration.h>

#include <optional>
#include <vector>

namespace minerva::app {

class DeletedConversations : public QAbstractListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Comes with ChatController")
  Q_PROPERTY(int count READ count NOTIFY countChanged)
  Q_PROPERTY(int keptDays READ keptDays CONSTANT)
 public:
  enum Role {
    ConversationIdRole = Qt::UserRole + 1,  // conversationId
    TitleRole,                              // title
    SubtitleRole,                           // subtitle: "Deleted Today 12:04 · 30 days left"
  };
  using QAbstractListModel::QAbstractListModel;
  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;
  [[nodiscard]] int count() const { return static_cast<int>(m_all.size()); }
  [[nodiscard]] static int keptDays();

  // For ChatController.
  void reset(std::vector<DeletedConversation> all);
  void add(const Conversation& conversation);                 // with the current time
  [[nodiscard]] std::optional<Conversation> take(qint64 id);  // removes it from the list; nullopt if it is not in it
  [[nodiscard]] const Conversation* find(qint64 id) const;
  [[nodiscard]] std::vector<qint64> ids() const;

 Q_SIGNALS:
  void countChanged();

 private:
  std::vector<DeletedConversation> m_all;
};

}  // namespace minerva::app
