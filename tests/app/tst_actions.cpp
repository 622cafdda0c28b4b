// The action table and everything derived from it: keys, handlers, the palette, the sheet of keys.
#include "app/actions/actions.h"
#include "app/actions/fuzzy_match.h"
#include "app/actions/page_table.h"
#include "app/actions/palette_model.h"
#include "app/shell/about.h"
#include "app_test.h"
#include "find_item.h"
#include "main_window.h"
#include "patience.h"

#include <QKeySequence>
#include <QProcess>
#include <QQuickStyle>
#include <QSet>
#include <QSignalSpy>
#include <QTranslator>

#include <ctime>
#include <functional>

using namespace minerva::app;

namespace {

QString best(const QString& typed, const QStringList& titles) {
  QString winner;
  int score = -1;
  for (const QString& title : titles)
    if (const auto match = fuzzyMatch(typed, title); match && match->score > score) {
      score = match->score;
      winner = title;
    }
  return winner;
}

QStringList titlesOf(const PaletteModel& model) {
  QStringList titles;
  for (int i = 0; i < model.rowCount(); ++i) titles << model.index(i, 0).data(PaletteModel::TitleRole).toString();
  return titles;
}

// As Qt's own translation names keys.
class GermanKeys : public QTranslator {
 public:
  QString translate(const char*, const char* text, const char*, int) const override {
    return qstrcmp(text, "Ctrl") == 0 ? QStringLiteral("Strg") : QString();
  }
  bool isEmpty() const override { return false; }
};

bool isVisible(const QObject* popup) { return popup != nullptr && popup->property("visible").toBool(); }

// Searches the item tree, because a Loader's item is not a QObject child of the window.
QObject* named(const QQuickItem* item, const QString& name) {
  if (auto* own = item->findChild<QObject*>(name, Qt::FindDirectChildrenOnly)) return own;
  for (const QQuickItem* child : item->childItems())
    if (auto* found = named(child, name)) return found;
  return nullptr;
}

}  // namespace

class ActionsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void noTwoActionsOfOnePageHaveTheSameKeys() {
    QHash<QString, QString> taken;
    for (const ActionRow& row : actionTable()) {
      if (row.byControl) continue;
      for (const QString& keys : QString::fromLatin1(row.keys).split(u' ')) {
        QVERIFY2(!QKeySequence(keys).isEmpty() && QKeySequence(keys)[0].key() != Qt::Key_unknown, row.name);
        for (const char* page : {"", row.page}) {
          const QString other = taken.value(QLatin1String(page) + keys);
          QVERIFY2(other.isEmpty(), qPrintable(QStringLiteral("%1 and %2 both want %3").arg(QLatin1String(row.name), other, keys)));
        }
        taken[QLatin1String(row.page) + keys] = QLatin1String(row.name);
      }
    }
    QVERIFY(taken.size() > 25);
  }

  void keysAreNamedInTheLanguageOfTheDesktop() {
    GermanKeys german;
    QVERIFY(QCoreApplication::installTranslator(&german));
    QCOMPARE(Actions::nativeKeys(QStringLiteral("Ctrl+S")), QStringLiteral("Strg+S"));
    QCOMPARE(Actions::keys(QStringLiteral("chat.new")), QStringLiteral("Strg+N"));
  }

  void everyActionHasAHandlerWhenItsPageIsShown() {
    MainWindow minerva;
    QVERIFY(minerva.window != nullptr);
    const auto* actions = minerva.singleton<Actions>("Actions");
    for (const ActionRow& row : actionTable()) {
      if (*row.page != '\0') minerva.show(QLatin1String(row.page));
      QVERIFY2(row.byControl || actions->isHandled(QLatin1String(row.name)), row.name);
    }
  }

  void aNewChatIsBegunFromEveryPage() {
    MainWindow minerva(QStringLiteral("models"));  // the chat has not been shown
    QVERIFY(minerva.start());
    ChatController* chat = minerva.services->chat();
    for (const QString& page : {QStringLiteral("models"), QStringLiteral("settings"), QStringLiteral("chat")}) {
      minerva.show(page);
      QTest::keyClick(minerva.window, Qt::Key_N, Qt::ControlModifier);
      QTRY_COMPARE(minerva.page(), QStringLiteral("chat"));
      QCOMPARE(chat->currentId(), 0);
      QTRY_VERIFY(minerva.focused() != nullptr && minerva.focused()->inherits("QQuickTextEdit"));
      QTest::keyClick(minerva.window, Qt::Key_X);
      QTRY_COMPARE(chat->draft(), QStringLiteral("x"));
      QVERIFY(chat->send(chat->draft()));
      QTRY_VERIFY(!chat->isGenerating());
      QVERIFY(chat->currentId() != 0);
    }
  }

  void whatIsTypedFindsWhatIsMeant() {
    const QStringList titles{QStringLiteral("New chat"), QStringLiteral("Search conversations"), QStringLiteral("Next conversation"),
                             QStringLiteral("Zoom in"), QStringLiteral("Über Äpfel")};
    QCOMPARE(best(QStringLiteral("nc"), titles), QStringLiteral("New chat"));
    QCOMPARE(best(QStringLiteral("serch"), titles), QStringLiteral("Search conversations"));
    QCOMPARE(best(QStringLiteral("conv nex"), titles), QStringLiteral("Next conversation"));
    QCOMPARE(best(QStringLiteral("APFEL"), titles), QStringLiteral("Über Äpfel"));
    QCOMPARE(best(QStringLiteral("zoom in"), titles), QStringLiteral("Zoom in"));
    QVERIFY(best(QStringLiteral("xyz"), titles).isEmpty());
    QVERIFY(!fuzzyMatch(QStringLiteral("tahc"), QStringLiteral("New chat")));  // the order matters
    const auto match = fuzzyMatch(QStringLiteral("chat"), QStringLiteral("catch a chat"));
    QCOMPARE(match->positions, (QList<int>{8, 9, 10, 11}));  // adjacent letters at the start of a word, not the first letters that match
  }

  void thePaletteFindsActionsConversationsAndModels() {
    MainWindow minerva;
    QVERIFY(minerva.window != nullptr);
    std::vector<Conversation> conversations;
    for (int i = 1; i <= 1000; ++i) {
      Conversation conversation;
      conversation.id = i;
      conversation.title = i == 777 ? QStringLiteral("The <b>zebra</b> crossing") : QStringLiteral("About number %1").arg(i);
      conversation.created = conversation.updated = QDateTime::currentDateTime().addSecs(-i);
      conversations.push_back(conversation);
    }
    minerva.services->chat()->conversations()->reset(conversations);
    PaletteModel palette;
    palette.setProperty("actions", QVariant::fromValue(minerva.singleton<Actions>("Actions")));
    palette.setProperty("conversations", QVariant::fromValue(minerva.services->chat()->conversations()));
    palette.setProperty("library", QVariant::fromValue(minerva.services->library()));
    palette.refresh();
    QVERIFY(titlesOf(palette).contains(QStringLiteral("New chat")));
    QVERIFY(!titlesOf(palette).contains(QStringLiteral("Stop")));  // no reply is running
    QVERIFY(titlesOf(palette).contains(QStringLiteral("About number 1")));
    QVERIFY(!titlesOf(palette).contains(QStringLiteral("About number 9")));  // without a query, only the newest few

    palette.setQuery(QStringLiteral("zebra"));
    QCOMPARE(palette.count(), 1);
    QVERIFY(palette.index(0, 0).data(PaletteModel::HtmlRole).toString().contains(QStringLiteral("&lt;")));
    QSignalSpy conversation(&palette, &PaletteModel::conversationChosen);
    palette.choose(0);
    QCOMPARE(conversation.value(0).value(0).toLongLong(), 777);

    palette.setQuery(QStringLiteral("minerva built"));
    QCOMPARE(palette.index(0, 0).data(PaletteModel::KindRole).toInt(), int(PaletteModel::Model));
    QSignalSpy model(&palette, &PaletteModel::modelChosen);
    palette.choose(0);
    QCOMPARE(model.value(0).value(0).toString(), minerva.services->library()->builtInPath());
    const std::clock_t begun = std::clock();  // CPU time of this process, independent of other processes
    palette.setQuery(QStringLiteral("about number"));
    const double ms = 1000.0 * static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
    QVERIFY2(ms < 200, qPrintable(QString::number(ms)));
    QVERIFY(palette.count() >= 50);
  }

  void thePaletteIsUsedByKeysAloneAndGivesTheFocusBack() {
    MainWindow minerva;
    QVERIFY(minerva.start());
    QObject* palette = minerva.window->findChild<QObject*>(QStringLiteral("palette"));
    QObject* sheet = minerva.window->findChild<QObject*>(QStringLiteral("keySheet"));
    QTRY_VERIFY(minerva.focused() != nullptr);
    QQuickItem* before = minerva.focused();
    QTest::keyClick(minerva.window, Qt::Key_K, Qt::ControlModifier);
    QTRY_VERIFY(isVisible(palette));
    QTRY_VERIFY(minerva.focused() != before);
    QTest::keyClick(minerva.window, Qt::Key_Escape);
    QTRY_VERIFY(!isVisible(palette));
    QTRY_COMPARE(minerva.focused(), before);

    QTest::keyClick(minerva.window, Qt::Key_K, Qt::ControlModifier);
    QTRY_VERIFY(isVisible(palette));
    for (const char c : {'c', 'o', 'm', 'p', 'a'}) QTest::keyClick(minerva.window, c);
    QTest::keyClick(minerva.window, Qt::Key_Return);
    QTRY_COMPARE(minerva.page(), QStringLiteral("compare"));
    QTRY_VERIFY(!isVisible(palette));

    // An action that belongs to another page switches to that page and runs there.
    QTest::keyClick(minerva.window, Qt::Key_K, Qt::ControlModifier);
    QTRY_VERIFY(isVisible(palette));
    for (const char c : {'w', 'r', 'i', 't', 'e'}) QTest::keyClick(minerva.window, c);
    QTest::keyClick(minerva.window, Qt::Key_Return);
    QTRY_COMPARE(minerva.page(), QStringLiteral("chat"));
    QTRY_COMPARE(minerva.focused(), before);

    QTest::keyClick(minerva.window, Qt::Key_F1);
    QTRY_VERIFY(isVisible(sheet));
    QTest::keyClick(minerva.window, Qt::Key_Escape);
    QTRY_VERIFY(!isVisible(sheet));
    QTRY_COMPARE(minerva.focused(), before);
  }

  void aRowOfThePaletteIsChosenByAClick() {
    MainWindow minerva;
    QVERIFY(minerva.start());
    const QObject* palette = minerva.window->findChild<QObject*>(QStringLiteral("palette"));
    QTest::keyClick(minerva.window, Qt::Key_K, Qt::ControlModifier);
    QTRY_VERIFY(isVisible(palette));
    for (const char c : {'c', 'o', 'm', 'p', 'a'}) QTest::keyClick(minerva.window, c);
    QQuickItem* row = nullptr;
    QTRY_VERIFY(row = find(palette->property("contentItem").value<QQuickItem*>(),
                           [](const QQuickItem* item) { return item->property("title").toString() == QLatin1String("Compare"); }));
    minerva.waitForFrame();  // the row has its place from then on
    QTest::mouseClick(minerva.window, Qt::LeftButton, {}, row->mapToScene(QPointF(row->width() / 2, row->height() / 2)).toPoint());
    QTRY_COMPARE(minerva.page(), QStringLiteral("compare"));
    QTRY_VERIFY(!isVisible(palette));
  }

  // Each library's row has its name, its version where one is known, and its licence.
  void theAboutSheetNamesEveryLibrary() {
    MainWindow minerva;
    QVERIFY(minerva.start());
    QObject* sheet = minerva.window->findChild<QObject*>(QStringLiteral("aboutSheet"));
    QVERIFY(sheet != nullptr && !isVisible(sheet));
    QTest::keyClick(minerva.window, Qt::Key_F1, Qt::ShiftModifier);
    QTRY_VERIFY(isVisible(sheet));
    std::vector<const QQuickItem*> shown;
    const std::function<void(const QQuickItem*)> visit = [&](const QQuickItem* item) {
      if (!item->isVisible()) return;
      shown.push_back(item);
      for (const QQuickItem* child : item->childItems()) visit(child);
    };
    const auto textsUnder = [&](const QQuickItem* item) {
      shown.clear();
      visit(item);
      QStringList texts;
      for (const QQuickItem* each : shown)
        if (const QString text = each->property("text").toString(); !text.isEmpty()) texts << text;
      return texts;
    };
    const auto* content = sheet->property("contentItem").value<QQuickItem*>();
    QVERIFY(content != nullptr);
    QTRY_VERIFY(!textsUnder(content).filter(QStringLiteral("License: ")).isEmpty());
    QList<QStringList> rows;  // the texts of each row, found by its licence
    const QStringList all = textsUnder(content);
    const std::vector<const QQuickItem*> items = shown;
    for (const QQuickItem* item : items)
      if (item->property("text").toString().startsWith(QLatin1String("License: "))) rows << textsUnder(item->parentItem());
    const QVariantList libraries = About::libraries();
    QCOMPARE(rows.size(), libraries.size());
    for (qsizetype i = 0; i < rows.size(); ++i) {
      const QVariantMap library = libraries[i].toMap();
      const QString name = library[QStringLiteral("name")].toString(), version = library[QStringLiteral("version")].toString();
      QVERIFY2(rows[i].contains(name), qPrintable(name));
      QVERIFY2(version.isEmpty() || rows[i].contains(version), qPrintable(name));
      QVERIFY2(rows[i].contains(QStringLiteral("License: ") + library[QStringLiteral("license")].toString()), qPrintable(name));
    }
    QVERIFY(all.contains(QStringLiteral("Minerva ") + About::version()));
    QTest::keyClick(minerva.window, Qt::Key_Escape);
    QTRY_VERIFY(!isVisible(sheet));
  }

  // Every row of the page table has an entry in the rail, a key and content in the window.
  void everyPageOfTheTableIsThere() {
    const QStringList keys = pageKeys();
    QCOMPARE(QSet<QString>(keys.begin(), keys.end()).size(), keys.size());
    int actions = 0;
    for (const ActionRow& row : actionTable()) actions += QByteArray(row.name).startsWith("page.") ? 1 : 0;
    QCOMPARE(actions, pageKeys().size());
    MainWindow minerva;
    const auto shown = [&minerva](const QString& className) {
      int count = 0;
      const std::function<void(QQuickItem*)> visit = [&](QQuickItem* item) {
        if (!item->isVisible()) return;
        count += QString::fromLatin1(item->metaObject()->className()).startsWith(className) ? 1 : 0;
        for (QQuickItem* child : item->childItems()) visit(child);
      };
      visit(minerva.window->contentItem());
      return count;
    };
    for (const QString& page : pageKeys()) {
      QVERIFY2(findAction("page." + page.toStdString()) != nullptr, qPrintable(page));
      minerva.show(page);
      QCOMPARE(shown(QStringLiteral("Entry_QML")), pageKeys().size());
      QVERIFY2(shown(page.left(1).toUpper() + page.mid(1) + QStringLiteral("Page_QMLTYPE")) == 1, qPrintable(page));
    }
  }

  void aPageThatIsNotInTheTableIsRefused() {
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(QStringLiteral(MINERVA_PROGRAM), {QStringLiteral("--page"), QStringLiteral("nowhere")});
    QVERIFY(process.waitForFinished(30000));
    const QString said = QString::fromUtf8(process.readAll());
    QCOMPARE(process.exitCode(), 2);
    QVERIFY2(said.contains(pageKeys().join(QStringLiteral(", "))), qPrintable(said));
  }

  void thePagesKeysWorkOnThatPageOnly() {
    MainWindow minerva;
    QVERIFY(minerva.start());
    Settings* settings = minerva.services->settings();
    QTest::keyClick(minerva.window, Qt::Key_F9);
    QTRY_VERIFY(!settings->listVisible());
    for (const QString& page : pageKeys()) {
      if (page == QLatin1String("chat")) continue;
      QTest::keySequence(minerva.window, QKeySequence(Actions::sequences(QStringLiteral("page.") + page).value(0)));
      QTRY_COMPARE(minerva.page(), page);
      QTest::keyClick(minerva.window, Qt::Key_F9);
      QTest::qWait(50);
      QVERIFY(!settings->listVisible());
    }
    QTest::keyClick(minerva.window, Qt::Key_1, Qt::ControlModifier);
    QTest::keyClick(minerva.window, Qt::Key_F9);
    QTRY_VERIFY(settings->listVisible());
    QTest::keyClick(minerva.window, Qt::Key_Equal, Qt::ControlModifier);
    QTRY_COMPARE(settings->uiScale(), 1.05);
    QTest::keyClick(minerva.window, Qt::Key_0, Qt::ControlModifier);
    QTRY_COMPARE(settings->uiScale(), 1.0);
  }

  void escStopsAReplyFromEveryPage() {
    MainWindow minerva;
    QVERIFY(minerva.start() && minerva.loadLongWinded());
    ChatController* chat = minerva.services->chat();
    for (const QString& page : pageKeys()) minerva.show(page);  // creates all pages now instead of while the reply is streamed
    for (const QString& page : pageKeys()) {
      minerva.show(QStringLiteral("chat"));
      QTRY_VERIFY(chat->canSend());
      QVERIFY(chat->send(QStringLiteral("Tell me a long story about a fox.")));
      QVERIFY(chat->isGenerating());
      minerva.show(page);
      QTest::keyClick(minerva.window, Qt::Key_Escape);
      QTRY_VERIFY2(!chat->isGenerating(), qPrintable(page));
      const int status = chat->messages()->index(chat->messages()->rowCount() - 1, 0).data(MessageModel::StatusRole).toInt();
      QVERIFY2(status == MessageModel::Stopped, qPrintable(page));
    }
  }

  // Esc closes an overlay first; the reply behind it continues.
  void escClosesThePromptSheetAndStopsNothing() {
    MainWindow minerva;
    QVERIFY(minerva.start() && minerva.loadLongWinded());
    ChatController* chat = minerva.services->chat();
    QObject* sheet = named(minerva.window->contentItem(), QStringLiteral("promptSheet"));
    QVERIFY(sheet != nullptr);
    QVERIFY(chat->send(QStringLiteral("Tell me a long story about a fox.")));
    QTest::keyClick(minerva.window, Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
    QTRY_VERIFY(sheet->property("opened").toBool());
    QTest::keyClick(minerva.window, Qt::Key_Escape);
    QTRY_VERIFY(!isVisible(sheet));
    QVERIFY(chat->isGenerating());
    QTest::keyClick(minerva.window, Qt::Key_Escape);
    QTRY_VERIFY(!chat->isGenerating());
  }

  void escKeepsEditingWhatDoesNotFitAndStopsNothing() {
    MainWindow minerva;
    QVERIFY(minerva.start());
    ContextGuard* context = minerva.services->context();
    Benchmark* benchmark = minerva.services->metrics()->benchmark();
    QVERIFY(context->send(QStringLiteral("one fox after another ").repeated(5000)));
    QTRY_VERIFY(context->isBlocked());
    benchmark->run();
    QVERIFY(benchmark->isRunning());
    QTest::keyClick(minerva.window, Qt::Key_Escape);
    QTRY_VERIFY(!context->isBlocked());
    QTest::keyClick(minerva.window, Qt::Key_Escape);
    QVERIFY(benchmark->isRunning());  // on another page than the one shown
    minerva.show(QStringLiteral("metrics"));
    QTRY_VERIFY(minerva.window->property("busy").toBool());
    QTest::keyClick(minerva.window, Qt::Key_Escape);
    QTRY_VERIFY(!benchmark->isRunning());
    QCOMPARE(minerva.services->metrics()->history()->rowCount(), 0);  // cancelled runs are not stored
  }

  void escStopsAComparison() {
    MainWindow minerva(QStringLiteral("compare"));
    QVERIFY(minerva.start());
    CompareController* compare = minerva.services->compare();
    compare->tryBuiltIn();
    QTRY_VERIFY(compare->state() == CompareController::Running);
    QTest::keyClick(minerva.window, Qt::Key_Escape);
    QTRY_VERIFY(compare->state() == CompareController::Done || compare->state() == CompareController::Choosing);
  }
};

APP_TEST(ActionsTest, "actions", QGuiApplication)
#include "tst_actions.moc"
