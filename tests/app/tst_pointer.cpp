// What overlaps or moves under the pointer: tool tips and menus, scroll bars and texts, buttons about to be pressed; and
// cursor shapes.
#include "app/actions/page_table.h"
#include "app_test.h"
#include "fake_hub.h"
#include "find_item.h"
#include "main_window.h"
#include "patience.h"

#include <QDropEvent>
#include <QElapsedTimer>
#include <QMap>
#include <QMimeData>

#include <cmath>
#include <functional>
#include <set>

using namespace minerva::app;

namespace {

// Popups are children of the items they belong to.
std::vector<QObject*> popupsOf(const MainWindow& minerva, const char* kind) {
  std::vector<QObject*> found;
  visit(minerva.window->contentItem(), [&](QQuickItem* item) {
    for (QObject* child : item->children())
      if (child->inherits(kind)) found.push_back(child);
  });
  return found;
}

QQuickItem* lastButton(const MainWindow& minerva, const QString& text) {
  QQuickItem* found = nullptr;
  visit(minerva.window->contentItem(), [&](QQuickItem* item) {
    if (item->inherits("QQuickAbstractButton") && item->property("text").toString() == text) found = item;
  });
  return found;
}

QPoint middleOf(const QQuickItem* item) { return item->mapToScene(QPointF(item->width() / 2, item->height() / 2)).toPoint(); }

bool isTipShown(const MainWindow& minerva) {
  bool shown = false;
  visit(minerva.window->contentItem(), [&](QQuickItem* item) {
    for (QObject* child : item->children()) shown = shown || (child->inherits("QQuickToolTip") && child->property("visible").toBool());
  });
  return shown;
}

void letReply(const MainWindow& minerva, int times) {
  ChatController* chat = minerva.services->chat();
  minerva.services->settings()->set_maxTokens(4);
  for (int i = 0; i < times; ++i) {
    QVERIFY(chat->send(QStringLiteral("Who are you?")));
    QTRY_VERIFY(!chat->isGenerating());
  }
}

void drop(const MainWindow& minerva, const QList<QUrl>& files) {
  QMimeData data;
  data.setUrls(files);
  const QPoint place(minerva.window->width() / 2, minerva.window->height() / 2);
  QDragEnterEvent enter(place, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(minerva.window, &enter);
  QDropEvent dropped(place, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(minerva.window, &dropped);
}

// Glyphs and buttons that are covered by a visible vertical scroll bar.
QStringList underScrollBars(const MainWindow& minerva) {
  QStringList wrong;
  visit(minerva.window->contentItem(), [&](QQuickItem* bar) {
    if (!bar->inherits("QQuickScrollBar") || bar->property("orientation").toInt() != Qt::Vertical || bar->property("size").toDouble() >= 1)
      return;
    const QRectF place(bar->mapToScene(QPointF(0, 0)), QSizeF(bar->width(), bar->height()));
    visit(bar->parentItem(), [&](QQuickItem* item) {
      if (!item->inherits("QQuickText") || item->property("text").toString().isEmpty() || item->opacity() <= 0) return;
      const double wide = item->property("contentWidth").toDouble();
      const bool atTheRight = item->property("effectiveHorizontalAlignment").toInt() == Qt::AlignRight;
      const QRectF glyphs = item->mapRectToScene(
          QRectF(atTheRight ? item->width() - item->property("rightPadding").toDouble() - wide : 0, 0, wide, item->height()));
      if (glyphs.intersects(place)) wrong << item->property("text").toString();
    });
  });
  return wrong;
}

}  // namespace

class PointerTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    if (const QString missing = FakeHub::missing(); !missing.isEmpty()) QSKIP(qPrintable(missing));
  }

  void noToolTipLiesOverAMenu() {
    MainWindow minerva;
    QVERIFY(minerva.start());
    letReply(minerva, 1);
    minerva.services->compare()->tryBuiltIn();
    QTRY_VERIFY(minerva.services->compare()->state() == CompareController::Done);
    int tried = 0;
    for (const QString& page : pageKeys()) {
      minerva.show(page);
      QTest::qWait(300);
      for (QObject* menu : popupsOf(minerva, "QQuickMenu")) {
        const auto* opener = qobject_cast<QQuickItem*>(menu->parent());
        if (!opener->inherits("QQuickAbstractButton") || !opener->isVisible() || !opener->isEnabled()) continue;
        QTest::mouseMove(minerva.window, middleOf(opener));
        QTest::mouseClick(minerva.window, Qt::LeftButton, Qt::NoModifier, middleOf(opener));
        QTRY_VERIFY(menu->property("visible").toBool());
        for (int i = 0; i < 16; ++i) {
          QTest::qWait(50);
          QVERIFY2(!isTipShown(minerva), qPrintable(page + QStringLiteral(": over the menu of ") + opener->property("text").toString()));
        }
        QTest::keyClick(minerva.window, Qt::Key_Escape);
        QTRY_VERIFY(!menu->property("visible").toBool());
        QTest::mouseMove(minerva.window, QPoint(2, 2));
        QTest::mouseMove(minerva.window, middleOf(opener));
        QTRY_VERIFY2(isTipShown(minerva), qPrintable(page + QStringLiteral(": no tip any more")));
        QTest::mouseMove(minerva.window, QPoint(2, 2));
        ++tried;
      }
    }
    QVERIFY2(tried >= 4, qPrintable(QString::number(tried)));
  }

  void modelsDroppedOnTheComparisonAreCompared() {
    MainWindow minerva(QStringLiteral("compare"));
    QVERIFY(minerva.start());
    const ColumnModel* columns = minerva.services->compare()->columns();
    const QString loaded = minerva.services->inference()->model().path;
    drop(minerva, {QUrl::fromLocalFile(QStringLiteral("/models/one.gguf")), QUrl::fromLocalFile(QStringLiteral("/models/two.gguf"))});
    QCOMPARE(minerva.page(), QStringLiteral("compare"));
    QCOMPARE(columns->count(), 2);
    QCOMPARE(columns->columns()[0].model.path, QStringLiteral("/models/one.gguf"));
    QCOMPARE(columns->columns()[1].model.path, QStringLiteral("/models/two.gguf"));
    QCOMPARE(minerva.services->inference()->model().path, loaded);
  }

  void anEmbeddingModelIsNoModelToCompare() {
    MainWindow minerva(QStringLiteral("compare"));
    QVERIFY(minerva.start());
    ModelLibrary* library = minerva.services->library();
    library->add(QStringLiteral(MINERVA_REFERENCE_DIR "/oracle-2026/embeddings/bert-cls/hf"));
    QTRY_COMPARE(library->embeddingModels().size(), 1);
    QVERIFY(QMetaObject::invokeMethod(minerva.singleton<QObject>("Actions"), "trigger", Q_ARG(QString, QStringLiteral("compare.add"))));
    QMap<QString, bool> offered;
    const auto look = [&](QQuickItem* item) {
      if (item->inherits("QQuickMenuItem")) offered[item->property("text").toString()] = item->isEnabled();
    };
    for (int row = 0; row < library->rowCount({}); ++row) {
      const QString name = library->index(row).data(ModelLibrary::NameRole).toString();
      QTRY_VERIFY2((visit(minerva.window->contentItem(), look), offered.contains(name)), qPrintable(name));
      QCOMPARE(offered[name], !library->index(row).data(ModelLibrary::EmbedsRole).toBool());
    }
  }

  void whatWasSavedIsSaidOfTheShownComparisonOnly() {
    MainWindow minerva(QStringLiteral("compare"));
    QVERIFY(minerva.start());
    CompareController* compare = minerva.services->compare();
    compare->tryBuiltIn();
    QTRY_COMPARE(compare->state(), CompareController::Done);
    QTRY_COMPARE(compare->runs()->count(), 1);
    QQuickItem* exporter = nullptr;
    visit(minerva.window->contentItem(), [&](QQuickItem* item) {
      if (QByteArray(item->metaObject()->className()).startsWith("ExportButton_QMLTYPE")) exporter = item;
    });
    QVERIFY(exporter != nullptr);
    const QUrl file = QUrl::fromLocalFile(minerva.folder() + QStringLiteral("/out.md"));
    QVERIFY(QMetaObject::invokeMethod(exporter, "save", Q_ARG(QUrl, file), Q_ARG(QString, QStringLiteral("md"))));
    QVERIFY2(exporter->property("said").toString().contains(QStringLiteral("out.md")), qPrintable(exporter->property("said").toString()));
    compare->startOver();
    compare->open(compare->runs()->idAt(0));
    QTRY_COMPARE(compare->state(), CompareController::Done);
    QCOMPARE(exporter->property("said").toString(), QString());
  }

  void aScrollBarLiesBesideTheFigures_data() {
    QTest::addColumn<QSize>("size");
    QTest::newRow("wide") << QSize(1280, 800);
    QTest::newRow("narrow") << QSize(560, 700);
  }

  void aScrollBarLiesBesideTheFigures() {
    QFETCH(QSize, size);
    MainWindow minerva(QStringLiteral("chat"), size);
    QVERIFY(minerva.start());
    letReply(minerva, 15);
    for (const QString& page : pageKeys()) {
      minerva.show(page);
      QTest::qWait(400);
      QTRY_VERIFY2(underScrollBars(minerva).isEmpty(), qPrintable(page + QStringLiteral(": ") + underScrollBars(minerva).join(u'|')));
    }
  }

  void aSettingsNameStandsBesideItsControl() {
    MainWindow minerva(QStringLiteral("settings"), QSize(1280, 800));
    QVERIFY(minerva.start());
    // Of each row without a note, how far its name lies above its control; "" if none lies off.
    int alone = 0;
    const auto misplacedName = [&] {
      QString wrong;
      alone = 0;
      visit(minerva.window->contentItem(), [&](QQuickItem* row) {
        if (!QByteArray(row->metaObject()->className()).startsWith("SettingRow_QMLTYPE")) return;
        const QString title = row->property("title").toString();
        if (!row->property("note").toString().isEmpty() || title.isEmpty()) return;
        QQuickItem *name = nullptr, *control = nullptr;
        visit(row, [&](QQuickItem* item) {
          if (item->inherits("QQuickText") && item->property("text").toString() == title) name = item;
          if (control == nullptr && (item->inherits("QQuickSlider") || item->inherits("QQuickComboBox") || item->inherits("QQuickSwitch")))
            control = item;
        });
        if (name == nullptr || control == nullptr) return;
        ++alone;
        const double gap =
            name->mapToItem(row, QPointF(0, name->height() / 2)).y() - control->mapToItem(row, QPointF(0, control->height() / 2)).y();
        if (std::abs(gap) > 1.5) wrong = QStringLiteral("%1 lies %2 pixels off").arg(title).arg(gap);
      });
      return wrong;
    };
    QTRY_VERIFY2(misplacedName().isEmpty() && alone >= 3, qPrintable(misplacedName()));
  }

  // While its slider is dragged, the window keeps its scale: the slider would move away under the pointer.
  void theScaleIsSetWhenItsSliderIsReleased() {
    MainWindow minerva(QStringLiteral("settings"), QSize(1280, 800));
    QVERIFY(minerva.start());
    minerva.services->settingsModel()->setSearch(QStringLiteral("Interface scale"));
    QTest::qWait(300);
    QQuickItem* slider = nullptr;
    visit(minerva.window->contentItem(), [&](QQuickItem* row) {
      if (!row->inherits("QQuickSlider")) return;
      if (row->property("from").toDouble() == 0.75 && row->property("to").toDouble() == 2) slider = row;
    });
    QVERIFY(slider != nullptr);
    const Settings* settings = minerva.services->settings();
    QCOMPARE(settings->uiScale(), 1.0);
    const auto* handle = slider->property("handle").value<QQuickItem*>();
    const QPoint from = middleOf(handle);
    const double distance = 30, whole = slider->property("availableWidth").toDouble() - handle->width(), step = 0.05;
    QTest::mousePress(minerva.window, Qt::LeftButton, Qt::NoModifier, from);
    for (int moved = 5; moved <= distance; moved += 5) {
      QTest::mouseMove(minerva.window, from + QPoint(moved, 0));
      QTest::qWait(30);
      QCOMPARE(settings->uiScale(), 1.0);
    }
    QTest::mouseRelease(minerva.window, Qt::LeftButton, Qt::NoModifier, from + QPoint(static_cast<int>(distance), 0));
    const double expected = 1 + 1.25 * distance / whole;
    QVERIFY2(std::abs(settings->uiScale() - expected) <= step,
             qPrintable(QStringLiteral("%1, not %2").arg(settings->uiScale()).arg(expected)));
    const double released = settings->uiScale();
    slider->forceActiveFocus();
    QTest::keyClick(minerva.window, Qt::Key_Left);
    QVERIFY2(std::abs(settings->uiScale() - (released - step)) < 1e-6, qPrintable(QString::number(settings->uiScale())));
  }

  void discoverPutsTheCursorIntoItsField() {
    MainWindow minerva(QStringLiteral("models"));
    QVERIFY(minerva.start());
    QTest::qWait(300);
    QQuickItem* tab = lastButton(minerva, QStringLiteral("Discover"));
    QVERIFY(tab != nullptr);
    QTest::mouseClick(minerva.window, Qt::LeftButton, Qt::NoModifier, middleOf(tab));
    QTRY_VERIFY(minerva.focused() != nullptr && minerva.focused()->inherits("QQuickTextField"));
    QTest::keyClick(minerva.window, Qt::Key_A);
    QCOMPARE(minerva.focused()->property("text").toString(), QStringLiteral("a"));
  }

  // A button that the user is about to press must not move when the header has been read.
  void downloadKeepsItsPlaceWhenTheHeaderHasBeenRead() {
    QJsonObject files;  // everything needed to run the model, so that no message appears above the list
    for (const char* name : {"model.safetensors", "config.json", "tokenizer.json", "tokenizer_config.json"})
      files[QLatin1String(name)] =
          QJsonObject{{QStringLiteral("path"), QStringLiteral(MINERVA_SOURCE_DIR "/resources/builtin-model/") + QLatin1String(name)}};
    const FakeHub hub(files, {{QStringLiteral("rate"), 20000}});
    qputenv("HF_ENDPOINT", hub.access().endpoint.toString().toUtf8());
    MainWindow minerva(QStringLiteral("models"));
    qunsetenv("HF_ENDPOINT");
    QVERIFY(minerva.start());
    HubService* service = minerva.services->hub();
    QQuickItem* discover = lastButton(minerva, QStringLiteral("Discover"));
    QVERIFY(discover != nullptr);
    QTest::mouseClick(minerva.window, Qt::LeftButton, Qt::NoModifier, middleOf(discover));
    service->open(QStringLiteral("org/model"));
    std::set<double> places;
    bool seenReading = false;
    QQuickItem* first = nullptr;
    QElapsedTimer shown;  // new items are laid out with the next frames
    QVERIFY(QTest::qWaitFor(
        [&] {
          if (service->property("choices").toList().isEmpty()) return false;
          if (!shown.isValid()) shown.start();
          if (shown.elapsed() < 200) return false;
          seenReading = seenReading || service->property("reading").toBool();
          if (first == nullptr && (first = lastButton(minerva, QStringLiteral("Download"))) != nullptr)
            first->forceActiveFocus(Qt::TabFocusReason);
          if (const QQuickItem* download = lastButton(minerva, QStringLiteral("Download")))
            places.insert(download->mapToScene(QPointF(0, 0)).y() + download->height() / 2);
          return seenReading && !service->property("reading").toBool();
        },
        patienceMs));
    QTest::qWait(300);
    const QQuickItem* download = lastButton(minerva, QStringLiteral("Download"));
    QVERIFY(download != nullptr && download == first && download == minerva.focused());
    places.insert(download->mapToScene(QPointF(0, 0)).y() + download->height() / 2);
    QVERIFY2(*places.rbegin() - *places.begin() <= 1,
             qPrintable(QStringLiteral("from %1 to %2").arg(*places.begin()).arg(*places.rbegin())));
  }
};

APP_TEST(PointerTest, "pointer", QGuiApplication)
#include "tst_pointer.moc"
