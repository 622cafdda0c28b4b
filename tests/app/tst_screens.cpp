// Every page at every size and in every language: no text is cut off unless it may be elided, nothing is outside the window.
//
// With MINERVA_PICTURES=FOLDER each screen is also saved as a PNG for inspection.
#include "app/actions/page_table.h"
#include "app/chat/conversation_list_model.h"
#include "app/metrics/figures.h"
#include "app/shell/language.h"
#include "app_test.h"
#include "patience.h"
#include "screen_checks.h"
#include "scripted_server.h"
#include "thinking_model.h"

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <array>
#include <cmath>

using namespace minerva::app;

namespace {

void fill(MainWindow& minerva) {
  ChatController* chat = minerva.services->chat();
  QVERIFY(chat->send(QStringLiteral("Who are you? 你好，你是谁？ שלום")));
  QTRY_VERIFY(!chat->isGenerating());
}

}  // namespace

class ScreensTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void cleanup() {
    useLanguage(QStringLiteral("en"));
    QGuiApplication::setLayoutDirection(Qt::LeftToRight);
  }

  void noTextIsCut_data() {
    QTest::addColumn<QString>("language");
    QTest::addColumn<double>("scale");
    QTest::addColumn<QSize>("size");
    QTest::addColumn<QString>("theme");
    const QSize usual(1280, 800), narrow(560, 700);
    const QString light = QStringLiteral("light"), dark = QStringLiteral("dark");
    for (const auto& language : {QStringLiteral("en"), QStringLiteral("de")}) {
      for (const double scale : {0.75, 1.0, 1.5, 2.0})
        QTest::newRow(qPrintable(QStringLiteral("%1 at %2").arg(language).arg(scale)))
            << language << scale << usual << (scale > 1 ? dark : light);
      QTest::newRow(qPrintable(language + QStringLiteral(", narrow"))) << language << 1.0 << narrow << dark;
    }
  }

  void noTextIsCut() {
    QFETCH(QString, language);
    QFETCH(double, scale);
    QFETCH(QSize, size);
    QFETCH(QString, theme);
    useLanguage(language);
    MainWindow minerva(QStringLiteral("chat"), size, theme);
    minerva.services->settings()->set_uiScale(scale);
    QVERIFY(minerva.start());
    const auto look = [&](const QString& screen, QQuickItem* popup = nullptr) {
      QTest::qWait(250);
      save(minerva, QStringLiteral("%1-%2-%3-%4-%5").arg(screen, language, theme).arg(scale).arg(size.width()));
      QQuickItem* page = popup != nullptr ? popup : minerva.window->contentItem();
      QStringList wrong = overlaps(page);
      scrollThrough(page, [&] { wrong << overlaps(page); });
      wrong.removeDuplicates();
      QTest::qWait(50);  // rows that were made again are laid out with the next frame
      wrong << misplaced(minerva.window->contentItem(), minerva.window);
      QVERIFY2(wrong.isEmpty(), qPrintable(screen + QStringLiteral(": ") + wrong.join(QStringLiteral("; "))));
    };
    look(QStringLiteral("first"));
    if (QTest::currentTestFailed()) return;
    fill(minerva);
    for (const QString& page : pageKeys()) {
      minerva.show(page);
      look(page);
      if (QTest::currentTestFailed()) return;
    }
    QVERIFY(minerva.services->settingsModel()->setProperty("search", QStringLiteral("context")));
    look(QStringLiteral("found settings"));
    if (QTest::currentTestFailed()) return;
    for (const char* popup : {"palette", "keySheet", "aboutSheet"}) {
      QObject* shown = minerva.window->findChild<QObject*>(QLatin1String(popup));
      QVERIFY(QMetaObject::invokeMethod(shown, "open"));
      look(QLatin1String(popup), shown->property("contentItem").value<QQuickItem*>());
      QVERIFY(QMetaObject::invokeMethod(shown, "close"));
      if (QTest::currentTestFailed()) return;
    }
  }

  void aPromptThatIsReadFits_data() { addScreenRows(); }

  // The live panel's head has its longest words beside the device.
  void aPromptThatIsReadFits() {
    QFETCH(QString, language);
    QFETCH(double, scale);
    QFETCH(QSize, size);
    QFETCH(QString, theme);
    useLanguage(language);
    MainWindow minerva(QStringLiteral("chat"), size, theme);
    minerva.services->settings()->set_uiScale(scale);
    QVERIFY(minerva.start());
    ReplyUpdate update;
    update.request = 1'000'000;
    Q_EMIT minerva.services->inference()->submitted(update.request);
    update.started = minerva::engine::Started{.promptTokens = 500, .reusedTokens = 394};
    update.prefill = minerva::engine::PrefillProgress{.done = 64, .total = 106, .tokensPerSecond = 842};
    Q_EMIT minerva.services->inference()->updated(update);
    QCOMPARE(minerva.services->panel()->phase(), PanelModel::Prefill);
    QTest::qWait(250);
    save(minerva, QStringLiteral("prefill-%1-%2-%3-%4").arg(language, theme).arg(scale).arg(size.width()));
    const QStringList wrong = overlaps(minerva.window->contentItem()) + misplaced(minerva.window->contentItem(), minerva.window);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(QStringLiteral("; "))));
  }

  void theControlOfReasoningFits_data() { addScreenRows(); }

  // With each kind of model: both controls, the switch alone, the effort alone.
  void theControlOfReasoningFits() {
    QFETCH(QString, language);
    QFETCH(double, scale);
    QFETCH(QSize, size);
    QFETCH(QString, theme);
    useLanguage(language);
    MainWindow minerva(QStringLiteral("chat"), size, theme);
    minerva.services->settings()->set_uiScale(scale);
    QVERIFY(minerva.start());
    InferenceController* inference = minerva.services->inference();
    for (const auto& [switchable, efforts] : {std::pair(true, true), std::pair(true, false), std::pair(false, true)}) {
      const QString path = thinkingModel(minerva.folder(), switchable, efforts);
      inference->load(path);
      QTRY_VERIFY(inference->model().path == path && inference->isReady());
      QCOMPARE(minerva.services->chat()->reasoning().switchable, switchable);
      minerva.services->chat()->setDraft(QStringLiteral("Hi"));
      QTRY_VERIFY(minerva.services->context()->tokens() > 0);
      QTest::qWait(250);
      save(minerva,
           QStringLiteral("reasoning%1%2-%3-%4-%5-%6").arg(switchable).arg(efforts).arg(language, theme).arg(scale).arg(size.width()));
      QStringList wrong = overlaps(minerva.window->contentItem());
      wrong << problems(minerva.window->contentItem(), [&](QQuickItem* item) {
        return QStringList{cut(item), outside(item, minerva.window), outsideComposer(item)};
      });
      QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(QStringLiteral("; "))));
    }
  }

  void whatIsSimilarInMeaningFits_data() { theControlOfReasoningFits_data(); }

  // The results of the search, the setting with its progress, and the model in the list.
  void whatIsSimilarInMeaningFits() {
    QFETCH(QString, language);
    QFETCH(double, scale);
    QFETCH(QSize, size);
    QFETCH(QString, theme);
    useLanguage(language);
    MainWindow minerva(QStringLiteral("chat"), size, theme);
    minerva.services->settings()->set_uiScale(scale);
    QVERIFY(minerva.start());
    fill(minerva);
    ChatController* chat = minerva.services->chat();
    chat->newConversation();
    QVERIFY(chat->send(QStringLiteral("How do I keep tomatoes from <b>splitting</b> after heavy rain?")));
    QTRY_VERIFY(!chat->isGenerating());
    const QString model = QStringLiteral(MINERVA_REFERENCE_DIR "/oracle-2026/embeddings/bert-cls/hf");
    minerva.services->library()->add(model);
    minerva.services->settings()->set_meaningModel(model);
    MeaningSearch* meaning = minerva.services->meaning();
    QTRY_VERIFY(meaning->total() == 4 && meaning->done() == 4);
    QTRY_COMPARE(minerva.services->library()->embeddingModels().size(), 1);
    const auto look = [&](const char* screen) {
      QTest::qWait(250);
      save(minerva, QStringLiteral("%1-%2-%3-%4-%5").arg(QLatin1String(screen), language, theme).arg(scale).arg(size.width()));
      const bool isDrawer = isInside(minerva.focused(), "QQuickPopupItem");  // the list lies over the page
      QStringList wrong = isDrawer ? QStringList() : overlaps(minerva.window->contentItem());
      wrong << misplaced(minerva.window->contentItem(), minerva.window);
      QVERIFY2(wrong.isEmpty(), qPrintable(QLatin1String(screen) + QStringLiteral(": ") + wrong.join(QStringLiteral("; "))));
    };
    QVERIFY(QMetaObject::invokeMethod(minerva.singleton<QObject>("Actions"), "trigger", Q_ARG(QString, QStringLiteral("chat.search"))));
    QTRY_VERIFY(minerva.focused() != nullptr && minerva.focused()->inherits("QQuickTextField"));
    QVERIFY(minerva.focused()->setProperty("text", QStringLiteral("fruit that cracks open")));
    QTRY_VERIFY(chat->conversations()->count() > 0);
    look("similar");
    if (QTest::currentTestFailed()) return;
    for (int press = 0; press < 2; ++press) QTest::keyClick(minerva.window, Qt::Key_Escape);  // clears the search, leaves the list
    QTRY_VERIFY(!isInside(minerva.focused(), "QQuickPopupItem"));
    QTest::qWait(250);
    minerva.services->settingsModel()->setSearch(QStringLiteral("meaning"));
    if (language == QLatin1String("de")) minerva.services->settingsModel()->setSearch(QStringLiteral("bedeutung"));
    minerva.show(QStringLiteral("settings"));
    look("similar-setting");
    if (QTest::currentTestFailed()) return;
    minerva.show(QStringLiteral("models"));
    look("similar-model");
  }

  void theLocalServerFits_data() { theControlOfReasoningFits_data(); }

  // Off, on without requests, for other computers with a key, and with requests in every state whose texts are long.
  void theLocalServerFits() {
    using minerva::serve::Sight;
    QFETCH(QString, language);
    QFETCH(double, scale);
    QFETCH(QSize, size);
    QFETCH(QString, theme);
    useLanguage(language);
    MainWindow minerva(QStringLiteral("metrics"), size, theme);
    minerva.services->settings()->set_uiScale(scale);
    minerva.services->settings()->set_servePort(0);
    QVERIFY(minerva.start());
    LocalServer* server = minerva.services->server();
    QVERIFY(QMetaObject::invokeMethod(minerva.singleton<QObject>("Actions"), "trigger", Q_ARG(QString, QStringLiteral("metrics.server"))));
    const auto look = [&](const char* screen) {
      QTest::qWait(250);
      save(minerva, QStringLiteral("%1-%2-%3-%4-%5").arg(QLatin1String(screen), language, theme).arg(scale).arg(size.width()));
      QStringList wrong = overlaps(minerva.window->contentItem());
      scrollThrough(minerva.window->contentItem(), [&] { wrong << overlaps(minerva.window->contentItem()); });
      wrong << misplaced(minerva.window->contentItem(), minerva.window);
      QVERIFY2(wrong.isEmpty(), qPrintable(QLatin1String(screen) + QStringLiteral(": ") + wrong.join(QStringLiteral("; "))));
    };
    look("server-off");
    if (QTest::currentTestFailed()) return;
    minerva.services->settings()->set_serveOn(true);
    QTRY_COMPARE(server->state(), LocalServer::On);
    look("server-empty");
    if (QTest::currentTestFailed()) return;
    minerva.services->settings()->set_serveOthers(true);
    QTRY_VERIFY(server->state() == LocalServer::On && server->forOthers());
    look("server-others");
    if (QTest::currentTestFailed()) return;
    minerva.services->settings()->set_serveOthers(false);
    QTRY_VERIFY(server->state() == LocalServer::On && !server->forOthers());
    const std::string chat = "POST /v1/chat/completions", model = "Minerva Tiny";
    const std::array states{Sight::State::waiting, Sight::State::prefill, Sight::State::writing,
                            Sight::State::done,    Sight::State::failed,  Sight::State::cancelled};
    for (std::uint64_t i = 1; i <= 20; ++i) {
      Sight sight{.number = i, .arrived = std::chrono::system_clock::now(), .client = "127.0.0.1", .route = chat, .model = model};
      sight.state = states[i % states.size()];
      if (sight.state != Sight::State::waiting) sight.promptTokens = 1234;
      if (i % states.size() > 1) {
        sight.tokens = 217;
        sight.ttftMs = 212;
        sight.tokensPerSecond = 38.6;
      }
      if (sight.state == Sight::State::failed) {
        sight.problem = "This server does not have the model: expected Minerva Tiny, found " + std::string(100, 'x');
        sight.status = 404;
        sight.route += "/" + std::string(100, 'y');
      }
      server->requests()->note(sight);
    }
    QTRY_COMPARE(server->requests()->count(), 20);
    look("server-requests");
    if (QTest::currentTestFailed() || scale > 1 || size.width() < 700) return;
    minerva.window->resize(700, size.height());
    look("server-requests-700");
    QQuickItem* table = nullptr;
    visit(minerva.window->contentItem(), [&](QQuickItem* item) {
      if (item->property("nameWidth").isValid()) table = item;
    });
    QVERIFY(table != nullptr);
    QVERIFY2(table->property("nameWidth").toDouble() > 0.3 * table->width(), qPrintable(table->property("nameWidth").toString()));
  }

  void theLocalServerSaysWhatARequestMeets() {
    MainWindow minerva(QStringLiteral("metrics"));
    minerva.services->settings()->set_servePort(0);
    minerva.services->settings()->set_serveOn(true);
    QVERIFY(minerva.start());
    LocalServer* server = minerva.services->server();
    QVERIFY(QMetaObject::invokeMethod(minerva.singleton<QObject>("Actions"), "trigger", Q_ARG(QString, QStringLiteral("metrics.server"))));
    const auto says = [&minerva](const char* words) {
      bool said = false;
      visit(minerva.window->contentItem(), [&](QQuickItem* item) {
        said = said || (item->inherits("QQuickText") && item->property("text").toString().contains(QLatin1String(words)));
      });
      return said;
    };
    QTRY_COMPARE(server->state(), LocalServer::On);
    QTRY_VERIFY(says("Serves "));
    server->setModel(LocalServer::Model::none, {}, 0);
    QVERIFY(says("answered with status 503"));
    server->setModel(LocalServer::Model::loading, {}, 0);
    QVERIFY(says("The model is being loaded: requests wait for it.") && !says("503"));
    server->setModel(LocalServer::Model::resting, {}, 0);
    QVERIFY(says("The model was unloaded because it was not used: the next request loads it again.") && !says("503"));
  }

  // Also where the median is of more replies than are shown.
  void theMedianLiesInTheChart() {
    MainWindow minerva(QStringLiteral("metrics"));
    QVERIFY(minerva.start());
    fill(minerva);
    QQuickItem* chart = nullptr;
    const auto look = [&](QQuickItem* item) {
      if (chart == nullptr && QByteArray(item->metaObject()->className()).startsWith("HistoryChart_QMLTYPE")) chart = item;
    };
    QTRY_VERIFY((visit(minerva.window->contentItem(), look), chart != nullptr));
    chart->setProperty("points", QVariantList{QVariantMap{{QStringLiteral("decode"), 10},
                                                          {QStringLiteral("format"), QStringLiteral("GGUF")},
                                                          {QStringLiteral("title"), QStringLiteral("A reply")},
                                                          {QStringLiteral("time"), QStringLiteral("now")},
                                                          {QStringLiteral("recordId"), 1},
                                                          {QStringLiteral("benchmark"), false}}});
    for (const double median : {5.0, 95.0}) {
      chart->setProperty("median", median);
      QCOMPARE(chart->property("highest").toDouble(), median > 10 ? 100.0 : 10.0);
      int lines = 0;
      visit(chart, [&](QQuickItem* item) {
        if (item->opacity() != 0.5 || item->height() != 1) return;
        ++lines;
        QCOMPARE(item->y(), std::round(item->parentItem()->height() * (1 - median / (median > 10 ? 100 : 10))));
      });
      QCOMPARE(lines, 1);
    }
  }

  void serversFit_data() { theControlOfReasoningFits_data(); }

  // None; several with long names, refusals and many models; the sheet with what a test finds or is refused; the picker; a chat.
  void serversFit() {
    QFETCH(QString, language);
    QFETCH(double, scale);
    QFETCH(QSize, size);
    QFETCH(QString, theme);
    useLanguage(language);
    QJsonArray many;
    for (int i = 0; i < 30; ++i)
      many.append(QJsonObject{{QStringLiteral("id"), QStringLiteral("organisation/Model-%1-Instruct-2507-FP8").arg(i)},
                              {QStringLiteral("owned_by"), QStringLiteral("vllm")},
                              {QStringLiteral("max_model_len"), 131072}});
    const QByteArray models = QJsonDocument(QJsonObject{{QStringLiteral("data"), many}}).toJson();
    ScriptedServer scripted([&](QTcpSocket* to, const ScriptedServer::Seen& request) {
      if (request.path().endsWith("/models")) return ScriptedServer::whole("200 OK", models)(to, request);
      ScriptedServer::stream(ScriptedServer::piece("{\"content\":\"Hello there\"}") + ScriptedServer::piece("{}", "\"stop\""))(to, request);
    });
    MainWindow minerva(QStringLiteral("models"), size, theme);
    minerva.services->settings()->set_uiScale(scale);
    QVERIFY(minerva.start());
    ServerService* servers = minerva.services->servers();
    QObject* page = nullptr;
    visit(minerva.window->contentItem(), [&](QQuickItem* item) {
      if (QByteArray(item->metaObject()->className()).startsWith("ModelsPage_QMLTYPE")) page = item;
    });
    QVERIFY(page != nullptr && page->setProperty("view", QStringLiteral("servers")));
    const auto look = [&](const char* screen, QQuickItem* popup = nullptr) {
      QTest::qWait(300);
      save(minerva, QStringLiteral("%1-%2-%3-%4-%5").arg(QLatin1String(screen), language, theme).arg(scale).arg(size.width()));
      QQuickItem* over = popup != nullptr ? popup : minerva.window->contentItem();
      QStringList wrong = overlaps(over);
      scrollThrough(over, [&] { wrong << overlaps(over); });
      wrong.removeDuplicates();
      QTest::qWait(50);
      wrong << misplaced(over, minerva.window);
      QVERIFY2(wrong.isEmpty(), qPrintable(QLatin1String(screen) + QStringLiteral(": ") + wrong.join(QStringLiteral("; "))));
    };
    look("servers-none");
    if (QTest::currentTestFailed()) return;
    QVERIFY(servers->keep({}, scripted.url().toString(), QStringLiteral("The machine with two cards under the desk"), {}));
    QTRY_COMPARE(servers->models()->total(), 30);
    servers->list()->leaveOut(servers->list()->all()[0].id, servers->list()->all()[0].models[0].id,
                              {QStringLiteral("top_k"), QStringLiteral("min_p"), QStringLiteral("repeat_penalty")});
    QVERIFY(servers->keep({}, QStringLiteral("localhost:1"), {}, {}));
    QTRY_VERIFY(servers->list()->index(1).data(ServerList::ErrorRole).value<ErrorInfo>().isSet());
    look("servers");
    if (QTest::currentTestFailed()) return;
    QObject* sheet = page->findChild<QObject*>(QStringLiteral("serverSheet"));
    QVERIFY(sheet != nullptr);
    const auto edit = [&](const QString& address) {
      QVariantMap facts = servers->facts({});
      facts[QStringLiteral("address")] = address;
      QMetaObject::invokeMethod(sheet, "edit", Q_ARG(QString, QString()), Q_ARG(QVariant, facts));
      servers->tryOut({}, address, {});
    };
    for (const auto& [screen, address] :
         {std::pair("server-refused", QStringLiteral("localhost:1")), std::pair("server-tested", scripted.url().toString())}) {
      edit(address);
      QTRY_VERIFY(!servers->isTrying());
      look(screen, sheet->property("contentItem").value<QQuickItem*>());
      QVERIFY(QMetaObject::invokeMethod(sheet, "close"));
      if (QTest::currentTestFailed()) return;
    }
    QTest::qWait(300);
    minerva.show(QStringLiteral("chat"));
    minerva.services->inference()->load(servers->models()->all()[3].path);
    fill(minerva);
    look("server-chat");
    if (QTest::currentTestFailed()) return;
    QTest::keyClick(minerva.window, Qt::Key_M, Qt::ControlModifier);
    QQuickItem* picker = nullptr;
    const auto findPicker = [&] {
      visit(minerva.window->contentItem(), [&](QQuickItem* item) {
        if (QByteArray(item->metaObject()->className()).startsWith("RemotePicker_QMLTYPE")) picker = item->parentItem();
      });
      return picker != nullptr;
    };
    QTRY_VERIFY(findPicker());
    look("server-picker", picker);
  }

  void everythingIsGermanInGerman() {
    useLanguage(QStringLiteral("de"));
    QCOMPARE(QCoreApplication::translate("Actions", "New chat"), QStringLiteral("Neuer Chat"));
    QCOMPARE(QCoreApplication::translate("any other context", "Quit"), QStringLiteral("Beenden"));
    QCOMPARE(QCoreApplication::translate("ColumnCard", "%n tokens", nullptr, 1), QStringLiteral("1 Token"));
    QCOMPARE(QCoreApplication::translate("ColumnCard", "%n tokens", nullptr, 3), QStringLiteral("3 Tokens"));
    QCOMPARE(Figures::speed(2140), QStringLiteral("2.140"));
    QCOMPARE(Figures::bytes(1.5e9), QStringLiteral("1,50 GB"));
    useLanguage(QStringLiteral("en"));
    QCOMPARE(QCoreApplication::translate("Actions", "New chat"), QStringLiteral("New chat"));
    QCOMPARE(Figures::speed(2140), QStringLiteral("2,140"));
    QCOMPARE(Figures::decimal(38.64, 1), QStringLiteral("38.6"));
  }

  void theSystemsLanguageIsTaken() {
    QCOMPARE(languageCode(QStringLiteral("de")), QStringLiteral("de"));
    QCOMPARE(languageCode(QStringLiteral("en")), QStringLiteral("en"));
    const QString system = QLocale::system().uiLanguages().value(0).left(2);
    QCOMPARE(languageCode(QStringLiteral("system")), system == QLatin1String("de") ? QStringLiteral("de") : QStringLiteral("en"));
  }

  // In right-to-left layout, the pages are at the right and the panel is at the left.
  void theWindowIsMirrored() {
    QGuiApplication::setLayoutDirection(Qt::RightToLeft);
    MainWindow minerva;
    QVERIFY(minerva.start());
    fill(minerva);
    // The drawer of conversations comes from the right, sheets from the left.
    int sheets = 0, drawers = 0;
    visit(minerva.window->contentItem(), [&](QQuickItem* item) {
      for (const QObject* child : item->children()) {
        if (!child->inherits("QQuickDrawer")) continue;
        const bool sheet = child->property("fullWidth").isValid();
        QCOMPARE(child->property("edge").toInt(), int(sheet ? Qt::LeftEdge : Qt::RightEdge));
        ++(sheet ? sheets : drawers);
      }
    });
    QVERIFY(sheets > 0 && drawers == 1);
    for (const QString& page : pageKeys()) {
      minerva.show(page);
      QTest::qWait(250);
      save(minerva, QStringLiteral("mirrored-") + page);
      double rail = 0;
      QStringList wrong = overlaps(minerva.window->contentItem());
      visit(minerva.window->contentItem(), [&](QQuickItem* item) {
        if (QByteArray(item->metaObject()->className()).startsWith("Rail_QMLTYPE")) rail = item->mapToScene(QPointF(0, 0)).x();
      });
      wrong << problems(minerva.window->contentItem(), [&](QQuickItem* item) {
        return QStringList{outside(item, minerva.window), reversed(item)};
      });
      QVERIFY2(rail > minerva.window->width() / 2.0, qPrintable(page));
      QVERIFY2(wrong.isEmpty(), qPrintable(page + QStringLiteral(": ") + wrong.join(QStringLiteral("; "))));
    }
  }

 private:
  void save(const MainWindow& minerva, const QString& name) const {
    const QString folder = qEnvironmentVariable("MINERVA_PICTURES");
    if (!folder.isEmpty()) QVERIFY(minerva.window->grabWindow().save(QDir(folder).filePath(name + QStringLiteral(".png"))));
  }
};

APP_TEST(ScreensTest, "screens", QGuiApplication)
#include "tst_screens.moc"
