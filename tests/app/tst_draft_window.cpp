// The draft model in the window: what its choice would take is said on the model's page and in the settings, and fits there.
//
// With MINERVA_PICTURES=FOLDER each screen is also saved as a PNG for inspection.
#include "app/metrics/figures.h"
#include "app/shell/language.h"
#include "app_test.h"
#include "patience.h"
#include "screen_checks.h"

#include <QAccessible>
#include <QDir>
#include <QFile>

using namespace minerva::app;

namespace {

const QString draftFile = QStringLiteral(MINERVA_SOURCE_DIR "/tests/data/draft/in-the-box-q8_0.gguf");

QObject* detailsOf(const MainWindow& minerva) {
  QObject* found = nullptr;
  visit(minerva.window->contentItem(), [&](QQuickItem* item) {
    if (!QByteArray(item->metaObject()->className()).startsWith("ModelsPage_QMLTYPE")) return;
    for (QObject* child : item->findChildren<QObject*>())
      if (QByteArray(child->metaObject()->className()) == "minerva::app::ModelDetails") found = child;
  });
  return found;
}

QQuickItem* shownItem(const MainWindow& minerva, const char* kind, const char* name = nullptr) {
  QQuickItem* found = nullptr;
  visit(minerva.window->contentItem(), [&](QQuickItem* item) {
    if (kind != nullptr && !QByteArray(item->metaObject()->className()).startsWith(kind)) return;
    if (name != nullptr && item->objectName() != QLatin1String(name)) return;
    found = item;
  });
  return found;
}

}  // namespace

class DraftWindowTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  // What is free changes while another page is shown.
  void forecastsAreMadeAgainWhenTheirPageIsShown() {
    MainWindow minerva;
    QVERIFY(minerva.start());
    const LoadForecast* settings = minerva.services->forecast();
    const LoadForecast* speed = minerva.services->speed()->forecast();
    for (int time = 0; time < 2; ++time) {
      minerva.show(QStringLiteral("settings"));
      QVERIFY(settings->isWanted());
      minerva.show(QStringLiteral("metrics"));
      QVERIFY(!settings->isWanted());
      QQuickItem* page = shownItem(minerva, "MetricsPage_QMLTYPE");
      QVERIFY(page != nullptr);
      page->setProperty("view", QStringLiteral("benchmark"));
      QVERIFY(speed->isWanted());
      minerva.show(QStringLiteral("chat"));
      QVERIFY(!speed->isWanted());
    }
  }

  void whatItTakesIsShown_data() { addScreenRows(); }

  void whatItTakesIsShown() {
    QFETCH(QString, language);
    QFETCH(double, scale);
    QFETCH(QSize, size);
    QFETCH(QString, theme);
    useLanguage(language);
    MainWindow minerva(QStringLiteral("models"), size, theme);
    minerva.services->settings()->set_uiScale(scale);
    QVERIFY(minerva.start());
    const QString model = minerva.services->library()->builtInPath(), copy = minerva.folder() + QStringLiteral("/draft.gguf");
    QVERIFY(QFile::copy(draftFile, copy));
    minerva.services->library()->add(copy);
    const auto look = [&](const char* screen) {
      QTest::qWait(250);
      const QString folder = qEnvironmentVariable("MINERVA_PICTURES");
      const QString name = QStringLiteral("%1-%2-%3-%4-%5.png").arg(QLatin1String(screen), language, theme).arg(scale).arg(size.width());
      if (!folder.isEmpty()) QVERIFY(minerva.window->grabWindow().save(QDir(folder).filePath(name)));
      QStringList wrong = overlaps(minerva.window->contentItem());
      wrong << misplaced(minerva.window->contentItem(), minerva.window);
      QVERIFY2(wrong.isEmpty(), qPrintable(QLatin1String(screen) + QStringLiteral(": ") + wrong.join(QStringLiteral("; "))));
    };
    QObject* details = detailsOf(minerva);
    QVERIFY(details != nullptr && details->setProperty("path", model));
    DraftChoice* draft = minerva.services->draft();
    QTRY_COMPARE(draft->model(), model);
    QVERIFY(shownItem(minerva, nullptr, "draftForecast") == nullptr);
    draft->choose(copy);
    QTRY_VERIFY(shownItem(minerva, nullptr, "draftForecast") != nullptr);
    const LoadForecast* forecast = minerva.services->draftForecast();
    const QString said = shownItem(minerva, nullptr, "draftForecast")->property("text").toString();
    QVERIFY2(said.contains(Figures::bytes(forecast->total())) && said.contains(Figures::bytes(forecast->draftWeights())), qPrintable(said));
    look("draft");
    if (QTest::currentTestFailed()) return;
    draft->choose(minerva.folder() + QStringLiteral("/gone.gguf"));
    QTRY_VERIFY(!forecast->draftLeft().isEmpty());
    QVERIFY(shownItem(minerva, nullptr, "draftForecast")->property("text").toString().contains(QStringLiteral("gone.gguf")));
    look("draft-left");
    if (QTest::currentTestFailed()) return;
    draft->choose(copy);
    minerva.services->settingsModel()->setSearch(language == QLatin1String("de") ? QStringLiteral("Kontext") : QStringLiteral("context"));
    minerva.show(QStringLiteral("settings"));
    QTRY_VERIFY(minerva.services->forecast()->draftWeights() > 0);
    QTRY_VERIFY(shownItem(minerva, "ForecastLine_QMLTYPE") != nullptr);
    const QString line = QAccessible::queryAccessibleInterface(shownItem(minerva, "ForecastLine_QMLTYPE"))->text(QAccessible::Name);
    QVERIFY2(
        line.contains(minerva.services->forecast()->draftName()) && line.contains(Figures::bytes(minerva.services->forecast()->total())),
        qPrintable(line));
    look("draft-settings");
  }

  void cleanup() { useLanguage(QStringLiteral("en")); }
};

APP_TEST(DraftWindowTest, "draft_window", QGuiApplication)
#include "tst_draft_window.moc"
