#include "core/serve/forced_call.h"

#include "core/engine/constraint.h"
#include "core/grammar/tool_call.h"
#include "core/serve/fields.h"
#include "core/serve/gemma_call.h"
#include "core/serve/tagged_call.h"
#include "core/serve/tool_schemas.h"
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

std::string nameField(const grammar::CallableTool& tool) { return tool.path.substr(0, tool.path.rfind('.')) + ".name"; }

// Whether a form can express the name of a tool, and one without JSON the arguments as its schema wants them.
bool formFits(const text::CallForm& form, const grammar::CallableTool& tool) {
  if (!form.nameIsJson() && !isPlain(tool.name)) return false;
  if (form.hasJson()) return true;
  return form.tags != nullptr ? fitsTags(tool) : !isStrict(tool) || fitsGemma(tool);
}

// What is written around the parts of a call, as a key: models may share the form, but not which of it are control tokens.
std::string allText(const text::CallForm& form) {
  std::string all;
  for (const std::string_view part : {form.before, form.again, form.between, form.after, form.next, form.quote})
    all.append(part).push_back('\n');
  if (form.tags != nullptr)
    for (const std::string_view part : {form.tags->beforeName, form.tags->afterName, form.tags->afterValue})
      all.append(part).push_back('\n');
  if (form.format != nullptr) all += form.format->close;
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

// The same of formats that write another call without a line of its own: there is none within the same markers, and either the call has its
// closing marker or the format has none.
std::optional<std::string> directClosingOf(const text::CallForm& form) {
  const text::ToolCallFormat* const format = form.format;
  if (format == nullptr || format->open.empty() || !form.next.empty() || !form.before.starts_with(format->open)) return std::nullopt;
  if (format->close.empty()) return form.after.empty() ? std::optional(std::string()) : std::nullopt;
  return form.after.ends_with(format->close) ? std::string() : std::string(format->close);
}

// How a model writes calls.
struct ModelsCalls {
  const text::Tokenizer* tokenizer = nullptr;
  text::ChannelFormat channels{};
  const text::CallForm* form = nullptr;  // null: it never hears of tools
  [[nodiscard]] std::string marked(std::string_view text) const { return engine::markedForCalls(text, channels, *tokenizer); }
};

// A model whose chat template has no place for tools is told of them in words, and of the form of a call that any model can write.
ModelsCalls callsOf(const ServedModel& model) {
  ModelsCalls calls{.tokenizer = model.tokenizer()};
  const text::ChatTemplate* const chat = model.chatTemplate();
  if (calls.tokenizer == nullptr || chat == nullptr) return calls;
  calls.channels = text::channelFormatFor(*calls.tokenizer, chat->source());
  calls.form = calls.channels.callForm;
  if (calls.form == nullptr && !chat->showsTools()) calls.form = &text::callForms().back();
  return calls;
}

grammar::CallSyntax syntaxOf(const text::CallForm& form, const ModelsCalls& model) {
  return {.before = model.marked(form.before), .between = model.marked(form.between), .after = model.marked(form.after)};
}

// Of a reply that must be calls: of one, or of several.
grammar::CallSyntax forcedSyntax(const text::CallForm& form, bool several, const ModelsCalls& model) {
  grammar::CallSyntax syntax = syntaxOf(form, model);
  if (several) {
    syntax.next = model.marked(form.next);
    const auto onLine = closingOf(form), closing = onLine ? onLine : directClosingOf(form);
    if (closing) syntax.closing = model.marked(*closing);
    syntax.onLines = onLine.has_value();
  }
  if (model.channels.isHarmony()) {
    const bool byRecipient = model.channels.harmony.byRecipient();
    syntax.thoughtOpen = model.marked(byRecipient ? " to=self<|message|>" : "<|channel|>analysis<|message|>");
    syntax.thoughtClose = model.marked(byRecipient ? "<|eom|><|start|>assistant" : "<|end|><|start|>assistant");
  }
  return syntax;
}

// Of what is between the model's own markers, after which its reply goes on. The closing one may be missing if the reply ends there.
grammar::CallSyntax ownSyntax(const text::CallForm& form, bool several, const ModelsCalls& model) {
  grammar::CallSyntax syntax = syntaxOf(form, model);
  if (several) syntax.next = model.marked(form.next);
  if (!form.after.ends_with(form.format->close)) syntax.end = model.marked(form.format->close);
  return syntax;
}

using GrammarMade = Result<std::shared_ptr<const grammar::Grammar>>;

GrammarMade grammarOf(const text::CallForm& form, grammar::CallSyntax syntax, const std::vector<grammar::CallableTool>& tools,
                      const ModelsCalls& model) {
  if (form.tags != nullptr) {
    const std::string_view after = form.tags->afterValue, tag = after.substr(after.find('<'));
    return taggedCallGrammar({.call = std::move(syntax),
                              .beforeName = model.marked(form.tags->beforeName),
                              .afterName = model.marked(form.tags->afterName),
                              .afterValue = model.marked(after),
                              .closingTag = std::string(tag.substr(0, tag.find('>') + 1)),
                              .again = model.marked(form.again)},
                             tools);
  }
  if (!form.quote.empty())
    return gemmaCallGrammar({.call = std::move(syntax), .quote = model.marked(form.quote), .plainQuote = std::string(form.quote)}, tools);
  return grammar::toolCallGrammar(syntax, tools);
}

// The one token that begins calls of this format. A word may be a token as well, which says nothing.
std::optional<text::TokenId> openingToken(const text::CallForm& form, const ModelsCalls& model) {
  const std::string_view open = form.format != nullptr ? form.format->open : std::string_view();
  if (open.empty() || model.channels.isHarmony() || !form.before.starts_with(open)) return std::nullopt;
  const auto id = model.tokenizer->find(open);
  if (!id || model.tokenizer->piece(*id) != open) return std::nullopt;
  return open.front() == '<' || open.front() == '[' || model.tokenizer->isControl(*id) ? id : std::nullopt;
}

// The model's own form, or another one between the same markers that the model's format is read with; null: neither can express the tools.
const text::CallForm* ownFormFor(const std::vector<grammar::CallableTool>& tools, const ModelsCalls& model) {
  const auto fits = [&](const text::CallForm& form) {
    return std::ranges::all_of(tools, [&](const auto& tool) { return formFits(form, tool); });
  };
  if (fits(*model.form)) return model.form;
  for (const text::CallForm& form : text::callForms()) {
    const bool isRead = std::ranges::find(model.channels.toolCalls, form.format) != model.channels.toolCalls.end();
    if (isRead && form.hasJson() && form.format->open == model.form->format->open && fits(form)) return &form;
  }
  return nullptr;
}

}  // namespace

Result<void> forceCall(const ToolChoice& choice, const Json& tools, bool parallel, const Context& context, engine::Request& request) {
  if (choice.mode != ToolChoice::Mode::required) return {};
  if (tools.is_null()) return wrongField("tool_choice", "a tool of type function beside it", "none");
  const ModelsCalls model = callsOf(*context.engine);
  const text::CallForm* form = model.form;
  if (form == nullptr) {
    return fail({.kind = ErrorKind::unsupported,
                 .what = "The model's chat template knows no tools",
                 .where = "tool_choice",
                 .expected = "auto or none",
                 .actual = choice.names ? "a tool" : "required"});
  }
  const std::vector<grammar::CallableTool> callable = callableTools(tools, choice);
  if (callable.empty()) return wrongField("tool_choice", "the name of a tool", choice.names->front().substr(0, 60));
  for (const grammar::CallableTool& tool : callable)
    if (form->hasJson() && !formFits(*form, tool))
      return wrongField(nameField(tool), "letters, digits, _, - and .", tool.name.substr(0, 60));
  if (!form->hasJson() && !std::ranges::all_of(callable, [&](const auto& tool) { return formFits(*form, tool); })) {
    if (model.channels.isHarmony())  // which has no calls without a header
      return wrongField("tools", "names of letters and digits, and arguments that this model's tags can express", "others");
    form = &text::callForms().back();
  }
  const bool several = parallel && (!choice.names || choice.hidesOthers);  // a function by its name is one call
  const std::string key = (several ? "calls " : "call ") + model.marked(allText(*form)) +
                          written(choice.names.value_or(std::vector<std::string>())) + written(tools);
  MINERVA_ASSIGN(request.constraint,
                 context.grammars.get(key, [&] { return grammarOf(*form, forcedSyntax(*form, several, model), callable, model); }));
  request.constraintIsCall = true;
  request.callFormat = form->format;
  return {};
}

Result<void> guideCalls(const ToolChoice& choice, const Json& tools, bool parallel, const Context& context, engine::Request& request) {
  if (choice.mode != ToolChoice::Mode::automatic) return {};
  const std::vector<grammar::CallableTool> callable = callableTools(tools, choice);
  if (callable.empty() || !std::ranges::all_of(callable, isStrict)) return {};
  const ModelsCalls model = callsOf(*context.engine);
  const auto opens = model.form != nullptr ? openingToken(*model.form, model) : std::nullopt;
  const text::CallForm* const form = opens ? ownFormFor(callable, model) : nullptr;
  if (form == nullptr) return {};
  const std::string key = (parallel ? "own calls " : "own call ") + model.marked(allText(*form)) +
                          written(choice.names.value_or(std::vector<std::string>())) + written(tools);
  MINERVA_ASSIGN(request.callConstraint.grammar,
                 context.grammars.get(key, [&] { return grammarOf(*form, ownSyntax(*form, parallel, model), callable, model); }));
  request.callConstraint.opens = *opens;
  return {};
}

}  // namespace minerva::serve
