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
    case Activation::clampedSwiglu: return "clamped swiglu";
    case Activation::sigmoid: return "sigmoid";
    case Activation::relu: return "relu";
    case Activation::reluSquared: return "squared relu";
    case Activation::identity: return "identity";
    case Activation::tanh: return "tanh";
    case Activation::softplus: return "softplus";
  }
  return "?";
}

class Printer {
 public:
  explicit Printer(const Plan& plan) : m_plan(plan) {}
  std::string print();

 private:
  void line(const EmbedOp& op);
  void line(const NormOp& op) {
    m_out << buffer(op.out) << (op.add ? " += " : " = ") << scaled(op.scale) << name(op.norm.kind) << "(" << buffer(op.in) << ")";
  }
  void line(const ProjOp& op);
  void line(const HeadProjOp& op) {
    m_out << buffer(op.out) << " = each of " << op.heads << " heads of " << buffer(op.in) << " x " << weight(op.weight);
    if (op.rest > 0) m_out << ", " << op.rest << " elements kept";
  }
  void line(const RopeKvOp& op);
  void line(const AttentionOp& op);
  void line(const RouteOp& op) { m_out << buffer(op.out) << " = best " << op.used << " of " << op.experts << " by " << buffer(op.logits); }
  void line(const ExpertOp& op);
  void line(const CombineOp& op) {
    m_out << buffer(op.out) << (op.add ? " += " : " = ") << scaled(op.scale);
    if (op.route == none) m_out << "sum of " << op.used << " parts of " << buffer(op.in);
    else m_out << buffer(op.in) << " by shares of " << buffer(op.route);
    if (op.shared != none) m_out << " + " << buffer(op.shared);
    if (op.bias != none) m_out << " + " << weight(op.bias);
  }
  void line(const SpreadOp& op) { m_out << buffer(op.out) << " = " << buffer(op.in) << " x each share of " << buffer(op.route); }
  void line(const GateOp& op) {
    m_out << buffer(op.out) << " columns " << op.column << " + " << op.columns << " *= " << name(op.activation) << "(" << buffer(op.gate)
          << " from column " << op.gateColumn << ")";
    if (op.group > 1) m_out << " of each " << op.group;
    if (op.limit > 0) m_out << ", both up to " << op.limit;
  }
  void line(const GatedNormOp& op) {
    m_out << buffer(op.x) << " = " << name(op.norm.kind) << "(" << buffer(op.x) << (op.gateFirst ? " x silu(" : ") x silu(")
          << buffer(op.gate) << (op.gateFirst ? "))" : ")") << " of each " << op.group;
  }
  void line(const ScaleOp& op) { m_out << buffer(op.out) << " *= " << weight(op.scale); }
  void line(const ThresholdOp& op) {
    m_out << buffer(op.x) << " = what is more than " << op.deviations << " standard deviations above the mean of " << buffer(op.x);
  }
  void line(const XieluOp& op) { m_out << buffer(op.x) << " = xielu of " << buffer(op.x); }
  void line(const LevelOp& op) { m_out << buffer(op.x) << " with the root mean square of " << buffer(op.like); }
  void line(const MixOp& op);
  void line(const ConvOp& op) {
    m_out << buffer(op.out) << " = " << (op.activated ? "silu of " : "") << "convolution of " << op.width << " rows of " << buffer(op.in)
          << " from column " << op.column << ", " << state(op.state);
  }
  void line(const DeltaOp& op) {
    m_out << buffer(op.out) << " = gated delta rule over " << buffer(op.in) << ", " << op.valueHeads << " heads of " << op.keyDim << " x "
          << op.valueDim << ", " << state(op.state);
  }
  void line(const ScanOp& op) {
    m_out << buffer(op.out) << " = selective scan over " << buffer(op.in) << ", " << op.heads << " heads of " << op.headDim << " x "
          << op.stateSize << (op.channelDecay ? ", each channel with its own steps, " : ", ") << state(op.state);
  }
  void line(const GatherOp& op) { m_out << buffer(op.out) << " = rows of " << buffer(op.in) << " that need logits"; }
  void line(const PoolOp& op) {
    m_out << buffer(op.out) << " = " << model::name(op.pooling) << " of each text's rows of " << buffer(op.in);
  }
  void line(const HeadOp& op) {
    m_out << buffer(op.out) << " = " << scaled(op.scale) << name(op.norm.kind) << "(" << buffer(op.in) << ") x " << weight(op.weight);
    if (op.softCap > 0) m_out << ", capped at " << op.softCap;
  }
  [[nodiscard]] std::string state(int id) const { return "state \"" + m_plan.recurrent[static_cast<std::size_t>(id)].name + "\""; }
  [[nodiscard]] static std::string scaled(float scale) {
    std::ostringstream text;
    if (scale != 1.0F) text << scale << " x ";
    return text.str();
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

void Printer::line(const EmbedOp& op) {
  m_out << buffer(op.out) << " = " << scaled(op.scale) << weight(op.table) << " of each token";
  if (op.positions != none) m_out << " + " << weight(op.positions) << " of its position";
  if (op.types != none) m_out << " + row 0 of " << weight(op.types);
}

void Printer::line(const ExpertOp& op) {
  m_out << buffer(op.out) << " = " << (op.gated ? std::string(name(op.activation)) + " gate of " : std::string()) << buffer(op.in) << " x ";
  for (std::size_t i = 0; i < op.parts.size(); ++i) m_out << (i == 0 ? "" : " | ") << weight(op.parts[i].weights.front());
  m_out << " of its " << op.used << " experts";
}

void Printer::line(const ProjOp& op) {
  const bool activated = op.epilogue == Epilogue::gated || op.epilogue == Epilogue::activated;
  m_out << buffer(op.out) << (op.epilogue == Epilogue::add ? " += " : " = ") << scaled(op.scale);
  if (activated) m_out << name(op.activation) << (op.epilogue == Epilogue::gated ? " gate of " : " of ");
  m_out << (op.normalised ? std::string(name(op.norm.kind)) + "(" + buffer(op.in) + ")" : buffer(op.in)) << " x ";
  for (std::size_t i = 0; i < op.parts.size(); ++i) {
    m_out << (i == 0 ? "" : " | ") << weight(op.parts[i].weight) << (op.parts[i].bias == none ? "" : " + bias");
  }
}

void Printer::line(const RopeKvOp& op) {
  m_out << buffer(op.qkv) << ": ";
  if (op.limit > 0) m_out << "limit to " << op.limit << ", ";
  m_out << (op.qNorm.present() ? "normalise q, " : "") << (op.kNorm.present() ? "normalise k, " : "")
        << (op.vNorm.present() ? "normalise v, " : "") << (op.rope == none ? "" : "rotate q and k, ");
  if (op.temperature.strength != 0) m_out << "scale q by position, ";
  if (op.kv != none) m_out << "store " << op.kvHeadCount << " x " << op.headDim << " keys and values in state " << op.kv;
}

void Printer::line(const AttentionOp& op) {
  m_out << buffer(op.out) << " = attention of " << op.headCount << " heads over state " << op.kv;
  if (op.visible.window > 0) m_out << ", last " << op.visible.window << " positions";
  if (op.visible.chunk > 0) m_out << ", in chunks of " << op.visible.chunk;
  if (op.visible.bidirectional) m_out << ", in both directions";
  if (op.softCap > 0) m_out << ", capped at " << op.softCap;
  if (op.alibi != 0) m_out << ", less by distance (" << op.alibi << ")";
  if (op.sinks != none) m_out << ", with sinks";
}

void Printer::line(const MixOp& op) {
  for (std::size_t i = 0; i < op.streams.size(); ++i) m_out << (i == 0 ? "" : ", ") << buffer(op.streams[i]);
  m_out << (op.target == none ? " mixed" : " corrected towards ") << (op.target == none ? "" : buffer(op.target)) << " by "
        << buffer(op.coefficients);
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
