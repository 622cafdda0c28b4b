#include "app/settings/settings_model.h"

#include <QCoreApplication>

#include <algorithm>

namespace minerva::app {
namespace {

SettingsModel::Editor editorOf(SettingRow::Editor editor) {
  switch (editor) {
    case SettingRow::Editor::Slider: return SettingsModel::Slider;
    case SettingRow::Editor::Number: return SettingsModel::Number;
    case SettingRow::Editor::Choice: return SettingsModel::Choice;
    case SettingRow::Editor::Toggle: return SettingsModel::Toggle;
    case SettingRow::Editor::Line: return SettingsModel::Line;
    default: return SettingsModel::Text;
  }
}

// For comparisons that ignore case and accents.
QString searchable(const QString& text) {
  QString plain;
  for (const QChar c : text.normalized(QString::NormalizationForm_D).toCaseFolded())
    if (c.category() != QChar::Mark_NonSpacing) plain += c;
  return plain;
}

QString translated(const char* text) { return QCoreApplication::translate("Settings", text); }

}  // namespace

SettingsModel::SettingsModel(Settings* settings, QObject* parent) : QAbstractListModel(parent), m_settings(settings) {
  m_rows = matching();
  connect(settings, &Settings::changed, this, [this](const QString& key) {
    for (int row = 0; row < rowCount(); ++row)
      if (key == QLatin1String(Settings::rows()[static_cast<std::size_t>(m_rows[static_cast<std::size_t>(row)])].key))
        Q_EMIT dataChanged(index(row), index(row), {ValueRole, ModifiedRole});
  });
}

QString SettingsModel::sought(int row) const {
  const SettingRow& about = Settings::rows()[static_cast<std::size_t>(row)];
  QStringList parts{translated(about.title), QLatin1String(about.note).isEmpty() ? QString() : translated(about.note),
                    translated(about.section)};
  for (const QVariant& choice : m_settings->choices(QString::fromLatin1(about.key)))
    parts << choice.toMap()[QStringLiteral("title")].toString();
  return searchable(parts.join(u' '));
}

std::vector<int> SettingsModel::matching() const {
  const QStringList words = searchable(m_search).split(u' ', Qt::SkipEmptyParts);
  std::vector<int> found;
  for (int row = 0; row < static_cast<int>(Settings::rows().size()); ++row) {
    if (Settings::rows()[static_cast<std::size_t>(row)].editor == SettingRow::Editor::Hidden) continue;
    const QString text = words.isEmpty() ? QString() : sought(row);
    if (std::all_of(words.begin(), words.end(), [&text](const QString& word) { return text.contains(word); })) found.push_back(row);
  }
  return found;
}

void SettingsModel::setSearch(const QString& search) {
  if (search == m_search) return;
  m_search = search;
  std::vector<int> rows = matching();
  if (rows != m_rows) {  // otherwise the delegates keep their state
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
    Q_EMIT countChanged();
  }
  Q_EMIT searchChanged();
}

int SettingsModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(m_rows.size()); }

QVariant SettingsModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const SettingRow& row = Settings::rows()[static_cast<std::size_t>(m_rows[static_cast<std::size_t>(index.row())])];
  const QString key = QString::fromLatin1(row.key);
  switch (role) {
    case KeyRole: return key;
    case Qt::DisplayRole:
    case TitleRole: return translated(row.title);
    case NoteRole: return QLatin1String(row.note).isEmpty() ? QString() : translated(row.note);
    case SectionRole: return QString::fromLatin1(row.section);
    case EditorRole: return editorOf(row.editor);
    case ValueRole: return m_settings->value(key);
    case FromRole: return row.from;
    case ToRole: return row.to;
    case StepRole: return row.step;
    case DecimalsRole: return row.fallback.typeId() == QMetaType::Double ? 2 : 0;
    case ChoicesRole: return m_settings->choices(key);
    case ModifiedRole: return m_settings->isSet(key);
    default: return {};
  }
}

bool SettingsModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (role != ValueRole || !checkIndex(index, CheckIndexOption::IndexIsValid)) return false;
  return m_settings->setValue(data(index, KeyRole).toString(), value);
}

Qt::ItemFlags SettingsModel::flags(const QModelIndex& index) const {
  const Qt::ItemFlags flags = QAbstractListModel::flags(index);
  return index.isValid() ? flags | Qt::ItemIsEditable : flags;
}

QHash<int, QByteArray> SettingsModel::roleNames() const {
  return {{KeyRole, "key"},       {TitleRole, "title"},       {NoteRole, "note"},       {SectionRole, "section"},
          {EditorRole, "editor"}, {ValueRole, "value"},       {FromRole, "from"},       {ToRole, "to"},
          {StepRole, "step"},     {DecimalsRole, "decimals"}, {ChoicesRole, "choices"}, {ModifiedRole, "modified"}};
}

}  // namespace minerva::app
