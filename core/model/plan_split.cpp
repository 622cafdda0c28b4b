#include "core/model/plan_split.h"

#include "core/model/op_parts.h"

#include <algorithm>
#include <numeric>
#include <span>

namespace minerva::model {
namespace {

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

// options.layers as the layer with which each accelerator's range ends.
std::vector<int> endsOf(const std::vector<int>& layers) {
  std::vector<int> ends(layers.size());
  std::partial_sum(layers.begin(), layers.end(), ends.begin());
  return ends;
}

struct Assigned {
  std::vector<Op> ops;
  std::vector<std::size_t> devices;  // [ops]
};

// REQUIRES layers with a place to cut behind each range.
Assigned assign(const Plan& plan, const SplitOptions& options) {
  const std::size_t host = options.layers.size();
  Assigned all{plan.ops, std::vector<std::size_t>(plan.ops.size(), host)};
  const std::vector<int> ends = endsOf(options.layers);
  const int accelerated = ends.empty() ? 0 : ends.back();
  const auto firstApart = static_cast<std::size_t>(accelerated - options.hostExperts);
  for (std::size_t layer = firstApart; layer < static_cast<std::size_t>(accelerated); ++layer) {
    const std::size_t begin = plan.layerBegins[layer];
    expertsTogether(std::span(all.ops).subspan(begin, plan.layerBegins[layer + 1] - begin));
  }
  for (std::size_t device = 0; device < host; ++device) {
    if (options.layers[device] == 0) continue;
    const int end = ends[device];
    const std::size_t first = plan.layerBegins[static_cast<std::size_t>(end - options.layers[device])];
    const std::size_t last = end == layerCount(plan) ? plan.ops.size() : plan.layerBegins[static_cast<std::size_t>(end)];
    for (std::size_t i = first; i < last; ++i) {
      all.devices[i] = i >= plan.layerBegins[firstApart] && isExpertOp(all.ops[i]) ? host : device;
    }
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

class Splitter {
 public:
  Splitter(const Plan& plan, std::size_t devices) : m_holders(plan.buffers.size(), std::vector<bool>(devices)) {
    m_split.plans.resize(devices);
    for (Plan& own : m_split.plans) m_extracts.emplace_back(plan, own);
  }

  SplitPlan split(const Assigned& all) {
    for (std::size_t i = 0; i < all.ops.size(); ++i) {
      const std::size_t device = all.devices[i];
      if (i == 0 || device != all.devices[i - 1]) beginPart(device);
      for (const BufferId id : reads(all.ops[i])) take(id, device);
      for (const BufferId id : writes(all.ops[i])) {
        std::vector<bool>& has = m_holders[static_cast<std::size_t>(id)];
        has.assign(has.size(), false);
        has[device] = true;
      }
      m_extracts[device].add(all.ops[i]);
    }
    return std::move(m_split);
  }

 private:
  void beginPart(std::size_t device) {
    Plan& plan = m_split.plans[device];
    plan.parts.push_back({plan.ops.size(), {}, {}});
    m_split.parts.push_back({device, plan.parts.size() - 1, {}});
  }

  // Transfers a buffer this part needs before the part begins. This is early enough: the part cannot have changed a
  // buffer that it does not hold. Where several devices hold it, the last one is the host, if it is one of them.
  void take(BufferId id, std::size_t device) {
    std::vector<bool>& has = m_holders[static_cast<std::size_t>(id)];
    if (has[device]) return;
    const auto sender = static_cast<std::size_t>(std::find(has.rbegin(), has.rend(), true).base() - has.begin()) - 1;
    has[device] = true;
    const Handover handover{sender, m_extracts[sender].buffer(id), m_extracts[device].buffer(id)};
    m_split.parts.back().takes.push_back(handover);
    m_split.plans[device].parts.back().received.push_back(handover.to);
    std::vector<BufferId>& sent = m_split.plans[sender].parts.back().sent;
    if (std::ranges::find(sent, handover.from) == sent.end()) sent.push_back(handover.from);
  }

  SplitPlan m_split;
  std::vector<std::vector<bool>> m_holders;  // of each buffer: the devices that hold its current contents
  std::vector<Extract> m_extracts;
};

Result<void> check(const Plan& plan, const SplitOptions& options) {
  if (plan.hidden != none) {
    return fail({.kind = ErrorKind::unsupported,
                 .what = "A layer that predicts further tokens cannot be used where devices share a model",
                 .where = "split",
                 .expected = "all layers on one device",
                 .actual = std::to_string(options.layers.size()) + " devices beside the host"});
  }
  const int layers = layerCount(plan);
  const int wanted = std::accumulate(options.layers.begin(), options.layers.end(), 0);
  if (layers == 0 || wanted > layers || std::ranges::any_of(options.layers, [](int n) { return n < 0; })) {
    return fail({.kind = ErrorKind::invalidArgument,
                 .what = "The model has fewer layers than requested",
                 .where = "split",
                 .expected = "0 to " + std::to_string(layers),
                 .actual = std::to_string(wanted)});
  }
  if (options.hostExperts != 0 && !hasExperts(plan)) {
    return fail({.kind = ErrorKind::invalidArgument, .what = "The model has no experts to keep on the host", .where = "split"});
  }
  if (options.hostExperts < 0 || options.hostExperts > wanted) {
    return fail({.kind = ErrorKind::invalidArgument,
                 .what = "Experts can stay on the host only in layers that run on an accelerator",
                 .where = "split",
                 .expected = "of 0 to " + std::to_string(wanted) + " layers",
                 .actual = std::to_string(options.hostExperts)});
  }
  return {};
}

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
  MINERVA_TRY(check(plan, options));
  SplitOptions possible = options;
  int end = 0, wantedEnd = 0;
  for (std::size_t device = 0; device < options.layers.size(); ++device) {
    wantedEnd += options.layers[device];
    const int cut = splitPoint(plan, wantedEnd);
    possible.layers[device] = cut - end;
    end = cut;
  }
  // Layers that move to the host take their experts with them.
  possible.hostExperts = std::max(0, options.hostExperts - (wantedEnd - end));
  SplitPlan split = Splitter(plan, options.layers.size() + 1).split(assign(plan, possible));
  split.layers = std::move(possible.layers);
  split.hostExperts = possible.hostExperts;
  return split;
}

std::uint64_t SplitPlan::handoverBytesPerToken() const {
  std::uint64_t bytes = 0;
  for (const SplitPart& part : parts) {
    for (const Handover& handover : part.takes) {
      const Buffer& buffer = plans[part.device].buffers[static_cast<std::size_t>(handover.to)];
      bytes += static_cast<std::uint64_t>(buffer.columns) * sizeof(float);
    }
  }
  return bytes;
}

}  // namespace minerva::model
