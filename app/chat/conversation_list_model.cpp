#include "app/chat/conversation_list_model.h"

#include "app/text/clock.h"

#include <QLocale>
#include <QSet>

#include <algorithm>

namespace minerva::app {
namespace {

bool newerFirst(const Conversation& a, const Conversation& b) { return a.updated != b.updated ? a.updated > b.updated : a.id > b.id; }

bool byName(const Folder& a, const Folder& b) {
  const int order = QString::localeAwareCompare(a.name.toLower(), b.name.toLower());
  return order != 0 ? order < 0 : a.id < b.id;
}

// Calendar days in the local time zone.
QString dayOf(const QDateTime& when, const QDateTime& now) {
  const qint64 days = when.toLocalTime().date().daysTo(now.toLocalTime().date());
  if (days <= 0) return ConversationListModel::tr("Today");
  if (days == 1) return ConversationListModel::tr("Yesterday");
  return days <= 7 ? ConversationListModel::tr("Last week") : ConversationListModel::tr("Earlier");
}

QString timeOf(const QDateTime& when, const QDateTime& now) {
  const QDateTime local = when.toLocalTime();
  const qint64 days = local.date().daysTo(now.toLocalTime().date());
  if (days <= 1) return shortTime(local.time());
  return days <= 7 ? QLocale().toString(local.date(), QStringLiteral("ddd")) : shortDate(local.date());
}

}  // namespace

int ConversationListModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : count(); }

QVariant ConversationListModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const qint64 id = m_shown[static_cast<std::size_t>(index.row())];
  if (const Folder* folder = findFolder(id)) return folderData(*folder, role);
  const Conversation& conversation = *find(id);
  switch (role) {
    case ConversationIdRole: return conversation.id;
    case Qt::DisplayRole:
    case TitleRole: return conversation.title.isEmpty() ? tr("New chat") : conversation.title;
    case SubtitleRole: {
      const QString time = timeOf(conversation.updated, now());
      return conversation.modelName.isEmpty() ? time : conversation.modelName + QStringLiteral(" · ") + time;
    }
    case SectionRole: return sectionOf(conversation);
    case CurrentRole: return conversation.id == m_current;
    case BusyRole: return m_busy.contains(conversation.id);
    case ExcerptRole: return m_found.value(conversation.id, matches(conversation) ? QString() : m_similarExcerpts.value(conversation.id));
    case PinnedRole: return conversation.pinned;
    case FolderIdRole: return conversation.folder;
    case CollapsedRole: return false;
    case MembersRole: return 0;
    case NestedRole: return !isSearching() && !conversation.pinned && conversation.folder != 0;
    default: return {};
  }
}

QVariant ConversationListModel::folderData(const Folder& folder, int role) const {
  switch (role) {
    case ConversationIdRole: return 0;
    case Qt::DisplayRole:
    case TitleRole: return folder.name;
    case SubtitleRole:
    case ExcerptRole: return QString();
    case SectionRole: return tr("Folders");
    case FolderIdRole: return folder.id;
    case CollapsedRole: return folder.collapsed;
    case MembersRole:
      return static_cast<int>(std::count_if(m_all.begin(), m_all.end(), [&](const Conversation& c) { return c.folder == folder.id; }));
    // A collapsed folder shows the state of its conversations.
    case CurrentRole: return hides(folder, m_current);
    case BusyRole: return std::any_of(m_busy.begin(), m_busy.end(), [&](qint64 id) { return hides(folder, id); });
    case PinnedRole:
    case NestedRole: return false;
    default: return {};
  }
}

bool ConversationListModel::hides(const Folder& folder, qint64 id) const {
  const Conversation* inside = find(id);
  return folder.collapsed && inside != nullptr && inside->folder == folder.id && !inside->pinned;
}

QHash<int, QByteArray> ConversationListModel::roleNames() const {
  return {{ConversationIdRole, "conversationId"},
          {TitleRole, "title"},
          {SubtitleRole, "subtitle"},
          {SectionRole, "section"},
          {CurrentRole, "current"},
          {BusyRole, "busy"},
          {ExcerptRole, "excerpt"},
          {PinnedRole, "pinned"},
          {FolderIdRole, "folderId"},
          {CollapsedRole, "collapsed"},
          {MembersRole, "members"},
          {NestedRole, "nested"}};
}

QVariantList ConversationListModel::folders() const {
  QVariantList all;
  for (const Folder& folder : m_folders) all << QVariantMap{{QStringLiteral("folderId"), folder.id}, {QStringLiteral("name"), folder.name}};
  return all;
}

QString ConversationListModel::sectionOf(const Conversation& conversation) const {
  if (!isSearching() && conversation.pinned) return tr("Pinned");
  if (!isSearching() && conversation.folder != 0) return tr("Folders");
  if (isSearching() && !matches(conversation)) return tr("Similar in meaning");
  return dayOf(conversation.updated, now());
}

bool ConversationListModel::matches(const Conversation& conversation) const {
  return !isSearching() || conversation.title.contains(m_search.trimmed(), Qt::CaseInsensitive) || m_found.contains(conversation.id);
}

void ConversationListModel::setSearch(const QString& search) {
  if (search == m_search) return;
  m_search = search;
  refreshShown();
  Q_EMIT searchChanged();
}

// The previous results are kept until those of the new query arrive, so that the list does not flicker.
void ConversationListModel::setFound(const QHash<qint64, QString>& excerpts) {
  if (excerpts.isEmpty() && m_found.isEmpty()) return;
  m_found = excerpts;
  arrange();
  touchAll({});
}

void ConversationListModel::setSimilar(const QList<qint64>& conversations, const QHash<qint64, QString>& excerpts) {
  if (conversations.isEmpty() && m_similar.isEmpty()) return;
  m_similar = conversations;
  m_similarExcerpts = excerpts;
  arrange();
  touchAll({});
}

std::vector<qint64> ConversationListModel::arranged() const {
  std::vector<qint64> rows;
  const auto addThose = [&](const auto& wanted) {
    for (const Conversation& conversation : m_all)
      if (matches(conversation) && wanted(conversation)) rows.push_back(conversation.id);
  };
  if (isSearching()) {
    addThose([](const Conversation&) { return true; });
    for (const qint64 id : m_similar)
      if (const Conversation* similar = find(id); similar != nullptr && !matches(*similar)) rows.push_back(id);
    return rows;
  }
  addThose([](const Conversation& c) { return c.pinned; });
  for (const Folder& folder : m_folders) {
    rows.push_back(folder.id);
    if (!folder.collapsed) addThose([&](const Conversation& c) { return !c.pinned && c.folder == folder.id; });
  }
  addThose([](const Conversation& c) { return !c.pinned && c.folder == 0; });
  return rows;
}

void ConversationListModel::arrange() {
  const std::vector<qint64> wanted = arranged();
  const QSet<qint64> kept(wanted.begin(), wanted.end());
  const int before = count();
  for (int end = count(); end > 0;) {
    int first = end;
    while (first > 0 && !kept.contains(m_shown[static_cast<std::size_t>(first - 1)])) --first;
    if (first < end) {
      beginRemoveRows({}, first, end - 1);
      m_shown.erase(m_shown.begin() + first, m_shown.begin() + end);
      endRemoveRows();
    }
    end = first - 1;
  }
  const QSet<qint64> shown(m_shown.begin(), m_shown.end());
  for (int row = 0; row < static_cast<int>(wanted.size()); ++row) {
    const auto next = wanted.begin() + row;
    if (shown.contains(*next)) {
      moveTo(row, wanted);
      continue;
    }
    const auto end = std::find_if(next, wanted.end(), [&](qint64 id) { return shown.contains(id); });
    const int last = row + static_cast<int>(end - next) - 1;
    beginInsertRows({}, row, last);
    m_shown.insert(m_shown.begin() + row, next, end);
    endInsertRows();
    row = last;
  }
  if (count() != before) Q_EMIT countChanged();
}

void ConversationListModel::moveTo(int row, const std::vector<qint64>& wanted) {
  const int from = rowOf(wanted[static_cast<std::size_t>(row)]);
  if (from == row) return;
  if (from == row + 1) {  // move the row before it down: one step instead of one per row it passes
    const qint64 down = m_shown[static_cast<std::size_t>(row)];
    const auto place = static_cast<int>(std::find(wanted.begin(), wanted.end(), down) - wanted.begin());
    const int to = std::min(place, count() - 1);
    beginMoveRows({}, row, row, {}, to + 1);
    m_shown.erase(m_shown.begin() + row);
    m_shown.insert(m_shown.begin() + to, down);
    endMoveRows();
  } else {
    const qint64 id = m_shown[static_cast<std::size_t>(from)];
    beginMoveRows({}, from, from, {}, row);
    m_shown.erase(m_shown.begin() + from);
    m_shown.insert(m_shown.begin() + row, id);
    endMoveRows();
  }
}

void ConversationListModel::refreshShown() {
  beginResetModel();
  m_shown = arranged();
  endResetModel();
  Q_EMIT countChanged();
}

qint64 ConversationListModel::idAt(int row) const {
  const qint64 id = row >= 0 && row < count() ? m_shown[static_cast<std::size_t>(row)] : 0;
  return find(id) != nullptr ? id : 0;
}

int ConversationListModel::rowOf(qint64 id) const {
  const auto found = std::find(m_shown.begin(), m_shown.end(), id);
  return found == m_shown.end() ? -1 : static_cast<int>(found - m_shown.begin());
}

void ConversationListModel::reset(std::vector<Conversation> all, std::vector<Folder> folders) {
  m_all = std::move(all);
  std::sort(m_all.begin(), m_all.end(), newerFirst);
  m_folders = std::move(folders);
  std::sort(m_folders.begin(), m_folders.end(), byName);
  refreshShown();
  Q_EMIT foldersChanged();
}

void ConversationListModel::put(const Conversation& conversation) {
  const Conversation* old = find(conversation.id);
  const qint64 oldFolder = old ? old->folder : 0;
  std::erase_if(m_all, [&](const Conversation& c) { return c.id == conversation.id; });
  m_all.insert(std::upper_bound(m_all.begin(), m_all.end(), conversation, newerFirst), conversation);
  arrange();
  touch(conversation.id);
  for (const qint64 folder : {oldFolder, conversation.folder}) touch(folder, {MembersRole, CurrentRole, BusyRole});
}

void ConversationListModel::add(const std::vector<Conversation>& more) {
  m_all.insert(m_all.end(), more.begin(), more.end());
  std::sort(m_all.begin(), m_all.end(), newerFirst);
  arrange();
}

void ConversationListModel::take(qint64 id) {
  const Conversation* old = find(id);
  const qint64 folder = old ? old->folder : 0;
  // Remove the row before its data.
  if (const int row = rowOf(id); row >= 0) {
    beginRemoveRows({}, row, row);
    m_shown.erase(m_shown.begin() + row);
    std::erase_if(m_all, [=](const Conversation& c) { return c.id == id; });
    endRemoveRows();
    Q_EMIT countChanged();
  }
  std::erase_if(m_all, [=](const Conversation& c) { return c.id == id; });
  touch(folder, {MembersRole, CurrentRole, BusyRole});
}

void ConversationListModel::putFolder(const Folder& folder) {
  std::erase_if(m_folders, [&](const Folder& f) { return f.id == folder.id; });
  m_folders.insert(std::upper_bound(m_folders.begin(), m_folders.end(), folder, byName), folder);
  arrange();
  touch(folder.id);
  Q_EMIT foldersChanged();
}

void ConversationListModel::takeFolder(qint64 id) {
  std::vector<qint64> freed;
  if (const int row = rowOf(id); row >= 0) {
    beginRemoveRows({}, row, row);
    m_shown.erase(m_shown.begin() + row);
    std::erase_if(m_folders, [=](const Folder& f) { return f.id == id; });
    endRemoveRows();
    Q_EMIT countChanged();
  }
  std::erase_if(m_folders, [=](const Folder& f) { return f.id == id; });
  for (Conversation& conversation : m_all)
    if (conversation.folder == id) {
      conversation.folder = 0;
      freed.push_back(conversation.id);
    }
  arrange();
  for (const qint64 conversation : freed) touch(conversation);
  Q_EMIT foldersChanged();
}

void ConversationListModel::touch(qint64 id, const QList<int>& roles) {
  if (const int row = rowOf(id); row >= 0) Q_EMIT dataChanged(index(row), index(row), roles);
}

void ConversationListModel::setCurrent(qint64 id) {
  const qint64 before = std::exchange(m_current, id);
  for (const qint64 changed : {before, id}) {
    touch(changed, {CurrentRole});
    if (const Conversation* conversation = find(changed)) touch(conversation->folder, {CurrentRole});
  }
}

void ConversationListModel::setBusy(const QSet<qint64>& ids) {
  const QSet<qint64> before = std::exchange(m_busy, ids);
  for (const qint64 changed : (before | ids) - (before & ids)) {
    touch(changed, {BusyRole});
    if (const Conversation* conversation = find(changed)) touch(conversation->folder, {BusyRole});
  }
}

const Conversation* ConversationListModel::find(qint64 id) const {
  const auto found = std::find_if(m_all.begin(), m_all.end(), [=](const Conversation& c) { return c.id == id; });
  return found == m_all.end() ? nullptr : &*found;
}

const Folder* ConversationListModel::findFolder(qint64 id) const {
  const auto found = std::find_if(m_folders.begin(), m_folders.end(), [=](const Folder& f) { return f.id == id; });
  return found == m_folders.end() ? nullptr : &*found;
}

void ConversationListModel::setNow(const QDateTime& now) {
  m_now = now;
  refreshDates();
}

void ConversationListModel::refreshDates() { touchAll({SubtitleRole, SectionRole}); }

void ConversationListModel::touchAll(const QList<int>& roles) {
  if (count() > 0) Q_EMIT dataChanged(index(0), index(count() - 1), roles);
}

}  // namespace minerva::app
