#include "app/serve/request_list.h"

#include "app/text/text.h"

#include <QDateTime>
#include <QLocale>

#include <algorithm>
#include <limits>

namespace minerva::app {
namespace {

double figureOrNone(double value) { return value > 0 ? value : std::numeric_limits<double>::quiet_NaN(); }

QString clockTimeOf(const serve::Sight& sight) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(sight.arrived.time_since_epoch()).count();
  return QLocale().toString(QDateTime::fromMSecsSinceEpoch(ms).time(), QStringLiteral("HH:mm:ss"));
}

}  // namespace

RequestList::RequestList(QObject* parent) : QAbstractListModel(parent) {
  m_timer.setSingleShot(true);
  m_timer.setInterval(updateMs);
  connect(&m_timer, &QTimer::timeout, this, &RequestList::take);
}

void RequestList::note(const serve::Sight& sight) {
  {
    const std::scoped_lock lock(m_mutex);
    m_waiting.insert_or_assign(sight.number, sight);
    if (m_waiting.size() > mostRows) m_waiting.erase(m_waiting.begin());
    if (std::exchange(m_scheduled, true)) return;
  }
  QMetaObject::invokeMethod(&m_timer, qOverload<>(&QTimer::start), Qt::QueuedConnection);
}

void RequestList::take() {
  std::map<std::uint64_t, serve::Sight> changes;
  {
    const std::scoped_lock lock(m_mutex);
    changes.swap(m_waiting);
    m_scheduled = false;
  }
  for (const auto& [number, sight] : changes) place(sight);
  if (changes.empty()) return;
  Q_EMIT changed();
  const auto ran = [](const auto& change) { return change.second.promptTokens > 0; };  // a list of models does not keep one in memory
  if (std::ranges::any_of(changes, ran)) Q_EMIT used();
}

void RequestList::place(const serve::Sight& sight) {
  const auto found =
      std::ranges::find_if(m_rows, [&](const Row& row) { return row.session == m_session && row.sight.number == sight.number; });
  if (found != m_rows.end()) {
    found->sight = sight;
    const QModelIndex changedRow = index(static_cast<int>(found - m_rows.begin()));
    Q_EMIT dataChanged(changedRow, changedRow);
    return;
  }
  // Not always at the top: a change of an older request may arrive after it was dropped, or before that of a newer one.
  const auto at = std::ranges::find_if(m_rows, [&](const Row& row) { return row.session != m_session || row.sight.number < sight.number; });
  const auto row = static_cast<int>(at - m_rows.begin());
  if (row == static_cast<int>(mostRows)) return;
  beginInsertRows({}, row, row);
  m_rows.insert(at, {m_session, sight});
  endInsertRows();
  if (m_rows.size() <= mostRows) return;
  beginRemoveRows({}, count() - 1, count() - 1);
  m_rows.pop_back();
  endRemoveRows();
}

void RequestList::clear() {
  for (int row = count() - 1; row >= 0; --row) {
    if (!m_rows[static_cast<std::size_t>(row)].sight.isOver()) continue;
    beginRemoveRows({}, row, row);
    m_rows.erase(m_rows.begin() + row);
    endRemoveRows();
  }
  Q_EMIT changed();
}

void RequestList::beginAnew() {
  take();
  ++m_session;
}

int RequestList::underway() const {
  return static_cast<int>(std::ranges::count_if(m_rows, [](const Row& row) { return !row.sight.isOver(); }));
}

int RequestList::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : count(); }

QVariant RequestList::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const serve::Sight& sight = m_rows[static_cast<std::size_t>(index.row())].sight;
  switch (role) {
    case TimeRole: return clockTimeOf(sight);
    case ClientRole: return text(sight.client);
    case Qt::DisplayRole:
    case RouteRole: return text(sight.route);
    case ModelRole: return text(sight.model);
    case StateRole: return static_cast<int>(sight.state);
    case StateTextRole:
      switch (sight.state) {
        case serve::Sight::State::waiting: return tr("waiting");
        case serve::Sight::State::prefill: return tr("prefill");
        case serve::Sight::State::writing: return tr("writing");
        case serve::Sight::State::done: return tr("done");
        case serve::Sight::State::failed: return sight.status > 0 ? tr("failed, %1").arg(sight.status) : tr("failed");
        case serve::Sight::State::cancelled: return tr("cancelled");
      }
      return {};
    case ProblemRole: return text(sight.problem);
    case PromptRole: return figureOrNone(sight.promptTokens);
    case TokensRole: return figureOrNone(sight.tokens);
    case TtftRole: return figureOrNone(sight.ttftMs);
    case SpeedRole: return figureOrNone(sight.tokensPerSecond);
    default: return {};
  }
}

QHash<int, QByteArray> RequestList::roleNames() const {
  return {{TimeRole, "time"},          {ClientRole, "client"},       {RouteRole, "route"},     {ModelRole, "modelName"},
          {StateRole, "requestState"}, {StateTextRole, "stateText"}, {ProblemRole, "problem"}, {PromptRole, "promptTokens"},
          {TokensRole, "tokens"},      {TtftRole, "ttft"},           {SpeedRole, "speed"}};
}

}  // namespace minerva::app
