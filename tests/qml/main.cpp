// Runs the tst_*.qml with Minerva's QML modules on the import path.
#include "app/compare/compare_controller.h"
#include "app/inference/inference_controller.h"
#include "app/library/copy_job.h"
#include "app/library/model_library.h"

#include <QQmlContext>
#include <QQmlEngine>
#include <QTemporaryDir>
#include <QtQml/QQmlExtensionPlugin>
#include <QtQuickTest>

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
    for (minerva::app::CompareController* page : {&m_comparison, &m_tight}) page->setPreferences(QStringLiteral("cpu"), 0);
    m_tight.setFreeBytes(20000000);
    context->setContextProperty(QStringLiteral("comparison"), &m_comparison);
    context->setContextProperty(QStringLiteral("tightComparison"), &m_tight);
    context->setContextProperty(QStringLiteral("models"), &m_models);
    context->setContextProperty(QStringLiteral("idleEngine"), &m_inference);
  }

 private:
  QTemporaryDir m_folder;
  minerva::app::CopyJob m_copies;
  const QString m_builtIn = QStringLiteral(MINERVA_SOURCE_DIR "/resources/builtin-model");
  minerva::app::CompareController m_comparison{{m_folder.filePath(QStringLiteral("comparisons.sqlite")), m_folder.filePath(QStringLiteral("copies")), m_builtIn}};
  minerva::app::CompareController m_tight{{QStringLiteral(":memory:"), m_folder.filePath(QStringLiteral("copies")), m_builtIn}};
  minerva::app::InferenceController m_inference;
  minerva::app::ModelLibrary m_models{&m_inference, m_folder.filePath(QStringLiteral("models.ini")), m_builtIn};
};

QUICK_TEST_MAIN_WITH_SETUP(minerva, Setup)

#include "main.moc"
