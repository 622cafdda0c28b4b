#include "app/chat/deleted_conversations.h"

#include "app/chat/chat_store.h"
#include "app/metrics/figures.h"

#include <algorithm>

namespace minerva::app {

int DeletedConversations::keptDays() { return ChatStore::keepDeletedDays; }

int DeletedConversations::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : count(); }

QVariant DeletedConversations::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const DeletedConversation& row = m_all[static_cast<std::size_t>(index.row())];
  switch (role) {
    case ConversationIdRole: return row.conversation.id;
    case Qt::DisplayRole:
    case TitleRole: return row.conversation.title.isEmpty() ? tr("New chat") : row.conversation.title;
    case SubtitleRole: {
      const auto left = QDateTime::currentDateTimeUtc().daysTo(row.deleted.addDays(keptDays()));
      return tr("Deleted %1").arg(Figures::moment(row.deleted)) + QStringLiteral(" · ") +
             tr("%n day(s) left", "", static_cast<int>(std::max<qint64>(0, left)));
    }
    default: return {};
  }
}

QHash<int, QByteArray> DeletedConversations::roleNames() const {
  return {{ConversationIdRole, "conversationId"}, {TitleRole, "title"}, {SubtitleRole, "subtitle"}};
}

void DeletedConversations::reset(std::vector<DeletedConversation> all) {
  beginResetModel();
  m_all = std::move(all);
  endResetModel();
  Q_EMIT countChanged();
}

void DeletedConversations::add(const Conversation& conversation) {
  beginInsertRows({}, 0, 0);
  m_all.insert(m_all.begin(), {conversation, QDateTime::currentDateTimeUtc()});
  endInsertRows();
  Q_EMIT countChanged();
}

std::optional<Conversation> DeletedConversations::take(qint64 id) {
  const auto found = std::find_if(m_all.begin(), m_all.end(), [id](const auto& row) { return row.conversation.id == id; });
  if (found == m_all.end()) return std::nullopt;
  const int row = static_cast<int>(found - m_all.begin());
  beginRemoveRows({}, row, row);
  Conversation taken = std::move(found->conversation);
  m_all.erase(found);
  endRemoveRows();
  Q_EMIT countChanged();
  return taken;
}

const Conversation* DeletedConversations::find(qint64 id) const {
  const auto found = std::find_if(m_all.begin(), m_all.end(), [id](const auto& row) { return row.conversation.id == id; });
  return found == m_all.end() ? nullptr : &found->conversation;
}

std::vector<qint64> DeletedConversations::ids() const {
  std::vector<qint64> all;
  for (const DeletedConversation& row : m_all) all.push_back(row.conversation.id);
  return all;
}

}  // namespace minerva::app
