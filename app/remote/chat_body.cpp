#include "app/remote/chat_body.h"

#include <QRegularExpression>

#include <algorithm>
#include <cmath>

namespace minerva::app {
namespace {

using BodyJson = nlohmann::ordered_json;

const QLatin1String topP("top_p"), wholeTopP("top_p=1");

QRegularExpression anyOf(const char* words) { return QRegularExpression(QLatin1String(words), QRegularExpression::CaseInsensitiveOption); }

// 0.7, not 0.699999988079071.
double rounded(float value) { return std::round(static_cast<double>(value) * 1e5) / 1e5; }

// Only what the interface knows: role and content.
BodyJson plainMessages(const BodyJson& messages) {
  BodyJson plain = BodyJson::array();
  for (const BodyJson& message : messages)
    plain.push_back({{"role", message.value("role", "user")}, {"content", message.value("content", "")}});
  return plain;
}

BodyJson optionalFields(const engine::Request& request) {
  const engine::SamplingOptions& sampling = request.sampling;
  BodyJson fields{{"temperature", rounded(sampling.temperature)}, {"top_p", rounded(sampling.topP)}};
  if (sampling.topK > 0) fields["top_k"] = sampling.topK;
  if (sampling.minP > 0) fields["min_p"] = rounded(sampling.minP);
  if (sampling.repeatPenalty != 1.0F) {  // llama-server's and vLLM's name for it
    fields["repeat_penalty"] = rounded(sampling.repeatPenalty);
    fields["repetition_penalty"] = rounded(sampling.repeatPenalty);
  }
  if (sampling.presencePenalty != 0.0F) fields["presence_penalty"] = rounded(sampling.presencePenalty);
  if (sampling.frequencyPenalty != 0.0F) fields["frequency_penalty"] = rounded(sampling.frequencyPenalty);
  if (sampling.seed != 0) fields["seed"] = sampling.seed;
  fields["stream_options"] = {{"include_usage", true}};
  return fields;
}

}  // namespace

const std::vector<std::string>& reasoningEfforts() {
  static const std::vector<std::string> efforts{"low", "medium", "high"};
  return efforts;
}

std::string reasoningEffortOf(const engine::Request& request) {
  const std::string& effort = request.chat.reasoning.effort;
  return std::ranges::find(reasoningEfforts(), effort) != reasoningEfforts().end() ? effort : std::string();
}

Result<ChatBody> chatBody(const engine::Request& request, const QString& model, const QStringList& leftOut) {
  BodyJson body{{"model", model.toStdString()}, {"messages", plainMessages(request.chat.messages)}, {"stream", true}};
  if (request.chat.continueFinalMessage) {
    if (request.chat.messages.back().value("reasoning_open", false))
      return fail({.kind = ErrorKind::unsupported,
                   .what = "A server cannot continue a reply within its reasoning",
                   .where = {},
                   .expected = "a reply whose answer has begun",
                   .actual = "one that ends in its reasoning",
                   .hint = "Generate the reply anew"});
    body["continue_final_message"] = true;
    body["add_generation_prompt"] = false;
  }
  // Not one of the optional fields: who chose it must hear that it has no effect.
  if (const std::string effort = reasoningEffortOf(request); !effort.empty()) body["reasoning_effort"] = effort;
  if (!request.stop.empty()) body["stop"] = request.stop;
  ChatBody made;
  if (request.maxTokens > 0) {
    const bool newName = leftOut.contains(QLatin1String("max_tokens"));
    body[newName ? "max_completion_tokens" : "max_tokens"] = request.maxTokens;
    if (!newName) made.optional << QStringLiteral("max_tokens");
  }
  const BodyJson optional = optionalFields(request);
  for (const auto& [name, value] : optional.items()) {
    const QString field = QString::fromStdString(name);
    const bool isNeutral = field == topP && value == 1.0;
    if (leftOut.contains(field) || (isNeutral && leftOut.contains(wholeTopP))) continue;
    body[name] = value;
    made.optional << field;
    if (isNeutral) made.neutral << field;
  }
  // Text that is not UTF-8 (from an imported conversation) must not end the program.
  made.json = QByteArray::fromStdString(body.dump(-1, ' ', false, BodyJson::error_handler_t::replace));
  return made;
}

QStringList fieldsNamedIn(const QByteArray& refusal, const ChatBody& sent) {
  static const QRegularExpression unknown = anyOf(
      "unknown|unrecogni[sz]ed|unsupported|unexpected|not support|not permitted|not allowed|deprecated|invalid (field|param|arg)|extra");
  static const QRegularExpression notTogether = anyOf("cannot both|can(no|')t be (both|used together)|only one of|use only one");
  static const QRegularExpression outside = anyOf("must be|should be|less than|out of range");
  const QString text = QString::fromUtf8(refusal.left(16384));
  const auto namedOf = [&text](const QStringList& fields) {
    QStringList named;
    for (const QString& field : fields) {  // xAI calls it presencePenalty
      const QString name = QString(field).replace(u'_', QLatin1String("_?"));
      const QRegularExpression word(QStringLiteral("(?<![A-Za-z0-9_])%1(?![A-Za-z0-9_])").arg(name),
                                    QRegularExpression::CaseInsensitiveOption);
      if (text.contains(word)) named << field;
    }
    return named;
  };
  const QStringList named = namedOf(sent.optional);
  if (text.contains(notTogether) && named.size() > 1) return {named.last()};
  if (text.contains(unknown)) return named;
  return text.contains(outside) && namedOf(sent.neutral).contains(topP) ? QStringList(wholeTopP) : QStringList();
}

}  // namespace minerva::app
