// Runs the tst_*.qml with Minerva's QML modules on the import path.
#include <QQmlEngine>
#include <QtQml/QQmlExtensionPlugin>
#include <QtQuickTest>

Q_IMPORT_QML_PLUGIN(Minerva_AppPlugin)

class Setup : public QObject {
  Q_OBJECT
 public Q_SLOTS:
  void qmlEngineAvailable(QQmlEngine* engine) { engine->addImportPath(QStringLiteral("qrc:/qt/qml")); }
};

QUICK_TEST_MAIN_WITH_SETUP(minerva, Setup)

#include "main.moc"
