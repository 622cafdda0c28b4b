// Every way in which a server can refuse or fail a reply, from a scripted one.
#include "app_test.h"
#include "heard_reply.h"

#include <QFile>
#include <QProcess>
#include <QSslCertificate>
#include <QSslKey>
#include <QSslServer>
#include <QStandardPaths>
#include <QTemporaryDir>

#include <memory>
#include <optional>

using namespace minerva::app;
using minerva::Error;
using minerva::ErrorKind;

class RemoteFailuresTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void refusals_data() {
    QTest::addColumn<QByteArray>("status");
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<QByteArray>("header");
    QTest::addColumn<QStringList>("says");
    const auto row = [](const char* status, const char* body, const char* header, const QStringList& says) {
      QTest::newRow(status) << QByteArray(status) << QByteArray(body) << QByteArray(header) << says;
    };
    row("401 Unauthorized", R"({"error":{"message":"no such key"}})", "",
        {QStringLiteral("asks for a key"), QStringLiteral("no such key"), QStringLiteral("Models, Servers")});
    row("403 Forbidden", R"({"detail":"closed"})", "WWW-Authenticate: Basic realm=x\r\n",
        {QStringLiteral("asks for a key"), QStringLiteral("closed")});
    row("404 Not Found", R"({"error":"model not found"})", "",
        {QStringLiteral("does not have this model"), QStringLiteral("model not found"), QStringLiteral("m was asked for")});
    row("429 Too Many Requests", "{}", "Retry-After: 17\r\n", {QStringLiteral("no more requests"), QStringLiteral("wait 17 s")});
    row("413 Too Large", "{}", "", {QStringLiteral("too long for the server")});
    row("500 Oops", "<html>traceback</html>", "", {QStringLiteral("the server failed"), QStringLiteral("traceback")});
    row("503 Loading", R"({"error":{"message":"Loading model"}})", "",
        {QStringLiteral("still be loading"), QStringLiteral("Loading model")});
    row("400 Bad Request", R"({"error":{"message":"bad words"}})", "",
        {QStringLiteral("refused the request"), QStringLiteral("bad words")});
    row("422 Unprocessable", R"({"detail":[{"msg":"field required"}]})", "",
        {QStringLiteral("refused the request"), QStringLiteral("field required")});
    row("302 Found", "", "Location: http://evil.example/v1\r\n",
        {QStringLiteral("not followed"), QStringLiteral("http://evil.example/v1")});
    row("407 Proxy", "", "", {QStringLiteral("proxy")});
  }
  void refusals() {
    QFETCH(const QByteArray, status);
    QFETCH(const QByteArray, body);
    QFETCH(const QByteArray, header);
    QFETCH(const QStringList, says);
    ScriptedServer server(ScriptedServer::whole(status, body, header));
    const Heard heard(server.url());
    QVERIFY(heard.waitForEnd());
    for (const QString& part : says) QVERIFY2(heard.message().contains(part.toLower()), qPrintable(heard.message()));
    QCOMPARE(server.seen.size(), 1U);
    QVERIFY(heard.text.empty());
    if (!status.startsWith("401")) return;
    const Heard withKey(server.url(), question(), {}, "sk-wrong");
    QVERIFY(withKey.waitForEnd());
    QVERIFY2(withKey.message().contains(QLatin1String("does not accept the key")), qPrintable(withKey.message()));
    QVERIFY(!withKey.message().contains(QLatin1String("sk-wrong")));
  }

  // Not left out silently: the reply fails, with what to do. Without an effort the same words are an ordinary refusal.
  void anEffortThatIsRefused_data() {
    QTest::addColumn<QByteArray>("status");
    QTest::addColumn<QByteArray>("message");
    QTest::newRow("field") << QByteArray("400 Bad Request") << QByteArray("Unrecognized request argument: reasoning_effort");
    QTest::newRow("value") << QByteArray("400 Bad Request")
                           << QByteArray("Unsupported value: 'reasoning_effort' does not support 'high' with this model");
    QTest::newRow("extra") << QByteArray("422 Unprocessable") << QByteArray("Extra inputs are not permitted: reasoning_effort");
    QTest::newRow("model") << QByteArray("400 Bad Request") << QByteArray("owl does not support thinking");
  }
  void anEffortThatIsRefused() {
    QFETCH(const QByteArray, status);
    QFETCH(const QByteArray, message);
    ScriptedServer server(ScriptedServer::whole(status, "{\"error\":{\"message\":\"" + message + "\"}}"));
    minerva::engine::Request request = question();
    request.chat.reasoning.effort = "high";
    const Heard heard(server.url(), request);
    QVERIFY(heard.waitForEnd());
    for (const char* part : {"does not take this effort", "expected an answer with reasoning_effort high", "model default", "try again"})
      QVERIFY2(heard.message().contains(QLatin1String(part)), qPrintable(heard.message()));
    QVERIFY2(heard.message().contains(QString::fromUtf8(message).toLower()), qPrintable(heard.message()));
    QCOMPARE(server.seen.size(), 1U);
    QCOMPARE(bodyOf(server.seen[0])[QLatin1String("reasoning_effort")].toString(), QStringLiteral("high"));
    const Heard without(server.url());
    QVERIFY(without.waitForEnd());
    QVERIFY2(without.message().contains(QLatin1String("refused the request")), qPrintable(without.message()));
    QVERIFY(!without.message().contains(QLatin1String("effort of thinking")));
  }

  void unknownFieldsAreLeftOut() {
    ScriptedServer server([](QTcpSocket* to, const ScriptedServer::Seen& request) {
      for (const char* field : {"top_k", "max_tokens"})
        if (bodyOf(request).contains(QLatin1String(field)))
          return ScriptedServer::whole("400 Bad Request",
                                       QByteArray("{\"error\":{\"message\":\"Unsupported parameter: '") + field + "'\"}}")(to, request);
      ScriptedServer::stream(said)(to, request);
    });
    minerva::engine::Request request = question();
    request.sampling.topK = 20;
    request.maxTokens = 9;
    const Heard heard(server.url(), request);
    QVERIFY(heard.waitForEnd());
    QVERIFY2(heard.finished, qPrintable(heard.message()));
    QCOMPARE(heard.refused, QStringList({QStringLiteral("top_k"), QStringLiteral("max_tokens")}));
    QCOMPARE(server.seen.size(), 3U);
    QCOMPARE(bodyOf(server.seen[2])[QLatin1String("max_completion_tokens")].toInt(), 9);
    QVERIFY(bodyOf(server.seen[2]).contains(QLatin1String("temperature")));
  }

  // Claude's words, and xAI's. Of two fields that must not be sent together one stays.
  void fieldsOfOtherServersWordsAreLeftOut() {
    ScriptedServer server([](QTcpSocket* to, const ScriptedServer::Seen& request) {
      const QJsonObject body = bodyOf(request);
      const auto refuse = [&](const char* message) {
        ScriptedServer::whole("400 Bad Request", QByteArray("{\"error\":{\"message\":\"") + message + "\"}}")(to, request);
      };
      if (body.contains(QLatin1String("temperature")) && body.contains(QLatin1String("top_p")))
        return refuse("`temperature` and `top_p` cannot both be specified for this model. Please use only one.");
      if (body[QLatin1String("model")].toString() == QLatin1String("m") && body.contains(QLatin1String("presence_penalty")))
        return refuse("Model grok-4 does not support parameter presencePenalty.");
      ScriptedServer::stream(said)(to, request);
    });
    minerva::engine::Request request = question();
    request.sampling.presencePenalty = 0.5F;
    const Heard heard(server.url(), request);
    QVERIFY(heard.waitForEnd());
    QVERIFY2(heard.finished, qPrintable(heard.message()));
    QCOMPARE(heard.refused, QStringList({QStringLiteral("top_p"), QStringLiteral("presence_penalty")}));
    QVERIFY(bodyOf(server.seen.back()).contains(QLatin1String("temperature")) &&
            !bodyOf(server.seen.back()).contains(QLatin1String("top_p")));
    server.answer = [](QTcpSocket* to, const ScriptedServer::Seen& asked) {
      if (bodyOf(asked).contains(QLatin1String("temperature")))
        return ScriptedServer::whole("400 Bad Request", R"({"error":{"message":"`temperature` is deprecated for this model."}})")(to,
                                                                                                                                  asked);
      ScriptedServer::stream(said)(to, asked);
    };
    const Heard newer(server.url());
    QVERIFY(newer.waitForEnd());
    QVERIFY2(newer.finished, qPrintable(newer.message()));
    QCOMPARE(newer.refused, QStringList{QStringLiteral("temperature")});
    QVERIFY(bodyOf(server.seen.back()).contains(QLatin1String("top_p")));
  }

  // Text Generation Inference: 1, which changes nothing, is not a value that it takes. Any other is the user's, who must hear of it.
  void aNeutralValueThatIsRefusedIsLeftOut() {
    ScriptedServer server([](QTcpSocket* to, const ScriptedServer::Seen& request) {
      if (const double topP = bodyOf(request)[QLatin1String("top_p")].toDouble(0.5); topP >= 1 || topP <= 0)
        return ScriptedServer::whole("422 Unprocessable Entity",
                                     R"({"error":"Input validation error: `top_p` must be > 0.0 and < 1.0","error_type":"validation"})")(
            to, request);
      ScriptedServer::stream(said)(to, request);
    });
    minerva::engine::Request request = question();
    request.sampling.topP = 1;
    const Heard heard(server.url(), request);
    QVERIFY(heard.waitForEnd());
    QVERIFY2(heard.finished, qPrintable(heard.message()));
    QCOMPARE(heard.refused, QStringList{QStringLiteral("top_p=1")});
    request.sampling.topP = 0;
    const Heard wrong(server.url(), request);
    QVERIFY(wrong.waitForEnd());
    QVERIFY2(wrong.failed && wrong.message().contains(QLatin1String("top_p")), qPrintable(wrong.message()));
    // Remembered for that value alone.
    const auto sends = [&](float topP) {
      request.sampling.topP = topP;
      return chatBody(request, QStringLiteral("m"), {QStringLiteral("top_p=1")})->optional.contains(QLatin1String("top_p"));
    };
    QVERIFY(!sends(1) && sends(0.9F));
  }

  void theReasonOfARefusalIsFound_data() {
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* name, const char* body, const char* says) {
      QTest::newRow(name) << QByteArray(body) << QString::fromUtf8(says);
    };
    row("OpenRouter",
        "{\"error\":{\"message\":\"Provider returned error\",\"metadata\":{\"raw\":\"{\\\"error\\\":{\\\"message\\\":\\\"too long\\\"}}\"}}}",
        "Provider returned error: too long");
    row("OpenRouter, plain", R"({"error":{"message":"Provider returned error","metadata":{"raw":"busy"}}})",
        "Provider returned error: busy");
    row("Gemini", R"([{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT"}}])", "API key not valid.");
    row("Mistral",
        R"({"object":"error","message":{"detail":[{"type":"less_than_equal","loc":["body","temperature"],"msg":"Input should be at most 1.5"}]}})",
        "temperature: Input should be at most 1.5");
    row("vLLM", R"({"detail":[{"loc":["body","messages",0,"role"],"msg":"field required"},{"msg":"and more"}]})",
        "messages.0.role: field required; and more");
    row("Cloudflare", R"({"errors":[{"message":"AiError: no such model","code":5007}],"success":false})", "AiError: no such model");
    row("none of these", R"([{"hello":1}])", R"([{"hello":1}])");
    row("nothing", "[]", "[]");
  }
  void theReasonOfARefusalIsFound() {
    QFETCH(const QByteArray, body);
    QFETCH(const QString, says);
    QCOMPARE(refusalIn(body), says);
  }

  // OpenRouter answers so to what its moderation objects to.
  void whatIsForbiddenMayHaveAnotherReasonThanTheKey() {
    ScriptedServer server(ScriptedServer::whole("403 Forbidden", R"({"error":{"message":"Your input was flagged"}})"));
    const Heard heard(server.url(), question(), {}, "sk-1");
    QVERIFY(heard.waitForEnd());
    for (const char* part : {"does not allow this", "your input was flagged", "words above", "another key"})
      QVERIFY2(heard.message().contains(QLatin1String(part)), qPrintable(heard.message()));
    QVERIFY(!heard.message().contains(QLatin1String("does not accept the key")));
  }

  // Open WebUI names its sources before the text.
  void anEventOfAnotherKindIsPassedOver() {
    ScriptedServer server(ScriptedServer::stream("data: {\"sources\":[]}\n\n" + said));
    const Heard heard(server.url());
    QVERIFY(heard.waitForEnd());
    QVERIFY2(heard.finished, qPrintable(heard.message()));
    QCOMPARE(heard.text, std::string("Grüß dich 🦉"));
    server.answer = ScriptedServer::whole("200 OK", R"({"base_resp":{"status_code":1004,"status_msg":"login fail"}})");
    const Heard none(server.url());
    QVERIFY(none.waitForEnd());
    for (const char* part : {"no reply", "login fail"}) QVERIFY2(none.message().contains(QLatin1String(part)), qPrintable(none.message()));
  }

  void noConnection() {
    quint16 port = 0;
    { port = ScriptedServer().port(); }
    const Heard nobody(QUrl(QStringLiteral("http://127.0.0.1:%1/v1").arg(port)));
    QVERIFY(nobody.waitForEnd());
    QVERIFY2(nobody.message().contains(QLatin1String("no server answers")), qPrintable(nobody.message()));
    const Heard nowhere(QUrl(QStringLiteral("http://nowhere.invalid/v1")));
    QVERIFY(nowhere.waitForEnd());
    QVERIFY2(nowhere.message().contains(QLatin1String("host name was not found")) || nowhere.message().contains(QLatin1String("proxy")),
             qPrintable(nowhere.message()));
    ScriptedServer closing([](QTcpSocket* to, const ScriptedServer::Seen&) { to->abort(); });
    const Heard closed(closing.url());
    QVERIFY(closed.waitForEnd());
    QVERIFY2(closed.message().contains(QLatin1String("closed the connection")), qPrintable(closed.message()));
  }

  void anUntrustedCertificateIsNeverAccepted() {
    const QString openssl = QStandardPaths::findExecutable(QStringLiteral("openssl"));
    if (openssl.isEmpty() || !QSslSocket::supportsSsl()) QSKIP("openssl is missing, which makes the certificate");
    const QTemporaryDir folder;
    const QString key = folder.filePath(QStringLiteral("key.pem")), certificate = folder.filePath(QStringLiteral("cert.pem"));
    QProcess make;
    make.setProcessChannelMode(QProcess::MergedChannels);
    make.start(openssl, {QStringLiteral("req"), QStringLiteral("-x509"), QStringLiteral("-newkey"), QStringLiteral("rsa:2048"),
                         QStringLiteral("-nodes"), QStringLiteral("-keyout"), key, QStringLiteral("-out"), certificate,
                         QStringLiteral("-days"), QStringLiteral("2"), QStringLiteral("-subj"), QStringLiteral("/CN=127.0.0.1"),
                         QStringLiteral("-addext"), QStringLiteral("subjectAltName=IP:127.0.0.1")});
    QVERIFY(make.waitForFinished(60000) && make.exitCode() == 0);
    QFile keyFile(key);
    QVERIFY(keyFile.open(QIODevice::ReadOnly));
    auto tls = std::make_unique<QSslServer>();
    QSslConfiguration configuration = QSslConfiguration::defaultConfiguration();
    configuration.setLocalCertificate(QSslCertificate::fromPath(certificate).first());
    configuration.setPrivateKey(QSslKey(&keyFile, QSsl::Rsa));
    tls->setSslConfiguration(configuration);
    ScriptedServer server(ScriptedServer::stream(said), std::move(tls));
    const QUrl url(QStringLiteral("https://127.0.0.1:%1/v1").arg(server.port()));
    const Heard heard(url, question(), {}, "sk-1");
    QVERIFY(heard.waitForEnd());
    QVERIFY2(
        heard.message().contains(QLatin1String("certificate is not trusted")) && heard.message().contains(QLatin1String("self-signed")),
        qPrintable(heard.message()));
    QVERIFY(server.seen.empty());  // neither the key nor a word of the message was sent
    const Heard plain(QUrl(QStringLiteral("http://127.0.0.1:%1/v1").arg(server.port())));
    QVERIFY(plain.waitForEnd());
    QVERIFY2(plain.failed && plain.message().contains(QLatin1String("https")), qPrintable(plain.message()));
  }

  void nonsense_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("says");
    QTest::newRow("html") << QByteArray("<html><body>Welcome</body></html>\n") << QStringLiteral("no reply");
    QTest::newRow("not JSON") << QByteArray("data: {oops\n\n") << QStringLiteral("not a piece of a reply");
    QTest::newRow("array") << QByteArray("data: [1]\n\n") << QStringLiteral("not a piece of a reply");
    QTest::newRow("other object") << QByteArray("data: {\"hello\": 1}\n\n") << QStringLiteral("no reply");
    QTest::newRow("empty") << QByteArray() << QStringLiteral("no reply");
    QTest::newRow("deep") << QByteArray("data: " + QByteArray(100000, '[') + "\n\n") << QStringLiteral("not a piece");
    QTest::newRow("zeros") << QByteArray(5000, '\0') << QStringLiteral("no reply");
    QTest::newRow("error event") << QByteArray("data: {\"error\":{\"message\":\"out of memory\"}}\n\n") << QStringLiteral("out of memory");
    QTest::newRow("error field") << QByteArray("error: {\"code\":500,\"message\":\"slot lost\"}\n\n") << QStringLiteral("slot lost");
    QTest::newRow("wrong types")
        << QByteArray("data: {\"choices\":[{\"delta\":{\"content\":5,\"tool_calls\":7},\"finish_reason\":[]}],\"usage\":\"x\"}\n\n")
        << QStringLiteral("no reply");
  }
  void nonsense() {
    QFETCH(const QByteArray, bytes);
    QFETCH(const QString, says);
    ScriptedServer server(ScriptedServer::stream(bytes));
    const Heard heard(server.url());
    QVERIFY(heard.waitForEnd());
    QVERIFY2(heard.message().contains(says), qPrintable(heard.message()));
  }

  void aLineOf100Megabytes() {
    ScriptedServer server([](QTcpSocket* to, const ScriptedServer::Seen&) {
      to->write(ScriptedServer::head() + "data: ");
      for (int i = 0; i < 100; ++i) to->write(QByteArray(1 << 20, 'x'));
    });
    const Heard heard(server.url());
    QVERIFY(heard.waitForEnd());
    QVERIFY2(heard.failed && heard.failed->error.kind == ErrorKind::limit, qPrintable(heard.message()));
    QTRY_COMPARE(server.closed, 1);  // it does not go on sending
  }

  void aReplyThatIsHeldBackIsNoEmptyOne() {
    ScriptedServer server(ScriptedServer::stream(ScriptedServer::piece(R"({"role":"assistant"})") +
                                                 ScriptedServer::piece("{}", R"("content_filter")") + "data: [DONE]\n\n"));
    const Heard heard(server.url());
    QVERIFY(heard.waitForEnd());
    QVERIFY2(heard.message().contains(QLatin1String("held the reply back")), qPrintable(heard.message()));
    // Gemini's: a choice without a message, and more words.
    for (const auto& [reason, says] :
         {std::pair("content_filter: PROHIBITED_CONTENT", "held the reply back"),
          std::pair("content_filter: RECITATION", "held the reply back"),
          std::pair("function_call_filter: MALFORMED_FUNCTION_CALL", "broke off"), std::pair("OTHER", "ended the reply before its text")}) {
      server.answer = ScriptedServer::stream("data: {\"choices\":[{\"index\":0,\"finish_reason\":\"" + QByteArray(reason) +
                                             "\"}]}\n\ndata: [DONE]\n\n");
      const Heard other(server.url());
      QVERIFY(other.waitForEnd());
      for (const QString& part : {QString::fromLatin1(says), QString::fromLatin1(reason).toLower()})
        QVERIFY2(other.failed && other.message().contains(part), qPrintable(other.message()));
    }
    for (const char* usual : {"stop", "STOP", "eos_token", "length"}) {
      server.answer = ScriptedServer::stream(ScriptedServer::piece("{}", '"' + QByteArray(usual) + '"'));
      const Heard empty(server.url());
      QVERIFY(empty.waitForEnd());
      QVERIFY2(empty.finished, qPrintable(empty.message()));
    }
  }

  void aReplyThatIsCutShortIsNoWholeOne() {
    for (const char* reason : {"content_filter", "content_filter: safety", "error", "abort", "insufficient_system_resource"}) {
      const QByteArray end = QByteArray("\"") + reason + '"';
      ScriptedServer server(
          ScriptedServer::stream(ScriptedServer::piece(R"({"content":"Half a"})") + ScriptedServer::piece("{}", end) + "data: [DONE]\n\n"));
      const Heard heard(server.url());
      QVERIFY(heard.waitForEnd());
      QCOMPARE(heard.text, std::string("Half a"));
      QVERIFY2(!heard.finished && heard.message().contains(QLatin1String(reason)), qPrintable(heard.message()));
    }
  }

  // Before its text, a server that has said that it is there may still read a long prompt.
  void theTimeUntilTheTextBeginsIsNotThatBetweenItsPieces() {
    ScriptedServer server([](QTcpSocket* to, const ScriptedServer::Seen&) {
      to->write(ScriptedServer::head() + ScriptedServer::piece(R"({"role":"assistant","content":""})"));
      QTimer::singleShot(300, to, [to] {
        to->write(said);
        to->disconnectFromHost();
      });
    });
    const Heard heard(server.url(), question(), {.firstMs = 60000, .nextMs = 50});
    QVERIFY(heard.waitForEnd());
    QVERIFY2(!heard.text.empty(), qPrintable(heard.message()));
  }

  void silence() {
    ScriptedServer server([](QTcpSocket*, const ScriptedServer::Seen&) {});
    const Heard never(server.url(), question(), {.firstMs = 150, .nextMs = 60000});
    QVERIFY(never.waitForEnd());
    QVERIFY2(never.message().contains(QLatin1String("fallen silent")), qPrintable(never.message()));
    server.answer = [](QTcpSocket* to, const ScriptedServer::Seen&) {
      to->write(ScriptedServer::head() + ScriptedServer::piece(R"({"content":"a"})"));
    };
    const Heard stopped(server.url(), question(), {.firstMs = 60000, .nextMs = 150});
    QVERIFY(stopped.waitForEnd());
    QVERIFY2(stopped.message().contains(QLatin1String("fallen silent")), qPrintable(stopped.message()));
    QCOMPARE(stopped.text, std::string("a"));
    server.answer = [](QTcpSocket* to, const ScriptedServer::Seen&) {  // slow, but alive
      to->write(ScriptedServer::head());
      for (int i = 1; i < 6; ++i) QTimer::singleShot(100 * i, to, [to] { to->write(": ping\n\n"); });
      QTimer::singleShot(600, to, [to] {
        to->write(said);
        to->disconnectFromHost();
      });
    };
    const Heard slow(server.url(), question(), {.firstMs = 60000, .nextMs = 400});
    QVERIFY(slow.waitForEnd());
    QVERIFY2(slow.finished, qPrintable(slow.message()));
  }

  void offlineLetsThisComputerThrough() {
    ScriptedServer server(ScriptedServer::stream(said));
    HubNetwork network({.offline = true}, nullptr);
    QVERIFY(!network.refusalTo(server.url()));
    const std::optional<Error> refusal = network.refusalTo(QUrl(QStringLiteral("https://host.example/v1")));
    QVERIFY(refusal && refusal->kind != ErrorKind::cancelled);  // the chat shows it
    QVERIFY(refusal->what.find("offline mode") != std::string::npos);
    network.access.offline = false;
    network.setProxy(QStringLiteral("nonsense://"));
    QVERIFY(network.refusalTo(QUrl(QStringLiteral("https://host.example/v1"))));
    QVERIFY(!network.refusalTo(server.url()));
  }
};

APP_TEST(RemoteFailuresTest, "remote_failures", QCoreApplication)
#include "tst_remote_failures.moc"
