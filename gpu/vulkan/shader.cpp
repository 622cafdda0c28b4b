#include "gpu/vulkan/shader.h"

#include <algorithm>
#include <array>
#include <map>

namespace minerva::vulkan {

namespace {

// The few SPIR-V opcodes and enumerants needed here.
enum Op : std::uint32_t {
  opExtInst = 12,
  opEntryPoint = 15,
  opCapability = 17,
  opTypeInt = 21,
  opTypeFloat = 22,
  opTypeVector = 23,
  opTypeArray = 28,
  opTypeStruct = 30,
  opTypePointer = 32,
  opConstant = 43,
  opVariable = 59,
  opDecorate = 71,
  opMemberDecorate = 72,
};
constexpr std::uint32_t decorationSpecId = 1, decorationArrayStride = 6, decorationBinding = 33, decorationOffset = 35;
constexpr std::uint32_t storagePushConstant = 9;
constexpr std::uint32_t magic = 0x07230203, headerWords = 5;

struct Module {
  std::map<std::uint32_t, std::vector<std::uint32_t>> types;                 // id -> opcode, operands after the id
  std::map<std::uint32_t, std::uint32_t> constants;                          // id -> value
  std::map<std::uint32_t, std::uint32_t> strides;                            // array type -> bytes per element
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> offsets;  // (struct, member) -> bytes
  std::uint32_t pushPointer = 0;
};

std::uint32_t sizeOf(const Module& module, std::uint32_t id) {
  const auto found = module.types.find(id);
  if (found == module.types.end()) return 0;
  const std::vector<std::uint32_t>& type = found->second;
  switch (type[0]) {
    case opTypeInt:
    case opTypeFloat: return type[1] / 8;
    case opTypePointer: return 8;  // a buffer reference
    case opTypeVector: return sizeOf(module, type[1]) * type[2];
    case opTypeArray: {
      const auto stride = module.strides.find(id);
      const auto length = module.constants.find(type[2]);
      if (stride == module.strides.end() || length == module.constants.end()) return 0;
      return stride->second * length->second;
    }
    case opTypeStruct: {
      std::uint32_t end = 0;
      for (std::uint32_t member = 0; member + 1 < type.size(); ++member) {
        const auto offset = module.offsets.find({id, member});
        const std::uint32_t at = offset == module.offsets.end() ? 0 : offset->second;
        end = std::max(end, at + sizeOf(module, type[member + 1]));
      }
      return end;
    }
    default: return 0;
  }
}

void readInstruction(std::span<const std::uint32_t> in, Module& module, Shader& shader) {
  const std::uint32_t op = in[0] & 0xffffu;
  switch (op) {
    case opTypeInt:
    case opTypeFloat:
    case opTypeVector:
    case opTypeArray:
    case opTypeStruct:
      module.types[in[1]].assign({op});
      module.types[in[1]].insert(module.types[in[1]].end(), in.begin() + 2, in.end());
      break;
    case opTypePointer: module.types[in[1]] = {op, in[2], in[3]}; break;
    case opConstant: module.constants[in[2]] = in[3]; break;
    case opVariable:
      if (in[3] == storagePushConstant) module.pushPointer = in[1];
      break;
    case opDecorate:
      if (in[2] == decorationSpecId) shader.specializations.push_back(in[3]);
      if (in[2] == decorationArrayStride) module.strides[in[1]] = in[3];
      if (in[2] == decorationBinding) shader.texelBindings = std::max(shader.texelBindings, in[3] + 1);
      break;
    case opMemberDecorate:
      if (in[3] == decorationOffset) module.offsets[{in[1], in[2]}] = in[4];
      break;
    default: break;
  }
}

}  // namespace

Result<Shader> reflect(std::span<const std::uint32_t> words) {
  if (words.size() < headerWords || words[0] != magic) {
    return fail({.kind = ErrorKind::corrupt, .what = "A shader is not a SPIR-V module"});
  }
  Shader shader;
  shader.words = words;
  Module module;
  for (std::size_t at = headerWords; at < words.size();) {
    const std::size_t length = words[at] >> 16;
    if (length == 0 || at + length > words.size()) {
      return fail(
          {.kind = ErrorKind::corrupt, .what = "A SPIR-V module ends inside an instruction", .where = "word " + std::to_string(at)});
    }
    readInstruction(words.subspan(at, length), module, shader);
    at += length;
  }
  std::ranges::sort(shader.specializations);
  const auto repeated = std::ranges::unique(shader.specializations);  // the workgroup size may be declared twice
  shader.specializations.erase(repeated.begin(), repeated.end());
  if (module.pushPointer != 0) shader.pushConstantBytes = sizeOf(module, module.types.at(module.pushPointer)[2]);
  return shader;
}

std::vector<std::uint32_t> roundingHalves(std::span<const std::uint32_t> words) {
  constexpr std::uint32_t packHalf2x16 = 58, capabilityFloat16 = 9;
  constexpr std::uint32_t opExecutionMode = 16, capabilityRounding = 4467, modeRounding = 4462, ofHalves = 16;
  std::size_t behindCapabilities = headerWords, behindEntry = 0;
  std::uint32_t entry = 0;
  bool converts = false;
  for (std::size_t at = headerWords; at < words.size(); at += words[at] >> 16) {
    const std::uint32_t op = words[at] & 0xffffu;
    const std::size_t end = at + (words[at] >> 16);
    if (op == opCapability) behindCapabilities = end;
    if (op == opEntryPoint) behindEntry = end, entry = words[at + 2];
    converts = converts || (op == opCapability && words[at + 1] == capabilityFloat16) || (op == opExtInst && words[at + 4] == packHalf2x16);
  }
  if (!converts) return {};
  const auto part = [&](std::size_t from, std::size_t to) { return words.subspan(from, to - from); };
  std::vector<std::uint32_t> made;
  const auto add = [&](std::span<const std::uint32_t> some) { made.insert(made.end(), some.begin(), some.end()); };
  add(part(0, behindCapabilities));
  add(std::array{2U << 16 | opCapability, capabilityRounding});
  add(part(behindCapabilities, behindEntry));
  add(std::array{4U << 16 | opExecutionMode, entry, modeRounding, ofHalves});
  add(part(behindEntry, words.size()));
  return made;
}

}  // namespace minerva::vulkan
