// Chatting: sending, stopping, versions, branches.
#include "app/chat/prompt.h"
#include "app_test.h"
#include "chat_bench.h"
#include "patience.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QMimeData>
#include <QTemporaryDir>

using namespace minerva::app;
using Reason = minerva::engine::FinishReason;

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

  void aCancelledEditCanBeUndone() {
    ChatController& chat = m_bench->chat;
    QVERIFY(chat.send(s("Who are you?")));
    m_bench->reply("A model.");
    const auto text = [&] { return m_bench->at(0, MessageModel::EditTextRole).toString(); };
    chat.beginEdit(0);
    chat.cancelEdit(0);
    QVERIFY(!chat.canUndoCancel());  // nothing was typed
    chat.beginEdit(0);
    chat.setEdit(0, s("Who are you, and a long question"));
    chat.cancelEdit(0);
    QVERIFY(!m_bench->at(0, MessageModel::EditingRole).toBool());
    QVERIFY(chat.canUndoCancel());
    const qint64 here = chat.currentId();
    chat.newConversation();
    QCOMPARE(chat.undoCancel(), 0);
    QCOMPARE(chat.currentId(), here);
    QCOMPARE(text(), s("Who are you, and a long question"));
    QVERIFY(!chat.canUndoCancel());
    QCOMPARE(chat.undoCancel(), -1);
    chat.cancelEdit(0);
    chat.dismissCancel();
    QCOMPARE(chat.undoCancel(), -1);
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

  void aMessageIsCopiedAsItsSource() {
    QClipboard* clipboard = QGuiApplication::clipboard();
    m_bench->chat.send(s("What is <b>?"));
    m_bench->source.say(s("It is **bold**:\n\n```html\n<b>x"));
    m_bench->chat.copyMessage(1);  // the part received so far
    QCOMPARE(clipboard->text(), s("It is **bold**:\n\n```html\n<b>x"));
    m_bench->reply("</b>\n```\n");
    m_bench->chat.copyMessage(1);
    QCOMPARE(clipboard->text(), s("It is **bold**:\n\n```html\n<b>x</b>\n```\n"));
    QVERIFY(!clipboard->mimeData()->hasHtml());
    m_bench->chat.copyMessage(0);
    QCOMPARE(clipboard->text(), s("What is <b>?"));
    for (const int nowhere : {-1, 2}) m_bench->chat.copyMessage(nowhere);
    QCOMPARE(clipboard->text(), s("What is <b>?"));
    m_bench->chat.regenerate(1);
    m_bench->reply("Another one.");
    m_bench->chat.copyMessage(1);  // the version shown
    QCOMPARE(clipboard->text(), s("Another one."));
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

  // The engine ends a step first, which may take seconds while a prompt is read.
  void stoppingIsSaidAtOnce() {
    m_bench->chat.send(s("x"));
    QCOMPARE(m_bench->at(1, MessageModel::PrefillTotalRole).toInt(), 0);
    ReplyUpdate update;
    update.request = m_bench->source.last;
    update.started = minerva::engine::Started{};
    update.started->promptTokens = 100;
    update.started->reusedTokens = 20;
    Q_EMIT m_bench->source.updated(update);
    QCOMPARE(m_bench->at(1, MessageModel::PrefillTotalRole).toInt(), 80);  // before the first progress, as in the live panel
    QVERIFY(!m_bench->chat.isStopping());
    const QSignalSpy changed(&m_bench->chat, &ChatController::activityChanged);
    m_bench->chat.stop();
    QCOMPARE(changed.size(), 1);
    QVERIFY(m_bench->chat.isStopping() && m_bench->chat.isGenerating());
    m_bench->chat.newConversation();
    QVERIFY(!m_bench->chat.isStopping());
    m_bench->source.end(Reason::cancelled, 0);
    QVERIFY(!m_bench->chat.isGenerating() && !m_bench->chat.isStopping());
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

  void severalConversationsAreAnsweredAtOnce() {
    ChatController& chat = m_bench->chat;
    ScriptedSource& source = m_bench->source;
    std::vector<qint64> ids;
    for (const char* text : {"x", "y", "z"}) {
      chat.newConversation();
      QVERIFY(chat.canSend());
      QVERIFY(chat.send(s(text)));
      QVERIFY(!chat.canSend());
      ids.push_back(chat.currentId());
    }
    const auto busy = [&](std::size_t i) {
      const ConversationListModel* list = chat.conversations();
      return list->data(list->index(list->rowOf(ids[i])), ConversationListModel::BusyRole).toBool();
    };
    QVERIFY(busy(0) && busy(1) && busy(2));
    for (const auto& [request, text] :
         std::vector<std::pair<quint64, const char*>>{{2, "two "}, {1, "one "}, {3, "three "}, {1, "more "}}) {
      source.told = request;
      source.say(s(text));
    }
    QCOMPARE(m_bench->texts(), (QStringList{s("z"), s("three ")}));
    QCOMPARE(chat.request(), 3U);
    chat.stop();
    QCOMPARE(source.cancelled, (std::vector<quint64>{3}));
    chat.stopIn(ids[0]);
    QCOMPARE(source.cancelled, (std::vector<quint64>{3, 1}));
    source.told = 2;
    source.failWith({.kind = minerva::ErrorKind::io, .what = "gone"});
    QVERIFY(busy(0) && !busy(1) && busy(2));
    source.told = 1;
    source.end(Reason::cancelled);
    source.told = 3;
    source.end(Reason::endOfTurn);
    QVERIFY(!chat.isGenerating() && !chat.isGeneratingElsewhere());
    QVERIFY(!busy(0) && !busy(2));
    chat.select(ids[0]);
    QCOMPARE(m_bench->texts(), (QStringList{s("x"), s("one more ")}));
    QCOMPARE(m_bench->at(1, MessageModel::StatusRole).toInt(), MessageModel::Stopped);
    chat.select(ids[1]);
    QCOMPARE(m_bench->texts(), (QStringList{s("y"), s("two ")}));
    QCOMPARE(m_bench->at(1, MessageModel::StatusRole).toInt(), MessageModel::Failed);
  }

  void repliesOfSeveralConversationsAreKeptAtExit() {
    ChatController& chat = m_bench->chat;
    chat.send(s("x"));
    m_bench->source.say(s("one"));
    chat.newConversation();
    chat.send(s("y"));
    m_bench->source.say(s("two"));
    chat.flush();
    m_bench = std::make_unique<Bench>(m_folder->path());
    QTRY_COMPARE(m_bench->chat.conversations()->count(), 2);
    for (int row = 0; row < 2; ++row) {
      m_bench->chat.select(m_bench->chat.conversations()->idAt(row));
      QTRY_COMPARE(m_bench->chat.messages()->count(), 2);
      QCOMPARE(m_bench->at(1, MessageModel::TextRole).toString(), row == 0 ? s("two") : s("one"));
      QCOMPARE(m_bench->at(1, MessageModel::StatusRole).toInt(), MessageModel::Interrupted);
    }
  }

  // Saving an edited reply needs no model, so it is allowed while a model is busy with another reply.
  void anEditedReplyIsSavedWhileAnotherOneIsWritten() {
    ChatController& chat = m_bench->chat;
    chat.send(s("x"));
    m_bench->reply("a");
    const qint64 edited = chat.currentId();
    chat.newConversation();
    chat.send(s("y"));
    chat.select(edited);
    QVERIFY(chat.isGeneratingElsewhere());
    QVERIFY(chat.saveReply(1, s("b")));
    QCOMPARE(m_bench->texts(), (QStringList{s("x"), s("b")}));
    m_bench->source.say(s("still here"));
    m_bench->source.end(Reason::endOfTurn);
    chat.select(chat.conversations()->idAt(chat.conversations()->idAt(0) == edited ? 1 : 0));
    QCOMPARE(m_bench->texts(), (QStringList{s("y"), s("still here")}));
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

  void draftsBelongToTheirConversation() {
    m_bench->chat.send(s("x"));
    m_bench->reply("a");
    m_bench->chat.setDraft(s("half a thought"));
    m_bench->chat.newConversation();
    QCOMPARE(m_bench->chat.draft(), QString());
    m_bench->chat.select(m_bench->chat.conversations()->idAt(0));
    QCOMPARE(m_bench->chat.draft(), s("half a thought"));
  }

  // Both the text and the files and queued messages, which are saved separately.
  void whatIsEnteredBeforeTheStoreIsOpenComesAfterWhatWasKept() {
    const Attachment old = attachmentOf(s("old.txt"), s("o")), added = attachmentOf(s("new.txt"), s("n"));
    QVERIFY(m_bench->chat.enqueue(s("first")));
    m_bench->chat.setDraft(s("kept"));
    m_bench->chat.attachments()->putBack({old});
    m_bench.reset();
    {
      Settings settings(m_folder->filePath(s("settings.ini")));
      Presets presets(&settings);
      StoreThread store(m_folder->filePath(s("chat.sqlite")));
      ScriptedSource source;
      ChatController chat(&source, &store, &presets);
      QSignalSpy opened(&chat, &ChatController::opened);
      QVERIFY(chat.enqueue(s("second")));
      chat.setDraft(s("typed"));
      chat.attachments()->putBack({added});
      chat.flush();  // as if a save had been due
      QVERIFY(opened.wait(patienceMs));
      QCOMPARE(chat.draft(), s("kept\n\ntyped"));
      chat.flush();
    }
    m_bench = std::make_unique<Bench>(m_folder->path());
    QCOMPARE(m_bench->chat.draft(), s("kept\n\ntyped"));
    QCOMPARE(m_bench->chat.attachments()->files(), (QList<Attachment>{old, added}));
    const Outbox& outbox = *m_bench->chat.outbox();
    QCOMPARE(outbox.count(), 2);
    QCOMPARE(outbox.index(0).data(Outbox::TextRole).toString(), s("first"));
    QCOMPARE(outbox.index(1).data(Outbox::TextRole).toString(), s("second"));
  }

  // It is not shown as an empty one that could be continued.
  void aConversationThatCannotBeReadIsReadAgainWhenSelected() {
    m_bench->chat.send(s("x"));
    m_bench->reply("a");
    const qint64 id = m_bench->chat.currentId();
    m_bench.reset();
    m_bench = std::make_unique<Bench>(m_folder->path());
    ChatController& chat = m_bench->chat;
    auto other = SqliteFile::open(m_folder->filePath(s("chat.sqlite")), "the conversations", std::vector<QStringList>(ChatStore::version));
    QVERIFY2(other.has_value(), other ? "" : other.error().message().c_str());
    QVERIFY((*other)->run(s("ALTER TABLE attachments RENAME TO away")).has_value());
    chat.select(id);
    QTRY_VERIFY(chat.storeError().isSet());
    QCOMPARE(chat.storeError().headline, s("The conversation could not be read"));
    QVERIFY(!chat.canSend());
    QVERIFY(chat.shownTree() == nullptr);
    QVERIFY((*other)->run(s("ALTER TABLE away RENAME TO attachments")).has_value());
    chat.select(id);
    QTRY_COMPARE(m_bench->texts(), (QStringList{s("x"), s("a")}));
    QVERIFY(chat.canSend());
  }

  void aTreeWithDamageLosesNothing() {
    std::vector<Message> messages(4);
    for (std::size_t i = 0; i < 4; ++i) messages[i].id = static_cast<qint64>(i + 1);
    messages[0].parent = 4;   // a cycle
    messages[1].parent = 99;  // does not exist
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

APP_TEST(ChatTest, "chat", QGuiApplication)
#include "tst_chat.moc"
