// A GPU whose driver keeps nothing of its memory while the system sleeps: what was there counts as lost, at once and in words; a server
// loads its model again before it answers, on the same GPU, however often.
#include "gpu/runtime/vulkan_backend.h"
#include "gpu/vulkan/device_info.h"
#include "tests/core/format/temporary_folder.h"
#include "tests/gpu/describing_controls.h"
#include "tests/gpu/fault_controls.h"
#include "tests/gpu/served_model.h"
#include "tests/support/random_families.h"

namespace minerva::gpu {
namespace {

double slept = 0;
vulkan::SleepSource sleepUntil(const std::string& settings = "/nowhere") {
  return {[] { return slept; }, settings};
}

class Sleeping : public testing::Test {
 protected:
  void SetUp() override { slept = 1000; }
  TemporaryFolder m_folder;
};

TEST_F(Sleeping, OnlyNvidiasDriverForgetsAndOnlyWhereItIsNotToldToKeepAll) {
  vulkan::DeviceInfo device;
  const auto keeps = [&](const std::string& driver, const std::string& settings) {
    device.driverName = driver;
    const vulkan::SleepWatch watch(device, sleepUntil(settings));
    EXPECT_TRUE(watch.check());
    slept += 0.5;
    EXPECT_TRUE(watch.check()) << "the clocks are not read at the same time";
    slept += 60;
    return watch.check().has_value();
  };
  const auto file = [&](const std::string& text) { return m_folder.write("params", text).string(); };
  EXPECT_FALSE(keeps("NVIDIA", "/nowhere"));
  EXPECT_FALSE(keeps("NVIDIA", file("EnableGpuFirmware: 18\nPreserveVideoMemoryAllocations: 0\nUseKernelSuspendNotifiers: 0\n")));
  EXPECT_TRUE(keeps("NVIDIA", file("EnableGpuFirmware: 18\nPreserveVideoMemoryAllocations: 1\nTemporaryFilePath: \"/tmp\"\n")));
  EXPECT_TRUE(keeps("NVIDIA", file("UseKernelSuspendNotifiers: 1\n")));
  EXPECT_TRUE(keeps("NVK", "/nowhere"));
  EXPECT_TRUE(keeps("radv", "/nowhere"));
}

// On this machine's device under the name of an RTX 4090.
class VulkanSleep : public Sleeping {
 protected:
  void SetUp() override {
    Sleeping::SetUp();
    if (listVulkanDevices({}).devices.empty()) GTEST_SKIP() << "skipped: no Vulkan device";
    ASSERT_NE(m_controls.describe, nullptr) << dlerror();
    ASSERT_STREQ(m_controls.describe(deviceFile("rtx-4090").c_str(), false), "");
  }
  const tests::DescribingControls m_controls = describingControls();
};

TEST_F(VulkanSleep, StepsOnMemoryThatIsLostFailInWords) {
  const tests::RandomModel made = tests::randomModel({.type = ElementType::Q8_0, .hidden = 64, .layers = 1, .feedForward = 64});
  const auto plan = model::buildPlan(made.config);
  ASSERT_TRUE(plan.has_value()) << plan.error().message();
  const auto written = [&] {
    const auto backend = createVulkanBackend("vulkan:0", {.loader = MINERVA_DESCRIBING_LOADER, .sleep = sleepUntil()});
    EXPECT_TRUE(backend.has_value()) << backend.error().message();
    const auto placement = (*backend)->place(*plan, faultOptions, {}, {});
    EXPECT_TRUE(placement.has_value()) << placement.error().message();
    const auto tokens = writeTenTokens(**placement);
    EXPECT_TRUE(tokens.has_value()) << tokens.error().message();
    EXPECT_TRUE((*backend)->checkMemory());
    slept += 3600;
    EXPECT_FALSE((*backend)->checkMemory());
    const auto after = writeTenTokens(**placement);
    EXPECT_FALSE(after.has_value());
    EXPECT_EQ(after.error().kind, ErrorKind::memoryLost);
    EXPECT_NE(after.error().message().find("has slept"), std::string::npos) << after.error().message();
    EXPECT_NE(after.error().message().find("RTX 4090"), std::string::npos) << after.error().message();
    return *tokens;
  };
  EXPECT_EQ(written(), written()) << "a new device has its memory";
}

TEST_F(VulkanSleep, AServerLoadsItsModelAgainBeforeItAnswers) {
  std::vector<std::string> loads;
  serve::ModelShelf shelf(
      {{"the model", serve::builtInModel}},
      [&](const serve::ShelfItem& item, const serve::ModelShelf::LoadHow& asked) -> Result<std::unique_ptr<serve::LoadedModel>> {
        loads.emplace_back(asked.whyCpu.empty() ? "vulkan:0" : "cpu");
        BackendOptions options;
        options.vulkanLoader = MINERVA_DESCRIBING_LOADER;
        options.sleep = sleepUntil();
        return serve::loadServedModel(loads.back(), options, item, asked.stop);
      },
      serve::ModelShelf::How{});
  const auto server = serve::Server::start(
      {.engine = nullptr, .slots = 0, .embedder = nullptr, .desk = {}, .reranker = nullptr, .shelf = &shelf, .alone = true}, {});
  ASSERT_TRUE(server) << server.error().message();
  const auto ask = [&] {
    httplib::Client client("127.0.0.1", (*server)->port());
    client.set_read_timeout(120);
    const auto result = client.Post("/v1/chat/completions", serve::chatOf("Once").dump(), "application/json");
    EXPECT_TRUE(result && result->status == 200) << (result ? result->body : "no answer");
    return result ? nlohmann::json::parse(result->body)["choices"][0]["message"]["content"].get<std::string>() : "";
  };
  const std::string text = ask();
  EXPECT_EQ(ask(), text);
  EXPECT_EQ(loads.size(), 1U);
  for (std::size_t nights = 1; nights <= 3; ++nights) {
    slept += 8 * 3600;
    EXPECT_EQ(ask(), text);
    EXPECT_EQ(loads, std::vector<std::string>(1 + nights, "vulkan:0"));
  }
}

}  // namespace
}  // namespace minerva::gpu
