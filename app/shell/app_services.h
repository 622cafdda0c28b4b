// Composition root: creates and connects all objects of the window. Main.qml receives it as `app`.
//
// GUI thread only. QML components get its parts through required properties; there are no globals.
#pragma once

#include "app/chat/chat_controller.h"
#include "app/chat/context_guard.h"
#include "app/chat/meaning_search.h"
#include "app/chat/prompt_view.h"
#include "app/hub/hub_service.h"
#include "app/compare/compare_controller.h"
#include "app/inference/device_check.h"
#include "app/inference/device_model.h"
#include "app/inference/inference_controller.h"
#include "app/library/copy_job.h"
#include "app/library/draft_choice.h"
#include "app/library/load_forecast.h"
#include "app/library/model_library.h"
#include "app/metrics/metrics_controller.h"
#include "app/metrics/panel_model.h"
#include "app/remote/server_service.h"
#include "app/serve/local_server.h"
#include "app/settings/presets.h"
#include "app/settings/settings.h"
#include "app/settings/settings_model.h"
#include "app/shell/options.h"
#include "app/speed/speed_benchmark.h"

#include <QObject>
#include <QUrl>
#include <qqmlregistration.h>

#include <memory>

class QQuickWindow;

namespace minerva::app {

// Of the setting `theme`, with "system" resolved.
[[nodiscard]] bool isDarkTheme(const QString& theme);

class AppServices : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by main.cpp")
  Q_PROPERTY(minerva::app::InferenceController* inference READ inference CONSTANT)
  Q_PROPERTY(minerva::app::DeviceModel* devices READ devices CONSTANT)
  Q_PROPERTY(minerva::app::ChatController* chat READ chat CONSTANT)
  Q_PROPERTY(minerva::app::ContextGuard* context READ context CONSTANT)
  Q_PROPERTY(minerva::app::PromptView* prompt READ prompt CONSTANT)
  Q_PROPERTY(minerva::app::MeaningSearch* meaning READ meaning CONSTANT)
  Q_PROPERTY(minerva::app::ModelLibrary* library READ library CONSTANT)
  Q_PROPERTY(minerva::app::CopyJob* copies READ copies CONSTANT)
  Q_PROPERTY(minerva::app::DraftChoice* draft READ draft CONSTANT)
  Q_PROPERTY(minerva::app::HubService* hub READ hub CONSTANT)
  Q_PROPERTY(minerva::app::ServerService* servers READ servers CONSTANT)
  Q_PROPERTY(minerva::app::CompareController* compare READ compare CONSTANT)
  Q_PROPERTY(minerva::app::PanelModel* panel READ panel CONSTANT)
  Q_PROPERTY(minerva::app::MetricsController* metrics READ metrics CONSTANT)
  Q_PROPERTY(minerva::app::SpeedBenchmark* speed READ speed CONSTANT)
  Q_PROPERTY(minerva::app::DeviceCheck* deviceCheck READ deviceCheck CONSTANT)
  Q_PROPERTY(minerva::app::LocalServer* server READ server CONSTANT)
  Q_PROPERTY(minerva::app::Settings* settings READ settings CONSTANT)
  Q_PROPERTY(minerva::app::Presets* presets READ presets CONSTANT)
  Q_PROPERTY(minerva::app::SettingsModel* settingsModel READ settingsModel CONSTANT)
  Q_PROPERTY(minerva::app::LoadForecast* forecast READ forecast CONSTANT)
  Q_PROPERTY(minerva::app::LoadForecast* draftForecast READ draftForecast CONSTANT)  // of the model whose draft model is being chosen
  Q_PROPERTY(QString version READ version CONSTANT)
  Q_PROPERTY(bool dark READ isDark NOTIFY darkChanged)                           // settings.theme (or --theme), with "system" resolved
  Q_PROPERTY(QString startPage READ startPage CONSTANT)                          // --page, else the page that was shown last
  Q_PROPERTY(bool firstRun READ isFirstRun CONSTANT)                             // no model had been used yet when the program started
  Q_PROPERTY(QString announcement READ announcement NOTIFY announcementChanged)  // the text a screen reader speaks next
  Q_PROPERTY(QVariantList unread READ unread NOTIFY unreadChanged)  // [errorInfo]: own files that could not be read at startup, or written

 public:
  explicit AppServices(const Options& options, QObject* parent = nullptr);
  ~AppServices() override;

  [[nodiscard]] InferenceController* inference() const;
  [[nodiscard]] DeviceModel* devices() const;
  [[nodiscard]] ChatController* chat() const;
  [[nodiscard]] ContextGuard* context() const;
  [[nodiscard]] PromptView* prompt() const;
  [[nodiscard]] MeaningSearch* meaning() const;
  [[nodiscard]] ModelLibrary* library() const;
  [[nodiscard]] CopyJob* copies() const;
  [[nodiscard]] DraftChoice* draft() const;
  [[nodiscard]] HubService* hub() const;
  [[nodiscard]] ServerService* servers() const;
  [[nodiscard]] CompareController* compare() const;
  [[nodiscard]] PanelModel* panel() const;
  [[nodiscard]] MetricsController* metrics() const;
  [[nodiscard]] SpeedBenchmark* speed() const;
  [[nodiscard]] DeviceCheck* deviceCheck() const;
  [[nodiscard]] LocalServer* server() const;
  [[nodiscard]] Settings* settings() const;
  [[nodiscard]] Presets* presets() const;
  [[nodiscard]] SettingsModel* settingsModel() const;
  [[nodiscard]] LoadForecast* forecast() const;
  [[nodiscard]] LoadForecast* draftForecast() const;
  [[nodiscard]] QString version() const;
  [[nodiscard]] QVariantList unread() const;
  Q_INVOKABLE void dismissUnread(int place);
  [[nodiscard]] bool isDark() const;
  [[nodiscard]] QString startPage() const;
  [[nodiscard]] bool isFirstRun() const;
  [[nodiscard]] QString announcement() const;

  // Call when Main.qml is loaded: loads the model, and sends --send, grabs the window and logs frames according to the
  // options. softwareRendering: rendering competes with the model for CPU cores, so text is delivered less often the more a
  // frame costs.
  void start(QQuickWindow* window, bool softwareRendering = false);
  void openFromOtherInstance(const QString& path);  // may be empty: only raises the window

 Q_SIGNALS:
  void darkChanged();
  void announcementChanged();
  void unreadChanged();
  void raiseRequested();  // the program was started a second time: show and raise the window

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void applyPreferences();
  void saveSettings();
  void askForecast();
  void noteOtherWork();
  void tellServer();
  void connectServers();
  void paceText(const ReplyUpdate& update);
  void steadyCaret();
  void openFirstModel();
  void openStandIn(const QString& last);
  void sendPrompt();
  void noteReply(const ReplyUpdate& update);
  void replyFinished();
  void grab(QQuickWindow* window);
  struct Private;
  std::unique_ptr<Private> d;
};

}  // namespace minerva::app
