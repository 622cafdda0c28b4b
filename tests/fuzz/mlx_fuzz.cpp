// Arbitrary text as the config.json of a folder with packed weights: MLX quantization, MXFP4 blocks, scaled FP8. Text after
// a NUL is used as the header of the SafeTensors file; without it, the header below is used.
#include "core/format/model_file.h"
#include "core/format/assemble.h"
#include "core/format/json_reader.h"
#include "tests/fuzz/load_model.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace {

using namespace minerva;

constexpr std::size_t dataBytes = 8192;
constexpr std::string_view usualHeader = R"({"__metadata__":{"format":"mlx"},
"model.embed_tokens.weight":{"dtype":"U32","shape":[8,8],"data_offsets":[0,256]},
"model.embed_tokens.scales":{"dtype":"BF16","shape":[8,2],"data_offsets":[256,288]},
"model.embed_tokens.biases":{"dtype":"BF16","shape":[8,2],"data_offsets":[288,320]},
"a.weight":{"dtype":"U32","shape":[2,2,12],"data_offsets":[320,512]},
"a.scales":{"dtype":"U8","shape":[2,2,3],"data_offsets":[512,524]},
"b_blocks":{"dtype":"U8","shape":[2,2,16],"data_offsets":[524,588]},
"b_scales":{"dtype":"U8","shape":[2,2],"data_offsets":[588,592]},
"c.weight":{"dtype":"F8_E4M3","shape":[2,256],"data_offsets":[592,1104]},
"c.weight_scale_inv":{"dtype":"F32","shape":[1,2],"data_offsets":[1104,1112]},
"d.weight":{"dtype":"F16","shape":[2,4],"data_offsets":[1112,1128]}})";

// The header, followed by a zeroed data section of dataBytes.
std::vector<std::byte> fileOf(std::string_view header) {
  std::vector<std::byte> bytes(8 + header.size() + dataBytes);
  const std::uint64_t length = header.size();
  std::memcpy(bytes.data(), &length, 8);
  std::memcpy(bytes.data() + 8, header.data(), header.size());
  return bytes;
}

Result<void> load(std::string_view config, const std::vector<std::byte>& bytes) {
  format::ModelFileBuilder builder(format::FileFormat::mlx, "fuzz");
  MINERVA_ASSIGN(builder.huggingFace().config, format::parseJson(config, "config.json"));
  MINERVA_ASSIGN(const format::Quantization quantization, format::readQuantization(builder.huggingFace().config, "config.json"));
  MINERVA_ASSIGN(format::SafeTensorsFile file, format::readSafeTensors(bytes, "fuzz.safetensors"));
  format::RawTensors raw;
  const std::string& name = raw.addFile("fuzz.safetensors");
  for (format::SafeTensor& tensor : file.tensors) {
    if (!raw.add(std::move(tensor), name)) std::abort();  // names in the header are unique
  }
  MINERVA_TRY(format::assembleTensors(raw, quantization, "config.json", builder));
  fuzz::loadModel(*builder.finish());
  return {};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = text.find('\0');
  const std::vector<std::byte> bytes = fileOf(end == std::string_view::npos ? usualHeader : text.substr(end + 1));
  if (const auto loaded = load(text.substr(0, end), bytes); !loaded) fuzz::mustExplain(loaded.error());
  return 0;
}
