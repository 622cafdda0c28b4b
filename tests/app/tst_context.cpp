// What does not fit into the context is asked about before it is sent; cuts are stored and shown.
#include "app/chat/prompt_view.h"
#include "app/inference/inference_controller.h"
#include "app/settings/presets.h"
#include "app/settings/settings.h"
#include "app_test.h"
#include "counted_chat.h"
#include "patience.h"

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QGuiApplication>
#include <QSignalSpy>
#include <QTemporaryDir>

using namespace minerva::app;
namespace engine = minerva::engine;

class ContextTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { m_folder = std::make_unique<QTemporaryDir>(); }
  void cleanup() { m_bench.reset(); }

  void theMeterCountsTheDraft() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    m_bench->chat.setDraft(s("one two three"));
    QTRY_COMPARE(m_bench->guard.tokens(), 4);
    QCOMPARE(m_bench->guard.contextLength(), 100);
    m_bench->chat.setDraft({});
    QTRY_COMPARE(m_bench->guard.tokens(), 0);
  }

  void whatFitsIsSentAtOnce() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    m_bench->say(10, 20);
    QCOMPARE(m_bench->chat.messages()->count(), 2);
    QVERIFY(!m_bench->guard.isBlocked());
  }

  void aReplyIsNamedByItsAnswer() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    m_bench->guard.send(s("Go"));
    QTRY_VERIFY(m_bench->chat.isGenerating());
    m_bench->source.say(s("<think>\nIt ends with </think\\>\n</think>\n\nThe answer ") + QStringList(30, s("r")).join(QLatin1Char(' ')));
    m_bench->source.end(engine::FinishReason::endOfTurn);
    m_bench->fillFrom(1);
    QVERIFY(m_bench->guard.leaving().size() >= 2);
    const QString named = m_bench->guard.leaving().at(1).toMap()[s("text")].toString();
    QVERIFY2(named.startsWith(s("The answer r r")), qPrintable(named));
  }

  void whatDoesNotFitIsAskedAbout() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    m_bench->fill();
    const ContextGuard& guard = m_bench->guard;
    QCOMPARE(m_bench->chat.messages()->count(), 4);  // nothing was sent
    QCOMPARE(guard.promptTokens(), 11 + 21 + 11 + 21 + 13);
    QCOMPARE(guard.room(), 25);
    QCOMPARE(guard.excess(), 2);
    QCOMPARE(guard.leaving().size(), 2);
    QCOMPARE(guard.leaving().at(0).toMap()[s("tokens")].toInt(), 11);
    QCOMPARE(guard.leaving().at(1).toMap()[s("own")].toBool(), false);
    QCOMPARE(guard.leavingTokens(), 32);
    QCOMPARE(guard.tokensAfterDrop(), 45);
    QCOMPARE(guard.shortestReply(), 23);
    QCOMPARE(guard.largerContext(), 200);
    QCOMPARE(guard.largerBytes(), 100000.0);
    QVERIFY(guard.canEnlarge());
    m_bench->guard.keepEditing();
    QVERIFY(!guard.isBlocked());
    QCOMPARE(m_bench->chat.draft().size(), 23);
    QCOMPARE(m_bench->chat.messages()->count(), 4);
  }

  // Counting waits for a model that was unloaded: whoever looks at another conversation meanwhile still gets the reply.
  void anotherTryIsNotLostWhenItsConversationIsLeft_data() {
    QTest::addColumn<bool>("goesOn");
    QTest::newRow("try again") << false;
    QTest::newRow("continue") << true;
  }
  void anotherTryIsNotLostWhenItsConversationIsLeft() {
    QFETCH(const bool, goesOn);
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    ChatController& chat = m_bench->chat;
    m_bench->say(10, 20);
    const qint64 id = chat.currentId();
    const quint64 before = m_bench->source.last;
    QVERIFY(goesOn ? m_bench->guard.continueReply(1) : m_bench->guard.regenerate(1));
    chat.newConversation();  // before the answer
    QTest::qWait(300);
    QCOMPARE(m_bench->source.last, before);
    chat.select(id);
    QTRY_VERIFY(chat.isGenerating());
    QCOMPARE(m_bench->source.last, before + 1);
    m_bench->source.say(s("r"));
    m_bench->source.end(engine::FinishReason::endOfTurn);
    chat.newConversation();
    chat.select(id);
    QTest::qWait(300);
    QCOMPARE(m_bench->source.last, before + 1);  // once
  }

  // While the user is asked about a message, it is in the outbox; text typed meanwhile is a separate draft.
  void whatIsTypedMeanwhileIsKept() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    m_bench->fill();
    QCOMPARE(m_bench->chat.draft(), QString());
    QCOMPARE(m_bench->chat.outbox()->count(), 1);
    m_bench->chat.setDraft(s("and more"));
    QVERIFY(m_bench->guard.isBlocked());
    m_bench->guard.keepEditing();
    QCOMPARE(m_bench->chat.draft(), QStringList(12, s("q")).join(QLatin1Char(' ')) + s("\n\nand more"));
    QCOMPARE(m_bench->chat.outbox()->count(), 0);
  }

  // Text typed in a new chat while its first message is counted becomes the draft of the conversation that this message
  // starts.
  void aNewChatsDraftGoesOnInItsConversation() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    QVERIFY(m_bench->guard.send(s("one")));
    m_bench->chat.setDraft(s("and more"));
    QVERIFY(m_bench->guard.send(s("two")));
    QTRY_VERIFY(m_bench->chat.isGenerating());
    QVERIFY(m_bench->chat.currentId() != 0);
    QCOMPARE(m_bench->chat.draft(), s("and more"));
    QCOMPARE(m_bench->chat.outbox()->count(), 1);
    const qint64 id = m_bench->chat.currentId();
    m_bench->chat.newConversation();
    QCOMPARE(m_bench->chat.draft(), QString());
    QCOMPARE(m_bench->chat.outbox()->count(), 0);
    m_bench->chat.flush();
    m_bench.reset();
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    QCOMPARE(m_bench->chat.draft(), QString());
    m_bench->chat.select(id);
    QCOMPARE(m_bench->chat.draft(), s("and more"));
    QCOMPARE(m_bench->chat.outbox()->count(), 1);
  }

  void takingItOutOfTheOutboxTakesTheQuestionBack() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    m_bench->fill();
    m_bench->chat.outbox()->remove(0);
    QVERIFY(!m_bench->guard.isBlocked());
    QTest::qWait(50);
    QVERIFY(!m_bench->chat.isGenerating());
  }

  void aFullContextHasNoRoomForMoreUnlessItGrows() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    m_bench->chat.send(s("x"));
    m_bench->source.say(s("so far"));
    ReplyUpdate full;
    full.request = m_bench->source.last;
    full.finished = engine::Finished{};
    full.finished->reason = engine::FinishReason::contextFull;
    full.finished->timings.promptTokens = 60;
    full.finished->timings.generatedTokens = 40;
    Q_EMIT m_bench->source.updated(full);
    QCOMPARE(m_bench->chat.messages()->index(1).data(MessageModel::TokensTakenRole).toInt(), 100);
    QVERIFY(!m_bench->guard.isContinuable());
    QVERIFY(!m_bench->guard.hasRoomAfter(100));
    ModelFacts model;
    model.path = s("x");
    m_bench->contextLength = model.contextLength = 400;
    m_bench->guard.setModel(model);
    QVERIFY(m_bench->guard.isContinuable());
  }

  void droppingIsMarkedKeptAndCanBeTakenBack() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    m_bench->fill();
    m_bench->guard.dropOldest();
    QVERIFY(m_bench->chat.isGenerating());
    QCOMPARE(m_bench->chat.draft(), QString());
    QCOMPARE(m_bench->source.lastRequest.chat.messages.size(), 3U);
    QCOMPARE(CountedChat::cost(m_bench->source.lastRequest.chat.messages[0]), 11);
    QCOMPARE(leftOut(), (QList<int>{0, 0, 32, 0, 0, 0}));
    m_bench->source.say(s("short"));
    m_bench->source.end(engine::FinishReason::endOfTurn);
    const qint64 id = m_bench->chat.currentId();
    // The next cut does not count what the first one removed.
    m_bench->guard.send(QStringList(30, s("q")).join(QLatin1Char(' ')));
    QTRY_VERIFY(m_bench->guard.isBlocked());
    m_bench->guard.dropOldest();
    QCOMPARE(leftOut(), (QList<int>{0, 0, 32, 0, 64, 0, 0, 0}));
    m_bench->source.end(engine::FinishReason::endOfTurn);
    m_bench->chat.flush();
    // The same after a restart.
    m_bench.reset();
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    m_bench->chat.select(id);
    QTRY_COMPARE(m_bench->chat.messages()->count(), 8);
    QCOMPARE(leftOut(), (QList<int>{0, 0, 32, 0, 64, 0, 0, 0}));
    m_bench->chat.putBack(4);
    QCOMPARE(leftOut(), (QList<int>{0, 0, 32, 0, 0, 0, 0, 0}));
    m_bench->chat.send(s("x"));
    QCOMPARE(CountedChat::cost(m_bench->source.lastRequest.chat.messages[0]), 11);  // the prompt starts at the third message
    QCOMPARE(m_bench->source.lastRequest.chat.messages.size(), 5U);  // an empty reply is left out and its question joined with the next
  }

  void thePromptIsShownAsItWouldBeSent() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    PromptView& view = m_bench->prompt;
    const QAbstractItemModelTester tester(&view, QAbstractItemModelTester::FailureReportingMode::QtTest);
    view.showNext();
    QCOMPARE(view.count(), 0);  // there is no message yet
    QVERIFY(!view.isLoading());
    m_bench->settings.set_systemPrompt(s("Be brief."));
    m_bench->say(2, 3);
    m_bench->chat.setDraft(s("<b> & so on"));
    view.setProperty("specialColor", QColor(s("#7A3EB8")));
    view.showNext();
    QTRY_COMPARE(view.count(), 4);
    QVERIFY(!view.isOfReply());
    QCOMPARE(view.total(), 3 + 3 + 4 + 5);
    QCOMPARE(view.reusable(), 7);
    QCOMPARE(view.lastReused(), -1);  // the scripted source does not report it
    QCOMPARE(view.data(view.index(0), PromptView::AuthorRole).toInt(), PromptView::System);
    QCOMPARE(view.data(view.index(3), PromptView::AuthorRole).toInt(), PromptView::User);
    QCOMPARE(view.data(view.index(2), PromptView::CachedRole).toInt(), 1);
    const QString html = view.data(view.index(3), PromptView::HtmlRole).toString();
    QVERIFY2(html.contains(s("color:#7a3eb8")) && html.contains(s("&lt;end&gt;</span>")) && html.contains(s("word word word word ")),
             qPrintable(html));
    view.copy();
    QVERIFY(QGuiApplication::clipboard()->text().startsWith(s("word word <end>word")));
    m_bench->source.counter = [](const PromptQuestion&) {
      PromptAnswer answer;
      answer.error = minerva::Error{.kind = minerva::ErrorKind::invalidArgument,
                                    .what = "Roles must alternate",
                                    .where = {},
                                    .expected = {},
                                    .actual = {},
                                    .hint = {}};
      return answer;
    };
    view.showNext();
    QTRY_VERIFY(view.error().isSet());
    QCOMPARE(view.count(), 0);
  }

  // A row is laid out at once, so a long message has several.
  void aLongMessageIsShownInParts() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    m_bench->source.counter = [](const PromptQuestion&) {
      PromptAnswer answer;
      answer.tokens = 30'002;
      answer.reusable = 20'000;
      answer.parts = {{-1, 1}, {0, 30'001}};
      answer.pieces.assign(30'002, {"a line\n", false});
      answer.pieces.front() = answer.pieces.back() = {"<end>", true};
      return answer;
    };
    m_bench->chat.setDraft(s("much"));
    PromptView& view = m_bench->prompt;
    view.showNext();
    QTRY_VERIFY(view.count() > 2);
    QString all;
    int tokens = 0, cached = 0;
    for (int row = 0; row < view.count(); ++row) {
      const QModelIndex at = view.index(row);
      const QString plain = view.data(at, PromptView::PlainRole).toString();
      QVERIFY(plain.size() <= 16'100);
      QCOMPARE(view.data(at, PromptView::GoesOnRole).toBool(), row > 1);
      QVERIFY(row < 2 || (plain.startsWith(s("a line\n")) && view.data(at, PromptView::TokensRole).toInt() == 0));
      QVERIFY(row == 0 || row + 1 == view.count() || !view.data(at, PromptView::HtmlRole).toString().contains(s("<br></p>")));
      all += plain;
      tokens += view.data(at, PromptView::TokensRole).toInt();
      cached += view.data(at, PromptView::CachedRole).toInt();
    }
    QCOMPARE(all, s("<end>") + s("a line\n").repeated(30'000) + s("<end>"));
    QCOMPARE(tokens, 30'002);
    QCOMPARE(cached, 20'000);
  }

  void aShorterReplyIsAskedForOnce() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    m_bench->fill();
    m_bench->guard.shortenReply();
    QCOMPARE(m_bench->source.lastRequest.maxTokens, 23);
    QCOMPARE(m_bench->source.lastRequest.chat.messages.size(), 5U);
    m_bench->source.end(engine::FinishReason::length);
    m_bench->chat.regenerate(5);
    QCOMPARE(m_bench->source.lastRequest.maxTokens, 0);
  }

  // The card's figures are about a prompt that has changed since: it is counted again.
  void whatIsAskedAboutIsCountedAgainAfterItHasChanged() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    ChatController& chat = m_bench->chat;
    m_bench->say(10, 20);
    QVERIFY(chat.saveReply(1, QStringList(20, s("o")).join(QLatin1Char(' '))));
    m_bench->fillFrom(1);
    QCOMPARE(m_bench->guard.promptTokens(), 77);
    m_bench->settings.set_systemPrompt(s("Be brief."));
    m_bench->guard.shortenReply();
    QVERIFY(!chat.isGenerating());
    QTRY_VERIFY(m_bench->guard.isBlocked());
    QCOMPARE(m_bench->guard.promptTokens(), 80);
    QVERIFY(chat.selectVersion(1, -1));
    m_bench->guard.dropOldest();
    QTRY_VERIFY(chat.isGenerating());
    QCOMPARE(m_bench->source.lastRequest.chat.messages.size(), 4U);  // the system prompt, a turn, the message
    m_bench->reply("ok");
    QVERIFY(chat.selectVersion(1, 1));
    QCOMPARE(leftOut(), (QList<int>{0, 0, 0, 0}));
  }

  // An edit of a message that is not in the version shown by now cannot be sent.
  void anEditThatIsOutOfSightIsTakenBack() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    ChatController& chat = m_bench->chat;
    m_bench->say(10, 20);
    QVERIFY(chat.saveReply(1, s("other")));
    m_bench->say(10, 20);
    const QString large = QStringList(65, s("e")).join(QLatin1Char(' '));
    chat.setEdit(2, large);
    QVERIFY(m_bench->guard.editAndResend(2, large));
    QTRY_VERIFY(m_bench->guard.isBlocked());
    QVERIFY(chat.selectVersion(1, -1));
    const quint64 asked = m_bench->source.last;
    m_bench->guard.shortenReply();
    QVERIFY(!m_bench->guard.isBlocked());
    QCOMPARE(m_bench->source.last, asked);
    QVERIFY(chat.selectVersion(1, 1));
    QCOMPARE(chat.messages()->index(2).data(MessageModel::EditTextRole).toString(), large);
  }

  void aLargerContextIsLoadedThenItIsSent() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    m_bench->fill();
    QSignalSpy reload(&m_bench->guard, &ContextGuard::reloadWanted);
    m_bench->guard.enlargeContext();
    QCOMPARE(reload.count(), 1);
    QCOMPARE(m_bench->settings.contextLength(), 200);
    ModelFacts model;
    m_bench->guard.setModel(model);  // while the model is reloaded
    m_bench->contextLength = model.contextLength = 200;
    model.path = s("x");
    m_bench->guard.setModel(model);
    QTRY_VERIFY(m_bench->chat.isGenerating());
    QCOMPARE(m_bench->source.lastRequest.chat.messages.size(), 5U);
  }

  void whatWasSentAsTheModelCameIsCountedByIt() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    QVERIFY(m_bench->guard.send(s("one two")));
    ModelFacts model;
    model.path = s("y");
    m_bench->guard.setModel(model);
    QTRY_VERIFY(m_bench->chat.isGenerating());
  }

  void whatDoesNotFitIsSaidOfOneModel() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    m_bench->fill();
    ModelFacts model;
    m_bench->guard.setModel(model);  // while another model is loaded
    QVERIFY(!m_bench->guard.isBlocked());
    QCOMPARE(m_bench->chat.draft().size(), 23);
    m_bench->contextLength = model.contextLength = 200;
    model.path = s("y");
    m_bench->guard.setModel(model);
    QTest::qWait(50);
    QVERIFY(!m_bench->chat.isGenerating());  // must be sent again by the user
    QVERIFY(m_bench->guard.send(m_bench->chat.draft()));
    QTRY_VERIFY(m_bench->chat.isGenerating());
  }

  void aLoadThatFailsPutsTheSettingBack() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    m_bench->settings.set_contextLength(100);
    m_bench->fill();
    m_bench->guard.enlargeContext();
    m_bench->guard.loadFailed();
    QCOMPARE(m_bench->settings.contextLength(), 100);
    QVERIFY(!m_bench->guard.isBlocked());
    QCOMPARE(m_bench->chat.draft().size(), 23);
  }

  void anEditThatDoesNotFitComesBackToItsEditor() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    m_bench->say(10, 20);
    QSignalSpy rejected(&m_bench->guard, &ContextGuard::editRejected);
    const QString text = QStringList(90, s("e")).join(QLatin1Char(' '));
    m_bench->chat.beginEdit(0);
    m_bench->chat.setEdit(0, text);
    QVERIFY(m_bench->guard.editAndResend(0, text));
    QTRY_VERIFY(m_bench->guard.isBlocked());
    QVERIFY(m_bench->guard.leaving().isEmpty());  // there is no earlier message to remove
    m_bench->guard.dropOldest();
    QVERIFY(m_bench->guard.isBlocked());
    m_bench->guard.keepEditing();
    QCOMPARE(rejected.count(), 1);
    const auto open = [&] { return m_bench->chat.messages()->index(0).data(MessageModel::EditingRole).toBool(); };
    QVERIFY(open());
    QCOMPARE(m_bench->chat.messages()->index(0).data(MessageModel::EditTextRole).toString(), text);
    QVERIFY(m_bench->guard.editAndResend(0, text));
    QTRY_VERIFY(m_bench->guard.isBlocked());
    m_bench->chat.setEdit(0, s("short"));  // further typing cancels the request
    QVERIFY(!m_bench->guard.isBlocked());
    QVERIFY(m_bench->guard.editAndResend(0, s("short")));
    m_bench->chat.setEdit(0, s("shorter"));  // also while it is being counted
    QTest::qWait(50);
    QVERIFY(!m_bench->chat.isGenerating());
    QVERIFY(m_bench->guard.editAndResend(0, s("shorter")));
    QTRY_VERIFY(m_bench->chat.isGenerating());
    QVERIFY(!open());
    m_bench->source.end(engine::FinishReason::endOfTurn);
    m_bench->chat.selectVersion(0, -1);
    QVERIFY(!open());  // nor in the version in which the edit was started
  }

  // While it is being counted, and while the card about it is shown.
  void anEditThatIsCancelledIsNotSent() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    m_bench->say(10, 20);
    const quint64 asked = m_bench->source.last;
    m_bench->chat.beginEdit(0);
    m_bench->chat.setEdit(0, s("again"));
    QVERIFY(m_bench->guard.editAndResend(0, s("again")));
    m_bench->chat.cancelEdit(0);
    QTest::qWait(50);
    QCOMPARE(m_bench->source.last, asked);
    const QString large = QStringList(90, s("e")).join(QLatin1Char(' '));
    m_bench->chat.setEdit(0, large);
    QVERIFY(m_bench->guard.editAndResend(0, large));
    QTRY_VERIFY(m_bench->guard.isBlocked());
    m_bench->chat.cancelEdit(0);
    QVERIFY(!m_bench->guard.isBlocked());
    // A reply that is saved is not continued; what was queued meanwhile is sent.
    m_bench->chat.setEdit(1, s("mine"));
    QVERIFY(m_bench->guard.continueReply(1, s("mine")));
    QVERIFY(m_bench->guard.send(s("next")));
    QVERIFY(m_bench->chat.saveReply(1, s("mine")));
    QTRY_VERIFY(m_bench->chat.isGenerating());
    QCOMPARE(m_bench->source.lastRequest.chat.messages.back()["content"].get<std::string>(), std::string("next"));
  }

  // Applies to the version that was meant, not to the one shown in its row by then.
  void anotherVersionChosenMeanwhileIsNotWrittenAgain() {
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    m_bench->say(2, 2);
    m_bench->chat.saveReply(1, s("other"));
    m_bench->say(2, 2);
    const quint64 asked = m_bench->source.last;
    QVERIFY(m_bench->guard.regenerate(1));
    m_bench->chat.selectVersion(1, -1);
    QTest::qWait(50);
    QCOMPARE(m_bench->source.last, asked);
    QVERIFY(!m_bench->chat.isGenerating());
  }

  // The whole path with the real engine: the prompt that the card announces is the one processed.
  void theBuiltInModelDropsWhatItSays() {
    Settings settings(m_folder->filePath(s("settings.ini")));
    Presets presets(&settings);
    settings.set_maxTokens(24);
    StoreThread store(m_folder->filePath(s("chat.sqlite")));
    InferenceController inference;
    inference.setPreferences({.device = s("cpu"), .contextLength = 256});
    ChatController chat(&inference, &store, &presets);
    ContextGuard guard(&chat, &inference, &settings);
    connect(&inference, &InferenceController::loaded, &guard, [&] { guard.setModel(inference.model()); });
    inference.load(QStringLiteral(MINERVA_SOURCE_DIR "/resources/builtin-model"));
    QTRY_VERIFY(chat.canSend());
    int promptTokens = 0;
    connect(&inference, &ReplySource::updated, this, [&](const ReplyUpdate& update) {
      if (update.started) promptTokens = update.started->promptTokens;
    });
    QSignalSpy begun(&chat, &ChatController::replyBegun);
    for (int turn = 0; turn < 40 && !guard.isBlocked(); ++turn) {
      QVERIFY(guard.send(s("Tell me a story about a fox and a hen, please, and make it number %1.").arg(turn)));
      // Not chat.isGenerating(): a short reply may be over between two polls.
      QTRY_VERIFY(begun.count() > turn || guard.isBlocked());
      QTRY_VERIFY(!chat.isGenerating());
    }
    QVERIFY(guard.isBlocked());
    QVERIFY(guard.promptTokens() + guard.room() > 256);
    QCOMPARE(guard.largerContext(), 512);
    int listed = 0;
    for (const QVariant& message : guard.leaving()) listed += message.toMap()[s("tokens")].toInt();
    QCOMPARE(listed, guard.leavingTokens());
    // The prompt as shown, including its text.
    PromptView view(&chat, &inference);
    view.showOfReply(chat.messages()->count() - 1);
    QVERIFY(view.isOfReply());
    QTRY_VERIFY(!view.isLoading());
    QCOMPARE(view.total(), promptTokens);
    QCOMPARE(view.lastTotal(), promptTokens);
    QVERIFY(view.lastReused() > 0 && view.lastReused() < promptTokens);
    QCOMPARE(view.reusable(), promptTokens - 1);  // all of it is in the slot, but the last token is always computed
    QString expectedText = s("<|begin|>");
    for (int row = 0; row + 1 < chat.messages()->count(); ++row)
      expectedText += (row % 2 == 0 ? s("<|user|>") : s("<|assistant|>")) + chat.messages()->at(row).message.text.trimmed() + s("<|end|>");
    QString shownText;
    int shownTokens = 0, shownCached = 0;
    for (int row = 0; row < view.count(); ++row) {
      shownText += view.data(view.index(row), PromptView::PlainRole).toString();
      shownTokens += view.data(view.index(row), PromptView::TokensRole).toInt();
      shownCached += view.data(view.index(row), PromptView::CachedRole).toInt();
    }
    QCOMPARE(shownText, expectedText + s("<|assistant|>"));
    QCOMPARE(shownTokens, promptTokens);
    QCOMPARE(shownCached, promptTokens - 1);
    const int expected = guard.tokensAfterDrop(), leavingTokens = guard.leavingTokens();
    const qsizetype dropped = guard.leaving().size();
    guard.dropOldest();
    QTRY_VERIFY(!chat.isGenerating());
    QCOMPARE(promptTokens, expected);
    QCOMPARE(chat.messages()->data(chat.messages()->index(static_cast<int>(dropped)), MessageModel::LeftOutAboveRole).toInt(),
             leavingTokens);
    chat.flush();
  }

 private:
  [[nodiscard]] QList<int> leftOut() const {
    QList<int> all;
    for (int row = 0; row < m_bench->chat.messages()->count(); ++row) all << m_bench->chat.messages()->at(row).message.leftOutAbove;
    return all;
  }
  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<CountedChat> m_bench;
};

APP_TEST(ContextTest, "context", QGuiApplication)
#include "tst_context.moc"
