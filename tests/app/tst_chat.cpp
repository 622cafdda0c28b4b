// Chatting: sending, stopping, versions, branches, conversations; every list model under the model tester.
#include "app/chat/chat_controller.h"
#include "app/chat/prompt.h"
#include "app/chat/store_thread.h"
#include "app/settings/presets.h"
#include "app/settings/settings.h"
#include "scripted_source.h"

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QGuiApplication>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace minerva::app;
using Reason = minerva::engine::FinishReason;

namespace {

QString s(const char* text) { return QString::fromUtf8(text); }

// Everything a chat needs, on a folder that may be opened again.
struct Bench {
  explicit Bench(const QString& folder)
      : settings(folder + s("/settings.ini")),
        store(folder + s("/chat.sqlite")),
        chat(&source, &store, &presets),
        messageTester(chat.messages(), QAbstractItemModelTester::FailureReportingMode::QtTest),
        listTester(chat.conversations(), QAbstractItemModelTester::FailureReportingMode::QtTest) {
    QSignalSpy opened(&chat, &ChatController::opened);
    if (!opened.wait()) qFatal("the store did not open");
  }
  ~Bench() { chat.flush(); }

  void reply(const char* text) {
    source.say(s(text));
    source.end(Reason::endOfTurn);
  }
  [[nodiscard]] QVariant at(int row, int role) { return chat.messages()->data(chat.messages()->index(row), role); }
  [[nodiscard]] QStringList texts() {
    QStringList all;
    for (int row = 0; row < chat.messages()->count(); ++row) all << at(row, MessageModel::TextRole).toString();
    return all;
  }
  Settings settings;
  Presets presets{&settings};
  StoreThread store;
  ScriptedSource source;
  ChatController chat;
  QAbstractItemModelTester messageTester, listTester;
};

}  // namespace

class ChatTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_bench = std::make_unique<Bench>(m_folder->path());
  }
  void cleanup() { m_bench.reset(); }

  void aMessageAndItsReply() {
    ChatController& chat = m_bench->chat;
    QVERIFY(chat.send(s("How do I read a CSV file?\nKeep it short.")));
    QCOMPARE(chat.title(), s("How do I read a CSV file?"));
    QVERIFY(chat.isGenerating());
    QVERIFY(!chat.canSend());
    QCOMPARE(m_bench->at(1, MessageModel::StatusRole).toInt(), MessageModel::Waiting);
    m_bench->source.say(s("Open "));
    QCOMPARE(m_bench->at(1, MessageModel::StatusRole).toInt(), MessageModel::Streaming);
    m_bench->reply("it.");
    QCOMPARE(m_bench->texts(), (QStringList{s("How do I read a CSV file?\nKeep it short."), s("Open it.")}));
    QCOMPARE(m_bench->at(1, MessageModel::StatusRole).toInt(), MessageModel::Complete);
    QCOMPARE(m_bench->at(1, MessageModel::TimingsRole).toString(), s("TTFT 198 ms · 39.1 tok/s"));
    QVERIFY(chat.canSend());
    const auto& messages = m_bench->source.lastRequest.chat.messages;
    QCOMPARE(messages.size(), 1U);
    QCOMPARE(messages[0]["role"].get<std::string>(), "user");
  }

  void blankTextAndNoModelAreNotSent() {
    QVERIFY(!m_bench->chat.send(s("  \n ")));
    m_bench->source.ready = false;
    QVERIFY(!m_bench->chat.send(s("x")));
    QCOMPARE(m_bench->chat.conversations()->count(), 0);
  }

  void theWholePathIsAskedWithTheSystemPrompt() {
    m_bench->settings.set_systemPrompt(s("Be brief."));
    m_bench->chat.send(s("one"));
    m_bench->reply("eins");
    m_bench->chat.send(s("two"));
    const auto& messages = m_bench->source.lastRequest.chat.messages;
    QCOMPARE(messages.dump(), std::string(R"([{"role":"system","content":"Be brief."},{"role":"user","content":"one"},)"
                                          R"({"role":"assistant","content":"eins"},{"role":"user","content":"two"}])"));
  }

  void thoughtsAreShownAndNotAskedAgain() {
    m_bench->chat.send(s("What is 2 + 2?"));
    m_bench->source.say(s("<think>\nTwo and"));
    const auto* blocks = m_bench->at(1, MessageModel::BlocksRole).value<BlockModel*>();
    QCOMPARE(blocks->count(), 1);
    QCOMPARE(blocks->data(blocks->index(0), BlockModel::KindRole).toInt(), BlockModel::Thinking);
    QCOMPARE(blocks->data(blocks->index(0), BlockModel::CompleteRole).toBool(), false);
    m_bench->reply(" two.\n</think>\n\nFour.");
    QCOMPARE(blocks->count(), 2);
    QCOMPARE(blocks->data(blocks->index(0), BlockModel::SourceRole).toString(), s("Two and two."));
    QCOMPARE(blocks->data(blocks->index(0), BlockModel::CompleteRole).toBool(), true);
    m_bench->chat.send(s("And 3 + 3?"));
    const auto& messages = m_bench->source.lastRequest.chat.messages;
    QCOMPARE(messages.size(), std::size_t{3});
    QCOMPARE(QString::fromStdString(messages[1]["content"].get<std::string>()), s("Four."));
  }

  void aFailedReplyKeepsTheTurnsInOrder() {
    m_bench->chat.send(s("one"));
    m_bench->source.failWith({.kind = minerva::ErrorKind::limit,
                              .what = "the prompt is too long",
                              .where = {},
                              .expected = "at most 10 tokens",
                              .actual = "12",
                              .hint = {}});
    QCOMPARE(m_bench->at(1, MessageModel::StatusRole).toInt(), MessageModel::Failed);
    const auto error = m_bench->at(1, MessageModel::ErrorRole).value<ErrorInfo>();
    QCOMPARE(error.detail, s("The prompt is too long: expected at most 10 tokens, found 12"));
    m_bench->chat.send(s("two"));
    const auto& messages = m_bench->source.lastRequest.chat.messages;
    QCOMPARE(messages.size(), 1U);
    QCOMPARE(messages[0]["content"].get<std::string>(), "one\n\ntwo");
  }

  void stoppingKeepsTheText() {
    m_bench->chat.send(s("x"));
    m_bench->source.say(s("half"));
    m_bench->chat.stop();
    QCOMPARE(m_bench->source.cancelled.size(), 1U);
    m_bench->source.end(Reason::cancelled);
    QCOMPARE(m_bench->at(1, MessageModel::StatusRole).toInt(), MessageModel::Stopped);
    QCOMPARE(m_bench->at(1, MessageModel::TextRole).toString(), s("half"));
  }

  void regeneratingMakesAVersion() {
    m_bench->chat.send(s("x"));
    m_bench->reply("first");
    QVERIFY(m_bench->chat.regenerate(1));
    m_bench->reply("second");
    QCOMPARE(m_bench->at(1, MessageModel::VersionCountRole).toInt(), 2);
    QCOMPARE(m_bench->at(1, MessageModel::VersionIndexRole).toInt(), 2);
    QVERIFY(m_bench->chat.selectVersion(1, -1));
    QCOMPARE(m_bench->at(1, MessageModel::TextRole).toString(), s("first"));
    QVERIFY(!m_bench->chat.selectVersion(1, -1));
    m_bench->chat.send(s("y"));
    m_bench->reply("of first");
    QVERIFY(m_bench->chat.selectVersion(1, +1));
    QCOMPARE(m_bench->texts(), (QStringList{s("x"), s("second")}));
    QVERIFY(m_bench->chat.selectVersion(1, -1));
    QCOMPARE(m_bench->texts(), (QStringList{s("x"), s("first"), s("y"), s("of first")}));
  }

  void editingMakesASiblingEvenOfTheFirstMessage() {
    m_bench->chat.send(s("x"));
    m_bench->reply("a");
    m_bench->chat.send(s("y"));
    m_bench->reply("b");
    QVERIFY(m_bench->chat.editAndResend(0, s("x2")));
    m_bench->reply("a2");
    QCOMPARE(m_bench->texts(), (QStringList{s("x2"), s("a2")}));
    QCOMPARE(m_bench->at(0, MessageModel::VersionCountRole).toInt(), 2);
    QVERIFY(m_bench->chat.selectVersion(0, -1));
    QCOMPARE(m_bench->texts(), (QStringList{s("x"), s("a"), s("y"), s("b")}));
  }

  void branchingCopiesThePath() {
    m_bench->chat.send(s("x"));
    m_bench->reply("a");
    m_bench->chat.send(s("y"));
    m_bench->reply("b");
    const qint64 before = m_bench->chat.currentId();
    m_bench->chat.branch(1);
    QVERIFY(m_bench->chat.currentId() != before);
    QCOMPARE(m_bench->texts(), (QStringList{s("x"), s("a")}));
    m_bench->chat.select(before);
    QCOMPARE(m_bench->chat.messages()->count(), 4);
  }

  void aReplyGoesOnInAnotherConversation() {
    m_bench->chat.send(s("x"));
    const qint64 first = m_bench->chat.currentId();
    m_bench->source.say(s("one "));
    m_bench->chat.newConversation();
    QVERIFY(m_bench->chat.isGeneratingElsewhere());
    QCOMPARE(m_bench->chat.messages()->count(), 0);
    m_bench->source.say(s("two "));
    m_bench->chat.select(first);
    QVERIFY(m_bench->chat.isGenerating());
    QCOMPARE(m_bench->at(1, MessageModel::TextRole).toString(), s("one two "));
    m_bench->reply("three");
    QCOMPARE(m_bench->at(1, MessageModel::TextRole).toString(), s("one two three"));
  }

  void deletingCanBeUndone() {
    m_bench->chat.send(s("x"));
    m_bench->reply("a");
    const qint64 id = m_bench->chat.currentId();
    m_bench->chat.remove(id);
    QCOMPARE(m_bench->chat.conversations()->count(), 0);
    QCOMPARE(m_bench->chat.currentId(), 0);
    QVERIFY(m_bench->chat.canUndoDelete());
    m_bench->chat.undoDelete();
    QCOMPARE(m_bench->chat.currentId(), id);
    QCOMPARE(m_bench->texts(), (QStringList{s("x"), s("a")}));
  }

  void everythingIsThereAfterARestart() {
    m_bench->chat.send(s("x"));
    m_bench->reply("first");
    m_bench->chat.regenerate(1);
    m_bench->reply("second");
    m_bench->chat.selectVersion(1, -1);
    const qint64 id = m_bench->chat.currentId();
    m_bench->chat.rename(id, s("Renamed"));
    m_bench.reset();
    m_bench = std::make_unique<Bench>(m_folder->path());
    QCOMPARE(m_bench->chat.conversations()->count(), 1);
    m_bench->chat.select(id);
    QTRY_COMPARE(m_bench->chat.messages()->count(), 2);
    QCOMPARE(m_bench->chat.title(), s("Renamed"));
    QCOMPARE(m_bench->texts(), (QStringList{s("x"), s("first")}));
    QCOMPARE(m_bench->at(1, MessageModel::VersionCountRole).toInt(), 2);
    QVERIFY(m_bench->chat.send(s("y")));  // new ids do not collide with old ones
    m_bench->reply("z");
    QCOMPARE(m_bench->chat.messages()->count(), 4);
  }

  void searchingLeadsToTheMessage() {
    m_bench->chat.send(s("Tell me about foxes"));
    m_bench->reply("They have whiskers.");
    m_bench->chat.regenerate(1);
    m_bench->reply("Red ones.");
    const qint64 first = m_bench->chat.currentId();
    m_bench->chat.newConversation();
    m_bench->chat.send(s("And bears?"));
    m_bench->reply("Brown.");
    m_bench.reset();
    m_bench = std::make_unique<Bench>(m_folder->path());
    ConversationListModel& list = *m_bench->chat.conversations();
    QCOMPARE(list.count(), 2);
    list.setSearch(s("whisk"));
    QTRY_COMPARE(list.count(), 1);
    QCOMPARE(list.idAt(0), first);
    QCOMPARE(list.data(list.index(0), ConversationListModel::ExcerptRole).toString(), s("They have <b>whisk</b>ers."));
    QSignalSpy revealed(&m_bench->chat, &ChatController::revealed);
    m_bench->chat.open(first);
    QTRY_COMPARE(revealed.count(), 1);  // on another version than the one shown last
    QCOMPARE(revealed[0][0].toInt(), 1);
    QCOMPARE(m_bench->texts(), (QStringList{s("Tell me about foxes"), s("They have whiskers.")}));
    m_bench->chat.open(first);  // again: it has been read already
    QCOMPARE(revealed.count(), 2);
    list.setSearch(s("bears"));  // a title's words need no store
    QCOMPARE(list.count(), 2);   // until there is an answer, what was found stays
    QTRY_COMPARE(list.count(), 1);
    list.setSearch(s("nowhere"));
    QTRY_COMPARE(list.count(), 0);
    list.setSearch(s(" "));
    QCOMPARE(list.count(), 2);
    QCOMPARE(list.data(list.index(0), ConversationListModel::ExcerptRole).toString(), QString());
    m_bench->chat.open(first);
    QCOMPARE(revealed.count(), 2);
  }

  void draftsBelongToTheirConversation() {
    m_bench->chat.send(s("x"));
    m_bench->reply("a");
    m_bench->chat.setDraft(s("half a thought"));
    m_bench->chat.newConversation();
    QCOMPARE(m_bench->chat.draft(), QString());
    m_bench->chat.select(m_bench->chat.conversations()->idAt(0));
    QCOMPARE(m_bench->chat.draft(), s("half a thought"));
  }

  void theListIsSortedAndSectioned() {
    ConversationListModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const QDateTime noon(QDate(2026, 3, 18), QTime(12, 0));
    model.setNow(noon);
    const auto add = [&](qint64 id, const QDateTime& when) {
      Conversation c;
      c.id = id;
      c.title = s("Chat %1").arg(id);
      c.modelName = s("M");
      c.created = c.updated = when.toUTC();
      model.put(c);
    };
    add(1, noon.addSecs(-3600));
    add(2, noon.addDays(-1));
    add(3, noon.addDays(-5));
    add(4, noon.addDays(-40));
    add(5, noon.addSecs(-60));
    QCOMPARE(model.count(), 5);
    QCOMPARE(model.idAt(0), 5);
    QCOMPARE(model.data(model.index(0), ConversationListModel::SubtitleRole).toString(), s("M · 11:59"));
    QStringList sections;
    for (int row = 0; row < 5; ++row) sections << model.data(model.index(row), ConversationListModel::SectionRole).toString();
    QCOMPARE(sections, (QStringList{s("Today"), s("Today"), s("Yesterday"), s("Last week"), s("Earlier")}));
    add(4, noon);  // an old one that goes on moves to the top
    QCOMPARE(model.idAt(0), 4);
    model.setSearch(s("chat 3"));
    QCOMPARE(model.count(), 1);
    QCOMPARE(model.idAt(0), 3);
    add(3, noon);
    add(1, noon);
    QCOMPARE(model.count(), 1);
    model.take(3);
    QCOMPARE(model.count(), 0);
    model.setSearch({});
    QCOMPARE(model.count(), 4);
  }

  // The rows as one reads them: "[folder]", "title", "  title" below its folder.
  QStringList rows() const {
    const ConversationListModel& list = *m_bench->chat.conversations();
    QStringList all;
    for (int row = 0; row < list.count(); ++row) {
      const auto value = [&](int role) { return list.data(list.index(row), role); };
      const QString title = value(ConversationListModel::TitleRole).toString();
      if (value(ConversationListModel::ConversationIdRole).toLongLong() == 0)
        all << s("[%1 %2]").arg(title).arg(value(ConversationListModel::MembersRole).toInt());
      else all << (value(ConversationListModel::NestedRole).toBool() ? s("  ") : QString()) + title;
    }
    return all;
  }

  void conversationsArePinnedAndPutIntoFolders() {
    ChatController& chat = m_bench->chat;
    std::vector<qint64> ids;
    for (const char* text : {"a", "b", "c", "d"}) {
      chat.newConversation();
      chat.send(s(text));
      m_bench->reply("ok");
      ids.push_back(chat.currentId());
    }
    QCOMPARE(rows(), (QStringList{s("d"), s("c"), s("b"), s("a")}));
    chat.setPinned(ids[0], true);
    QCOMPARE(rows(), (QStringList{s("a"), s("d"), s("c"), s("b")}));
    const qint64 work = chat.addFolder(s(" Work ")), home = chat.addFolder(s("home"));
    QCOMPARE(chat.addFolder(s(" ")), 0);
    chat.moveTo(ids[1], work);
    chat.moveTo(ids[2], work);
    chat.moveTo(ids[0], work);  // a pinned one stays at the top
    chat.moveTo(ids[3], 4711);  // no such folder
    QCOMPARE(rows(), (QStringList{s("a"), s("[home 0]"), s("[Work 3]"), s("  c"), s("  b"), s("d")}));
    QCOMPARE(chat.conversations()->folders().size(), 2);
    QCOMPARE(chat.conversations()->data(chat.conversations()->index(1), ConversationListModel::SectionRole).toString(), s("Folders"));
    chat.setCollapsed(work, true);
    QCOMPARE(rows(), (QStringList{s("a"), s("[home 0]"), s("[Work 3]"), s("d")}));
    chat.select(ids[1]);
    QVERIFY(chat.conversations()->data(chat.conversations()->index(2), ConversationListModel::CurrentRole).toBool());
    QTest::qSleep(5);               // newer than the others
    QVERIFY(chat.send(s("more")));  // what is said keeps its place
    m_bench->reply("ok");
    chat.conversations()->setSearch(s("b"));
    QCOMPARE(rows(), (QStringList{s("b")}));  // in a closed folder, and found
    chat.conversations()->setSearch({});
    chat.renameFolder(home, s("Zoo"));
    chat.moveTo(ids[3], home);
    QCOMPARE(rows(), (QStringList{s("a"), s("[Work 3]"), s("[Zoo 1]"), s("  d")}));

    m_bench.reset();
    m_bench = std::make_unique<Bench>(m_folder->path());
    QCOMPARE(rows(), (QStringList{s("a"), s("[Work 3]"), s("[Zoo 1]"), s("  d")}));
    m_bench->chat.setCollapsed(work, false);
    m_bench->chat.setPinned(ids[0], false);
    QCOMPARE(rows(), (QStringList{s("[Work 3]"), s("  b"), s("  c"), s("  a"), s("[Zoo 1]"), s("  d")}));
    m_bench->chat.select(ids[1]);
    m_bench->chat.remove(ids[2]);
    m_bench->chat.removeFolder(work);
    QCOMPARE(rows(), (QStringList{s("[Zoo 1]"), s("  d"), s("b"), s("a")}));
    m_bench->chat.undoDelete();
    QTRY_VERIFY(m_bench->chat.canSend());
    QTest::qSleep(5);
    QVERIFY(m_bench->chat.send(s("on")));  // saves the current conversation once more
    m_bench->reply("ok");
    m_bench->chat.select(ids[1]);
    QTRY_VERIFY(m_bench->chat.canSend());
    QTest::qSleep(5);
    QVERIFY(m_bench->chat.send(s("on")));
    m_bench->reply("ok");
    m_bench.reset();
    m_bench = std::make_unique<Bench>(m_folder->path());
    QVERIFY(!m_bench->chat.storeError().isSet());
    QCOMPARE(rows(), (QStringList{s("[Zoo 1]"), s("  d"), s("b"), s("c"), s("a")}));
  }

  // What the last reply was asked with: system prompt, temperature, longest reply.
  QString asked() const {
    const auto& request = m_bench->source.lastRequest;
    const auto& first = request.chat.messages[0];
    const QString prompt = first["role"] == "system" ? QString::fromStdString(first["content"].get<std::string>()) : s("-");
    return s("%1 | %2 | %3").arg(prompt).arg(static_cast<double>(request.sampling.temperature), 0, 'g', 3).arg(request.maxTokens);
  }
  QString say(const char* text) {
    if (!QTest::qWaitFor([&] { return m_bench->chat.canSend(); }) || !m_bench->chat.send(s(text))) return s("not sent");
    m_bench->reply("ok");
    return asked();
  }
  QString keepFox() {
    return m_bench->presets.keep({}, s("Fox"), {{s("temperature"), 0.35}, {s("systemPrompt"), s("Be a fox")}, {s("maxTokens"), 77}});
  }

  void conversationsKeepTheirPresetsApart() {
    ChatController& chat = m_bench->chat;
    const QString fox = keepFox();
    QCOMPARE(chat.preset(), s("Model default"));
    chat.usePreset(fox);  // of the new chat, before it is begun
    QCOMPARE(chat.preset(), s("Fox"));
    QCOMPARE(say("a"), s("Be a fox | 0.35 | 77"));
    const qint64 first = chat.currentId();
    chat.newConversation();
    QCOMPARE(chat.preset(), s("Model default"));  // nothing of it leaks
    QCOMPARE(say("b"), s("- | 0.8 | 0"));
    const qint64 second = chat.currentId();
    chat.usePreset(s("creative"));
    QCOMPARE(say("c"), s("- | 1.1 | 0"));
    QCOMPARE(m_bench->settings.temperature(), 0.8);
    QCOMPARE(m_bench->settings.systemPrompt(), QString());
    chat.select(first);
    QCOMPARE(say("d"), s("Be a fox | 0.35 | 77"));
    QVERIFY(chat.regenerate(1));
    QCOMPARE(asked(), s("Be a fox | 0.35 | 77"));
    m_bench->reply("ok");
    chat.branch(0);
    QVERIFY(chat.currentId() != first);
    QCOMPARE(say("e"), s("Be a fox | 0.35 | 77"));
    const qint64 branched = chat.currentId();

    m_bench.reset();  // the program again
    m_bench = std::make_unique<Bench>(m_folder->path());
    for (const auto& [id, name, terms] : {std::tuple{first, "Fox", "Be a fox | 0.35 | 77"}, std::tuple{second, "Creative", "- | 1.1 | 0"},
                                          std::tuple{branched, "Fox", "Be a fox | 0.35 | 77"}}) {
      m_bench->chat.select(id);
      QCOMPARE(m_bench->chat.preset(), s(name));
      QCOMPARE(say("again"), s(terms));
    }
  }

  void aNewChatKeepsItsPresetWhileAnotherIsShown() {
    ChatController& chat = m_bench->chat;
    QCOMPARE(say("a"), s("- | 0.8 | 0"));
    const qint64 first = chat.currentId();
    chat.newConversation();
    chat.usePreset(s("precise"));
    chat.select(first);
    QCOMPARE(chat.presetId(), s("none"));
    chat.newConversation();
    QCOMPARE(chat.presetId(), s("precise"));
    QCOMPARE(say("b"), s("- | 0.2 | 0"));
    chat.newConversation();
    QCOMPARE(chat.presetId(), s("none"));
  }

  void aModelsPresetIsForConversationsThatSayNothing() {
    ChatController& chat = m_bench->chat;
    m_bench->settings.set_systemPrompt(s("Be brief"));
    const QString fox = keepFox();
    m_bench->presets.setOfModel(s("Scripted"), fox);
    QSignalSpy changed(&chat, &ChatController::presetChanged);
    QCOMPARE(chat.preset(), s("Fox"));
    QCOMPARE(say("a"), s("Be a fox | 0.35 | 77"));
    m_bench->source.model = s("Another");
    Q_EMIT m_bench->source.readyChanged();
    QVERIFY(changed.count() > 0);
    QCOMPARE(chat.preset(), s("Model default"));
    QCOMPARE(say("b"), s("Be brief | 0.8 | 0"));
    m_bench->source.model = s("Scripted");
    QCOMPARE(say("c"), s("Be a fox | 0.35 | 77"));
    chat.usePreset(s("none"));  // although the model has one
    QCOMPARE(chat.presetId(), s("none"));
    QCOMPARE(say("d"), s("Be brief | 0.8 | 0"));
    m_bench->settings.set_temperature(0.5);
    QCOMPARE(chat.preset(), s("As in Settings"));
    QCOMPARE(say("e"), s("Be brief | 0.5 | 0"));
    const qint64 plain = chat.currentId();
    m_bench.reset();
    m_bench = std::make_unique<Bench>(m_folder->path());
    QCOMPARE(m_bench->chat.preset(), s("Fox"));  // a new chat
    m_bench->chat.select(plain);
    QCOMPARE(say("f"), s("Be brief | 0.5 | 0"));
    m_bench->chat.usePreset(s("precise"));  // says nothing of the prompt: the settings' stays
    QCOMPARE(say("g"), s("Be brief | 0.2 | 0"));
  }

  void aDeletedPresetIsFallenBackFrom() {
    ChatController& chat = m_bench->chat;
    const QString fox = keepFox();
    chat.usePreset(fox);
    QCOMPARE(say("a"), s("Be a fox | 0.35 | 77"));
    m_bench->presets.remove(fox);
    QCOMPARE(chat.preset(), s("Model default"));
    QCOMPARE(say("b"), s("- | 0.8 | 0"));
    m_bench->presets.setOfModel(s("Scripted"), s("precise"));
    QCOMPARE(say("c"), s("- | 0.2 | 0"));
    m_bench->presets.undoRemove();
    QCOMPARE(chat.preset(), s("Fox"));
    QCOMPARE(say("d"), s("Be a fox | 0.35 | 77"));
  }

  void aTreeWithDamageLosesNothing() {
    std::vector<Message> messages(4);
    for (std::size_t i = 0; i < 4; ++i) messages[i].id = static_cast<qint64>(i + 1);
    messages[0].parent = 4;   // a circle
    messages[1].parent = 99;  // nobody
    messages[2].parent = 2;
    messages[3].parent = 3;
    const ConversationTree tree(messages, 4);
    QCOMPARE(tree.path(), (std::vector<qint64>{2, 3, 4}));
    QCOMPARE(tree.siblings(1), (std::vector<qint64>{1, 2}));
  }

  void titlesAreCutAtWords() {
    QCOMPARE(titleFrom(s("  short\nsecond line")), s("short"));
    const QString title = titleFrom(s("This is a rather long first message that will not fit into the list at all"));
    QVERIFY(title.size() <= 49);
    QVERIFY(title.endsWith(QChar(u'…')));
  }

 private:
  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<Bench> m_bench;
};

QTEST_MAIN(ChatTest)
#include "tst_chat.moc"
