// A file whose router has a value that is no number: every device fails the request, in the same words.
#include "core/engine/engine.h"
#include "gpu/available.h"
#include "tests/support/conformance.h"
#include "tests/support/matrix_units.h"
#include "tests/support/sparse_model.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace minerva::gpu {
namespace {

constexpr int experts = 8, hidden = 64, damagedRow = 5;

// Writes 16 bits over the first value of a row of the first router (BF16); false if the file has none.
bool damageRouter(const std::filesystem::path& path, std::uint16_t value) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  std::uint64_t size = 0;
  file.read(reinterpret_cast<char*>(&size), sizeof size);
  std::string text(size, ' ');
  file.read(text.data(), static_cast<std::streamsize>(size));
  const nlohmann::json header = nlohmann::json::parse(text);
  for (const auto& [name, tensor] : header.items()) {
    const bool isRouter = name.ends_with("gate.weight") || name.ends_with("router.weight");
    if (!isRouter || tensor["shape"] != nlohmann::json::array({experts, hidden})) continue;
    const std::uint64_t begin = tensor["data_offsets"][0];
    file.seekp(static_cast<std::streamoff>(8 + size + begin + std::uint64_t{2} * hidden * damagedRow));
    file.write(reinterpret_cast<const char*>(&value), sizeof value);
    return file.good();
  }
  return false;
}

// How a reply to some tokens fails; nothing if it does not.
std::optional<Error> failureOn(backend::Backend& backend, const std::filesystem::path& folder) {
  const auto loaded = engine::Engine::load(backend, {.path = folder, .contextLength = 32}, {}, {});
  if (!loaded) return loaded.error();
  std::optional<Error> failure;
  bool ended = false;
  (*loaded)->setSink([&](const engine::Event& event) {
    if (const auto* failed = std::get_if<engine::Failed>(&event.body)) failure = failed->error;
    ended = ended || failure || std::holds_alternative<engine::Finished>(event.body);
  });
  engine::Request request;
  request.tokens = {1, 2, 3};
  request.maxTokens = 2;
  request.ignoreEndOfTurn = true;
  (*loaded)->submit(std::move(request));
  while (!ended) (*loaded)->step();
  return failure;
}

TEST(VulkanDamage, ARouterThatIsNoNumberIsSaidAsOnTheCpu) {
  const AvailableDevices available = availableDevices();
  if (std::ranges::find(available.devices, "vulkan:0", &backend::DeviceInfo::id) == available.devices.end()) {
    GTEST_SKIP() << "skipped: no Vulkan device";
  }
  BackendOptions options;
  options.vulkanValidation = true;
  options.matrixUnits = tests::unitsUnderTest();
  const auto cpuBackend = createBackend("cpu", options), gpuBackend = createBackend("vulkan:0", options);
  ASSERT_TRUE(cpuBackend.has_value() && gpuBackend.has_value());
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "minerva-damaged-router";
  for (const char* family : {"mixtral", "qwen3-moe", "phimoe", "deepseek-v3", "gpt-oss"}) {
    tests::SparseShape shape{.family = family, .hidden = hidden, .heads = 4, .kvHeads = 2, .headDim = 16, .feedForward = 64};
    shape.vocabulary = 96;
    shape.experts = experts;
    shape.expertSize = 32;
    for (const std::uint16_t value : {0, 0x7fc0, 0x7f80}) {  // none, NaN, infinity
      std::filesystem::remove_all(folder);
      tests::writeSparseFolder(folder, shape);
      ASSERT_TRUE(damageRouter(folder / "model.safetensors", value)) << family;
      const auto cpu = failureOn(**cpuBackend, folder), gpu = failureOn(**gpuBackend, folder);
      EXPECT_EQ(cpu.has_value(), value != 0) << family << (cpu ? ": " + cpu->message() : "");
      ASSERT_EQ(gpu.has_value(), cpu.has_value()) << family << (gpu ? ": " + gpu->message() : "");
      if (!cpu) continue;
      EXPECT_EQ(cpu->kind, ErrorKind::corrupt);
      EXPECT_TRUE(cpu->where.ends_with("row " + std::to_string(damagedRow))) << cpu->where;
      EXPECT_EQ(gpu->message(), cpu->message()) << family;
    }
  }
  std::filesystem::remove_all(folder);
  for (const std::string& message : tests::validationMessages(**gpuBackend)) ADD_FAILURE() << message;
}

}  // namespace
}  // namespace minerva::gpu
