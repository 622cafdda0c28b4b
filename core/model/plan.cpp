#include "core/model/plan.h"

#include "core/model/op_parts.h"

#include <algorithm>
#include <map>
#include <set>
#include <type_traits>

namespace minerva::model {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

struct Ids : IgnoreParts {
  std::vector<int> ids;
  void add(int id) {
    if (id != none) ids.push_back(id);
  }
};
struct Reads : Ids {
  void reads(BufferId id) { add(id); }
  void updates(BufferId id) { add(id); }
};
struct Writes : Ids {
  void writes(BufferId id) { add(id); }
  void updates(BufferId id) { add(id); }
};
struct Matrices : Ids {
  void matrix(WeightId id) { add(id); }
};
struct Vectors : Ids {
  void vector(WeightId id) { add(id); }
};
struct AllWeights : Ids {
  void matrix(WeightId id) { add(id); }
  void vector(WeightId id) { add(id); }
  void table(WeightId id) { add(id); }
};

template <class Visitor>
std::vector<int> collect(const Op& op) {
  Visitor visitor;
  eachPart(op, visitor);
  return std::move(visitor.ids);
}

struct States : IgnoreParts {
  int stored = none, attended = none, recurrent = none;
  void storesIn(int id) { stored = id; }
  void attendsTo(int id) { attended = id; }
  void replaces(int id) { recurrent = id; }
};

States statesOf(const Op& op) {
  States states;
  eachPart(op, states);
  return states;
}

std::uint64_t bytesOfRow(const Plan& plan, WeightId table) {
  return table == none ? 0 : plan.weights[static_cast<std::size_t>(table)].view.rowBytes();
}

}  // namespace

const char* name(const Op& op) {
  return std::visit(Overloaded{
                        [](const EmbedOp&) { return "embed"; },
                        [](const NormOp&) { return "norm"; },
                        [](const ProjOp&) { return "proj"; },
                        [](const HeadProjOp&) { return "head_proj"; },
                        [](const RopeKvOp&) { return "rope_kv"; },
                        [](const AttentionOp&) { return "attention"; },
                        [](const RouteOp&) { return "route"; },
                        [](const ExpertOp&) { return "expert_proj"; },
                        [](const CombineOp&) { return "combine"; },
                        [](const GatherOp&) { return "gather"; },
                        [](const HeadOp&) { return "head"; },
                        [](const GateOp&) { return "gate"; },
                        [](const GatedNormOp&) { return "gated_norm"; },
                        [](const ScaleOp&) { return "scale"; },
                        [](const SpreadOp&) { return "spread"; },
                        [](const ConvOp&) { return "conv"; },
                        [](const DeltaOp&) { return "delta"; },
                        [](const ScanOp&) { return "scan"; },
                        [](const PoolOp&) { return "pool"; },
                        [](const ThresholdOp&) { return "threshold"; },
                        [](const XieluOp&) { return "xielu"; },
                        [](const LevelOp&) { return "level"; },
                        [](const MixOp&) { return "mix"; },
                    },
                    op);
}

std::vector<BufferId> reads(const Op& op) { return collect<Reads>(op); }
std::vector<BufferId> writes(const Op& op) { return collect<Writes>(op); }
std::vector<WeightId> matricesOf(const Op& op) { return collect<Matrices>(op); }
std::vector<WeightId> vectorsOf(const Op& op) { return collect<Vectors>(op); }
std::vector<WeightId> weightsOf(const Op& op) { return collect<AllWeights>(op); }
int kvStateRead(const Op& op) { return statesOf(op).attended; }
int kvStateWritten(const Op& op) { return statesOf(op).stored; }
int recurrentStateOf(const Op& op) { return statesOf(op).recurrent; }

std::uint64_t Plan::weightBytesPerToken() const { return weightBytesPerToken(ops); }

std::uint64_t Plan::weightBytesPerToken(std::span<const Op> some) const {
  std::map<WeightId, double> shares;  // of a weight's bytes
  std::uint64_t bytes = 0;
  for (const Op& op : some) {
    if (const auto* embed = std::get_if<EmbedOp>(&op)) {
      bytes += bytesOfRow(*this, embed->table) + bytesOfRow(*this, embed->positions) + bytesOfRow(*this, embed->types);
      continue;
    }
    const auto* expert = std::get_if<ExpertOp>(&op);
    const double share = expert == nullptr ? 1.0 : static_cast<double>(expert->used) / expert->experts;
    for (const WeightId id : weightsOf(op)) shares[id] = std::max(shares[id], share);
  }
  for (const auto& [id, share] : shares) {
    bytes += static_cast<std::uint64_t>(static_cast<double>(storedBytes(weights[static_cast<std::size_t>(id)].view)) * share);
  }
  return bytes;
}

const char* name(Pooling pooling) {
  switch (pooling) {
    case Pooling::none: return "none";
    case Pooling::mean: return "mean";
    case Pooling::first: return "first token";
    case Pooling::last: return "last token";
  }
  return "?";
}

const char* name(KvType type) {
  switch (type) {
    case KvType::f16: return "f16";
    case KvType::q8_0: return "q8_0";
    case KvType::f32: return "f32";
  }
  return "unknown";
}

KvType usualKvOf(const Plan& plan) {
  std::set<BufferId> stored;
  for (const Op& op : plan.ops) {
    if (const auto* rope = std::get_if<RopeKvOp>(&op)) stored.insert(rope->qkv);
  }
  bool all = !stored.empty();
  for (const Op& op : plan.ops) {
    const auto* proj = std::get_if<ProjOp>(&op);
    if (proj == nullptr || !stored.contains(proj->out)) continue;
    for (const ProjPart& part : proj->parts) {
      all = all && plan.weights[static_cast<std::size_t>(part.weight)].view.type == ElementType::F32;
    }
  }
  return all ? KvType::f32 : KvType::f16;
}

KvType Plan::keptKv(KvType wanted, bool exact) const {
  if (wanted != KvType::f16) return wanted;
  return exact ? KvType::f32 : usualKv;
}

std::uint64_t bytesPerPosition(const KvState& state, KvType type) {
  const auto bytesOf = [type](int elements) {
    const auto count = static_cast<std::uint64_t>(elements);
    if (type == KvType::q8_0) return count + (count + 31) / 32 * sizeof(std::uint16_t);
    return count * (type == KvType::f32 ? sizeof(float) : sizeof(std::uint16_t));
  };
  return static_cast<std::uint64_t>(state.kvHeadCount) * (bytesOf(state.headDim) + bytesOf(state.valueDim));
}

std::uint64_t Plan::kvBytesPerPosition(KvType type) const {
  std::uint64_t bytes = 0;
  for (const KvState& state : kv) bytes += bytesPerPosition(state, type);
  return bytes;
}

std::uint64_t Plan::recurrentBytes() const {
  std::uint64_t elements = 0;
  for (const RecurrentState& state : recurrent)
    elements += static_cast<std::uint64_t>(state.rows) * static_cast<std::uint64_t>(state.columns);
  return elements * sizeof(float);
}

std::size_t partCount(const Plan& plan) { return std::max<std::size_t>(1, plan.parts.size()); }

std::pair<std::size_t, std::size_t> opsOfPart(const Plan& plan, std::size_t part) {
  const std::size_t first = plan.parts.empty() ? 0 : plan.parts[part].firstOp;
  return {first, part + 1 < plan.parts.size() ? plan.parts[part + 1].firstOp : plan.ops.size()};
}

int Plan::longRopeFrom() const {
  int length = 0;
  for (const Rope& rope : ropes) length = std::max(length, rope.longFrequencies.empty() ? 0 : rope.switchLength);
  return length;
}

}  // namespace minerva::model
