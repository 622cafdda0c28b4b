// Gemma 3n as GGUF: llama.cpp takes the published sizes only, so that the folder is too large for the repository. It is made here, and
// gemma3n.json says what llama.cpp's converter made of the same weights.
#include "core/format/model_file.h"
#include "core/model/model_config.h"
#include "tests/core/convert/convert_support.h"
#include "tests/core/convert/peer_files.h"
#include "tests/core/format/temporary_folder.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <set>

namespace minerva::convert {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const fs::path converted = fs::path(MINERVA_TEST_DATA) / "convert";

std::uint64_t fnv(const void* data, std::size_t size) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (std::size_t i = 0; i < size; ++i) hash = (hash ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001b3U;
  return hash;
}

// As made() in tests/data/convert/make.py.
float madeWeight(const std::string& name, std::uint64_t index) {
  std::uint64_t z = fnv(name.data(), name.size()) + index * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  z ^= z >> 31;
  const bool norm = name.find("norm") != std::string::npos;
  return (static_cast<float>(z >> 40 & 0xff) - 128) / 256 * (norm ? 0.5F : 1.0F) + (norm ? 1.0F : 0.0F);
}

// left: tensors that the folder lacks.
void writeMadeFolder(const fs::path& folder, const Json& config, const Json& shapes, const std::set<std::string>& left = {}) {
  fs::create_directories(folder);
  Json header;
  std::vector<float> values;
  for (const auto& [name, shape] : shapes.items()) {
    if (left.contains(name)) continue;
    const std::size_t first = values.size();
    std::size_t count = 1;
    for (const Json& size : shape) count *= size.get<std::size_t>();
    for (std::size_t i = 0; i < count; ++i) values.push_back(madeWeight(name, i));
    header[name] = {{"dtype", "F32"}, {"shape", shape}, {"data_offsets", {first * sizeof(float), values.size() * sizeof(float)}}};
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const auto length = static_cast<std::uint64_t>(text.size());
  std::ofstream out(folder / "model.safetensors", std::ios::binary);
  out.write(reinterpret_cast<const char*>(&length), sizeof length);
  out << text;
  out.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(float)));
  std::ofstream(folder / "config.json") << config;
  for (const char* name : {"tokenizer.json", "tokenizer_config.json"}) fs::copy_file(converted / "apertus" / "hf" / name, folder / name);
}

Json description() {
  std::ifstream file(converted / "gemma3n.json");
  return Json::parse(file);
}

TEST(ConvertGemma3n, TheFileIsThatOfThePeersConverter) {
  const Json peer = description();
  const TemporaryFolder folder;
  writeMadeFolder(folder.path() / "hf", peer["config"], peer["shapes"]);
  const auto report = convertFile(folder.path() / "hf", folder.path() / "out.gguf", "bf16");
  ASSERT_TRUE(report) << report.error().message();
  const File file = openModel(folder.path() / "out.gguf");
  for (const auto& [key, value] : peer["keys"].items()) {
    EXPECT_EQ(shownKey(file->metadata(), key), value.get<std::string>()) << key;
  }
  EXPECT_EQ(file->tensors().size(), peer["tensors"].size());
  for (const auto& [name, expected] : peer["tensors"].items()) {
    const TensorView* view = file->find(name);
    ASSERT_NE(view, nullptr) << name;
    EXPECT_EQ(traits(view->type).name, expected[0].get<std::string>()) << name;
    Shape shape{.dims = {1, 1, 1, 1}, .rank = static_cast<int>(expected.size()) - 2};
    for (std::size_t i = 0; i + 2 < expected.size(); ++i) shape.dims[i] = expected[i + 1].get<std::int64_t>();
    EXPECT_EQ(toString(view->shape), toString(shape)) << name;
    EXPECT_EQ(fnv(view->bytes.data(), view->bytes.size()), std::stoull(expected.back().get<std::string>(), nullptr, 16)) << name;
  }
  // The stored deviations are those of float32, ours of the folder in double: a few gates open that others have closed.
  EXPECT_LT(distanceBetween(folder.path() / "hf", folder.path() / "out.gguf"), 1e-2);
}

// Folders that newer Transformers wrote lack the keys and values that are never used.
TEST(ConvertGemma3n, UnusedKeysAreZerosIfTheFolderLacksThem) {
  const Json peer = description();
  const TemporaryFolder folder;
  const std::string layer = "model.layers.21.self_attn.";
  writeMadeFolder(folder.path() / "hf", peer["config"], peer["shapes"],
                  {layer + "k_proj.weight", layer + "v_proj.weight", layer + "k_norm.weight"});
  const auto report = convertFile(folder.path() / "hf", folder.path() / "out.gguf", "bf16");
  ASSERT_TRUE(report) << report.error().message();
  const File file = openModel(folder.path() / "out.gguf");
  EXPECT_EQ(file->tensors().size(), peer["tensors"].size());
  EXPECT_LT(distanceBetween(folder.path() / "hf", folder.path() / "out.gguf"), 1e-2);
}

TEST(ConvertGemma3n, OtherSizesThanThePublishedOnesAreRefused) {
  const Json peer = description();
  Json config = peer["config"];
  config["num_kv_shared_layers"] = 7;
  const TemporaryFolder folder;
  writeMadeFolder(folder.path() / "hf", config, peer["shapes"]);
  auto report = convertFile(folder.path() / "hf", folder.path() / "out.gguf", "bf16");
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, ErrorKind::unsupported);
  EXPECT_NE(report.error().what.find("keys and values of their own"), std::string::npos) << report.error().message();
  config = peer["config"];
  config["activation_sparsity_pattern"][3] = 0.9;
  std::ofstream(folder.path() / "hf" / "config.json") << config;
  report = convertFile(folder.path() / "hf", folder.path() / "out.gguf", "bf16");
  ASSERT_FALSE(report);
  EXPECT_NE(report.error().what.find("sparsity"), std::string::npos) << report.error().message();
}

}  // namespace
}  // namespace minerva::convert
