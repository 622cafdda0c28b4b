#include "app/actions/palette_model.h"

#include "app/actions/fuzzy_match.h"

#include <QCoreApplication>

#include <algorithm>

namespace minerva::app {
namespace {

constexpr std::size_t mostRows = 60;    // more do not help; the user types further
constexpr int recentConversations = 5;  // listed while the query is empty
constexpr int actionBonus = 3;          // equally good matches: actions come before conversations and models
constexpr int shownPageBonus = 2;

QString bold(const QString& title, const QList<int>& positions) {
  QString html;
  for (int i = 0; i < title.size(); ++i) {
    const bool marked = positions.contains(i);
    html +=
        (marked ? QStringLiteral("<b>") : QString()) + QString(title[i]).toHtmlEscaped() + (marked ? QStringLiteral("</b>") : QString());
  }
  return html;
}

QString pageTitle(const ActionRow& row) {
  if (*row.page == '\0') return {};
  const ActionRow* page = findAction(std::string("page.") + row.page);
  return page == nullptr ? QString() : QCoreApplication::translate("Actions", page->title);
}

}  // namespace

int PaletteModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : count(); }

QVariant PaletteModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const Row& row = m_rows[static_cast<std::size_t>(index.row())];
  switch (role) {
    case KindRole: return row.kind;
    case Qt::DisplayRole:
    case TitleRole: return row.title;
    case HtmlRole: return bold(row.title, row.bold);
    case NoteRole: return row.note;
    case KeysRole: return row.keys;
    default: return {};
  }
}

QHash<int, QByteArray> PaletteModel::roleNames() const {
  return {{KindRole, "kind"}, {TitleRole, "title"}, {HtmlRole, "html"}, {NoteRole, "note"}, {KeysRole, "keys"}};
}

void PaletteModel::setQuery(const QString& query) {
  if (query == m_query) return;
  m_query = query;
  filter();
  Q_EMIT queryChanged();
}

void PaletteModel::refresh() {
  collect();
  filter();
}

void PaletteModel::collect() {
  m_all.clear();
  const QString shown = m_actions != nullptr ? m_actions->page() : QString();
  for (const ActionRow& row : actionTable()) {
    const QString name = QString::fromLatin1(row.name);
    if (m_actions == nullptr || !m_actions->isPossible(name) || name == QLatin1String("app.palette")) continue;
    const bool here = !shown.isEmpty() && shown == QLatin1String(row.page);
    m_all.push_back(
        {Action, name, Actions::title(name), pageTitle(row), Actions::keys(name), {}, actionBonus + (here ? shownPageBonus : 0)});
  }
  std::stable_sort(m_all.begin(), m_all.end(), [](const Row& a, const Row& b) { return a.score > b.score; });
  if (m_conversations != nullptr)
    for (const auto& conversation : m_conversations->all())
      m_all.push_back({Conversation, QString::number(conversation.id), conversation.title, tr("Conversation"), {}, {}, 0});
  if (m_servers != nullptr)
    for (const RemoteModels::Entry& model : m_servers->models()->all())
      m_all.push_back({Model, model.path, model.name, tr("Model on %1").arg(model.server), {}, {}, 0});
  if (m_library == nullptr) return;
  for (int i = 0; i < m_library->rowCount(); ++i) {
    const QModelIndex index = m_library->index(i, 0);
    if (index.data(ModelLibrary::EmbedsRole).toBool() || index.data(ModelLibrary::MissingRole).toBool() ||
        !index.data(ModelLibrary::ProblemRole).toString().isEmpty())
      continue;
    const QString about =
        (index.data(ModelLibrary::FormatRole).toString() + u' ' + index.data(ModelLibrary::TypeRole).toString()).trimmed();
    m_all.push_back({Model,
                     index.data(ModelLibrary::PathRole).toString(),
                     index.data(ModelLibrary::NameRole).toString(),
                     about.isEmpty() ? tr("Model") : tr("Model, %1").arg(about),
                     {},
                     {},
                     0});
  }
}

void PaletteModel::filter() {
  const bool typed = !m_query.trimmed().isEmpty();
  std::vector<Row> rows;
  int conversations = 0;
  for (const Row& candidate : m_all) {
    if (!typed && candidate.kind == Conversation && ++conversations > recentConversations) continue;
    const auto match = fuzzyMatch(m_query, candidate.title);
    if (!match) continue;
    Row row = candidate;
    row.score += match->score;
    row.bold = match->positions;
    rows.push_back(std::move(row));
  }
  if (typed) std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.score > b.score; });
  if (rows.size() > mostRows) rows.resize(mostRows);
  beginResetModel();
  m_rows = std::move(rows);
  endResetModel();
  Q_EMIT countChanged();
}

void PaletteModel::choose(int row) {
  if (row < 0 || row >= count()) return;
  const Row chosen = m_rows[static_cast<std::size_t>(row)];
  switch (chosen.kind) {
    case Action: Q_EMIT actionChosen(chosen.id); break;
    case Conversation: Q_EMIT conversationChosen(chosen.id.toLongLong()); break;
    case Model: Q_EMIT modelChosen(chosen.id); break;
  }
}

}  // namespace minerva::app
