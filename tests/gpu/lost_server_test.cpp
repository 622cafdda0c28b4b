// A server of one model whose GPU is lost: the reply fails in words, the next one comes from the GPU opened again, and after a second loss
// from the CPU.
#include "tests/gpu/fault_controls.h"
#include "tests/gpu/served_model.h"

#include <algorithm>

namespace minerva::serve {
namespace {

using tests::Fault;

class LostServer : public testing::Test {
 protected:
  void SetUp() override {
    const AvailableDevices all = availableDevices();
    const bool found = std::ranges::any_of(all.devices, [](const backend::DeviceInfo& device) { return device.id == "vulkan:0"; });
    if (!found) GTEST_SKIP() << "skipped: no Vulkan device";
    ASSERT_NE(m_controls.arm, nullptr) << dlerror();
    m_controls.arm(static_cast<int>(Fault::none), 0);
    m_shelf = std::make_unique<ModelShelf>(
        std::vector<ShelfItem>{{"the model", builtInModel}},
        [this](const ShelfItem& item, const ModelShelf::LoadHow& how) { return load(item, how); }, ModelShelf::How{});
    auto made = Server::start(
        {.engine = nullptr, .slots = 0, .embedder = nullptr, .desk = {}, .reranker = nullptr, .shelf = m_shelf.get(), .alone = true}, {});
    ASSERT_TRUE(made) << made.error().message();
    m_server = std::move(*made);
  }
  void TearDown() override {
    if (m_controls.arm != nullptr) m_controls.arm(static_cast<int>(Fault::none), 0);
  }

  Result<std::unique_ptr<LoadedModel>> load(const ShelfItem& item, const ModelShelf::LoadHow& asked) {
    m_devices.emplace_back(asked.whyCpu.empty() ? "vulkan:0" : "cpu");
    BackendOptions options;
    options.vulkanLoader = MINERVA_FAULT_LOADER;
    return loadServedModel(m_devices.back(), options, item, asked.stop);
  }

  // loseAt: the call of the driver, from this request on, at which the device is lost; 0: it is not.
  Answer ask(long loseAt) {
    m_controls.arm(static_cast<int>(loseAt > 0 ? Fault::lost : Fault::none), loseAt);
    httplib::Client client("127.0.0.1", m_server->port());
    client.set_read_timeout(120);
    const auto result = client.Post("/v1/chat/completions", chatOf("Once").dump(), "application/json");
    return result ? Answer{result->status, result->body, ""} : Answer{};
  }

  const tests::FaultControls m_controls = gpu::faultControls();
  std::vector<std::string> m_devices;  // of the loads
  std::unique_ptr<ModelShelf> m_shelf;
  std::unique_ptr<Server> m_server;
};

TEST_F(LostServer, GoesOnAndAfterASecondLossOnTheCpu) {
  const Answer first = ask(0);
  ASSERT_EQ(first.status, 200) << first.body;
  const std::string text = first.json()["choices"][0]["message"]["content"];
  for (const std::vector<std::string>& next : {std::vector<std::string>{"vulkan:0", "vulkan:0"}, {"vulkan:0", "vulkan:0", "cpu"}}) {
    const Answer lost = ask(5);
    EXPECT_EQ(lost.status, 500) << lost.body;
    EXPECT_NE(lost.body.find("loaded again for the next request"), std::string::npos) << lost.body;
    const Answer after = ask(0);
    EXPECT_EQ(after.status, 200) << after.body;
    EXPECT_EQ(after.json()["choices"][0]["message"]["content"], text);
    EXPECT_EQ(m_devices, next);
  }
  EXPECT_EQ(ask(5).status, 200) << "a GPU that is not used cannot be lost";
}

}  // namespace
}  // namespace minerva::serve
