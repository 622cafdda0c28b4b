// What the panel knows of the device and of a loaded model: bandwidth, the type of the cache, what conversations hold.
#include "app/metrics/panel_model.h"
#include "core/backend/kv_pages.h"
#include "app_test.h"
#include "inference_bench.h"
#include "long_winded.h"
#include "patience.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtEndian>

#include <algorithm>
#include <cmath>

using namespace minerva::app;
namespace engine = minerva::engine;

namespace {

// A copy of the other model in which the matrices whose names contain one of these words are float32.
QString withFloats(const QString& copy, const QStringList& words) {
  QDir().mkpath(copy);
  const QString weights = QStringLiteral("model.safetensors");
  for (const QFileInfo& file : QDir(anotherModel).entryInfoList(QDir::Files))
    if (file.fileName() != weights) QFile::copy(file.filePath(), copy + u'/' + file.fileName());
  QFile from(anotherModel + u'/' + weights), to(copy + u'/' + weights);
  if (!from.open(QIODevice::ReadOnly) || !to.open(QIODevice::WriteOnly)) qFatal("no weights");
  const QByteArray all = from.readAll();
  const auto length = static_cast<qsizetype>(qFromLittleEndian<quint64>(all.constData()));
  QJsonObject header = QJsonDocument::fromJson(all.mid(8, length)).object();
  QByteArray data;
  for (const QString& name : header.keys()) {
    if (name.startsWith(u'_')) continue;
    QJsonObject tensor = header[name].toObject();
    const QJsonArray place = tensor[QStringLiteral("data_offsets")].toArray();
    QByteArray bytes = all.mid(8 + length + place[0].toInteger(), place[1].toInteger() - place[0].toInteger());
    if (std::ranges::any_of(words, [&](const QString& word) { return name.contains(word); })) {
      QByteArray wide(2 * bytes.size(), '\0');  // a bfloat16 number is the upper half of a float32 number
      for (qsizetype i = 0; i < bytes.size(); ++i) wide[2 * (i - i % 2) + 2 + i % 2] = bytes[i];
      bytes = wide;
      tensor[QStringLiteral("dtype")] = QStringLiteral("F32");
    }
    tensor[QStringLiteral("data_offsets")] = QJsonArray{qint64{data.size()}, qint64{data.size() + bytes.size()}};
    data += bytes;
    header[name] = tensor;
  }
  QByteArray text = QJsonDocument(header).toJson(QJsonDocument::Compact);
  text.append((8 - text.size() % 8) % 8, ' ');
  const quint64 size = qToLittleEndian(static_cast<quint64>(text.size()));
  to.write(reinterpret_cast<const char*>(&size), sizeof size);
  to.write(text + data);
  return copy;
}

}  // namespace

class PanelFactsTest : public InferenceBench {
  Q_OBJECT
 private Q_SLOTS:
  void init() { begin(); }
  void cleanup() { m_controller.reset(); }

  void bandwidthIsMeasuredWhileIdle() {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("bandwidths.json"));
    m_controller->bandwidths().keepIn(file);
    QVERIFY(!m_controller->bandwidth().curve.isKnown());
    load(builtIn);
    QTRY_VERIFY(m_controller->bandwidth().curve.isKnown());
    const MeasuredBandwidth measured = m_controller->bandwidth();
    QVERIFY(measured.curve.fromMemory() > 1e8);
    QVERIFY(measured.when.secsTo(QDateTime::currentDateTime()) < 60);
    // The measurement is restored after a restart. The same device with a different number of threads counts as another
    // device.
    BandwidthBook again;
    again.keepIn(file);
    const QString key = m_controller->device().bandwidthKey;
    QCOMPARE(again.of(key).curve, measured.curve);
    QVERIFY(!again.isWanted(key));
    m_controller->setPreferences({.device = QStringLiteral("cpu"), .threads = 7});
    load(builtIn);
    QVERIFY(!m_controller->bandwidth().curve.isKnown());
  }

  // A curve of two devices holds for one split of a model between them.
  void theBandwidthOfASplitIsNotThatOfAnother() {
    minerva::backend::DeviceInfo device;
    device.id = "vulkan:0+cpu";
    device.uuid = "00112233445566778899aabbccddeeff";
    device.threads = 4;
    const QString whole = BandwidthBook::keyOf(device);
    QVERIFY(whole.endsWith(QLatin1String("|vulkan:0+cpu|4")));  // as in files of earlier versions
    device.split = "950+50";
    const QString mostOnTheGpu = BandwidthBook::keyOf(device);
    device.split = "300+700";
    QVERIFY(mostOnTheGpu != whole && BandwidthBook::keyOf(device) != whole && BandwidthBook::keyOf(device) != mostOnTheGpu);
  }

  // Nothing is measured while the program computes something else.
  void bandwidthWaitsForOtherWorkAndIsMeasuredAgainWhereASpeedPassesIt() {
    minerva::backend::BandwidthCurve tooLow;
    tooLow.add({1 << 20, 1e3});
    m_controller->setBusyElsewhere(true);
    load(builtIn);
    const DeviceBadge device = m_controller->device();
    m_controller->bandwidths().add(device.bandwidthKey, tooLow);
    m_controller->bandwidthPassed(device);
    QTest::qWait(2500);
    QCOMPARE(m_controller->bandwidth().curve, tooLow);
    m_controller->setBusyElsewhere(false);
    QTRY_VERIFY(m_controller->bandwidth().curve.at(1 << 20) > 1e8);
    QVERIFY(!m_controller->bandwidths().isWanted(device.bandwidthKey));
  }

  // The panel shows the type that was chosen on loading: the setting's or, without one, the plan's. One float32 matrix
  // does not change it; float32 projections of queries, keys and values do.
  void thePanelNamesTheTypeOfTheCache() {
    const QTemporaryDir folder;
    const QString routed = withFloats(folder.filePath(QStringLiteral("one")), {QStringLiteral("layers.0.mlp.down_proj")});
    const QString floats =
        withFloats(folder.filePath(QStringLiteral("all")), {QStringLiteral("q_proj"), QStringLiteral("k_proj"), QStringLiteral("v_proj")});
    const PanelModel panel(m_controller.get(), m_controller.get());
    using minerva::model::KvType;
    const auto shows = [&](const QString& model, KvType wanted, const char* type) {
      m_controller->setPreferences({.device = QStringLiteral("cpu"), .kvType = wanted});
      load(model);
      const ModelFacts& said = m_controller->model();
      const QString name = panel.property("cacheType").toString();
      if (name != QLatin1String(type) || said.cacheType != name) qWarning("%s instead of %s", qPrintable(name), type);
      const bool same = name == QLatin1String(type) && said.cacheType == name && panel.property("cacheBytes").toDouble() == said.kvBytes;
      return same ? said.stateBytesPerPosition : 0;
    };
    const double half = shows(anotherModel, KvType::f16, "F16");
    QVERIFY(half > 0);
    QCOMPARE(shows(routed, KvType::f16, "F16"), half);
    QCOMPARE(shows(floats, KvType::f16, "F32"), 2 * half);
    const double codes = shows(floats, KvType::q8_0, "Q8_0");
    QVERIFY2(codes > 0 && codes < 0.75 * half, qPrintable(QString::number(codes)));
    m_controller->unload();
    QCOMPARE(panel.property("cacheType").toString(), QString());
  }

  // Whole pages of the positions that the conversation has computed; the last token was only sampled.
  void thePanelSaysWhatConversationsHold() {
    const QTemporaryDir folder;
    const PanelModel panel(m_controller.get(), m_controller.get());
    load(longWindedModel(folder.path()));
    QVERIFY(std::isnan(panel.property("cacheHeld").toDouble()));
    for (const int tokens : {20, 700}) {
      const HeardUpdates heard(*m_controller);
      minerva::engine::Request asked = question("Hello", tokens);
      asked.conversation = 1;
      QVERIFY(m_controller->submit(std::move(asked)) != 0);
      QTRY_VERIFY(heard.done());
      QVERIFY(heard.finished.has_value());
      constexpr int page = minerva::backend::kvPagePositions;
      const int positions = (heard.finished->contextUsed - 1 + page - 1) / page * page;
      QCOMPARE(panel.property("cacheHeld").toDouble(), positions * m_controller->model().stateBytesPerPosition);
      QVERIFY(panel.property("cacheHeld").toDouble() < panel.property("cacheBytes").toDouble());
    }
    m_controller->unload();
    QVERIFY(std::isnan(panel.property("cacheHeld").toDouble()));
  }
};

APP_TEST(PanelFactsTest, "panel_facts", QCoreApplication)
#include "tst_panel_facts.moc"
