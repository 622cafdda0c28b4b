// Servers as engines of the window's models: their list, keys, models, and replies through InferenceController; with scripted servers, with
// Minerva's own and with llama-server, where that is installed.
#include "app/inference/inference_controller.h"
#include "app/metrics/panel_model.h"
#include "app/metrics/reply_recorder.h"
#include "app/remote/server_service.h"
#include "llama_server.h"
#include "own_server.h"
#include "patience.h"
#include "scripted_server.h"
#include "thinking_model.h"

#include <QAbstractItemModelTester>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSignalSpy>
#include <QTemporaryDir>

#include <map>
#include <memory>
#include <optional>

using namespace minerva::app;
namespace engine = minerva::engine;

namespace {

const QString builtIn = QStringLiteral(MINERVA_SOURCE_DIR "/resources/builtin-model");

std::map<QString, QByteArray>& keyringContent() {
  static std::map<QString, QByteArray> content;
  return content;
}

struct TestKeyring : TokenStore {
  explicit TestKeyring(const QString& entry) : TokenStore(entry), name(entry) {}
  void read(Read answer) override {
    QMetaObject::invokeMethod(
        this, [this, answer] { answer(keyringContent()[name]); }, Qt::QueuedConnection);
  }
  void write(const QByteArray& secret, Written answer) override {
    keyringContent()[name] = secret;
    answer({});
  }
  QString name;
};

struct NoKeyring : TokenStore {
  explicit NoKeyring(const QString& entry) : TokenStore(entry) {}
  void read(Read answer) override { answer(refusal()); }
  void write(const QByteArray&, Written answer) override { answer(refusal()); }
  static std::unexpected<minerva::Error> refusal() {
    return minerva::fail({.kind = minerva::ErrorKind::unsupported, .what = "no keyring service is running", .actual = "none"});
  }
};

const QByteArray twoModels =
    R"({"object":"list","data":[{"id":"org/big","owned_by":"vllm","max_model_len":4096},{"id":"small","owned_by":"vllm"}]})";
const QByteArray reply = ScriptedServer::piece(R"({"content":"Hello "})") + ScriptedServer::piece(R"({"content":"there"})") +
                         ScriptedServer::piece("{}", R"("stop")") +
                         "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":5}}\n\ndata: [DONE]\n\n";

// Lists models, and answers chats.
ScriptedServer::Answer vllm(const QByteArray& events = reply) {
  return [events](QTcpSocket* to, const ScriptedServer::Seen& request) {
    if (request.path().endsWith("/models")) ScriptedServer::whole("200 OK", twoModels)(to, request);
    else ScriptedServer::stream(events)(to, request);
  };
}

engine::Request ask(const char* text, int maxTokens = 0) {
  engine::Request request;
  request.chat.messages.push_back({{"role", "user"}, {"content", text}});
  request.maxTokens = maxTokens;
  request.sampling = {.temperature = 0, .topK = 0, .topP = 1, .minP = 0};
  return request;
}

}  // namespace

// In no namespace of its own: a member of the test.
struct HeardReply {
  QString text;
  int updates = 0, pieces = 0, afterEnd = 0;
  std::optional<engine::Finished> finished;
  std::optional<engine::Failed> failed;
  RequestSpan span;
  [[nodiscard]] bool ended() const { return finished || failed; }
  [[nodiscard]] QString message() const {
    return failed ? QString::fromStdString(failed->error.message()).toLower() : QStringLiteral("no error");
  }
};

class RemoteServersTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    keyringContent().clear();
    m_folder = std::make_unique<QTemporaryDir>();
    m_log = std::make_unique<RequestLog>(m_folder->filePath(QStringLiteral("requests.log")));
    open();
  }
  void cleanup() {
    m_panel.reset();
    m_recorder.reset();
    m_inference.reset();
    m_service.reset();
  }

  void listsOfModels_data() {
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QStringList>("models");  // "id context"; empty: refused
    const auto row = [](const char* name, const QByteArray& json, const char* kind, const QStringList& models) {
      QTest::newRow(name) << json << QString::fromLatin1(kind) << models;
    };
    row("vLLM", twoModels, "vLLM", {QStringLiteral("org/big 4096"), QStringLiteral("small 0")});
    row("llama-server", R"({"data":[{"id":"m.gguf","owned_by":"llamacpp","meta":{"n_ctx_train":32768}}],"models":[]})", "llama-server",
        {QStringLiteral("m.gguf 32768")});
    row("Minerva", R"({"data":[{"id":"m","owned_by":"minerva","meta":{"n_ctx":2048,"n_ctx_train":32768}}]})", "Minerva",
        {QStringLiteral("m 2048")});
    row("LM Studio", R"({"data":[{"id":"m","owned_by":"organization_owner","max_context_length":8192}]})", "LM Studio",
        {QStringLiteral("m 8192")});
    row("bare array", R"([{"id":"a","context_length":100},{"id":"a"},{"id":""},{"id":7},"x"])", "", {QStringLiteral("a 100")});
    row("Ollama without models", R"({"object":"list","data":null})", "", {});
    row("not JSON", "<html>", "", {});
    row("other JSON", R"({"hello":[]})", "", {});
    row("nothing", "", "", {});
  }
  void listsOfModels() {
    QFETCH(const QByteArray, json);
    QFETCH(const QString, kind);
    QFETCH(const QStringList, models);
    const minerva::Result<FoundModels> found = readModels(json, {});
    QCOMPARE(found.has_value(), !models.isEmpty());
    if (!found) {
      QVERIFY(!found.error().hint.empty());
      return;
    }
    QStringList said;
    for (const ServerModel& model : found->models) said << QStringLiteral("%1 %2").arg(model.id).arg(model.context);
    QCOMPARE(said, models);
    QCOMPARE(found->kind, kind);
    QCOMPARE(readModels(json, "llama.cpp")->kind, kind.isEmpty() ? QStringLiteral("llama-server") : kind);
  }

  void addedTriedKeptAndRemoved() {
    const QAbstractItemModelTester rows(m_service->list()), models(m_service->models());
    ScriptedServer server(vllm());
    const QString address = QStringLiteral("127.0.0.1:%1").arg(server.port());
    QVERIFY(!m_service->check({}, QStringLiteral("ftp://x"), {})[QStringLiteral("refusal")].toString().isEmpty());
    QVERIFY(!m_service->check({}, QStringLiteral("http://192.0.2.1"), QStringLiteral("k"))[QStringLiteral("refusal")].toString().isEmpty());
    QVERIFY(!m_service->check({}, QStringLiteral("http://192.0.2.1"), {})[QStringLiteral("warning")].toString().isEmpty());
    QVERIFY(!m_service->check({}, address, QStringLiteral("two words"))[QStringLiteral("refusal")].toString().isEmpty());
    QVERIFY(m_service->check({}, address, QStringLiteral("sk-1"))[QStringLiteral("refusal")].toString().isEmpty());
    QVERIFY(server.seen.empty());  // nothing is sent while typing
    m_service->tryOut({}, address, QStringLiteral("sk-1"));
    QVERIFY(m_service->isTrying());
    QTRY_VERIFY(!m_service->isTrying());
    QCOMPARE(m_service->found(), QStringList({QStringLiteral("org/big"), QStringLiteral("small")}));
    QCOMPARE(m_service->foundKind(), QStringLiteral("vLLM"));
    QCOMPARE(server.seen.back().header("Authorization"), QByteArray("Bearer sk-1"));
    QVERIFY(keyringContent().empty());  // trying keeps nothing
    QVERIFY(!m_service->keep({}, QStringLiteral("ftp://x"), {}, {}));
    QCOMPARE(m_service->list()->count(), 0);
    QVERIFY(m_service->keep({}, address, QStringLiteral(" Box  one "), QStringLiteral("sk-1\n")));
    QTRY_COMPARE(m_service->models()->count(), 2);
    const QString id = m_service->list()->all()[0].id;
    QCOMPARE(m_service->list()->all()[0].name, QStringLiteral("Box one"));
    QCOMPARE(keyringContent()[QStringLiteral("server ") + id], QByteArray("sk-1"));
    QFile stored(m_folder->filePath(QStringLiteral("servers.ini")));
    cleanup();
    QVERIFY(stored.open(QIODevice::ReadOnly));
    QVERIFY(!stored.readAll().contains("sk-1"));
    open();  // after a restart: nothing is asked
    const std::size_t asked = server.seen.size();
    QCOMPARE(m_service->models()->count(), 2);
    m_service->models()->setSearch(QStringLiteral("BIG"));
    QCOMPARE(m_service->models()->count(), 1);
    m_service->models()->setSearch(QStringLiteral("box"));
    QCOMPARE(m_service->models()->count(), 2);
    QTest::qWait(50);
    QCOMPARE(server.seen.size(), asked);
    m_service->refresh(id);  // with the key from the keyring
    QTRY_COMPARE(server.seen.size(), asked + 1);
    QCOMPARE(server.seen.back().header("Authorization"), QByteArray("Bearer sk-1"));
    m_service->remove(id);
    QCOMPARE(m_service->list()->count(), 0);
    QCOMPARE(m_service->models()->total(), 0);
    QVERIFY(keyringContent()[QStringLiteral("server ") + id].isEmpty());
  }

  // Another address is another program: what the former one had is no choice any more, even if nothing answers there.
  void modelsOfAFormerAddressAreForgotten() {
    ScriptedServer server(vllm());
    QVERIFY(m_service->keep({}, server.url().toString(), {}, {}));
    QTRY_COMPARE(m_service->models()->count(), 2);
    const QString id = m_service->list()->all()[0].id;
    QVERIFY(m_service->keep(id, server.url().toString(), QStringLiteral("Renamed"), {}));
    QCOMPARE(m_service->models()->count(), 2);
    QVERIFY(m_service->keep(id, QStringLiteral("http://127.0.0.1:9/v1"), {}, {}));
    QCOMPARE(m_service->models()->count(), 0);
  }

  // A key belongs to a host: an edited address of another one does not get it.
  void aKeyIsNotSentToAnotherHost() {
    ScriptedServer first(vllm()), second(vllm());
    QVERIFY(m_service->keep({}, first.url().toString(), {}, QStringLiteral("sk-1")));
    const QString id = m_service->list()->all()[0].id;
    QVERIFY(m_service->check(id, second.url().toString(), {})[QStringLiteral("keyGoes")].toBool());
    m_service->tryOut(id, second.url().toString(), {});
    QTRY_VERIFY(!m_service->found().isEmpty());
    QCOMPARE(second.seen.back().header("Authorization"), QByteArray());
    QVERIFY(m_service->keep(id, second.url().toString(), {}, {}));
    QTRY_COMPARE(second.seen.size(), 2U);
    QCOMPARE(second.seen.back().header("Authorization"), QByteArray());
    QVERIFY(!m_service->list()->find(id)->hasKey);
    QVERIFY(keyringContent()[QStringLiteral("server ") + id].isEmpty());
    // The same host, another path: it stays.
    QVERIFY(m_service->keep(id, second.url().toString(), {}, QStringLiteral("sk-2")));
    QVERIFY(m_service->keep(id, second.url().toString() + QStringLiteral("/v2"), {}, {}));
    QTRY_COMPARE(second.seen.back().path(), QByteArray("/v1/v2/models"));
    QCOMPARE(second.seen.back().header("Authorization"), QByteArray("Bearer sk-2"));
    m_service->removeKey(id);
    QVERIFY(!m_service->list()->find(id)->hasKey);
  }

  void withoutAKeyringAKeyIsKeptInMemory() {
    m_service->keys()->setKeyring([](const QString& entry) { return std::make_unique<NoKeyring>(entry); });
    ScriptedServer server(vllm());
    QVERIFY(m_service->keep({}, server.url().toString(), {}, QStringLiteral("sk-1")));
    QVERIFY2(m_service->keyError().headline.contains(QLatin1String("only until Minerva is closed")),
             qPrintable(m_service->keyError().details));
    QTRY_COMPARE(m_service->models()->count(), 2);
    QCOMPARE(server.seen.back().header("Authorization"), QByteArray("Bearer sk-1"));
    const QString path = m_service->models()->all()[0].path;
    cleanup();
    open();
    m_service->keys()->setKeyring([](const QString& entry) { return std::make_unique<NoKeyring>(entry); });
    const std::size_t asked = server.seen.size();
    m_inference->load(path);
    const HeardReply& heard = submit(ask("Hello"));  // not sent without its key
    QVERIFY(waitFor(heard));
    QVERIFY2(heard.message().contains(QLatin1String("could not be read from the keyring")), qPrintable(heard.message()));
    QCOMPARE(server.seen.size(), asked);
  }

  void aReplyThroughTheController() {
    ScriptedServer server(vllm());
    QSignalSpy loaded(m_inference.get(), &InferenceController::loaded);
    const QString path = add(server);
    QVERIFY(!path.isEmpty());
    const std::size_t asked = server.seen.size();
    m_inference->load(path);
    QCOMPARE(m_inference->state(), InferenceController::Ready);  // at once
    QCOMPARE(loaded.size(), 1);
    QCOMPARE(m_inference->model().server, QStringLiteral("Box"));
    QCOMPARE(m_inference->modelName(), QStringLiteral("org/big · Box"));
    QCOMPARE(m_inference->model().contextLength, 4096);
    QCOMPARE(m_inference->sequences(), 0);  // the local server does not pass requests on
    QCOMPARE(m_inference->examine({}), 0U);
    QTest::qWait(50);
    QCOMPARE(server.seen.size(), asked);  // choosing it sends nothing
    const HeardReply& heard = submit(ask("Hello"));
    QCOMPARE(m_inference->state(), InferenceController::Generating);
    QVERIFY(waitFor(heard));
    QVERIFY2(heard.finished, qPrintable(heard.message()));
    QCOMPARE(heard.text, QStringLiteral("Hello there"));
    QCOMPARE(heard.finished->timings.generatedTokens, 5);
    QCOMPARE(heard.pieces, 2);
    QVERIFY(!heard.span.pieces);
    QCOMPARE(heard.span.subject->model.server, QStringLiteral("Box"));
    QCOMPARE(m_inference->state(), InferenceController::Ready);
    QCOMPARE(m_panel->property("server").toString(), QStringLiteral("Box"));
    QVERIFY(!m_panel->property("pieces").toBool());
    QCOMPARE(m_panel->property("tokens").toInt(), 5);
    QVERIFY(m_panel->property("ttftMs").toDouble() > 0);
    for (const char* unknown :
         {"weightBytes", "cacheBytes", "bandwidth", "bandwidthShare", "queueMs", "templateMs", "tokenizeMs", "prefillMs", "loadMs"})
      QVERIFY2(std::isnan(m_panel->property(unknown).toDouble()), unknown);
    const QStringList lines = *m_log->last(20);
    QVERIFY2(
        lines.join(QLatin1Char('\n')).contains(QStringLiteral("POST %1/chat/completions (chat with Box)").arg(server.url().toString())),
        qPrintable(lines.join(QLatin1Char('\n'))));
    QVERIFY(!lines.join(QString()).contains(QLatin1String("Hello")));
    QVERIFY2(lines.first().contains(QLatin1String(" 200, ")), qPrintable(lines.first()));
  }

  void piecesAreNotCalledTokens() {
    ScriptedServer server(vllm(ScriptedServer::piece(R"({"content":"a"})") + ScriptedServer::piece(R"({"content":"b"})", R"("stop")")));
    m_inference->load(add(server));
    QSignalSpy recorded(m_recorder.get(), &ReplyRecorder::recorded);
    const HeardReply& heard = submit(ask("Hello"));
    m_recorder->follow(m_last, 7);
    QVERIFY(waitFor(heard));
    QVERIFY(heard.span.pieces);
    QVERIFY(m_panel->property("pieces").toBool());
    QCOMPARE(m_panel->property("tokens").toInt(), 2);
    QTRY_COMPARE(recorded.size(), 1);
    const auto record = recorded[0][0].value<ReplyRecord>();
    QCOMPARE(record.generatedTokens, 0);
    QVERIFY(std::isnan(record.decodeSpeed));
    QCOMPARE(record.device, QStringLiteral("Box"));
    QCOMPARE(record.phases.wallMs, 0.0);
  }

  void severalAtOnceAndStopped() {
    std::vector<QTcpSocket*> open;
    ScriptedServer server([&](QTcpSocket* to, const ScriptedServer::Seen& request) {
      if (request.path().endsWith("/models")) return vllm()(to, request);
      to->write(ScriptedServer::head() + ScriptedServer::piece("{\"content\":\"" + QByteArray::number(open.size()) + "\"}"));
      open.push_back(to);
    });
    m_inference->load(add(server));
    const HeardReply& first = submit(ask("one"));
    const quint64 firstTicket = m_last;
    QTRY_COMPARE(first.text, QStringLiteral("0"));
    const HeardReply& second = submit(ask("two"));
    QTRY_COMPARE(second.text, QStringLiteral("1"));
    const int closed = server.closed;
    m_inference->cancel(firstTicket);
    QVERIFY(waitFor(first));
    QCOMPARE(first.finished->reason, engine::FinishReason::cancelled);
    QTRY_COMPARE(server.closed, closed + 1);
    QCOMPARE(m_inference->state(), InferenceController::Generating);
    open[1]->write(ScriptedServer::piece(R"({"content":"!"})", R"("stop")") + "data: [DONE]\n\n");
    QVERIFY(waitFor(second));
    QCOMPARE(second.text, QStringLiteral("1!"));
    QCOMPARE(m_inference->state(), InferenceController::Ready);
  }

  // A local model stays in memory beside a server's; replies of both go on, and nothing of one goes to the other.
  void besideAModelOfThisComputer() {
    ScriptedServer server(vllm());
    const QString path = add(server);
    const std::size_t asked = server.seen.size();
    m_inference->setPreferences({.device = QStringLiteral("cpu"), .models = 2});
    m_inference->load(builtIn);
    QTRY_COMPARE(m_inference->state(), InferenceController::Ready);
    QVERIFY(m_inference->sequences() > 0);
    m_inference->load(path);
    QTRY_COMPARE(m_inference->kept().size(), 1);
    const HeardReply& there = submit(ask("Hello"));
    QVERIFY(waitFor(there));
    QCOMPARE(there.text, QStringLiteral("Hello there"));
    QSignalSpy states(m_inference.get(), &InferenceController::stateChanged);
    m_inference->load(builtIn);
    QVERIFY(m_inference->model().server.isEmpty());
    QTRY_COMPARE(m_inference->state(), InferenceController::Ready);
    QCOMPARE(m_inference->model().path, builtIn);
    QVERIFY(m_inference->kept().isEmpty());
    const HeardReply& here = submit(ask("Who are you?", 8));
    QVERIFY(waitFor(here));
    QVERIFY2(here.finished && here.finished->timings.generatedTokens > 0, qPrintable(here.message()));
    QCOMPARE(server.seen.size(), asked + 1);
    // A model that cannot be loaded does not leave the server chosen: what is written next was not meant for it.
    m_inference->load(path);
    m_inference->load(QStringLiteral("/nowhere/model.gguf"));
    QTRY_COMPARE(m_inference->state(), InferenceController::Failed);
    QCOMPARE(m_inference->submit(ask("secret")), 0U);
    m_inference->load(builtIn);
    m_inference->load(path);  // chosen while the other one is loading
    QCOMPARE(m_inference->state(), InferenceController::Ready);
    QTest::qWait(300);
    QCOMPARE(m_inference->model().server, QStringLiteral("Box"));
    QCOMPARE(server.seen.size(), asked + 1);
  }

  void aRemovedServerEndsItsReplies() {
    ScriptedServer server([](QTcpSocket* to, const ScriptedServer::Seen& request) {
      if (request.path().endsWith("/models")) return vllm()(to, request);
      to->write(ScriptedServer::head() + ScriptedServer::piece(R"({"content":"a"})"));
    });
    m_inference->load(add(server));
    const HeardReply& heard = submit(ask("Hello"));
    QTRY_COMPARE(heard.text, QStringLiteral("a"));
    m_service->remove(m_service->list()->all()[0].id);
    QVERIFY(waitFor(heard));
    QCOMPARE(heard.text, QStringLiteral("a"));
    QCOMPARE(m_inference->state(), InferenceController::NoModel);
    m_inference->load(QStringLiteral("server:gone/model"));  // as a start with the removed one would
    QTRY_COMPARE(m_inference->state(), InferenceController::Failed);
  }

  void offlineRefusesOthersAndKeepsThisComputer() {
    ScriptedServer server(vllm());
    const QString here = add(server);
    QVERIFY(m_service->keep({}, QStringLiteral("http://192.0.2.1:9/v1"), QStringLiteral("Far"), {}));
    m_service->setNetwork(true, {});
    m_service->refresh(m_service->list()->all()[1].id);
    const auto error = [this] { return m_service->list()->index(1).data(ServerList::ErrorRole).value<ErrorInfo>(); };
    QTRY_VERIFY(error().detail.contains(QLatin1String("offline mode"), Qt::CaseInsensitive));
    m_inference->load(RemotePath{m_service->list()->all()[1].id, QStringLiteral("m")}.text());
    const HeardReply& far = submit(ask("Hello"));
    QVERIFY(waitFor(far));
    QVERIFY2(far.message().contains(QLatin1String("offline mode")), qPrintable(far.message()));
    m_service->setNetwork(false, QStringLiteral("none"));
    const HeardReply& underway = submit(ask("Hello"));
    QVERIFY(!underway.ended());
    m_service->setNetwork(true, {});
    QVERIFY(waitFor(underway));
    QVERIFY(underway.finished && underway.finished->reason == engine::FinishReason::cancelled);
    m_inference->load(here);
    const HeardReply& near = submit(ask("Hello"));
    QVERIFY(waitFor(near));
    QCOMPARE(near.text, QStringLiteral("Hello there"));
  }

  void fieldsThatAServerRefusesAreRemembered() {
    ScriptedServer server([](QTcpSocket* to, const ScriptedServer::Seen& request) {
      if (request.body.contains("min_p"))
        return ScriptedServer::whole("400 Bad Request", R"({"error":{"message":"Unknown field min_p"}})")(to, request);
      vllm()(to, request);
    });
    m_inference->load(add(server));
    for (const std::size_t requests : {2U, 1U}) {
      const std::size_t before = server.seen.size();
      engine::Request request = ask("Hello");
      request.sampling.minP = 0.1F;
      const HeardReply& heard = submit(std::move(request));
      QVERIFY(waitFor(heard));
      QCOMPARE(heard.text, QStringLiteral("Hello there"));
      QCOMPARE(server.seen.size(), before + requests);
    }
    const Server& kept = m_service->list()->all()[0];
    QCOMPARE(kept.leftOut, (QMap<QString, QStringList>{{kept.models[0].id, {QStringLiteral("min_p")}}}));
    QCOMPARE(ServerList(m_folder->filePath(QStringLiteral("servers.ini"))).all()[0].leftOut, kept.leftOut);
    // Another model of the server may take it.
    m_inference->load(RemotePath{kept.id, QStringLiteral("another model")}.text());
    engine::Request request = ask("Hello");
    request.sampling.minP = 0.1F;
    const std::size_t before = server.seen.size();
    QVERIFY(waitFor(submit(std::move(request))));
    QVERIFY(server.seen[before].body.contains("min_p"));
    QCOMPARE(m_service->list()->all()[0].leftOut.size(), 2);
    m_service->refresh(m_service->list()->all()[0].id);
    QTRY_COMPARE(m_service->list()->all()[0].leftOut.size(), 0);
  }

  void aDamagedListIsReadAsFarAsPossible() {
    cleanup();
    QFile file(m_folder->filePath(QStringLiteral("servers.ini")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(
        "[servers]\nsize=999999999\n1\\id=a\n1\\address=localhost:1\n2\\id=a\n2\\address=localhost:2\n3\\id=b\n3\\address=ftp://x\n"
        "4\\address=localhost:4\n5\\id=c\n5\\address=localhost:5\n5\\models=m, n\n5\\contexts=x\n");
    file.close();
    open();
    QCOMPARE(m_service->list()->count(), 2);
    QCOMPARE(m_service->list()->all()[0].name, QStringLiteral("localhost"));
    QCOMPARE(m_service->models()->total(), 2);
  }

  // Greedy text through our own server equals that of the same model loaded here.
  void ourOwnServerGivesTheSameText() {
    OwnServer server(m_folder->filePath(QStringLiteral("other")));
    QVERIFY(server.isUp());
    QVERIFY(m_service->keep({}, server.address(), QStringLiteral("Mine"), {}));
    QTRY_COMPARE(m_service->models()->total(), 1);
    QCOMPARE(m_service->list()->all()[0].kind, QStringLiteral("Minerva"));
    QVERIFY(m_service->models()->all()[0].context > 0);
    m_inference->setPreferences({.device = QStringLiteral("cpu")});
    m_inference->load(builtIn);
    QTRY_COMPARE(m_inference->state(), InferenceController::Ready);
    for (const char* text : {"Who are you?", "Tell me a story about a fox", "What is 7 + 8?"}) {
      m_inference->load(builtIn);
      QTRY_COMPARE(m_inference->state(), InferenceController::Ready);
      const HeardReply& here = submit(ask(text, 60));
      QVERIFY(waitFor(here));
      m_inference->load(m_service->models()->all()[0].path);
      const HeardReply& there = submit(ask(text, 60));
      QVERIFY(waitFor(there));
      QVERIFY2(there.finished, qPrintable(there.message()));
      QVERIFY(!here.text.isEmpty());
      QCOMPARE(there.text, here.text);
      QCOMPARE(there.finished->reason, here.finished->reason);
      QCOMPARE(there.finished->timings.generatedTokens, here.finished->timings.generatedTokens);
      QCOMPARE(there.finished->timings.promptTokens, here.finished->timings.promptTokens);
      // And a reply that goes on where its text ends.
      const QString begun = here.text.left(here.text.size() / 2);
      engine::Request more = ask(text, 60);
      more.chat.messages.push_back(
          {{"role", "assistant"}, {"content", begun.toStdString()}, {"reasoning_content", ""}, {"reasoning_open", false}});
      more.chat.continueFinalMessage = true;
      const HeardReply& rest = submit(more);
      QVERIFY(waitFor(rest));
      QVERIFY2(rest.finished, qPrintable(rest.message()));
      m_inference->load(builtIn);
      QTRY_COMPARE(m_inference->state(), InferenceController::Ready);
      const HeardReply& restHere = submit(more);
      QVERIFY(waitFor(restHere));
      QCOMPARE(rest.text, restHere.text);
    }
    QVERIFY(server.end());
    m_inference->load(m_service->models()->all()[0].path);
    const HeardReply& gone = submit(ask("Hello"));
    QVERIFY(waitFor(gone));
    QVERIFY2(gone.message().contains(QLatin1String("no server answers")), qPrintable(gone.message()));
  }

  // The effort reaches the chat template there as it does here.
  void ourOwnServerTakesAnEffort() {
    const QString model = thinkingModel(m_folder->path(), false, true);
    OwnServer server(m_folder->filePath(QStringLiteral("other")), {model});
    QVERIFY(server.isUp());
    QVERIFY(m_service->keep({}, server.address(), QStringLiteral("Mine"), {}));
    QTRY_COMPARE(m_service->models()->total(), 1);
    m_inference->setPreferences({.device = QStringLiteral("cpu")});
    QList<int> prompts;
    for (const char* effort : {"", "low", "high", "low"}) {
      engine::Request request = ask("Tell me a story", 24);
      request.chat.reasoning.effort = effort;
      m_inference->load(model);
      QTRY_COMPARE(m_inference->state(), InferenceController::Ready);
      QCOMPARE(m_inference->reasoning().defaultEffort, std::string("medium"));
      const HeardReply& here = submit(request);
      QVERIFY(waitFor(here));
      m_inference->load(m_service->models()->all()[0].path);
      QCOMPARE(m_inference->reasoning().efforts, (std::vector<std::string>{"low", "medium", "high"}));
      QCOMPARE(m_inference->reasoning().defaultEffort, std::string());
      const HeardReply& there = submit(request);
      QVERIFY(waitFor(there));
      QVERIFY2(there.finished, qPrintable(there.message()));
      QCOMPARE(there.text, here.text);
      QCOMPARE(there.finished->timings.promptTokens, here.finished->timings.promptTokens);
      prompts << there.finished->timings.promptTokens;
    }
    QCOMPARE(prompts[1], prompts[3]);
    QVERIFY2(prompts[1] != prompts[0] && prompts[1] != prompts[2],  // the words are of different lengths
             qPrintable(QStringLiteral("%1 %2 %3").arg(prompts[0]).arg(prompts[1]).arg(prompts[2])));
    QVERIFY(server.end());
  }

  void llamaServer() {
    const LlamaServer server(QStringLiteral("sk-llama"));
    if (!server.missing().isEmpty()) QSKIP(qPrintable(server.missing()));
    QVERIFY2(server.isUp(), server.log().constData());
    QVERIFY(m_service->keep({}, server.address(), QStringLiteral("llama"), QStringLiteral("sk-wrong")));
    const auto error = [this] { return m_service->list()->index(0).data(ServerList::ErrorRole).value<ErrorInfo>(); };
    QTRY_VERIFY(error().detail.contains(QLatin1String("does not accept the key"), Qt::CaseInsensitive));
    QVERIFY(m_service->keep(m_service->list()->all()[0].id, server.address(), QStringLiteral("llama"), QStringLiteral("sk-llama")));
    QTRY_COMPARE(m_service->models()->total(), 1);
    QCOMPARE(m_service->list()->all()[0].kind, QStringLiteral("llama-server"));
    m_inference->load(m_service->models()->all()[0].path);
    engine::Request request = ask("Hello", 12);
    request.sampling.topK = 5;
    request.sampling.repeatPenalty = 1.1F;
    const HeardReply& heard = submit(request);
    QVERIFY(waitFor(heard));
    QVERIFY2(heard.finished, qPrintable(heard.message()));
    QVERIFY(!heard.text.isEmpty());
    QVERIFY(!heard.span.pieces);
    QVERIFY(heard.finished->timings.generatedTokens > 0 && heard.finished->timings.generatedTokens <= 12);
    QVERIFY(heard.finished->timings.promptTokens > 0);
    QVERIFY(heard.finished->timings.prefillTokensPerSecond > 0);
    QVERIFY(m_service->list()->all()[0].leftOut.isEmpty());
    // It takes an effort of thinking, though this model has none.
    request.chat.reasoning.effort = "high";
    const HeardReply& thought = submit(request);
    QVERIFY(waitFor(thought));
    QVERIFY2(thought.finished, qPrintable(thought.message()));
    QVERIFY(thought.finished->timings.generatedTokens > 0);
    QVERIFY(m_service->list()->all()[0].leftOut.isEmpty());
  }

 private:
  void open() {
    m_service = std::make_unique<ServerService>(m_folder->filePath(QStringLiteral("servers.ini")), m_log.get());
    m_service->keys()->setKeyring([](const QString& entry) { return std::make_unique<TestKeyring>(entry); });
    m_inference = std::make_unique<InferenceController>();
    m_inference->setOtherEngine(m_service->engine());
    m_panel = std::make_unique<PanelModel>(m_inference.get(), m_inference.get());
    m_panel->showConversation(1);
    connect(m_inference.get(), &ReplySource::submitted, m_panel.get(), [this](quint64 request) { m_panel->setConversation(request, 1); });
    m_recorder = std::make_unique<ReplyRecorder>(m_inference.get(), m_inference.get());
    m_heard.clear();
    connect(m_inference.get(), &ReplySource::updated, this, [this](const ReplyUpdate& update) {
      HeardReply& heard = m_heard[update.request];
      if (heard.ended()) ++heard.afterEnd;
      ++heard.updates;
      heard.text += update.text;
      heard.pieces += static_cast<int>(update.tokens.size());
      heard.finished = update.finished;
      heard.failed = update.failed;
      if (update.isLast()) heard.span = update.span;
    });
  }
  // Adds the server as "Box" and returns the path of its first model.
  QString add(const ScriptedServer& server) {
    if (!m_service->keep({}, server.url().toString(), QStringLiteral("Box"), {})) return {};
    if (!QTest::qWaitFor([this] { return m_service->models()->total() > 0; }, patienceMs)) return {};
    return m_service->models()->all()[0].path;
  }
  const HeardReply& submit(engine::Request request) {
    m_last = m_inference->submit(std::move(request));
    return m_heard[m_last];
  }
  static bool waitFor(const HeardReply& heard) {
    return QTest::qWaitFor([&] { return heard.ended(); }, patienceMs) && heard.afterEnd == 0;
  }
  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<RequestLog> m_log;
  std::unique_ptr<ServerService> m_service;
  std::unique_ptr<InferenceController> m_inference;
  std::unique_ptr<PanelModel> m_panel;
  std::unique_ptr<ReplyRecorder> m_recorder;
  std::map<quint64, HeardReply> m_heard;
  quint64 m_last = 0;
};

QTEST_MAIN(RemoteServersTest)
#include "tst_remote_servers.moc"
