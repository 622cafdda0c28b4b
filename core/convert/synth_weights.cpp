#include "core/convert/synth_weights.h"

#include "core/tensor/half.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>

namespace minerva::convert {

namespace {

constexpr float weightDeviation = 0.02F;
constexpr std::size_t poolBlocks = 4096;
constexpr std::size_t pieceBytes = std::size_t{1} << 20;  // bytes written at once

// SplitMix64 (Steele, Lea, Flood 2014): accepts any seed and is portable.
class Random {
 public:
  explicit Random(std::uint64_t seed) : m_state(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (m_state += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  float gaussian() {
    const double radius = std::sqrt(-2.0 * std::log((static_cast<double>(next() >> 11) + 1.0) * 0x1p-53));
    return static_cast<float>(radius * std::cos(2.0 * std::numbers::pi * static_cast<double>(next() >> 11) * 0x1p-53));
  }

 private:
  std::uint64_t m_state;
};

std::uint64_t mix(std::uint64_t seed, std::string_view text) {
  for (const char c : text) seed = (seed ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return Random(seed).next();
}

// Vectors and other tensors generated element by element.
bool isValues(const SynthTensor& tensor) {
  constexpr std::int64_t shortRow = 32;
  return tensor.shape.rank == 1 || tensor.huggingFace.ends_with("_bias") || tensor.mean != 0 || tensor.shape.columns() < shortRow;
}

const std::string& seedNameOf(const SynthTensor& tensor) { return tensor.huggingFace.empty() ? tensor.gguf : tensor.huggingFace; }

// GGUF's block: a scale, then codes 0 to 15 in the lower halves of 16 bytes and 16 to 31 in the upper. Folders have the
// codes in pairs, the even one in the lower half.
void appendCodes(const std::byte* block, std::vector<std::byte>& out) {
  const auto code = [block](int i) { return i < 16 ? block[1 + i] & std::byte{15} : block[1 + i - 16] >> 4; };
  for (int i = 0; i < 32; i += 2) out.push_back(code(i) | code(i + 1) << 4);
}

}  // namespace

SynthWeights::Pool::Pool(ElementType type, std::uint64_t seed) : m_elements(std::max<std::size_t>(traits(type).blockElements, 32)) {
  Random random(mix(seed, "pool"));
  std::vector<float> values(poolBlocks * m_elements);
  for (float& value : values) value = weightDeviation * random.gaussian();
  m_blockBytes = bytesOf(type, m_elements);
  m_bytes.resize(poolBlocks * m_blockBytes);
  traits(type).quantize(values.data(), m_bytes.data(), values.size());
}

const std::byte* SynthWeights::Pool::block(std::uint64_t i) const { return m_bytes.data() + i % poolBlocks * m_blockBytes; }

const SynthWeights::Pool& SynthWeights::pool(ElementType type) { return m_pools.try_emplace(type, type, m_seed).first->second; }

std::int64_t SynthWeights::publishedRow(const SynthTensor& tensor, std::int64_t row) const {
  if (!m_gguf) return row;
  const std::int64_t inHead = tensor.headDim > 0 ? row % tensor.headDim : 0;
  switch (tensor.order) {
    case SynthOrder::published:
    case SynthOrder::transposed: return row;
    case SynthOrder::rotated: return row - inHead + inHead % 2 * (tensor.headDim / 2) + inHead / 2;
    case SynthOrder::firstOfPair: return 2 * row;
    case SynthOrder::secondOfPair: return 2 * row + 1;
  }
  return row;
}

Result<void> SynthWeights::emitValues(const SynthTensor& tensor, const SynthSink& sink) const {
  if (!tensor.values.empty()) return sink(std::as_bytes(std::span(tensor.values)));
  Random random(mix(m_seed, seedNameOf(tensor)));
  std::vector<float> values(static_cast<std::size_t>(tensor.shape.elements()));
  std::int64_t made = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    // Rounded to BF16 precision so that F32, F16 and BF16 files hold the same values.
    for (const std::int64_t wanted = publishedRow(tensor, static_cast<std::int64_t>(i)); made <= wanted; ++made) {
      values[i] = bfloatToFloat(floatToBfloat(tensor.mean + weightDeviation * random.gaussian()));
    }
  }
  std::vector<std::byte> bytes(bytesOf(tensor.type, values.size()));
  traits(tensor.type).quantize(values.data(), bytes.data(), values.size());
  return sink(bytes);
}

void SynthWeights::appendRow(const SynthTensor& tensor, SynthPart part, std::int64_t row, std::vector<std::byte>& to) {
  const Pool& blocks = pool(tensor.type);
  const auto count = static_cast<std::size_t>(tensor.shape.columns()) / blocks.elements();
  const std::uint64_t seed = mix(m_seed, seedNameOf(tensor));
  Random random(seed + static_cast<std::uint64_t>(publishedRow(tensor, row)) * 0xd1342543de82ef95U);
  for (std::size_t i = 0; i < count; ++i) {
    const std::byte* block = blocks.block(random.next());
    if (part == SynthPart::whole) to.insert(to.end(), block, block + blocks.blockBytes());
    else if (part == SynthPart::scales) to.push_back(block[0]);
    else appendCodes(block, to);
  }
}

// Of a stack of plain floats.
Result<void> SynthWeights::emitTransposed(const SynthTensor& tensor, const SynthSink& sink) {
  const auto rows = static_cast<std::size_t>(tensor.shape.dims[1]), columns = static_cast<std::size_t>(tensor.shape.columns());
  const std::size_t size = traits(tensor.type).blockBytes;
  std::vector<std::byte> matrix, turned(rows * columns * size);
  for (std::int64_t first = 0; first < tensor.shape.rows(); first += tensor.shape.dims[1]) {
    matrix.clear();
    for (std::int64_t row = 0; row < tensor.shape.dims[1]; ++row) appendRow(tensor, SynthPart::whole, first + row, matrix);
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t column = 0; column < columns; ++column)
        std::copy_n(&matrix[(row * columns + column) * size], size, &turned[(column * rows + row) * size]);
    }
    MINERVA_TRY(sink(turned));
  }
  return {};
}

Result<void> SynthWeights::emit(const SynthTensor& tensor, SynthPart part, const SynthSink& sink) {
  if (isValues(tensor)) return emitValues(tensor, sink);
  if (tensor.order == SynthOrder::transposed) return emitTransposed(tensor, sink);
  std::vector<std::byte> piece;
  for (std::int64_t row = 0; row < tensor.shape.rows(); ++row) {
    appendRow(tensor, part, row, piece);
    if (piece.size() < pieceBytes) continue;
    MINERVA_TRY(sink(piece));
    piece.clear();
  }
  return piece.empty() ? Result<void>{} : sink(piece);
}

}  // namespace minerva::convert
