// Text files in messages: how they are read, refused and placed in the prompt, and that they stay with their message.
#include "app/chat/attachment.h"
#include "app/chat/conversation_export.h"
#include "app/chat/conversation_import.h"
#include "app/chat/text_file.h"
#include "app/inference/prompt_question.h"
#include "app/settings/reply_terms.h"
#include "gpu/available.h"
#include "answer_for.h"
#include "app_test.h"
#include "counted_chat.h"
#include "patience.h"

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QGuiApplication>
#include <QImage>
#include <QMimeData>
#include <QTemporaryDir>

#include <sys/stat.h>

using namespace minerva::app;
namespace engine = minerva::engine;

namespace {

QString textFrom(const QByteArray& bytes) {
  const auto text = textOf(bytes, s("f"));
  return text ? *text : s("REFUSED ") + QString::fromStdString(text.error().message());
}

QByteArray utf16(const QString& text, bool big) {
  QByteArray bytes(big ? "\xFE\xFF" : "\xFF\xFE", 2);
  for (const QChar c : text) {
    const char high = static_cast<char>(c.unicode() >> 8), low = static_cast<char>(c.unicode() & 0xFF);
    bytes += big ? high : low;
    bytes += big ? low : high;
  }
  return bytes;
}

Attachment attached(const char* name, const char* text) { return attachmentOf(s(name), s(text)); }

}  // namespace

class AttachmentsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_bench = std::make_unique<CountedChat>(m_folder->path());
  }
  void cleanup() { m_bench.reset(); }

  void filesStandBeforeTheTextInFencesOfTheirOwn() {
    QCOMPARE(withAttachments({}, s("Hi")), s("Hi"));
    QCOMPARE(withAttachments({attached("a.txt", "one\ntwo\n")}, s("Hi")), s("Attached file: a.txt\n```\none\ntwo\n```\n\nHi"));
    QCOMPARE(withAttachments({attached("a.txt", "one")}, {}), s("Attached file: a.txt\n```\none\n```"));
    QCOMPARE(withAttachments({attached("a.md", "```cpp\nx\n```"), attached("b", "`````x``")}, s("?")),
             s("Attached file: a.md\n````\n```cpp\nx\n```\n````\n\nAttached file: b\n``````\n`````x``\n``````\n\n?"));
    QCOMPARE(withAttachments({attached("two\nlines.txt", "x")}, s("y")), s("Attached file: two lines.txt\n```\nx\n```\n\ny"));
  }

  void theShownPartsAreTheText() {
    QString text;
    for (int i = 0; i < 500; ++i) text += s("line %1 of many\n").arg(i);
    const QStringList parts = partsOf(text, 100);
    QVERIFY(parts.size() > 50);
    QCOMPARE(parts.join(u'\n'), text);
    for (const QString& part : parts) QVERIFY(part.size() <= 100);
    QCOMPARE(partsOf(s("short")), QStringList{s("short")});
    QCOMPARE(partsOf({}), QStringList{});
    const QString endless = QString(99, u'x') + s("🦊") + QString(150, u'y');
    QCOMPARE(partsOf(endless, 100).join(QString()), endless);
    QCOMPARE(partsOf(endless, 100)[0].size(), 99);  // does not split a surrogate pair
  }

  void textIsToldByItsContent() {
    QCOMPARE(textFrom("plain\n"), s("plain\n"));
    QCOMPARE(textFrom("a\r\nb\rc\n"), s("a\nb\nc\n"));
    QCOMPARE(textFrom("\xEF\xBB\xBF"
                      "marked"),
             s("marked"));
    QCOMPARE(textFrom("Stra\xC3\x9F"
                      "e \xF0\x9F\xA6\x8A"),
             s("Straße 🦊"));
    QCOMPARE(textFrom(utf16(s("Grüße 🦊\r\nx"), false)), s("Grüße 🦊\nx"));
    QCOMPARE(textFrom(utf16(s("Grüße 🦊"), true)), s("Grüße 🦊"));
    QCOMPARE(textFrom("Fu\xDF"
                      " und M\xFC"
                      "ller, 5 \x80, \x84so\x93"),
             s("Fuß und Müller, 5 €, „so“"));  // Windows-1252
    QCOMPARE(textFrom("\x1B[31mred\x1B[0m\tlog\f"), s("\x1B[31mred\x1B[0m\tlog\f"));
    // Never a mixture: UTF-8 that is truncated or has one invalid byte is not taken for Windows-1252.
    QCOMPARE(
        textFrom("\xC3\xA4\xC3\xB6\xC3\xBC and \xC3"),
        s("REFUSED the file f is damaged (f): expected valid UTF-8, like most of the file, found byte 12 is invalid (1 in total). save it again as UTF-8"));
    for (const char* broken :
         {"\xC3\xA4\xC3\xB6\xE0\x80\x80", "\xC3\xA4\xC3\xB6\xED\xA0\x80", "\xC3\xA4\xC3\xB6\xF4\x90\x80\x80", "\xC3\xA4\xC3\xB6\xC0\x80"})
      QVERIFY2(textFrom(broken).startsWith(s("REFUSED")), broken);
  }

  void whatIsNoTextIsNamed() {
    const auto refusal = [](const QByteArray& bytes, const char* name) {
      const auto text = textOf(bytes, s(name));
      return text ? s("accepted: ") + *text : QString::fromStdString(text.error().message());
    };
    QCOMPARE(
        refusal("%PDF-1.7\nstream", "notes.pdf"),
        s("the file notes.pdf is not text (notes.pdf): expected a text file (UTF-8, UTF-16 or Windows-1252), found a PDF document (it begins with %PDF). save it as plain text first"));
    QVERIFY(refusal(QByteArray("PK\x03\x04\0\0", 6), "a.docx").contains(s("found a ZIP archive or an office document")));
    QVERIFY(refusal(QByteArray("GGUF\x03\0\0\0", 8), "m").contains(s("found a model (GGUF). open it as a model")));
    QVERIFY(refusal(QByteArray("abc\0def", 7), "x").contains(s("found a binary file (byte 4 is 0)")));
    QVERIFY(refusal(QByteArray("\x01\x02\x03\x04 some", 9), "x").contains(s("4 control characters")));
    QVERIFY(refusal("\xB2\xE2\xCA\xD4\xCE\xC4\xB1\xBE", "gbk.txt").contains(s("an unsupported encoding")));
    QVERIFY(refusal("", "x").contains(s("x is empty")));
    QVERIFY(refusal("\xEF\xBB\xBF", "x").contains(s("x is empty")));
    QVERIFY(refusal(QByteArray("\xFF\xFE\0\xD8", 4), "x").contains(s("x is damaged")));  // half of a surrogate pair
    QVERIFY(refusal(QByteArray("\xFF\xFE\x41\0\x42", 5), "x").contains(s("expected valid UTF-16")));
    QVERIFY(refusal(QByteArray("\xFF\xFE\x41\0\0\0", 6), "x").contains(s("a NUL character")));
    QVERIFY(refusal("\xEF\xBB\xBFgood \xC3", "x").contains(s("x is damaged")));
  }

  void filesThatCannotBeReadSayWhy() {
    const auto refusal = [](const QString& path, qint64 most = attachmentLimitBytes) {
      return QString::fromStdString(readTextFile(path, most).error().message());
    };
    QVERIFY(refusal(m_folder->filePath(s("gone.txt"))).startsWith(s("the file gone.txt does not exist")));
    QVERIFY(refusal(m_folder->path()).contains(s("expected a text file, found a folder")));
    const QString large = write("large.txt", QByteArray(attachmentLimitBytes + 1, 'a'));
    QVERIFY2(refusal(large).startsWith(s("the file large.txt is too large to attach")), qPrintable(refusal(large)));
    QVERIFY(refusal(large).contains(s("expected 4.0 MB at most, found 4.0 MB")));
    const QString small = write("small.txt", "0123456789");
    QVERIFY(readTextFile(small, 10).has_value());
    QVERIFY(refusal(small, 9).startsWith(s("the file small.txt is too large to attach with the others")));
    QCOMPARE(readTextFile(s("/proc/self/status")).value().text.left(5), s("Name:"));  // reports a size of 0
    const QByteArray pipe = m_folder->filePath(s("pipe")).toLocal8Bit();
    QCOMPARE(::mkfifo(pipe.constData(), 0600), 0);
    QVERIFY(refusal(QString::fromLocal8Bit(pipe)).contains(s("found a device")));  // without waiting for a writer
    if (::geteuid() == 0) QSKIP("root may read everything");
    const QString secret = write("secret.txt", "x");
    QFile::setPermissions(secret, {});
    QVERIFY(refusal(secret).startsWith(s("the file secret.txt cannot be read")));
  }

  void theyBelongToTheDraftOfTheirConversation() {
    DraftAttachments& files = *m_bench->chat.attachments();
    QAbstractItemModelTester tester(&files, QAbstractItemModelTester::FailureReportingMode::QtTest);
    m_bench->say(2, 2);
    const qint64 first = m_bench->chat.currentId();
    files.add({QUrl::fromLocalFile(write("a.txt", "one two")), QUrl::fromLocalFile(write("b.txt", "three"))});
    QVERIFY(files.isReading());
    QVERIFY(!m_bench->chat.send(s("too early")));
    QTRY_VERIFY(!files.isReading());
    QCOMPARE(names(), s("a.txt b.txt"));
    QCOMPARE(files.data(files.index(0), DraftAttachments::BytesRole).toInt(), 7);
    files.add({QUrl::fromLocalFile(m_folder->filePath(s("a.txt")))});  // the same file again
    m_bench->chat.newConversation();                                   // while the file is read for the other conversation
    QCOMPARE(names(), QString());
    QVERIFY(!files.isReading());
    files.add({QUrl::fromLocalFile(write("c.txt", "x"))});
    QTRY_COMPARE(names(), s("c.txt"));
    m_bench->chat.select(first);
    QCOMPARE(names(), s("a.txt b.txt"));
    files.remove(0);
    QCOMPARE(names(), s("b.txt"));
    QVERIFY(m_bench->chat.send(s("go")));
    QCOMPARE(names(), QString());
    QCOMPARE(m_bench->source.lastRequest.chat.messages.back()["content"].get<std::string>(), "Attached file: b.txt\n```\nthree\n```\n\ngo");
    m_bench->source.end(engine::FinishReason::endOfTurn);
    m_bench->chat.newConversation();
    QCOMPARE(names(), s("c.txt"));
    QVERIFY(m_bench->chat.send({}));  // a file without text
    QCOMPARE(m_bench->chat.title(), s("c.txt"));
  }

  void whatIsRefusedIsSaidAndTheOthersAreAttached() {
    DraftAttachments& files = *m_bench->chat.attachments();
    files.add({QUrl::fromLocalFile(write("a.pdf", "%PDF-1.4")), QUrl::fromLocalFile(write("b.txt", "b"))});
    QTRY_COMPARE(names(), s("b.txt"));
    QCOMPARE(files.refusal().headline, s("The file was not attached"));
    QCOMPARE(
        files.refusal().detail,
        s("The file a.pdf is not text: expected a text file (UTF-8, UTF-16 or Windows-1252), found a PDF document (it begins with %PDF)"));
    QCOMPARE(files.refusal().hint, s("Save it as plain text first"));
    QList<QUrl> many;
    for (int i = 0; i < 7; ++i) many << QUrl::fromLocalFile(write(qPrintable(s("e%1").arg(i)), {}));
    files.add(many);
    QTRY_VERIFY(!files.isReading());
    QVERIFY(files.refusal().headline.startsWith(s("7 file")));
    QCOMPARE(files.refusal().detail.count(u'\n'), 5);
    QCOMPARE(files.refusal().details.count(u'\n'), 6);
    files.dismissRefusal();
    QVERIFY(!files.refusal().isSet());
    // The total size is limited to that of one file.
    files.add({QUrl::fromLocalFile(write("c.txt", QByteArray(attachmentLimitBytes - 1, 'c'))), QUrl::fromLocalFile(write("d.txt", "d"))});
    QTRY_COMPARE(names(), s("b.txt c.txt"));
    QVERIFY(files.refusal().detail.contains(s("4.0 MB in total at most")));
  }

  void aModelThatIsDroppedIsOpened() {
    DraftAttachments& files = *m_bench->chat.attachments();
    QSignalSpy models(&files, &DraftAttachments::modelDropped);
    const QUrl blob = QUrl::fromLocalFile(write("sha256-1", QByteArray("GGUF\3\0\0\0", 8)));
    files.drop({QUrl::fromLocalFile(write("a.txt", "a")), blob});
    QTRY_COMPARE(models.count(), 1);
    QCOMPARE(models[0][0].toUrl(), blob);
    QCOMPARE(names(), s("a.txt"));
    files.drop({QUrl::fromLocalFile(m_folder->path())});
    QTRY_COMPARE(models.count(), 2);
    QVERIFY(!files.refusal().isSet());
    files.add({blob});  // selected explicitly as a text file
    QTRY_VERIFY(files.refusal().isSet());
    QCOMPARE(models.count(), 2);
  }

  void filesArePasted() {
    DraftAttachments& files = *m_bench->chat.attachments();
    QGuiApplication::clipboard()->setText(s("words"));
    QVERIFY(!files.paste());
    auto* copied = new QMimeData;
    copied->setUrls({QUrl::fromLocalFile(write("a.txt", "a"))});
    QGuiApplication::clipboard()->setMimeData(copied);
    QVERIFY(files.paste());
    QTRY_COMPARE(names(), s("a.txt"));
  }

  void aLongTextIsPastedAsAFile() {
    ChatController& chat = m_bench->chat;
    DraftAttachments& files = *chat.attachments();
    QString log;
    while (log.size() < 300000) log += s("a line of a log, ünd more\n");
    QGuiApplication::clipboard()->setText(log);
    QVERIFY(files.paste());
    QTRY_COMPARE(files.count(), 1);
    QCOMPARE(files.files().first().name, s("pasted.txt"));
    QCOMPARE(files.files().first().text, log);
    QCOMPARE(chat.draft(), QString());
    QGuiApplication::clipboard()->setText(log + log);
    QVERIFY(files.paste());
    QTRY_COMPARE(files.count(), 2);
    QCOMPARE(files.files().last().name, s("pasted 2.txt"));
    QGuiApplication::clipboard()->setText(QString(4000001, u'x'));
    QVERIFY(files.paste());
    QTRY_VERIFY(files.refusal().isSet());
    QVERIFY2(files.refusal().detail.contains(s("too large")), qPrintable(files.refusal().detail));
    QCOMPARE(files.count(), 2);
    QGuiApplication::clipboard()->setText(s("short"));
    QVERIFY(!files.paste());
  }

  void aPictureIsRefusedAndThatIsSaid() {
    DraftAttachments& files = *m_bench->chat.attachments();
    QImage picture(4, 4, QImage::Format_RGB32);
    picture.fill(Qt::red);
    QGuiApplication::clipboard()->setImage(picture);
    QVERIFY(files.paste());
    QVERIFY(files.refusal().isSet());
    QVERIFY2(files.refusal().detail.contains(s("does not support pictures")), qPrintable(files.refusal().detail));
    files.dismissRefusal();
    auto* table = new QMimeData;  // a copied table: text and a picture of it
    table->setImageData(picture);
    table->setText(s("one two"));
    QGuiApplication::clipboard()->setMimeData(table);
    QVERIFY(!files.paste());
    QVERIFY(!files.refusal().isSet());
  }

  void aRefusalStaysWhereItWas() {
    ChatController& chat = m_bench->chat;
    DraftAttachments& files = *chat.attachments();
    const auto refused = [&] {
      files.add({QUrl::fromLocalFile(write("a.pdf", "%PDF-1.4"))});
      return QTest::qWaitFor([&] { return !files.isReading(); }, patienceMs);
    };
    QVERIFY(refused());
    QVERIFY(files.refusal().isSet());
    chat.newConversation();  // a new chat
    QVERIFY(!files.refusal().isSet());
    m_bench->say(2, 2);
    const qint64 id = chat.currentId();
    files.add({QUrl::fromLocalFile(write("a.pdf", "%PDF-1.4"))});
    chat.newConversation();  // before the file has been read
    QVERIFY(!files.refusal().isSet());
    QTest::qWait(200);
    QVERIFY(!files.refusal().isSet());
    chat.select(id);
    QVERIFY(files.refusal().isSet());  // shown in the conversation where it happened
  }

  void theyStayWithTheirMessage() {
    ChatController& chat = m_bench->chat;
    attach("a.txt", "one two");
    QVERIFY(chat.send(s("first")));
    m_bench->source.end(engine::FinishReason::endOfTurn);
    const auto asked = [this] {
      return QString::fromStdString(m_bench->source.lastRequest.chat.messages.front()["content"].get<std::string>());
    };
    const QString before = s("Attached file: a.txt\n```\none two\n```\n\n");
    QCOMPARE(asked(), before + s("first"));
    QVERIFY(chat.regenerate(1));
    QCOMPARE(asked(), before + s("first"));
    m_bench->source.end(engine::FinishReason::endOfTurn);
    QVERIFY(chat.editAndResend(0, s("second")));
    QCOMPARE(asked(), before + s("second"));
    m_bench->source.end(engine::FinishReason::endOfTurn);
    QVERIFY(chat.editAndResend(0, {}));
    QCOMPARE(asked(), s("Attached file: a.txt\n```\none two\n```"));
    m_bench->source.end(engine::FinishReason::endOfTurn);
    chat.branch(1);
    QCOMPARE(shownFiles(0), s("a.txt"));
    QCOMPARE(chat.attachment(0, 0)[s("text")].toString(), s("one two"));
    QVERIFY(chat.attachment(0, 1).isEmpty());
    QVERIFY(chat.attachment(7, 0).isEmpty());
    const qint64 branched = chat.currentId();
    m_bench.reset();
    m_bench = std::make_unique<CountedChat>(m_folder->path());
    m_bench->chat.select(branched);
    QTRY_COMPARE(m_bench->chat.messages()->count(), 2);
    QCOMPARE(shownFiles(0), s("a.txt"));
    QCOMPARE(m_bench->chat.attachment(0, 0)[s("parts")].toStringList(), QStringList{s("one two")});
    m_bench->chat.selectVersion(0, -1);
    QVERIFY(m_bench->chat.regenerate(1));
    QCOMPARE(asked(), s("Attached file: a.txt\n```\none two\n```"));
  }

  // A file of many words does not fit either.
  void theGuardCountsThem() {
    m_bench->say(10, 10);
    attach("a.txt", QByteArray("w ").repeated(20).trimmed());
    // Words are separated by spaces, so the file is "Attached", "file:", "a.txt\n```\nw", 18 words and "w\n```\n\nhi": 2 + 1
    // + 18 + 1, and one more for the message.
    m_bench->chat.setDraft(s("hi"));
    QTRY_COMPARE(m_bench->guard.tokens(), 22 + 23);
    QTRY_COMPARE(m_bench->chat.attachments()->data(m_bench->chat.attachments()->index(0), DraftAttachments::TokensRole).toInt(), 22);
    attach("b.txt", QByteArray("w ").repeated(60).trimmed());
    QVERIFY(m_bench->guard.send(s("hi")));
    QTRY_VERIFY(m_bench->guard.isBlocked());
    QVERIFY(m_bench->guard.promptTokens() > 100);
    QVERIFY(!m_bench->chat.isGenerating());
    m_bench->guard.keepEditing();
    QCOMPARE(names(), s("a.txt b.txt"));  // nothing is lost
    QCOMPARE(m_bench->chat.draft(), s("hi"));
    m_bench->chat.attachments()->remove(1);
    QVERIFY(m_bench->guard.send(s("hi")));
    QTRY_VERIFY(m_bench->chat.isGenerating());
    QCOMPARE(shownFiles(2), s("a.txt"));
    m_bench->source.end(engine::FinishReason::endOfTurn);
    QVERIFY(m_bench->guard.editAndResend(2, s("w ").repeated(70)));  // the edited message is counted with its files
    QTRY_VERIFY(m_bench->guard.isBlocked());
    QCOMPARE(m_bench->guard.promptTokens(), 22 + 22 + 71);
  }

  void anotherModelCountsThemInEveryConversation() {
    m_bench->say(10, 10);
    attach("a.txt", QByteArray("w ").repeated(20).trimmed());
    const auto tokens = [this] {
      const DraftAttachments* files = m_bench->chat.attachments();
      return files->data(files->index(0), DraftAttachments::TokensRole).toInt();
    };
    QTRY_COMPARE(tokens(), 22);
    const qint64 first = m_bench->chat.currentId();
    m_bench->chat.newConversation();
    QCOMPARE(m_bench->chat.attachments()->count(), 0);
    m_bench->source.counter = [](const PromptQuestion&) {
      PromptAnswer answer;
      answer.tokens = 7;
      return answer;
    };
    Q_EMIT m_bench->source.readyChanged();
    m_bench->chat.select(first);
    QCOMPARE(m_bench->chat.attachments()->count(), 1);
    QTRY_COMPARE_WITH_TIMEOUT(tokens(), 7, 5000);
  }

  void exportsHaveThem() {
    ImportedConversation one;
    one.conversation.id = 1;
    one.conversation.title = s("T");
    one.conversation.created = one.conversation.updated = now();
    one.conversation.activeLeaf = 2;
    one.messages.emplace_back().id = 2;
    one.messages[0].text = s("Hi");
    one.messages[0].created = now();
    one.messages[0].attachments = {attached("a.md", "```\nx\n```"), attached("ü.txt", "**You** <!-- user -->\n")};
    const QByteArray json = toJson(one.conversation, one.messages);
    const auto back = readConversations(json, s("x.json"), now());
    QVERIFY(back.has_value());
    QCOMPARE(back->conversations[0].messages[0].attachments, one.messages[0].attachments);
    QCOMPARE(toJson(back->conversations[0].conversation, back->conversations[0].messages), json);
    QCOMPARE(
        QString::fromUtf8(toMarkdown(one.conversation, one.messages)),
        s("# T\n\n**You** <!-- user -->\n\nAttached file: a.md\n````\n```\nx\n```\n````\n\nAttached file: ü.txt\n```\n\\**You** <!-- user -->\n```\n\nHi\n"));
    const auto wrong = readConversations(
        R"({"messages": [{"id": 1, "parent": 0, "author": "user", "text": "", "attachments": [{"name": 4}]}]})", s("x.json"), now());
    QVERIFY(!wrong.has_value());
    QVERIFY2(QString::fromStdString(wrong.error().where).contains(s("attachments[0].name")), wrong.error().where.c_str());
  }

  // Files come before the text of a message, so their KV entries are reused when the text is edited. The predicted counts
  // match the run.
  void anEditedQuestionReadsTheFileFromTheCache() {
    auto backend = minerva::createBackend("cpu", {});
    QVERIFY(backend.has_value());
    auto model =
        engine::Engine::load(**backend, {.path = MINERVA_SOURCE_DIR "/resources/builtin-model"}, [](const engine::LoadProgress&) {}, {});
    QVERIFY(model.has_value());
    engine::Timings ran;
    (*model)->setSink([&](const engine::Event& event) {
      if (const auto* ended = std::get_if<engine::Finished>(&event.body)) ran = ended->timings;
    });
    const QList<Attachment> files{
        attached("story.txt", "Once upon a time there was a fox. ```It``` lived in a forest, and it had a friend.\n")};
    const auto request = [&](const char* text) {
      engine::Request asked = promptFor({}, 0, replyTerms(m_bench->settings), s(text), files).request;
      asked.conversation = 1;
      asked.maxTokens = 1;
      return asked;
    };
    const auto run = [&](const char* text) {
      PromptQuestion question;
      question.request = request(text);
      const PromptAnswer counted = answerFor(question, **model);
      (*model)->submit(request(text));
      while ((*model)->step()) {
      }
      QCOMPARE(ran.promptTokens, counted.tokens);
      QCOMPARE(ran.reusedTokens, counted.reusable);
    };
    run("Who lived in the forest?");
    const int fileTokens = static_cast<int>(
        (*model)->tokenizer()->encode(withAttachments(files, {}).toStdString(), {.addSpecial = false, .parseSpecial = false}).size());
    QVERIFY(fileTokens > 20);
    run("What is a fox?");
    QVERIFY2(ran.reusedTokens >= fileTokens, qPrintable(s("%1 of %2").arg(ran.reusedTokens).arg(fileTokens)));
  }

 private:
  static QDateTime now() { return QDateTime::fromMSecsSinceEpoch(1700000000123).toUTC(); }
  QString write(const char* name, const QByteArray& bytes) const {
    QFile file(m_folder->filePath(s(name)));
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) qFatal("not written");
    return file.fileName();
  }
  void attach(const char* name, const QByteArray& bytes) const {
    DraftAttachments& files = *m_bench->chat.attachments();
    const int before = files.count();
    files.add({QUrl::fromLocalFile(write(name, bytes))});
    if (!QTest::qWaitFor([&] { return files.count() == before + 1; }, patienceMs)) qFatal("not attached");
  }
  QString names() const {
    QStringList all;
    for (const Attachment& file : m_bench->chat.attachments()->files()) all << file.name;
    return all.join(u' ');
  }
  QString shownFiles(int row) const {
    QStringList all;
    const MessageModel& messages = *m_bench->chat.messages();
    for (const QVariant& file : messages.data(messages.index(row), MessageModel::AttachmentsRole).toList())
      all << file.toMap()[s("name")].toString();
    return all.join(u' ');
  }
  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<CountedChat> m_bench;
};

APP_TEST(AttachmentsTest, "attachments", QGuiApplication)
#include "tst_attachments.moc"
