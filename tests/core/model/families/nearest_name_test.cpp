#include "core/model/families/nearest_name.h"
#include "core/format/model_file_builder.h"
#include "core/model/model_config.h"

#include <gtest/gtest.h>

#include <array>

namespace minerva::model {
namespace {

constexpr std::array<std::string_view, 7> names{"llama", "llama4", "qwen2", "qwen3", "qwen3moe", "qwen3next", "glm4"};

TEST(NearestName, BeginsAlikeTheLongest) {
  EXPECT_EQ(nearestName("qwen4", names), "qwen2") << "as near as qwen3, and listed first";
  EXPECT_EQ(nearestName("Qwen3_Next_VL", names), "qwen3next");
  EXPECT_EQ(nearestName("qwen3_vl", names), "qwen3");
  EXPECT_EQ(nearestName("llama5", names), "llama");
  EXPECT_EQ(nearestName("glm_moe_dsa", names), "glm4");
}

TEST(NearestName, ThereMayBeNone) {
  EXPECT_EQ(nearestName("mpt", names), "");
  EXPECT_EQ(nearestName("ll", names), "");
  EXPECT_EQ(nearestName("", names), "");
  EXPECT_EQ(nearestName("llama", {}), "");
  EXPECT_EQ(nearestName(std::string(1 << 20, 'q'), names), "");
}

TEST(NearestName, IsSaidOfAnArchitectureThatIsMissing) {
  const auto refused = [](std::string_view architecture) {
    format::ModelFileBuilder builder(format::FileFormat::gguf, "model.gguf");
    builder.metadata().entries()["general.architecture"] = {format::MetadataType::string, architecture};
    return readModelConfig(*builder.finish()).error();
  };
  EXPECT_EQ(refused("qwen3.9moe").kind, ErrorKind::unsupported);
  EXPECT_EQ(refused("qwen3.9moe").expected, "a supported one; the nearest is \"qwen3moe\"");
  EXPECT_EQ(refused("rwkv7").expected.substr(0, 13), "one of llama,");
}

}  // namespace
}  // namespace minerva::model
