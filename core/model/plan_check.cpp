// Validates everything backends rely on in a Plan, so that they can index without bounds checks.
#include "core/model/plan.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace minerva::model {
namespace {

struct HeadCounts {
  int layer, headCount, kvHeadCount, headDim, valueDim;
};

constexpr int maxColumns = 1 << 26;  // of a buffer, in elements: far above any model, far below 32-bit overflow

class Checker {
 public:
  explicit Checker(const Plan& plan) : m_plan(plan), m_written(plan.buffers.size(), false) {}
  Result<void> check();

 private:
  Result<void> tables() const;
  Result<void> ropes() const;
  Result<void> operation(const EmbedOp& op) const;
  Result<void> operation(const NormOp& op) const;
  Result<void> operation(const ProjOp& op) const;
  Result<void> operation(const HeadProjOp& op) const;
  Result<void> operation(const RopeKvOp& op) const;
  Result<void> operation(const AttentionOp& op) const;
  Result<void> operation(const RouteOp& op) const;
  Result<void> operation(const ExpertOp& op) const;
  Result<void> operation(const CombineOp& op) const;
  Result<void> operation(const GatherOp& op) const;
  Result<void> operation(const HeadOp& op) const;
  Result<void> bufferInRange(BufferId id) const;
  Result<void> sameRows(BufferId a, BufferId b) const;
  Result<void> matrix(WeightId id, std::int64_t columns, std::int64_t rows, const char* role) const;
  Result<void> stack(WeightId id, std::int64_t count, std::int64_t columns, std::int64_t rows, const char* role) const;
  Result<void> vector(WeightId id, std::int64_t columns, const char* role, bool optional) const;
  Result<void> norm(const Norm& norm, std::int64_t columns) const;
  Result<void> headNorm(const HeadNormStep& step, int headCount, int headDim) const;
  Result<void> heads(const HeadCounts& heads, BufferId qkv, bool values) const;
  Result<void> width(BufferId id, std::int64_t wanted, const char* role) const;
  Result<void> finite(float value, const char* role) const;
  Result<void> expertMatrices(const ExpertOp& op, std::int64_t rows, std::int64_t inputs) const;

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
  if (weight.plus != 0 || shape.rank != 2 || shape.columns() != columns || (rows >= 0 && shape.rows() != rows)) {
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
  MINERVA_TRY(vector(norm.weight, columns, "norm weight", false));
  return vector(norm.bias, columns, "norm bias", true);
}

Result<void> Checker::width(BufferId id, std::int64_t wanted, const char* role) const {
  if (columns(id) == wanted) return {};
  return wrong(std::string("The ") + role + " has the wrong width", std::to_string(wanted), std::to_string(columns(id)));
}

Result<void> Checker::finite(float value, const char* role) const {
  if (std::isfinite(value)) return {};
  return wrong(std::string("The ") + role + " is not finite", "a number", std::to_string(value));
}

Result<void> Checker::heads(const HeadCounts& h, BufferId qkv, bool values) const {
  if (h.layer < 0 || static_cast<std::size_t>(h.layer) >= m_plan.kv.size()) {
    return wrong("An op names a layer that does not exist", "0 to " + std::to_string(m_plan.kv.size()) + " exclusive",
                 std::to_string(h.layer));
  }
  if (h.headCount <= 0 || h.kvHeadCount <= 0 || h.headDim <= 0 || h.valueDim <= 0 || h.headCount % h.kvHeadCount != 0) {
    return wrong("The head counts do not match", "kv heads that divide the heads",
                 std::to_string(h.headCount) + " heads, " + std::to_string(h.kvHeadCount) + " kv heads of " + std::to_string(h.headDim));
  }
  const KvLayer& kv = m_plan.kv[static_cast<std::size_t>(h.layer)];
  if (kv.kvHeadCount != h.kvHeadCount || kv.headDim != h.headDim || kv.valueDim != h.valueDim) {
    return wrong("The KV cache of the layer has another shape", std::to_string(h.kvHeadCount) + " x " + std::to_string(h.headDim),
                 std::to_string(kv.kvHeadCount) + " x " + std::to_string(kv.headDim));
  }
  MINERVA_TRY(bufferInRange(qkv));
  const std::int64_t wanted =
      (std::int64_t{h.headCount} + h.kvHeadCount) * h.headDim + (values ? std::int64_t{h.kvHeadCount} * h.valueDim : 0);
  if (columns(qkv) == wanted && !outputRows(qkv)) return {};
  return wrong("The q, k, v buffer has the wrong width", std::to_string(wanted), std::to_string(columns(qkv)));
}

Result<void> Checker::operation(const EmbedOp& op) const {
  MINERVA_TRY(finite(op.scale, "embedding's scale"));
  if (op.positions != none) MINERVA_TRY(matrix(op.positions, columns(op.out), -1, "position embedding"));
  return matrix(op.table, columns(op.out), m_plan.vocabularySize, "embedding");
}

Result<void> Checker::operation(const NormOp& op) const {
  MINERVA_TRY(sameRows(op.in, op.out));
  if (op.in == op.out) return wrong("A norm cannot run in place", "two buffers", "one");
  MINERVA_TRY(finite(op.scale, "norm's scale"));
  MINERVA_TRY(width(op.out, columns(op.in), "norm's output"));
  return norm(op.norm, columns(op.in));
}

Result<void> Checker::operation(const ProjOp& op) const {
  MINERVA_TRY(sameRows(op.in, op.out));
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

Result<void> Checker::headNorm(const HeadNormStep& step, int headCount, int headDim) const {
  if (step.norm.weight == none) return {};
  const std::int64_t all = std::int64_t{headCount} * headDim;
  if (step.group <= 0 || (step.group > headDim && step.group != all)) {
    return wrong("A norm of heads has an impossible size", "at most " + std::to_string(headDim) + ", or " + std::to_string(all),
                 std::to_string(step.group));
  }
  const std::int64_t elements = step.norm.weight >= 0 && static_cast<std::size_t>(step.norm.weight) < m_plan.weights.size()
                                    ? m_plan.weights[static_cast<std::size_t>(step.norm.weight)].view.shape.elements()
                                    : 0;
  return norm(step.norm, step.group == headDim && elements == all ? all : step.group);
}

Result<void> Checker::operation(const RopeKvOp& op) const {
  MINERVA_TRY(heads({op.layer, op.headCount, op.kvHeadCount, op.headDim, op.valueDim}, op.qkv, !op.valuesFromKeys));
  if (op.valuesFromKeys && op.valueDim > op.headDim) {
    return wrong("A value is longer than the key it is taken from", "at most " + std::to_string(op.headDim), std::to_string(op.valueDim));
  }
  MINERVA_TRY(headNorm(op.qNorm, op.headCount, op.headDim));
  MINERVA_TRY(headNorm(op.kNorm, op.kvHeadCount, op.headDim));
  if (op.rope == none) return {};
  if (op.rope < 0 || static_cast<std::size_t>(op.rope) >= m_plan.ropes.size() || op.ropeOffset < 0) {
    return wrong("An op names a rotation that does not exist", "below " + std::to_string(m_plan.ropes.size()), std::to_string(op.rope));
  }
  const int dimension = m_plan.ropes[static_cast<std::size_t>(op.rope)].dimension;
  if (dimension <= op.headDim - op.ropeOffset) return {};
  return wrong("The rotary dimension is larger than a head", "at most " + std::to_string(op.headDim - op.ropeOffset),
               std::to_string(dimension));
}

Result<void> Checker::operation(const AttentionOp& op) const {
  MINERVA_TRY(bufferInRange(op.qkv));
  const bool values = columns(op.qkv) != (std::int64_t{op.headCount} + op.kvHeadCount) * op.headDim;
  MINERVA_TRY(heads({op.layer, op.headCount, op.kvHeadCount, op.headDim, op.valueDim}, op.qkv, values));
  if (op.window < 0 || op.window != m_plan.kv[static_cast<std::size_t>(op.layer)].window) {
    return wrong("The attention window differs from the KV cache's", std::to_string(m_plan.kv[static_cast<std::size_t>(op.layer)].window),
                 std::to_string(op.window));
  }
  MINERVA_TRY(finite(op.scale, "attention scale"));
  MINERVA_TRY(finite(op.softCap, "attention's soft cap"));
  MINERVA_TRY(vector(op.sinks, op.headCount, "sinks", true));
  const std::int64_t wanted = std::int64_t{op.headCount} * op.valueDim;
  if (columns(op.out) == wanted && !outputRows(op.out)) return {};
  return wrong("The attention's output has the wrong width", std::to_string(wanted), std::to_string(columns(op.out)));
}

Result<void> Checker::operation(const RouteOp& op) const {
  MINERVA_TRY(sameRows(op.logits, op.out));
  MINERVA_TRY(finite(op.scale, "routing's scale"));
  const bool grouped = op.groups >= 1 && op.groupsUsed >= 1 && op.groupsUsed <= op.groups && op.experts % op.groups == 0;
  if (op.experts <= 0 || op.used <= 0 || !grouped || op.used > op.experts / op.groups * op.groupsUsed) {
    return wrong("The expert routing is not valid", "at least " + std::to_string(op.used) + " to choose from",
                 std::to_string(op.experts) + " in " + std::to_string(op.groups) + " groups");
  }
  MINERVA_TRY(width(op.logits, op.experts + (op.sharedGate ? 1 : 0), "router's result"));
  return width(op.out, 2 * std::int64_t{op.used} + (op.sharedGate ? 1 : 0), "routing");
}

Result<void> Checker::expertMatrices(const ExpertOp& op, std::int64_t rows, std::int64_t inputs) const {
  for (const ExpertPart& part : op.parts) {
    const auto count = static_cast<std::int64_t>(part.weights.size());
    if (count != 1 && count != op.experts) {
      return wrong("The experts' matrices are not complete", "1 or " + std::to_string(op.experts), std::to_string(count));
    }
    if (count == 1 && op.experts > 1) MINERVA_TRY(stack(part.weights.front(), op.experts, inputs, rows, "expert"));
    for (const WeightId id : part.weights) {
      if (count > 1) MINERVA_TRY(matrix(id, inputs, rows, "expert"));
    }
    MINERVA_TRY(vector(part.bias, rows * op.experts, "experts' bias", true));
  }
  return {};
}

Result<void> Checker::operation(const ExpertOp& op) const {
  MINERVA_TRY(sameRows(op.in, op.out));
  MINERVA_TRY(sameRows(op.in, op.route));
  const bool fits =
      op.used > 0 && op.used <= op.experts && columns(op.out) % op.used == 0 && (!op.perPlace || columns(op.in) % op.used == 0);
  if (!fits || columns(op.route) < 2 * op.used) {
    return wrong("The buffers of the experts do not fit", "runs for " + std::to_string(op.used) + " experts",
                 std::to_string(columns(op.out)) + " columns");
  }
  const bool fused = op.gated && op.gatePlace != GatePlace::separate;
  if (op.parts.size() != (op.gated && !fused ? 2U : 1U)) {
    return wrong("The experts have the wrong number of parts", op.gated && !fused ? "2" : "1", std::to_string(op.parts.size()));
  }
  const std::int64_t rows = std::int64_t{columns(op.out)} / op.used * (fused ? 2 : 1);
  if (rows % (fused ? 32 : 16) != 0) {
    return wrong("An expert's matrix has a number of rows that is not supported", fused ? "a multiple of 32" : "a multiple of 16",
                 std::to_string(rows));
  }
  return expertMatrices(op, rows, op.perPlace ? columns(op.in) / op.used : columns(op.in));
}

Result<void> Checker::operation(const CombineOp& op) const {
  MINERVA_TRY(sameRows(op.in, op.out));
  MINERVA_TRY(sameRows(op.in, op.route));
  MINERVA_TRY(finite(op.scale, "residual's scale"));
  MINERVA_TRY(width(op.in, std::int64_t{columns(op.out)} * op.used, "experts' result"));
  if (columns(op.route) < 2 * op.used + (op.sharedGate ? 1 : 0)) MINERVA_TRY(width(op.route, 2 * std::int64_t{op.used} + 1, "routing"));
  if (op.shared == none) return {};
  MINERVA_TRY(bufferInRange(op.shared));
  MINERVA_TRY(sameRows(op.in, op.shared));
  return width(op.shared, columns(op.out), "shared expert's result");
}

Result<void> Checker::operation(const GatherOp& op) const {
  if (columns(op.in) == columns(op.out) && !outputRows(op.in) && outputRows(op.out)) return {};
  return wrong("A gather does not go from all rows to output rows of one width", std::to_string(columns(op.in)) + " columns",
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
  MINERVA_TRY(ropes());
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
  if (m_plan.logits >= 0 && static_cast<std::size_t>(m_plan.logits) < m_written.size() &&
      m_written[static_cast<std::size_t>(m_plan.logits)]) {
    return {};
  }
  return wrong("The plan writes no logits", "a head", "none");
}

}  // namespace

Result<void> checkPlan(const Plan& plan) { return Checker(plan).check(); }

}  // namespace minerva::model
