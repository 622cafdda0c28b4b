// A GPU that stops answering in the middle of a reply: the model is loaded again on a new device, the conversation goes on; after a second
// time it runs on the CPU, and the window says so. A GPU whose driver forgets all while the system sleeps is no such GPU. Skipped without a
// Vulkan device.
#include "app/chat/chat_controller.h"
#include "app/chat/store_thread.h"
#include "app/inference/inference_controller.h"
#include "app/settings/presets.h"
#include "app/settings/settings.h"
#include "tests/gpu/describing_loader/describing_loader.h"
#include "tests/gpu/fault_loader/fault_loader.h"
#include "app_test.h"
#include "patience.h"
#include "sample_models.h"

#include <QSignalSpy>
#include <QTemporaryDir>

#include <algorithm>
#include <dlfcn.h>
#include <memory>

using namespace minerva::app;
using minerva::tests::Fault;

namespace {

const QString gpu = QStringLiteral("vulkan:0");
#ifdef MINERVA_FAULT_LOADER
const char* const faultLoader = MINERVA_FAULT_LOADER;
const char* const describingLoader = MINERVA_DESCRIBING_LOADER;
#else  // a build without Vulkan: skipped
const char* const faultLoader = "";
const char* const describingLoader = "";
#endif

double secondsSlept = 0;

}  // namespace

class DeviceLossTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    minerva::BackendOptions options;
    options.vulkanLoader = faultLoader;
    const minerva::AvailableDevices all = minerva::availableDevices(options);
    if (std::ranges::none_of(all.devices, [](const auto& device) { return device.id == "vulkan:0"; })) QSKIP("no Vulkan device");
    void* library = dlopen(faultLoader, RTLD_NOW | RTLD_LOCAL);
    QVERIFY2(library != nullptr, dlerror());
    m_arm = reinterpret_cast<decltype(m_arm)>(dlsym(library, "faultArm"));
    m_hit = reinterpret_cast<decltype(m_hit)>(dlsym(library, "faultHit"));
    QVERIFY(m_arm != nullptr && m_hit != nullptr);
  }

  void init() {
    m_arm(static_cast<int>(Fault::none), 0);
    minerva::BackendOptions options;
    options.vulkanLoader = faultLoader;
    open(options);
  }
  void open(const minerva::BackendOptions& options) {
    cleanup();
    m_controller = std::make_unique<InferenceController>(options);
    m_controller->setPreferences({.device = gpu});
    m_folder = std::make_unique<QTemporaryDir>();
    m_settings = std::make_unique<Settings>(m_folder->filePath(QStringLiteral("settings.ini")));
    m_settings->set_temperature(0);
    m_settings->set_maxTokens(60);
    m_presets = std::make_unique<Presets>(m_settings.get());
    m_store = std::make_unique<StoreThread>(m_folder->filePath(QStringLiteral("chat.sqlite")));
    m_chat = std::make_unique<ChatController>(m_controller.get(), m_store.get(), m_presets.get());
  }
  void cleanup() {
    m_chat.reset();
    m_store.reset();
    m_controller.reset();
  }

  void aReplyIsContinuedOnANewDeviceAndThenOnTheCpu() {
    m_controller->load(builtIn);
    QVERIFY(waitUntilReady());
    QCOMPARE(m_controller->device().id, gpu);
    const QSignalSpy loaded(m_controller.get(), &InferenceController::loaded);

    loseDeviceSoon();
    QVERIFY(m_chat->send(QStringLiteral("Tell me a story about a cat")));
    QTRY_COMPARE(loaded.size(), 1);  // by itself
    QVERIFY(waitUntilReady());
    QCOMPARE(m_controller->device().id, gpu);
    QVERIFY(!m_controller->device().fallback || !m_controller->device().reason.contains(QLatin1String("lost")));
    const QString begun = textAt(1);
    QVERIFY(!begun.isEmpty());
    const auto first = at(1, MessageModel::ErrorRole).value<ErrorInfo>();
    QVERIFY2(first.details.contains(QLatin1String("VK_ERROR_DEVICE_LOST")), qPrintable(first.details));
    QVERIFY2(all(first).contains(QLatin1String("loaded again")), qPrintable(all(first)));
    m_arm(static_cast<int>(Fault::none), 0);
    QVERIFY(m_chat->continueReply(1, begun));
    QVERIFY(waitUntilReady());
    QVERIFY2(textAt(1).startsWith(begun) && textAt(1).size() > begun.size(), qPrintable(textAt(1)));

    loseDeviceSoon();
    QVERIFY(m_chat->send(QStringLiteral("And a dog?")));
    QTRY_COMPARE(loaded.size(), 2);
    QVERIFY(waitUntilReady());
    m_arm(static_cast<int>(Fault::none), 0);
    const auto second = at(3, MessageModel::ErrorRole).value<ErrorInfo>();
    QVERIFY2(all(second).contains(QLatin1String("on the CPU")), qPrintable(all(second)));
    QCOMPARE(m_controller->device().id, QStringLiteral("cpu"));
    QVERIFY(m_controller->device().fallback);
    QVERIFY2(m_controller->device().reason.contains(QLatin1String("lost twice")), qPrintable(m_controller->device().reason));
    QVERIFY(m_chat->regenerate(3));
    QVERIFY(waitUntilReady());
    QVERIFY(!textAt(3).isEmpty());
    QCOMPARE(m_chat->messages()->count(), 4);

    m_controller->reload();  // as the reason says
    QTRY_COMPARE(loaded.size(), 3);
    QVERIFY(waitUntilReady());
    QCOMPARE(m_controller->device().id, gpu);
  }

  void aDeviceLostWhileLoadingIsOpenedOnceMore() {
    m_arm(static_cast<int>(Fault::lost), 200);
    m_controller->load(builtIn);
    QVERIFY(waitUntilReady());
    QVERIFY2(QByteArray(m_hit()) != "", "it was not lost");
    QCOMPARE(m_controller->device().id, gpu);
  }

  void aDeviceLostInEveryLoadLeavesTheCpu() {
    m_arm(static_cast<int>(Fault::lostEach), 200);
    m_controller->load(builtIn);
    QVERIFY(waitUntilReady());
    QCOMPARE(m_controller->device().id, QStringLiteral("cpu"));
    QVERIFY(m_controller->device().fallback);
    QVERIFY2(m_controller->device().reason.contains(QLatin1String("VK_ERROR_DEVICE_LOST")), qPrintable(m_controller->device().reason));
    QVERIFY(m_chat->send(QStringLiteral("Hello")));
    QVERIFY(waitUntilReady());
    QVERIFY(!textAt(1).isEmpty());
  }

  void aModelThatDidNotSurviveTheSystemsSleepIsLoadedAgainForTheNextRequest() {
    void* library = dlopen(describingLoader, RTLD_NOW | RTLD_LOCAL);
    QVERIFY2(library != nullptr, dlerror());
    const auto describe = reinterpret_cast<decltype(minerva::tests::DescribingControls::describe)>(dlsym(library, "describingDescribe"));
    QCOMPARE(describe(MINERVA_SOURCE_DIR "/tests/gpu/devices/rtx-4090.json", false), "");
    minerva::BackendOptions options;
    options.vulkanLoader = describingLoader;
    options.sleep = {[] { return secondsSlept; }, "/nowhere"};
    open(options);
    m_controller->load(builtIn);
    QVERIFY(waitUntilReady());
    const QSignalSpy loaded(m_controller.get(), &InferenceController::loaded);
    for (int nights = 1; nights <= 3; ++nights) {
      secondsSlept += 8 * 3600;
      QVERIFY(m_chat->send(QStringLiteral("Hello")));
      QVERIFY(waitUntilReady());
      const int reply = 2 * nights - 1;
      QVERIFY2(at(reply, MessageModel::ErrorRole).value<ErrorInfo>().headline.isEmpty(), "the reply waits for the load");
      QVERIFY(!textAt(reply).isEmpty());
      QCOMPARE(loaded.size(), nights);
      QCOMPARE(m_controller->device().id, gpu);
    }
  }

  // Two devices of this driver, each too small for the model alone.
  void devicesThatShareAModelAreMadeAgainTogether() {
    const QString both = gpu + QLatin1Char('+') + gpu;
    m_controller->load(builtIn);
    QVERIFY(waitUntilReady());
    const auto needed = static_cast<quint64>(m_controller->model().heldBytes);
    m_controller->setPreferences({.device = both, .gpuMemory = needed * 3 / 4});
    m_controller->load(builtIn);
    QTRY_COMPARE_WITH_TIMEOUT(m_controller->device().parts.size(), 3, patienceMs);
    QVERIFY(waitUntilReady());
    const QVariantList parts = m_controller->device().parts;
    const QSignalSpy loaded(m_controller.get(), &InferenceController::loaded);
    for (int losses = 1; losses <= 2; ++losses) {
      loseDeviceSoon();
      QVERIFY(m_chat->send(QStringLiteral("Tell me a story about a cat")));
      QTRY_COMPARE_WITH_TIMEOUT(loaded.size(), losses, patienceMs);
      QVERIFY(waitUntilReady());
      m_arm(static_cast<int>(Fault::none), 0);
      const auto error = at(2 * losses - 1, MessageModel::ErrorRole).value<ErrorInfo>();
      QVERIFY2(error.details.contains(QLatin1String("vulkan:0")), qPrintable(error.details));
      if (losses == 1) QCOMPARE(m_controller->device().parts, parts);
    }
    QCOMPARE(m_controller->device().id, QStringLiteral("cpu"));
    QVERIFY(m_controller->device().parts.isEmpty());
    QVERIFY2(m_controller->device().reason.contains(QLatin1String("lost twice")), qPrintable(m_controller->device().reason));
  }

 private:
  // In some tokens, of which each takes two calls; before the first one there are calls that record the steps' commands.
  void loseDeviceSoon() { m_arm(static_cast<int>(Fault::lost), 40); }
  bool waitUntilReady() {
    return QTest::qWaitFor([this] { return m_controller->state() == InferenceController::Ready && m_chat->canSend(); }, patienceMs);
  }
  [[nodiscard]] QVariant at(int row, MessageModel::Role role) const {
    return m_chat->messages()->data(m_chat->messages()->index(row), role);
  }
  [[nodiscard]] QString textAt(int row) const { return at(row, MessageModel::TextRole).toString(); }
  static QString all(const ErrorInfo& error) {
    return error.headline + QLatin1Char('|') + error.detail + QLatin1Char('|') + error.hint + QLatin1Char('|') + error.details;
  }

  void (*m_arm)(int, long) = nullptr;
  const char* (*m_hit)() = nullptr;
  std::unique_ptr<InferenceController> m_controller;
  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<Settings> m_settings;
  std::unique_ptr<Presets> m_presets;
  std::unique_ptr<StoreThread> m_store;
  std::unique_ptr<ChatController> m_chat;
};

APP_TEST(DeviceLossTest, "device_loss", QCoreApplication)
#include "tst_device_loss.moc"
