// POST /completion and /infill, llama-server's own interface, which editors use (llama.vim, llama.vscode, Continue).
#include "core/serve/completion.h"
#include "core/serve/fields.h"
#include "core/serve/refusal.h"
#include "core/serve/suffix_field.h"
#include "core/serve/token_fields.h"
#include "core/text/infill.h"

#include <algorithm>
#include <limits>

namespace minerva::serve {
namespace {

struct LlamaRequest {
  Completion completion{.chat = false, .callsAsText = true};
  engine::Request request{};
  std::vector<std::string> fields{};      // of the reply, as paths; empty: all
  std::chrono::milliseconds lineTime{0};  // after which the reply ends with its line; 0: never
  bool warmsUp = false;                   // the prompt is read, and nothing is wanted behind it
};

// The names are readSampling()'s, but for the length: below 0 is no limit, and 0 asks for the prompt to be read ahead.
Result<LlamaRequest> readLlama(const Json& body, const Context& context) {
  LlamaRequest out;
  MINERVA_TRY(refuseField(body, "n_probs"));
  MINERVA_ASSIGN(const auto length, integerField(body, "n_predict", -2, std::numeric_limits<std::int32_t>::max()));
  MINERVA_ASSIGN(const auto lineTime, integerField(body, "t_max_predict_ms", -1, std::numeric_limits<std::int32_t>::max()));
  MINERVA_ASSIGN(out.fields, stringsField(body, "response_fields", 100));
  out.lineTime = std::chrono::milliseconds(std::max<std::int64_t>(lineTime.value_or(0), 0));
  out.warmsUp = length == 0;
  Json fields = body;
  if (length && *length >= 0) fields["max_tokens"] = std::max<std::int64_t>(*length, 1);
  MINERVA_TRY(readCompletion(fields, context, out.completion, out.request));
  return out;
}

// Collects the pieces of a reply, and says what llama-server says of it.
class LlamaReply {
 public:
  LlamaReply(const LlamaRequest& asked, std::string model) : m_asked(asked), m_model(std::move(model)) {}

  // The text of the piece that is part of the reply.
  std::string take(const Piece& piece, Generation& generation) {
    if (piece.end) {
      m_end = m_isLate ? engine::FinishReason::length : *piece.end;
      m_stopString = piece.stopString;
    }
    if (m_asked.warmsUp || m_isLate) return {};
    const std::string text = piece.reasoning + piece.content;
    const bool endsLine = text.find('\n') != std::string::npos;
    m_hasLine = m_hasLine || endsLine;
    m_isLate = endsLine && m_asked.lineTime.count() > 0 && Clock::now() - m_began > m_asked.lineTime;
    if (m_isLate && !piece.end) generation.end();
    m_content += text;
    return text;
  }
  [[nodiscard]] Json part(const std::string& text) const { return {{"index", 0}, {"content", text}, {"stop", false}}; }
  [[nodiscard]] Json whole(const Usage& usage, bool streams) const {
    const bool limit = m_end == engine::FinishReason::length || m_end == engine::FinishReason::contextFull;
    const Json all{{"index", 0},
                   {"content", streams ? std::string() : m_content},
                   {"stop", true},
                   {"model", m_model},
                   {"tokens_predicted", usage.generatedTokens},
                   {"tokens_evaluated", usage.promptTokens},
                   {"has_new_line", m_hasLine},
                   {"truncated", false},
                   {"stop_type", !m_stopString.empty() ? "word"
                                 : limit               ? "limit"
                                                       : "eos"},
                   {"stopping_word", m_stopString},
                   {"tokens_cached", usage.promptTokens + usage.generatedTokens},
                   {"timings", timingsJson(usage)}};
    return m_asked.fields.empty() ? all : chosen(all);
  }

 private:
  // "timings/prompt_n" is the name of a member of the answer.
  [[nodiscard]] Json chosen(const Json& all) const {
    Json out = Json::object();
    for (const std::string& path : m_asked.fields) {
      const std::size_t slash = path.find('/');
      const Json* found = present(all, path.substr(0, slash).c_str());
      if (found != nullptr && slash != std::string::npos)
        found = found->is_object() ? present(*found, path.substr(slash + 1).c_str()) : nullptr;
      if (found != nullptr) out[path] = *found;
    }
    return out;
  }

  const LlamaRequest m_asked;
  const std::string m_model;
  const TimePoint m_began = Clock::now();
  std::string m_content, m_stopString;
  engine::FinishReason m_end = engine::FinishReason::endOfTurn;
  bool m_hasLine = false, m_isLate = false;
};

void streamLlama(Generation& generation, LlamaReply reply, const Write& write) {
  const auto send = [&](const Json& object) { return write("data: " + written(object) + "\n\n"); };
  while (!generation.done()) {
    const Result<Piece> piece = generation.next();
    if (!piece) {
      (void)write("data: " + errorObject(refusalOf(piece.error())) + "\n\n");
      return;
    }
    if (piece->silent) {
      if (!write(":\n\n")) return;
      continue;
    }
    const std::string text = reply.take(*piece, generation);
    if (!text.empty() && !send(reply.part(text))) return;
  }
  (void)send(reply.whole(generation.usage(), true));
}

Result<Reply> answerLlama(Context& context, const Call& call, const LlamaRequest& asked) {
  std::vector<engine::Request> requests{asked.request};
  MINERVA_ASSIGN(auto generation, Generation::start(*context.driver, std::move(requests), howOf(context, call, asked.completion)));
  LlamaReply reply(asked, context.model);
  if (asked.completion.stream) {
    return Reply{.type = "text/event-stream", .stream = [shared = std::shared_ptr(std::move(generation)), reply](const Write& write) {
                   streamLlama(*shared, reply, write);
                 }};
  }
  while (!generation->done()) {
    MINERVA_ASSIGN(const Piece piece, generation->next());
    (void)reply.take(piece, *generation);
  }
  return Reply{.body = written(reply.whole(generation->usage(), false))};
}

Result<std::vector<text::InfillFile>> readExtra(const Json& body) {
  std::vector<text::InfillFile> files;
  const Json* extra = present(body, "input_extra");
  if (extra == nullptr) return files;
  if (!extra->is_array()) return wrongField("input_extra", "an array of {filename, text}", extra->type_name());
  for (const Json& one : *extra) {
    if (!one.is_object()) return wrongField("input_extra", "an array of {filename, text}", one.type_name());
    MINERVA_ASSIGN(const auto name, stringField(one, "filename"));
    MINERVA_ASSIGN(std::string text, textMember(one, "text", "input_extra"));
    files.push_back({.name = name.value_or("tmp"), .text = std::move(text)});
  }
  return files;
}

}  // namespace

Result<Reply> answerLlamaCompletion(Context& context, const Call& call) {
  MINERVA_ASSIGN(LlamaRequest asked, readLlama(call.body, context));
  const Json* prompt = present(call.body, "prompt");
  if (prompt == nullptr) return wrongField("prompt", "text or token ids", "none");
  MINERVA_TRY(readPrompt(*prompt, asked.request));
  return answerLlama(context, call, asked);
}

// Before the prefix stands what the editor knows of other files, as far as the context holds it, the latest of it last.
Result<Reply> answerLlamaInfill(Context& context, const Call& call) {
  MINERVA_ASSIGN(LlamaRequest asked, readLlama(call.body, context));
  MINERVA_ASSIGN(const std::string before, textMember(call.body, "input_prefix", "body"));
  MINERVA_ASSIGN(const std::string after, textMember(call.body, "input_suffix", "body"));
  MINERVA_ASSIGN(const auto begun, stringField(call.body, "prompt"));
  MINERVA_ASSIGN(std::vector<text::InfillFile> files, readExtra(call.body));
  MINERVA_ASSIGN(const auto tokens, infillTokens(context, before, after, "input_suffix"));
  const text::Tokenizer& tokenizer = *context.engine->tokenizer();
  const auto middle = tokenizer.encode(begun.value_or(""), {.addSpecial = false, .parseSpecial = false});
  const std::size_t own = tokens.size() + middle.size() + static_cast<std::size_t>(std::max(asked.request.maxTokens, 1));
  std::vector<text::TokenId> others = text::infillContext(tokenizer, files);
  while (!files.empty() && own + others.size() > static_cast<std::size_t>(context.engine->info().contextLength)) {
    files.erase(files.begin());
    others = text::infillContext(tokenizer, files);
  }
  const bool hasBegin = tokenizer.addsBos() && tokenizer.special().bos && !tokens.empty() && tokens.front() == *tokenizer.special().bos;
  asked.request.tokens = tokens;
  asked.request.tokens.insert(asked.request.tokens.begin() + (hasBegin ? 1 : 0), others.begin(), others.end());
  asked.request.tokens.insert(asked.request.tokens.end(), middle.begin(), middle.end());
  return answerLlama(context, call, asked);
}

}  // namespace minerva::serve
