#include "app/chat/conversation_list_model.h"

#include <QLocale>

#include <algorithm>

namespace minerva::app {
namespace {

bool newerFirst(const Conversation& a, const Conversation& b) {
  return a.updated != b.updated ? a.updated > b.updated : a.id > b.id;
}

// Days are calendar days of the reader's time zone.
QString sectionOf(const QDateTime& when, const QDateTime& now) {
  const qint64 days = when.toLocalTime().date().daysTo(now.toLocalTime().date());
  if (days <= 0) return ConversationListModel::tr("Today");
  if (days == 1) return ConversationListModel::tr("Yesterday");
  return days <= 7 ? ConversationListModel::tr("Last week") : ConversationListModel::tr("Earlier");
}

QString timeOf(const QDateTime& when, const QDateTime& now) {
  const QDateTime local = when.toLocalTime();
  const qint64 days = local.date().daysTo(now.toLocalTime().date());
  const QLocale locale;
  if (days <= 1) return local.toString(QStringLiteral("HH:mm"));
  if (days <= 7) return locale.toString(local.date(), QStringLiteral("ddd"));
  return locale.toString(local.date(), local.date().year() == now.date().year() ? QStringLiteral("d MMM") : QStringLiteral("d MMM yyyy"));
}

}  // namespace

int ConversationListModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : count(); }

QVariant ConversationListModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const Conversation& conversation = m_shown[static_cast<std::size_t>(index.row())];
  switch (role) {
    case ConversationIdRole: return conversation.id;
    case Qt::DisplayRole:
    case TitleRole: return conversation.title.isEmpty() ? tr("New chat") : conversation.title;
    case SubtitleRole: {
      const QString time = timeOf(conversation.updated, now());
      return conversation.modelName.isEmpty() ? time : conversation.modelName + QStringLiteral(" · ") + time;
    }
    case SectionRole: return sectionOf(conversation.updated, now());
    case CurrentRole: return conversation.id == m_current;
    case BusyRole: return conversation.id == m_busy;
    case ExcerptRole: return m_found.value(conversation.id);
    default: return {};
  }
}

QHash<int, QByteArray> ConversationListModel::roleNames() const {
  return {{ConversationIdRole, "conversationId"}, {TitleRole, "title"},     {SubtitleRole, "subtitle"},
          {SectionRole, "section"},               {CurrentRole, "current"}, {BusyRole, "busy"},
          {ExcerptRole, "excerpt"}};
}

bool ConversationListModel::matches(const Conversation& conversation) const {
  return m_search.trimmed().isEmpty() || conversation.title.contains(m_search.trimmed(), Qt::CaseInsensitive) || m_found.contains(conversation.id);
}

void ConversationListModel::setSearch(const QString& search) {
  if (search == m_search) return;
  m_search = search;
  refreshShown();
  Q_EMIT searchChanged();
}

// What was found before stays until there is an answer to what is typed now: the list does not flicker.
void ConversationListModel::setFound(const QHash<qint64, QString>& excerpts) {
  if (excerpts.isEmpty() && m_found.isEmpty()) return;
  m_found = excerpts;
  refreshShown();
}

void ConversationListModel::refreshShown() {
  beginResetModel();
  m_shown.clear();
  std::copy_if(m_all.begin(), m_all.end(), std::back_inserter(m_shown), [this](const Conversation& c) { return matches(c); });
  endResetModel();
  Q_EMIT countChanged();
}

qint64 ConversationListModel::idAt(int row) const {
  return row >= 0 && row < count() ? m_shown[static_cast<std::size_t>(row)].id : 0;
}

int ConversationListModel::rowOf(qint64 conversationId) const {
  const auto found = std::find_if(m_shown.begin(), m_shown.end(), [=](const Conversation& c) { return c.id == conversationId; });
  return found == m_shown.end() ? -1 : static_cast<int>(found - m_shown.begin());
}

void ConversationListModel::reset(std::vector<Conversation> all) {
  m_all = std::move(all);
  std::sort(m_all.begin(), m_all.end(), newerFirst);
  refreshShown();
}

void ConversationListModel::put(const Conversation& conversation) {
  std::erase_if(m_all, [&](const Conversation& c) { return c.id == conversation.id; });
  m_all.insert(std::upper_bound(m_all.begin(), m_all.end(), conversation, newerFirst), conversation);
  if (!matches(conversation)) return takeShown(conversation.id);
  const int from = rowOf(conversation.id);
  if (from >= 0) m_shown[static_cast<std::size_t>(from)] = conversation;
  // Its place among the others.
  int to = 0;
  for (const Conversation& other : m_shown)
    if (other.id != conversation.id && newerFirst(other, conversation)) ++to;
  if (from < 0) {
    beginInsertRows({}, to, to);
    m_shown.insert(m_shown.begin() + to, conversation);
    endInsertRows();
    Q_EMIT countChanged();
    return;
  }
  if (from != to) {
    beginMoveRows({}, from, from, {}, to > from ? to + 1 : to);
    m_shown.erase(m_shown.begin() + from);
    m_shown.insert(m_shown.begin() + to, conversation);
    endMoveRows();
  }
  Q_EMIT dataChanged(index(to), index(to));
}

void ConversationListModel::takeShown(qint64 id) {
  const int row = rowOf(id);
  if (row < 0) return;
  beginRemoveRows({}, row, row);
  m_shown.erase(m_shown.begin() + row);
  endRemoveRows();
  Q_EMIT countChanged();
}

void ConversationListModel::take(qint64 id) {
  std::erase_if(m_all, [=](const Conversation& c) { return c.id == id; });
  takeShown(id);
}

void ConversationListModel::touch(qint64 id, int role) {
  if (const int row = rowOf(id); row >= 0) Q_EMIT dataChanged(index(row), index(row), {role});
}

void ConversationListModel::setCurrent(qint64 id) {
  const qint64 before = std::exchange(m_current, id);
  touch(before, CurrentRole);
  touch(id, CurrentRole);
}

void ConversationListModel::setBusy(qint64 id) {
  const qint64 before = std::exchange(m_busy, id);
  touch(before, BusyRole);
  touch(id, BusyRole);
}

const Conversation* ConversationListModel::find(qint64 id) const {
  const auto found = std::find_if(m_all.begin(), m_all.end(), [=](const Conversation& c) { return c.id == id; });
  return found == m_all.end() ? nullptr : &*found;
}

void ConversationListModel::setNow(const QDateTime& now) {
  m_now = now;
  refreshDates();
}

void ConversationListModel::refreshDates() {
  if (count() > 0) Q_EMIT dataChanged(index(0), index(count() - 1), {SubtitleRole, SectionRole});
}

}  // namespace minerva::app
