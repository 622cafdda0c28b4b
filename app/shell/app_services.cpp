#include "app/shell/app_services.h"

#include "app/actions/page_table.h"
#include "app/chat/store_thread.h"
#include "app/shell/frame_log.h"
#include "app/shell/reply_speaker.h"
#include "app/storage/own_files.h"
#include "core/base/resource_paths.h"

#include <QCoreApplication>
#include <QDir>
#include <QEvent>
#include <QFileInfo>
#include <QGuiApplication>
#include <QImage>
#include <QJsonObject>
#include <QPalette>
#include <QPointer>
#include <QQuickWindow>
#include <QStyleHints>
#include <QThread>
#include <QTimer>

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>

namespace minerva::app {
namespace {

constexpr int refreshDatesMs = 10 * 60 * 1000;
constexpr int saveSettingsMs = 1000;  // after the last change
// With software rendering, frames may take at most this share of the processor time from the model; with the conversation
// store and the compositor's own work the total is 1 %. The delay of text is bounded by longestIntervalMs. The cost of a frame
// is estimated from the GUI thread's CPU time plus costBesideMs (the compositor's copy), multiplied by costOfItsWork for
// wake-ups and evicted caches (measured with two cores).
constexpr double mostOfTheModel = 0.0075;
constexpr double costOfItsWork = 1.6;
constexpr double costBesideMs = 0.4;
constexpr double longestIntervalMs = 500;
constexpr double slowTokenMs = 125;  // slower tokens are shown immediately
constexpr int settleMs = 300;        // after a reply, so that the last frame is included
constexpr double megabyte = 1e6;
constexpr int chatRequests = 16;      // that the engine's queue holds beside the server's
constexpr int speedNeedsTokens = 16;  // shorter replies give no reliable speed

bool systemIsDark() {
#if QT_VERSION >= QT_VERSION_CHECK(6, 5, 0)
  const Qt::ColorScheme scheme = QGuiApplication::styleHints()->colorScheme();
  if (scheme != Qt::ColorScheme::Unknown) return scheme == Qt::ColorScheme::Dark;
#endif
  const QPalette palette = QGuiApplication::palette();
  return palette.color(QPalette::Window).lightness() < palette.color(QPalette::WindowText).lightness();
}

// The cache of compiled GPU pipelines and measurements is stored next to the conversations.
BackendOptions backendOptions(const Places& places) {
  BackendOptions options;
  options.cacheFolder = (places.data + QStringLiteral("/gpu")).toStdString();
  return options;
}

QString builtInPath() { return QString::fromStdString(builtInModelPath().value_or(std::filesystem::path()).string()); }

// Prepares an INI file for reading and writing. Backs up an unreadable one under another name and adds its error to
// `problems`.
QString iniFile(const QString& file, const char* what, QList<Error>& problems) {
  QDir().mkpath(QFileInfo(file).path());
  if (const std::optional<Error> problem = keepUnreadable(file, what)) problems << *problem;
  return ownersOnly(file);
}

CompareController::Places comparePlaces(const Places& places) {
  return {places.data + QStringLiteral("/comparisons.sqlite"), places.cache + QStringLiteral("/models"), builtInPath()};
}

}  // namespace

struct AppServices::Private {
  explicit Private(const Options& given)
      : options(given),
        places(placesFor(given)),
        settings(iniFile(places.settings + QStringLiteral("/settings.ini"), "the settings", unread)),
        presets(&settings, &unread),
        settingsModel(&settings),
        store(places.data + QStringLiteral("/conversations.sqlite")),
        inference(backendOptions(places)),
        panel(&inference, &inference),
        recorder(&inference, &inference),
        deviceCheck(backendOptions(places), builtInPath(), &inference.bandwidths()),
        metrics(&inference, &recorder, places.data + QStringLiteral("/metrics.sqlite")),
        library(&inference, iniFile(places.settings + QStringLiteral("/models.ini"), "the models in the list", unread), builtInPath()),
        hub(HubAccess::fromEnvironment(), places.data + QStringLiteral("/requests.log"), places.models, backendOptions(places)),
        servers(iniFile(places.settings + QStringLiteral("/servers.ini"), "the servers in the list", unread), hub.log()),
        compare(comparePlaces(places), backendOptions(places)),
        speed(places.data + QStringLiteral("/benchmarks"), backendOptions(places)),
        chat(&inference, &store, &presets),
        context(&chat, &inference, &settings),
        prompt(&chat, &inference) {}
  Options options;
  Places places;
  QList<Error> unread;           // errors of own files that could not be read at startup
  std::optional<Error> unsaved;  // of the settings, until it is dismissed
  QTimer saving;                 // since the last change of a setting or preset
  bool toldUnsaved = false;      // since they could last be written
  Settings settings;
  Presets presets;
  SettingsModel settingsModel;
  DeviceModel devices;
  StoreThread store;
  InferenceController inference;
  LocalServer server;  // after `inference`, whose engine its requests use
  PanelModel panel;
  ReplyRecorder recorder;
  DeviceCheck deviceCheck;
  MetricsController metrics;
  ModelLibrary library;
  CopyJob copies;
  DraftChoice draft{&settings, &library};
  LoadForecast forecast, draftForecast;
  LoadPreferences preferences;
  HubService hub;
  ServerService servers;  // after `hub`, whose log its requests are in
  CompareController compare;
  SpeedBenchmark speed;
  ChatController chat;
  ContextGuard context;
  PromptView prompt;
  MeaningSearch meaning{&store};
  ReplySpeaker speaker{&chat};
  FrameLog frames;
  const bool firstRun = settings.lastModel().isEmpty();
  QString announcement;
  bool standsIn = false;            // the built-in model is loaded because the last one is not there
  std::optional<ErrorInfo> absent;  // says so, until it is dismissed
  QString triedModel;               // the last model whose loading was attempted, successful or not
  QTimer dates;
  QJsonObject lastReply;
  QPointer<QQuickWindow> window;
  bool promptSent = false, lastReplyFailed = false;
};

bool isDarkTheme(const QString& theme) { return theme == QLatin1String("dark") || (theme != QLatin1String("light") && systemIsDark()); }

AppServices::AppServices(const Options& options, QObject* parent) : QObject(parent), d(std::make_unique<Private>(options)) {
  connect(&d->inference, &InferenceController::devicesFound, &d->devices, &DeviceModel::setDevices);
  connect(&d->inference, &InferenceController::devicesFound, &d->deviceCheck, &DeviceCheck::setDevices);
  connect(d->metrics.benchmark(), &Benchmark::changed, this, [this] {
    if (!d->metrics.benchmark()->isRunning() && !d->chat.isGenerating() && !d->chat.isGeneratingElsewhere()) d->frames.setStreaming(false);
  });
  connect(&d->inference, &InferenceController::loaded, this, [this](const QString& path) {
    const bool standsIn = path == d->library.builtInPath() && std::exchange(d->standsIn, false);
    if (!standsIn) d->settings.set_lastModel(path);  // the one it stands in for is chosen again at the next start
    if (!d->inference.isElsewhere()) d->triedModel = path;
    d->settings.setModelDefaults(settingsFrom(d->inference.recommendedSampling()));
    d->context.setModel(d->inference.model());
    d->presets.moveOfModel(d->inference.model().ownName, path);
  });
  connect(&d->inference, &InferenceController::modelChanged, this, [this] {
    if (!d->inference.model().isSet()) d->context.setModel({});
    d->speed.setModel(d->inference.model());
    askForecast();  // the memory held by the model has changed
  });
  connectServers();
  connect(&d->inference, &InferenceController::loadFailed, &d->context, &ContextGuard::loadFailed);
  connect(&d->inference, &InferenceController::loadCancelled, &d->context, &ContextGuard::loadFailed);
  connect(&d->inference, &InferenceController::loadFailed, this, [this](const QString& path) {
    d->triedModel = path;
    askForecast();
  });
  connect(&d->context, &ContextGuard::reloadWanted, &d->inference, &InferenceController::reload);
  connect(&d->inference, &ReplySource::submitted, this, [this] { d->frames.setStreaming(true); });
  connect(&d->inference, &ReplySource::updated, this, &AppServices::noteReply);
  connect(&d->copies, &CopyJob::finished, &d->library, &ModelLibrary::add);
  connect(&d->hub, &HubService::downloadUnreadable, this, [this](const Error& error) {
    d->unread << error;
    Q_EMIT unreadChanged();
  });
  connect(d->hub.downloads(), &DownloadsModel::finished, &d->library, &ModelLibrary::add);
  connect(d->library.trash(), &ModelTrash::trashed, &d->hub, &HubService::checkInstalled);
  connect(d->library.trash(), &ModelTrash::restored, &d->hub, &HubService::checkInstalled);
  connect(d->hub.downloads(), &DownloadsModel::replaced, d->library.trash(), [this](const DownloadItem& item, const ReplacedVersion& old) {
    d->library.trash()->took(tr("The earlier version of %1").arg(item.name()), static_cast<double>(old.bytes), old.place);
  });
  d->inference.bandwidths().keepIn(d->places.data + QStringLiteral("/bandwidths.json"));
  connect(&d->inference, &InferenceController::bandwidthChanged, &d->hub, [this] { d->hub.setBandwidth(d->inference.bandwidth().curve); });
  connect(&d->inference, &InferenceController::stateChanged, this, &AppServices::noteOtherWork);
  connect(&d->deviceCheck, &DeviceCheck::changed, this, &AppServices::noteOtherWork);
  connect(&d->compare, &CompareController::changed, this, &AppServices::noteOtherWork);
  connect(&d->copies, &CopyJob::changed, this, &AppServices::noteOtherWork);
  connect(&d->speed, &SpeedBenchmark::runningChanged, this, &AppServices::noteOtherWork);
  connect(&d->meaning, &MeaningSearch::computingChanged, this, &AppServices::noteOtherWork);
  d->inference.setGuest(d->server.guest());
  const auto draftOf = [this](const QString& model) { return d->draft.ofModel(model); };
  d->inference.setDraftChoice(draftOf);
  d->library.setDraftChoice(draftOf);
  connect(&d->draft, &DraftChoice::chosenFor, &d->library, &ModelLibrary::forgetFit);
  connect(&d->draft, &DraftChoice::changed, this, &AppServices::askForecast);
  connect(&d->inference, &InferenceController::stateChanged, this, &AppServices::tellServer);
  connect(&d->inference, &InferenceController::modelChanged, this, &AppServices::tellServer);
  connect(&d->server, &LocalServer::modelWanted, &d->inference, &InferenceController::wakeUp);
  connect(&d->server, &LocalServer::keyMade, &d->settings, &Settings::set_serveKey);
  connect(d->server.requests(), &RequestList::used, &d->inference, &InferenceController::noteGuestWork);
  connect(d->server.requests(), &RequestList::changed, this, &AppServices::noteOtherWork);
  d->chat.searchByMeaning(&d->meaning);
  connect(&d->settings, &Settings::changed, this, &AppServices::applyPreferences);
  connect(&d->settings, &Settings::themeChanged, this, &AppServices::darkChanged);
  connect(&d->chat, &ChatController::replyFinished, this, &AppServices::replyFinished);
  connect(&d->chat, &ChatController::replyBegun, &d->recorder, &ReplyRecorder::follow);
  connect(&d->chat, &ChatController::replyBegun, this,
          [this](quint64 request) { d->panel.setConversation(request, d->chat.conversationOf(request)); });
  connect(&d->chat, &ChatController::currentChanged, this, [this] { d->panel.showConversation(d->chat.currentId()); });
  connect(&d->chat, &ChatController::timingRequested, &d->metrics, &MetricsController::openMessage);
  connect(&d->speaker, &ReplySpeaker::said, this, [this](const QString& sentence) {
    d->announcement = sentence;
    Q_EMIT announcementChanged();
  });
  connect(&d->dates, &QTimer::timeout, d->chat.conversations(), &ConversationListModel::refreshDates);
  d->dates.start(refreshDatesMs);
  d->saving.setSingleShot(true);
  connect(&d->saving, &QTimer::timeout, this, &AppServices::saveSettings);
  const auto saveSoon = [this] { d->saving.start(saveSettingsMs); };
  connect(&d->settings, &Settings::changed, this, saveSoon);
  connect(&d->presets, &Presets::changed, this, saveSoon);
  d->compare.restore(d->settings.compareForm());
  const auto keepForm = [this] {
    if (d->compare.state() == CompareController::Choosing) d->settings.set_compareForm(d->compare.kept());
  };
  connect(&d->compare, &CompareController::changed, this, keepForm);
  d->compare.setChatSampling([this] { return d->chat.replyTerms().sampling; });
  connect(qApp, &QCoreApplication::aboutToQuit, &d->chat, &ChatController::flush);
#if QT_VERSION >= QT_VERSION_CHECK(6, 5, 0)
  connect(QGuiApplication::styleHints(), &QStyleHints::colorSchemeChanged, this, &AppServices::darkChanged);
#else
  qApp->installEventFilter(this);
#endif
  applyPreferences();
  d->library.addFolder(d->places.models);
  d->copies.setModelsFolder(d->places.models);
  const auto listOtherApps = [this] { d->library.setOtherApps(d->settings.otherApps() ? otherAppPlaces() : QList<OtherAppPlace>()); };
  connect(&d->settings, &Settings::otherAppsChanged, this, listOtherApps);
  listOtherApps();
}

AppServices::~AppServices() = default;

bool AppServices::eventFilter(QObject* watched, QEvent* event) {
  if (watched == qApp && event->type() == QEvent::ApplicationPaletteChange) Q_EMIT darkChanged();
  return false;
}

InferenceController* AppServices::inference() const { return &d->inference; }
DeviceModel* AppServices::devices() const { return &d->devices; }
ChatController* AppServices::chat() const { return &d->chat; }
ContextGuard* AppServices::context() const { return &d->context; }
PromptView* AppServices::prompt() const { return &d->prompt; }
MeaningSearch* AppServices::meaning() const { return &d->meaning; }
ModelLibrary* AppServices::library() const { return &d->library; }
CopyJob* AppServices::copies() const { return &d->copies; }
DraftChoice* AppServices::draft() const { return &d->draft; }
HubService* AppServices::hub() const { return &d->hub; }
ServerService* AppServices::servers() const { return &d->servers; }
CompareController* AppServices::compare() const { return &d->compare; }
PanelModel* AppServices::panel() const { return &d->panel; }
MetricsController* AppServices::metrics() const { return &d->metrics; }
SpeedBenchmark* AppServices::speed() const { return &d->speed; }
DeviceCheck* AppServices::deviceCheck() const { return &d->deviceCheck; }
LocalServer* AppServices::server() const { return &d->server; }
Settings* AppServices::settings() const { return &d->settings; }
Presets* AppServices::presets() const { return &d->presets; }
SettingsModel* AppServices::settingsModel() const { return &d->settingsModel; }
LoadForecast* AppServices::forecast() const { return &d->forecast; }
LoadForecast* AppServices::draftForecast() const { return &d->draftForecast; }
QString AppServices::version() const { return QStringLiteral(MINERVA_VERSION); }
QString AppServices::startPage() const {
  if (!d->options.page.isEmpty()) return d->options.page;
  const QString last = d->settings.lastPage();
  return pageKeys().contains(last) ? last : pageKeys().first();
}
bool AppServices::isFirstRun() const { return d->firstRun; }
QVariantList AppServices::unread() const {
  QVariantList list;
  for (const Error& error : d->unread) list << QVariant::fromValue(ErrorInfo::from(error, tr("Some data could not be read at startup")));
  if (d->unsaved) list << QVariant::fromValue(ErrorInfo::from(*d->unsaved, tr("Your settings could not be saved")));
  if (d->absent) list << QVariant::fromValue(*d->absent);
  return list;
}

void AppServices::dismissUnread(int place) {
  if (place < 0 || place >= unread().size()) return;
  if (place < d->unread.size()) d->unread.removeAt(place);
  else if (place == d->unread.size() && d->unsaved) d->unsaved.reset();
  else d->absent.reset();
  Q_EMIT unreadChanged();
}

void AppServices::saveSettings() {
  const Result<void> saved = d->settings.save();
  const bool isNews = saved ? d->unsaved.has_value() : !d->toldUnsaved;
  d->toldUnsaved = !saved;
  if (!isNews) return;
  d->unsaved = saved ? std::nullopt : std::optional(saved.error());
  Q_EMIT unreadChanged();
}

QString AppServices::announcement() const { return d->announcement; }

bool AppServices::isDark() const {
  const QString theme = d->options.theme.isEmpty() ? d->settings.theme() : d->options.theme;
  return isDarkTheme(theme);
}

void AppServices::applyPreferences() {
  if (const QString address = d->hub.proxyPassword().take(d->settings.proxy()); address != d->settings.proxy())
    return d->settings.set_proxy(address);  // emits changed(), which calls this function again
  if (d->settings.serveOthers() && d->settings.serveKey().isEmpty()) return d->settings.set_serveKey(LocalServer::newKey());  // as above
  const bool serves = d->settings.serveOn();
  const QString device = d->options.device.isEmpty() ? d->settings.device() : d->options.device;
  d->preferences = {
      .device = device,
      .contextLength = d->settings.contextLength(),
      .threads = d->settings.threads(),
      .drafts = d->settings.drafts(),
      .batchInvariant = d->settings.batchInvariant(),
      .models = d->settings.modelsInMemory(),
      .waiting = LocalServer::waiting + LoadPreferences::usualSequences + chatRequests,
  };
  d->preferences.setMemory(d->settings.gpuMemory(), d->settings.kvType());
  d->inference.setPreferences(d->preferences);
  d->server.apply({.on = serves, .port = d->settings.servePort(), .others = d->settings.serveOthers(), .key = d->settings.serveKey()});
  d->inference.setRestAfter(std::chrono::minutes(d->settings.unloadAfter()));
  d->library.setPreferences(d->preferences, backendOptions(d->places));
  d->hub.setHeld([this] { return d->inference.hostBytes(); });
  d->hub.setPreferences(
      {.offline = d->settings.offline(), .bytesPerSecond = d->settings.downloadLimit() * megabyte, .proxy = d->settings.proxy()},
      d->preferences);
  d->compare.setPreferences(d->preferences);
  d->speed.setPreferences(d->preferences);
  d->meaning.setModel(d->settings.meaningModel());
  askForecast();
}

// A comparison, a benchmark or a copy competes for memory bandwidth, and so do the model and the test of a device with each other: no
// bandwidth is measured meanwhile.
void AppServices::noteOtherWork() {
  const CompareController::State state = d->compare.state();
  const bool compares = state == CompareController::Running || state == CompareController::Preparing;
  const bool copies = d->copies.state() == CopyJob::Running, others = compares || copies || d->speed.isRunning();
  const InferenceController::State model = d->inference.state();
  const bool busy =
      model == InferenceController::Generating || model == InferenceController::Loading || d->server.requests()->underway() > 0;
  d->meaning.setBusy(others || busy || !d->deviceCheck.testing().isEmpty());
  d->inference.setBusyElsewhere(others || !d->deviceCheck.testing().isEmpty() || d->meaning.isComputing());
  d->deviceCheck.setBusyElsewhere(others || busy || d->meaning.isComputing());
  QString why;
  if (busy) why = tr("The model is working: measure when it is idle.");
  else if (compares) why = tr("A comparison is running: measure after it.");
  else if (copies) why = tr("A smaller copy is being made: measure after it.");
  else if (!d->deviceCheck.testing().isEmpty()) why = tr("A device is being tested: measure after it.");
  d->speed.setBusy(why);
}

// Their requests go the way of the hub's: the same proxy, log and Offline.
void AppServices::connectServers() {
  d->inference.setOtherEngine(d->servers.engine());
  d->compare.setServers(d->servers.comparisonEngine());
  connect(&d->hub, &HubService::networkChanged, &d->servers, &ServerService::setNetwork);
  d->servers.setPrepare([this](const QUrl& server, std::function<void()> then) {
    if (isThisMachine(server.host())) then();
    else d->hub.withProxy(std::move(then));
  });
}

void AppServices::tellServer() {
  const ModelFacts& facts = d->inference.model();
  const int atOnce = d->inference.sequences();
  LocalServer::Model model = LocalServer::Model::none;
  if (atOnce > 0) model = LocalServer::Model::loaded;
  else if (d->inference.state() == InferenceController::Loading) model = LocalServer::Model::loading;
  else if (d->inference.state() == InferenceController::Resting) model = LocalServer::Model::resting;
  d->server.setModel(model, facts.ownName, atOnce);
}

// For the loaded model, or the last one that was to be loaded; and for the one whose draft model is being chosen.
void AppServices::askForecast() {
  const auto question = [this](const QString& path) {
    return FitQuestion{.path = path,
                       .preferences = d->preferences,
                       .backend = backendOptions(d->places),
                       .held = d->inference.hostBytes(),
                       .draft = d->draft.ofModel(path)};
  };
  const QString drafted = d->draft.chosen().isEmpty() ? QString() : d->draft.model();
  if (!drafted.isEmpty()) d->draftForecast.ask(drafted, question(drafted));
  d->draftForecast.setWanted(!drafted.isEmpty());
  const ModelFacts& now = d->inference.model();
  const QString path = now.isSet() ? now.path : d->triedModel;
  if (path.isEmpty() || d->inference.isElsewhere()) return;
  d->forecast.ask(now.isSet() ? now.name : d->inference.loadingName(), question(path));
}

void AppServices::start(QQuickWindow* window, bool softwareRendering) {
  d->frames.attach(window);
  d->recorder.setWindow(window);
  connect(&d->inference, &InferenceController::delivering, &d->frames, &FrameLog::textDelivered);
  if (softwareRendering) {
    connect(&d->inference, &ReplySource::updated, this, &AppServices::paceText);
    connect(&d->chat, &ChatController::activityChanged, this, &AppServices::steadyCaret);
  }
  if (!d->options.prompt.isEmpty()) {
    connect(&d->chat, &ChatController::activityChanged, this, &AppServices::sendPrompt);
    connect(&d->inference, &InferenceController::loadFailed, this, [this] {
      if (d->options.exitAfterReply) QCoreApplication::exit(1);
    });
  }
  if (!d->options.grab.isEmpty() && !d->options.exitAfterReply)
    QTimer::singleShot(d->options.grabAfterMs, window, [this, window] {
      grab(window);
      QCoreApplication::quit();
    });
  d->window = window;
  d->speaker.setWindow(window);
  openFirstModel();
}

void AppServices::paceText(const ReplyUpdate& update) {
  if (!update.tokens.empty() && update.tokens.back().sinceLastMs > slowTokenMs) return d->inference.setFrameInterval(0);
  const double cost = costOfItsWork * (costBesideMs + d->frames.recentCpuMs());
  const double interval = std::min(longestIntervalMs, cost / (mostOfTheModel * QThread::idealThreadCount()));
  d->inference.setFrameInterval(static_cast<int>(interval));
}

// A blinking caret causes two frames per second, for each of which a thread of the model has to pause.
void AppServices::steadyCaret() {
  const bool writing = d->chat.isGenerating() || d->chat.isGeneratingElsewhere();
  QGuiApplication::styleHints()->setCursorFlashTime(writing ? 0 : -1);  // -1: system default
}

void AppServices::openFirstModel() {
  const QString last = d->settings.lastModel();
  if (!d->options.model.isEmpty()) d->library.openPath(d->options.model);
  else if (d->servers.engine()->subject(last) != nullptr) d->inference.load(last);
  else if (!last.isEmpty() && QFileInfo::exists(last)) d->library.openPath(last);
  else openStandIn(last);
}

void AppServices::openStandIn(const QString& last) {
  if (QFileInfo(last).isAbsolute() && last != d->library.builtInPath()) {  // a server's model goes with its server
    d->standsIn = true;
    ErrorInfo& absent = d->absent.emplace();
    absent.headline = tr("The model you used last is not there");
    absent.detail = last;
    absent.hint = tr("If its disk is not connected, connect it and choose the model again. The built-in model is open meanwhile");
    absent.details = absent.headline + QLatin1Char('\n') + absent.detail;
    Q_EMIT unreadChanged();
  }
  d->library.openBuiltIn();
}

void AppServices::openFromOtherInstance(const QString& path) {
  if (!path.isEmpty()) d->library.openPath(path);
  Q_EMIT raiseRequested();
}

void AppServices::sendPrompt() {
  if (d->promptSent || !d->chat.canSend()) return;
  d->promptSent = true;
  if (d->options.exitAfterReply) d->chat.send(d->options.prompt);  // no dialog: a message that does not fit just fails
  else d->context.send(d->options.prompt);
}

void AppServices::noteReply(const ReplyUpdate& update) {
  d->lastReplyFailed = update.failed.has_value();
  d->frames.tokensMade(update.tokens);
  if (!update.finished) return;
  const engine::Timings& t = update.finished->timings;
  const Subject subject = update.span.subject ? *update.span.subject : Subject{};
  if (t.generatedTokens >= speedNeedsTokens) d->library.noteSpeed(subject.model.path, t.decodeTokensPerSecond);
  d->lastReply = QJsonObject{{QStringLiteral("model"), subject.model.path},
                             {QStringLiteral("device"), subject.device.text},
                             {QStringLiteral("ttft_ms"), t.ttftMs},
                             {QStringLiteral("prompt_tokens"), t.promptTokens},
                             {QStringLiteral("generated_tokens"), t.generatedTokens},
                             {QStringLiteral("prefill_tokens_per_second"), t.prefillTokensPerSecond},
                             {QStringLiteral("decode_tokens_per_second"), t.decodeTokensPerSecond},
                             {QStringLiteral("tpot_p50_ms"), t.tpotP50},
                             {QStringLiteral("tpot_p99_ms"), t.tpotP99}};
}

void AppServices::replyFinished() {
  QTimer::singleShot(settleMs, this, [this] {
    d->frames.setStreaming(d->chat.isGenerating() || d->chat.isGeneratingElsewhere());
    if (!d->options.frameLog.isEmpty() && !d->frames.write(d->options.frameLog, d->lastReply))
      spdlog::error("the frame log could not be written ({})", d->options.frameLog.toStdString());
    if (!d->options.exitAfterReply || !d->promptSent) return;
    if (!d->options.grab.isEmpty()) grab(d->window);
    QCoreApplication::exit(d->lastReplyFailed ? 1 : 0);
  });
}

void AppServices::grab(QQuickWindow* window) {
  if (!window->grabWindow().save(d->options.grab)) spdlog::error("the screenshot could not be saved ({})", d->options.grab.toStdString());
}

}  // namespace minerva::app
