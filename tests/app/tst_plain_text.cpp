// Text is shown as plain text, never as HTML: no QML source enables another format unreviewed, and the window's QML has no
// network access.
#include "app/shell/closed_network.h"
#include "app_test.h"
#include "patience.h"
#include "request_trap.h"

#include <QDirIterator>
#include <QFile>
#include <QHash>
#include <QQmlComponent>
#include <QQmlEngine>
#include <QQuickItem>
#include <QQuickWindow>
#include <QRegularExpression>

#include <functional>
#include <memory>

using namespace minerva::app;

namespace {

// Reviewed uses of rich text, all made from escaped text: the file, and the formats that it may use.
const QHash<QString, QStringList> reviewed{
    {QStringLiteral("components/MarkedLabel.qml"), {QStringLiteral("Text.StyledText")}},
    {QStringLiteral("chat/blocks/ParagraphBlock.qml"), {QStringLiteral("TextEdit.RichText")}},
    {QStringLiteral("chat/blocks/TableBlock.qml"), {QStringLiteral("rich ? Text.RichText : Text.PlainText")}},
    {QStringLiteral("chat/OwnMessage.qml"), {QStringLiteral("TextEdit.RichText")}},
    {QStringLiteral("chat/PromptSheet.qml"), {QStringLiteral("TextEdit.RichText")}},
    {QStringLiteral("compare/ColumnCard.qml"), {QStringLiteral("card.marked ? Text.RichText : Text.PlainText")}},
};

// Problems of one QML source.
QStringList problemsOf(const QString& name, const QString& source) {
  QStringList wrong;
  const auto each = [&source](const char* pattern, const std::function<void(const QRegularExpressionMatch&)>& found) {
    for (auto match = QRegularExpression(QString::fromLatin1(pattern), QRegularExpression::MultilineOption).globalMatch(source);
         match.hasNext();)
      found(match.next());
  };
  each(R"((?<![A-Za-z0-9_])Text\s*\{)", [&](const auto&) {
    if (name != QLatin1String("components/PlainText.qml")) wrong << QStringLiteral("a bare Text; expected PlainText or Label");
  });
  each(R"(\btextFormat\s*[:=]\s*([^;\n}]+))", [&](const QRegularExpressionMatch& match) {
    const QString format = match.captured(1).trimmed();
    const bool plain = format == QLatin1String("Text.PlainText") || format == QLatin1String("TextEdit.PlainText");
    if (!plain && !reviewed.value(name).contains(format)) wrong << QStringLiteral("textFormat %1 was not reviewed").arg(format);
  });
  // Texts inside Qt's controls use an auto-detected format: labels, placeholders, tool tips, entries of boxes and menus.
  each(R"(^\s*import\s+(QtQuick\.Controls\S*))", [&](const QRegularExpressionMatch& match) {
    const bool icon = name == QLatin1String("components/Icon.qml") && match.captured(1) == QLatin1String("QtQuick.Controls.impl");
    if (!icon) wrong << QStringLiteral("%1 is imported; expected QtQuick.Templates").arg(match.captured(1));
  });
  each(R"(openUrlExternally)", [&](const auto&) { wrong << QStringLiteral("an address is opened; expected Links.open"); });
  return wrong;
}

std::unique_ptr<QObject> made(QQmlEngine& engine, const QByteArray& qml) {
  QQmlComponent component(&engine);
  component.setData(qml, QUrl());
  std::unique_ptr<QObject> object(component.create());
  if (object == nullptr) qFatal("%s", qPrintable(component.errorString()));
  return object;
}

// A window with only `text`, in the auto-detected format of Qt's Text.
QByteArray bareText(const QString& text) {
  return "import QtQuick\nWindow { visible: true; width: 200; height: 100; Text { text: '" + text.toUtf8() + "' } }";
}

}  // namespace

class PlainTextTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void noSourceLetsATextBeTakenForHtml() {
    const QDir folder(QStringLiteral(MINERVA_SOURCE_DIR "/qml"));
    QStringList wrong;
    int files = 0;
    for (QDirIterator at(folder.path(), {QStringLiteral("*.qml")}, QDir::Files, QDirIterator::Subdirectories); at.hasNext();) {
      QFile file(at.next());
      QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(file.fileName()));
      const QString name = folder.relativeFilePath(file.fileName());
      for (const QString& problem : problemsOf(name, QString::fromUtf8(file.readAll()))) wrong << name + QStringLiteral(": ") + problem;
      ++files;
    }
    QVERIFY(files > 80);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
  }

  void theRuleNotices_data() {
    QTest::addColumn<QString>("source");
    QTest::addColumn<int>("problems");
    QTest::newRow("bare") << QStringLiteral("Item {\n    Text { text: a }\n}") << 1;
    QTest::newRow("as content") << QStringLiteral("contentItem: Text {\n") << 1;
    QTest::newRow("inline component") << QStringLiteral("component Word: Text{") << 1;
    QTest::newRow("format of another file") << QStringLiteral("Label { text: a; textFormat: Text.RichText }") << 1;
    QTest::newRow("format set by a script") << QStringLiteral("onClicked: label.textFormat = Text.StyledText") << 1;
    QTest::newRow("controls") << QStringLiteral("import QtQuick.Controls.Basic as Basic\n") << 1;
    QTest::newRow("address") << QStringLiteral("onClicked: Qt.openUrlExternally(link)") << 1;
    QTest::newRow("plain") << QStringLiteral("PlainText { wrapMode: Text.Wrap }\nTextEdit { }\nimport QtQuick.Templates as T\n") << 0;
  }

  void theRuleNotices() {
    QFETCH(QString, source);
    QFETCH(int, problems);
    QCOMPARE(problemsOf(QStringLiteral("models/ModelRow.qml"), source).size(), problems);
  }

  // Makes sure that the other tests here, and app.hostile, would notice a request.
  void theTrapSeesWhatAnOpenWindowAsksFor() {
    const RequestTrap trap;
    QQmlEngine open;
    const auto window = made(open, bareText(trap.bait(QStringLiteral("open"))));
    QTRY_VERIFY(trap.visits() > 0);
    QVERIFY(RequestTrap::requests().join(u' ').contains(QStringLiteral("/open.png")));
  }

  void theWindowsNetworkIsClosed() {
    const RequestTrap trap;
    QQmlEngine engine;
    closeNetwork(engine);
    const QString image = trap.bait(QStringLiteral("image")).section(u'"', 1, 1);
    const auto text = made(engine, bareText(trap.bait(QStringLiteral("text"))));
    const auto item = made(engine, "import QtQuick\nImage { source: '" + image.toUtf8() + "' }");
    const auto script = made(engine,
                             "import QtQuick\nItem { property string said; Component.onCompleted: { const r = new XMLHttpRequest(); "
                             "r.onreadystatechange = () => { if (r.readyState === 4) said = 'status ' + r.status }; "
                             "r.open('GET', '" +
                                 image.toUtf8() + "'); r.send() } }");
    QTRY_COMPARE(script->property("said").toString(), QStringLiteral("status 0"));
    QCOMPARE(RequestTrap::requests().size(), 3);  // refused, but recorded
    QCOMPARE(trap.visits(), 0);
  }
};

APP_TEST(PlainTextTest, "plain_text", QGuiApplication)
#include "tst_plain_text.moc"
