#include "app/library/draft_choice.h"

#include "core/format/model_file.h"
#include "app/library/model_library.h"
#include "app/settings/settings.h"
#include "core/engine/draft_vocabulary.h"

#include <QFile>
#include <QFileInfo>
#include <QFutureWatcher>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtConcurrent>

namespace minerva::app {
namespace {

constexpr double largestShare = 1.0 / 3;  // of the model's size: a larger draft model takes too much of the time it saves
const QString draftsKey = QStringLiteral("draftOfModel");

std::unique_ptr<const text::Tokenizer> tokenizerOf(const QString& path) {
  const auto file = format::ModelFile::open(QFile::encodeName(path).toStdString());
  if (!file) return nullptr;
  auto tokenizer = text::createTokenizer(**file);
  return tokenizer ? std::move(*tokenizer) : nullptr;
}

}  // namespace

QMap<QString, QString> keptDrafts(Settings& settings) {
  QMap<QString, QString> kept;
  const QJsonObject models = QJsonDocument::fromJson(settings.file().value(draftsKey).toString().toUtf8()).object();
  for (auto each = models.begin(); each != models.end(); ++each) {
    if (const QString draft = each.value().toString(); !draft.isEmpty()) kept.insert(each.key(), draft);
  }
  return kept;
}

DraftChoice::DraftChoice(Settings* settings, const ModelLibrary* library, QObject* parent)
    : QObject(parent), m_settings(settings), m_library(library), m_ofModel(keptDrafts(*settings)) {}

DraftChoice::~DraftChoice() { stopLooking(); }

void DraftChoice::stopLooking() {
  if (m_stop) m_stop->store(true);
  m_stop.reset();
  m_looking = false;
}

QList<DraftChoice::Candidate> DraftChoice::smallerModels() const {
  const auto read = [this](int row, int role) { return m_library->data(m_library->index(row), role); };
  double size = 0;
  for (int row = 0; row < m_library->count(); ++row) {
    if (read(row, ModelLibrary::PathRole).toString() == m_model) size = read(row, ModelLibrary::SizeBytesRole).toDouble();
  }
  QList<Candidate> found;
  for (int row = 0; row < m_library->count(); ++row) {
    const double bytes = read(row, ModelLibrary::SizeBytesRole).toDouble();
    if (bytes <= 0 || bytes > size * largestShare) continue;
    if (read(row, ModelLibrary::MissingRole).toBool() || read(row, ModelLibrary::EmbedsRole).toBool()) continue;
    found.append({read(row, ModelLibrary::PathRole).toString(), read(row, ModelLibrary::NameRole).toString()});
  }
  return found;
}

QList<DraftChoice::Candidate> DraftChoice::thoseOfTheSameVocabulary(const QString& model, const QList<Candidate>& candidates,
                                                                    const Stop& stop) {
  QList<Candidate> found;
  const auto target = candidates.isEmpty() ? nullptr : tokenizerOf(model);
  for (const Candidate& candidate : candidates) {
    if (stop->load() || !target) break;
    const auto draft = tokenizerOf(candidate.path);
    if (engine::checkSameVocabulary(target.get(), draft.get(), {})) found.append(candidate);
  }
  return found;
}

void DraftChoice::setModel(const QString& path) {
  stopLooking();
  m_model = path;
  m_found.clear();
  const QList<Candidate> candidates = path.isEmpty() ? QList<Candidate>() : smallerModels();
  if (!candidates.isEmpty()) {
    m_looking = true;
    m_stop = std::make_shared<std::atomic<bool>>(false);
    auto* watcher = new QFutureWatcher<QList<Candidate>>(this);
    connect(watcher, &QFutureWatcherBase::finished, this, [this, watcher, stop = m_stop] {
      watcher->deleteLater();
      if (stop != m_stop) return;
      m_looking = false;
      m_found = watcher->result();
      Q_EMIT changed();
    });
    watcher->setFuture(QtConcurrent::run(&DraftChoice::thoseOfTheSameVocabulary, path, candidates, m_stop));
  }
  Q_EMIT changed();
}

QVariantList DraftChoice::all() const {
  QVariantList list;
  const auto add = [&list](const QString& path, const QString& name) {
    list.append(QVariantMap{{QStringLiteral("value"), path}, {QStringLiteral("title"), name}});
  };
  bool hasChosen = chosen().isEmpty();
  for (const Candidate& candidate : m_found) {
    add(candidate.path, candidate.name);
    hasChosen = hasChosen || candidate.path == chosen();
  }
  if (!hasChosen) add(chosen(), QFileInfo(chosen()).fileName());
  if (!list.isEmpty()) list.prepend(QVariantMap{{QStringLiteral("value"), QString()}, {QStringLiteral("title"), tr("None")}});
  return list;
}

void DraftChoice::choose(const QString& draft) {
  if (m_model.isEmpty() || draft == chosen()) return;
  if (draft.isEmpty()) m_ofModel.remove(m_model);
  else m_ofModel.insert(m_model, draft);
  QJsonObject models;
  for (auto each = m_ofModel.cbegin(); each != m_ofModel.cend(); ++each) models.insert(each.key(), *each);
  m_settings->file().setValue(draftsKey, QString::fromUtf8(QJsonDocument(models).toJson(QJsonDocument::Compact)));
  Q_EMIT changed();
  Q_EMIT chosenFor(m_model);
}

}  // namespace minerva::app
