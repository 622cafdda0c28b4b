// What a driver does not survive is not tried at every start: crashes inside a call, and devices that are lost while they are checked or
// measured.
#include "gpu/available.h"
#include "gpu/runtime/device_list.h"
#include "gpu/runtime/trial.h"
#include "gpu/runtime/vulkan_backend.h"
#include "tests/core/format/temporary_folder.h"
#include "tests/gpu/describing_controls.h"
#include "tests/gpu/fault_controls.h"
#include "tests/support/random_families.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>

namespace minerva::gpu {
namespace {

using tests::Fault;

vulkan::DeviceInfo someDevice(const std::string& uuid) {
  vulkan::DeviceInfo device;
  device.uuid = uuid;
  return device;
}

Error lost() { return {.kind = ErrorKind::deviceLost, .what = "lost"}; }

TEST(Trial, WhatEndsInOrderIsForgottenAndALostDeviceIsNot) {
  const TemporaryFolder folder;
  const vulkan::DeviceInfo device = someDevice("a");
  EXPECT_FALSE(isAvoided(folder.path(), device, TrialStage::units));
  {
    Trial trial(folder.path() / "new", device, TrialStage::units);
    EXPECT_TRUE(std::filesystem::exists(trialFile(folder.path() / "new", device, TrialStage::units)));
    EXPECT_FALSE(isAvoided(folder.path() / "new", device, TrialStage::units)) << "it has not ended yet";
    const Trial other(folder.path() / "new", device, TrialStage::units);  // of another thread, say
  }
  EXPECT_FALSE(std::filesystem::exists(trialFile(folder.path() / "new", device, TrialStage::units)));
  {
    Trial trial(folder.path(), device, TrialStage::units);
    trial.failed({.kind = ErrorKind::outOfMemory, .what = "full"});
  }
  EXPECT_FALSE(isAvoided(folder.path(), device, TrialStage::units));
  {
    Trial trial(folder.path(), device, TrialStage::units);
    trial.failed(lost());
  }
  EXPECT_TRUE(isAvoided(folder.path(), device, TrialStage::units));
  EXPECT_FALSE(isAvoided(folder.path(), device, TrialStage::measuring));
  EXPECT_FALSE(isAvoided(folder.path(), someDevice("b"), TrialStage::units));
  vulkan::DeviceInfo updated = device;
  updated.driverVersion = 2;
  EXPECT_FALSE(isAvoided(folder.path(), updated, TrialStage::units));
}

// x: a try that ended the program; r: what was avoided may be tried again.
TEST(Trial, WhatEndedTheProgramIsAvoidedOnceAndThenForGood) {
  const TemporaryFolder folder;
  struct Case {
    TrialStage stage;
    std::string letters;
    bool avoided;
    std::string after;
  };
  int device = 0;
  for (const Case& c :
       {Case{TrialStage::units, "x", true, "xr"}, Case{TrialStage::units, "xr", false, "xr"}, Case{TrialStage::units, "xrx", true, "xrx"},
        Case{TrialStage::units, "xx", true, "xx"}, Case{TrialStage::unitQuery, "x", true, "xr"}, Case{TrialStage::kernels, "x", false, "x"},
        Case{TrialStage::kernels, "xx", true, "xxr"}, Case{TrialStage::kernels, "xxr", false, "xxr"},
        Case{TrialStage::kernels, "xxrx", true, "xxrx"}, Case{TrialStage::units, "", false, ""}}) {
    const vulkan::DeviceInfo info = someDevice(std::to_string(++device));
    const std::filesystem::path file = trialFile(folder.path(), info, c.stage);
    std::ofstream(file) << c.letters;
    EXPECT_EQ(isAvoided(folder.path(), info, c.stage), c.avoided) << c.letters;
    EXPECT_EQ(isAvoided(folder.path(), info, c.stage), c.avoided) << c.letters << ", again";
    EXPECT_EQ(TemporaryFolder::read(file), c.after);
  }
}

class VulkanTrials : public testing::Test {
 protected:
  void SetUp() override {
    if (listVulkanDevices({}).devices.empty()) GTEST_SKIP() << "skipped: no Vulkan device";
    ASSERT_NE(m_faults.arm, nullptr) << dlerror();
    ASSERT_NE(m_describing.describe, nullptr) << dlerror();
    m_made.emplace(tests::randomModel({.type = ElementType::Q8_0, .hidden = 64, .layers = 1, .feedForward = 64}));
    auto plan = model::buildPlan(m_made->config);
    ASSERT_TRUE(plan.has_value()) << plan.error().message();
    m_plan = std::move(*plan);
    m_validation = createVulkanBackend("vulkan:0", {.validation = true}).has_value();
  }
  void TearDown() override {
    if (m_faults.arm == nullptr) return;
    m_faults.arm(static_cast<int>(Fault::none), 0);
    m_faults.standBefore("libvulkan.so.1");
  }

  // A card with matrix units whose kernels do nothing. It is not measured, which would compile for minutes here.
  void describeUnits() {
    ASSERT_STREQ(m_describing.describe(deviceFile("rtx-4090").c_str(), false), "");
    m_describing.emptyUnits();
    m_faults.standBefore(MINERVA_DESCRIBING_LOADER);
    const auto found = findDevice("vulkan:0", {.loader = MINERVA_DESCRIBING_LOADER});
    ASSERT_TRUE(found.has_value()) << found.error().message();
    std::ofstream(trialFile(m_folder.path(), found->device, TrialStage::measuring)) << "xx";
  }

  struct Loaded {
    Result<std::vector<int>> tokens = std::vector<int>();
    bool measured = false;
    std::vector<std::string> messages;
  };
  // Loads the model on a new device; from where it is placed, that is lost if `loses`.
  Loaded load(bool loses, const std::string& loader = MINERVA_FAULT_LOADER) {
    m_faults.arm(static_cast<int>(Fault::none), 0);
    const auto backend =
        createVulkanBackend("vulkan:0", {.loader = loader, .validation = m_validation, .cacheFolder = m_folder.path().string()});
    if (!backend) return {.tokens = fail(backend.error()), .measured = false, .messages = {}};
    if (loses) m_faults.arm(static_cast<int>(Fault::lost), 1);
    Loaded loaded;
    const auto placed = (*backend)->place(m_plan, faultOptions,
                                          [&](std::uint64_t, std::uint64_t total) { loaded.measured = loaded.measured || total == 0; }, {});
    loaded.tokens = placed ? writeTenTokens(**placed) : fail(placed.error());
    loaded.messages = (*backend)->validationMessages();
    return loaded;
  }
  static void expectToWrite(const Loaded& loaded) {
    EXPECT_TRUE(loaded.tokens.has_value()) << loaded.tokens.error().message();
    for (const std::string& message : loaded.messages) ADD_FAILURE() << message;
  }

  const tests::FaultControls m_faults = faultControls();
  const tests::DescribingControls m_describing = describingControls();
  TemporaryFolder m_folder;
  std::optional<tests::RandomModel> m_made;
  model::Plan m_plan;
  bool m_validation = false;
};

TEST_F(VulkanTrials, UnitsThatLoseTheDeviceWhileTheyAreCheckedAreNotCheckedAgain) {
  describeUnits();
  const Loaded first = load(true);
  ASSERT_FALSE(first.tokens.has_value());
  EXPECT_EQ(first.tokens.error().kind, ErrorKind::deviceLost) << first.tokens.error().message();
  EXPECT_FALSE(first.measured) << "lost before that";
  const unsigned long long made = m_describing.unitPipelines();
  EXPECT_GT(made, 0U);
  expectToWrite(load(false));
  EXPECT_EQ(m_describing.unitPipelines(), made) << "no kernel for units";
  EXPECT_EQ(std::string(m_describing.violations()), "");
}

// Of which the check finds that they do nothing: once.
TEST_F(VulkanTrials, UnitsThatMultiplyWronglyAreCheckedOnce) {
  describeUnits();
  expectToWrite(load(false));
  const unsigned long long made = m_describing.unitPipelines();
  EXPECT_GT(made, 0U);
  expectToWrite(load(false));
  EXPECT_EQ(m_describing.unitPipelines(), made);
  EXPECT_EQ(std::string(m_describing.violations()), "");
}

TEST_F(VulkanTrials, ADeviceThatIsLostWhileItIsMeasuredIsNotMeasuredAgain) {
  const Loaded first = load(true);
  ASSERT_FALSE(first.tokens.has_value());
  EXPECT_EQ(first.tokens.error().kind, ErrorKind::deviceLost) << first.tokens.error().message();
  EXPECT_TRUE(first.measured);
  const Loaded second = load(false);
  expectToWrite(second);
  EXPECT_FALSE(second.measured);
}

// A driver that ends the program when it is asked for its matrix units: the list does not ask, and the second start does without.
TEST_F(VulkanTrials, ADriverThatCrashesInACallIsAskedOnce) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  setenv("MINERVA_TEST_TRIALS", m_folder.path().c_str(), 0);  // kept by the process that dies
  const std::string folder = std::getenv("MINERVA_TEST_TRIALS");
  ASSERT_STREQ(m_describing.describe(deviceFile("rtx-4090").c_str(), true), "");
  m_describing.endsAtUnits(true);
  const VulkanOptions options{.loader = MINERVA_DESCRIBING_LOADER, .cacheFolder = folder};
  EXPECT_EQ(listVulkanDevices(options).devices.size(), 1U) << "which asks no driver";
  EXPECT_EXIT(static_cast<void>(findDevice("vulkan:0", options)), testing::KilledBySignal(SIGABRT), "");
  const auto found = findDevice("vulkan:0", options);
  unsetenv("MINERVA_TEST_TRIALS");
  ASSERT_TRUE(found.has_value()) << found.error().message();
  EXPECT_TRUE(found->device.offersUnits);
  EXPECT_FALSE(found->device.matrixUnit.present());
}

TEST_F(VulkanTrials, ADeviceWhoseDriverDiesOfKernelsIsLeftOutWithANote) {
  const BackendOptions options{.vulkanLoader = MINERVA_DESCRIBING_LOADER, .cacheFolder = m_folder.path().string()};
  ASSERT_STREQ(m_describing.describe((deviceFile("rtx-4090") + "\n" + deviceFile("rx-580")).c_str(), false), "");
  const auto found = findDevice("vulkan:0", {.loader = MINERVA_DESCRIBING_LOADER});
  ASSERT_TRUE(found.has_value()) << found.error().message();
  const std::filesystem::path file = trialFile(m_folder.path(), found->device, TrialStage::kernels);
  std::ofstream(file) << "xx";
  const AvailableDevices available = availableDevices(options);
  ASSERT_EQ(hardwareGpus(available).size(), 1U);
  EXPECT_EQ(hardwareGpus(available).front().id, "vulkan:1");
  ASSERT_EQ(available.notes.size(), 1U);
  EXPECT_NE(available.notes.front().find("NVIDIA GeForce RTX 4090 is left out"), std::string::npos) << available.notes.front();
  EXPECT_NE(available.notes.front().find(file.string()), std::string::npos) << available.notes.front();
  std::filesystem::remove(file);
}

// A load leaves nothing behind.
TEST_F(VulkanTrials, AfterALoadNoTrialIsRemembered) {
  expectToWrite(load(false));
  for (const auto& entry : std::filesystem::directory_iterator(m_folder.path()))
    EXPECT_EQ(entry.path().string().find("-failed"), std::string::npos) << entry.path();
}

}  // namespace
}  // namespace minerva::gpu
