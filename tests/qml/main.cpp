// Runs the tst_*.qml with Minerva's QML modules on the import path.
#include "app/chat/chat_controller.h"
#include "app/chat/meaning_search.h"
#include "app/chat/store_thread.h"
#include "app/compare/compare_controller.h"
#include "app/inference/inference_controller.h"
#include "app/library/copy_job.h"
#include "app/library/model_library.h"
#include "app/remote/server_service.h"
#include "app/settings/presets.h"
#include "app/settings/settings.h"
#include "tests/app/scripted_source.h"

#include "../app/counted_chat.h"

#include <QQmlContext>
#include <QQmlEngine>
#include <QTemporaryDir>
#include <QtQml/QQmlExtensionPlugin>
#include <QtQuickTest>

#include <optional>

Q_IMPORT_QML_PLUGIN(Minerva_AppPlugin)

class Setup : public QObject {
  Q_OBJECT
 public Q_SLOTS:
  void qmlEngineAvailable(QQmlEngine* engine) {
    engine->addImportPath(QStringLiteral("qrc:/qt/qml"));
    QQmlContext* context = engine->rootContext();
    context->setContextProperty(QStringLiteral("copies"), &m_copies);
    context->setContextProperty(QStringLiteral("builtInModel"), QStringLiteral(MINERVA_SOURCE_DIR "/resources/builtin-model"));
    context->setContextProperty(QStringLiteral("emptyFolder"), m_folder.path());
    if (!m_pages) m_pages.emplace(m_folder);
    for (minerva::app::CompareController* page : {&m_pages->comparison, &m_pages->tight})
      page->setPreferences({.device = QStringLiteral("cpu")});
    m_pages->tight.setFreeBytes(20000000);
    context->setContextProperty(QStringLiteral("comparison"), &m_pages->comparison);
    context->setContextProperty(QStringLiteral("tightComparison"), &m_pages->tight);
    context->setContextProperty(QStringLiteral("models"), &m_pages->models);
    context->setContextProperty(QStringLiteral("boxes"), &m_pages->servers);
    context->setContextProperty(QStringLiteral("search"), &m_pages->meaning);
    context->setContextProperty(QStringLiteral("embeddingModel"),
                                QStringLiteral(MINERVA_SOURCE_DIR "/tests/data/embedding/tiny-xlm-roberta/hf"));
    context->setContextProperty(QStringLiteral("countedChat"), &m_pages->counted.chat);
    context->setContextProperty(QStringLiteral("contextGuard"), &m_pages->counted.guard);
    context->setContextProperty(QStringLiteral("promptView"), &m_pages->counted.prompt);
    context->setContextProperty(QStringLiteral("idleEngine"), &m_pages->inference);
    context->setContextProperty(QStringLiteral("conversations"), &m_pages->chat);
    context->setContextProperty(QStringLiteral("scripted"), this);
    context->setContextProperty(QStringLiteral("preferences"), &m_pages->settings);
    context->setContextProperty(QStringLiteral("chatPresets"), &m_pages->presets);
  }

  void cleanupTestCase() { m_pages.reset(); }  // while the application still exists

 public:
  // Text from the model of `conversations`.
  Q_INVOKABLE void say(const QString& text) { m_pages->source.say(text); }
  Q_INVOKABLE void endReply() { m_pages->source.end(minerva::engine::FinishReason::endOfTurn); }

  Q_INVOKABLE void addModel(const QString& path) { m_pages->models.add(path); }

  // What the chat template of the model of `conversations` knows.
  Q_INVOKABLE void setReasoning(bool canSwitch, bool onByDefault, const QStringList& efforts, const QString& usual) {
    minerva::text::ReasoningControls controls;
    controls.canSwitch = canSwitch;
    controls.switchVariable = "enable_thinking";
    controls.onByDefault = onByDefault;
    for (const QString& effort : efforts) controls.efforts.push_back(effort.toStdString());
    controls.effortVariable = "reasoning_effort";
    controls.defaultEffort = usual.toStdString();
    m_pages->source.controls = controls;
    Q_EMIT m_pages->source.readyChanged();
  }

  // Ends the reply because the context is full, with these numbers of tokens.
  Q_INVOKABLE void endFull(int prompt, int reply) {
    minerva::app::ReplyUpdate update;
    update.request = m_pages->source.last;
    update.finished = minerva::engine::Finished{};
    update.finished->reason = minerva::engine::FinishReason::contextFull;
    update.finished->timings.promptTokens = prompt;
    update.finished->timings.generatedTokens = reply;
    Q_EMIT m_pages->source.updated(update);
  }

 private:
  QTemporaryDir m_folder;
  minerva::app::CopyJob m_copies;
  // Objects that need the application to exist.
  struct Pages {
    explicit Pages(const QTemporaryDir& folder)
        : comparison({folder.filePath(QStringLiteral("comparisons.sqlite")), folder.filePath(QStringLiteral("copies")), builtIn}),
          tight({QStringLiteral(":memory:"), folder.filePath(QStringLiteral("copies")), builtIn}),
          models(&inference, folder.filePath(QStringLiteral("models.ini")), builtIn),
          settings(folder.filePath(QStringLiteral("settings.ini"))),
          store(folder.filePath(QStringLiteral("conversations.sqlite"))),
          chat(&source, &store, &presets),
          counted(folder.path()) {
      QObject::connect(
          &counted.source, &minerva::app::ReplySource::submitted, &counted.chat,
          [this] {
            counted.source.say(QString(37, u'r').replace(u'r', QStringLiteral("r ")));
            counted.source.end(minerva::engine::FinishReason::endOfTurn);
          },
          Qt::QueuedConnection);
    }
    const QString builtIn = QStringLiteral(MINERVA_SOURCE_DIR "/resources/builtin-model");
    minerva::app::CompareController comparison, tight;
    minerva::app::InferenceController inference;
    minerva::app::ModelLibrary models;
    minerva::app::ServerService servers{{}, nullptr};
    minerva::app::Settings settings;
    minerva::app::Presets presets{&settings};
    minerva::app::StoreThread store;
    minerva::app::MeaningSearch meaning{&store};
    minerva::app::ScriptedSource source;
    minerva::app::ChatController chat;
    minerva::app::CountedChat counted;
  };
  std::optional<Pages> m_pages;
};

QUICK_TEST_MAIN_WITH_SETUP(minerva, Setup)

#include "main.moc"
