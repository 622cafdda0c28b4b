// Everything a backend may rely on about a Plan, checked once: a backend indexes without asking again.
#include "core/model/plan.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace minerva::model {
namespace {

constexpr int maxColumns = 1 << 26;  // of a buffer, in elements: far above any model, far below overflow of 32-bit indices

class Checker {
 public:
  explicit Checker(const Plan& plan) : m_plan(plan), m_written(plan.buffers.size(), false) {}
  Result<void> check();

 private:
  Result<void> tables() const;
  Result<void> rope() const;
  Result<void> operation(const EmbedOp& op) const;
  Result<void> operation(const ProjOp& op) const;
  Result<void> operation(const RopeKvOp& op) const;
  Result<void> operation(const AttentionOp& op) const;
  Result<void> operation(const GatherOp& op) const;
  Result<void> operation(const HeadOp& op) const;
  Result<void> bufferInRange(BufferId id) const;
  Result<void> sameRows(BufferId a, BufferId b) const;
  Result<void> matrix(WeightId id, std::int64_t columns, std::int64_t rows, const char* role) const;
  Result<void> vector(WeightId id, std::int64_t columns, const char* role, bool optional) const;
  Result<void> norm(const Norm& norm, int columns) const;
  Result<void> heads(int layer, int headCount, int kvHeadCount, int headDim, BufferId qkv) const;

  [[nodiscard]] int columns(BufferId id) const { return m_plan.buffers[static_cast<std::size_t>(id)].columns; }
  [[nodiscard]] bool outputRows(BufferId id) const { return m_plan.buffers[static_cast<std::size_t>(id)].outputRows; }
  [[nodiscard]] std::string where() const;
  [[nodiscard]] std::unexpected<Error> wrong(std::string what, std::string expected, std::string actual) const;

  const Plan& m_plan;
  std::vector<bool> m_written;
  std::size_t m_op = 0;
};

std::string Checker::where() const {
  if (m_op >= m_plan.ops.size()) return "plan";
  return "op " + std::to_string(m_op) + " " + name(m_plan.ops[m_op]);
}

std::unexpected<Error> Checker::wrong(std::string what, std::string expected, std::string actual) const {
  return fail({.kind = ErrorKind::corrupt,
               .what = std::move(what),
               .where = where(),
               .expected = std::move(expected),
               .actual = std::move(actual)});
}

Result<void> Checker::bufferInRange(BufferId id) const {
  if (id >= 0 && static_cast<std::size_t>(id) < m_plan.buffers.size()) return {};
  return wrong("A plan names a buffer that does not exist", "0 to " + std::to_string(m_plan.buffers.size()) + " exclusive",
               std::to_string(id));
}

Result<void> Checker::sameRows(BufferId a, BufferId b) const {
  if (outputRows(a) == outputRows(b)) return {};
  return wrong("An op mixes all rows with output rows", "buffers of one kind of row",
               m_plan.buffers[static_cast<std::size_t>(a)].name + " and " + m_plan.buffers[static_cast<std::size_t>(b)].name);
}

Result<void> Checker::matrix(WeightId id, std::int64_t columns, std::int64_t rows, const char* role) const {
  if (id < 0 || static_cast<std::size_t>(id) >= m_plan.weights.size()) {
    return wrong(std::string("The ") + role + " matrix is missing", "a weight", std::to_string(id));
  }
  const Weight& weight = m_plan.weights[static_cast<std::size_t>(id)];
  const Shape& shape = weight.view.shape;
  if (shape.rank != 2 || shape.columns() != columns || (rows >= 0 && shape.rows() != rows)) {
    return wrong(weight.name + " has the wrong shape",
                 "[" + (rows >= 0 ? std::to_string(rows) : std::string("any")) + ", " + std::to_string(columns) + "]",
                 toString(shape));
  }
  return {};
}

Result<void> Checker::vector(WeightId id, std::int64_t columns, const char* role, bool optional) const {
  if (id == none && optional) return {};
  if (id < 0 || static_cast<std::size_t>(id) >= m_plan.weights.size()) {
    return wrong(std::string("The ") + role + " vector is missing", "a weight", std::to_string(id));
  }
  const Weight& weight = m_plan.weights[static_cast<std::size_t>(id)];
  if (weight.view.shape.elements() != columns) {
    return wrong(weight.name + " has the wrong length", std::to_string(columns), toString(weight.view.shape));
  }
  return {};
}

Result<void> Checker::norm(const Norm& norm, int columns) const {
  if (!(norm.epsilon >= 0) || !std::isfinite(norm.epsilon)) {
    return wrong("The epsilon of a norm is not usable", "a finite number, 0 or more", std::to_string(norm.epsilon));
  }
  MINERVA_TRY(vector(norm.weight, columns, "norm weight", false));
  return vector(norm.bias, columns, "norm bias", true);
}

Result<void> Checker::heads(int layer, int headCount, int kvHeadCount, int headDim, BufferId qkv) const {
  if (layer < 0 || static_cast<std::size_t>(layer) >= m_plan.kv.size()) {
    return wrong("An op names a layer that does not exist", "0 to " + std::to_string(m_plan.kv.size()) + " exclusive",
                 std::to_string(layer));
  }
  if (headCount <= 0 || kvHeadCount <= 0 || headDim <= 0 || headCount % kvHeadCount != 0) {
    return wrong("The head counts do not fit each other", "kv heads that divide the heads",
                 std::to_string(headCount) + " heads, " + std::to_string(kvHeadCount) + " kv heads of " +
                     std::to_string(headDim));
  }
  const KvLayer& kv = m_plan.kv[static_cast<std::size_t>(layer)];
  if (kv.kvHeadCount != kvHeadCount || kv.headDim != headDim) {
    return wrong("The KV cache of the layer has another shape", std::to_string(kvHeadCount) + " x " + std::to_string(headDim),
                 std::to_string(kv.kvHeadCount) + " x " + std::to_string(kv.headDim));
  }
  MINERVA_TRY(bufferInRange(qkv));
  const std::int64_t wanted = (std::int64_t{headCount} + 2 * std::int64_t{kvHeadCount}) * headDim;
  if (columns(qkv) == wanted && !outputRows(qkv)) return {};
  return wrong("The q, k, v buffer has the wrong width", std::to_string(wanted), std::to_string(columns(qkv)));
}

Result<void> Checker::operation(const EmbedOp& op) const {
  return matrix(op.table, columns(op.out), m_plan.vocabularySize, "embedding");
}

Result<void> Checker::operation(const ProjOp& op) const {
  MINERVA_TRY(sameRows(op.in, op.out));
  if (op.in == op.out) return wrong("A projection cannot run in place", "two buffers", "one");
  if (op.normalised) MINERVA_TRY(norm(op.norm, columns(op.in)));
  const bool gated = op.epilogue == Epilogue::gated;
  if (op.parts.empty() || (gated && op.parts.size() != 2)) {
    return wrong("A projection has the wrong number of parts", gated ? "2" : "1 or more", std::to_string(op.parts.size()));
  }
  std::int64_t next = 0;
  for (const ProjPart& part : op.parts) {
    MINERVA_TRY(matrix(part.weight, columns(op.in), gated ? columns(op.out) : -1, "projection"));
    const std::int64_t rows = m_plan.weights[static_cast<std::size_t>(part.weight)].view.shape.rows();
    MINERVA_TRY(vector(part.bias, rows, "bias", true));
    if (part.column != next) {
      return wrong("The parts of a projection leave a gap", "column " + std::to_string(next), std::to_string(part.column));
    }
    next += rows;
  }
  const std::int64_t wanted = gated ? std::int64_t{2} * columns(op.out) : columns(op.out);
  if (next == wanted) return {};
  return wrong("The parts of a projection do not fill its output", std::to_string(wanted), std::to_string(next));
}

Result<void> Checker::operation(const RopeKvOp& op) const {
  MINERVA_TRY(heads(op.layer, op.headCount, op.kvHeadCount, op.headDim, op.qkv));
  if (!op.rotary || m_plan.rope.dimension <= op.headDim) return {};
  return wrong("The rotary dimension is larger than a head", "at most " + std::to_string(op.headDim),
               std::to_string(m_plan.rope.dimension));
}

Result<void> Checker::operation(const AttentionOp& op) const {
  MINERVA_TRY(heads(op.layer, op.headCount, op.kvHeadCount, op.headDim, op.qkv));
  if (op.window < 0 || op.window != m_plan.kv[static_cast<std::size_t>(op.layer)].window) {
    return wrong("The attention window differs from the KV cache's",
                 std::to_string(m_plan.kv[static_cast<std::size_t>(op.layer)].window), std::to_string(op.window));
  }
  if (!std::isfinite(op.scale)) return wrong("The attention scale is not finite", "a number", std::to_string(op.scale));
  const std::int64_t wanted = std::int64_t{op.headCount} * op.headDim;
  if (columns(op.out) == wanted && !outputRows(op.out)) return {};
  return wrong("The attention's output has the wrong width", std::to_string(wanted), std::to_string(columns(op.out)));
}

Result<void> Checker::operation(const GatherOp& op) const {
  if (columns(op.in) == columns(op.out) && !outputRows(op.in) && outputRows(op.out)) return {};
  return wrong("A gather does not go from all rows to output rows of one width",
               std::to_string(columns(op.in)) + " columns", std::to_string(columns(op.out)) + " columns");
}

Result<void> Checker::operation(const HeadOp& op) const {
  MINERVA_TRY(sameRows(op.in, op.out));
  MINERVA_TRY(norm(op.norm, columns(op.in)));
  MINERVA_TRY(matrix(op.weight, columns(op.in), columns(op.out), "head"));
  MINERVA_TRY(vector(op.bias, columns(op.out), "head bias", true));
  if (op.out == m_plan.logits && outputRows(op.out) && columns(op.out) == m_plan.vocabularySize) return {};
  return wrong("The head does not write the plan's logits", std::to_string(m_plan.logits), std::to_string(op.out));
}

Result<void> Checker::tables() const {
  for (const Buffer& buffer : m_plan.buffers) {
    if (buffer.columns <= 0 || buffer.columns > maxColumns) {
      return wrong("Buffer " + buffer.name + " has an impossible width", "1 to " + std::to_string(maxColumns),
                   std::to_string(buffer.columns));
    }
  }
  for (const Weight& weight : m_plan.weights) {
    const TensorView& view = weight.view;
    const auto block = static_cast<std::int64_t>(traits(view.type).blockElements);
    if (view.shape.columns() <= 0 || view.shape.columns() % block != 0) {
      return wrong(weight.name + " is not made of whole blocks", "columns in multiples of " + std::to_string(block),
                   toString(view.shape));
    }
    const std::size_t bytes = static_cast<std::size_t>(view.shape.rows()) * view.rowBytes();
    if (view.bytes.size() != bytes) {
      return wrong(weight.name + " has the wrong size", std::to_string(bytes) + " bytes",
                   std::to_string(view.bytes.size()) + " bytes");
    }
  }
  return {};
}

Result<void> Checker::rope() const {
  const Rope& rope = m_plan.rope;
  if (rope.dimension < 0 || rope.dimension % 2 != 0 ||
      rope.frequencies.size() != static_cast<std::size_t>(rope.dimension / 2)) {
    return wrong("The rotary embedding has the wrong number of frequencies", std::to_string(rope.dimension / 2),
                 std::to_string(rope.frequencies.size()));
  }
  const bool finite = std::ranges::all_of(rope.frequencies, [](float f) { return std::isfinite(f); });
  if (finite && std::isfinite(rope.magnitude)) return {};
  return wrong("The rotary embedding is not finite", "numbers", "infinity or NaN");
}

Result<void> Checker::check() {
  m_op = m_plan.ops.size();
  MINERVA_TRY(tables());
  MINERVA_TRY(rope());
  for (m_op = 0; m_op < m_plan.ops.size(); ++m_op) {
    const Op& op = m_plan.ops[m_op];
    for (const BufferId id : reads(op)) {
      MINERVA_TRY(bufferInRange(id));
      if (!m_written[static_cast<std::size_t>(id)]) {
        return wrong("An op reads a buffer nobody has written",
                     m_plan.buffers[static_cast<std::size_t>(id)].name + " written earlier", "nothing");
      }
    }
    for (const BufferId id : writes(op)) MINERVA_TRY(bufferInRange(id));
    MINERVA_TRY(std::visit([this](const auto& o) { return operation(o); }, op));
    for (const BufferId id : writes(op)) m_written[static_cast<std::size_t>(id)] = true;
  }
  if (m_plan.logits >= 0 && static_cast<std::size_t>(m_plan.logits) < m_written.size() &&
      m_written[static_cast<std::size_t>(m_plan.logits)]) {
    return {};
  }
  return wrong("The plan writes no logits", "a head", "none");
}

}  // namespace

Result<void> checkPlan(const Plan& plan) { return Checker(plan).check(); }

}  // namespace minerva::model
