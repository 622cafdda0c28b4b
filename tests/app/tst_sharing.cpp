// A model on several devices in the window: the choice of all GPUs, the panel's words and shares, what happens where memory is too small,
// and a device that is lost. Two GPUs are a software driver's device used twice; skipped without a Vulkan device.
//
// With MINERVA_PICTURES=FOLDER each screen is also saved as a PNG for inspection.
#include "app/inference/describe.h"
#include "app/inference/device_check.h"
#include "app/inference/device_model.h"
#include "app/shell/language.h"
#include "app_test.h"
#include "patience.h"
#include "screen_checks.h"

#include <QAccessible>
#include <QDir>

#include <algorithm>

using namespace minerva::app;

namespace {

const QString twice = QStringLiteral("vulkan:0+vulkan:0");

minerva::backend::DeviceInfo gpuNamed(const char* id, const char* name, const char* uuid) {
  minerva::backend::DeviceInfo gpu;
  gpu.id = id;
  gpu.kind = "Vulkan";
  gpu.name = name;
  gpu.uuid = uuid;
  gpu.shares = true;
  return gpu;
}

minerva::AvailableDevices machine(const std::vector<minerva::backend::DeviceInfo>& gpus) {
  minerva::AvailableDevices all;
  all.devices = gpus;
  minerva::backend::DeviceInfo cpu;
  cpu.id = "cpu";
  cpu.kind = "CPU";
  all.devices.push_back(cpu);
  return all;
}

std::vector<QQuickItem*> sharingLines(const MainWindow& minerva) {
  std::vector<QQuickItem*> lines;
  visit(minerva.window->contentItem(), [&](QQuickItem* item) {
    if (item->objectName() == QLatin1String("sharingDevice")) lines.push_back(item);
  });
  return lines;
}

}  // namespace

class SharingTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void allGpusCanBeChosenWhereThereAreSeveral() {
    const auto a = gpuNamed("vulkan:0", "GPU A", "aa"), b = gpuNamed("vulkan:1", "GPU B", "bb");
    auto software = gpuNamed("vulkan:2", "llvmpipe", "cc");
    software.software = true;
    const auto again = gpuNamed("vulkan:3", "GPU A, another driver", "aa");
    DeviceModel model;
    BandwidthBook book;
    DeviceCheck check({}, {}, &book);
    for (const auto& one : {machine({a}), machine({a, software}), machine({a, again})}) {
      model.setDevices(one);
      check.setDevices(one);
      QCOMPARE(model.indexOf(QStringLiteral("gpus")), -1);
      QVERIFY(!check.severalGpus());
    }
    model.setDevices(machine({a, b, software}));
    check.setDevices(machine({a, b, software}));
    QCOMPARE(model.indexOf(QStringLiteral("gpus")), 1);
    QCOMPARE(model.rowCount(), 6);  // automatic, all, and each
    QCOMPARE(model.data(model.index(1), DeviceModel::TitleRole).toString(), QStringLiteral("All GPUs"));
    QVERIFY(check.severalGpus());
    for (const char* there : {"gpus", "aa", "vulkan:1", "aa+bb", "vulkan:0+bb+cpu"}) QVERIFY2(check.isThere(QLatin1String(there)), there);
    for (const char* gone : {"dd", "aa+dd", "vulkan:9", "aa+", "+"}) QVERIFY2(!check.isThere(QLatin1String(gone)), gone);
  }

  void theBadgeHasEveryDevicesShare() {
    minerva::backend::DeviceInfo info = gpuNamed("vulkan:0+vulkan:1+cpu", "2 × GPU A", "aa");
    info.parts = {{"vulkan:0", "GPU A", 48, 0, 600}, {"vulkan:1", "GPU A", 30, 0, 300}, {"cpu", "Some CPU", 2, 3, 100}};
    info.handedOver = 4096;
    const DeviceBadge badge = describeDevice(info, {}, {}, {});
    QCOMPARE(badge.parts.size(), 3);
    const QVariantMap first = badge.parts[0].toMap(), last = badge.parts[2].toMap();
    QCOMPARE(first[QStringLiteral("name")].toString(), QStringLiteral("GPU A (vulkan:0)"));
    QCOMPARE(first[QStringLiteral("layers")].toInt(), 48);
    QCOMPARE(first[QStringLiteral("share")].toDouble(), 0.6);
    QCOMPARE(last[QStringLiteral("name")].toString(), QStringLiteral("CPU"));
    QCOMPARE(last[QStringLiteral("experts")].toInt(), 3);
    QCOMPARE(last[QStringLiteral("share")].toDouble(), 0.1);
    QCOMPARE(badge.handedOver, 4096.0);
    QVERIFY(!badge.fallback);
    info.parts.clear();
    QVERIFY(describeDevice(info, {}, {}, {}).parts.isEmpty());
    info.kind = "Vulkan and CPU";
    QVERIFY(describeDevice(info, {}, {}, {}).text.startsWith(QStringLiteral("Vulkan and CPU · ")));
    const QLocale before;
    QLocale::setDefault(QLocale::German);
    const QString german = describeDevice(info, {}, {}, {}).text;
    QLocale::setDefault(before);
    QVERIFY2(german.startsWith(QStringLiteral("Vulkan und CPU · ")), qPrintable(german));
  }

  void thePanelShowsEveryDevice_data() { addScreenRows(); }

  void thePanelShowsEveryDevice() {
    if (!hasVulkan()) QSKIP("no Vulkan device");
    QFETCH(QString, language);
    QFETCH(double, scale);
    QFETCH(QSize, size);
    QFETCH(QString, theme);
    useLanguage(language);
    MainWindow minerva(QStringLiteral("chat"), size, theme);
    minerva.services->settings()->set_uiScale(scale);
    QVERIFY(minerva.start());
    QVERIFY(sharingLines(minerva).empty());
    InferenceController* inference = minerva.services->inference();
    const QString model = inference->model().path;
    constexpr quint64 room = 13'600'000;  // of each device, for two of the built-in model's layers and what computes them
    inference->setPreferences({.device = twice + QLatin1String("+cpu"), .gpuMemory = room, .sequences = 1});
    const QSignalSpy loaded(inference, &InferenceController::loaded);
    inference->load(model);
    QTRY_COMPARE(loaded.size(), 1);
    const QVariantList parts = inference->device().parts;
    QVERIFY2(parts.size() >= 2, qPrintable(inference->device().detail));
    if (size.width() > 1000 && scale < 1.5) QTRY_COMPARE(static_cast<int>(sharingLines(minerva).size()), static_cast<int>(parts.size()));
    double shares = 0;
    const auto lines = sharingLines(minerva);
    for (qsizetype i = 0; i < parts.size(); ++i) {
      const QVariantMap part = parts[i].toMap();
      shares += part[QStringLiteral("share")].toDouble();
      if (lines.empty()) continue;
      const QString said = QAccessible::queryAccessibleInterface(lines[static_cast<std::size_t>(i)])->text(QAccessible::Name);
      QVERIFY2(said.startsWith(part[QStringLiteral("name")].toString() + QLatin1String(": ")), qPrintable(said));
      const int layers = part[QStringLiteral("layers")].toInt();
      const QString word = language == QLatin1String("de") ? (layers == 1 ? QStringLiteral("Schicht") : QStringLiteral("Schichten"))
                                                           : (layers == 1 ? QStringLiteral("layer") : QStringLiteral("layers"));
      if (layers > 0) QVERIFY2(said.contains(QStringLiteral(": %1 %2").arg(layers).arg(word)), qPrintable(said));
    }
    QVERIFY(std::abs(shares - 1) < 1e-9);
    look(minerva, QStringLiteral("sharing-%1-%2-%3-%4.png").arg(language, theme).arg(scale).arg(size.width()));
  }

  // Both devices are too small together: the rest goes to the CPU, then all of it; the badge says why.
  void devicesThatAreTooSmallShareWithTheCpuAndSayWhy() {
    if (!hasVulkan()) QSKIP("no Vulkan device");
    const QString model = QStringLiteral(MINERVA_SOURCE_DIR "/resources/builtin-model");
    InferenceController controller;
    QSignalSpy loaded(&controller, &InferenceController::loaded);
    const auto load = [&](quint64 memory) {
      controller.setPreferences({.device = twice, .gpuMemory = memory, .sequences = 1});
      loaded.clear();
      controller.load(model);
      return QTest::qWaitFor([&] { return loaded.size() == 1; }, patienceMs);
    };
    QVERIFY(load(1'000'000'000));
    QCOMPARE(controller.device().id, QStringLiteral("vulkan:0"));  // one holds all of it
    QVERIFY(controller.device().parts.isEmpty());
    const auto needed = static_cast<quint64>(controller.model().heldBytes);
    QVERIFY(load(needed * 3 / 4));
    QCOMPARE(controller.device().parts.size(), 3);
    QVERIFY(!controller.device().fallback || !controller.device().reason.contains(QLatin1String("does not fit")));
    QVERIFY2(controller.device().detail.contains(QLatin1String("because it does not fit on vulkan:0 alone")),
             qPrintable(controller.device().detail));
    constexpr quint64 sums = 4 << 20;                  // room for partial sums, which every device has
    QVERIFY(load((needed - sums) * 42 / 100 + sums));  // one layer each, and what computes them
    QCOMPARE(controller.device().id, QStringLiteral("vulkan:0+vulkan:0+cpu"));
    QVERIFY(controller.device().fallback);
    QVERIFY2(controller.device().reason.contains(QLatin1String("does not fit")), qPrintable(controller.device().reason));
    QVERIFY(controller.device().parts.last().toMap()[QStringLiteral("layers")].toInt() > 0);
    QVERIFY(load(100'000));
    QCOMPARE(controller.device().id, QStringLiteral("cpu"));
    QVERIFY(controller.device().fallback);
  }

  void cleanup() { useLanguage(QStringLiteral("en")); }

 private:
  static bool hasVulkan() {
    const auto all = minerva::availableDevices();
    return std::ranges::any_of(all.devices, [](const auto& device) { return device.id == "vulkan:0"; });
  }
  static void look(const MainWindow& minerva, const QString& name) {
    QTest::qWait(250);
    const QString folder = qEnvironmentVariable("MINERVA_PICTURES");
    if (!folder.isEmpty()) QVERIFY(minerva.window->grabWindow().save(QDir(folder).filePath(name)));
    QStringList wrong = overlaps(minerva.window->contentItem());
    wrong << misplaced(minerva.window->contentItem(), minerva.window);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(QStringLiteral("; "))));
  }
};

APP_TEST(SharingTest, "sharing", QGuiApplication)
#include "tst_sharing.moc"
