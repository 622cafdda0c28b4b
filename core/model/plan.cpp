#include "core/model/plan.h"

#include <algorithm>
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

void addWeight(std::vector<WeightId>& ids, WeightId id) {
  if (id != none) ids.push_back(id);
}

std::uint64_t bytesOfEmbeddingRow(const Plan& plan, const EmbedOp& op) {
  return plan.weights[static_cast<std::size_t>(op.table)].view.rowBytes();
}

}  // namespace

const char* name(const Op& op) {
  return std::visit(Overloaded{
                        [](const EmbedOp&) { return "embed"; },
                        [](const ProjOp&) { return "proj"; },
                        [](const RopeKvOp&) { return "rope_kv"; },
                        [](const AttentionOp&) { return "attention"; },
                        [](const GatherOp&) { return "gather"; },
                        [](const HeadOp&) { return "head"; },
                    },
                    op);
}

std::vector<BufferId> reads(const Op& op) {
  return std::visit(Overloaded{
                        [](const EmbedOp&) { return std::vector<BufferId>{}; },
                        [](const ProjOp& o) {
                          return o.epilogue == Epilogue::add ? std::vector<BufferId>{o.in, o.out}
                                                             : std::vector<BufferId>{o.in};
                        },
                        [](const RopeKvOp& o) { return std::vector<BufferId>{o.qkv}; },
                        [](const AttentionOp& o) { return std::vector<BufferId>{o.qkv}; },
                        [](const GatherOp& o) { return std::vector<BufferId>{o.in}; },
                        [](const HeadOp& o) { return std::vector<BufferId>{o.in}; },
                    },
                    op);
}

std::vector<BufferId> writes(const Op& op) {
  return std::visit(Overloaded{
                        [](const RopeKvOp& o) { return std::vector<BufferId>{o.qkv}; },
                        [](const auto& o) { return std::vector<BufferId>{o.out}; },
                    },
                    op);
}

std::vector<WeightId> weightsOf(const Op& op) {
  std::vector<WeightId> ids;
  std::visit(Overloaded{
                 [&](const EmbedOp& o) { addWeight(ids, o.table); },
                 [&](const ProjOp& o) {
                   if (o.normalised) {
                     addWeight(ids, o.norm.weight);
                     addWeight(ids, o.norm.bias);
                   }
                   for (const ProjPart& part : o.parts) {
                     addWeight(ids, part.weight);
                     addWeight(ids, part.bias);
                   }
                 },
                 [&](const HeadOp& o) {
                   addWeight(ids, o.norm.weight);
                   addWeight(ids, o.norm.bias);
                   addWeight(ids, o.weight);
                   addWeight(ids, o.bias);
                 },
                 [](const auto&) {},
             },
             op);
  return ids;
}

int kvLayerRead(const Op& op) {
  const auto* attention = std::get_if<AttentionOp>(&op);
  return attention != nullptr ? attention->layer : none;
}

int kvLayerWritten(const Op& op) {
  const auto* rope = std::get_if<RopeKvOp>(&op);
  return rope != nullptr ? rope->layer : none;
}

std::uint64_t Plan::weightBytesPerToken() const {
  std::set<WeightId> streamed;
  std::uint64_t bytes = 0;
  for (const Op& op : ops) {
    if (const auto* embed = std::get_if<EmbedOp>(&op)) {
      bytes += bytesOfEmbeddingRow(*this, *embed);
      continue;
    }
    for (const WeightId id : weightsOf(op)) streamed.insert(id);
  }
  for (const WeightId id : streamed) bytes += weights[static_cast<std::size_t>(id)].view.bytes.size();
  return bytes;
}

std::uint64_t Plan::kvBytesPerPosition() const {
  std::uint64_t bytes = 0;
  for (const KvLayer& layer : kv) {
    bytes += 2 * sizeof(std::uint16_t) * static_cast<std::uint64_t>(layer.kvHeadCount) *
             static_cast<std::uint64_t>(layer.headDim);
  }
  return bytes;
}

}  // namespace minerva::model
