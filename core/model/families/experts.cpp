// Reads the tensors of a mixture of experts in all supported storage layouts (decoder.h, ExpertForm).
#include "core/model/families/decoder.h"

#include <algorithm>

namespace minerva::model {

namespace {

constexpr int maxExperts = 4096;

std::string replaced(std::string_view pattern, char mark, int number) {
  std::string text(pattern);
  if (const auto at = text.find(mark); at != std::string::npos) text.replace(at, 1, std::to_string(number));
  return text;
}

class ExpertReader {
 public:
  ExpertReader(Reader& reader, const ExpertForm& form, int layer, int hidden)
      : m_reader(reader), m_form(form), m_layer(layer), m_hidden(hidden), m_width(form.latentSize > 0 ? form.latentSize : hidden) {}
  Result<Experts> run();

 private:
  Result<ExpertMatrices> stack(const std::string& stem, std::int64_t rows, std::int64_t columns);
  Result<ExpertMatrices> apart(const std::string& pattern, std::int64_t rows, std::int64_t columns);  // @: the expert
  Result<void> readFused(Experts& out, const std::string& gateUp, const std::string& down);
  Result<void> readMatrices(Experts& out);
  void takeApart(Experts& out) const;
  Result<void> readRouting(Experts& out);
  Result<void> readShared(Experts& out);

  Reader& m_reader;
  const ExpertForm& m_form;
  int m_layer, m_hidden, m_width, m_count = 0;  // width: of the routed experts' input
};

Result<ExpertMatrices> ExpertReader::stack(const std::string& stem, std::int64_t rows, std::int64_t columns) {
  ExpertMatrices out;
  MINERVA_ASSIGN(const TensorView view, m_reader.tensor(stem + ".weight", stackShape(m_count, rows, columns)));
  out.weights = {view};
  if (m_reader.hasNamed(stem + ".bias")) {
    MINERVA_ASSIGN(out.bias, m_reader.tensor(stem + ".bias", matrixShape(m_count, rows)));
  }
  return out;
}

Result<ExpertMatrices> ExpertReader::apart(const std::string& pattern, std::int64_t rows, std::int64_t columns) {
  ExpertMatrices out;
  for (int e = 0; e < m_count; ++e) {
    MINERVA_ASSIGN(const TensorView view, m_reader.tensor(replaced(pattern, '@', e), matrixShape(rows, columns)));
    out.weights.push_back(view);
  }
  return out;
}

// Gate and up of all experts in one stack.
Result<void> ExpertReader::readFused(Experts& out, const std::string& gateUp, const std::string& down) {
  const std::int64_t size = out.feedForwardSize;
  const auto read = [&](const std::string& name, std::int64_t rows, std::int64_t columns) -> Result<ExpertMatrices> {
    const bool swapped = !m_reader.isGguf() && m_form.fusedTransposed;
    MINERVA_ASSIGN(TensorView view,
                   m_reader.tensor(name, swapped ? stackShape(m_count, columns, rows) : stackShape(m_count, rows, columns)));
    if (swapped) {
      MINERVA_ASSIGN(view, m_reader.transposed(view, name));
    }
    return ExpertMatrices{{view}, {}};
  };
  MINERVA_ASSIGN(out.gate, read(gateUp, 2 * size, m_width));
  MINERVA_ASSIGN(out.down, read(down, m_width, size));
  out.gatePlace = m_reader.isGguf() ? GatePlace::halves : m_form.fusedPlace;
  return {};
}

Result<void> ExpertReader::readMatrices(Experts& out) {
  const std::int64_t size = out.feedForwardSize;
  const auto stacked = [&](const char* part, std::string_view folderPart) {
    if (m_reader.isGguf()) return replaced("blk.#.ffn_" + std::string(part) + "_exps", '#', m_layer);
    return m_reader.nameOf({"", m_form.stacked}, m_layer, folderPart);
  };
  const std::string gate = stacked("gate", m_form.stackedGate), up = stacked("up", m_form.stackedUp),
                    down = stacked("down", m_form.stackedDown), gateUp = stacked("gate_up", "");
  if (m_reader.isGguf() && m_form.gated && m_reader.hasNamed(gateUp + ".weight")) {
    return readFused(out, gateUp + ".weight", down + ".weight");
  }
  // GGUF files of early 2024 (Mixtral) have a tensor for each expert, too.
  const auto single = [&](const char* part, std::string_view pattern) {
    return m_reader.isGguf() ? replaced("blk.#.ffn_" + std::string(part) + ".@.weight", '#', m_layer)
                             : m_reader.nameOf({"", pattern}, m_layer, ".weight");
  };
  const bool apartInGguf = m_reader.isGguf() && m_reader.hasNamed(replaced(single("up", {}), '@', 0));
  if (!apartInGguf && (m_reader.isGguf() || m_reader.hasNamed(up + ".weight"))) {
    if (m_form.gated) {
      MINERVA_ASSIGN(out.gate, stack(gate, size, m_width));
    }
    MINERVA_ASSIGN(out.up, stack(up, size, m_width));
    MINERVA_ASSIGN(out.down, stack(down, m_width, size));
    return {};
  }
  const auto full = [&](std::string_view name) { return m_reader.nameOf({"", name}, m_layer, ""); };
  if (!m_reader.isGguf() && !m_form.fusedGateUp.empty() && m_reader.hasNamed(full(m_form.fusedGateUp))) {
    return readFused(out, full(m_form.fusedGateUp), full(m_form.fusedDown));
  }
  if (m_form.gated) {
    MINERVA_ASSIGN(out.gate, apart(single("gate", m_form.gate), size, m_width));
  }
  MINERVA_ASSIGN(out.up, apart(single("up", m_form.up), size, m_width));
  MINERVA_ASSIGN(out.down, apart(single("down", m_form.down), m_width, size));
  return {};
}

// Devices keep a stack in groups of 16 rows, which an expert must fill. Experts of another size are given one by one.
void ExpertReader::takeApart(Experts& out) const {
  constexpr std::int64_t group = 16;
  const std::int64_t size = out.feedForwardSize;
  const auto misfit = [&](const ExpertMatrices& matrices, std::int64_t rows) {
    return m_count > 1 && matrices.weights.size() == 1 && rows % group != 0 && matrices.weights.front().planes.rowsPerScale == 1;
  };
  const auto pieces = [&](const TensorView& stack, std::int64_t first, std::int64_t rows) {
    const std::int64_t all = stack.shape.rows() / m_count;
    std::vector<TensorView> views;
    for (int e = 0; e < m_count; ++e) views.push_back(sliceRows(stack, e * all + first, rows));
    return views;
  };
  if (out.gatePlace == GatePlace::halves && misfit(out.gate, size)) {
    const TensorView both = out.gate.weights.front();
    out.gate.weights = pieces(both, 0, size);
    out.up.weights = pieces(both, size, size);
    out.gatePlace = GatePlace::separate;
  }
  if (misfit(out.gate, size) && out.gatePlace == GatePlace::separate) out.gate.weights = pieces(out.gate.weights.front(), 0, size);
  if (misfit(out.up, size)) out.up.weights = pieces(out.up.weights.front(), 0, size);
  if (misfit(out.down, m_width)) out.down.weights = pieces(out.down.weights.front(), 0, m_width);
}

Result<void> ExpertReader::readShared(Experts& out) {
  out.sharedSize = m_form.sharedSize;
  const TensorName both = m_form.sharedGateUp;
  if (!(m_reader.isGguf() ? both.gguf : both.huggingFace).empty() && m_reader.has(both, m_layer)) {
    MINERVA_ASSIGN(const Linear fused, m_reader.linear(both, m_layer, std::int64_t{2} * out.sharedSize, m_hidden, Reader::Bias::none));
    MINERVA_ASSIGN(out.sharedGate, rowsOf(fused, 0, out.sharedSize));
    MINERVA_ASSIGN(out.sharedUp, rowsOf(fused, out.sharedSize, out.sharedSize));
  } else {
    if (m_form.gated) {
      MINERVA_ASSIGN(out.sharedGate, m_reader.linear(m_form.sharedGate, m_layer, out.sharedSize, m_hidden, Reader::Bias::none));
    }
    MINERVA_ASSIGN(out.sharedUp, m_reader.linear(m_form.sharedUp, m_layer, out.sharedSize, m_hidden, Reader::Bias::none));
  }
  MINERVA_ASSIGN(out.sharedDown, m_reader.linear(m_form.sharedDown, m_layer, m_hidden, out.sharedSize, Reader::Bias::none));
  if (m_form.sharedRouter.gguf.empty()) return {};
  MINERVA_ASSIGN(out.sharedRouter, m_reader.tensor(m_form.sharedRouter, m_layer, matrixShape(1, m_hidden)));
  return {};
}

Result<void> ExpertReader::readRouting(Experts& out) {
  out.normalised = m_form.normalised;
  out.scale = static_cast<float>(m_form.scale);
  out.groups = m_form.groups;
  out.groupsUsed = m_form.groupsUsed;
  out.groupRank = m_form.groupRank;
  out.scoring = m_form.scoring;
  out.scalesInput = m_form.scalesInput;
  out.gated = m_form.gated;
  const int inGroup = out.count / out.groups, smallest = out.groupRank == GroupRank::twoLargest && out.groups > 1 ? 2 : 1;
  if (out.count % out.groups != 0 || inGroup < smallest || out.used > inGroup * out.groupsUsed) {
    return fail(
        m_reader.invalid(m_form.count, "The groups of experts do not match their number",
                         "equal groups with " + std::to_string(out.used) + " experts in " + std::to_string(out.groupsUsed) + " of them",
                         std::to_string(out.count) + " experts in " + std::to_string(out.groups) + " groups"));
  }
  if (m_form.selection == Reader::Bias::none) return {};
  const std::string name = m_reader.nameOf(m_form.selectionBias, m_layer, "");
  if (m_form.selection == Reader::Bias::optional && !m_reader.hasNamed(name)) return {};
  MINERVA_ASSIGN(out.selectionBias, m_reader.tensor(name, vectorShape(out.count)));
  return {};
}

Result<Experts> ExpertReader::run() {
  Experts out;
  MINERVA_ASSIGN(out.count, m_reader.count(m_form.count, maxExperts));
  MINERVA_ASSIGN(out.used, m_form.usedCount > 0 ? Result<int>(m_form.usedCount) : m_reader.count(m_form.used, out.count));
  MINERVA_ASSIGN(out.feedForwardSize, m_reader.count(m_form.feedForward, Limits::feedForward));
  m_count = out.count;
  MINERVA_TRY(readRouting(out));
  MINERVA_ASSIGN(out.router, m_reader.linear(m_form.router, m_layer, out.count, m_hidden, Reader::Bias::optional));
  if (m_form.latentSize > 0) {
    MINERVA_ASSIGN(out.latentDown, m_reader.linear(m_form.latentDown, m_layer, m_width, m_hidden, Reader::Bias::optional));
    MINERVA_ASSIGN(out.latentUp, m_reader.linear(m_form.latentUp, m_layer, m_hidden, m_width, Reader::Bias::optional));
  }
  MINERVA_TRY(readMatrices(out));
  takeApart(out);
  if (m_form.sharedSize > 0) MINERVA_TRY(readShared(out));
  return out;
}

std::unexpected<Error> unknownScoring(const Reader& reader, Key key, std::string actual) {
  Error error = reader.invalid(key, "This function of scoring experts is not supported",
                               reader.isGguf() ? "1 (softmax) or 2 (sigmoid)" : "softmax or sigmoid", std::move(actual));
  error.kind = ErrorKind::unsupported;
  error.hint = "Choose another model.";
  return fail(std::move(error));
}

}  // namespace

bool isMixture(const ExpertForm& form, int layer) {
  return layer >= form.firstDense && std::ranges::find(form.denseLayers, layer) == form.denseLayers.end() && (layer + 1) % form.step == 0;
}

Result<int> sharedExpertsSize(const Reader& reader, const Key& count, const Key& feedForward) {
  MINERVA_ASSIGN(const auto stated, reader.integer(count));
  if (stated.value_or(0) == 0) return 0;
  MINERVA_ASSIGN(const int shared, reader.count(count, 4096));
  MINERVA_ASSIGN(const int size, reader.count(feedForward, Limits::feedForward / shared));
  return shared * size;
}

Result<Scoring> readScoring(const Reader& reader, std::string_view keyName, Scoring otherwise) {
  const Key key{"expert_gating_func", keyName};
  if (reader.isGguf()) {
    MINERVA_ASSIGN(const auto number, reader.integer(key));
    switch (number.value_or(0)) {
      case 0: return otherwise;
      case 1: return Scoring::softmax;
      case 2: return Scoring::sigmoid;
      default: return unknownScoring(reader, key, std::to_string(*number));
    }
  }
  MINERVA_ASSIGN(const auto name, reader.string(key));
  if (!name) return otherwise;
  if (*name == "softmax") return Scoring::softmax;
  if (*name == "sigmoid" || *name == "noaux_tc") return Scoring::sigmoid;  // the latter is dots.llm1's word for it
  return unknownScoring(reader, key, *name);
}

Result<void> readExpertGroups(const Reader& reader, ExpertForm& form) {
  MINERVA_ASSIGN(form.groups, reader.count({"expert_group_count", "n_group"}, maxExperts, 1));
  MINERVA_ASSIGN(form.groupsUsed, reader.count({"expert_group_used_count", "topk_group"}, form.groups, 1));
  return {};
}

Result<void> readDenseLayers(const Reader& reader, ExpertForm& form) {
  const Key key{"", "mlp_layer_types"};
  const nlohmann::json* types = reader.json(key);
  for (std::size_t i = 0; types && i < types->size(); ++i) {
    const nlohmann::json type = types->is_array() ? (*types)[i] : *types;
    if (type != "dense" && type != "sparse") {
      return fail(reader.invalid(key, "The kinds of feed-forward are not valid", "a list of dense and sparse",
                                 type.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).substr(0, 80)));
    }
    if (type == "dense") form.denseLayers.push_back(static_cast<int>(i));
  }
  return {};
}

Result<Experts> readExperts(Reader& reader, const ExpertForm& form, int layer, int hidden) {
  return ExpertReader(reader, form, layer, hidden).run();
}

}  // namespace minerva::model
