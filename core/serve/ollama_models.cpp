// What Ollama's interface says of the server and its models: /, /api/version, /api/tags, /api/ps, /api/show.
#include "core/format/model_file.h"
#include "core/serve/fields.h"
#include "core/serve/model_name.h"
#include "core/serve/refusal.h"
#include "core/serve/route.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace minerva::serve {
namespace {

const char* formatName(format::FileFormat format) {
  switch (format) {
    case format::FileFormat::gguf: return "gguf";
    case format::FileFormat::safetensors: return "safetensors";
    case format::FileFormat::mlx: return "mlx";
  }
  return "";
}

// "134.52M", "8.0B"
std::string shortCount(std::uint64_t count) {
  std::array<char, 32> text{};
  const auto number = static_cast<double>(count);
  const bool billions = count >= 1'000'000'000;
  const int size = std::snprintf(text.data(), text.size(), billions ? "%.1fB" : "%.2fM", number / (billions ? 1e9 : 1e6));
  return {text.data(), static_cast<std::size_t>(size)};
}

// Clients show the first digits of it, and tell models apart by it: 64 hexadecimal digits, but of the name and the size (FNV-1a).
std::string digestOf(const std::string& name, std::uint64_t bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name + " " + std::to_string(bytes)) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(hash));
  return text.data() + std::string(48, '0');
}

Json detailsOf(const ModelHeader& header) {
  return {{"parent_model", ""},
          {"format", formatName(header.format)},
          {"family", header.family},
          {"families", Json::array({header.family})},
          {"parameter_size", shortCount(header.parameters)},
          {"quantization_level", header.typeName.empty() ? "unknown" : header.typeName}};
}

Json listedJson(const ModelShelf::Listed& listed) {
  const ModelHeader header = listed.header.value_or(ModelHeader{});  // none if the file could not be read
  return {{"name", listed.name},
          {"model", taggedName(listed.name)},  // under which Open WebUI looks for it
          {"modified_at", "1970-01-01T00:00:00Z"},
          {"size", header.fileBytes},
          {"digest", digestOf(listed.name, header.fileBytes)},
          {"details", detailsOf(header)}};
}

Json capabilitiesOf(const ModelHeader& header) {
  if (header.kind == ModelKind::vectors) return Json::array({"embedding"});
  if (header.kind == ModelKind::scores) return Json::array();
  Json all = Json::array({"completion"});
  if (header.callsTools) all.push_back("tools");
  if (header.thinks) all.push_back("thinking");
  if (header.infills) all.push_back("insert");
  return all;
}

}  // namespace

Result<Reply> answerOllamaRoot(Context&, const Call&) { return Reply{.body = "Minerva is running", .type = "text/plain; charset=utf-8"}; }

// Clients compare it with the version of Ollama that first had what they use, and refuse lower ones (VS Code's Copilot: 0.6.4, Codex:
// 0.13.4). So it is that of the Ollama whose interface this is, with tools, thinking, its efforts, /api/show's capabilities and
// probabilities of tokens.
Result<Reply> answerOllamaVersion(Context&, const Call&) { return Reply{.body = R"({"version":"0.13.4"})"}; }

Result<Reply> answerOllamaTags(Context& context, const Call&) {
  Json models = Json::array();
  for (const ModelShelf::Listed& listed : modelsOf(context)) models.push_back(listedJson(listed));
  return Reply{.body = written({{"models", std::move(models)}})};
}

Result<Reply> answerOllamaProcesses(Context& context, const Call&) {
  Json models = Json::array();
  for (const ModelShelf::Listed& listed : modelsOf(context)) {
    if (listed.state != ModelShelf::Listed::State::here) continue;
    const backend::DeviceInfo device = listed.text ? listed.text->device : listed.other ? listed.other->device : backend::DeviceInfo{};
    const backend::MemoryUse memory = listed.text ? listed.text->memory : listed.other ? listed.other->memory : backend::MemoryUse{};
    Json model = listedJson(listed);
    model.erase("modified_at");
    model["size"] = memory.total();
    model["size_vram"] = device.id == "cpu" ? 0 : memory.total();
    model["context_length"] = listed.header ? listed.header->contextLength : 0;
    model["expires_at"] = "9999-12-31T23:59:59Z";  // other requests decide when it leaves
    models.push_back(std::move(model));
  }
  return Reply{.body = written({{"models", std::move(models)}})};
}

Result<Reply> answerOllamaShow(Context& context, const Call& call) {
  MINERVA_ASSIGN(auto asked, stringField(call.body, "model"));
  if (!asked) {
    MINERVA_ASSIGN(asked, stringField(call.body, "name"));  // of earlier clients
  }
  const auto models = modelsOf(context);
  const auto found = std::ranges::find_if(
      models, [&](const ModelShelf::Listed& listed) { return asked ? isNameOf(*asked, listed.name) : models.size() == 1; });
  if (found == models.end()) {
    return fail({.kind = ErrorKind::notFound,
                 .what = "This server does not have the model",
                 .where = modelField,
                 .expected = "one of those of /api/tags",
                 .actual = asked.value_or("none").substr(0, 100)});
  }
  const ModelHeader header = found->header.value_or(ModelHeader{});
  const Json info{{"general.architecture", header.family},
                  {"general.basename", found->name},
                  {"general.parameter_count", header.parameters},
                  {header.family + ".context_length", header.contextLength},
                  {header.family + ".embedding_length", header.hiddenSize}};
  return Reply{.body = written({{"modelfile", ""},
                                {"parameters", ""},
                                {"template", header.infills ? "{{ .Prompt }}{{ .Suffix }}" : ""},  // Continue looks for the latter
                                {"details", detailsOf(header)},
                                {"model_info", info},
                                {"capabilities", capabilitiesOf(header)},
                                {"modified_at", "1970-01-01T00:00:00Z"}})};
}

}  // namespace minerva::serve
