#include "core/model/plan_split.h"

#include "core/model/op_parts.h"

#include <algorithm>
#include <span>

namespace minerva::model {
namespace {

constexpr int accelerator = 0, host = 1;

bool isExpertOp(const Op& op) {
  const auto* combine = std::get_if<CombineOp>(&op);
  return std::holds_alternative<ExpertOp>(op) || (combine != nullptr && combine->route != none);
}

// The shared expert neither depends on the routed experts nor conflicts with them. Moving it in front of them makes the
// expert ops contiguous, so that they form one part.
void expertsTogether(std::span<Op> layer) {
  const auto first = std::ranges::find_if(layer, isExpertOp);
  const auto last = std::find_if(layer.rbegin(), layer.rend(), isExpertOp).base();
  if (first < last) std::stable_partition(first, last, [](const Op& op) { return !isExpertOp(op); });
}

struct Assigned {
  std::vector<Op> ops;
  std::vector<int> devices;  // [ops]
};

Assigned assign(const Plan& plan, const SplitOptions& options) {
  Assigned all{plan.ops, std::vector<int>(plan.ops.size(), host)};
  const std::size_t first = plan.layerBegins.front(), last = plan.layerBegins[static_cast<std::size_t>(options.layers)];
  const bool everything = options.layers == layerCount(plan);
  const std::size_t end = everything ? plan.ops.size() : last;
  const auto firstApart = static_cast<std::size_t>(options.layers - options.hostExperts);
  for (std::size_t layer = firstApart; layer < static_cast<std::size_t>(options.layers); ++layer) {
    const std::size_t begin = plan.layerBegins[layer];
    expertsTogether(std::span(all.ops).subspan(begin, plan.layerBegins[layer + 1] - begin));
  }
  for (std::size_t i = first; i < end && options.layers > 0; ++i) {
    all.devices[i] = i >= plan.layerBegins[firstApart] && isExpertOp(all.ops[i]) ? host : accelerator;
  }
  return all;
}

// Copies what one device's ops use out of the whole plan and renumbers it.
class Extract {
 public:
  Extract(const Plan& whole, Plan& own)
      : m_whole(whole),
        m_own(own),
        m_buffers(whole.buffers.size(), none),
        m_weights(whole.weights.size(), none),
        m_kv(whole.kv.size(), none),
        m_recurrent(whole.recurrent.size(), none) {
    own.ropes = whole.ropes;
    own.usualKv = whole.usualKv;
    own.hiddenSize = whole.hiddenSize;
    own.vocabularySize = whole.vocabularySize;
    own.contextLength = whole.contextLength;
  }

  void add(Op op) {
    const std::vector<BufferId> written = writes(op);
    const bool embeds = m_whole.embedding != none && std::ranges::find(written, m_whole.embedding) != written.end();
    eachPart(op, Renumber{*this});
    if (embeds) m_own.embedding = buffer(m_whole.embedding);
    if (const auto* head = std::get_if<HeadOp>(&op)) m_own.logits = head->out;
    m_own.ops.push_back(std::move(op));
  }
  [[nodiscard]] BufferId buffer(BufferId id) { return id == none ? none : renumber(id, m_buffers, m_whole.buffers, m_own.buffers); }

 private:
  template <class T>
  static int renumber(int id, std::vector<int>& ids, const std::vector<T>& from, std::vector<T>& to) {
    int& own = ids[static_cast<std::size_t>(id)];
    if (own == none) {
      own = static_cast<int>(to.size());
      to.push_back(from[static_cast<std::size_t>(id)]);
    }
    return own;
  }
  [[nodiscard]] WeightId weight(WeightId id) { return id == none ? none : renumber(id, m_weights, m_whole.weights, m_own.weights); }
  [[nodiscard]] int kv(int id) { return id == none ? none : renumber(id, m_kv, m_whole.kv, m_own.kv); }
  [[nodiscard]] int recurrent(int id) { return renumber(id, m_recurrent, m_whole.recurrent, m_own.recurrent); }

  struct Renumber {
    Extract& own;
    void reads(BufferId& id) const { id = own.buffer(id); }
    void writes(BufferId& id) const { id = own.buffer(id); }
    void updates(BufferId& id) const { id = own.buffer(id); }
    void matrix(WeightId& id) const { id = own.weight(id); }
    void vector(WeightId& id) const { id = own.weight(id); }
    void table(WeightId& id) const { id = own.weight(id); }
    void storesIn(int& id) const { id = own.kv(id); }
    void attendsTo(int& id) const { id = own.kv(id); }
    void replaces(int& id) const { id = own.recurrent(id); }
  };

  const Plan& m_whole;
  Plan& m_own;
  std::vector<int> m_buffers, m_weights, m_kv, m_recurrent;  // whole plan's id -> id in this plan
};

// Devices that hold the current contents of a buffer.
struct Holders {
  std::array<bool, 2> has{};
};

class Splitter {
 public:
  explicit Splitter(const Plan& plan)
      : m_holders(plan.buffers.size()), m_extracts{Extract(plan, m_split.plans[0]), Extract(plan, m_split.plans[1])} {}

  SplitPlan split(const Assigned& all) {
    for (std::size_t i = 0; i < all.ops.size(); ++i) {
      const int device = all.devices[i];
      if (i == 0 || device != all.devices[i - 1]) beginPart(device);
      for (const BufferId id : reads(all.ops[i])) take(id, device);
      for (const BufferId id : writes(all.ops[i])) {
        m_holders[static_cast<std::size_t>(id)].has = {device == 0, device == 1};
      }
      m_extracts[static_cast<std::size_t>(device)].add(all.ops[i]);
    }
    return std::move(m_split);
  }

 private:
  void beginPart(int device) {
    Plan& plan = m_split.plans[static_cast<std::size_t>(device)];
    plan.parts.push_back({plan.ops.size(), {}, {}});
    m_split.parts.push_back({device, plan.parts.size() - 1, {}});
  }

  // Transfers a buffer this part needs before the part begins. This is early enough: the part cannot have changed a
  // buffer that only the other device holds.
  void take(BufferId id, int device) {
    Holders& holders = m_holders[static_cast<std::size_t>(id)];
    if (holders.has[static_cast<std::size_t>(device)]) return;
    const int other = 1 - device;
    holders.has[static_cast<std::size_t>(device)] = true;
    const Handover handover{m_extracts[static_cast<std::size_t>(other)].buffer(id),
                            m_extracts[static_cast<std::size_t>(device)].buffer(id)};
    m_split.parts.back().takes.push_back(handover);
    m_split.plans[static_cast<std::size_t>(device)].parts.back().received.push_back(handover.to);
    std::vector<BufferId>& sent = m_split.plans[static_cast<std::size_t>(other)].parts.back().sent;
    if (std::ranges::find(sent, handover.from) == sent.end()) sent.push_back(handover.from);
  }

  SplitPlan m_split;
  std::vector<Holders> m_holders;
  std::array<Extract, 2> m_extracts;
};

}  // namespace

int layerCount(const Plan& plan) { return plan.layerBegins.empty() ? 0 : static_cast<int>(plan.layerBegins.size()) - 1; }

int splitPoint(const Plan& plan, int layers) {
  // Of each KV state: the layer that stores it and the last one that reads it.
  std::vector<int> storing(plan.kv.size(), none), reading(plan.kv.size(), none);
  for (int layer = 0; layer < layerCount(plan); ++layer) {
    const auto l = static_cast<std::size_t>(layer);
    for (const Op& op : std::span(plan.ops).subspan(plan.layerBegins[l], plan.layerBegins[l + 1] - plan.layerBegins[l])) {
      if (const int id = kvStateWritten(op); id != none) storing[static_cast<std::size_t>(id)] = layer;
      if (const int id = kvStateRead(op); id != none) reading[static_cast<std::size_t>(id)] = layer;
    }
  }
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t i = 0; i < storing.size(); ++i) {
      if (storing[i] == none || storing[i] >= layers || reading[i] < layers) continue;
      layers = storing[i];
      moved = true;
    }
  }
  return layers;
}

bool hasExperts(const Plan& plan) { return std::ranges::any_of(plan.ops, isExpertOp); }

Result<SplitPlan> splitPlan(const Plan& plan, const SplitOptions& options) {
  const int layers = layerCount(plan);
  if (layers == 0 || options.layers < 0 || options.layers > layers) {
    return fail({.kind = ErrorKind::invalidArgument,
                 .what = "The model has fewer layers than requested",
                 .where = "split",
                 .expected = "0 to " + std::to_string(layers),
                 .actual = std::to_string(options.layers)});
  }
  if (options.hostExperts != 0 && !hasExperts(plan)) {
    return fail({.kind = ErrorKind::invalidArgument, .what = "The model has no experts to keep on the host", .where = "split"});
  }
  if (options.hostExperts < 0 || options.hostExperts > options.layers) {
    return fail({.kind = ErrorKind::invalidArgument,
                 .what = "Experts can stay on the host only in layers that run on the accelerator",
                 .where = "split",
                 .expected = "of 0 to " + std::to_string(options.layers) + " layers",
                 .actual = std::to_string(options.hostExperts)});
  }
  // Layers that move to the host take their experts with them.
  const int moved = options.layers - splitPoint(plan, options.layers);
  const SplitOptions possible{.layers = options.layers - moved, .hostExperts = std::max(0, options.hostExperts - moved)};
  SplitPlan split = Splitter(plan).split(assign(plan, possible));
  split.layers = possible.layers;
  split.hostExperts = possible.hostExperts;
  return split;
}

}  // namespace minerva::model
