#include "app/library/model_library.h"

#include "app/inference/fit_check.h"
#include "app/inference/inference_controller.h"
#include "app/inference/model_names.h"
#include "app/library/model_header.h"
#include "app/library/models_folder.h"
#include "app/library/twins.h"
#include "app/metrics/figures.h"

#include <QDir>
#include <QFileInfo>
#include <QFutureWatcher>
#include <QHash>
#include <QSet>
#include <QSettings>
#include <QTimer>
#include <QtConcurrent>

#include <algorithm>
#include <optional>
#include <utility>

namespace minerva::app {
namespace {

constexpr int groupAfterMs = 50;

QString shortFolder(const QString& path) {
  const QString folder = QFileInfo(path).absolutePath(), home = QDir::homePath();
  return folder.startsWith(home + QLatin1Char('/')) ? QLatin1Char('~') + folder.mid(home.size()) : folder;
}

}  // namespace

struct ModelLibrary::Private {
  struct Entry {
    Entry(const QString& path, const QString& name) {
      header.path = path;
      header.name = name;
    }
    ModelHeader header;
    QString source, givenName;  // for a model of another program: that program, and its name there
    QString shownName;          // unique in the list
    bool builtIn = false;
    double measured = 0;
    std::optional<FitVerdict> fit;
    [[nodiscard]] TwinFacts twinFacts() const {
      if (header.missing) return {};  // only existing files are grouped
      const QFileInfo info(header.path);
      // Ollama's blobs have no meaningful file names.
      return {baseNameOf(givenName.isEmpty() ? builtIn ? header.name : info.fileName() : givenName), header.family, header.parameters};
    }
    // Distinguishes it from its twins: "Q4_K", "MLX 4-bit g64".
    [[nodiscard]] QString kindName() const {
      return header.format == QLatin1String("GGUF") ? header.type : header.format + QLatin1Char(' ') + shownType(header.type);
    }
    [[nodiscard]] bool isOwn() const { return source.isEmpty(); }
  };
  Private(InferenceController* givenInference, const QString& ini) : inference(givenInference), file(ini, QSettings::IniFormat) {}
  InferenceController* inference;
  std::function<QString(const QString& model)> draftOf;
  QSettings file;
  QString builtIn, models;  // models: the model folder
  std::vector<Entry> entries;
  QList<OtherAppPlace> otherApps;
  int otherAppsAsked = 0;
  ModelTrash trash;
  Duplicates duplicates;
  QStringList unreadable;
  QSet<QString> inFolder;                  // complete models found by the last scan
  QHash<QString, double> measuredInTrash;  // by path; restored with the model
  LoadPreferences preferences;
  BackendOptions backend;
  bool checkingFit = false;
  QTimer grouping;  // debounce, because headers arrive one by one

  [[nodiscard]] int rowOf(const QString& path) const {
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.header.path == path; });
    return found == entries.end() ? -1 : static_cast<int>(found - entries.begin());
  }

  // Whether a missing file was deleted outside this window, by `minerva remove` or a file manager. Not if the whole model
  // folder is missing (disk not mounted).
  [[nodiscard]] bool isGone(const Entry& entry) const {
    return !entry.builtIn && trash.holds(entry.header.path) && QFileInfo(models).isDir();
  }

  [[nodiscard]] QStringList shownNames() const {
    std::vector<NamedModel> models;
    for (const Entry& entry : entries) models.push_back({entry.header.name, entry.header.path});
    return tellApart(models);
  }

  void save() {
    file.beginWriteArray(QStringLiteral("models"));
    int i = 0;
    for (const Entry& entry : entries) {
      if ((entry.isOwn() && !entry.builtIn) || entry.measured > 0) {
        file.setArrayIndex(i++);
        file.setValue(QStringLiteral("path"), entry.header.path);
        file.setValue(QStringLiteral("measured"), entry.measured);
      }
    }
    file.endArray();
    file.setValue(QStringLiteral("models/size"), i);
  }
};

ModelLibrary::ModelLibrary(InferenceController* inference, const QString& file, const QString& builtIn, QObject* parent)
    : QAbstractListModel(parent), d(std::make_unique<Private>(inference, file)) {
  d->duplicates.setHashFile(QFileInfo(file).absolutePath() + QStringLiteral("/hashes.json"));
  connect(&d->trash, &ModelTrash::trashed, this, [this](const QString& path) {
    d->inFolder.remove(path);  // listed again if it is brought back outside this window
    const int row = d->rowOf(path);
    if (row < 0) return;
    d->measuredInTrash[path] = d->entries[static_cast<std::size_t>(row)].measured;
    remove(row);
  });
  connect(&d->trash, &ModelTrash::restored, this, [this](const QString& path) {
    if (path.isEmpty()) return addFolder(d->models);
    d->inFolder.insert(path);
    add(path);
    noteSpeed(path, d->measuredInTrash.take(path));
  });
  if (!builtIn.isEmpty()) {
    d->builtIn = placeOf(builtIn);
    d->entries.emplace_back(d->builtIn, tr("Minerva built-in")).builtIn = true;
    if (inference != nullptr) inference->setBuiltIn(d->builtIn);
  }
  const int size = d->file.beginReadArray(QStringLiteral("models"));
  for (int i = 0; i < size; ++i) {
    d->file.setArrayIndex(i);
    const QString path = d->file.value(QStringLiteral("path")).toString();
    const double measured = d->file.value(QStringLiteral("measured")).toDouble();
    if (path.isEmpty()) continue;
    int row = d->rowOf(path);
    if (row < 0) {
      d->entries.emplace_back(path, nameFromPath(path));
      row = count() - 1;
    }
    d->entries[static_cast<std::size_t>(row)].measured = measured;
  }
  d->file.endArray();
  if (inference != nullptr) {
    const auto tellLoaded = [this] {
      if (count() > 0) Q_EMIT dataChanged(index(0), index(count() - 1), {LoadedRole});
    };
    connect(inference, &InferenceController::modelChanged, this, tellLoaded);
    connect(inference, &InferenceController::modelChanged, this, &ModelLibrary::nameLoaded);
    connect(inference, &ReplySource::readyChanged, this, tellLoaded);
  }
  nameModels();
  d->grouping.setSingleShot(true);
  d->grouping.setInterval(groupAfterMs);
  connect(&d->grouping, &QTimer::timeout, this, &ModelLibrary::groupTwins);
  refresh();
}

ModelLibrary::~ModelLibrary() = default;

int ModelLibrary::count() const { return static_cast<int>(d->entries.size()); }
int ModelLibrary::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : count(); }
QString ModelLibrary::builtInPath() const { return d->builtIn; }

QVariant ModelLibrary::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const Private::Entry& entry = d->entries[static_cast<std::size_t>(index.row())];
  const ModelHeader& header = entry.header;
  switch (role) {
    case Qt::DisplayRole:
    case NameRole: return entry.shownName;
    case PathRole: return header.path;
    case FolderRole: return shortFolder(header.path);
    case SubtitleRole: return subtitle(index.row());
    case FormatRole: return header.format;
    case TypeRole: return header.type;
    case SizeBytesRole: return header.sizeBytes;
    case ParametersRole: return header.parameters;
    case BuiltInRole: return entry.builtIn;
    case MissingRole: return header.missing;
    case ProblemRole: return header.problem;
    case LoadedRole: return d->inference != nullptr && d->inference->model().path == header.path;
    case SourceRole: return entry.source;
    case MeasuredRole: return entry.measured;
    case OwnRole: return !entry.builtIn && (d->inFolder.contains(header.path) || d->trash.takesFile(header.path));
    case TwinAboveRole:
      return index.row() > 0 && areTwins(entry.twinFacts(), d->entries[static_cast<std::size_t>(index.row() - 1)].twinFacts());
    case FitRole: return entry.fit ? fitName(entry.fit->kind) : QString();
    case FitReasonRole: return entry.fit ? entry.fit->words() : QString();
    case EmbedsRole: return header.embeds;
    case WritesRole: return header.writes;
    default: return {};
  }
}

QString ModelLibrary::subtitle(int row) const {
  const Private::Entry& entry = d->entries[static_cast<std::size_t>(row)];
  const ModelHeader& header = entry.header;
  if (header.missing) return tr("This file is no longer there");
  if (!header.problem.isEmpty()) return header.problem;
  QStringList parts;
  if (!header.family.isEmpty() && !entry.builtIn) parts << header.family;
  if (header.parameters > 0) parts << tr("%1 parameters").arg(Figures::parameters(header.parameters));
  if (header.bitsPerWeight > 0 && !entry.builtIn) parts << tr("%1 bits per weight").arg(Figures::decimal(header.bitsPerWeight, 1));
  if (header.contextLength > 0 && !entry.builtIn) parts << tr("context %1").arg(Figures::integer(header.contextLength));
  if (entry.builtIn) parts << tr("works offline, knows little");
  if (!entry.isOwn()) parts << tr("from %1").arg(entry.source);
  if (parts.isEmpty()) parts << shortFolder(header.path);
  return parts.join(QStringLiteral(" · "));
}

QHash<int, QByteArray> ModelLibrary::roleNames() const {
  return {{NameRole, "name"},           {PathRole, "path"},       {FolderRole, "folder"},
          {SubtitleRole, "subtitle"},   {FormatRole, "format"},   {TypeRole, "type"},
          {SizeBytesRole, "sizeBytes"}, {BuiltInRole, "builtIn"}, {ParametersRole, "parameters"},
          {MissingRole, "missing"},     {ProblemRole, "problem"}, {LoadedRole, "loaded"},
          {MeasuredRole, "measured"},   {SourceRole, "source"},   {OwnRole, "own"},
          {TwinAboveRole, "twinAbove"}, {FitRole, "fit"},         {FitReasonRole, "fitReason"},
          {EmbedsRole, "embeds"},       {WritesRole, "writes"}};
}

void ModelLibrary::open(const QUrl& url) { openPath(url.isLocalFile() ? url.toLocalFile() : url.toString()); }

void ModelLibrary::openPath(const QString& path) {
  add(path);
  if (d->inference != nullptr) d->inference->load(placeOf(path));
}

void ModelLibrary::add(const QString& path) {
  const QString full = placeOf(path);
  if (d->rowOf(full) >= 0) {  // its files may be new
    forgetFit(full);
    return readHeader(full);
  }
  const int place = d->builtIn.isEmpty() ? 0 : 1;
  beginInsertRows({}, place, place);
  d->entries.emplace(d->entries.begin() + place, full, nameFromPath(full));
  endInsertRows();
  nameModels();
  Q_EMIT countChanged();
  d->save();
  readHeader(full);
}

void ModelLibrary::addFolder(const QString& models) {
  d->trash.setFolder(models);
  d->models = models;
  auto* watcher = new QFutureWatcher<QList<FolderModel>>(this);
  connect(watcher, &QFutureWatcher<QList<FolderModel>>::finished, this, [this, watcher] {
    watcher->deleteLater();
    // Add only models that are new since the last scan: others that are not listed were removed by the user.
    const QSet<QString> before = std::exchange(d->inFolder, {});
    for (const FolderModel& model : watcher->result()) {
      if (!model.complete()) continue;
      d->inFolder.insert(model.path);
      if (!before.contains(model.path)) add(model.path);
    }
    if (before != d->inFolder && count() > 0) Q_EMIT dataChanged(index(0), index(count() - 1), {OwnRole});
  });
  watcher->setFuture(QtConcurrent::run(&modelsIn, models));
}

void ModelLibrary::setOtherApps(const QList<OtherAppPlace>& places) {
  d->otherApps = places;
  const int asked = ++d->otherAppsAsked;
  const auto takeUnreadable = [this](const QStringList& notes) {
    if (d->unreadable == notes) return;
    d->unreadable = notes;
    Q_EMIT unreadableChanged();
  };
  if (places.isEmpty()) {
    takeUnreadable({});
    return takeOtherApps({});
  }
  using Found = std::pair<QList<OtherAppModel>, QStringList>;
  auto* watcher = new QFutureWatcher<Found>(this);
  connect(watcher, &QFutureWatcherBase::finished, this, [this, watcher, asked, takeUnreadable] {
    watcher->deleteLater();
    if (asked != d->otherAppsAsked) return;
    const auto [models, notes] = watcher->result();
    takeOtherApps(models);
    takeUnreadable(notes);
  });
  watcher->setFuture(QtConcurrent::run([places] { return Found(modelsOfOtherApps(places), unreadablePlaces(places)); }));
}

void ModelLibrary::takeOtherApps(const QList<OtherAppModel>& models) {
  const auto isTheirs = [&](const Private::Entry& entry) {
    return std::ranges::any_of(models, [&](const OtherAppModel& model) { return model.path == entry.header.path; });
  };
  for (int row = count() - 1; row >= 0; --row) {
    const Private::Entry& entry = d->entries[static_cast<std::size_t>(row)];
    if (entry.isOwn() || entry.measured > 0 || isTheirs(entry)) continue;
    beginRemoveRows({}, row, row);
    d->entries.erase(d->entries.begin() + row);
    endRemoveRows();
  }
  for (const OtherAppModel& model : models) {
    int row = d->rowOf(model.path);
    if (row < 0) {
      row = count();
      beginInsertRows({}, row, row);
      d->entries.emplace_back(model.path, model.name.isEmpty() ? nameFromPath(model.path) : model.name);
      endInsertRows();
    }
    Private::Entry& entry = d->entries[static_cast<std::size_t>(row)];
    entry.source = model.app;
    entry.givenName = model.name;
    readHeader(model.path);
  }
  nameModels();
  Q_EMIT countChanged();
}

void ModelLibrary::openBuiltIn() {
  if (!d->builtIn.isEmpty()) openPath(d->builtIn);
}

void ModelLibrary::remove(int row) {
  if (row < 0 || row >= count() || d->entries[static_cast<std::size_t>(row)].builtIn) return;
  beginRemoveRows({}, row, row);
  d->entries.erase(d->entries.begin() + row);
  endRemoveRows();
  nameModels();
  Q_EMIT countChanged();
  d->grouping.start();
  d->save();
}

void ModelLibrary::refresh() {
  if (!d->models.isEmpty()) addFolder(d->models);           // models downloaded by `minerva get`
  if (!d->otherApps.isEmpty()) setOtherApps(d->otherApps);  // likewise by those
  for (const Private::Entry& entry : d->entries) readHeader(entry.header.path);
}

void ModelLibrary::readHeader(const QString& path) {
  auto* watcher = new QFutureWatcher<ModelHeader>(this);
  connect(watcher, &QFutureWatcher<ModelHeader>::finished, this, [this, watcher] {
    watcher->deleteLater();
    const int row = d->rowOf(watcher->result().path);
    if (row < 0) return;
    Private::Entry& entry = d->entries[static_cast<std::size_t>(row)];
    if (watcher->result().missing && d->isGone(entry)) return remove(row);
    ModelHeader header = watcher->result();
    if (entry.builtIn) header.name = entry.header.name;
    if (!entry.givenName.isEmpty()) header.name = entry.givenName;
    if (std::exchange(entry.header, header) != header) entry.fit.reset();
    nameModels();
    Q_EMIT dataChanged(index(row), index(row));
    d->grouping.start();
  });
  watcher->setFuture(QtConcurrent::run(&readModelHeader, path));
}

void ModelLibrary::nameModels() {
  const QStringList names = d->shownNames();
  for (int row = 0; row < count(); ++row) {
    QString& shown = d->entries[static_cast<std::size_t>(row)].shownName;
    if (std::exchange(shown, names[row]) != names[row]) Q_EMIT dataChanged(index(row), index(row), {NameRole});
  }
  nameLoaded();
}

// Uses the list's name for the loaded model everywhere, once its header has been read.
void ModelLibrary::nameLoaded() {
  if (d->inference == nullptr) return;
  const int row = d->rowOf(d->inference->model().path);
  if (row < 0) return;
  const Private::Entry& entry = d->entries[static_cast<std::size_t>(row)];
  if (entry.builtIn || !entry.header.format.isEmpty()) d->inference->setShownName(entry.shownName);
}

// Moves the other formats of each model directly below it, in list order.
void ModelLibrary::groupTwins() {
  auto& entries = d->entries;
  std::vector<TwinFacts> facts;  // per row, so that each name is parsed only once
  for (const Private::Entry& entry : entries) facts.push_back(entry.twinFacts());
  for (int first = 0, next = 1; first < count(); first = next++) {
    for (int row = next; row < count(); ++row) {
      if (!areTwins(facts[static_cast<std::size_t>(first)], facts[static_cast<std::size_t>(row)])) continue;
      if (row != next) {
        beginMoveRows({}, row, row, {}, next);
        std::rotate(entries.begin() + next, entries.begin() + row, entries.begin() + row + 1);
        std::rotate(facts.begin() + next, facts.begin() + row, facts.begin() + row + 1);
        endMoveRows();
      }
      ++next;
    }
  }
  if (count() > 0) Q_EMIT dataChanged(index(0), index(count() - 1), {TwinAboveRole});
}

void ModelLibrary::noteSpeed(const QString& path, double tokensPerSecond) {
  const int row = d->rowOf(path);
  if (row < 0 || !(tokensPerSecond > 0)) return;
  d->entries[static_cast<std::size_t>(row)].measured = tokensPerSecond;
  d->save();
  Q_EMIT dataChanged(index(row), index(row), {MeasuredRole});
}

ModelTrash* ModelLibrary::trash() const { return &d->trash; }
Duplicates* ModelLibrary::duplicates() const { return &d->duplicates; }
QStringList ModelLibrary::unreadable() const { return d->unreadable; }

void ModelLibrary::moveToTrash(int row) {
  if (row < 0 || row >= count() || !index(row).data(OwnRole).toBool() || d->trash.isBusy()) return;
  const Private::Entry& entry = d->entries[static_cast<std::size_t>(row)];
  const ModelHeader& header = entry.header;
  if (d->inference != nullptr && d->inference->isLoading(header.path)) d->inference->cancelLoad();
  if (d->inference != nullptr && d->inference->model().path == header.path) d->inference->unload();
  if (d->inference != nullptr) d->inference->unloadKept(header.path);
  d->trash.put(header.path, entry.shownName, header.sizeBytes);
}

void ModelLibrary::lookForDuplicates() {
  QList<LibraryModel> models;
  for (const Private::Entry& entry : d->entries)
    if (!entry.header.missing) models << LibraryModel{entry.header.path, entry.shownName, entry.source};
  d->duplicates.look(models);
}

QVariantList ModelLibrary::embeddingModels() const {
  QVariantList models;
  for (const Private::Entry& entry : d->entries)
    if (entry.header.embeds && !entry.header.missing && entry.header.problem.isEmpty())
      models << QVariantMap{{QStringLiteral("value"), entry.header.path}, {QStringLiteral("title"), entry.shownName}};
  return models;
}

QString ModelLibrary::twinsOf(const QString& name) const {
  const TwinFacts facts{.base = baseNameOf(name), .family = {}};
  QStringList names;
  for (const Private::Entry& entry : d->entries)
    if (!entry.header.missing && areTwins(facts, entry.twinFacts())) names << entry.kindName();
  names.removeDuplicates();
  return names.join(QStringLiteral(", "));
}

void ModelLibrary::setPreferences(const LoadPreferences& preferences, const BackendOptions& options) {
  if (preferences == d->preferences && options == d->backend) return;
  d->preferences = preferences;
  d->backend = options;
  for (Private::Entry& entry : d->entries) entry.fit.reset();
  if (count() > 0) Q_EMIT dataChanged(index(0), index(count() - 1), {FitRole, FitReasonRole});
}

void ModelLibrary::setDraftChoice(std::function<QString(const QString& model)> draftOf) { d->draftOf = std::move(draftOf); }

void ModelLibrary::forgetFit(const QString& path) {
  const int row = d->rowOf(path);
  if (row < 0) return;
  d->entries[static_cast<std::size_t>(row)].fit.reset();
  Q_EMIT dataChanged(index(row), index(row), {FitRole, FitReasonRole});
}

void ModelLibrary::checkFits() {
  if (!d->checkingFit) checkNextFit();
}

// Sequential, because each check opens the device.
void ModelLibrary::checkNextFit() {
  const auto next = std::ranges::find_if(d->entries, [](const Private::Entry& entry) {
    return !entry.fit && !entry.header.missing && entry.header.problem.isEmpty() && !entry.header.format.isEmpty();
  });
  d->checkingFit = next != d->entries.end();
  if (!d->checkingFit) return;
  auto* watcher = new QFutureWatcher<FitVerdict>(this);
  const FitQuestion question{.path = next->header.path,
                             .preferences = d->preferences,
                             .backend = d->backend,
                             .held = d->inference != nullptr ? d->inference->hostBytes() : 0,
                             .draft = d->draftOf ? d->draftOf(next->header.path) : QString()};
  connect(watcher, &QFutureWatcherBase::finished, this, [this, watcher, question, header = next->header] {
    watcher->deleteLater();
    const int row = d->rowOf(question.path);
    const bool sameDraft = question.draft == (d->draftOf ? d->draftOf(question.path) : QString());
    const bool same = row >= 0 && d->entries[static_cast<std::size_t>(row)].header == header && sameDraft;
    if (same && question.preferences == d->preferences && question.backend == d->backend) {
      d->entries[static_cast<std::size_t>(row)].fit = watcher->result();
      Q_EMIT dataChanged(index(row), index(row), {FitRole, FitReasonRole});
    }
    checkNextFit();
  });
  watcher->setFuture(QtConcurrent::run(&checkFit, question));
}

}  // namespace minerva::app
