#include "app/chat/outbox.h"

#include <algorithm>
#include <utility>

namespace minerva::app {

int Outbox::rowCount(const QModelIndex& parent) const {
  const auto shown = m_queues.constFind(m_shown);
  return parent.isValid() || shown == m_queues.constEnd() ? 0 : static_cast<int>(shown->size());
}

QVariant Outbox::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const Entry& entry = (*m_queues.constFind(m_shown))[static_cast<std::size_t>(index.row())];
  QStringList names;
  switch (role) {
    case Qt::DisplayRole:
    case TextRole: return entry.text;
    case FilesRole:
      for (const Attachment& file : entry.files) names << file.name;
      return names.join(QStringLiteral(", "));
    case SendingRole: return entry.id == m_sending;
    default: return {};
  }
}

QHash<int, QByteArray> Outbox::roleNames() const { return {{TextRole, "text"}, {FilesRole, "files"}, {SendingRole, "sending"}}; }

void Outbox::show(qint64 conversation) {
  if (m_shown == conversation) return;
  beginResetModel();
  m_shown = conversation;
  endResetModel();
  Q_EMIT changed();
}

void Outbox::moveTo(qint64 conversation) {
  if (m_queues.contains(0)) m_queues[conversation] = m_queues.take(0);
  if (m_held.remove(0)) m_held.insert(conversation);
  if (m_removed && m_removed->conversation == 0) m_removed->conversation = conversation;
  if (m_shown == 0) m_shown = conversation;  // the same rows
  Q_EMIT queueChanged(0);
  Q_EMIT queueChanged(conversation);
}

void Outbox::restore(qint64 conversation, const std::vector<Draft>& queued) {
  if (queued.empty()) return;
  if (conversation == m_shown) beginResetModel();
  std::vector<Entry> all;
  for (const Draft& draft : queued) all.push_back({++m_lastId, draft.text, draft.files});
  std::vector<Entry>& queue = m_queues[conversation];
  queue.insert(queue.begin(), all.begin(), all.end());
  m_held.insert(conversation);
  if (conversation == m_shown) endResetModel();
  Q_EMIT changed();
}

void Outbox::push(const QString& text, const QList<Attachment>& files) {
  if (count() == 0) m_held.remove(m_shown);
  beginInsertRows({}, count(), count());
  m_queues[m_shown].push_back({++m_lastId, text, files});
  endInsertRows();
  tellChanged();
}

std::optional<Outbox::Entry> Outbox::take(int row) {
  if (row < 0 || row >= count()) return std::nullopt;
  beginRemoveRows({}, row, row);
  std::vector<Entry>& queue = m_queues[m_shown];
  Entry entry = std::move(queue[static_cast<std::size_t>(row)]);
  queue.erase(queue.begin() + row);
  if (queue.empty()) m_queues.remove(m_shown);
  endRemoveRows();
  tellChanged();
  return entry;
}

void Outbox::remove(int row) {
  std::optional<Entry> entry = take(row);
  if (!entry) return;
  m_removed = Removed{m_shown, row, std::move(*entry)};
  Q_EMIT undoChanged();
}

void Outbox::undoRemove() {
  const std::optional<Removed> back = std::exchange(m_removed, std::nullopt);
  if (!back) return;
  Q_EMIT undoChanged();
  const auto there = m_queues.constFind(back->conversation);
  const int size = there == m_queues.constEnd() ? 0 : static_cast<int>(there->size());
  const int row = std::min(back->row, size);
  const bool shown = back->conversation == m_shown;
  if (shown) beginInsertRows({}, row, row);
  std::vector<Entry>& queue = m_queues[back->conversation];
  queue.insert(queue.begin() + row, back->entry);
  if (shown) endInsertRows();
  Q_EMIT queueChanged(back->conversation);
  Q_EMIT changed();
}

void Outbox::dismissUndo() {
  if (std::exchange(m_removed, std::nullopt)) Q_EMIT undoChanged();
}

void Outbox::hold(qint64 conversation) {
  m_held.insert(conversation);
  Q_EMIT changed();
}

void Outbox::release() {
  if (m_held.remove(m_shown)) Q_EMIT changed();
}

void Outbox::setSending(quint64 entry) {
  if (std::exchange(m_sending, entry) != entry && count() > 0) Q_EMIT dataChanged(index(0), index(count() - 1), {SendingRole});
}

const Outbox::Entry* Outbox::first(qint64 conversation) const {
  const auto queue = m_queues.constFind(conversation);
  return queue == m_queues.constEnd() || queue->empty() ? nullptr : &queue->front();
}

std::optional<Outbox::Entry> Outbox::takeFirst(qint64 conversation) {
  if (conversation == m_shown) return take(0);
  if (first(conversation) == nullptr) return std::nullopt;
  std::vector<Entry>& queue = m_queues[conversation];
  Entry entry = std::move(queue.front());
  queue.erase(queue.begin());
  if (queue.empty()) m_queues.remove(conversation);
  Q_EMIT queueChanged(conversation);
  return entry;
}

std::vector<Draft> Outbox::drafts(qint64 conversation) const {
  std::vector<Draft> all;
  for (const Entry& entry : m_queues.value(conversation))
    all.push_back({.conversation = conversation, .queued = static_cast<int>(all.size()) + 1, .text = entry.text, .files = entry.files});
  return all;
}

void Outbox::tellChanged() {
  Q_EMIT queueChanged(m_shown);
  Q_EMIT changed();
}

}  // namespace minerva::app
