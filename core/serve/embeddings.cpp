// POST /v1/embeddings and Ollama's /api/embed and /api/embeddings, for embedding models.
#include "core/serve/fields.h"
#include "core/serve/model_name.h"
#include "core/serve/ollama.h"
#include "core/serve/route.h"
#include "core/serve/token_fields.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

namespace minerva::serve {
namespace {

constexpr std::size_t mostTexts = 2048;  // of a request, as in OpenAI's interface

struct Texts {
  std::vector<std::string> texts;
  std::vector<std::vector<text::TokenId>> tokens;  // in place of texts
};

Result<Texts> readTexts(const Json& body) {
  const char* const expected = "text, token ids, or an array of at most 2048 of these, not empty";
  const Json* input = present(body, "input");
  if (input == nullptr) return wrongField("input", expected, "none");
  const Json list = input->is_array() && !areTokens(*input) ? *input : Json::array({*input});
  if (list.empty() || list.size() > mostTexts) return wrongField("input", expected, std::to_string(list.size()));
  Texts out;
  for (const Json& one : list) {
    if (one.is_string()) {
      out.texts.push_back(one.get<std::string>());
    } else if (areTokens(one)) {
      MINERVA_ASSIGN(auto tokens, tokensOf(one, "input"));
      out.tokens.push_back(std::move(tokens));
    } else {
      return wrongField("input", expected, one.type_name());
    }
  }
  if (!out.texts.empty() && !out.tokens.empty()) return wrongField("input", "all texts or all token ids", "both");
  return out;
}

// The name that the client knows.
Error atInput(Error error, std::size_t text) {
  error.where = "input[" + std::to_string(text) + "]";
  return error;
}

// One request at a time: the embedder is for one thread. The client's end is seen between steps.
Result<engine::TextVectors> embed(Context& context, const Call& call, const Json& body) {
  MINERVA_TRY(checkModelName(body, context.model));
  MINERVA_ASSIGN(const Texts input, readTexts(body));
  MINERVA_ASSIGN(const auto truncate, boolField(body, "truncate"));  // Ollama's
  MINERVA_ASSIGN(const auto turn, waitForTurn(context, call));
  std::stop_source stop;
  const std::stop_callback forward(context.stopping.get_token(), [&] { stop.request_stop(); });
  const auto look = [&](std::size_t) {
    if (call.gone()) stop.request_stop();
  };
  Result<engine::TextVectors> made =
      input.tokens.empty()
          ? context.embedder->embed(input.texts, {.prompt = {}, .before = {}, .cuts = truncate.value_or(true), .progress = look},
                                    stop.get_token())
          : context.embedder->embedTokens(input.tokens, stop.get_token());
  if (made) return made;
  for (std::size_t i = 0; i < input.texts.size() + input.tokens.size(); ++i)
    if (made.error().where == engine::textField(i)) return fail(atInput(std::move(made.error()), i));
  return made;
}

// The shortest digits that read back as the same float.
std::string asNumbers(std::span<const float> values) {
  std::string out = "[";
  for (const float value : values) {
    std::array<char, 32> digits{};
    if (out.size() > 1) out += ',';
    out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
  }
  return out + "]";
}

// The bytes of the floats, little-endian, in base64, which OpenAI's own clients ask for.
std::string asBase64(std::span<const float> values) {
  static_assert(std::endian::native == std::endian::little);
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto bytes = std::as_bytes(values);
  std::string out = "\"";
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned group = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (k < count ? std::to_integer<unsigned>(bytes[i + k]) : 0);
    for (std::size_t k = 0; k < 4; ++k) out += k <= count ? digits[group >> (18 - 6 * k) & 63] : '=';
  }
  return out + "\"";
}

int sumOf(const std::vector<int>& counts) {
  int sum = 0;
  for (const int count : counts) sum += count;
  return sum;
}

}  // namespace

Result<Reply> answerEmbeddings(Context& context, const Call& call) {
  MINERVA_TRY(checkKind(context, ModelKind::vectors));
  MINERVA_ASSIGN(const auto format, stringField(call.body, "encoding_format"));
  if (format && *format != "float" && *format != "base64") return wrongField("encoding_format", "float or base64", format->substr(0, 60));
  const int own = context.embedder->info().dimensions;
  MINERVA_TRY(integerField(call.body, "dimensions", own, own));
  MINERVA_ASSIGN(const engine::TextVectors vectors, embed(context, call, call.body));
  std::string body = R"({"object":"list","data":[)";
  for (std::size_t i = 0; i < vectors.tokens.size(); ++i) {
    body += (i > 0 ? "," : "") + std::string(R"({"object":"embedding","index":)") + std::to_string(i) + R"(,"embedding":)";
    body += (format == "base64" ? asBase64(vectors.of(i)) : asNumbers(vectors.of(i))) + "}";
  }
  const int tokens = sumOf(vectors.tokens);
  body += R"(],"model":)" + written(Json(context.model)) + R"(,"usage":)" + written({{"prompt_tokens", tokens}, {"total_tokens", tokens}}) +
          "}";
  return Reply{.body = std::move(body)};
}

Result<Reply> answerOllamaEmbed(Context& context, const Call& call) {
  MINERVA_TRY(checkKind(context, ModelKind::vectors));
  const TimePoint began = Clock::now();
  MINERVA_ASSIGN(const engine::TextVectors vectors, embed(context, call, call.body));
  MINERVA_TRY(letGoIfAsked(context, call.body));
  std::string body = R"({"model":)" + written(Json(context.model)) + R"(,"embeddings":[)";
  for (std::size_t i = 0; i < vectors.tokens.size(); ++i) body += (i > 0 ? "," : "") + asNumbers(vectors.of(i));
  const auto duration = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - began).count();
  body += R"(],"total_duration":)" + std::to_string(duration) + R"(,"load_duration":0,"prompt_eval_count":)" +
          std::to_string(sumOf(vectors.tokens)) + "}";
  return Reply{.body = std::move(body)};
}

// The earlier form of it, of one text.
Result<Reply> answerOllamaEmbedding(Context& context, const Call& call) {
  MINERVA_TRY(checkKind(context, ModelKind::vectors));
  MINERVA_ASSIGN(const auto prompt, stringField(call.body, "prompt"));
  if (!prompt) return wrongField("prompt", "text", "none");
  Json body = call.body;
  body["input"] = *prompt;
  MINERVA_ASSIGN(const engine::TextVectors vectors, embed(context, call, body));
  MINERVA_TRY(letGoIfAsked(context, call.body));
  return Reply{.body = R"({"embedding":)" + asNumbers(vectors.of(0)) + "}"};
}

}  // namespace minerva::serve
