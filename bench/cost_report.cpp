#include "bench/cost_report.h"

#include "core/speed/document.h"

#include <cmath>
#include <cstdio>
#include <map>

namespace minerva::bench {

using speed::Cells;
using speed::figure;
using speed::Json;

namespace {

std::string rate(const Prediction& prediction) { return prediction.perSecond > 0 ? figure(prediction.perSecond) : "-"; }
std::string rate(const std::optional<Prediction>& prediction) { return prediction ? rate(*prediction) : "-"; }

std::string ratio(const Prediction& ours, const std::optional<Prediction>& peer) {
  if (!peer || peer->perSecond <= 0 || ours.perSecond <= 0) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", ours.perSecond / peer->perSecond);
  return text;
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%+.0f %%", 100 * share);
  return text;
}

std::string worth(const Prediction& prediction) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * prediction.dispatchWorth);
  return text;
}

const char* nameOf(speed::Limit limit) { return speed::name(limit); }

Json costJson(const Prediction& prediction) {
  return {{"tokens_per_second", prediction.perSecond}, {"limit", nameOf(prediction.limit)}, {"dispatch_worth", prediction.dispatchWorth}};
}

Json costJson(const std::optional<Prediction>& prediction) { return prediction ? costJson(*prediction) : Json(); }

Json costJson(const backend::OpCounts& counts) { return {{"dispatches", counts.dispatches}, {"barriers", counts.barriers}}; }

Json costJson(const OpCost& cost) {
  return {{"weight_bytes", cost.work.weightBytes}, {"expert_bytes", cost.work.expertBytes},
          {"state_bytes", cost.work.stateBytes},   {"flops", cost.work.flops + cost.work.expertFlops},
          {"dispatches", cost.counts.dispatches},  {"barriers", cost.counts.barriers}};
}

struct KindCost {
  int ops = 0;
  std::vector<OpCost> costs;
};

// By the ops' names, in the order of the plan.
std::vector<std::pair<std::string, KindCost>> byKind(const model::Plan& plan, const std::vector<OpCost>& costs) {
  std::vector<std::pair<std::string, KindCost>> kinds;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const std::string name = model::name(plan.ops[i]);
    auto found = std::ranges::find(kinds, name, &std::pair<std::string, KindCost>::first);
    if (found == kinds.end()) found = kinds.insert(kinds.end(), {name, {}});
    ++found->second.ops;
    found->second.costs.push_back(costs[i]);
  }
  return kinds;
}

std::string opsTable(const CostFacts& facts, const std::vector<OpCost>& costs) {
  std::vector<Cells> rows;
  for (const auto& [name, kind] : byKind(facts.plan, costs)) {
    const OpCost sum = sumOf(kind.costs);
    rows.push_back({name, std::to_string(kind.ops), figure(sum.work.weightBytes / 1e6), figure(sum.work.expertBytes / 1e6),
                    figure(sum.work.stateBytes / 1e6), figure((sum.work.flops + sum.work.expertFlops) / 1e9),
                    std::to_string(sum.counts.dispatches), std::to_string(sum.counts.barriers)});
  }
  return speed::markdownTable({"op", "number", "weights MB", "experts MB", "state MB", "GFLOP", "dispatches", "barriers"}, rows);
}

std::string perLayer(const backend::OpCounts& counts, double layers) {
  if (layers == 0) return "";
  return " (" + figure(static_cast<double>(counts.dispatches) / layers) + " and " + figure(static_cast<double>(counts.barriers) / layers) +
         " a layer)";
}

std::string countsText(const backend::OpCounts& counts) {
  return std::to_string(counts.dispatches) + " dispatches and " + std::to_string(counts.barriers) + " barriers";
}

Result<std::vector<OpCost>> tokenCosts(const CostFacts& facts, const CardEstimate& card, int depth) {
  return costsOfOps(facts.plan, card.card, facts.task, {.rows = 1, .outputs = 1, .depth = depth});
}

}  // namespace

Result<Json> costJson(const CostFacts& facts, const std::vector<CardEstimate>& cards) {
  MINERVA_ASSIGN(const std::vector<OpCost> token, tokenCosts(facts, cards.front(), 0));
  Json all{{"model", facts.model}, {"prompt", facts.task.prompt}, {"depth", facts.task.depth}, {"token", costJson(sumOf(token))}};
  if (facts.byOp) {
    Json ops = Json::object();
    for (const auto& [name, kind] : byKind(facts.plan, token)) ops[name] = costJson(sumOf(kind.costs));
    all["ops"] = ops;
  }
  Json rows = Json::array();
  for (const CardEstimate& card : cards) {
    rows.push_back({{"card", card.card.name},
                    {"source", card.card.source},
                    {"kind", card.card.kind.name},
                    {"dispatch_us", card.card.kind.dispatchUs},
                    {"barrier_us", card.card.kind.barrierUs},
                    {"step_us", card.card.kind.stepUs},
                    {"bytes_per_second", card.card.bandwidth * card.card.kind.share},
                    {"counts", costJson(card.dispatches)},
                    {"layer_counts", costJson(card.layerDispatches)},
                    {"peer_counts", card.peerDispatches ? costJson(*card.peerDispatches) : Json()},
                    {"decode", costJson(card.decode)},
                    {"decode_deep", costJson(card.deep)},
                    {"prefill", costJson(card.prefill)},
                    {"peer_decode", costJson(card.peerDecode)},
                    {"peer_decode_deep", costJson(card.peerDeep)},
                    {"peer_prefill", costJson(card.peerPrefill)}});
  }
  all["cards"] = rows;
  return all;
}

Result<std::string> costMarkdown(const CostFacts& facts, const std::vector<CardEstimate>& cards) {
  const CardEstimate& first = cards.front();
  MINERVA_ASSIGN(const std::vector<OpCost> token, tokenCosts(facts, first, 0));
  const model::OpWork work = sumOf(token).work;
  const double layers = facts.plan.layerBegins.size() < 2 ? 0 : static_cast<double>(facts.plan.layerBegins.size() - 1);
  std::string text = facts.model + ": a token reads " + figure((work.weightBytes + work.expertBytes) / 1e9) + " GB of weights";
  if (work.expertBytes > 0) text += ", of these " + figure(work.expertBytes / 1e9) + " GB of experts";
  text += "; on " + first.card.name + " ours are " + countsText(first.dispatches) + perLayer(first.layerDispatches, layers);
  if (first.peerDispatches) text += ", llama.cpp's " + countsText(*first.peerDispatches);
  text += ".\n\n";
  const std::string deep = "decode at " + std::to_string(facts.task.depth), prompt = "prefill of " + std::to_string(facts.task.prompt);
  std::vector<Cells> rows;
  for (const CardEstimate& card : cards) {
    rows.push_back({card.card.name, rate(card.decode), rate(card.peerDecode), ratio(card.decode, card.peerDecode),
                    nameOf(card.decode.limit), worth(card.decode), rate(card.deep), rate(card.peerDeep), ratio(card.deep, card.peerDeep),
                    rate(card.prefill), rate(card.peerPrefill), ratio(card.prefill, card.peerPrefill), nameOf(card.prefill.limit)});
  }
  text += speed::markdownTable({"card", "decode tok/s", "llama.cpp", "ratio", "limit", "one dispatch and barrier less a layer", deep,
                                "llama.cpp", "ratio", prompt, "llama.cpp", "ratio", "limit"},
                               rows);
  if (facts.byOp) text += "\nA token, by kind of op, on " + first.card.name + ":\n\n" + opsTable(facts, token);
  return text;
}

Json anchorsJson(const std::vector<AnchorFit>& fits) {
  Json rows = Json::array();
  for (const AnchorFit& fit : fits) {
    rows.push_back({{"card", fit.anchor.card},
                    {"shape", fit.anchor.shape},
                    {"type", fit.anchor.type},
                    {"decode", fit.anchor.decode},
                    {"decode_predicted", fit.decode},
                    {"prefill", fit.anchor.prefill},
                    {"prefill_predicted", fit.prefill},
                    {"source", fit.anchor.source}});
  }
  return rows;
}

std::string anchorsMarkdown(const std::vector<AnchorFit>& fits) {
  std::vector<Cells> rows;
  const auto side = [](double published, double predicted) -> Cells {
    if (published <= 0) return {"-", figure(predicted), "-"};
    return {figure(published), figure(predicted), percent(predicted / published - 1)};
  };
  for (const AnchorFit& fit : fits) {
    Cells row{fit.anchor.card, fit.anchor.shape + " " + fit.anchor.type};
    for (const Cells& cells : {side(fit.anchor.decode, fit.decode), side(fit.anchor.prefill, fit.prefill)})
      row.insert(row.end(), cells.begin(), cells.end());
    row.push_back(fit.anchor.source);
    rows.push_back(std::move(row));
  }
  return speed::markdownTable({"card", "model", "decode tok/s", "predicted", "error", "prefill tok/s", "predicted", "error", "source"},
                              rows);
}

}  // namespace minerva::bench
