// The calls of tools that a model writes into its reply, parsed but not run. Implemented in tool_calls/.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace minerva::text {

struct ToolArgument {
  std::string name;
  std::string json;       // the value as JSON text
  std::string bare = {};  // the value as written, where a syntax has no quotes around strings and the value may be no string; else empty
};

struct ToolCall {
  std::string name;
  std::vector<ToolArgument> arguments;
  std::string text;       // arguments that are not a list of names and values, as the model wrote them; otherwise empty
  std::size_t place = 0;  // number of bytes that precede the call in the answer text that was returned with it
  // How much of argumentsText() pieces have told before the call was complete (growing_calls.h); nothing if it comes as a whole.
  std::optional<std::size_t> told = {};
};

// The arguments as one JSON text, without white space around its members; or `text`.
[[nodiscard]] std::string argumentsText(const ToolCall& call);

// What is certain of a call before it is complete.
struct CallPiece {
  std::size_t call = 0;  // the number of calls that precede it in the reply
  std::string name;
  bool begins = false;    // the first piece of its call
  std::string arguments;  // what follows in argumentsText()
  std::size_t place = 0;  // as ToolCall::place
};

namespace calls {
struct Tags;  // tool_calls/call_tags.h
}

// What is known of a call as soon as its arguments begin.
struct CallOpening {
  std::string_view name;
  std::size_t arguments = 0;          // where they begin
  const calls::Tags* tags = nullptr;  // around them; null: they are a JSON object
};

// Syntaxes without quotes do not tell the text 12345 from the number. Where the tool's schema wants a string and nothing that the value
// could be instead, the value becomes a string. Where it wants no string, a literal of Python becomes what JSON has for it. Text that is no
// JSON object, such as code, becomes the value of a tool's only property.
// tools: as in Transformers' apply_chat_template; null, or tools without a schema, change nothing.
void useDeclaredTypes(std::span<ToolCall> calls, const nlohmann::ordered_json& tools);
// Whether the schema lets nothing but strings pass.
[[nodiscard]] bool isAlwaysString(const nlohmann::ordered_json& tools, std::string_view tool, std::string_view argument);

// Whether a schema, or what it refers to in `root`, lets values of this type of JSON schema pass, as far as a few keywords say. Integers
// are numbers.
[[nodiscard]] bool allowsType(const nlohmann::ordered_json& root, const nlohmann::ordered_json& schema, std::string_view type);

// For display: the name, then one argument a line ("city: "Paris"").
[[nodiscard]] std::string plainText(const ToolCall& call);

// How a family of models writes its calls: markers around them, and the syntax between the markers. Several formats may share
// their markers; they then differ in how the text between them begins.
struct ToolCallFormat {
  std::string_view name;
  std::string_view open;                    // empty: the whole answer is one list of calls
  std::string_view close;                   // empty: the calls end at the next `open`, or with the reply
  std::span<const std::string_view> inner;  // further markers between `open` and `close` that vocabularies have as tokens
  std::string_view inTemplate;              // text that shows that a chat template knows the format; empty: `open`
  // False if text that begins like this, after `open`, cannot be calls. `text` may be only the beginning.
  bool (*mayBegin)(std::string_view text);
  // Finds where the arguments of a call begin, in text after `open` (isFirst) or after the arguments of the call before. Nothing if they
  // are not there yet, or if the call is written in another way. Null: calls of this format are known as a whole.
  std::optional<CallOpening> (*opening)(std::string_view text, bool isFirst);
  // Parses the whole text between the markers. Returns false, with `out` unchanged, if it is not well-formed.
  bool (*parse)(std::string_view text, std::vector<ToolCall>& out);
  // True if the text ends inside a value, so that a marker that follows belongs to the value.
  bool (*endsInValue)(std::string_view text);
  // As `parse`, for text that ends in a value only because the tag after that value is missing. Null: nothing says so.
  bool (*parseUnclosed)(std::string_view text, std::vector<ToolCall>& out) = nullptr;
  // What models forget at the end of a call: where the closing marker is there, or the model ended the reply itself, the text is parsed
  // with each of them in turn.
  std::span<const std::string_view> ends = {};
  // For calls whose outer markers are partly missing: the closing one, which may follow `close` and is no text then.
  std::string_view outerClose = {};
  bool wholeLines = false;       // the calls begin at the beginning of a line and end with `close`, nothing else
  std::string_view answer = {};  // what follows `open` before text of the answer instead of a call; the prompt ends with `open` then
};

// One row a format; rows with the same `open` have the same `close`.
[[nodiscard]] std::span<const ToolCallFormat> toolCallFormats();

// Calls in JSON without the markers of their format, which are calls only if they name tools of the request. Not a row of the table.
[[nodiscard]] const ToolCallFormat& formatByName();
// Where such calls end, with what is around them; npos if that is not known yet. atEnd: no text follows.
[[nodiscard]] std::size_t lengthOfCallsByName(std::string_view text, bool atEnd);
// tools: as in Transformers' apply_chat_template, or null.
[[nodiscard]] std::vector<std::string> toolNames(const nlohmann::ordered_json& tools);

// Around the name and the value of each argument, where a format writes them with tags.
struct CallTags {
  std::string_view beforeName, afterName, afterValue;
};

// How one call is written where a reply must be one: `before`, the name (`again` and the name once more), `between`, the arguments,
// `after`. U+0002 stands for a number, which the model chooses. What closes the calls may be missing at the end of a reply, so it is left
// out where something else shows that the arguments end.
struct CallForm {
  const ToolCallFormat* format;  // that reads it; null: harmony
  std::string_view before, between, after;
  std::string_view next = {};        // in place of `after`, before the name of a further call within the same markers; empty: there is none
  std::string_view inTemplate = {};  // text that shows which of several forms of a format a chat template has; empty: any
  // Neither: the arguments are a JSON object.
  const CallTags* tags = nullptr;
  std::string_view quote = {};  // around strings, in the notation of Gemma
  std::string_view again = {};  // what follows the name if it is written twice; only with tags
  [[nodiscard]] bool hasJson() const { return tags == nullptr && quote.empty(); }
  // The name is a JSON string; otherwise it is written as it is, so that it can have letters, digits and -_. only.
  [[nodiscard]] bool nameIsJson() const { return hasJson() && before.ends_with('"'); }
};

// The first that a model knows is its own. The last row is that of a call without markers, which any model can write.
[[nodiscard]] std::span<const CallForm> callForms();
[[nodiscard]] const CallForm& harmonyCallForm();
[[nodiscard]] const CallForm& museCallForm();  // of messages without channels

// Takes the members of a JSON object as arguments. Anything else is kept as the call's text.
void setArguments(ToolCall& call, std::string_view json);

}  // namespace minerva::text
