// Errors in the window: in its language, whole, and with room for long sentences.
//
// With MINERVA_PICTURES=FOLDER each screen is also saved as a PNG for inspection.
#include "app/shell/language.h"
#include "app_test.h"
#include "screen_checks.h"

#include <QDir>
#include <QFile>

using namespace minerva::app;

namespace {

// The built-in model with its config changed.
QString modelWith(const QString& folder, const QString& name, const char* before, const char* after) {
  const QString copy = copyOfBuiltIn(folder, name);
  editFile(copy + QStringLiteral("/config.json"), [=](QByteArray& text) { text.replace(before, after); });
  return copy;
}

QString modelFileOf(const QString& folder, const QByteArray& content) {
  QFile file(folder + QStringLiteral("/model.gguf"));
  if (!file.open(QIODevice::WriteOnly) || file.write(content) < 0) qFatal("no file");
  return file.fileName();
}

}  // namespace

class ErrorWindowTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void cleanup() { useLanguage(QStringLiteral("en")); }

  void modelsThatCannotBeLoaded_data() { addScreenRows(); }
  void modelsThatCannotBeLoaded() {
    QFETCH(QString, language);
    QFETCH(double, scale);
    QFETCH(QSize, size);
    QFETCH(QString, theme);
    useLanguage(language);
    const bool german = language == QLatin1String("de");
    MainWindow minerva(QStringLiteral("chat"), size, theme);
    minerva.services->settings()->set_uiScale(scale);
    QVERIFY(minerva.start());
    InferenceController* inference = minerva.services->inference();
    struct Broken {
      QString name, path, english, german;
    };
    const QString folder = minerva.folder();
    for (const Broken& broken : {Broken{QStringLiteral("missing"),
                                        modelWith(folder, QStringLiteral("deeper"), "\"num_hidden_layers\": ", "\"num_hidden_layers\": 9"),
                                        QStringLiteral("The model lacks the tensor "), QStringLiteral("Dem Modell fehlt der Tensor ")},
                                 Broken{QStringLiteral("old"), modelWith(folder, QStringLiteral("other"), "llama", "owl"),
                                        QStringLiteral("The architecture \"owl\" is not supported yet"),
                                        QStringLiteral("Die Architektur „owl“ wird noch nicht unterstützt")},
                                 Broken{QStringLiteral("page"), modelFileOf(folder, "<!DOCTYPE html><html></html>"),
                                        QStringLiteral("This is a web page, not a model: the download failed"),
                                        QStringLiteral("Das ist eine Webseite, kein Modell: Der Download ist misslungen")}}) {
      inference->load(broken.path);
      QTRY_VERIFY2(inference->error().detail.startsWith(german ? broken.german : broken.english), qPrintable(inference->error().detail));
      QTest::qWait(250);
      save(minerva, QStringLiteral("error-%1-%2-%3-%4-%5").arg(broken.name, language, theme).arg(scale).arg(size.width()));
      bool reason = false, hint = false;
      QStringList wrong = overlaps(minerva.window->contentItem());
      wrong << problems(minerva.window->contentItem(), [&](QQuickItem* item) {
        const QString text = item->inherits("QQuickText") ? item->property("text").toString() : QString();
        reason = reason || text == inference->error().detail;
        hint = hint || text == inference->error().hint;
        return QStringList{cut(item), outside(item, minerva.window)};
      });
      QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(QStringLiteral("; "))));
      QVERIFY2(reason && hint, qPrintable(inference->error().details));
    }
  }

 private:
  void save(const MainWindow& minerva, const QString& name) const {
    const QString folder = qEnvironmentVariable("MINERVA_PICTURES");
    if (!folder.isEmpty()) QVERIFY(minerva.window->grabWindow().save(QDir(folder).filePath(name + QStringLiteral(".png"))));
  }
};

APP_TEST(ErrorWindowTest, "error_window", QGuiApplication)
#include "tst_error_window.moc"
