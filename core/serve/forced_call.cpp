#include "core/serve/forced_call.h"

#include "core/engine/constraint.h"
#include "core/grammar/tool_call.h"
#include "core/serve/fields.h"
#include "core/serve/gemma_call.h"
#include "core/serve/tagged_call.h"
#include "core/text/channels.h"

#include <algorithm>
#include <optional>

namespace minerva::serve {
namespace {

// Of a name that is written without quotes.
bool isPlain(const std::string& name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
  };
  return !name.empty() && std::ranges::all_of(name, plain);
}

// Whether a form without JSON can express the arguments of a tool as its schema wants them.
bool formFits(const text::CallForm& form, const grammar::CallableTool& tool) {
  if (!isPlain(tool.name)) return false;
  return form.tags != nullptr ? fitsTags(tool) : tool.inexpressible == grammar::Inexpressible::leftOut;
}

// What is written around the parts of a call, as a key: models may share the form, but not which of it are control tokens.
std::string allText(const text::CallForm& form) {
  std::string all;
  for (const std::string_view part : {form.before, form.again, form.between, form.after, form.quote}) all.append(part).push_back('\n');
  if (form.tags != nullptr)
    for (const std::string_view part : {form.tags->beforeName, form.tags->afterName, form.tags->afterValue})
      all.append(part).push_back('\n');
  return all;
}

// Of a format whose markers are around each call, and that need not be closed where it is the last: what closes one before another.
std::optional<std::string> closingOf(const text::CallForm& form) {
  const text::ToolCallFormat* const format = form.format;
  if (format == nullptr || format->open.empty() || format->close.empty() || !format->inner.empty() || form.after.empty())
    return std::nullopt;
  const bool isList = form.before.find('[', format->open.size()) != std::string_view::npos;
  if (!form.before.starts_with(format->open) || isList || form.after.ends_with(format->close)) return std::nullopt;
  return "\n" + std::string(format->close);
}

using GrammarMade = Result<std::shared_ptr<const grammar::Grammar>>;

GrammarMade grammarOf(const text::CallForm& form, const std::vector<grammar::CallableTool>& tools, bool several,
                      const text::ChannelFormat& channels, const text::Tokenizer& tokenizer) {
  const auto marked = [&](std::string_view text) { return engine::markedForCalls(text, channels, tokenizer); };
  grammar::CallSyntax syntax{.before = marked(form.before), .between = marked(form.between), .after = marked(form.after)};
  if (const auto closing = closingOf(form); several && closing) syntax.closing = marked(*closing);
  if (channels.isHarmony()) {
    const bool byRecipient = channels.harmony.byRecipient();
    syntax.thoughtOpen = marked(byRecipient ? " to=self<|message|>" : "<|channel|>analysis<|message|>");
    syntax.thoughtClose = marked(byRecipient ? "<|eom|><|start|>assistant" : "<|end|><|start|>assistant");
  }
  if (form.tags != nullptr) {
    const std::string_view after = form.tags->afterValue, tag = after.substr(after.find('<'));
    return taggedCallGrammar({.call = std::move(syntax),
                              .beforeName = marked(form.tags->beforeName),
                              .afterName = marked(form.tags->afterName),
                              .afterValue = marked(after),
                              .closingTag = std::string(tag.substr(0, tag.find('>') + 1)),
                              .again = marked(form.again)},
                             tools);
  }
  if (!form.quote.empty())
    return gemmaCallGrammar({.call = std::move(syntax), .quote = marked(form.quote), .plainQuote = std::string(form.quote)}, tools);
  return grammar::toolCallGrammar(syntax, tools);
}

}  // namespace

Result<void> forceCall(const ToolChoice& choice, const Json& tools, bool parallel, const Context& context, engine::Request& request) {
  if (choice.mode != ToolChoice::Mode::required) return {};
  if (tools.is_null()) return wrongField("tool_choice", "a tool of type function beside it", "none");
  const text::Tokenizer* const tokenizer = context.engine->tokenizer();
  text::ChannelFormat channels;
  if (tokenizer != nullptr && context.engine->chatTemplate() != nullptr)
    channels = text::channelFormatFor(*tokenizer, context.engine->chatTemplate()->source());
  const text::CallForm* form = channels.callForm;
  if (form == nullptr) {
    return fail({.kind = ErrorKind::unsupported,
                 .what = "The model's chat template knows no tools",
                 .where = "tool_choice",
                 .expected = "auto or none",
                 .actual = choice.names ? "a tool" : "required"});
  }
  std::vector<grammar::CallableTool> callable;
  for (std::size_t i = 0; i < tools.size(); ++i) {
    const Json& function = tools[i]["function"];
    const auto name = function["name"].get<std::string>();
    if (!choice.allows(name)) continue;
    if (form->hasJson() && !form->nameIsJson() && !isPlain(name))
      return wrongField("tools[" + std::to_string(i) + "].function.name", "letters, digits, _, - and .", name.substr(0, 60));
    const Json* strict = present(function, "strict");
    callable.push_back({name, function.contains("parameters") ? function["parameters"] : Json(),
                        "tools[" + std::to_string(i) + "].function.parameters",
                        strict != nullptr && *strict == true ? grammar::Inexpressible::refused : grammar::Inexpressible::leftOut});
  }
  if (callable.empty()) return wrongField("tool_choice", "the name of a tool", choice.names->front().substr(0, 60));
  if (!form->hasJson() && !std::ranges::all_of(callable, [&](const auto& tool) { return formFits(*form, tool); })) {
    if (channels.isHarmony())  // which has no calls without a header
      return wrongField("tools", "names of letters and digits, and arguments that this model's tags can express", "others");
    form = &text::callForms().back();
  }
  const bool several = parallel && (!choice.names || choice.hidesOthers);  // a function by its name is one call
  const std::string key = (several ? "calls " : "call ") + engine::markedForCalls(allText(*form), channels, *tokenizer) +
                          written(choice.names.value_or(std::vector<std::string>())) + written(tools);
  MINERVA_ASSIGN(request.constraint, context.grammars.get(key, [&] { return grammarOf(*form, callable, several, channels, *tokenizer); }));
  request.constraintIsCall = true;
  request.callFormat = form->format;
  return {};
}

}  // namespace minerva::serve
