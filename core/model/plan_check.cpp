// Validates everything backends rely on in a Plan, so that they can index without bounds checks.
#include "core/model/plan_checker.h"

#include <algorithm>
#include <cmath>

namespace minerva::model {

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
  if (weight.form != VectorForm{} || shape.rank != 2 || shape.columns() != columns || (rows >= 0 && shape.rows() != rows)) {
    return wrong(weight.name + " has the wrong shape",
                 "[" + (rows >= 0 ? std::to_string(rows) : std::string("any")) + ", " + std::to_string(columns) + "]", toString(shape));
  }
  if (traits(weight.view.type).kind == ElementKind::number) {
    return wrong(weight.name + " has an element type that matrices cannot have", "a float or a quantized type",
                 std::string(traits(weight.view.type).name));
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

// `count` stacked matrices.
Result<void> Checker::stack(WeightId id, std::int64_t count, std::int64_t columns, std::int64_t rows, const char* role) const {
  if (id < 0 || static_cast<std::size_t>(id) >= m_plan.weights.size()) {
    return wrong(std::string("The ") + role + " matrices are missing", "a weight", std::to_string(id));
  }
  const Weight& weight = m_plan.weights[static_cast<std::size_t>(id)];
  const Shape& shape = weight.view.shape;
  const bool fits = shape.rank == 3 && shape.dims[0] == count && shape.dims[2] == columns && (rows < 0 || shape.dims[1] == rows);
  if (fits && shape.dims[1] % 16 == 0) return {};
  return wrong(weight.name + " has the wrong shape",
               "[" + std::to_string(count) + ", " + (rows >= 0 ? std::to_string(rows) : std::string("any")) + ", " +
                   std::to_string(columns) + "], rows in multiples of 16",
               toString(shape));
}

Result<void> Checker::norm(const Norm& norm, std::int64_t columns) const {
  if (!(norm.epsilon >= 0) || !std::isfinite(norm.epsilon)) {
    return wrong("The epsilon of a norm is not valid", "a finite number, 0 or more", std::to_string(norm.epsilon));
  }
  MINERVA_TRY(vector(norm.weight, columns, "norm weight", true));
  return vector(norm.bias, columns, "norm bias", true);
}

Result<void> Checker::atLeast(BufferId id, std::int64_t wanted, const char* role) const {
  MINERVA_TRY(bufferInRange(id));
  if (columns(id) >= wanted) return {};
  return wrong(std::string("The ") + role + " has the wrong width", "at least " + std::to_string(wanted), std::to_string(columns(id)));
}

// Columns [column, column + count) of a buffer.
Result<void> Checker::inside(BufferId id, int column, std::int64_t count, const char* role) const {
  if (column >= 0 && count > 0 && column + count <= columns(id)) return {};
  return wrong(std::string("The ") + role + " is not inside its buffer", "within " + std::to_string(columns(id)) + " columns",
               std::to_string(count) + " from column " + std::to_string(column));
}

Result<void> Checker::width(BufferId id, std::int64_t wanted, const char* role) const {
  if (columns(id) == wanted) return {};
  return wrong(std::string("The ") + role + " has the wrong width", std::to_string(wanted), std::to_string(columns(id)));
}

Result<void> Checker::finite(float value, const char* role) const {
  if (std::isfinite(value)) return {};
  return wrong(std::string("The ") + role + " is not finite", "a number", std::to_string(value));
}

Result<void> Checker::operation(const EmbedOp& op) const {
  MINERVA_TRY(finite(op.scale, "embedding's scale"));
  if (op.positions != none) MINERVA_TRY(matrix(op.positions, columns(op.out), -1, "position embedding"));
  if (op.types != none) MINERVA_TRY(matrix(op.types, columns(op.out), -1, "type embedding"));
  return matrix(op.table, columns(op.out), op.elseFirst ? -1 : m_plan.vocabularySize, "embedding");
}

Result<void> Checker::operation(const NormOp& op) const {
  MINERVA_TRY(sameRows(op.in, op.out));
  if (op.in == op.out) return wrong("A norm cannot run in place", "two buffers", "one");
  MINERVA_TRY(finite(op.scale, "norm's scale"));
  MINERVA_TRY(width(op.out, columns(op.in), "norm's output"));
  return op.group == 0 ? norm(op.norm, columns(op.in)) : groupedNorm(op.norm, columns(op.in), op.group);
}

// Kernels of matrices have all activations but this one.
Result<void> Checker::ofProjections(Activation activation) const {
  if (activation != Activation::softplus) return {};
  return wrong("This activation is only that of a gate", "another", "softplus");
}

Result<void> Checker::operation(const ProjOp& op) const {
  MINERVA_TRY(sameRows(op.in, op.out));
  MINERVA_TRY(ofProjections(op.activation));
  if (op.in == op.out) return wrong("A projection cannot run in place", "two buffers", "one");
  if (op.normalised) MINERVA_TRY(norm(op.norm, columns(op.in)));
  MINERVA_TRY(finite(op.scale, "projection's scale"));
  const bool gated = op.epilogue == Epilogue::gated;
  if (op.parts.empty() || (gated && op.parts.size() != 2)) {
    return wrong("A projection has the wrong number of parts", gated ? "2" : "1 or more", std::to_string(op.parts.size()));
  }
  const bool partly = op.epilogue == Epilogue::store && op.parts.front().column >= 0;
  const std::int64_t first = partly ? op.parts.front().column : 0;
  std::int64_t next = first;
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
  if (next == wanted || (partly && m_written[static_cast<std::size_t>(op.out)] && next < wanted)) return {};
  // Other ops write the remaining columns later. Whether they fill all of them is not checked here.
  if (partly && first > 0 && next <= wanted) return {};
  return wrong("The parts of a projection do not fill its output", std::to_string(wanted), std::to_string(next));
}

Result<void> Checker::operation(const HeadProjOp& op) const {
  MINERVA_TRY(sameRows(op.in, op.out));
  if (op.in == op.out || op.heads <= 0 || op.rest < 0 || columns(op.in) % op.heads != 0) {
    return wrong("A projection by heads does not fit its input", "a multiple of " + std::to_string(op.heads) + " columns",
                 std::to_string(columns(op.in)));
  }
  MINERVA_TRY(stack(op.weight, op.heads, columns(op.in) / op.heads - op.rest, -1, "head"));
  const std::int64_t rows = m_plan.weights[static_cast<std::size_t>(op.weight)].view.shape.dims[1];
  if ((rows + op.rest) * op.heads <= columns(op.out)) return {};
  return wrong("A projection by heads does not fit its output", "at least " + std::to_string((rows + op.rest) * op.heads),
               std::to_string(columns(op.out)));
}

Result<void> Checker::operation(const GatherOp& op) const {
  if (columns(op.in) == columns(op.out) && !outputRows(op.in) && outputRows(op.out)) return {};
  return wrong("A gather does not go from all rows to output rows of one width", std::to_string(columns(op.in)) + " columns",
               std::to_string(columns(op.out)) + " columns");
}

Result<void> Checker::operation(const PoolOp& op) const {
  if (m_plan.embedding == none || op.pooling == Pooling::none) {
    return wrong("A plan that predicts tokens pools rows", "whole texts and their vectors", name(op.pooling));
  }
  if (columns(op.in) == columns(op.out) && !outputRows(op.in) && outputRows(op.out)) return {};
  return wrong("Pooling does not go from all rows to output rows of one width", std::to_string(columns(op.in)) + " columns",
               std::to_string(columns(op.out)) + " columns");
}

Result<void> Checker::operation(const HeadOp& op) const {
  MINERVA_TRY(sameRows(op.in, op.out));
  MINERVA_TRY(norm(op.norm, columns(op.in)));
  MINERVA_TRY(matrix(op.weight, columns(op.in), columns(op.out), "head"));
  MINERVA_TRY(vector(op.bias, columns(op.out), "head bias", true));
  MINERVA_TRY(finite(op.scale, "head's scale"));
  MINERVA_TRY(finite(op.softCap, "head's soft cap"));
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
    if (wellFormed(weight.view)) continue;
    return wrong(weight.name + " has the wrong size", "bytes for " + toString(weight.view.shape) + " in whole blocks",
                 std::to_string(weight.view.bytes.size()) + " bytes");
  }
  return {};
}

Result<void> Checker::states() const {
  for (const KvState& kv : m_plan.kv) {
    if (kv.kvHeadCount > 0 && kv.headDim > 0 && kv.valueDim > 0 && kv.window >= 0) continue;
    return wrong("A KV state has an impossible size", "1 or more heads and elements",
                 std::to_string(kv.kvHeadCount) + " x " + std::to_string(kv.headDim));
  }
  for (const RecurrentState& state : m_plan.recurrent) {
    if (state.rows > 0 && state.columns > 0 && std::int64_t{state.rows} * state.columns <= maxColumns) continue;
    return wrong("The state \"" + state.name + "\" has an impossible size", "1 to " + std::to_string(maxColumns) + " elements",
                 std::to_string(state.rows) + " x " + std::to_string(state.columns));
  }
  return {};
}

Result<void> Checker::ropes() const {
  for (const Rope& rope : m_plan.ropes) {
    const auto half = static_cast<std::size_t>(std::max(0, rope.dimension / 2));
    const bool longSize = rope.longFrequencies.empty() || (rope.longFrequencies.size() == half && rope.switchLength > 0);
    if (rope.dimension < 0 || rope.dimension % 2 != 0 || rope.frequencies.size() != half || !longSize) {
      return wrong("The rotary embedding has the wrong number of frequencies", std::to_string(rope.dimension / 2),
                   std::to_string(rope.frequencies.size()) + " and " + std::to_string(rope.longFrequencies.size()));
    }
    const auto isFinite = [](float f) { return std::isfinite(f); };
    if (!std::ranges::all_of(rope.frequencies, isFinite) || !std::ranges::all_of(rope.longFrequencies, isFinite) ||
        !std::isfinite(rope.magnitude)) {
      return wrong("The rotary embedding is not finite", "numbers", "infinity or NaN");
    }
  }
  return {};
}

Result<void> Checker::check() {
  m_op = m_plan.ops.size();
  MINERVA_TRY(tables());
  MINERVA_TRY(states());
  MINERVA_TRY(ropes());
  if (m_plan.pairs != none) {
    MINERVA_TRY(bufferInRange(m_plan.pairs));
    m_written[static_cast<std::size_t>(m_plan.pairs)] = true;
  }
  for (m_op = 0; m_op < m_plan.ops.size(); ++m_op) {
    const Op& op = m_plan.ops[m_op];
    for (const BufferId id : reads(op)) {
      MINERVA_TRY(bufferInRange(id));
      if (!m_written[static_cast<std::size_t>(id)]) {
        return wrong("An op reads a buffer that no op has written", m_plan.buffers[static_cast<std::size_t>(id)].name + " written earlier",
                     "nothing");
      }
    }
    for (const BufferId id : writes(op)) MINERVA_TRY(bufferInRange(id));
    MINERVA_TRY(std::visit([this](const auto& o) { return operation(o); }, op));
    for (const BufferId id : writes(op)) m_written[static_cast<std::size_t>(id)] = true;
  }
  return result();
}

// Exactly one result: logits or vectors of texts.
Result<void> Checker::result() const {
  if (m_plan.logits != none && m_plan.embedding != none) return wrong("The plan has two results", "logits or vectors of texts", "both");
  const BufferId id = m_plan.result();
  if (id < 0 || static_cast<std::size_t>(id) >= m_written.size() || !m_written[static_cast<std::size_t>(id)]) {
    return wrong("The plan writes no logits", "a head", "none");
  }
  if (m_plan.hidden != none) {
    MINERVA_TRY(bufferInRange(m_plan.hidden));
    MINERVA_TRY(width(m_plan.hidden, m_plan.hiddenSize, "row that a prediction reads"));
  }
  if (m_plan.embedding == none || outputRows(id)) return {};
  return wrong("The vectors of texts are not output rows", "a row for each text", m_plan.buffers[static_cast<std::size_t>(id)].name);
}

Result<void> Checker::operation(const ScaleOp& op) const {
  const bool known = op.scale >= 0 && static_cast<std::size_t>(op.scale) < m_plan.weights.size();
  const bool one = known && m_plan.weights[static_cast<std::size_t>(op.scale)].view.shape.elements() == 1;
  return vector(op.scale, one ? 1 : columns(op.out), "scale", false);
}

Result<void> checkPlan(const Plan& plan) { return Checker(plan).check(); }

}  // namespace minerva::model
