// The window's servers: their list, their keys, and the models that they name; with scripted servers.
#include "app_test.h"
#include "remote_bench.h"

#include <QAbstractItemModelTester>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSignalSpy>

#include <memory>
#include <optional>

using namespace minerva::app;
namespace engine = minerva::engine;

namespace {

struct NoKeyring : TokenStore {
  explicit NoKeyring(const QString& entry) : TokenStore(entry) {}
  void read(Read answer) override { answer(refusal()); }
  void write(const QByteArray&, Written answer) override { answer(refusal()); }
  static std::unexpected<minerva::Error> refusal() {
    return minerva::fail({.kind = minerva::ErrorKind::unsupported, .what = "no keyring service is running", .actual = "none"});
  }
};

}  // namespace

class RemoteServersTest : public RemoteBench {
  Q_OBJECT
 private Q_SLOTS:
  void init() { begin(); }
  void cleanup() { end(); }

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

  // Some servers list nothing, or not to such a key, or not all that they answer for.
  void aModelThatTheServerDoesNotListIsTyped() {
    ScriptedServer server([](QTcpSocket* to, const ScriptedServer::Seen& request) {
      if (request.path().endsWith("/models")) return ScriptedServer::whole("404 Not Found", "{}")(to, request);
      ScriptedServer::stream(reply)(to, request);
    });
    QVERIFY(m_service->keep({}, server.url().toString(), {}, {}, QStringLiteral(" claude-x , my deployment,,claude-x")));
    const auto names = [this] {
      QStringList all;
      for (const RemoteModels::Entry& entry : m_service->models()->all()) all << entry.name;
      return all;
    };
    const QStringList typed{QStringLiteral("claude-x"), QStringLiteral("my deployment")};
    QCOMPARE(names(), typed);
    const QString id = m_service->list()->all()[0].id;
    QCOMPARE(m_service->facts(id)[QStringLiteral("models")].toString(), QStringLiteral("claude-x, my deployment"));
    QTRY_VERIFY(m_service->list()->index(0).data(ServerList::ErrorRole).value<ErrorInfo>().isSet());
    QCOMPARE(names(), typed);
    m_inference->load(m_service->models()->all()[0].path);
    const HeardReply& heard = submit(ask("Hello"));
    QVERIFY(waitFor(heard));
    QCOMPARE(heard.text, QStringLiteral("Hello there"));
    QVERIFY(server.seen.back().body.contains("\"claude-x\""));
    cleanup();
    open();  // after a restart
    QCOMPARE(names(), typed);
    // What it lists later is beside them, and one that is in both is there once.
    server.answer = vllm();
    QVERIFY(m_service->keep(id, server.url().toString(), {}, {}, QStringLiteral("claude-x, small")));
    QTRY_COMPARE(names(), QStringList({QStringLiteral("claude-x"), QStringLiteral("org/big"), QStringLiteral("small")}));
    QCOMPARE(m_service->list()->index(0).data(ServerList::ModelsRole).toList().size(), 3);
    QVERIFY(m_service->keep(id, server.url().toString(), {}, {}, {}));
    QTRY_COMPARE(names().size(), 2);
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
};

APP_TEST(RemoteServersTest, "remote_servers", QGuiApplication)
#include "tst_remote_servers.moc"
