#include "bench/json_fields.h"
#include "bench/report.h"
#include "bench/text_source.h"
#include "bench/verb.h"
#include "core/engine/prompt.h"

#include <cstdio>
#include <ctime>
#include <iomanip>
#include <sstream>

namespace minerva::bench {
namespace {

struct RenderOptions {
  std::string model, templateFile;
  bool lines = false;
};

struct Source {
  TextSource text;                                 // empty without a model
  std::optional<text::ChatTemplate> chatTemplate;  // nullopt: every request brings its own
};

// Parses "2026-07-26 12:34:56" as local time, the current time seen by strftime_now.
Result<std::chrono::system_clock::time_point> timeOf(const std::string& written) {
  std::tm broken{};
  std::istringstream in(written);
  in >> std::get_time(&broken, "%Y-%m-%d %H:%M:%S");
  broken.tm_isdst = -1;
  if (!in.fail()) return std::chrono::system_clock::from_time_t(std::mktime(&broken));
  return fail({.kind = ErrorKind::invalidArgument,
               .what = "The time cannot be read",
               .where = "now",
               .expected = "YYYY-MM-DD HH:MM:SS",
               .actual = written});
}

Result<text::RenderRequest> renderRequest(const Json& json, const Source& source) {
  text::RenderRequest request;
  if (json.contains("messages")) request.messages = json["messages"];
  if (json.contains("tools")) request.tools = json["tools"];
  if (json.contains("documents")) request.documents = json["documents"];
  if (json.contains("variables") && json["variables"].is_object()) request.variables = json["variables"];
  MINERVA_ASSIGN(request.addGenerationPrompt, boolField(json, "add_generation_prompt", false));
  MINERVA_ASSIGN(request.continueFinalMessage, boolField(json, "continue_final_message", false));
  MINERVA_ASSIGN(const auto now, stringField(json, "now"));
  if (now) {
    MINERVA_ASSIGN(request.now, timeOf(*now));
  }
  if (source.text.tokenizer) engine::completeVariables(request, *source.text.tokenizer);
  return request;
}

Result<std::string> render(const Json& json, const Source& source) {
  MINERVA_ASSIGN(const text::RenderRequest request, renderRequest(json, source));
  MINERVA_ASSIGN(const auto own, stringField(json, "template"));
  if (own) {
    MINERVA_ASSIGN(const text::ChatTemplate chatTemplate, text::ChatTemplate::parse(*own));
    return chatTemplate.render(request);
  }
  if (source.chatTemplate) return source.chatTemplate->render(request);
  return fail({.kind = ErrorKind::invalidArgument,
               .what = "There is no template to render",
               .where = "request",
               .hint = "Name a model or --template FILE, or put \"template\" into the request"});
}

Result<Source> openSource(const RenderOptions& options) {
  Source source;
  if (!options.templateFile.empty()) {
    MINERVA_ASSIGN(const std::string text, readFile(options.templateFile));
    MINERVA_ASSIGN(source.chatTemplate, text::ChatTemplate::parse(text));
  } else if (!options.model.empty()) {
    MINERVA_ASSIGN(source.text, openTextSource(options.model));
    if (!source.text.file)
      return fail({.kind = ErrorKind::invalidArgument, .what = "A tokenizer alone has no chat template", .where = options.model});
    MINERVA_ASSIGN(source.chatTemplate, text::chatTemplateFor(*source.text.file, *source.text.tokenizer));
  }
  return source;
}

Result<void> runRender(const RenderOptions& options) {
  MINERVA_ASSIGN(const Source source, openSource(options));
  if (options.lines) {
    answerLines([&](const Json& request) -> Result<Json> {
      MINERVA_ASSIGN(const std::string text, render(request, source));
      return Json{{"text", text}};
    });
    return {};
  }
  const Json request = Json::parse(readStdin(), nullptr, false);
  if (!request.is_object()) {
    return fail({.kind = ErrorKind::invalidArgument, .what = "The request is not a JSON object", .where = "stdin"});
  }
  MINERVA_ASSIGN(const std::string text, render(request, source));
  std::fwrite(text.data(), 1, text.size(), stdout);
  return {};
}

}  // namespace

Runner defineRender(CLI::App& app) {
  auto options = std::make_shared<RenderOptions>();
  CLI::Option* model = app.add_option("model", options->model, "A model whose chat template is used");
  app.add_option("--template", options->templateFile, "A template file")->excludes(model);
  app.add_flag("--jsonl", options->lines, "One JSON request per line, one answer per line");
  return [options] { return runRender(*options); };
}

}  // namespace minerva::bench
