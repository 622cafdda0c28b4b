// Comparisons with models of servers: scripted ones, Minerva's own, and llama.cpp's where it is installed.
#include "app/compare/compare_controller.h"
#include "app/compare/compare_store.h"
#include "app/compare/export.h"
#include "app/compare/repeat.h"
#include "app/remote/server_service.h"
#include "app_test.h"
#include "llama_server.h"
#include "own_server.h"
#include "patience.h"
#include "sample_models.h"
#include "scripted_server.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

using namespace minerva::app;

namespace {

const QByteArray owlListed = R"({"data":[{"id":"org/owl-7b","owned_by":"vllm"}]})";
const QByteArray ending = ScriptedServer::piece("{}", R"("stop")");

QByteArray say(const QByteArray& text) { return ScriptedServer::piece("{\"content\":\"" + text + "\"}"); }
QByteArray usage(int prompt, int generated) {
  return "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":" + QByteArray::number(prompt) +
         ",\"completion_tokens\":" + QByteArray::number(generated) + "}}\n\n";
}

struct KeptKeys : TokenStore {
  explicit KeptKeys(const QString& entry) : TokenStore(entry) {}
  void read(Read answer) override {
    QMetaObject::invokeMethod(
        this, [answer] { answer(QByteArray("sk-kept")); }, Qt::QueuedConnection);
  }
  void write(const QByteArray&, Written answer) override { answer({}); }
};

// Lists its model, and answers chats as the test says.
struct Box {
  explicit Box(ScriptedServer::Answer chat)
      : server([chat = std::move(chat)](QTcpSocket* to, const ScriptedServer::Seen& request) {
          if (request.path().endsWith("/models")) ScriptedServer::whole("200 OK", owlListed)(to, request);
          else chat(to, request);
        }) {}
  [[nodiscard]] std::vector<ScriptedServer::Seen> chats() const {
    std::vector<ScriptedServer::Seen> all;
    for (const ScriptedServer::Seen& seen : server.seen)
      if (seen.path() == "/v1/chat/completions") all.push_back(seen);
    return all;
  }
  ScriptedServer server;
};

// Sends the first piece, and each other one at least 40 ms after the earlier one has been heard, however slow the machine is; then the rest
// and the end (rest empty: neither).
void drip(QTcpSocket* to, QList<QByteArray> pieces, const QByteArray& rest, const std::function<bool(const QByteArray& text)>& isHeard) {
  to->write(ScriptedServer::head());
  auto* timer = new QTimer(to);
  QObject::connect(timer, &QTimer::timeout, to, [=, sent = QByteArray()]() mutable {
    if (!sent.isEmpty() && !isHeard(sent)) return;
    if (pieces.isEmpty()) {
      timer->stop();
      to->write(rest);
      if (!rest.isEmpty()) to->disconnectFromHost();
      return;
    }
    sent = pieces.takeFirst();
    to->write(say(sent));
  });
  timer->start(40);
}

QVariant role(CompareController& page, int row, int role) { return page.columns()->index(row).data(role); }

}  // namespace

class CompareServersTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_log = std::make_unique<RequestLog>(m_folder->filePath(QStringLiteral("requests.log")));
    open();
  }
  void cleanup() {
    m_page.reset();
    m_service.reset();
  }

  void aServersModelIsAColumn() {
    Box box([this](QTcpSocket* to, const ScriptedServer::Seen&) {
      to->write(ScriptedServer::head() + ScriptedServer::piece(R"({"reasoning_content":"Hm."})"));
      drip(to, {"One ", "two ", "three"}, ending + usage(9, 5) + "data: [DONE]\n\n", heard(1));
    });
    const QString path = add(box, QStringLiteral("sk-kept"));
    m_page->addModel(builtIn, QStringLiteral("Built-in"), {}, {});
    m_page->addOfServer(path);
    QCOMPARE(m_page->servers(), QStringList{QStringLiteral("Box")});
    QCOMPARE(role(*m_page, 1, ColumnModel::LabelRole).toString(), QStringLiteral("org/owl-7b · Box"));
    QCOMPARE(role(*m_page, 1, ColumnModel::FormatRole).toString(), QStringLiteral("Server"));
    QVERIFY(m_page->canRun());
    QTest::qWait(100);
    QVERIFY(box.chats().empty());  // not before the comparison is started
    QVERIFY(run());
    QCOMPARE(box.chats().size(), 1U);
    const QJsonObject body = QJsonDocument::fromJson(box.chats()[0].body).object();
    const QJsonObject expected{{"model", "org/owl-7b"},
                               {"messages", QJsonArray{QJsonObject{{"role", "user"}, {"content", "Tell me a story about a bear."}}}},
                               {"stream", true},
                               {"max_tokens", 24},
                               {"temperature", 0},
                               {"top_p", 1},
                               {"seed", 7},
                               {"stream_options", QJsonObject{{"include_usage", true}}}};
    QCOMPARE(body, expected);
    QCOMPARE(box.chats()[0].header("authorization"), QByteArray("Bearer sk-kept"));
    const QStringList log = *m_log->last(5);
    QVERIFY2(log.join(QLatin1Char('\n')).contains(QStringLiteral("chat with Box")), qPrintable(log.join(QLatin1Char('\n'))));

    const CompareColumn &here = m_page->run().columns[0], &there = m_page->run().columns[1];
    QCOMPARE(here.stage, ColumnStage::done);
    QVERIFY(here.reference && here.figures.loadMs > 0 && here.figures.kl == 0 && here.notes.isEmpty());
    QCOMPARE(there.stage, ColumnStage::done);
    QVERIFY(!there.reference);
    QCOMPARE(there.replies[0].text, QStringLiteral("Hm.\n\nOne two three"));
    QCOMPARE(there.replies[0].promptTokens, 9);
    QCOMPARE(role(*m_page, 1, ColumnModel::TokensRole).toInt(), 5);
    const CompareFigures& f = there.figures;
    for (const double unknown : {f.loadMs, f.prefillSpeed, f.memoryBytes, f.diskBytes, f.bitsPerWeight, f.kl, f.kl99, f.top1, f.perplexity})
      QVERIFY(std::isnan(unknown));
    QVERIFY(f.ttftMs > 0);
    // Two pauses of at least 40 ms between the pieces, for four tokens after the first.
    QVERIFY2(f.decodeSpeed > 0 && f.decodeSpeed <= 4 / 0.08, qPrintable(QString::number(f.decodeSpeed)));
    QVERIFY2(f.tpotP50 >= 40 && f.tpotP95 >= f.tpotP50, qPrintable(QString::number(f.tpotP50)));  // each of the four pieces was a token
    QCOMPARE(there.notes.size(), 1);
    QVERIFY2(there.notes[0].startsWith(QStringLiteral("On Box: ")) && there.notes[0].contains(QStringLiteral("memory")),
             qPrintable(there.notes[0]));
    QCOMPARE(m_page->columns()->compared(), 0);
    QCOMPARE(m_page->columns()->finished(), 2);
    QCOMPARE(m_page->reference(), QStringLiteral("Built-in"));
    QVERIFY2(m_page->summary().contains(QStringLiteral("prompt tokens")), qPrintable(m_page->summary()));
  }

  // The server's name stays, even if the server is removed.
  void aRunIsKeptWithTheServersName() {
    Box box(ScriptedServer::stream(say("Yes") + ending + usage(3, 2)));
    const QString path = add(box);
    m_page->addModel(builtIn, QStringLiteral("Built-in"), {}, {});
    m_page->addOfServer(path);
    QVERIFY(run());
    QTRY_COMPARE(m_page->runs()->count(), 1);
    const CompareRun before = m_page->run();
    m_service->remove(m_service->list()->all()[0].id);
    open();
    QTRY_COMPARE(m_page->runs()->count(), 1);
    QCOMPARE(m_page->runs()->index(0).data(CompareRunsModel::ModelsRole).toString(), QStringLiteral("Built-in, org/owl-7b · Box"));
    m_page->open(m_page->runs()->idAt(0));
    QTRY_COMPARE(m_page->state(), CompareController::Done);
    const CompareColumn& kept = m_page->run().columns[1];
    QCOMPARE(kept.model.server, QStringLiteral("Box"));
    QCOMPARE(kept.replies[0].text, QStringLiteral("Yes"));
    QCOMPARE(kept.replies[0].generated, 2);
    QCOMPARE(kept.figures.ttftMs, before.columns[1].figures.ttftMs);
    QCOMPARE(kept.notes, before.columns[1].notes);
    QCOMPARE(m_page->servers(), QStringList{QStringLiteral("Box")});
    QVERIFY(m_page->run().columns[0].model.server.isEmpty());
    const QString markdown = toMarkdown(m_page->run()), csv = toCsv(m_page->run());
    QVERIFY2(markdown.contains(QStringLiteral("| org/owl-7b · Box | server |  | - |")), qPrintable(markdown));
    QVERIFY2(markdown.contains(QStringLiteral("\norg/owl-7b · Box, server:\n")), qPrintable(markdown));
    QVERIFY2(csv.contains(QStringLiteral("\"org/owl-7b · Box\",\"server\",\"\"")), qPrintable(csv));
    const QJsonObject column = QJsonDocument::fromJson(toJson(m_page->run())).object()[QLatin1String("columns")][1].toObject();
    QCOMPARE(column[QLatin1String("server")].toString(), QStringLiteral("Box"));
    QCOMPARE(column[QLatin1String("replies")][0][QLatin1String("generated")].toInt(), 2);
    // Run again, its column says what happened to the server; the other one runs.
    m_page->runAgain();
    QTRY_COMPARE(m_page->state(), CompareController::Done);
    QCOMPARE(m_page->run().columns[0].stage, ColumnStage::done);
    QCOMPARE(m_page->run().columns[1].stage, ColumnStage::failed);
    QVERIFY2(m_page->run().columns[1].error.detail.contains(QStringLiteral("This server was removed")),
             qPrintable(m_page->run().columns[1].error.detail));
  }

  void refusalsAreWordsInTheirColumn_data() {
    QTest::addColumn<QString>("how");
    QTest::addColumn<QString>("detail");
    QTest::addColumn<QString>("hint");
    const auto row = [](const char* how, const char* detail, const char* hint) {
      QTest::newRow(how) << QString::fromLatin1(how) << QString::fromLatin1(detail) << QString::fromLatin1(hint);
    };
    row("key", "The server asks for a key", "Enter the key");
    row("failed", "out of memory", "the server's own log");
    row("cut", "The reply broke off", "generate it again");
    row("away", "No server answers", "Start the server");
    row("offline", "offline mode", "");
  }
  void refusalsAreWordsInTheirColumn() {
    QFETCH(const QString, how);
    QFETCH(const QString, detail);
    QFETCH(const QString, hint);
    Box good(ScriptedServer::stream(say("Yes") + ending + usage(3, 2)));
    auto bad = std::make_unique<Box>([how](QTcpSocket* to, const ScriptedServer::Seen& request) {
      if (how == QLatin1String("key")) return ScriptedServer::whole("401 Unauthorized", R"({"error":{"message":"no key"}})")(to, request);
      if (how == QLatin1String("cut")) return ScriptedServer::stream(say("Ye"))(to, request);
      ScriptedServer::whole("500 Oops", R"({"error":{"message":"out of memory"}})")(to, request);
    });
    const QString there = add(good);
    QString refusing = how == QLatin1String("offline") ? QString() : add(*bad, {}, QStringLiteral("Bad"));
    if (how == QLatin1String("away")) bad.reset();
    if (how == QLatin1String("offline")) {
      QVERIFY(m_service->keep({}, QStringLiteral("http://192.0.2.1:9/v1"), QStringLiteral("Bad"), {}));
      m_service->setNetwork(true, {});
      refusing = RemotePath{m_service->list()->all()[1].id, QStringLiteral("org/owl-7b")}.text();
    }
    m_page->addOfServer(refusing);
    m_page->addModel(builtIn, QStringLiteral("Built-in"), {}, {});
    m_page->addOfServer(there);
    QVERIFY(run());
    const CompareRun& result = m_page->run();
    QCOMPARE(result.columns[0].stage, ColumnStage::failed);
    const ErrorInfo& error = result.columns[0].error;
    QCOMPARE(error.headline, QStringLiteral("org/owl-7b · Bad could not be compared"));
    QVERIFY2(error.detail.contains(detail, Qt::CaseInsensitive), qPrintable(error.detail));
    QVERIFY2(error.hint.contains(hint, Qt::CaseInsensitive), qPrintable(error.hint));
    QCOMPARE(result.columns[0].notes.size(), how == QLatin1String("cut") ? 1 : 0);
    QVERIFY(std::isnan(result.columns[0].figures.decodeSpeed) && result.columns[0].speeds.isEmpty());
    if (how == QLatin1String("cut")) QCOMPARE(result.columns[0].replies[0].text, QStringLiteral("Ye"));
    QCOMPARE(result.columns[1].stage, ColumnStage::done);
    QVERIFY(!result.columns[1].replies[0].text.isEmpty() && result.columns[1].figures.perplexity > 0);
    QCOMPARE(result.columns[2].stage, ColumnStage::done);
    QCOMPARE(result.columns[2].replies[0].text, QStringLiteral("Yes"));
    QTRY_COMPARE(m_page->runs()->count(), 1);  // what was measured is kept
  }

  // Without a count, the speed is not known; while it streams, it is of pieces.
  void aServerThatDoesNotCount() {
    QTcpSocket* open = nullptr;
    Box box([this, &open](QTcpSocket* to, const ScriptedServer::Seen&) {
      drip(to, {"One ", "two ", "three ", "four ", "five"}, {}, heard(0));
      open = to;
    });
    const QString path = add(box);
    for (int i = 0; i < 2; ++i) m_page->addOfServer(path);
    m_page->start();
    QTRY_COMPARE(role(*m_page, 0, ColumnModel::TextRole).toString(), QStringLiteral("One two three four five"));
    QCOMPARE(role(*m_page, 0, ColumnModel::StageRole).toInt(), static_cast<int>(ColumnModel::Writing));
    QVERIFY(role(*m_page, 0, ColumnModel::PiecesRole).toBool());
    QVERIFY(role(*m_page, 0, ColumnModel::FiguresRole).toMap()[QStringLiteral("decode")].toDouble() > 0);
    QCOMPARE(role(*m_page, 1, ColumnModel::StageTextRole).toString(), QStringLiteral("Waiting"));  // one after another
    QCOMPARE(box.chats().size(), 1U);
    open->write(ending + "data: [DONE]\n\n");
    open->disconnectFromHost();
    QTRY_COMPARE(role(*m_page, 0, ColumnModel::StageRole).toInt(), static_cast<int>(ColumnModel::Done));
    const CompareColumn column = m_page->columns()->columns()[0];
    QVERIFY(!column.pieces && column.speeds.isEmpty());
    QVERIFY(std::isnan(column.figures.decodeSpeed) && std::isnan(column.figures.tpotP50));
    QVERIFY(column.figures.ttftMs > 0);
    QCOMPARE(column.replies[0].count(), 0);
    QCOMPARE(column.notes.size(), 2);
    QCOMPARE(column.notes[1], QStringLiteral("Box tells no number of tokens: its speed is not known"));
    QTRY_COMPARE(box.chats().size(), 2U);
    m_page->stop();
    QTRY_COMPARE(m_page->state(), CompareController::Done);
  }

  // Each of several prompts is asked by itself, and the figures are those of all replies.
  void severalPrompts() {
    int answers = 0, underway = 0, most = 0;
    Box box([this, &answers, &underway, &most](QTcpSocket* to, const ScriptedServer::Seen&) {
      most = std::max(most, ++underway);
      connect(to, &QTcpSocket::disconnected, this, [&underway] { --underway; });
      const QByteArray number = QByteArray::number(++answers);
      drip(to, {"a" + number, "b" + number}, ending + usage(3, 10 * answers), heard(answers < 3 ? 0 : 1));
    });
    m_page->setPrompt(QStringLiteral("First?\nSecond?"));
    const QString path = add(box);
    for (int i = 0; i < 2; ++i) m_page->addOfServer(path);
    QVERIFY(run());
    QCOMPARE(box.chats().size(), 4U);
    QCOMPARE(most, 1);  // one after another
    const CompareColumn &one = m_page->run().columns[0], &two = m_page->run().columns[1];
    QCOMPARE(one.replies[1].text, QStringLiteral("a2b2"));
    QCOMPARE(two.replies[0].text, QStringLiteral("a3b3"));
    QVERIFY(box.chats()[1].body.contains("Second?") && !box.chats()[1].body.contains("First?"));
    const double firstMs = 9 * 1000 / one.replies[0].decodeSpeed, secondMs = 19 * 1000 / one.replies[1].decodeSpeed;
    QVERIFY(std::abs(one.figures.decodeSpeed - 28 * 1000 / (firstMs + secondMs)) < 1e-6 * one.figures.decodeSpeed);
    QCOMPARE(one.figures.ttftMs, (one.replies[0].ttftMs + one.replies[1].ttftMs) / 2);
    QVERIFY(std::isnan(one.figures.tpotP50));  // two pieces were ten tokens
    QCOMPARE(m_page->device(), QString());
    QCOMPARE(m_page->reference(), QString());
    QCOMPARE(m_page->columns()->finished(), 2);
    QCOMPARE(role(*m_page, 1, ColumnModel::LabelRole).toString(), QStringLiteral("org/owl-7b · Box (2)"));
  }

  // While a reply is waited for, the page does not go back to the first prompt.
  void thePromptThatIsAskedIsShown() {
    int answers = 0;
    Box box([&answers](QTcpSocket* to, const ScriptedServer::Seen& request) {
      if (++answers == 1) ScriptedServer::stream(say("Yes") + ending + usage(3, 2))(to, request);
    });
    m_page->setPrompt(QStringLiteral("First?\nSecond?"));
    const QString path = add(box);
    for (int i = 0; i < 2; ++i) m_page->addOfServer(path);
    m_page->start();
    QTRY_COMPARE(box.chats().size(), 2U);
    QTRY_COMPARE(m_page->shownPrompt(), 1);
    m_page->stop();
    QTRY_COMPARE(m_page->state(), CompareController::Done);
  }

  // One after another: servers, which may be on this computer, are asked once its models are done. Side by side: meanwhile.
  void theOrderIsKept() {
    for (const bool interleaved : {false, true}) {
      if (interleaved) open();
      int stage = -1;
      Box box([this, &stage](QTcpSocket* to, const ScriptedServer::Seen& request) {
        if (stage < 0) stage = role(*m_page, 1, ColumnModel::StageRole).toInt();
        ScriptedServer::stream(say("Yes") + ending + usage(3, 2))(to, request);
      });
      const QString path = add(box, {}, QStringLiteral("Box %1").arg(interleaved));
      m_page->setInterleaved(interleaved);
      if (interleaved) {  // does not finish before it is stopped
        m_page->setMaxTokens(4096);
        m_page->setPrompt(QStringLiteral("Tell me a story about a bear.\n").repeated(40));
      }
      m_page->addOfServer(path);
      m_page->addModel(builtIn, QStringLiteral("Built-in"), {}, {});
      m_page->start();
      QTRY_VERIFY(stage >= 0);
      QTRY_COMPARE(role(*m_page, 0, ColumnModel::StageRole).toInt(), static_cast<int>(ColumnModel::Done));
      if (interleaved) m_page->stop();
      QTRY_COMPARE(m_page->state(), CompareController::Done);
      QCOMPARE(stage == ColumnModel::Done, !interleaved);
      QCOMPARE(m_page->run().columns[0].notes.value(1),
               interleaved ? QStringLiteral("Side by side: the other models ran meanwhile") : QString());
    }
  }

  void nothingIsSentIfTheOthersDoNotFit() {
    Box box(ScriptedServer::stream(say("Yes") + ending));
    const QString path = add(box);
    m_page->setInterleaved(true);
    m_page->setFreeBytes(1000);
    m_page->addOfServer(path);
    m_page->addModel(builtIn, QStringLiteral("Built-in"), {}, {});
    QVERIFY(run());
    QCOMPARE(m_page->state(), CompareController::Choosing);
    QVERIFY(m_page->canRunInTurn());
    QTest::qWait(150);
    QVERIFY(box.chats().empty());
    m_page->startInTurn();
    QTRY_COMPARE(m_page->state(), CompareController::Done);
    QCOMPARE(box.chats().size(), 1U);
    QCOMPARE(m_page->run().columns[0].stage, ColumnStage::done);
  }

  void stopping() {
    Box box([](QTcpSocket* to, const ScriptedServer::Seen&) { to->write(ScriptedServer::head() + say("Begun")); });
    Box never(ScriptedServer::stream(say("Yes") + ending));
    const QString first = add(box), second = add(never, {}, QStringLiteral("Never"));
    m_page->addOfServer(first);
    m_page->addOfServer(second);
    m_page->start();
    QTRY_COMPARE(role(*m_page, 0, ColumnModel::TextRole).toString(), QStringLiteral("Begun"));
    const int closed = box.server.closed;
    m_page->stop();
    QTRY_COMPARE(m_page->state(), CompareController::Done);
    QTRY_COMPARE(box.server.closed, closed + 1);
    for (const std::size_t i : {0U, 1U}) QCOMPARE(m_page->run().columns[i].stage, ColumnStage::stopped);
    QCOMPARE(m_page->run().columns[0].replies[0].text, QStringLiteral("Begun"));
    QTest::qWait(150);
    QVERIFY(never.chats().empty());
    QCOMPARE(m_page->runs()->count(), 0);  // not stored
    // Ended in the middle, the page and its services are destroyed in either order.
    m_page->change();
    m_page->start();
    QTRY_COMPARE(role(*m_page, 0, ColumnModel::TextRole).toString(), QStringLiteral("Begun"));
    m_page.reset();
  }

  void whatThisProgramClosesIsSaid() {
    Box box([](QTcpSocket* to, const ScriptedServer::Seen&) { to->write(ScriptedServer::head() + say("Begun")); });
    Box other(ScriptedServer::stream(say("Yes") + ending));
    const QString path = add(box), another = add(other, {}, QStringLiteral("Other"));
    m_page->addOfServer(path);
    m_page->addOfServer(another);
    m_page->start();
    QTRY_COMPARE(role(*m_page, 0, ColumnModel::TextRole).toString(), QStringLiteral("Begun"));
    m_service->remove(m_service->list()->all()[0].id);
    QTRY_COMPARE(m_page->state(), CompareController::Done);
    QCOMPARE(m_page->run().columns[0].stage, ColumnStage::failed);
    QCOMPARE(m_page->run().columns[0].error.detail, QStringLiteral("The connection to the server was closed by this program"));
    QVERIFY(m_page->run().columns[0].error.hint.contains(QStringLiteral("Offline")));
    QCOMPARE(m_page->run().columns[1].stage, ColumnStage::done);
    // Offline while a request to another computer is underway.
    m_page->startOver();
    QVERIFY(m_service->keep({}, QStringLiteral("http://192.0.2.1:9/v1"), QStringLiteral("Far"), {}));
    m_service->setNetwork(false, QStringLiteral("none"));
    const QString far = RemotePath{m_service->list()->all()[1].id, QStringLiteral("m")}.text();
    m_page->addOfServer(far);
    m_page->addOfServer(another);
    m_page->start();
    QCOMPARE(role(*m_page, 0, ColumnModel::StageTextRole).toString(), QStringLiteral("Waiting for Far"));
    m_service->setNetwork(true, {});
    QTRY_COMPARE(m_page->state(), CompareController::Done);
    QCOMPARE(m_page->run().columns[0].stage, ColumnStage::failed);
    QCOMPARE(m_page->run().columns[0].error.detail, QStringLiteral("The connection to the server was closed by this program"));
    QCOMPARE(m_page->run().columns[1].stage, ColumnStage::done);
  }

  // A server that refuses the seed answers without it, and the column says so.
  void whatAServerDoesNotTakeIsSaid() {
    Box box([](QTcpSocket* to, const ScriptedServer::Seen& request) {
      if (request.body.contains("seed"))
        return ScriptedServer::whole("400 Bad Request", R"({"error":{"message":"Unrecognized request argument: seed"}})")(to, request);
      ScriptedServer::stream(say("Yes") + ending + usage(3, 2))(to, request);
    });
    const QString path = add(box);
    for (int i = 0; i < 2; ++i) m_page->addOfServer(path);
    QVERIFY(run());
    QCOMPARE(m_page->run().columns[0].stage, ColumnStage::done);
    QCOMPARE(m_page->run().columns[0].notes.value(1), QStringLiteral("org/owl-7b does not take: seed"));
    QCOMPARE(box.chats().size(), 3U);  // the second column does not try it again
  }

  void aServerNeedNotAnswerTheSameAgain() {
    CompareRun before;
    before.columns.resize(2);
    for (CompareColumn& column : before.columns) {
      column.stage = ColumnStage::done;
      column.model.name = QStringLiteral("owl");
      column.replies.resize(1);
      column.replies[0].text = QStringLiteral("Yes");
    }
    before.columns[1].model.server = QStringLiteral("Box");
    before.columns[0].replies[0].tokens = {1};
    CompareRun after = before;
    RepeatVerdict verdict = compareRuns({&before, 1}, after);
    QVERIFY(verdict.agrees);
    QCOMPARE(verdict.lines, QStringList{QStringLiteral("Same tokens, distances and perplexity")});
    after.columns[1].replies[0].text = QStringLiteral("No");
    verdict = compareRuns({&before, 1}, after);
    QVERIFY(verdict.agrees);
    QCOMPARE(verdict.lines.value(1), QStringLiteral("owl · Box: another text; a server need not answer the same again"));
    after.columns[0].replies[0].tokens = {2};
    QVERIFY(!compareRuns({&before, 1}, after).agrees);
  }

  void ourOwnServerGivesTheSameText() {
    OwnServer server(m_folder->filePath(QStringLiteral("other")));
    QVERIFY(server.isUp());
    QVERIFY(m_service->keep({}, server.address(), QStringLiteral("Mine"), {}));
    QTRY_COMPARE(m_service->models()->total(), 1);
    m_page->addModel(builtIn, QStringLiteral("Built-in"), {}, {});
    m_page->addOfServer(m_service->models()->all()[0].path);
    m_page->setPrompt(QStringLiteral("Tell me a story about a bear.\nWho are you?"));
    QVERIFY(run());
    const CompareColumn &here = m_page->run().columns[0], &there = m_page->run().columns[1];
    QVERIFY2(there.stage == ColumnStage::done, qPrintable(there.error.details));
    for (const std::size_t prompt : {0U, 1U}) {
      QVERIFY(!here.replies[prompt].text.isEmpty());
      QCOMPARE(there.replies[prompt].text, here.replies[prompt].text);
      QCOMPARE(there.replies[prompt].promptTokens, here.replies[prompt].promptTokens);
      QVERIFY(std::abs(there.replies[prompt].count() - here.replies[prompt].count()) <= 1);
    }
    QCOMPARE(there.notes.size(), 1);
    QVERIFY(there.figures.ttftMs > 0 && std::isnan(there.figures.loadMs));
    QVERIFY(server.end());
  }

  void llamaServerIsAColumn() {
    const LlamaServer server(QStringLiteral("sk-kept"));
    if (!server.missing().isEmpty()) QSKIP(qPrintable(server.missing()));
    QVERIFY2(server.isUp(), server.log().constData());
    QVERIFY(m_service->keep({}, server.address(), QStringLiteral("llama"), QStringLiteral("sk-kept")));
    QTRY_COMPARE(m_service->models()->total(), 1);
    m_page->addModel(LlamaServer::folder() + QLatin1Char('/') + LlamaServer::model(), QStringLiteral("Here"), {}, {});
    m_page->addOfServer(m_service->models()->all()[0].path);
    m_page->setPrompt(QStringLiteral("Hello\nbear"));
    m_page->setMaxTokens(12);
    QVERIFY(run());
    const CompareColumn &here = m_page->run().columns[0], &there = m_page->run().columns[1];
    QVERIFY2(here.stage == ColumnStage::done, qPrintable(here.error.details));
    QVERIFY2(there.stage == ColumnStage::done, qPrintable(there.error.details));
    for (const std::size_t prompt : {0U, 1U}) {
      QVERIFY(!there.replies[prompt].text.isEmpty());
      QVERIFY(there.replies[prompt].promptTokens > 0);
      QVERIFY(there.replies[prompt].count() > 0 && there.replies[prompt].count() <= 12);
    }
    QVERIFY(there.figures.ttftMs > 0 && std::isnan(there.figures.loadMs));
    QVERIFY(!(there.figures.decodeSpeed <= 0));  // unknown where all tokens of so small a model arrive at once
    QCOMPARE(there.notes.size(), 1);             // which figures a server does not tell; nothing that it refused
  }

 private:
  // As after a restart of the program.
  void open() {
    m_page.reset();
    m_service = std::make_unique<ServerService>(m_folder->filePath(QStringLiteral("servers.ini")), m_log.get());
    m_service->keys()->setKeyring([](const QString& entry) { return std::make_unique<KeptKeys>(entry); });
    m_page = std::make_unique<CompareController>(CompareController::Places{m_folder->filePath(QStringLiteral("comparisons.sqlite")),
                                                                           m_folder->filePath(QStringLiteral("copies")), builtIn});
    m_page->setServers(m_service->comparisonEngine());
    m_page->setPreferences({.device = QStringLiteral("cpu")});
    m_page->setPrompt(QStringLiteral("Tell me a story about a bear."));
    m_page->setMaxTokens(24);
  }
  // The path of its model.
  QString add(const Box& box, const QString& key = {}, const QString& name = QStringLiteral("Box")) {
    const int before = m_service->models()->total();
    if (!m_service->keep({}, box.server.url().toString(), name, key)) return {};
    if (!QTest::qWaitFor([&] { return m_service->models()->total() > before; }, patienceMs)) return {};
    return m_service->models()->all().back().path;
  }
  // Whether the column's reply to the prompt that is being answered ends like this.
  std::function<bool(const QByteArray& text)> heard(std::size_t column) {
    return [this, column](const QByteArray& text) {
      const std::vector<CompareReply>& replies = m_page->columns()->columns()[column].replies;
      return !replies.empty() && replies.back().text.endsWith(QString::fromUtf8(text));
    };
  }
  bool run() {
    m_page->start();
    return QTest::qWaitFor([this] { return m_page->state() != CompareController::Running; }, patienceMs);
  }
  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<RequestLog> m_log;
  std::unique_ptr<ServerService> m_service;
  std::unique_ptr<CompareController> m_page;
};

APP_TEST(CompareServersTest, "compare_servers", QCoreApplication)
#include "tst_compare_servers.moc"
