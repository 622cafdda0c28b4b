// Links: the target is shown before they are opened, only some schemes are allowed, and a link whose text names another
// address asks first.
#include "app/chat/links.h"
#include "app/chat/markdown.h"
#include "app_test.h"
#include "find_item.h"
#include "patience.h"

#include <QAccessible>
#include <QDesktopServices>
#include <QQmlComponent>
#include <QQmlEngine>
#include <QQuickItem>
#include <QQuickWindow>

#include <memory>

using namespace minerva::app;

namespace {

bool isTextShown(QQuickWindow* window, const QString& text) {
  return find(window->contentItem(),
              [&](QQuickItem* item) { return item->inherits("QQuickText") && item->property("text").toString() == text; }) != nullptr;
}

QQuickItem* button(QQuickWindow* window, const char* text) {
  return find(window->contentItem(), [&](QQuickItem* item) {
    return item->inherits("QQuickAbstractButton") && item->property("text").toString() == QLatin1String(text);
  });
}

}  // namespace

class LinksTest : public QObject {
  Q_OBJECT
 public Q_SLOTS:
  void take(const QUrl& url) { m_opened << url.toString(); }

 private Q_SLOTS:
  void initTestCase() {
    for (const char* scheme : {"http", "https", "mailto", "file", "javascript"})
      QDesktopServices::setUrlHandler(QLatin1String(scheme), this, "take");
    QAccessible::setActive(true);
  }
  void cleanupTestCase() {
    for (const char* scheme : {"http", "https", "mailto", "file", "javascript"}) QDesktopServices::unsetUrlHandler(QLatin1String(scheme));
  }
  void init() { m_opened.clear(); }

  void onlySomeKindsAreOpened_data() {
    QTest::addColumn<QString>("link");
    QTest::addColumn<bool>("opens");
    QTest::newRow("http") << QStringLiteral("http://a.example/") << true;
    QTest::newRow("https") << QStringLiteral("HTTPS://a.example/x?y=1&z=2") << true;
    QTest::newRow("mail") << QStringLiteral("mailto:who@a.example") << true;
    for (const char* link : {"file:///etc/passwd", "javascript:alert(1)", "https:", "http:///x", "data:text/html,x", "ssh://a.example",
                             "smb://a.example/x", "a.example", "/etc/passwd", "", "mailto:"})
      QTest::newRow(link) << QString::fromLatin1(link) << false;
  }

  void onlySomeKindsAreOpened() {
    QFETCH(QString, link);
    QFETCH(bool, opens);
    QCOMPARE(Links::open(link), opens);
    QCOMPARE(m_opened.size(), opens ? 1 : 0);
    const auto blocks = parseMarkdown(QStringLiteral("[text](<%1>) ![picture](<%1>)").arg(link));
    QCOMPARE(blocks.at(0).html.contains(QLatin1String("<a href=")), opens);
  }

  void aTextThatNamesAnotherAddressMisleads_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("link");
    QTest::addColumn<bool>("misleading");
    const auto row = [](const char* text, const char* link, bool misleading) {
      QTest::newRow(qPrintable(QStringLiteral("%1 -> %2").arg(QString::fromUtf8(text), QString::fromUtf8(link))))
          << QString::fromUtf8(text) << QString::fromUtf8(link) << misleading;
    };
    row("our bank", "https://elsewhere.example/", false);
    row("https://bank.example", "https://bank.example/login", false);
    row("bank.example", "https://www.bank.example/login", false);
    row("www.bank.example/login", "http://bank.example/", false);
    row("README.md", "https://code.example/README.md", false);
    row("node.js", "https://nodejs.example/", false);
    row("version 1.5", "https://a.example/", false);
    row("e.g. this", "https://a.example/", false);
    row("who@a.example", "mailto:who@a.example", false);
    row("write to us", "mailto:who@a.example", false);
    row("https://bank.example", "https://elsewhere.example/", true);
    row("bank.example", "https://bank.example.elsewhere.example/", true);
    row(" BANK.example/login ", "https://elsewhere.example/bank.example/login", true);
    row("http://bank.example", "mailto:who@a.example", true);
    row("who@a.example", "mailto:other@b.example", true);
    row("our bank", "https://bank.example@elsewhere.example/", true);
    row("b\xC3\xA4nk.example", "https://bank.example/", true);
    for (const char* said :
         {"bank\u200E.com", "\u2066bank.com\u2069", "bank.c\u00ADom", "bank\u034F.com", "b\uFE0Fank.com", "\u202Emoc.knab\u202C",
          "\u202Dbank.com\u202C", "bank\uFF0Ecom", "bank\u3002com", "(bank.com)", "see bank.com", "see (www.bank.example).",
          "\u201Chttps://bank.example/login\u201D, here", "\U0001D41B\U0001D41A\U0001D427\U0001D424.com"})
      row(said, "https://elsewhere.example/", true);
    for (const char* said : {"see bank.com", "(https://bank.com/login)", "bank\u200E.com", "BANK.COM!", "\uFF42ank.com: log in"})
      row(said, "https://www.bank.com/login", false);
    for (const char* said : {"numpy.array in the docs", "Python 3.10", "see README.md", "\u4F60\u597D\u3002\u8FD9\u662F",
                             "e.g. this, i.e. that", "\u05E9\u05DC\u05D5\u05DD\u200F"})
      row(said, "https://elsewhere.example/", false);
    row("write to who@a.example, please", "mailto:who@a.example", false);
    row("write to who@a.example, please", "mailto:other@b.example", true);
    row("see bank.com", "mailto:who@a.example", true);
  }

  void aTextThatNamesAnotherAddressMisleads() {
    QFETCH(QString, text);
    QFETCH(QString, link);
    QFETCH(bool, misleading);
    QCOMPARE(misleads(text, QUrl(link)), misleading);
  }

  void anAddressIsShownAsItIs() {
    QCOMPARE(shownAddress(QUrl(QStringLiteral("https://a.example/x y"))), QStringLiteral("https://a.example/x%20y"));
    // A homoglyph: Cyrillic a.
    QVERIFY(shownAddress(QUrl(QStringLiteral("https://b\u0430nk.example/"))).startsWith(QLatin1String("https://xn--")));
    const QString longest = shownAddress(QUrl(QStringLiteral("https://a.example/") + QString(5000, u'x')));
    QVERIFY(longest.size() < 400 && longest.startsWith(QLatin1String("https://a.example/")) && longest.endsWith(QLatin1String("...")));
  }

  void aLinkIsShownBeforeItIsOpened_data() {
    QTest::addColumn<bool>("table");
    QTest::addColumn<bool>("growing");
    QTest::newRow("paragraph") << false << false;
    QTest::newRow("growing paragraph") << false << true;
    QTest::newRow("table") << true << false;
  }

  void aLinkIsShownBeforeItIsOpened() {
    QFETCH(bool, table);
    QFETCH(bool, growing);
    show(QStringLiteral("[over there](https://a.example/one)"), table, growing);
    QQuickItem* spot = link(QStringLiteral("over there"));
    QVERIFY(spot != nullptr);
    QVERIFY(!isTextShown(m_window.get(), QStringLiteral("https://a.example/one")));
    const QPoint middle = spot->mapToScene(QPointF(spot->width() / 2, spot->height() / 2)).toPoint();
    QTest::mouseMove(m_window.get(), QPoint(1, 1));
    QTest::mouseMove(m_window.get(), middle);
    QTRY_VERIFY(isTextShown(m_window.get(), QStringLiteral("https://a.example/one")));
    QVERIFY(m_opened.isEmpty());
    QTest::mouseClick(m_window.get(), Qt::LeftButton, Qt::NoModifier, middle);
    QTRY_COMPARE(m_opened, QStringList{QStringLiteral("https://a.example/one")});
    QTest::mouseMove(m_window.get(), QPoint(590, 390));
    QTRY_VERIFY(!isTextShown(m_window.get(), QStringLiteral("https://a.example/one")));
  }

  void theKeyboardReachesLinksAndSeesWhereTheyLead_data() {
    QTest::addColumn<bool>("table");
    QTest::newRow("paragraph") << false;
    QTest::newRow("table") << true;
  }

  void theKeyboardReachesLinksAndSeesWhereTheyLead() {
    QFETCH(bool, table);
    show(QStringLiteral("[one](https://a.example/1) and **[two](mailto:b@a.example)**"), table, false);
    for (const char* address : {"https://a.example/1", "mailto:b@a.example"}) {
      QTest::keyClick(m_window.get(), Qt::Key_Tab);
      QTRY_VERIFY(isTextShown(m_window.get(), QLatin1String(address)));
      QVERIFY(m_opened.isEmpty());
      QAccessibleInterface* reader = QAccessible::queryAccessibleInterface(m_window->activeFocusItem());
      QCOMPARE(reader->role(), QAccessible::Link);
      QCOMPARE(reader->text(QAccessible::Description), QLatin1String(address));
      QTest::keyClick(m_window.get(), Qt::Key_Return);
      QTRY_COMPARE(m_opened, QStringList{QLatin1String(address)});
      m_opened.clear();
    }
  }

  void aMisleadingLinkAsksFirst() {
    show(QStringLiteral("[https://bank.example](https://elsewhere.example/x)"), false, false);
    const QPoint middle = [&] {
      QQuickItem* spot = link(QStringLiteral("https://bank.example"));
      return spot == nullptr ? QPoint() : spot->mapToScene(QPointF(spot->width() / 2, spot->height() / 2)).toPoint();
    }();
    QVERIFY(!middle.isNull());
    for (const bool opens : {false, true}) {
      QTest::mouseMove(m_window.get(), middle);
      QTest::mouseClick(m_window.get(), Qt::LeftButton, Qt::NoModifier, middle);
      const char* answer = opens ? "Open it" : "Do not open it";
      QTRY_VERIFY(button(m_window.get(), answer) != nullptr);
      QVERIFY(isTextShown(m_window.get(), QStringLiteral("https://elsewhere.example/x")));
      QVERIFY(m_opened.isEmpty());
      QVERIFY(QMetaObject::invokeMethod(button(m_window.get(), answer), "clicked"));
      QTRY_VERIFY(button(m_window.get(), answer) == nullptr);
      QCOMPARE(m_opened, opens ? QStringList{QStringLiteral("https://elsewhere.example/x")} : QStringList());
    }
  }

  // The keys that opened the question must not answer it.
  void enterDoesNotOpenAMisleadingLink() {
    show(QStringLiteral("[https://bank.example](https://elsewhere.example/x)"), false, false);
    QTest::keyClick(m_window.get(), Qt::Key_Tab);
    QTest::keyClick(m_window.get(), Qt::Key_Return);
    QTRY_VERIFY(button(m_window.get(), "Do not open it") != nullptr);
    QTest::keyClick(m_window.get(), Qt::Key_Space);
    QTest::keyClick(m_window.get(), Qt::Key_Return);
    QTest::qWait(100);
    QVERIFY(m_opened.isEmpty());
  }

 private:
  void show(const QString& markdown, bool table, bool growing) {
    m_window.reset();
    QQmlComponent component(&m_engine);
    m_engine.addImportPath(QStringLiteral("qrc:/qt/qml"));
    component.setData(
        "import QtQuick\nimport QtQuick.Templates as T\nimport Minerva.Chat.Blocks\n"
        "T.ApplicationWindow { property string html; property bool table; property bool growing; width: 600; height: 400\n"
        "Loader { x: 20; y: 60; width: 500; sourceComponent: table ? cells : words }\n"
        "Component { id: words; ParagraphBlock { html: window.html; caret: window.growing } }\n"
        "Component { id: cells; TableBlock { columns: 2; cells: ['a', 'b', window.html, 'c']; alignments: [1, 1] } }\n"
        "id: window }",
        QUrl());
    const auto html = parseMarkdown(markdown).at(0).html;
    m_window.reset(qobject_cast<QQuickWindow*>(component.createWithInitialProperties(
        {{QStringLiteral("html"), html}, {QStringLiteral("table"), table}, {QStringLiteral("growing"), growing}})));
    if (m_window == nullptr) qFatal("%s", qPrintable(component.errorString()));
    m_window->show();
    m_window->requestActivate();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get(), patienceMs));
    QTest::qWait(300);
  }
  // The item over a link's text that takes keyboard focus and is read by screen readers.
  QQuickItem* link(const QString& text) {
    return find(m_window->contentItem(), [&](QQuickItem* item) {
      QAccessibleInterface* reader = item->activeFocusOnTab() ? QAccessible::queryAccessibleInterface(item) : nullptr;
      return reader != nullptr && reader->role() == QAccessible::Link && reader->text(QAccessible::Name) == text;
    });
  }

  QQmlEngine m_engine;
  std::unique_ptr<QQuickWindow> m_window;
  QStringList m_opened;
};

APP_TEST(LinksTest, "links", QGuiApplication)
#include "tst_links.moc"
