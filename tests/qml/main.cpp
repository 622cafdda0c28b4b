// Runs the tst_*.qml with Minerva's QML modules on the import path.
#include "app/library/copy_job.h"

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
  }

 private:
  QTemporaryDir m_folder;
  minerva::app::CopyJob m_copies;
};

QUICK_TEST_MAIN_WITH_SETUP(minerva, Setup)

#include "main.moc"
