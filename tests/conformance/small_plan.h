// Puts together a small plan of float32 weights around the ops under test: embeddings and projections before, a head behind them.
#pragma once

#include "tests/conformance/op_plans.h"

#include <cmath>
#include <utility>

namespace minerva::tests {

class SmallPlan {
 public:
  explicit SmallPlan(std::uint64_t seed) : m_p{TensorStore(seed), {}} {}

  model::Plan& plan() { return m_p.plan; }
  TensorStore& store() { return m_p.store; }
  void add(model::Op op) { m_p.plan.ops.push_back(std::move(op)); }

  model::BufferId buffer(const char* name, int columns, bool outputRows = false) {
    m_p.plan.buffers.push_back({name, columns, outputRows});
    return static_cast<model::BufferId>(m_p.plan.buffers.size()) - 1;
  }
  model::WeightId weight(const char* name, const TensorView& view, model::VectorForm form = {}) {
    m_p.plan.weights.push_back({name, view, form});
    return static_cast<model::WeightId>(m_p.plan.weights.size()) - 1;
  }
  model::WeightId vector(int elements, double centre, double noise, model::VectorForm form = {}) {
    return weight("vector", m_p.store.vector(ElementType::F32, elements, centre, noise), form);
  }
  int state(int rows, int columns) {
    m_p.plan.recurrent.push_back({"state", rows, columns});
    return static_cast<int>(m_p.plan.recurrent.size()) - 1;
  }

  // A random row for each token.
  model::BufferId embed(int columns, double rms = 1.0) {
    const model::BufferId out = buffer("x", columns);
    m_p.plan.hiddenSize = columns;
    add(model::EmbedOp{
        .table = weight("table", m_p.store.matrix(ElementType::F32, opVocabulary, columns, rms)), .scale = 1.0F, .out = out});
    return out;
  }
  model::BufferId project(model::BufferId in, int rows) {
    const int columns = m_p.plan.buffers[static_cast<std::size_t>(in)].columns;
    const model::BufferId out = buffer("projected", rows);
    add(model::ProjOp{.in = in,
                      .normalised = false,
                      .norm = {},
                      .parts = {{weight("w", m_p.store.matrix(ElementType::F32, rows, columns, 1.0 / std::sqrt(columns))), model::none, 0}},
                      .epilogue = model::Epilogue::store,
                      .activation = model::Activation::silu,
                      .out = out});
    return out;
  }
  // A head of random weights. Its norm's epsilon dominates the mean square, so that the logits are linear in `in`.
  OpPlan finish(model::BufferId in) {
    const int columns = m_p.plan.buffers[static_cast<std::size_t>(in)].columns;
    const model::BufferId gathered = buffer("gathered", columns, true);
    add(model::GatherOp{.in = in, .out = gathered});
    m_p.plan.logits = buffer("logits", opVocabulary, true);
    m_p.plan.vocabularySize = opVocabulary;
    add(model::HeadOp{.in = gathered,
                      .norm = {model::NormKind::rms, 1e6F, vector(columns, 1e3, 0), model::none},
                      .weight = weight("head", m_p.store.matrix(ElementType::F32, opVocabulary, columns, 1.0 / std::sqrt(columns))),
                      .bias = model::none,
                      .scale = 3.0F,
                      .out = m_p.plan.logits});
    return std::move(m_p);
  }

 private:
  OpPlan m_p;
};

}  // namespace minerva::tests
