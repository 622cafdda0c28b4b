// Replies of servers through InferenceController: of scripted servers, of Minerva's own and of llama-server, where that is installed.
#include "app_test.h"
#include "llama_server.h"
#include "own_server.h"
#include "remote_bench.h"
#include "sample_models.h"
#include "thinking_model.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QSignalSpy>

#include <cmath>

using namespace minerva::app;
namespace engine = minerva::engine;

class RemoteRepliesTest : public RemoteBench {
  Q_OBJECT
 private Q_SLOTS:
  void init() { begin(); }
  void cleanup() { end(); }

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
};

APP_TEST(RemoteRepliesTest, "remote_replies", QGuiApplication)
#include "tst_remote_replies.moc"
