// The whole window with hostile texts from every source (files, the hub, imports, models, the user): none is interpreted as
// HTML, and no request is made to any address.
#include "app/actions/page_table.h"
#include "app/chat/conversation_list_model.h"
#include "app/chat/draft_attachments.h"
#include "app/chat/message_model.h"
#include "app/compare/column_model.h"
#include "app_test.h"
#include "fake_hub.h"
#include "hostile_model.h"
#include "main_window.h"
#include "patience.h"
#include "request_trap.h"

#include <QClipboard>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QPointer>

#include <functional>
#include <set>

using namespace minerva::app;

namespace {

bool isOf(const QObject* object, const char* type) { return QByteArray(object->metaObject()->className()).startsWith(type); }

// Every object of the window, including popups and hidden items.
std::set<QObject*> everything(const MainWindow& minerva) {
  std::set<QObject*> all;
  const std::function<void(QObject*)> take = [&](QObject* object) {
    if (!all.insert(object).second) return;
    for (QObject* child : object->children()) take(child);
    if (auto* item = qobject_cast<QQuickItem*>(object))
      for (QQuickItem* child : item->childItems()) take(child);
  };
  take(minerva.window);
  take(minerva.window->contentItem());
  return all;
}

// Texts with markup whose format is not PlainText (0).
QStringList notPlain(const MainWindow& minerva) {
  QStringList wrong;
  for (QObject* object : everything(minerva)) {
    if (!object->inherits("QQuickText")) continue;
    const QString text = object->property("text").toString();
    if (text.contains(QLatin1String("<img")) && object->property("textFormat").toInt() != 0)
      wrong << QStringLiteral("format %1: %2").arg(object->property("textFormat").toInt()).arg(text.left(200));
  }
  return wrong;
}

class Hostile {
 public:
  explicit Hostile(const RequestTrap& trap) : m_trap(trap) {}
  [[nodiscard]] QString path(const QString& name) const { return m_folder.filePath(name); }
  // A model in a folder and a file with hostile names, with `words` in all its texts.
  [[nodiscard]] QString model(const QString& words, const QString& chatTemplate) {
    const QString folder = path(RequestTrap::fileBait() + words);
    QDir().mkpath(folder);
    const QString file = folder + u'/' + RequestTrap::fileBait() + QStringLiteral(".gguf");
    const auto say = [&](const char* place) { return m_trap.bait(words + u'-' + QLatin1String(place)).toStdString(); };
    const auto written = writeModelSaying(file.toStdString(), {{"general.name", say("name")},
                                                               {"general.author", say("author")},
                                                               {"general.organization", say("organization")},
                                                               {"general.license", say("licence")},
                                                               {"general.description", say("description")},
                                                               {"tokenizer.chat_template", chatTemplate.toStdString()}});
    if (!written) qFatal("%s", written.error().what.c_str());
    return file;
  }
  [[nodiscard]] QString file(const QString& name, const QByteArray& content) const {
    QFile file(path(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size()) qFatal("no temporary file");
    return file.fileName();
  }
  [[nodiscard]] QString bait(const QString& place) const { return m_trap.bait(place); }

 private:
  const RequestTrap& m_trap;
  QTemporaryDir m_folder;
};

// A reply with every Markdown construct, and every HTML element that could load something.
QString everyConstruct(const Hostile& hostile) {
  const QString raw = hostile.bait(QStringLiteral("reply")), address = raw.section(u'"', 1, 1);
  return QStringLiteral(
             "<think>%1</think>%1\n\n![a picture](%2) and <img src='%2'>\n\n# %1\n\n| a | b |\n|---|---|\n| %1 | ![x](%2) **b** |\n\n"
             "- %1\n\n> %1\n\n```html %1\n%1\n```\n\n`%1` $x %1$\n\n$$%1$$\n\n"
             "![local](file:///etc/hostname) <link rel=\"stylesheet\" href=\"%2\"> <style>@import url(%2); b{background:url(%2)}</style>\n\n"
             "[%1](%2) &lt;img src=\"%2\"&gt; <code title=\"math\">%2</code> <a href=\"%2\">x</a>")
      .arg(raw, address);
}

QByteArray conversations(const Hostile& hostile) {
  const QJsonObject asked{{QStringLiteral("role"), QStringLiteral("user")},
                          {QStringLiteral("content"), hostile.bait(QStringLiteral("question"))}};
  const QJsonObject answered{{QStringLiteral("role"), QStringLiteral("assistant")}, {QStringLiteral("content"), everyConstruct(hostile)}};
  const QJsonObject one{{QStringLiteral("title"), hostile.bait(QStringLiteral("imported-title"))},
                        {QStringLiteral("model"), hostile.bait(QStringLiteral("imported-model"))},
                        {QStringLiteral("messages"), QJsonArray{asked, answered}}};
  return QJsonDocument(one).toJson();
}

void open(const MainWindow& minerva, const char* popup) {
  QObject* found = nullptr;
  for (QObject* object : everything(minerva))
    if (object->objectName() == QLatin1String(popup)) found = object;
  QVERIFY2(found != nullptr, popup);
  QVERIFY(QMetaObject::invokeMethod(found, "open"));
  QTest::qWait(200);
  QVERIFY(QMetaObject::invokeMethod(found, "close"));
}

// Shows what is created only on hover or press: backgrounds of buttons with tool tips, menus, popups. Showing one may
// destroy others.
void showWhatHides(const MainWindow& minerva) {
  const auto each = [&minerva](const std::function<void(QObject*)>& act) {
    std::vector<QPointer<QObject>> all;
    for (QObject* object : everything(minerva)) all.emplace_back(object);
    for (const QPointer<QObject>& object : all)
      if (object != nullptr) act(object);
  };
  each([](QObject* object) {
    auto* item = qobject_cast<QQuickItem*>(object);
    if (item == nullptr || !item->inherits("QQuickLoader") || item->parentItem() == nullptr) return;
    if (item->parentItem()->inherits("QQuickAbstractButton")) item->setProperty("active", true);
  });
  each([](QObject* object) {
    if (!isOf(object, "Tip_QMLTYPE") || object->property("text").toString().isEmpty()) return;
    const auto* over = object->property("over").value<QQuickItem*>();
    if (over != nullptr && over->window() != nullptr) object->setProperty("active", true);
  });
  QTest::qWait(200);
  each([](QObject* object) {
    if (!object->inherits("QQuickMenu") && (!object->inherits("QQuickPopup") || object->inherits("QQuickToolTip"))) return;
    if (object->property("parent").value<QQuickItem*>() == nullptr) return;
    const QPointer<QObject> popup(object);
    QMetaObject::invokeMethod(object, "open");
    QTest::qWait(20);
    if (popup != nullptr) QMetaObject::invokeMethod(object, "close");
  });
}

}  // namespace

class HostileTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    if (const QString missing = FakeHub::missing(); !missing.isEmpty()) QSKIP(qPrintable(missing));
  }

  void nothingThatIsShownSendsARequest() {
    const RequestTrap trap;
    Hostile hostile(trap);
    const QString spoken = hostile.bait(QStringLiteral("template"));
    const QString talking = hostile.model(QStringLiteral("talking"),
                                          QStringLiteral("{{ '%1' }}{% for m in messages %}{{ m.content }}{% endfor %}").arg(spoken));
    const QString refusing = hostile.model(QStringLiteral("refusing"),
                                           QStringLiteral("{{ raise_exception('%1') }}").arg(hostile.bait(QStringLiteral("refusal"))));
    const FakeHub hub({{QStringLiteral("model.gguf"), QJsonObject{{QStringLiteral("path"), talking}, {QStringLiteral("lfs"), true}}},
                       {RequestTrap::fileBait() + QStringLiteral(".gguf"), QJsonObject{{QStringLiteral("path"), refusing}}}},
                      {}, {{QStringLiteral("tags"), QJsonArray{QStringLiteral("gguf"), hostile.bait(QStringLiteral("tag"))}}});
    qputenv("HF_ENDPOINT", hub.access().endpoint.toString().toUtf8());
    MainWindow minerva(QStringLiteral("chat"), QSize(1280, 800));
    QVERIFY(minerva.start());
    AppServices& app = *minerva.services;
    ChatController* chat = app.chat();

    // Texts written by the user.
    const QString preset = app.presets()->keep(QString(), hostile.bait(QStringLiteral("preset")),
                                               {{QStringLiteral("systemPrompt"), hostile.bait(QStringLiteral("system"))}});
    chat->importFrom(QUrl::fromLocalFile(hostile.file(RequestTrap::fileBait() + QStringLiteral(".json"), conversations(hostile))));
    QTRY_VERIFY(chat->conversations()->rowCount() > 0);
    chat->select(chat->conversations()->idAt(0));
    QTRY_VERIFY(chat->messages()->rowCount() == 2);
    chat->rename(chat->currentId(), hostile.bait(QStringLiteral("title")));
    QTRY_VERIFY(minerva.window->title().contains(QLatin1String("<img")));
    chat->addFolder(hostile.bait(QStringLiteral("folder")));
    chat->usePreset(preset);
    chat->attachments()->add({QUrl::fromLocalFile(hostile.file(RequestTrap::fileBait() + QStringLiteral(".txt"),
                                                               hostile.bait(QStringLiteral("attached")).toUtf8())),
                              QUrl::fromLocalFile(hostile.file(RequestTrap::fileBait() + QStringLiteral(".png"), "\x89PNG\0\1\2\3"))});
    QTRY_VERIFY(chat->attachments()->property("count").toInt() > 0);
    importBroken(minerva, hostile);

    // Texts from a model's file and from a model.
    app.library()->openPath(talking);
    QTRY_VERIFY(app.inference()->isReady() && app.inference()->property("state").toInt() >= 0);
    QTRY_COMPARE(loadedName(app), hostile.bait(QStringLiteral("talking-name")));
    lookAround(minerva, hostile);
    if (QTest::currentTestFailed()) return;
    chat->newConversation();  // the imported conversation is longer than this model's context
    QVERIFY(chat->send(hostile.bait(QStringLiteral("own"))));
    QTRY_VERIFY(!chat->isGenerating());

    app.library()->openPath(refusing);
    QTRY_COMPARE(loadedName(app), hostile.bait(QStringLiteral("refusing-name")));
    chat->send(hostile.bait(QStringLiteral("refused")));
    QTRY_VERIFY(!chat->isGenerating());
    app.library()->openPath(hostile.file(RequestTrap::fileBait() + QStringLiteral("broken.gguf"), "GGUF\3\0\0\0broken"));
    QTRY_VERIFY(app.inference()->property("error").value<ErrorInfo>().isSet());
    searchTheHub(minerva, hostile);
    if (QTest::currentTestFailed()) return;
    compareThem(minerva, hostile, talking, refusing);
    if (QTest::currentTestFailed()) return;
    lookAround(minerva, hostile);
    if (QTest::currentTestFailed()) return;

    QCOMPARE(RequestTrap::requests(), QStringList());
    QCOMPARE(trap.visits(), 0);
    QVERIFY(m_seen > 40);  // texts with markup were shown
  }

 private:
  static QString loadedName(const AppServices& app) { return app.inference()->property("model").value<ModelFacts>().name; }

  void importBroken(const MainWindow& minerva, const Hostile& hostile) {
    minerva.services->chat()->importFrom(QUrl::fromLocalFile(hostile.file(
        RequestTrap::fileBait() + QStringLiteral("broken.json"), "{\"" + hostile.bait(QStringLiteral("key")).toUtf8() + "\": 1}")));
    QTest::qWait(200);
  }

  // Visits every page at two widths, and everything that opens over it.
  void lookAround(MainWindow& minerva, const Hostile& hostile) {
    for (const QSize size : {QSize(1280, 800), QSize(700, 700)}) {
      minerva.window->resize(size);
      for (const QString& page : pageKeys()) {
        minerva.show(page);
        QTest::qWait(250);
        QVERIFY(!minerva.window->grabWindow().isNull());
        showWhatHides(minerva);
        judge(minerva, page);
        if (QTest::currentTestFailed()) return;
      }
      minerva.show(QStringLiteral("chat"));
      minerva.services->chat()->conversations()->setProperty("search", QStringLiteral("img"));
      QTest::qWait(400);
      for (const char* popup : {"palette", "keySheet", "aboutSheet", "textSheet", "presetEditor"}) open(minerva, popup);
      minerva.services->prompt()->showNext();
      QTest::qWait(300);
      open(minerva, "promptSheet");
      judge(minerva, QStringLiteral("popups"));
      minerva.services->chat()->conversations()->setProperty("search", QString());
      details(minerva, hostile);
      if (QTest::currentTestFailed()) return;
    }
  }

  void details(MainWindow& minerva, const Hostile&) {
    minerva.show(QStringLiteral("models"));
    QTest::qWait(200);
    ModelLibrary* library = minerva.services->library();
    QObject* shown = nullptr;
    for (QObject* object : everything(minerva))
      if (isOf(object, "minerva::app::ModelDetails")) shown = object;
    QVERIFY(shown != nullptr);
    for (int row = 0; row < library->rowCount(); ++row) {
      shown->setProperty("path", library->index(row).data(library->roleNames().key("path")));
      QTest::qWait(300);
      judge(minerva, QStringLiteral("details"));
    }
    shown->setProperty("path", QString());
  }

  void searchTheHub(MainWindow& minerva, const Hostile& hostile) {
    HubService* hub = minerva.services->hub();
    minerva.show(QStringLiteral("models"));
    for (QObject* object : everything(minerva))
      if (isOf(object, "ModelsPage_QMLTYPE")) object->setProperty("view", QStringLiteral("discover"));
    hub->search(hostile.bait(QStringLiteral("searched")));
    QTRY_VERIFY(!hub->property("busy").toBool());
    judge(minerva, QStringLiteral("nothing found"));
    hub->search(QStringLiteral("model"));
    QTRY_VERIFY(!hub->property("hits").toList().isEmpty());
    judge(minerva, QStringLiteral("hits"));
    hub->open(QStringLiteral("org/model"));
    QTRY_VERIFY(!hub->property("choices").toList().isEmpty() && !hub->property("busy").toBool());
    QTRY_VERIFY(!hub->property("reading").toBool());
    hub->download(0);
    QTest::qWait(500);
    judge(minerva, QStringLiteral("model card"));
    hub->open(QStringLiteral("org/absent"));
    QTRY_VERIFY(hub->property("error").value<ErrorInfo>().isSet());
    judge(minerva, QStringLiteral("hub's error"));
  }

  void compareThem(MainWindow& minerva, const Hostile& hostile, const QString& one, const QString& other) {
    CompareController* compare = minerva.services->compare();
    minerva.show(QStringLiteral("compare"));
    compare->addModel(one, hostile.bait(QStringLiteral("compared")), QStringLiteral("GGUF"), QStringLiteral("Q8_0"));
    compare->addModel(other, hostile.bait(QStringLiteral("refusing")), QStringLiteral("GGUF"), QStringLiteral("Q8_0"));
    compare->setPrompt(hostile.bait(QStringLiteral("prompt")));
    compare->setMaxTokens(8);
    judge(minerva, QStringLiteral("choosing"));
    compare->start();
    QTRY_VERIFY(compare->state() == CompareController::Done || compare->state() == CompareController::Choosing);
    judge(minerva, QStringLiteral("compared"));
  }

  void judge(const MainWindow& minerva, const QString& where) {
    QTest::qWait(50);
    const QStringList wrong = notPlain(minerva);
    QVERIFY2(wrong.isEmpty(), qPrintable(where + QStringLiteral(": ") + wrong.join(u'\n')));
    for (QObject* object : everything(minerva))
      if (object->inherits("QQuickText") && object->property("text").toString().contains(QLatin1String("<img"))) ++m_seen;
    const QStringList asked = RequestTrap::requests();
    QVERIFY2(asked.isEmpty(), qPrintable(where + QStringLiteral(": ") + asked.join(u'\n')));
  }

  int m_seen = 0;
};

APP_TEST(HostileTest, "hostile", QGuiApplication)
#include "tst_hostile.moc"
