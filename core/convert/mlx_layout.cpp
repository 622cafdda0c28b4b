#include "core/convert/mlx_layout.h"

#include "core/convert/families.h"
#include "core/format/model_file.h"
#include "core/model/families/other_parts.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <utility>

namespace minerva::convert {
namespace {

using Renaming = std::pair<std::string_view, std::string_view>;

// What mlx_lm's model of an architecture has that others lack.
struct MlxRow {
  std::string_view architecture;                 // of the family's row (families.h)
  std::string_view experts = "mlp.switch_mlp.";  // before the names of the experts' matrices in a layer
  std::span<const std::string_view> routers{};   // endings of the names of layers with other bits than the rest,
  int routerBits = 0;                            // which are these; 0: they are not packed
  std::span<const Renaming> renamed{};           // parts of names
  std::string_view up = "up_proj", down = "down_proj";
  bool alwaysNested = false;  // mlx_lm puts "language_model." before the names of text models, too
};

constexpr std::string_view mlpGate[] = {"mlp.gate"}, sharedGate[] = {"mlp.gate", "shared_expert_gate"}, mixerGate[] = {"mixer.gate"},
                           routerGate[] = {"router.gate"}, routerLayer[] = {"router.layer"}, routerProjection[] = {"router.proj"},
                           router[] = {"router"}, gateGate[] = {"mlp.gate.gate"}, gateProjection[] = {"mlp.gate.gate_proj"},
                           feedForwardGate[] = {"feed_forward.gate"}, sparseGate[] = {"block_sparse_moe.gate"};
constexpr Renaming bailingNames[] = {{".mlp.gate.weight", ".mlp.gate.gate_proj.weight"}, {".mlp.gate.bias", ".mlp.gate.gate_proj.bias"}};
constexpr Renaming kimiNames[] = {{".block_sparse_moe.gate.e_score_correction_bias", ".mlp.e_score_correction_bias"},
                                  {".block_sparse_moe.", ".mlp."},
                                  {".q_conv1d.", ".q_conv.conv."},
                                  {".k_conv1d.", ".k_conv.conv."},
                                  {".v_conv1d.", ".v_conv.conv."}};
constexpr Renaming lfm2Names[] = {{".feed_forward.w1.", ".feed_forward.gate_proj."},
                                  {".feed_forward.w2.", ".feed_forward.down_proj."},
                                  {".feed_forward.w3.", ".feed_forward.up_proj."}};
constexpr Renaming stepNames[] = {
    {".moe.gate.", ".mlp.gate.gate."}, {".moe.router_bias", ".mlp.gate.router_bias"}, {".share_expert.", ".mlp.share_expert."}};

constexpr MlxRow mlxRows[] = {
    {.architecture = "afmoe", .experts = "mlp.experts.", .routers = routerGate, .routerBits = 8},
    {.architecture = "bailingmoe", .routers = gateProjection, .routerBits = 8, .renamed = bailingNames},
    {.architecture = "bailingmoe2", .routers = gateProjection, .routerBits = 8, .renamed = bailingNames},
    {.architecture = "deepseek", .routers = mlpGate},
    {.architecture = "deepseek2", .routers = mlpGate},
    {.architecture = "dots1", .experts = "mlp.experts.", .routers = mlpGate},
    {.architecture = "exaone-moe", .routers = mlpGate},
    {.architecture = "gemma4", .experts = "experts.switch_glu.", .routers = routerProjection, .routerBits = 8},
    {.architecture = "glm4moe", .routers = mlpGate},
    {.architecture = "gpt-oss", .experts = "mlp.experts.", .routers = router, .routerBits = 8},
    {.architecture = "granite_swa", .experts = "block_sparse_moe.switch_mlp."},
    {.architecture = "granitehybrid", .experts = "block_sparse_moe.switch_mlp.", .routers = routerLayer, .routerBits = 8},
    {.architecture = "granitemoe", .experts = "block_sparse_moe.switch_mlp.", .routers = routerLayer, .routerBits = 8},
    {.architecture = "jamba", .experts = "feed_forward.switch_mlp.", .routers = router, .routerBits = 8},
    {.architecture = "kimi-linear", .routers = mlpGate, .routerBits = 8, .renamed = kimiNames},
    {.architecture = "laguna", .routers = mlpGate},
    {.architecture = "lfm2moe", .experts = "feed_forward.switch_mlp.", .routers = feedForwardGate, .routerBits = 8, .renamed = lfm2Names},
    {.architecture = "llama", .experts = "block_sparse_moe.switch_mlp."},  // Mixtral
    {.architecture = "llama4", .experts = "feed_forward.experts."},
    {.architecture = "mellum", .routers = mlpGate, .routerBits = 8},
    {.architecture = "mimo2", .routers = mlpGate},
    {.architecture = "minimax-m2", .experts = "block_sparse_moe.switch_mlp.", .routers = sparseGate, .routerBits = 8},
    {.architecture = "nemotron_h_moe", .experts = "mixer.switch_mlp.", .routers = mixerGate, .up = "fc1", .down = "fc2"},
    {.architecture = "phimoe", .experts = "block_sparse_moe.switch_mlp."},
    {.architecture = "qwen35", .alwaysNested = true},
    {.architecture = "qwen35moe", .routers = sharedGate, .routerBits = 8, .alwaysNested = true},
    {.architecture = "qwen3moe", .routers = mlpGate, .routerBits = 8},
    {.architecture = "qwen3next", .routers = sharedGate, .routerBits = 8},
    {.architecture = "smallthinker", .experts = "block_sparse_moe.switch_mlp."},
    {.architecture = "step35", .routers = gateGate, .routerBits = 8, .renamed = stepNames},
};
constexpr int routerGroup = 64;

const MlxRow& rowOf(std::string_view architecture) {
  static constexpr MlxRow usual{};
  const auto* found = std::ranges::find(mlxRows, architecture, &MlxRow::architecture);
  return found == std::end(mlxRows) ? usual : *found;
}

struct InLayer {
  std::size_t end = 0;  // of "model.layers.12."
  int layer = 0;
};

std::optional<InLayer> layerIn(std::string_view name) {
  constexpr std::string_view before = "layers.";
  const auto at = name.find(before);
  if (at == std::string_view::npos) return std::nullopt;
  InLayer found;
  const char* digits = name.data() + at + before.size();
  const auto [end, problem] = std::from_chars(digits, name.data() + name.size(), found.layer);
  if (problem != std::errc() || end == name.data() + name.size() || *end != '.') return std::nullopt;
  found.end = static_cast<std::size_t>(end - name.data()) + 1;
  return found;
}

// Of the experts that a router chooses from, whatever the layout. rest: the name in its layer.
bool isOfExperts(std::string_view rest) {
  constexpr std::string_view stacks[] = {"block_sparse_moe.input_linear.weight", "block_sparse_moe.output_linear.weight",
                                         "moe.gate_proj.weight", "moe.up_proj.weight", "moe.down_proj.weight"};
  if (std::ranges::find(stacks, rest) != std::end(stacks)) return true;
  const auto at = rest.find("experts.");
  if (at == std::string_view::npos || (at > 0 && rest[at - 1] != '.')) return false;
  constexpr std::string_view endings[] = {".weight", "gate_up_proj", "down_proj", "gate_up_proj_bias", "down_proj_bias"};
  return std::ranges::any_of(endings, [&](std::string_view ending) { return rest.ends_with(ending); });
}

class LayoutMaker {
 public:
  LayoutMaker(const format::ModelFile& file, const model::ModelConfig& config, const MlxOptions& options)
      : m_file(file), m_config(config), m_options(options), m_names(model::textNamesOf(file)) {
    const Family* family = findFamily(file.huggingFace().config, config);
    if (family == nullptr) return;
    m_row = &rowOf(family->architecture);
    if (family->wholeNormsInMlx) m_normPlus = config.normPlus;
  }
  MlxLayout make();

 private:
  [[nodiscard]] std::string nested(std::string_view name) const;
  [[nodiscard]] bool isLeftOut(std::string_view name);
  void add(const format::NamedTensor& tensor);
  void addExperts(const std::string& layerName, const model::Experts& experts);
  void addStack(std::string name, const model::ExpertMatrices& matrices, std::int64_t count, std::int64_t rows, const RowOrder& order);
  bool addGranite(std::string_view rest, const std::string& layerName, const TensorView& view);
  void addOne(SourceTensor tensor);

  const format::ModelFile& m_file;
  const model::ModelConfig& m_config;
  const MlxOptions& m_options;
  model::TextNames m_names;
  const MlxRow* m_row = &rowOf({});
  float m_normPlus = 0;     // added to norms
  std::set<int> m_stacked;  // layers whose experts are there
  MlxLayout m_layout;
};

// The norms of a delta net are stored whole by everyone.
bool isNormWithoutOne(const SourceTensor& tensor) {
  return tensor.shape.rank == 1 && tensor.name.ends_with("norm.weight") && !tensor.name.ends_with("linear_attn.norm.weight");
}

// A convolution over each channel alone, [channels, 1, width] where published; MLX has the channels last.
bool isChannelwise(const SourceTensor& tensor) {
  return tensor.shape.rank == 3 && tensor.shape.dims[1] == 1 && tensor.shape.dims[2] > 1 && tensor.name.find("conv") != std::string::npos;
}

// mlx_lm's name of a tensor of the text model. Published embedding models may lack its "model.".
std::string LayoutMaker::nested(std::string_view name) const {
  std::string out(name);
  if (m_names.model.empty()) {
    out.insert(0, "model.");
  } else if (m_names.model == "model.language_model.") {
    out = "language_model." + (name.starts_with(m_names.model) ? "model." + out.substr(m_names.model.size()) : out);
  } else if (m_row->alwaysNested && m_names.model == "model.") {
    out.insert(0, "language_model.");
  }
  for (const auto& [from, to] : m_row->renamed) {
    const auto at = out.find(from);
    if (at != std::string::npos && out.find(to) == std::string::npos) out.replace(at, from.size(), to);
  }
  return out;
}

// Its loading would fail with the scales of a second head.
bool LayoutMaker::isLeftOut(std::string_view name) {
  const bool module =
      std::ranges::any_of(m_file.huggingFace().modules, [&](const auto& one) { return name.starts_with(one.folder + "/"); });
  if (module || (m_config.tiedHead && name.ends_with("lm_head.weight"))) return true;
  const bool other = model::isOfOtherPart(m_names, name);
  const bool predicting = !other && model::predictsFurther(name, static_cast<int>(m_config.layers.size()));
  m_layout.predicting += predicting;
  return predicting;
}

// mlx_lm packs the layers that multiply or embed, but one; a convolution has another rank.
void LayoutMaker::addOne(SourceTensor tensor) {
  MlxTensor out{.source = std::move(tensor)};
  const std::string& name = out.source.name;
  const std::int64_t columns = out.source.shape.columns();
  const bool matrix = out.source.shape.rank == 2 && name.ends_with(".weight") && !name.ends_with("per_layer_model_projection.weight");
  const bool stack = out.source.shape.rank == 3 && name.ends_with(".weight") && name.find(m_row->experts) != std::string::npos;
  if ((matrix || stack) && columns % m_options.group == 0) {
    const std::string_view layer = std::string_view(name).substr(0, name.size() - std::string_view(".weight").size());
    out.ownBits = std::ranges::any_of(m_row->routers, [&](std::string_view ending) { return layer.ends_with(ending); });
    out.bits = out.ownBits ? m_row->routerBits : m_options.bits;
    out.group = out.ownBits ? routerGroup : m_options.group;
    if (columns % out.group != 0) out.bits = 0;
  }
  m_layout.tensors.push_back(std::move(out));
}

void LayoutMaker::addStack(std::string name, const model::ExpertMatrices& matrices, std::int64_t count, std::int64_t rowsEach,
                           const RowOrder& order) {
  if (matrices.weights.empty()) return;
  const std::int64_t columns = matrices.weights.front().shape.columns();
  const auto inPart = [&](const TensorView& part) {
    RowOrder here = order;
    if (!order.asItIs()) here.counts[1] = part.shape.rows() / order.steps[1];
    return here;
  };
  addOne({.name = name + ".weight",
          .parts = matrices.weights,
          .shape = {.dims = {count, rowsEach, columns, 1}, .rank = 3},
          .order = inPart(matrices.weights.front())});
  if (matrices.bias.empty()) return;
  const TensorView bias = asColumn(matrices.bias);
  addOne({.name = name + ".bias", .parts = {bias}, .shape = {.dims = {count, rowsEach, 1, 1}, .rank = 2}, .order = inPart(bias)});
}

void LayoutMaker::addExperts(const std::string& layerName, const model::Experts& experts) {
  const std::string before = layerName + std::string(m_row->experts);
  const std::int64_t size = experts.feedForwardSize, count = experts.count;
  RowOrder gate, up;
  if (experts.gatePlace != model::GatePlace::separate) {
    const bool inTurn = experts.gatePlace == model::GatePlace::alternating;
    gate = {.counts = {1, 1, size}, .steps = {0, 2 * size, inTurn ? 2 : 1}};
    up = gate;
    up.first = inTurn ? 1 : size;
  }
  const bool fused = !gate.asItIs();
  addStack(before + "gate_proj", experts.gate, count, size, gate);
  addStack(before + std::string(m_row->up), fused ? experts.gate : experts.up, count, size, up);
  const auto& down = experts.down.weights.front();
  addStack(before + std::string(m_row->down), experts.down, count, down.shape.dims[down.shape.rank == 3 ? 1 : 0], {});
}

// Granite 4 without experts: mlx_lm gives it an ordinary feed-forward.
bool LayoutMaker::addGranite(std::string_view rest, const std::string& layerName, const TensorView& view) {
  if (rest == "shared_mlp.output_linear.weight") {
    addOne({.name = layerName + "mlp.down_proj.weight", .parts = {view}, .shape = view.shape});
    return true;
  }
  if (rest != "shared_mlp.input_linear.weight") return false;
  const std::int64_t half = view.shape.rows() / 2;
  for (const bool second : {false, true}) {
    addOne({.name = layerName + (second ? "mlp.up_proj.weight" : "mlp.gate_proj.weight"),
            .parts = {sliceRows(view, second ? half : 0, half)},
            .shape = {.dims = {half, view.shape.columns(), 1, 1}, .rank = 2}});
  }
  return true;
}

void LayoutMaker::add(const format::NamedTensor& tensor) {
  if (model::isOfOtherPart(m_names, tensor.name)) {
    addOne({.name = tensor.name, .parts = {tensor.view}, .shape = tensor.view.shape});
    return;
  }
  const auto place = layerIn(tensor.name);
  const bool known = place && place->layer < static_cast<int>(m_config.layers.size());
  if (known) {
    const model::Experts& experts = m_config.layers[static_cast<std::size_t>(place->layer)].experts;
    const std::string layerName = nested(tensor.name.substr(0, place->end));
    const std::string_view rest = std::string_view(tensor.name).substr(place->end);
    if (experts.count > 0 && isOfExperts(rest)) {
      if (m_stacked.insert(place->layer).second) addExperts(layerName, experts);
      return;
    }
    if (experts.count == 0 && addGranite(rest, layerName, tensor.view)) return;
  }
  SourceTensor out{.name = nested(tensor.name), .parts = {tensor.view}, .shape = tensor.view.shape};
  if (known && isChannelwise(out)) std::swap(out.shape.dims[1], out.shape.dims[2]);
  if (isNormWithoutOne(out)) out.plus = m_normPlus;
  addOne(std::move(out));
}

MlxLayout LayoutMaker::make() {
  for (const format::NamedTensor& tensor : m_file.tensors())
    if (!isLeftOut(tensor.name)) add(tensor);
  return std::move(m_layout);
}

}  // namespace

MlxLayout mlxLayout(const format::ModelFile& file, const model::ModelConfig& config, const MlxOptions& options) {
  return LayoutMaker(file, config, options).make();
}

}  // namespace minerva::convert
