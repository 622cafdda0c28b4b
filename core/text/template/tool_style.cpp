#include "core/text/template/tool_style.h"

#include "core/text/template/render_budget.h"

#include <algorithm>
#include <string>

namespace minerva::text {
namespace {

using Value = nlohmann::ordered_json;

constexpr const char* probeTool = "probe_of_weather";
constexpr const char* probeCity = "Reykjavik";
constexpr const char* probeResult = "drizzle";

const Value* memberNamed(const Value& value, const char* name) {
  const auto found = value.is_object() ? value.find(name) : value.end();
  return value.is_object() && found != value.end() ? &*found : nullptr;
}

std::string spokenText(const Value& message, const char* name) {
  const Value* member = memberNamed(message, name);
  if (member == nullptr) return {};
  if (member->is_string()) return member->get<std::string>();
  std::string all;  // of a content in parts
  for (const Value& part : *member)
    if (const Value* text = memberNamed(part, "text"); text != nullptr && text->is_string()) all += text->get_ref<const std::string&>();
  return all;
}

std::string onLines(std::string before, const std::string& more, const char* between) {
  if (before.empty() || more.empty()) return before + more;
  return before.append(between).append(more);
}

// The member "function" of a call or a tool, or all of it.
const Value& functionOf(const Value& call) {
  const Value* function = memberNamed(call, "function");
  return function != nullptr ? *function : call;
}

// The functions of the tools, without what is around them.
Value functionsOf(const Value& tools) {
  Value functions = Value::array();
  for (const Value& tool : tools) functions.push_back(functionOf(tool));
  return functions;
}

std::string lenientText(const Value& value) { return value.dump(-1, ' ', false, Value::error_handler_t::replace); }

// The form of the call is the last of callForms().
std::string toldTools(const Value& tools) {
  std::string text = "You can call functions. These are the functions, one a line, as JSON with a JSON schema of the parameters:\n";
  for (const Value& function : functionsOf(tools)) text += lenientText(function) + '\n';
  return text +
         "To call one, reply with nothing but one line of JSON in this form:\n"
         "{\"name\": \"the function's name\", \"parameters\": {\"a parameter's name\": its value}}\n"
         "The next message has its result. If no function is needed, answer as usual.";
}

// Text as models are told to write it.
std::string toldCall(const Value& call) {
  const Value& function = functionOf(call);
  const Value* arguments = memberNamed(function, "arguments");
  std::string json = "{}";
  if (arguments != nullptr) json = arguments->is_string() ? arguments->get<std::string>() : lenientText(*arguments);
  return "{\"name\": " + lenientText(spokenText(function, "name")) + ", \"parameters\": " + (json.empty() ? "{}" : json) + "}";
}

Value toldTurn(Value message, const ToolStyle& style) {
  const std::string role = spokenText(message, "role");
  const Value* calls = memberNamed(message, "tool_calls");
  const auto isNamed = [](const Value& call) { return !spokenText(functionOf(call), "name").empty(); };
  if (!style.calls && role == "assistant" && calls != nullptr && calls->is_array() && std::ranges::all_of(*calls, isNamed)) {
    std::string text = spokenText(message, "content");
    for (const Value& call : *calls) text = onLines(std::move(text), toldCall(call), "\n");
    message.erase("tool_calls");
    message["content"] = std::move(text);
  } else if (!style.results && role == "tool") {
    const std::string name = spokenText(message, "name");
    const std::string text = "Result" + (name.empty() ? "" : " of " + name) + ":\n" + spokenText(message, "content");
    message = {{"role", "user"}, {"content", text}};
  }
  return message;
}

Value probeTools() {
  const Value parameters{{"type", "object"}, {"properties", {{"city", {{"type", "string"}}}}}};
  const Value function{{"name", probeTool}, {"description", "The weather."}, {"parameters", parameters}};
  return Value::array({{{"type", "function"}, {"function", function}}});
}

Value probeCall(const ToolStyle& style) {
  const Value function{{"name", probeTool}, {"arguments", {{"city", probeCity}}}};
  const Value calls = Value::array({{{"id", "call00001"}, {"type", "function"}, {"function", function}}});
  return inStyle(Value::array({{{"role", "user"}, {"content", "Weather?"}},
                               {{"role", "assistant"}, {"content", ""}, {"tool_calls", calls}},
                               {{"role", "tool"}, {"tool_call_id", "call00001"}, {"name", probeTool}, {"content", probeResult}}}),
                 nullptr, style);
}

bool has(const Result<std::string>& prompt, const char* word) { return prompt && prompt->find(word) != std::string::npos; }

}  // namespace

ToolStyle toolStyleOf(const ChatTemplate& chatTemplate) {
  RenderBudget renders(chatTemplate);
  const auto rendered = [&](Value messages, Value tools) {
    RenderRequest request;
    request.messages = std::move(messages);
    request.tools = std::move(tools);
    request.variables = {{"bos_token", ""}, {"eos_token", ""}};
    return renders.render(request);
  };
  const Value question = Value::array({{{"role", "user"}, {"content", "Weather?"}}});
  ToolStyle style;
  if (chatTemplate.hasOwnForTools()) return style;
  const Result<std::string> plain = rendered(question, probeTools());
  if (!plain || has(plain, probeTool)) return style;
  style.tools = ToolStyle::Tools::systemMember;
  if (!has(rendered(inStyle(question, probeTools(), style), nullptr), probeTool)) style.tools = ToolStyle::Tools::systemText;
  if (!has(rendered(inStyle(question, probeTools(), style), nullptr), probeTool)) return {};
  style.calls = style.results = false;
  const auto shows = [&](bool ToolStyle::*part) {
    ToolStyle with = style;
    with.*part = true;
    const Result<std::string> prompt = rendered(probeCall(with), nullptr);
    return has(prompt, probeCity) && has(prompt, probeResult);
  };
  const bool calls = shows(&ToolStyle::calls), results = shows(&ToolStyle::results);
  style.calls = calls;
  style.results = results;
  return style;
}

nlohmann::ordered_json inStyle(const nlohmann::ordered_json& messages, const nlohmann::ordered_json& tools, const ToolStyle& style) {
  if (!messages.is_array()) return messages;
  Value out = Value::array();
  for (const Value& message : messages) out.push_back(toldTurn(message, style));
  if (!tools.is_array() || tools.empty() || style.takesAll()) return out;
  const std::string first = out.empty() ? std::string() : spokenText(out.front(), "role");
  if (first != "system" && first != "developer") out.insert(out.begin(), Value{{"role", "system"}, {"content", ""}});
  if (style.tools == ToolStyle::Tools::systemMember) out.front()["tools"] = lenientText(functionsOf(tools));
  else out.front()["content"] = onLines(spokenText(out.front(), "content"), toldTools(tools), "\n\n");
  return out;
}

}  // namespace minerva::text
