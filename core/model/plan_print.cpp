#include "core/model/plan.h"

#include <sstream>
#include <type_traits>

namespace minerva::model {
namespace {

const char* name(NormKind kind) { return kind == NormKind::rms ? "rms" : "layer"; }

const char* name(Activation activation) {
  switch (activation) {
    case Activation::silu: return "silu";
    case Activation::geluTanh: return "gelu (tanh)";
    case Activation::geluErf: return "gelu (erf)";
  }
  return "?";
}

class Printer {
 public:
  explicit Printer(const Plan& plan) : m_plan(plan) {}
  std::string print();

 private:
  void line(const EmbedOp& op) { m_out << buffer(op.out) << " = " << weight(op.table) << " of each token"; }
  void line(const ProjOp& op);
  void line(const RopeKvOp& op);
  void line(const AttentionOp& op);
  void line(const GatherOp& op) { m_out << buffer(op.out) << " = rows of " << buffer(op.in) << " that want logits"; }
  void line(const HeadOp& op) {
    m_out << buffer(op.out) << " = " << name(op.norm.kind) << "(" << buffer(op.in) << ") x " << weight(op.weight);
  }
  [[nodiscard]] std::string buffer(BufferId id) const {
    const Buffer& b = m_plan.buffers[static_cast<std::size_t>(id)];
    return b.name + "[" + std::to_string(b.columns) + "]";
  }
  [[nodiscard]] std::string weight(WeightId id) const {
    const Weight& w = m_plan.weights[static_cast<std::size_t>(id)];
    return w.name + " " + std::string(traits(w.view.type).name) + " " + toString(w.view.shape);
  }

  const Plan& m_plan;
  std::ostringstream m_out;
};

void Printer::line(const ProjOp& op) {
  const bool activated = op.epilogue == Epilogue::gated || op.epilogue == Epilogue::activated;
  m_out << buffer(op.out) << (op.epilogue == Epilogue::add ? " += " : " = ");
  if (activated) m_out << name(op.activation) << (op.epilogue == Epilogue::gated ? " gate of " : " of ");
  m_out << (op.normalised ? std::string(name(op.norm.kind)) + "(" + buffer(op.in) + ")" : buffer(op.in)) << " x ";
  for (std::size_t i = 0; i < op.parts.size(); ++i) {
    m_out << (i == 0 ? "" : " | ") << weight(op.parts[i].weight) << (op.parts[i].bias == none ? "" : " + bias");
  }
}

void Printer::line(const RopeKvOp& op) {
  m_out << buffer(op.qkv) << ": " << (op.rotary ? "rotate q and k, " : "") << "store " << op.kvHeadCount << " x "
        << op.headDim << " keys and values in layer " << op.layer;
}

void Printer::line(const AttentionOp& op) {
  m_out << buffer(op.out) << " = attention of " << op.headCount << " heads over layer " << op.layer;
  if (op.window > 0) m_out << ", last " << op.window << " positions";
}

std::string Printer::print() {
  for (std::size_t i = 0; i < m_plan.ops.size(); ++i) {
    m_out << i << '\t' << model::name(m_plan.ops[i]) << '\t';
    std::visit([this](const auto& op) { line(op); }, m_plan.ops[i]);
    m_out << '\n';
  }
  return m_out.str();
}

}  // namespace

std::string toString(const Plan& plan) { return Printer(plan).print(); }

}  // namespace minerva::model
