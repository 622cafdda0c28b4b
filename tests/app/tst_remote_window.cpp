// Servers in the whole window: adding one, the picker and the palette, chatting, stopping, trying again, continuing, refusals, in English
// and German. With MINERVA_PICTURES=FOLDER the screens are also saved as PNGs for inspection.
#include "app/actions/palette_model.h"
#include "app/chat/block_model.h"
#include "app/compare/compare_controller.h"
#include "app/shell/language.h"
#include "app_test.h"
#include "find_item.h"
#include "main_window.h"
#include "patience.h"
#include "scripted_server.h"

#include <QAccessible>
#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <functional>

using namespace minerva::app;

namespace {

const QByteArray listed = R"({"data":[{"id":"org/owl-7b","owned_by":"vllm","max_model_len":4096},{"id":"fox-mini","owned_by":"vllm"}]})";

}  // namespace

class RemoteWindowTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    m_server = std::make_unique<ScriptedServer>([this](QTcpSocket* to, const ScriptedServer::Seen& request) {
      if (request.path().endsWith("/models")) return ScriptedServer::whole("200 OK", listed)(to, request);
      ScriptedServer::stream(ScriptedServer::piece(R"({"reasoning_content":"Let me think."})") +
                             ScriptedServer::piece("{\"content\":\"Answer " + QByteArray::number(++m_answers) + "\"}") +
                             ScriptedServer::piece("{}", R"("stop")") +
                             "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":5}}\n\ndata: [DONE]\n\n")(to,
                                                                                                                                   request);
    });
    m_answers = 0;
    m_minerva = std::make_unique<MainWindow>(QStringLiteral("models"));
  }
  void cleanup() {
    m_minerva.reset();
    m_server.reset();
    useLanguage(QStringLiteral("en"));
  }

  void aServerIsAddedAndRemoved_data() {
    QTest::addColumn<QString>("language");
    QTest::newRow("en") << QStringLiteral("en");
    QTest::newRow("de") << QStringLiteral("de");
  }
  void aServerIsAddedAndRemoved() {
    QFETCH(const QString, language);
    const bool german = language == QLatin1String("de");
    useLanguage(language);
    m_minerva->open(QStringLiteral("models"));
    QVERIFY(m_minerva->start());
    QVERIFY(click(named("serversTab")));
    QVERIFY(click(saying(german ? "Server hinzufügen" : "Add a server")));
    QQuickItem* address = nullptr;
    QTRY_VERIFY((address = shown(named("serverAddress"))) != nullptr && address->hasActiveFocus());
    QVERIFY(!shown(named("serverKeep"))->isEnabled());
    type("http://me:secret@host");
    QVERIFY(!shown(named("serverKeep"))->isEnabled());
    QVERIFY(shown(containing(german ? "darf keinen Benutzernamen" : "must not contain a user name")) != nullptr);
    address->setProperty("text", QString());
    address->forceActiveFocus();
    type("127.0.0.1:1");
    QVERIFY(click(named("serverTest")));
    QTRY_VERIFY(shown(named("serverRefusal")) != nullptr);
    QVERIFY(shown(containing(german ? "dieser Adresse antwortet kein Server" : "o server answers at this address")) != nullptr);
    look(QStringLiteral("refused-") + language);
    address->setProperty("text", QString());
    address->forceActiveFocus();
    type("127.0.0.1:" + QByteArray::number(m_server->port()));
    QVERIFY(m_server->seen.empty());
    QVERIFY(click(named("serverTest")));
    QTRY_VERIFY(shown(saying(german ? "vLLM antwortet, mit 2 Modellen" : "vLLM answers, with 2 models")) != nullptr);
    look(QStringLiteral("tested-") + language);
    QQuickItem* models = shown(named("serverModels"));
    QVERIFY(models != nullptr);
    QCOMPARE(QAccessible::queryAccessibleInterface(models)->text(QAccessible::Name),
             german ? QStringLiteral("Weitere Modelle") : QStringLiteral("Further models"));
    models->forceActiveFocus();
    type("bee");
    look(QStringLiteral("typed-") + language);
    shown(named("serverName"))->setProperty("text", QStringLiteral("Box"));
    shown(named("serverName"))->forceActiveFocus();
    QTest::keyClick(m_minerva->window, Qt::Key_Return);
    QTRY_VERIFY(shown(named("serverAddress")) == nullptr && shown(saying("org/owl-7b")) != nullptr);
    QCOMPARE(servers()->list()->count(), 1);
    QCOMPARE(servers()->list()->all()[0].typed, QStringList{QStringLiteral("bee")});
    QVERIFY(shown(saying("bee")) != nullptr);
    look(QStringLiteral("listed-") + language);
    // Removing asks first.
    QVERIFY(click(tipped(german ? "Entfernen" : "Remove")));
    QVERIFY(click(button(german ? "Behalten" : "Keep")));
    QCOMPARE(servers()->list()->count(), 1);
    QVERIFY(click(tipped(german ? "Entfernen" : "Remove")));
    QVERIFY(click(button(german ? "Entfernen" : "Remove")));
    QTRY_COMPARE(servers()->list()->count(), 0);
    QTRY_VERIFY(shown(saying(german ? "Server hinzufügen" : "Add a server")) != nullptr);
  }

  void chosenInThePickerAndThePalette() {
    QVERIFY(m_minerva->start());
    QVERIFY(addBox());
    m_minerva->show(QStringLiteral("chat"));
    QTest::keyClick(m_minerva->window, Qt::Key_M, Qt::ControlModifier);
    QQuickItem* row = nullptr;
    QTRY_VERIFY((row = shown(saying("fox-mini"))) != nullptr);
    QVERIFY(shown(saying("Box")) != nullptr);  // the heading
    QTest::qWait(300);
    look(QStringLiteral("picker"));
    const std::size_t asked = m_server->seen.size();
    QVERIFY(click(saying("fox-mini")));
    QTRY_COMPARE(inference()->model().name, QStringLiteral("fox-mini"));
    QTRY_VERIFY(shown(saying("Box")) != nullptr);  // beside the model's name
    QVERIFY(shown(containing("Tokens are counted by Box")) != nullptr);
    look(QStringLiteral("chosen"));
    QCOMPARE(m_server->seen.size(), asked);
    auto* actions = m_minerva->singleton<Actions>("Actions");
    QVERIFY(!actions->isPossible(QStringLiteral("chat.prompt")));
    PaletteModel palette;
    palette.setProperty("servers", QVariant::fromValue(servers()));
    palette.refresh();
    palette.setQuery(QStringLiteral("owl"));
    QVERIFY(palette.count() > 0);
    QCOMPARE(palette.index(0).data(PaletteModel::TitleRole).toString(), QStringLiteral("org/owl-7b"));
    QCOMPARE(palette.index(0).data(PaletteModel::NoteRole).toString(), QStringLiteral("Model on Box"));
    // The last model is chosen again after a restart, without a request.
    m_minerva->open(QStringLiteral("chat"));
    QVERIFY(m_minerva->start());
    QCOMPARE(inference()->model().name, QStringLiteral("fox-mini"));
    QCOMPARE(inference()->model().server, QStringLiteral("Box"));
    QCOMPARE(m_server->seen.size(), asked);
  }

  void chatting() {
    QVERIFY(m_minerva->start());
    QVERIFY(addBox());
    m_minerva->show(QStringLiteral("chat"));
    inference()->load(servers()->models()->all()[0].path);
    QVERIFY(chat()->send(QStringLiteral("Hello")));
    QTRY_VERIFY(!chat()->isGenerating() && chat()->messages()->count() == 2);
    const auto replyText = [this] { return chat()->messages()->at(chat()->messages()->count() - 1).message; };
    QCOMPARE(replyText().text, QStringLiteral("<think>\nLet me think.\n</think>\n\nAnswer 1"));
    QCOMPARE(replyText().status, Status::complete);
    QCOMPARE(replyText().modelName, QStringLiteral("org/owl-7b · Box"));
    QCOMPARE(replyText().figures.generatedTokens, 5);
    QTRY_VERIFY(shown(containing("Measured by this program")) != nullptr);
    QVERIFY(shown(containing("Memory")) == nullptr);
    QVERIFY(shown(containing("ceiling")) == nullptr);
    look(QStringLiteral("reply"));
    // A second message: the first reply is sent without its reasoning.
    QVERIFY(chat()->send(QStringLiteral("And?")));
    QTRY_VERIFY(!chat()->isGenerating() && chat()->messages()->count() == 4);
    const QJsonArray messages = lastBody()[QLatin1String("messages")].toArray();
    QCOMPARE(messages.size(), 3);
    QCOMPARE(messages[1][QLatin1String("content")].toString(), QStringLiteral("Answer 1"));
    // Try again, and continue.
    QVERIFY(chat()->regenerate(3));
    QTRY_VERIFY(!chat()->isGenerating());
    QCOMPARE(replyText().text, QStringLiteral("<think>\nLet me think.\n</think>\n\nAnswer 3"));
    QVERIFY(m_minerva->services->context()->continueReply(3));
    QTRY_VERIFY(!chat()->isGenerating());
    QVERIFY(lastBody()[QLatin1String("continue_final_message")].toBool());
    QCOMPARE(replyText().text, QStringLiteral("<think>\nLet me think.\n</think>\n\nAnswer 3\n\n"
                                              "<think again>\nLet me think.\n</think>\n\nAnswer 4"));
    // A removed server leaves its conversations.
    servers()->remove(servers()->list()->all()[0].id);
    QCOMPARE(inference()->state(), InferenceController::NoModel);
    QCOMPARE(chat()->messages()->count(), 4);
    QVERIFY(!chat()->canSend());
  }

  // vLLM without a parser of reasoning, whose template has put the opening tag into the prompt.
  void thoughtsOfWhichOnlyTheEndIsToldAreNoAnswer() {
    m_server->answer = [](QTcpSocket* to, const ScriptedServer::Seen& request) {
      if (request.path().endsWith("/models")) return ScriptedServer::whole("200 OK", listed)(to, request);
      ScriptedServer::stream(ScriptedServer::piece(R"({"content":"Hm"})") + ScriptedServer::piece(R"({"content":"\n</think>\n\n"})") +
                             ScriptedServer::piece(R"({"content":"Yes"})", R"("stop")"))(to, request);
    };
    QVERIFY(m_minerva->start());
    QVERIFY(addBox());
    m_minerva->show(QStringLiteral("chat"));
    inference()->load(servers()->models()->all()[0].path);
    QVERIFY(chat()->send(QStringLiteral("Hello")));
    QTRY_VERIFY(!chat()->isGenerating() && chat()->messages()->count() == 2);
    QCOMPARE(chat()->messages()->at(1).message.text, QStringLiteral("<think>\nHm\n</think>\n\nYes"));
    const BlockModel& blocks = *chat()->messages()->at(1).blocks;
    QCOMPARE(blocks.rowCount(), 2);
    QCOMPARE(blocks.data(blocks.index(0), BlockModel::KindRole).toInt(), static_cast<int>(BlockModel::Thinking));
    QCOMPARE(blocks.data(blocks.index(1), BlockModel::SourceRole).toString(), QStringLiteral("Yes"));
    look(QStringLiteral("thoughts-begun"));
    QVERIFY(chat()->send(QStringLiteral("And?")));
    QTRY_VERIFY(!chat()->isGenerating() && chat()->messages()->count() == 4);
    QCOMPARE(lastBody()[QLatin1String("messages")].toArray()[1][QLatin1String("content")].toString(), QStringLiteral("Yes"));
  }

  void severalAtOnceAndStopped() {
    std::vector<QTcpSocket*> open;
    QVERIFY(m_minerva->start());
    QVERIFY(addBox());
    m_server->answer = [&open](QTcpSocket* to, const ScriptedServer::Seen&) {
      to->write(ScriptedServer::head() + ScriptedServer::piece(R"({"content":"Begun"})"));
      open.push_back(to);
    };
    m_minerva->show(QStringLiteral("chat"));
    inference()->load(servers()->models()->all()[0].path);
    QVERIFY(chat()->send(QStringLiteral("one")));
    const qint64 first = chat()->currentId();
    QTRY_COMPARE(open.size(), 1U);
    chat()->newConversation();
    QVERIFY(chat()->send(QStringLiteral("two")));
    QTRY_COMPARE(open.size(), 2U);
    QTRY_COMPARE(chat()->messages()->at(1).message.text, QStringLiteral("Begun"));
    QVERIFY(chat()->isGenerating() && chat()->isGeneratingElsewhere());
    QTRY_COMPARE(m_minerva->services->panel()->others(), 1);
    look(QStringLiteral("several"));
    const int closed = m_server->closed;
    chat()->stop();
    QTRY_VERIFY(!chat()->isGenerating());
    QCOMPARE(chat()->messages()->at(1).message.status, Status::stopped);
    QTRY_COMPARE(m_server->closed, closed + 1);
    open[0]->disconnectFromHost();  // the first breaks off
    QTRY_VERIFY(!chat()->isGeneratingElsewhere());
    chat()->select(first);
    const Message broken = chat()->messages()->at(1).message;
    QCOMPARE(broken.status, Status::failed);
    QCOMPARE(broken.text, QStringLiteral("Begun"));
    QVERIFY2(broken.errorText.contains(QLatin1String("broke off")), qPrintable(broken.errorText));
    QTRY_VERIFY(shown(containing("he reply broke off")) != nullptr);
    look(QStringLiteral("broken"));
  }

  void anEffortIsChosen_data() { aServerIsAddedAndRemoved_data(); }
  void anEffortIsChosen() {
    QFETCH(const QString, language);
    const bool german = language == QLatin1String("de");
    useLanguage(language);
    m_minerva =
        std::make_unique<MainWindow>(QStringLiteral("chat"), QSize(1280, 800), german ? QStringLiteral("dark") : QStringLiteral("light"));
    QVERIFY(m_minerva->start());
    QVERIFY(addBox());
    m_minerva->show(QStringLiteral("chat"));
    const char* usual = german ? "Denken: Vorgabe des Modells" : "Thinking: Model default";
    const char* high = german ? "Hoch" : "High";
    QTest::qWait(300);
    QVERIFY(shown(button(usual)) == nullptr);  // the built-in model does not reason
    const QString path = servers()->models()->all()[0].path;
    inference()->load(path);
    QTRY_VERIFY(shown(button(usual)) != nullptr);
    QVERIFY(chat()->send(QStringLiteral("Hello")));
    QTRY_VERIFY(!chat()->isGenerating() && chat()->messages()->count() == 2);
    QVERIFY(!lastBody().contains(QLatin1String("reasoning_effort")));  // until one is chosen
    const std::size_t asked = m_server->seen.size();
    QVERIFY(click(button(usual)));
    QTest::qWait(300);
    look(QStringLiteral("efforts-") + language);
    QVERIFY(click(saying(high)));
    QTRY_COMPARE(chat()->reasoning().effort, QStringLiteral("high"));
    QCOMPARE(m_server->seen.size(), asked);  // choosing sends nothing
    QVERIFY(chat()->send(QStringLiteral("And?")));
    QTRY_VERIFY(!chat()->isGenerating() && chat()->messages()->count() == 4);
    QCOMPARE(lastBody()[QLatin1String("reasoning_effort")].toString(), QStringLiteral("high"));
    // It is this conversation's, also after a restart.
    const qint64 conversation = chat()->currentId();
    chat()->newConversation();
    QCOMPARE(chat()->reasoning().effort, QString());
    m_minerva->open(QStringLiteral("chat"));
    QVERIFY(m_minerva->start());
    inference()->load(path);
    QTRY_VERIFY(chat()->conversations()->count() > 0);
    chat()->select(conversation);
    QTRY_COMPARE(chat()->messages()->count(), 4);
    QCOMPARE(chat()->reasoning().effort, QStringLiteral("high"));
    // A server that refuses it says so, with what to do; without it the reply comes.
    m_server->answer = [](QTcpSocket* to, const ScriptedServer::Seen& request) {
      if (request.body.contains("reasoning_effort"))
        return ScriptedServer::whole("400 Bad Request", R"({"error":{"message":"Unrecognized request argument: reasoning_effort"}})")(
            to, request);
      ScriptedServer::stream(ScriptedServer::piece(R"({"content":"Fine"})") + ScriptedServer::piece("{}", R"("stop")"))(to, request);
    };
    QVERIFY(chat()->send(QStringLiteral("Again")));
    QTRY_VERIFY(!chat()->isGenerating() && chat()->messages()->count() == 6);
    QCOMPARE(chat()->messages()->at(5).message.status, Status::failed);
    QTRY_VERIFY(shown(containing(german ? "kennt diesen Denkaufwand nicht" : "does not take this effort of thinking")) != nullptr);
    QVERIFY(shown(containing(german ? "oder Vorgabe des Modells, die keinen sendet" : "or Model default, which sends none")) != nullptr);
    look(QStringLiteral("effort-refused-") + language);
    chat()->useEffort({});
    QVERIFY(chat()->regenerate(5));
    QTRY_VERIFY(!chat()->isGenerating());
    QCOMPARE(chat()->messages()->at(5).message.text, QStringLiteral("Fine"));
  }

  void inAComparison_data() {
    QTest::addColumn<QString>("language");
    QTest::addColumn<QString>("theme");
    QTest::addColumn<double>("scale");
    QTest::addColumn<QSize>("size");
    const QSize usual(1280, 800);
    QTest::newRow("en") << QStringLiteral("en") << QStringLiteral("light") << 1.0 << usual;
    QTest::newRow("en at 2") << QStringLiteral("en") << QStringLiteral("dark") << 2.0 << 2 * usual;
    QTest::newRow("de") << QStringLiteral("de") << QStringLiteral("dark") << 1.0 << usual;
    QTest::newRow("de at 2") << QStringLiteral("de") << QStringLiteral("light") << 2.0 << 2 * usual;
    QTest::newRow("de, narrow") << QStringLiteral("de") << QStringLiteral("light") << 1.25 << QSize(640, 900);
  }
  void inAComparison() {
    QFETCH(const QString, language);
    QFETCH(const QString, theme);
    QFETCH(const double, scale);
    QFETCH(const QSize, size);
    const bool german = language == QLatin1String("de");
    const auto picture = [&](const char* name) {
      look(QStringLiteral("compare-%1-%2-%3-%4").arg(QString::fromLatin1(name), language, theme).arg(scale));
    };
    useLanguage(language);
    m_minerva = std::make_unique<MainWindow>(QStringLiteral("compare"), size, theme);
    m_minerva->services->settings()->set_uiScale(scale);
    QVERIFY(m_minerva->start());
    CompareController* compare = m_minerva->services->compare();
    const char* ofServer = german ? "Ein Modell eines Servers..." : "A model of a server...";
    QTest::keyClick(m_minerva->window, Qt::Key_M, Qt::ControlModifier | Qt::ShiftModifier);  // adds a model
    QTest::qWait(300);
    QVERIFY(shown(saying(ofServer)) == nullptr);  // there is none
    QTest::keyClick(m_minerva->window, Qt::Key_Escape);
    QVERIFY(addBox());
    const std::size_t asked = m_server->seen.size();
    QTest::keyClick(m_minerva->window, Qt::Key_M, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(click(saying(ofServer)));
    QQuickItem* row = nullptr;
    QTRY_VERIFY((row = shown(saying("fox-mini"))) != nullptr);
    picture("picker");
    QTest::keyClick(m_minerva->window, Qt::Key_Down);  // the first has the focus
    QTest::keyClick(m_minerva->window, Qt::Key_Return);
    QTRY_COMPARE(compare->columns()->count(), 1);
    QCOMPARE(compare->columns()->index(0).data(ColumnModel::LabelRole).toString(), QStringLiteral("fox-mini · Box"));
    compare->addModel(m_minerva->services->library()->builtInPath(), QStringLiteral("Minerva built-in"), QStringLiteral("SafeTensors"),
                      QStringLiteral("BF16"));
    compare->setPrompt(QStringLiteral("Tell me a story about a bear."));
    m_server->answer = [](QTcpSocket* to, const ScriptedServer::Seen&) {
      ScriptedServer::whole("401 Unauthorized", R"({"error":{"message":"no such key"}})")(to, {});
    };
    compare->addOfServer(servers()->models()->all()[0].path);
    QTRY_VERIFY(shown(containing(german ? "werden an Box gesendet" : "are sent to Box")) != nullptr);
    picture("chosen");
    QCOMPARE(m_server->seen.size(), asked);
    bool seen = false;  // the speed while it writes
    m_server->answer = [&seen](QTcpSocket* to, const ScriptedServer::Seen& request) {
      if (request.body.contains("owl"))
        return ScriptedServer::whole("401 Unauthorized", R"({"error":{"message":"no such key"}})")(to, request);
      to->write(ScriptedServer::head());
      auto* timer = new QTimer(to);
      connect(timer, &QTimer::timeout, to, [to, &seen, sent = 0]() mutable {
        if (++sent < 100 && (sent < 12 || !seen))
          return static_cast<void>(to->write(ScriptedServer::piece(R"({"content":"A bear went home. "})")));
        to->write(ScriptedServer::piece("{}", R"("stop")") +
                  "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":61}}\n\ndata: [DONE]\n\n");
        to->disconnectFromHost();
      });
      timer->start(50);
    };
    QTest::keyClick(m_minerva->window, Qt::Key_Return, Qt::ControlModifier);
    QTRY_VERIFY(shown(containing(german ? "Stücke/s" : "pieces/s")) != nullptr);
    seen = true;
    QTRY_COMPARE(compare->state(), CompareController::Done);
    QTRY_VERIFY(shown(containing("fox-mini · Box")) != nullptr);
    QTRY_VERIFY(shown(containing(german ? "konnte nicht verglichen werden" : "could not be compared")) != nullptr);
    QTRY_VERIFY(shown(containing(german ? "Auf Box: " : "On Box: ")) != nullptr);
    picture("done");
    for (QQuickItem* item = shown(containing("fox-mini · Box")); item != nullptr; item = item->parentItem())
      if (item->inherits("QQuickFlickable") && item->property("contentHeight").toDouble() > item->height() + 1) {
        item->setProperty("contentY", item->property("contentHeight").toDouble() - item->height());
        picture("below");
        break;
      }
  }

 private:
  using Match = std::function<bool(QQuickItem*)>;
  static Match named(const char* name) {
    return [name](QQuickItem* item) { return item->objectName() == QLatin1String(name); };
  }
  static Match saying(const char* text) {
    return [text = QString::fromUtf8(text)](QQuickItem* item) { return item->property("text").toString() == text; };
  }
  static Match button(const char* text) {
    return [says = saying(text)](QQuickItem* item) { return item->inherits("QQuickAbstractButton") && says(item); };
  }
  static Match containing(const char* text) {
    return [text = QString::fromUtf8(text)](QQuickItem* item) { return item->property("text").toString().contains(text); };
  }
  static Match tipped(const char* tip) {
    return [tip = QString::fromUtf8(tip)](QQuickItem* item) {
      return item->inherits("QQuickAbstractButton") && item->property("tip").toString() == tip;
    };
  }
  QQuickItem* shown(const Match& match) {
    return find(m_minerva->window->contentItem()->parentItem() != nullptr ? m_minerva->window->contentItem()->parentItem()
                                                                          : m_minerva->window->contentItem(),
                match);
  }
  bool click(const Match& match) {
    QQuickItem* item = nullptr;
    if (!QTest::qWaitFor([&] { return (item = shown(match)) != nullptr; }, patienceMs)) return false;
    QTest::qWait(300);  // sheets slide in
    item = shown(match);
    if (item == nullptr) return false;
    QTest::mouseClick(m_minerva->window, Qt::LeftButton, {}, item->mapToScene(QPointF(item->width() / 2, item->height() / 2)).toPoint());
    return true;
  }
  void type(const QByteArray& text) {
    for (const char c : text) QTest::keyClick(m_minerva->window, c);
  }
  bool addBox() {
    return servers()->keep({}, m_server->url().toString(), QStringLiteral("Box"), {}) &&
           QTest::qWaitFor([this] { return servers()->models()->total() == 2; }, patienceMs);
  }
  QJsonObject lastBody() const { return QJsonDocument::fromJson(m_server->seen.back().body).object(); }
  ServerService* servers() const { return m_minerva->services->servers(); }
  InferenceController* inference() const { return m_minerva->services->inference(); }
  ChatController* chat() const { return m_minerva->services->chat(); }
  void look(const QString& screen) {
    const QString folder = qEnvironmentVariable("MINERVA_PICTURES");
    if (folder.isEmpty()) return;
    QTest::qWait(300);
    QDir().mkpath(folder);
    QVERIFY(m_minerva->window->grabWindow().save(folder + QStringLiteral("/remote-") + screen + QStringLiteral(".png")));
  }
  std::unique_ptr<ScriptedServer> m_server;
  std::unique_ptr<MainWindow> m_minerva;
  int m_answers = 0;
};

APP_TEST(RemoteWindowTest, "remote_window", QGuiApplication)
#include "tst_remote_window.moc"
