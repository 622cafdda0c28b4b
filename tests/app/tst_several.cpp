// Several conversations in the whole window with the real model: their replies are written at the same time.
//
// With MINERVA_PICTURES=FOLDER the screens are also saved as PNGs for inspection; MINERVA_THEME=dark selects the dark theme.
#include "app/chat/chat_controller.h"
#include "app/metrics/panel_model.h"
#include "app_test.h"
#include "find_item.h"
#include "main_window.h"
#include "patience.h"
#include "utf8.h"

#include <QHash>

using namespace minerva::app;

class SeveralTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { m_minerva = std::make_unique<MainWindow>(s("chat"), QSize(1280, 800), qEnvironmentVariable("MINERVA_THEME", s("light"))); }
  void cleanup() { m_minerva.reset(); }

  // Each reply gets longer while all are underway: none waits for another one's end. One is stopped from the list.
  void repliesAreWrittenAtTheSameTime() {
    QVERIFY(m_minerva->start());
    QVERIFY(m_minerva->loadLongWinded());
    const QList<qint64> ids = sendThree();
    QTRY_VERIFY(m_together >= 3);
    QCOMPARE(m_minerva->services->panel()->others(), 2);
    QVERIFY(isBusy(ids[0]) && isBusy(ids[1]) && isBusy(ids[2]));
    QQuickItem* row = rowOf(ids[0]);
    QVERIFY(row != nullptr);
    QTest::mouseMove(m_minerva->window, middleOf(row));
    QQuickItem* stop = nullptr;
    QTRY_VERIFY((stop = find(row, [](QQuickItem* item) { return item->property("tip") == s("Stop the reply"); })) != nullptr);
    m_minerva->waitForFrame();
    look("several");
    QTest::mouseClick(m_minerva->window, Qt::LeftButton, {}, middleOf(stop));
    QTRY_VERIFY(!isBusy(ids[0]));
    chat().stop();
    chat().stopIn(ids[1]);
    QTRY_VERIFY(!chat().isGenerating() && !chat().isGeneratingElsewhere());
    for (const qint64 id : ids) {
      chat().select(id);
      QTRY_COMPARE(chat().messages()->count(), 2);
      QVERIFY(!chat().messages()->at(1).message.text.isEmpty());
    }
  }

  // The model that was used before is in memory yet: the picker says so, and unloads it.
  void theModelBesideIsListedAndUnloaded() {
    QVERIFY(m_minerva->start());
    const InferenceController* inference = m_minerva->services->inference();
    QVERIFY(m_minerva->loadLongWinded());
    QTRY_COMPARE(inference->kept().size(), 1);
    QTest::keyClick(m_minerva->window, Qt::Key_M, Qt::ControlModifier);
    QQuickItem* unload = nullptr;
    QTRY_VERIFY((unload = find(m_minerva->window->contentItem(), [](QQuickItem* item) {
                   return item->property("tip") == s("Unload; it stays in memory beside the model in use");
                 })) != nullptr);
    QTest::qWait(300);
    look("picker");
    QTest::mouseClick(m_minerva->window, Qt::LeftButton, {}, middleOf(unload));
    QTRY_COMPARE(inference->kept().size(), 0);
    QTRY_VERIFY(!unload->isVisible());
    QVERIFY(inference->model().isSet());
  }

 private:
  // Sends a message in each of three new conversations, and counts the updates with tokens that come while all three replies have some.
  QList<qint64> sendThree() {
    connect(m_minerva->services->inference(), &ReplySource::updated, this, [this](const ReplyUpdate& update) {
      m_tokens[update.request] += static_cast<int>(update.tokens.size());
      const bool all = m_tokens.size() == 3 && std::all_of(m_tokens.begin(), m_tokens.end(), [](int count) { return count > 0; });
      m_together += all && !update.tokens.empty() ? 1 : 0;
    });
    QList<qint64> ids;
    for (const char* about : {"foxes", "owls", "hares"}) {
      chat().newConversation();
      if (!QTest::qWaitFor([this] { return chat().canSend(); }, patienceMs) || !chat().send(s("Tell me about ") + s(about)))
        qFatal("not sent");
      ids << chat().currentId();
    }
    return ids;
  }
  QQuickItem* rowOf(qint64 conversation) {
    return find(m_minerva->window->contentItem(), [&](QQuickItem* item) {
      return item->inherits("QQuickItemDelegate") && item->property("conversationId").toLongLong() == conversation;
    });
  }
  bool isBusy(qint64 conversation) {
    const ConversationListModel* list = chat().conversations();
    return list->data(list->index(list->rowOf(conversation)), ConversationListModel::BusyRole).toBool();
  }
  static QPoint middleOf(QQuickItem* item) { return item->mapToScene(QPointF(item->width() / 2, item->height() / 2)).toPoint(); }
  ChatController& chat() { return *m_minerva->services->chat(); }
  void look(const char* name) {
    const QString folder = qEnvironmentVariable("MINERVA_PICTURES");
    if (!folder.isEmpty()) m_minerva->window->grabWindow().save(QStringLiteral("%1/%2.png").arg(folder, s(name)));
  }
  std::unique_ptr<MainWindow> m_minerva;
  QHash<quint64, int> m_tokens;
  int m_together = 0;
};

APP_TEST(SeveralTest, "several", QGuiApplication)
#include "tst_several.moc"
