// The local server in the composition root, with the built-in model: clients on the loopback interface beside the window's chat.
#include "app/serve/desk_keeper.h"
#include "app/serve/request_list.h"
#include "app/shell/app_services.h"
#include "app_test.h"
#include "long_winded.h"
#include "sample_models.h"
#include "serve_client.h"

#include <QAbstractItemModelTester>
#include <QJsonArray>
#include <QSignalSpy>
#include <QTcpServer>
#include <QTemporaryDir>

#include <memory>
#include <optional>

using namespace minerva::app;

namespace {

constexpr int endless = 60000;

QByteArray chatOf(const char* text, int tokens, bool streams = true) {
  return QJsonDocument(
             QJsonObject{{QStringLiteral("messages"), QJsonArray{QJsonObject{{QStringLiteral("role"), QStringLiteral("user")},
                                                                             {QStringLiteral("content"), QString::fromUtf8(text)}}}},
                         {QStringLiteral("stream"), streams},
                         {QStringLiteral("ignore_eos"), true},
                         {QStringLiteral("max_tokens"), tokens}})
      .toJson();
}

}  // namespace

class ServeTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    m_folder.emplace();
    Options options;
    options.dataDir = m_folder->path();
    options.device = QStringLiteral("cpu");
    m_services.emplace(options);
    m_services->settings()->set_otherApps(false);
    m_services->settings()->set_servePort(0);
  }
  void cleanup() {
    m_services.reset();
    m_folder.reset();
  }

  void itIsOffUntilThePersonTurnsItOn() {
    QCOMPARE(server()->state(), LocalServer::Off);
    QCOMPARE(server()->port(), 0);
    QVERIFY(server()->address().isEmpty());
  }

  // The chat's reply comes while both clients' replies are being written.
  void theChatAndTwoClientsShareTheModel() {
    turnOn();
    loadLongWinded();
    QCOMPARE(server()->atOnce(), 4);
    const QAbstractItemModelTester tester(server()->requests());
    Client one = post(chatOf("Tell me of a fox", endless)), two = post(chatOf("Tell me of an owl", endless));
    QTRY_VERIFY(one.pieces() > 3 && two.pieces() > 3);
    m_services->settings()->set_maxTokens(8);
    m_services->chat()->send(QStringLiteral("Once"));
    QTRY_VERIFY(m_services->chat()->messages()->count() == 2 && !m_services->chat()->isGenerating());
    QVERIFY(!m_services->chat()->messages()->index(1).data(MessageModel::TextRole).toString().isEmpty());
    QVERIFY2(!one.ended() && !two.ended(), "the chat waited for the clients");
    QTRY_COMPARE(server()->requests()->underway(), 2);
    QTRY_COMPARE(row(0, RequestList::StateRole).toInt(), static_cast<int>(RequestList::Writing));
    one.leave();
    two.leave();
    QTRY_COMPARE(server()->requests()->underway(), 0);
    QCOMPARE(server()->requests()->count(), 2);  // the chat's is none of a client
  }

  void aFinishedRequestIsListedWithItsFigures() {
    turnOn();
    load();
    Client one = post(chatOf("Tell me of a fox", 400)), two = post(chatOf("Tell me of an owl", 400));
    QVERIFY(one.waitForEnd() && two.waitForEnd());
    for (const Client* client : {&one, &two}) {
      QCOMPARE(client->status(), 200);
      QVERIFY(client->reply().contains("data: [DONE]"));
    }
    QTRY_COMPARE(server()->requests()->count(), 2);  // the list takes changes ten times a second
    QTRY_COMPARE(server()->requests()->underway(), 0);
    for (int i = 0; i < 2; ++i) {
      QCOMPARE(row(i, RequestList::StateRole).toInt(), static_cast<int>(RequestList::Done));
      QCOMPARE(row(i, RequestList::RouteRole).toString(), QStringLiteral("POST /v1/chat/completions"));
      QCOMPARE(row(i, RequestList::ClientRole).toString(), QStringLiteral("127.0.0.1"));
      QCOMPARE(row(i, RequestList::ModelRole).toString(), m_services->inference()->model().ownName);
      QCOMPARE(row(i, RequestList::TokensRole).toInt(), 400);
      for (const int role : {RequestList::PromptRole, RequestList::TtftRole, RequestList::SpeedRole}) QVERIFY(row(i, role).toDouble() > 0);
    }
  }

  void aModelThatIsUnloadedEndsItsRepliesAndTheNextOneIsServed() {
    turnOn();
    QVERIFY(refusedWith503("No model is loaded"));
    loadLongWinded();
    Client client = post(chatOf("Tell me of a fox", endless));
    QTRY_VERIFY(client.pieces() > 3);
    m_services->inference()->unload();
    QVERIFY(client.waitForEnd());
    QVERIFY2(client.reply().contains("data: {\"error\":{\"message\":\"The model was closed"), client.reply().right(300).constData());
    QVERIFY(!client.reply().contains("[DONE]"));
    // Until the list has it, the first row is that of the request before, which failed, too.
    QTRY_VERIFY(row(0, RequestList::ProblemRole).toString().contains(QLatin1String("The model was closed")));
    QCOMPARE(row(0, RequestList::StateRole).toInt(), static_cast<int>(RequestList::Failed));
    QVERIFY(refusedWith503("No model is loaded"));
    QTRY_COMPARE(row(0, RequestList::StateTextRole).toString(), QStringLiteral("failed, 503"));

    load();
    Client next = post(chatOf("Tell me of a fox", 8, false));
    QVERIFY(next.waitForEnd());
    QCOMPARE(next.status(), 200);
  }

  // Another model takes the place of the one that replies.
  void aModelThatIsReplacedEndsItsReplies() {
    turnOn();
    loadLongWinded();
    Client client = post(chatOf("Tell me of a fox", endless, false));
    QTRY_COMPARE(row(0, RequestList::StateRole).toInt(), static_cast<int>(RequestList::Writing));
    m_services->library()->openPath(gguf);
    QVERIFY(client.waitForEnd());
    QCOMPARE(client.status(), 503);
    QCOMPARE(client.error()[QLatin1String("code")].toString(), QStringLiteral("unavailable"));
    QTRY_VERIFY(m_services->inference()->model().path == gguf && m_services->inference()->isReady());
    Client next(server()->port(), "GET", "/v1/models");
    QVERIFY(next.waitForEnd());
    QCOMPARE(next.json()[QLatin1String("data")][0][QLatin1String("id")].toString(), m_services->inference()->model().ownName);
  }

  void itServesAModelThatWasLoadedBefore() {
    load();
    turnOn();
    QCOMPARE(server()->atOnce(), 4);
    Client client = post(chatOf("Tell me of a fox", 8, false));
    QVERIFY(client.waitForEnd());
    QCOMPARE(client.status(), 200);
  }

  void turnedOffItsPortIsClosed() {
    turnOn();
    loadLongWinded();
    const int port = server()->port();
    Client client = post(chatOf("Tell me of a fox", endless));
    QTRY_VERIFY(client.pieces() > 3);
    m_services->settings()->set_serveOn(false);
    QVERIFY(client.waitForEnd());
    QVERIFY(client.reply().contains("data: {\"error\":{\"message\":\"The server is stopping"));
    QTRY_COMPARE(server()->state(), LocalServer::Off);
    QTcpSocket socket;
    socket.connectToHost(QStringLiteral("127.0.0.1"), static_cast<quint16>(port));
    QVERIFY(!socket.waitForConnected(patienceMs));
    QCOMPARE(socket.error(), QAbstractSocket::ConnectionRefusedError);
    QVERIFY(m_services->inference()->isReady());
    turnOn();
    Client again = post(chatOf("Tell me of a fox", 8, false));
    QVERIFY(again.waitForEnd());
    QCOMPARE(again.status(), 200);
  }

  void otherComputersNeedTheKey() {
    m_services->settings()->set_serveOthers(true);
    turnOn();
    load();
    const QByteArray key = m_services->settings()->serveKey().toUtf8();
    QVERIFY(key.size() > 40);
    Client without(server()->port(), "GET", "/v1/models"), wrong(server()->port(), "GET", "/v1/models", {}, key + "x"),
        with(server()->port(), "GET", "/v1/models", {}, key);
    QVERIFY(without.waitForEnd() && wrong.waitForEnd() && with.waitForEnd());
    QCOMPARE(without.status(), 401);
    QCOMPARE(wrong.status(), 401);
    QCOMPARE(with.status(), 200);
    QVERIFY(!server()->call().contains(QString::fromUtf8(key)));  // what is on the screen
    server()->renewKey();
    QVERIFY(m_services->settings()->serveKey().toUtf8() != key);
    QTRY_VERIFY(server()->state() == LocalServer::On);
    Client old(server()->port(), "GET", "/v1/models", {}, key);
    QVERIFY(old.waitForEnd());
    QCOMPARE(old.status(), 401);
  }

  void aPortThatIsTakenIsSaid() {
    QTcpServer other;
    QVERIFY(other.listen(QHostAddress::LocalHost));
    m_services->settings()->set_servePort(other.serverPort());
    m_services->settings()->set_serveOn(true);
    QCOMPARE(server()->state(), LocalServer::Failed);
    QVERIFY2(server()->error().details.contains(QString::number(other.serverPort())), qPrintable(server()->error().details));
    other.close();
    server()->retry();
    QCOMPARE(server()->state(), LocalServer::On);
    QVERIFY(!server()->error().isSet());
  }

  // The unloaded model is loaded again for a client that asks for it.
  void aRestingModelIsWokenByARequest() {
    turnOn();
    load();
    m_services->inference()->setRestAfter(std::chrono::milliseconds(50));
    QTRY_COMPARE(m_services->inference()->state(), InferenceController::Resting);
    m_services->inference()->setRestAfter(std::chrono::milliseconds(0));
    Client first = post(chatOf("Tell me of a fox", 8, false));
    QVERIFY(first.waitForEnd());
    QVERIFY2(first.status() == 200, first.reply().constData());
    QCOMPARE(m_services->inference()->state(), InferenceController::Ready);
  }

  // A request waits for a model that is coming, but not for ever, and not for one that does not come after all.
  void aRequestWaitsForAModelThatIsComing() {
    const minerva::Error coming{.what = "The model is being loaded"}, none{.what = "No model is loaded"};
    int wanted = 0, looks = 0;
    const auto waitIn = [&](DeskKeeper& keeper, const std::function<void()>& atSecondLook) {
      wanted = looks = 0;
      keeper.open(1);
      keeper.setWhyNot(coming, DeskKeeper::Waits::untilWoken);
      const auto found = keeper.desk(true, [&] {
        if (++looks == 2) atSecondLook();
        return looks > 5;
      });
      return found ? std::string("a desk") : found.error().what;
    };
    DeskKeeper patient([&] { ++wanted; }), impatient([&] { ++wanted; }, std::chrono::milliseconds(0));
    QCOMPARE(waitIn(patient, [] {}), "The client has closed its connection");
    QCOMPARE(wanted, 1);
    QCOMPARE(waitIn(patient, [&] { patient.setWhyNot(none, DeskKeeper::Waits::no); }), none.what);
    QCOMPARE(waitIn(patient, [&] { patient.close(); }), "The server is stopping");
    QCOMPARE(waitIn(impatient, [] {}), coming.what);
    QCOMPARE(looks, 0);
    patient.setWhyNot(coming, DeskKeeper::Waits::yes);
    const auto list = patient.desk(false, {});
    QVERIFY(!list && list.error().what == coming.what);
  }

  // Monitors and clients ask for these again and again.
  void aRestingModelIsNotWokenByListsAndFigures() {
    turnOn();
    load();
    const QString name = m_services->inference()->model().ownName;
    m_services->inference()->setRestAfter(std::chrono::milliseconds(50));
    QTRY_COMPARE(m_services->inference()->state(), InferenceController::Resting);
    QVERIFY(QTest::qWaitFor([this] { return server()->model().isEmpty(); }, patienceMs));
    for (const char* path : {"/health", "/metrics", "/api/tags", "/v1/models"}) {
      Client client(server()->port(), "GET", path);
      QVERIFY(client.waitForEnd());
      QCOMPARE(client.status(), 200);
      if (QByteArray(path) == "/v1/models") QCOMPARE(client.json()[QLatin1String("data")][0][QLatin1String("id")].toString(), name);
    }
    QCoreApplication::processEvents();
    QCOMPARE(m_services->inference()->state(), InferenceController::Resting);
  }

  // A model at which clients work is in use, although the chat is silent.
  void aModelThatServesDoesNotRest() {
    turnOn();
    loadLongWinded();
    Client client = post(chatOf("Tell me of a fox", 600));
    QTRY_VERIFY(client.pieces() > 3);
    m_services->inference()->setRestAfter(std::chrono::milliseconds(20));
    QVERIFY(client.waitForEnd());
    QVERIFY(client.reply().contains("data: [DONE]"));
  }

  void whatIsNotForTheModelDoesNotUseIt() {
    RequestList list;
    QSignalSpy used(&list, &RequestList::used);
    list.note({.number = 1, .route = "GET /v1/models", .state = minerva::serve::Sight::State::done});
    QTRY_COMPARE(list.count(), 1);
    QCOMPARE(used.count(), 0);
    list.note({.number = 2, .route = "POST /v1/chat/completions", .state = minerva::serve::Sight::State::prefill, .promptTokens = 5});
    QTRY_COMPARE(list.count(), 2);
    QCOMPARE(used.count(), 1);
  }

  void theListIsBoundedAndNewestFirst() {
    RequestList list;
    const QAbstractItemModelTester tester(&list);
    using minerva::serve::Sight;
    for (std::uint64_t i = 1; i <= 150; ++i) list.note({.number = i, .route = "first " + std::to_string(i)});
    QTRY_COMPARE(list.count(), 150);
    for (std::uint64_t i = 151; i <= 1000; ++i) list.note({.number = i, .route = "then " + std::to_string(i)});
    list.note({.number = 150, .route = "late", .state = Sight::State::done});
    QTRY_COMPARE(list.count(), 200);
    for (int i = 0; i < 200; ++i) QCOMPARE(list.index(i).data(RequestList::RouteRole).toString(), QStringLiteral("then %1").arg(1000 - i));
    list.note({.number = 1000, .route = "then 1000", .state = Sight::State::failed, .status = 503});
    QTRY_COMPARE(list.index(0).data(RequestList::StateTextRole).toString(), QStringLiteral("failed, 503"));
    list.clear();
    QCOMPARE(list.count(), 199);
    list.beginAnew();
    list.note({.number = 1, .route = "next server"});
    QTRY_COMPARE(list.index(0).data(RequestList::RouteRole).toString(), QStringLiteral("next server"));
    QCOMPARE(list.count(), 200);
  }

 private:
  [[nodiscard]] LocalServer* server() { return m_services->server(); }
  void turnOn() {
    m_services->settings()->set_serveOn(true);
    QVERIFY(QTest::qWaitFor([this] { return server()->state() == LocalServer::On; }, patienceMs));
  }
  void load(const QString& path = builtIn) {
    m_services->library()->openPath(path);
    QVERIFY(
        QTest::qWaitFor([&] { return m_services->inference()->isReady() && m_services->inference()->model().path == path; }, patienceMs));
  }
  // Loads a model whose replies go on until they are stopped.
  void loadLongWinded() {
    m_services->settings()->set_contextLength(longWindedContext);
    load(longWindedModel(m_folder->path()));
  }
  [[nodiscard]] Client post(const QByteArray& body) { return {server()->port(), "POST", "/v1/chat/completions", body}; }
  [[nodiscard]] QVariant row(int row, int role) { return server()->requests()->index(row).data(role); }
  [[nodiscard]] bool refusedWith503(const char* words) {
    Client client = post(chatOf("Tell me of a fox", 8));
    if (!client.waitForEnd()) return false;
    const QJsonObject error = client.error();
    return client.status() == 503 && error[QLatin1String("message")].toString().contains(QLatin1String(words)) &&
           error[QLatin1String("type")].toString() == QLatin1String("server_error");
  }

  std::optional<QTemporaryDir> m_folder;
  std::optional<AppServices> m_services;
};

APP_TEST(ServeTest, "serve", QGuiApplication)
#include "tst_serve.moc"
