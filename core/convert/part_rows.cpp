#include "core/convert/part_rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace minerva::convert {

namespace {

constexpr std::size_t mxfp4Codes = 16, mxfp4Bytes = 17;  // per block of 32

// Repacks a block without changing values: MXFP4_PLANES packs elements 2i and 2i + 1 into a byte, GGUF's MXFP4 elements i
// and i + 16, with the scale in front.
void reorderMxfp4(const std::byte* from, std::byte* to, std::size_t blocks) {
  const auto code = [](const std::byte* codes, std::size_t i) { return (codes[i / 2] >> (i % 2 * 4)) & std::byte{15}; };
  for (; blocks > 0; --blocks, from += mxfp4Bytes, to += mxfp4Bytes) {
    to[0] = from[mxfp4Codes];
    for (std::size_t i = 0; i < mxfp4Codes; ++i) to[1 + i] = code(from, i) | code(from, i + mxfp4Codes) << 4;
  }
}

bool keepsCodes(ElementType from, ElementType to) { return from == ElementType::MXFP4_PLANES && to == ElementType::MXFP4; }

// The part of `count` items that thread `thread` processes.
std::pair<std::size_t, std::size_t> shareOf(std::size_t count, int thread, int threads) {
  const auto all = static_cast<std::size_t>(threads), mine = static_cast<std::size_t>(thread);
  return {count * mine / all, count * (mine + 1) / all};
}

// Number of rows after transposition; -1 if the part is not a whole number of blocks.
std::int64_t rowsIn(const SourceTensor& tensor, const TensorView& part) {
  const Transposition& turned = tensor.transposed;
  if (turned.rows == 0) return part.shape.rows();
  if (turned.rows > turned.pitch || part.shape.rows() % turned.pitch != 0) return -1;
  return part.shape.rows() / turned.pitch * part.shape.columns();
}

bool staysWithin(const RowOrder& order, std::int64_t rows) {
  if (order.asItIs()) return true;
  std::int64_t last = order.first;
  for (std::size_t i = 0; i < order.counts.size(); ++i) {
    if (order.counts[i] < 1 || order.steps[i] < 0) return false;
    last += (order.counts[i] - 1) * order.steps[i];
  }
  return order.first >= 0 && last < rows;
}

float largestOf(std::span<const float> values) {
  float largest = 0;
  for (const float value : values) {
    if (!std::isfinite(value)) return std::numeric_limits<float>::infinity();
    largest = std::max(largest, std::abs(value));
  }
  return largest;
}

// No type's scales are larger than the values, so that only values beyond F16's largest can become infinite.
bool staysFinite(float largest, ElementType type, const std::byte* written, std::span<float> values) {
  constexpr float largestHalf = 65504;
  if (largest <= largestHalf) return true;
  traits(type).dequantize(written, values.data(), values.size());
  return std::isfinite(largestOf(values));
}

}  // namespace

bool fits(const SourceTensor& tensor) {
  if (tensor.parts.empty()) return static_cast<std::int64_t>(tensor.values.size()) == tensor.shape.elements();
  if (!tensor.factors.empty() && tensor.factors.size() != tensor.parts.size()) return false;
  std::int64_t elements = tensor.zeroRows * tensor.shape.columns();
  for (const TensorView& part : tensor.parts) {
    const std::int64_t rows = rowsIn(tensor, part);
    if (!wellFormed(part) || rows < 1 || !staysWithin(tensor.order, rows)) return false;
    const std::int64_t columns = tensor.transposed.rows > 0 ? tensor.transposed.rows : part.shape.columns();
    if (columns != 1 && columns != tensor.shape.columns()) return false;  // 1: a vector viewed as a column
    if (!tensor.columns.asItIs() && (!staysWithin(tensor.columns, columns) || tensor.columns.rows() != columns)) return false;
    elements += columns * (tensor.order.asItIs() ? rows : tensor.order.rows());
  }
  return tensor.shape.rank > 0 && elements == tensor.shape.elements();
}

PartRows::PartRows(const SourceTensor& tensor, std::size_t part, ElementType type)
    : m_tensor(tensor),
      m_part(tensor.parts[part]),
      m_type(type),
      m_factor(tensor.factors.empty() ? 1.0F : tensor.factors[part]),
      m_rows(static_cast<std::size_t>(tensor.order.asItIs() ? rowsIn(tensor, m_part) : tensor.order.rows())),
      m_columns(static_cast<std::size_t>(tensor.transposed.rows > 0 ? tensor.transposed.rows : m_part.shape.columns())) {}

bool PartRows::isCopy() const {
  const bool sameValues = m_tensor.plus == 0 && m_factor == 1 && !m_tensor.negativeExponential;
  const bool samePlaces = m_tensor.order.asItIs() && m_tensor.columns.asItIs() && m_tensor.transposed.rows == 0;
  return m_part.type == m_type && sameValues && samePlaces && !m_part.apart() && !m_part.arrangement;
}

// One row of values.
void PartRows::change(float* values) const {
  if (!m_tensor.columns.asItIs()) {
    const std::vector<float> stored(values, values + m_columns);
    for (std::size_t i = 0; i < m_columns; ++i) {
      values[i] = stored[static_cast<std::size_t>(m_tensor.columns(static_cast<std::int64_t>(i)))];
    }
  }
  const auto each = [&](auto change) { std::for_each(values, values + m_columns, change); };
  if (m_tensor.negativeExponential) each([](float& value) { value = static_cast<float>(-std::exp(static_cast<double>(value))); });
  if (m_factor != 1) each([&](float& value) { value *= m_factor; });
  if (m_tensor.plus != 0) each([&](float& value) { value += m_tensor.plus; });
}

// Rows [first + from, first + to) as bytes of the new type, up to the first that the type cannot hold.
std::optional<PartRows::Problem> PartRows::write(std::size_t first, std::size_t from, std::size_t to) {
  const std::size_t rowBytes = bytesOf(m_type, m_columns);
  const bool codes = keepsCodes(m_part.type, m_type), turned = m_tensor.transposed.rows > 0;
  std::vector<std::byte> stored(codes ? m_part.rowBytes() : 0);
  std::vector<float> buffer(m_columns);
  for (std::size_t i = from; i < to; ++i) {
    const auto row = static_cast<std::size_t>(m_tensor.order(static_cast<std::int64_t>(first + i)));
    std::byte* out = m_bytes.data() + i * rowBytes;
    if (codes && !turned) {
      assembleRows(m_part, row, 1, stored.data());
      reorderMxfp4(stored.data(), out, m_columns / 32);
      continue;
    }
    float* values = turned ? m_values.data() + i * m_columns : buffer.data();
    if (!turned) dequantizeRows(m_part, row, 1, values);
    change(values);
    const float largest = largestOf({values, m_columns});
    if (!std::isfinite(largest)) return Problem{i, true};
    traits(m_type).quantize(values, out, m_columns);
    if (!staysFinite(largest, m_type, out, {values, m_columns})) return Problem{i, false};
  }
  return std::nullopt;
}

std::unexpected<Error> PartRows::refused(const Problem& problem, std::size_t first) const {
  Error error{.kind = ErrorKind::corrupt,
              .what = "The weights hold values that are not numbers",
              .where = m_tensor.name + ", row " + std::to_string(m_tensor.order(static_cast<std::int64_t>(first + problem.row))),
              .expected = "finite numbers",
              .hint = "The model was made wrongly, perhaps by merging; choose another copy."};
  if (!problem.noNumber) {
    error.kind = ErrorKind::unsupported;
    error.what = "The weights hold values that are too large for " + std::string(traits(m_type).name);
    error.expected = "values up to 65504";
    error.hint = "Choose bf16 or f32.";
  }
  return fail(std::move(error));
}

// Elements [from, to) of rows [first, first + count) of the transposed part into m_values.
void PartRows::transpose(std::size_t first, std::size_t count, std::size_t from, std::size_t to) {
  const auto columns = static_cast<std::size_t>(m_part.shape.columns()), pitch = static_cast<std::size_t>(m_tensor.transposed.pitch);
  std::vector<float> buffer(columns);
  for (std::size_t element = from; element < to; ++element) {
    std::size_t held = static_cast<std::size_t>(-1);  // the block whose row the buffer holds
    for (std::size_t i = 0; i < count; ++i) {
      const auto row = static_cast<std::size_t>(m_tensor.order(static_cast<std::int64_t>(first + i)));
      const std::size_t block = row / columns;
      if (block != held) dequantizeRows(m_part, block * pitch + element, 1, buffer.data());
      held = block;
      m_values[i * m_columns + element] = buffer[row % columns];
    }
  }
}

Result<std::span<const std::byte>> PartRows::convert(std::size_t first, std::size_t count, ThreadPool& threads) {
  m_bytes.resize(count * bytesOf(m_type, m_columns));
  if (m_tensor.transposed.rows > 0) {
    m_values.resize(count * m_columns);
    threads.run([&](int thread) {
      const auto [from, to] = shareOf(m_columns, thread, threads.size());
      transpose(first, count, from, to);
    });
  }
  std::vector<std::optional<Problem>> problems(static_cast<std::size_t>(threads.size()));
  threads.run([&](int thread) {
    const auto [from, to] = shareOf(count, thread, threads.size());
    problems[static_cast<std::size_t>(thread)] = write(first, from, to);
  });
  for (const auto& problem : problems)
    if (problem) return refused(*problem, first);
  return m_bytes;
}

}  // namespace minerva::convert
