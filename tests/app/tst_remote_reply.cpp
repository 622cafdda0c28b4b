// A reply of a server: its address, its pieces and the stream cut anywhere, from a scripted one.
#include "app/remote/chat_body.h"
#include "app/remote/server_address.h"
#include "app_test.h"
#include "heard_reply.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <optional>

using namespace minerva::app;
using minerva::Error;
using minerva::ErrorKind;

class RemoteReplyTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void addresses_data() {
    QTest::addColumn<QString>("typed");
    QTest::addColumn<QString>("address");  // begins with "!": the refusal contains the rest
    const auto row = [](const char* typed, const char* address) {
      QTest::newRow(typed) << QString::fromUtf8(typed) << QString::fromUtf8(address);
    };
    row("localhost:8080", "http://localhost:8080/v1");
    row("  127.0.0.1:11434/ ", "http://127.0.0.1:11434/v1");
    row("0.0.0.0:8000", "http://127.0.0.1:8000/v1");
    row("http://[::]:8000", "http://[::1]:8000/v1");
    row("192.168.1.7:1234", "http://192.168.1.7:1234/v1");
    row("box:8080", "http://box:8080/v1");
    row("box.local", "http://box.local/v1");
    row("api.example.org", "https://api.example.org/v1");
    row("HTTPS://API.Example.org/V1/", "https://api.example.org/V1");
    row("http://host:1234/v1", "http://host:1234/v1");
    row("https://openrouter.example/api/v1/chat/completions", "https://openrouter.example/api/v1");
    row("https://host.example/v1/models/", "https://host.example/v1");
    row("https://host.example/a%20b/v1", "https://host.example/a%20b/v1");
    row("", "!no address");
    row("ftp://host", "!only http and https");
    row("file:///etc/passwd", "!only http and https");
    row("http://name:secret@host/v1", "!user name or password");
    row("name:secret@host:80", "!user name or password");
    row("http://host/v1?key=x", "!after ? or #");
    row("http://host/v1#x", "!after ? or #");
    row("http://", "!not an address");
    row("host:99999", "!not an address");
    row("host:0", "!not an address");
    row("two words", "!not an address");
    row("http://host/v1\r\nX: y", "!not an address");
  }
  void addresses() {
    QFETCH(const QString, typed);
    QFETCH(const QString, address);
    const minerva::Result<QUrl> url = serverAddressFrom(typed);
    if (address.startsWith(QLatin1Char('!'))) {
      QVERIFY2(!url, qPrintable(url ? url->toString() : QString()));
      const QString message = QString::fromStdString(url.error().message());
      QVERIFY2(message.contains(address.mid(1), Qt::CaseInsensitive), qPrintable(message));
      QVERIFY2(!message.contains(QLatin1String("secret")), qPrintable(message));  // an error may be copied into a report
      return;
    }
    QVERIFY2(url, url ? "" : url.error().message().c_str());
    QCOMPARE(url->toString(QUrl::FullyEncoded), address);
    QCOMPARE(*serverAddressFrom(url->toString(QUrl::FullyEncoded)), *url);  // stored and read again
  }

  void keysGoOnlyWhereNobodyReadsThem() {
    QVERIFY(!exposesKey(QUrl(QStringLiteral("https://host.example/v1"))));
    QVERIFY(!exposesKey(QUrl(QStringLiteral("http://localhost:1/v1"))));
    QVERIFY(!exposesKey(QUrl(QStringLiteral("http://[::1]:1/v1"))));
    QVERIFY(exposesKey(QUrl(QStringLiteral("http://192.168.1.7/v1"))));
    QVERIFY(exposesKey(QUrl(QStringLiteral("http://127.0.0.1.example.org/v1"))));
    QVERIFY(haveSameOrigin(QUrl(QStringLiteral("https://a/v1")), QUrl(QStringLiteral("https://a:443/v2"))));
    for (const char* other : {"http://a/v1", "https://b/v1", "https://a:444/v1"})
      QVERIFY2(!haveSameOrigin(QUrl(QStringLiteral("https://a/v1")), QUrl(QString::fromLatin1(other))), other);
    Heard heard(QUrl(QStringLiteral("http://192.0.2.1/v1")), question(), {}, "secret");
    QVERIFY(heard.waitForEnd());
    QVERIFY2(heard.message().contains(QLatin1String("not sent over plain http")), qPrintable(heard.message()));
    QVERIFY(!heard.message().contains(QLatin1String("secret")));
  }

  // The same events however the bytes are cut, with every kind of line end.
  void eventsCutAtEveryByte() {
    const QByteArray stream =
        "\xEF\xBB\xBF"
        "data: one\n\n:comment\nevent: error\ndata:two\ndata:  2\nid: 7\n\nnonsense\ndata\n\ndata: [DONE]\n\ndata: late\n\n";
    for (const QByteArray& end : {QByteArray("\n"), QByteArray("\r\n"), QByteArray("\r")}) {
      QByteArray bytes = stream;
      bytes.replace("\n", end);
      for (qsizetype cut = 0; cut <= bytes.size(); ++cut) {
        SseReader reader;
        QList<SseEvent> events = *reader.take(bytes.left(cut));
        events += *reader.take(bytes.mid(cut));
        QCOMPARE(events.size(), 3);
        QCOMPARE(events[0].data, QByteArray("one"));
        QCOMPARE(events[1].name, QByteArray("error"));
        QCOMPARE(events[1].data, QByteArray("two\n 2"));
        QCOMPARE(events[2].data, QByteArray());
        QVERIFY(reader.isDone());
      }
    }
    SseReader open;
    QCOMPARE(open.take("data: last")->size(), 0);
    QCOMPARE(open.end()->data, QByteArray("last"));
    SseReader greedy;
    QVERIFY(greedy.take(QByteArray(SseReader::longestEvent, 'x')));
    const auto tooLong = greedy.take("x");
    QVERIFY(!tooLong && tooLong.error().kind == ErrorKind::limit);
    SseReader lines;  // many short lines of one event are as long
    minerva::Result<QList<SseEvent>> most = QList<SseEvent>();
    for (int i = 0; i < 200 && most; ++i) most = lines.take("data: " + QByteArray(10000, 'x') + '\n');
    QVERIFY(!most);
  }

  void theRequest() {
    minerva::engine::Request request = question();
    request.chat.messages.push_back(
        {{"role", "assistant"}, {"content", "\xff!"}, {"reasoning_content", "thought"}, {"reasoning_open", false}});
    request.chat.continueFinalMessage = true;
    request.maxTokens = 64;
    request.stop = {"END"};
    request.sampling.topK = 40;
    request.sampling.repeatPenalty = 1.1F;
    request.sampling.seed = 5;
    const ChatBody body = *chatBody(request, QStringLiteral("m"), {});
    const QJsonObject expected{
        {QStringLiteral("model"), QStringLiteral("m")},
        {QStringLiteral("messages"),
         QJsonArray{
             QJsonObject{{QStringLiteral("role"), QStringLiteral("user")}, {QStringLiteral("content"), QStringLiteral("Hello")}},
             QJsonObject{{QStringLiteral("role"), QStringLiteral("assistant")}, {QStringLiteral("content"), QStringLiteral("\uFFFD!")}}}},
        {QStringLiteral("stream"), true},
        {QStringLiteral("continue_final_message"), true},
        {QStringLiteral("add_generation_prompt"), false},
        {QStringLiteral("stop"), QJsonArray{QStringLiteral("END")}},
        {QStringLiteral("max_tokens"), 64},
        {QStringLiteral("temperature"), 0.7},
        {QStringLiteral("top_p"), 0.9},
        {QStringLiteral("top_k"), 40},
        {QStringLiteral("repeat_penalty"), 1.1},
        {QStringLiteral("repetition_penalty"), 1.1},
        {QStringLiteral("seed"), 5},
        {QStringLiteral("stream_options"), QJsonObject{{QStringLiteral("include_usage"), true}}}};
    QCOMPARE(QJsonDocument::fromJson(body.json).object(), expected);
    const QJsonObject less =
        QJsonDocument::fromJson(chatBody(request, QStringLiteral("m"), {QStringLiteral("max_tokens"), QStringLiteral("top_k")})->json)
            .object();
    QCOMPARE(less[QLatin1String("max_completion_tokens")].toInt(), 64);
    QVERIFY(!less.contains(QLatin1String("max_tokens")) && !less.contains(QLatin1String("top_k")));
    for (const auto& [effort, sent] : {std::pair{"low", "low"}, {"medium", "medium"}, {"high", "high"}, {"xhigh", ""}, {"", ""}}) {
      request.chat.reasoning.effort = effort;
      const ChatBody with = *chatBody(request, QStringLiteral("m"), {});
      const QJsonObject object = QJsonDocument::fromJson(with.json).object();
      QCOMPARE(object.contains(QLatin1String("reasoning_effort")), *sent != 0);
      QCOMPARE(object[QLatin1String("reasoning_effort")].toString(), QString::fromLatin1(sent));
      QVERIFY(!with.optional.contains(QLatin1String("reasoning_effort")));
    }
    request.chat.messages.back()["reasoning_open"] = true;
    QVERIFY(!chatBody(request, QStringLiteral("m"), {}));
    QCOMPARE(fieldsNamedIn("temperature must be at most 2", {.json = {}, .optional = {QStringLiteral("temperature")}}), QStringList());
    QCOMPARE(
        fieldsNamedIn("unknown field 'top_k' (not my_top_p)", {.json = {}, .optional = {QStringLiteral("top_k"), QStringLiteral("top_p")}}),
        QStringList{QStringLiteral("top_k")});
  }

  void aReply() {
    ScriptedServer server(ScriptedServer::stream(said));
    const Heard heard(server.url(), question(), {}, "sk-1");
    QVERIFY(heard.waitForEnd());
    QVERIFY2(heard.finished, qPrintable(heard.message()));
    QCOMPARE(heard.text, std::string("Grüß dich 🦉"));
    QCOMPARE(heard.reasoning, std::string("Hm"));
    QCOMPARE(heard.finished->reason, minerva::engine::FinishReason::endOfTurn);
    const minerva::engine::Timings& timings = heard.finished->timings;
    QCOMPARE(timings.promptTokens, 11);
    QCOMPARE(timings.reusedTokens, 4);
    QCOMPARE(timings.generatedTokens, 7);
    QVERIFY(heard.reply->isCounted());
    QCOMPARE(heard.finished->contextUsed, 18);
    QVERIFY(timings.ttftMs > 0 && timings.wallMs >= timings.ttftMs);
    QVERIFY(timings.arrival == minerva::TimePoint{});  // phases of the server are not made up
    QCOMPARE(server.seen.size(), 1U);
    QCOMPARE(server.seen[0].path(), QByteArray("/v1/chat/completions"));
    QCOMPARE(server.seen[0].header("Authorization"), QByteArray("Bearer sk-1"));
    QCOMPARE(server.seen[0].header("Content-Type"), QByteArray("application/json"));
  }

  void cutAtEveryByte() {
    ScriptedServer server;
    QByteArray events = said;
    events.replace("\n\n", "\r\n\r\n");
    for (qsizetype cut = 0; cut <= events.size(); cut += 3) {
      server.answer = [&](QTcpSocket* to, const ScriptedServer::Seen&) {
        to->write(ScriptedServer::head() + events.left(cut));
        to->flush();
        QTimer::singleShot(1, to, [to, rest = events.mid(cut)] {
          to->write(rest);
          to->disconnectFromHost();
        });
      };
      const Heard heard(server.url());
      QVERIFY(heard.waitForEnd());
      QVERIFY2(heard.finished, qPrintable(heard.message()));
      QCOMPARE(heard.text, std::string("Grüß dich 🦉"));
      QCOMPARE(heard.reasoning, std::string("Hm"));
      QCOMPARE(heard.finished->timings.generatedTokens, 7);
    }
  }

  // The connection ends after every byte: the reply is complete from its reason for the end on; before, its text is kept and it fails.
  void deathAtEveryByte() {
    ScriptedServer server;
    const qsizetype complete = said.indexOf("\"stop\"}]}") + 9;
    for (qsizetype cut = 0; cut <= said.size(); cut += 3) {
      server.answer = ScriptedServer::stream(said.left(cut));
      const Heard heard(server.url());
      QVERIFY(heard.waitForEnd());
      QCOMPARE(heard.afterEnd, 0);
      if (cut >= complete) QVERIFY2(heard.finished, qPrintable(heard.message()));
      else QVERIFY2(heard.failed, qPrintable(QString::number(cut)));
      if (cut > said.indexOf("🦉") + 34) QCOMPARE(heard.text, std::string("Grüß dich 🦉"));
    }
    server.answer = ScriptedServer::stream(ScriptedServer::piece(R"({"content":"half a"})"));
    const Heard heard(server.url());
    QVERIFY(heard.waitForEnd());
    QVERIFY2(heard.message().contains(QLatin1String("the reply broke off")), qPrintable(heard.message()));
    QCOMPARE(heard.text, std::string("half a"));
  }

  void otherFormsOfReplies() {
    // Without usage, pieces are counted; llama-server's timings; a reply that is not streamed; a length limit.
    ScriptedServer server(
        ScriptedServer::stream(ScriptedServer::piece(R"({"reasoning":"r"})") + ScriptedServer::piece(R"({"content":"a"})", R"("length")")));
    const Heard pieces(server.url());
    QVERIFY(pieces.waitForEnd());
    QVERIFY2(pieces.finished, qPrintable(pieces.message()));
    QVERIFY(!pieces.reply->isCounted());
    QCOMPARE(pieces.finished->timings.generatedTokens, 2);
    QCOMPARE(pieces.finished->contextUsed, 0);
    QCOMPARE(pieces.finished->reason, minerva::engine::FinishReason::length);
    QCOMPARE(pieces.reasoning, std::string("r"));
    server.answer =
        ScriptedServer::whole("200 OK", R"json({"choices":[{"message":{"role":"assistant","content":"whole"},"finish_reason":"stop"}],
      "timings":{"prompt_n":5,"cache_n":2,"prompt_ms":10,"prompt_per_second":500,"predicted_n":3}})json");
    const Heard whole(server.url());
    QVERIFY(whole.waitForEnd());
    QVERIFY2(whole.finished, qPrintable(whole.message()));
    QCOMPARE(whole.text, std::string("whole"));
    QCOMPARE(whole.finished->timings.promptTokens, 7);
    QCOMPARE(whole.finished->timings.generatedTokens, 3);
    QCOMPARE(whole.finished->timings.prefillTokensPerSecond, 500.0);
    server.answer = ScriptedServer::stream(ScriptedServer::piece(R"({"content":"x"})") + "data: [DONE]\n\n");  // no reason is given
    const Heard done(server.url());
    QVERIFY(done.waitForEnd());
    QVERIFY2(done.finished, qPrintable(done.message()));
  }

  void callsOfTools() {
    const auto part = [](int index, const char* name, const char* arguments) {
      const QJsonObject function{{QStringLiteral("name"), QString::fromLatin1(name)},
                                 {QStringLiteral("arguments"), QString::fromLatin1(arguments)}};
      const QJsonArray calls{QJsonObject{{QStringLiteral("index"), index}, {QStringLiteral("function"), function}}};
      return ScriptedServer::piece(QJsonDocument(QJsonObject{{QStringLiteral("tool_calls"), calls}}).toJson(QJsonDocument::Compact));
    };
    ScriptedServer server(ScriptedServer::stream(part(0, "weather", "") + part(0, "", "{\"city\": \"Par") +
                                                 part(0, "", "is\", \"days\": 2}") + part(1, "f", "?") +
                                                 ScriptedServer::piece("{}", R"("tool_calls")")));
    const Heard heard(server.url());
    QVERIFY(heard.waitForEnd());
    QVERIFY2(heard.finished, qPrintable(heard.message()));
    QCOMPARE(heard.calls.size(), 2U);
    QCOMPARE(minerva::text::plainText(heard.calls[0]), std::string("weather\ncity: \"Paris\"\ndays: 2"));
    QCOMPARE(minerva::text::plainText(heard.calls[1]), std::string("f\n?"));
  }

  void timesAreOfThisClient() {
    ScriptedServer server([](QTcpSocket* to, const ScriptedServer::Seen&) {
      to->write(ScriptedServer::head());
      for (int i = 0; i < 4; ++i)
        QTimer::singleShot(200 + 100 * i, to, [to, i] {
          to->write(ScriptedServer::piece(R"({"content":"x"})", i == 3 ? R"("stop")" : "null"));
          if (i == 3) to->disconnectFromHost();
        });
    });
    const Heard heard(server.url());
    QVERIFY(heard.waitForEnd());
    QVERIFY2(heard.finished, qPrintable(heard.message()));
    const minerva::engine::Timings& timings = heard.finished->timings;
    QVERIFY2(timings.ttftMs > 190 && timings.ttftMs < 1500, qPrintable(QString::number(timings.ttftMs)));
    QVERIFY2(timings.tpotP50 > 50 && timings.tpotP50 < 400, qPrintable(QString::number(timings.tpotP50)));
    QVERIFY2(timings.decodeTokensPerSecond > 3 && timings.decodeTokensPerSecond < 14,
             qPrintable(QString::number(timings.decodeTokensPerSecond)));
    QCOMPARE(heard.gaps.size(), 4U);
    QCOMPARE(heard.gaps[0], timings.ttftMs);
  }

  // Of servers that count calls otherwise: without an index, or with the same for all.
  void callsOfToolsWithoutTheirIndex() {
    const auto part = [](QJsonObject call, const char* name, const char* arguments) {
      QJsonObject function{{QStringLiteral("arguments"), QString::fromLatin1(arguments)}};
      if (*name != 0) function.insert(QStringLiteral("name"), QString::fromLatin1(name));
      call.insert(QStringLiteral("function"), function);
      const QJsonObject delta{{QStringLiteral("tool_calls"), QJsonArray{call}}};
      return ScriptedServer::piece(QJsonDocument(delta).toJson(QJsonDocument::Compact));
    };
    const QString index = QStringLiteral("index"), id = QStringLiteral("id");
    const QByteArray none = part({}, "f", "{\"a\":") + part({}, "", "1}") + part({}, "g", "{}");
    const QByteArray same = part({{index, 0}, {id, QStringLiteral("x")}}, "f", "{\"a\":") + part({{index, 0}}, "", "1}") +
                            part({{index, 0}, {id, QStringLiteral("y")}}, "g", "{}");
    for (const QByteArray& events : {none, same}) {
      ScriptedServer server(ScriptedServer::stream(events + ScriptedServer::piece("{}", R"("tool_calls")")));
      const Heard heard(server.url());
      QVERIFY(heard.waitForEnd());
      QCOMPARE(heard.calls.size(), 2U);
      QCOMPARE(minerva::text::plainText(heard.calls[0]), std::string("f\na: 1"));
      QCOMPARE(minerva::text::plainText(heard.calls[1]), std::string("g"));
    }
  }

  void contentInParts() {
    ScriptedServer server(
        ScriptedServer::stream(ScriptedServer::piece(R"({"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm"}]}]})") +
                               ScriptedServer::piece(R"({"content":[{"type":"text","text":"Good "},{"type":"text","text":"day"}]})") +
                               ScriptedServer::piece("{}", R"("stop")")));
    const Heard heard(server.url());
    QVERIFY(heard.waitForEnd());
    QCOMPARE(heard.text, std::string("Good day"));
    QCOMPARE(heard.reasoning, std::string("Hm"));
  }

  void stoppingClosesTheConnection() {
    ScriptedServer server([](QTcpSocket* to, const ScriptedServer::Seen&) {
      to->write(ScriptedServer::head() + ScriptedServer::piece(R"({"content":"a"})"));
    });
    Heard heard(server.url());
    QTRY_COMPARE(heard.text, std::string("a"));
    QCOMPARE(server.closed, 0);
    heard.reply->cancel();
    QVERIFY(heard.finished && heard.finished->reason == minerva::engine::FinishReason::cancelled);
    heard.reply->cancel();
    QCOMPARE(heard.afterEnd, 0);
    QTRY_COMPARE(server.closed, 1);
    Heard early(server.url());
    early.reply->cancel();  // before anything was sent
    QVERIFY(early.waitForEnd());
    QTest::qWait(50);
    QCOMPARE(server.seen.size(), 1U);
  }
};

APP_TEST(RemoteReplyTest, "remote_reply", QCoreApplication)
#include "tst_remote_reply.moc"
