#include "app/settings/presets.h"

#include "app/settings/settings.h"

#include <QCoreApplication>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLocale>
#include <QUuid>

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <utility>

namespace minerva::app {
namespace {

constexpr qsizetype longestName = 60;
const QString group = QStringLiteral("presets/"), ofModelsKey = QStringLiteral("presetOfModel");
const QString nameKey = QStringLiteral("name"), promptKey = QStringLiteral("systemPrompt");

// Settings keys in the user's presets, in table order.
constexpr std::array held{"temperature", "topK", "topP", "minP", "repeatPenalty", "repeatLastN", "maxTokens", "systemPrompt"};

struct BuiltIn {
  const char *id, *name;
  double temperature;
  int topK;
  double topP, minP;
};
constexpr std::array<BuiltIn, 3> builtIns{{{"precise", QT_TRANSLATE_NOOP("Presets", "Precise"), 0.2, 40, 0.9, 0.05},
                                           {"balanced", QT_TRANSLATE_NOOP("Presets", "Balanced"), 0.8, 40, 0.95, 0.05},
                                           {"creative", QT_TRANSLATE_NOOP("Presets", "Creative"), 1.1, 100, 0.98, 0.02}}};

QString textOf(const QJsonObject& object) { return QString::fromUtf8(QJsonDocument(object).toJson(QJsonDocument::Compact)); }
QJsonObject objectIn(const QVariant& text) { return QJsonDocument::fromJson(text.toString().toUtf8()).object(); }

// The values that a preset may contain, converted to the setting's type and clamped to its limits.
QVariantMap fittedValues(const QVariantMap& values) {
  QVariantMap fit;
  for (const char* name : held) {
    const QString key = QString::fromLatin1(name);
    if (const QVariant value = Settings::fitted(key, values.value(key)); value.isValid()) fit.insert(key, value);
  }
  return fit;
}

bool isHeld(const QString& key) {
  return std::any_of(held.begin(), held.end(), [&](const char* name) { return key == QLatin1String(name); });
}

QString modelDefault() { return Presets::tr("Model default"); }
QString asInSettings() { return Presets::tr("As in Settings"); }

}  // namespace

const QString Presets::none = QStringLiteral("none");

Presets::Presets(Settings* settings, QList<Error>* unread, QObject* parent) : QObject(parent), m_settings(settings) {
  for (const BuiltIn& one : builtIns)
    m_builtIn.append({QString::fromLatin1(one.id),
                      tr(one.name),
                      {{QStringLiteral("temperature"), one.temperature},
                       {QStringLiteral("topK"), one.topK},
                       {QStringLiteral("topP"), one.topP},
                       {QStringLiteral("minP"), one.minP}}});
  for (const QString& key : settings->file().allKeys())
    if (key.startsWith(group))
      if (const Result<void> read = readOwn(key.mid(group.size())); !read) {
        spdlog::warn("{}", read.error().message());
        if (unread != nullptr) *unread << read.error();
      }
  const QJsonObject models = objectIn(settings->file().value(ofModelsKey));
  for (auto model = models.begin(); model != models.end(); ++model) m_ofModel.insert(model.key(), model->toString());
  connect(settings, &Settings::changed, this, [this](const QString& key) {
    if (isHeld(key)) Q_EMIT changed();
  });
}

Result<void> Presets::readOwn(const QString& id) {
  const QJsonObject object = objectIn(m_settings->file().value(group + id));
  const QString name = object.value(nameKey).toString().simplified().left(longestName);
  if (id == none || find(id) != nullptr || name.isEmpty())
    return fail({.kind = ErrorKind::corrupt,
                 .what = "a preset in the settings file was skipped",
                 .where = m_settings->file().fileName().toStdString(),
                 .expected = "a JSON object with a name, and a unique id",
                 .actual = "the entry " + (group + id).toStdString(),
                 .hint = "correct or delete the entry; Minerva does not change it"});
  insert({id, name, fittedValues(object.toVariantMap()), true});
  return {};
}

void Presets::insert(const Preset& preset) {
  const auto before = [](const Preset& a, const Preset& b) { return a.name.localeAwareCompare(b.name) < 0; };
  m_own.insert(std::lower_bound(m_own.begin(), m_own.end(), preset, before), preset);
}

const Preset* Presets::find(const QString& id) const {
  for (const QList<Preset>* list : {&m_builtIn, &m_own})
    for (const Preset& preset : *list)
      if (preset.id == id) return &preset;
  return nullptr;
}

QString Presets::inForce(const QString& said, const QString& model) const {
  if (said == none || find(said) != nullptr) return said;
  const QString usual = ofModel(model);
  return usual.isEmpty() ? none : usual;
}

ReplyTerms Presets::terms(const QString& said, const QString& model) const {
  const Preset* preset = find(inForce(said, model));
  return replyTerms(*m_settings, preset == nullptr ? QVariantMap() : preset->values);
}

QString Presets::name(const QString& id) const {
  if (const Preset* preset = find(id)) return preset->name;
  return m_settings->followsModel() ? modelDefault() : asInSettings();
}

QVariantMap Presets::values(const QString& id) const {
  const Preset* preset = find(id);
  QVariantMap all;
  for (const char* name : held) {
    const QString key = QString::fromLatin1(name);
    all.insert(key, preset != nullptr && preset->values.contains(key) ? preset->values.value(key) : m_settings->value(key));
  }
  return all;
}

QString Presets::note(const QString& id) const {
  const QVariantMap all = values(id);
  QString text = tr("temperature %1").arg(QLocale().toString(all.value(QStringLiteral("temperature")).toDouble(), 'g', 3));
  const Preset* preset = find(id);  // built-in presets set no system prompt
  if ((preset == nullptr || preset->own) && !all.value(promptKey).toString().trimmed().isEmpty())
    text += QStringLiteral(" · ") + tr("system prompt");
  return text;
}

QVariantList Presets::all() const {
  QVariantList rows;
  const auto add = [&](const QString& id, bool own) {
    rows.append(QVariantMap{{QStringLiteral("presetId"), id},
                            {QStringLiteral("name"), name(id)},
                            {QStringLiteral("note"), note(id)},
                            {QStringLiteral("own"), own}});
  };
  add(none, false);
  for (const Preset& preset : m_builtIn) add(preset.id, false);
  for (const Preset& preset : m_own) add(preset.id, true);
  return rows;
}

QVariantList Presets::fields() const {
  QVariantList list;
  for (const SettingRow& row : Settings::rows()) {
    const QString key = QString::fromLatin1(row.key);
    if (key == promptKey || !isHeld(key)) continue;
    list.append(QVariantMap{{QStringLiteral("key"), key},
                            {QStringLiteral("title"), QCoreApplication::translate("Settings", row.title)},
                            {QStringLiteral("note"), QCoreApplication::translate("Settings", row.note)},
                            {QStringLiteral("from"), row.from},
                            {QStringLiteral("to"), row.to},
                            {QStringLiteral("step"), row.step},
                            {QStringLiteral("decimals"), row.fallback.typeId() == QMetaType::Double ? 2 : 0},
                            {QStringLiteral("slider"), row.editor == SettingRow::Editor::Slider}});
  }
  return list;
}

QString Presets::problem(const QString& wanted, const QString& id) const {
  const QString name = wanted.simplified();
  if (name.isEmpty()) return tr("A preset needs a name");
  if (name.size() > longestName) return tr("A name can have at most %1 characters").arg(longestName);
  QStringList taken{modelDefault(), asInSettings()};
  for (const QList<Preset>* list : {&m_builtIn, &m_own})
    for (const Preset& preset : *list)
      if (preset.id != id) taken << preset.name;
  return taken.contains(name, Qt::CaseInsensitive) ? tr("Another preset has this name") : QString();
}

QString Presets::keep(const QString& id, const QString& name, const QVariantMap& wanted) {
  const auto before = std::find_if(m_own.begin(), m_own.end(), [&](const Preset& preset) { return preset.id == id; });
  if (!problem(name, id).isEmpty() || (!id.isEmpty() && before == m_own.end())) return {};
  Preset preset{id.isEmpty() ? QUuid::createUuid().toString(QUuid::WithoutBraces) : id, name.simplified(), values(id), true};
  preset.values.insert(fittedValues(wanted));
  if (before != m_own.end()) m_own.erase(before);
  insert(preset);
  QJsonObject object = QJsonObject::fromVariantMap(preset.values);
  object.insert(nameKey, preset.name);
  m_settings->file().setValue(group + preset.id, textOf(object));
  Q_EMIT changed();
  return preset.id;
}

void Presets::remove(const QString& id) {
  const auto found = std::find_if(m_own.begin(), m_own.end(), [&](const Preset& preset) { return preset.id == id; });
  if (found == m_own.end()) return;
  m_removed = m_own.takeAt(found - m_own.begin());
  m_settings->file().remove(group + id);
  Q_EMIT changed();
}

void Presets::undoRemove() {
  if (m_removed.id.isEmpty()) return;
  const Preset back = std::exchange(m_removed, {});
  // Meanwhile the name may have been given to another preset.
  QString name = back.name;
  for (int number = 2; !problem(name, back.id).isEmpty(); ++number)
    name = QStringLiteral("%1 %2").arg(back.name.left(longestName - 4)).arg(number);
  insert(back);
  keep(back.id, name, back.values);
}

void Presets::dismissUndo() {
  m_removed = {};
  Q_EMIT changed();
}

QString Presets::ofModel(const QString& model) const {
  const QString id = m_ofModel.value(model);
  return find(id) != nullptr ? id : QString();
}

void Presets::moveOfModel(const QString& name, const QString& path) {
  if (!m_ofModel.contains(name) || name == path) return;
  const QString id = m_ofModel.take(name);
  setOfModel(path, m_ofModel.value(path, id));
}

void Presets::setOfModel(const QString& model, const QString& id) {
  if (model.isEmpty()) return;
  if (find(id) != nullptr) m_ofModel.insert(model, id);
  else m_ofModel.remove(model);
  QJsonObject models;
  for (auto each = m_ofModel.cbegin(); each != m_ofModel.cend(); ++each) models.insert(each.key(), *each);
  m_settings->file().setValue(ofModelsKey, textOf(models));
  Q_EMIT changed();
}

QString Presets::drafts() const { return m_settings->presetDrafts(); }

void Presets::keepDrafts(const QString& drafts) { m_settings->set_presetDrafts(drafts == QLatin1String("{}") ? QString() : drafts); }

}  // namespace minerva::app
