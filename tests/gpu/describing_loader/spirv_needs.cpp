#include "tests/gpu/describing_loader/spirv_needs.h"

#include <optional>
#include <vector>

namespace minerva::tests {

namespace {

using Words = std::span<const std::uint32_t>;

// Opcodes of the SPIR-V specification that constants and types of kernels consist of.
enum Opcode : std::uint32_t {
  executionMode = 16,
  capability = 17,
  typeBool = 20,
  typeInt = 21,
  typeFloat = 22,
  typeVector = 23,
  typeArray = 28,
  typeStruct = 30,
  typePointer = 32,
  constantTrue = 41,
  constantFalse = 42,
  constant = 43,
  constantComposite = 44,
  specTrue = 48,
  specFalse = 49,
  specConstant = 50,
  specComposite = 51,
  specOp = 52,
  variable = 59,
  decorate = 71,
  executionModeId = 331,
  broadcast = 337,
};

class Evaluation {
 public:
  Evaluation(const std::map<std::uint32_t, std::uint32_t>& constants, SpirvNeeds& needs) : m_constants(constants), m_needs(needs) {}

  void read(Words in);
  void finish() {
    for (const std::uint32_t pointer : m_shared) m_needs.sharedBytes += sizeOf(m_types[pointer][2]);
    for (std::size_t i = 0; i < m_workgroupIds.size(); ++i) m_needs.workgroup[i] = valueOf(m_workgroupIds[i]);
    if (const auto found = m_composites.find(m_workgroupSize); found != m_composites.end()) {
      for (std::size_t i = 0; i < 3 && i < found->second.size(); ++i) m_needs.workgroup[i] = valueOf(found->second[i]);
    }
  }

 private:
  std::uint32_t valueOf(std::uint32_t id) {
    const auto found = m_values.find(id);
    if (found != m_values.end()) return found->second;
    m_needs.problem = "the value of " + std::to_string(id);
    return 0;
  }
  std::uint32_t specialized(std::uint32_t id, std::uint32_t otherwise) {
    const auto spec = m_specIds.find(id);
    if (spec == m_specIds.end()) return otherwise;
    const auto found = m_constants.find(spec->second);
    return found == m_constants.end() ? otherwise : found->second;
  }
  std::uint64_t sizeOf(std::uint32_t type);
  std::optional<std::uint32_t> operation(Words in);

  const std::map<std::uint32_t, std::uint32_t>& m_constants;
  SpirvNeeds& m_needs;
  std::map<std::uint32_t, std::uint32_t> m_values, m_specIds;
  std::map<std::uint32_t, std::vector<std::uint32_t>> m_types, m_composites;
  std::vector<std::uint32_t> m_shared;        // pointer types of variables that a workgroup shares
  std::uint32_t m_workgroupSize = 0;          // a composite
  std::vector<std::uint32_t> m_workgroupIds;  // or three constants
};

std::uint64_t Evaluation::sizeOf(std::uint32_t id) {
  const std::vector<std::uint32_t>& type = m_types[id];
  if (type.empty()) return m_needs.problem = "the size of " + std::to_string(id), 0;
  switch (type[0]) {
    case typeBool: return 4;
    case typeInt:
    case typeFloat: return type[1] / 8;
    case typeVector: return sizeOf(type[1]) * type[2];
    case typeArray: return sizeOf(type[1]) * valueOf(type[2]);
    case typeStruct: {
      std::uint64_t all = 0;
      for (std::size_t i = 1; i < type.size(); ++i) all += sizeOf(type[i]);
      return all;
    }
    default: return m_needs.problem = "a type of opcode " + std::to_string(type[0]), 0;
  }
}

// in: type, result, opcode, operands.
std::optional<std::uint32_t> Evaluation::operation(Words in) {
  if (in[3] == 81) {  // an element of a composite
    const auto found = m_composites.find(in[4]);
    return found == m_composites.end() ? std::nullopt : std::optional(valueOf(found->second.at(in[5])));
  }
  const std::uint32_t a = valueOf(in[4]), b = in.size() > 5 ? valueOf(in[5]) : 0, c = in.size() > 6 ? valueOf(in[6]) : 0;
  switch (in[3]) {
    case 128: return a + b;
    case 130: return a - b;
    case 132: return a * b;
    case 134:
    case 135: return b == 0 ? std::nullopt : std::optional(a / b);
    case 137: return b == 0 ? std::nullopt : std::optional(a % b);
    case 164:
    case 170: return a == b;
    case 165:
    case 171: return a != b;
    case 166: return (a | b) != 0;
    case 167: return a != 0 && b != 0;
    case 168: return a == 0;
    case 169: return a != 0 ? b : c;
    case 172: return a > b;
    case 174: return a >= b;
    case 176: return a < b;
    case 178: return a <= b;
    case 194: return a >> b;
    case 196: return a << b;
    case 197: return a | b;
    case 199: return a & b;
    default: return std::nullopt;
  }
}

void Evaluation::read(Words in) {
  switch (in[0] & 0xffffU) {
    case capability: m_needs.capabilities.insert(in[1]); break;
    case executionMode:
      if (in[2] == 17) m_needs.workgroup = {in[3], in[4], in[5]};
      break;
    case executionModeId:
      if (in[2] == 38) m_workgroupIds.assign(in.begin() + 3, in.begin() + 6);
      break;
    case decorate:
      if (in[2] == 1) m_specIds[in[1]] = in[3];
      if (in[2] == 11 && in[3] == 25) m_workgroupSize = in[1];
      break;
    case typeBool:
    case typeInt:
    case typeFloat:
    case typeVector:
    case typeArray:
    case typeStruct:
    case typePointer:
      m_types[in[1]] = {in[0] & 0xffffU};
      m_types[in[1]].insert(m_types[in[1]].end(), in.begin() + 2, in.end());
      break;
    case constantTrue: m_values[in[2]] = 1; break;
    case constantFalse: m_values[in[2]] = 0; break;
    case constant: m_values[in[2]] = in[3]; break;
    case specTrue: m_values[in[2]] = specialized(in[2], 1); break;
    case specFalse: m_values[in[2]] = specialized(in[2], 0); break;
    case specConstant: m_values[in[2]] = specialized(in[2], in[3]); break;
    case constantComposite:
    case specComposite: m_composites[in[2]].assign(in.begin() + 3, in.end()); break;
    case specOp:
      if (const auto value = operation(in)) m_values[in[2]] = *value;
      break;  // what is needed and could not be worked out is noticed there
    case variable:
      if (in[3] == 4) m_shared.push_back(in[1]);
      break;
    case broadcast: m_needs.broadcasts = m_needs.broadcasts || !m_values.contains(in[5]); break;
    default: break;
  }
}

}  // namespace

SpirvNeeds needsOf(std::span<const std::uint32_t> words, const std::map<std::uint32_t, std::uint32_t>& constants) {
  SpirvNeeds needs;
  Evaluation evaluation(constants, needs);
  for (std::size_t at = 5; at < words.size();) {
    const std::size_t length = words[at] >> 16;
    if (length == 0 || at + length > words.size()) {
      needs.problem = "an instruction at word " + std::to_string(at);
      return needs;
    }
    evaluation.read(words.subspan(at, length));
    at += length;
  }
  needs.problem.clear();  // constants that could not be worked out and that no size depends on
  evaluation.finish();
  return needs;
}

}  // namespace minerva::tests
