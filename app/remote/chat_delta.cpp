#include "app/remote/chat_delta.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStringList>
#include <QVariant>

#include <algorithm>
#include <utility>

namespace minerva::app {
namespace {

constexpr qsizetype longestQuote = 300;
constexpr std::size_t mostCalls = 64;

std::string textIn(const QJsonObject& object, const char* name) { return object[QLatin1String(name)].toString().toStdString(); }

// Text, or parts: of Mistral's models that reason, whose thoughts are parts of the content.
void readContent(const QJsonValue& content, ChatDelta& delta) {
  delta.content = content.toString().toStdString();
  for (const QJsonValue& part : content.toArray()) {
    delta.content += part[QLatin1String("text")].toString().toStdString();
    const QJsonValue thought = part[QLatin1String("thinking")];
    delta.reasoning += thought.toString().toStdString();
    for (const QJsonValue& inner : thought.toArray()) delta.reasoning += inner[QLatin1String("text")].toString().toStdString();
  }
}

void readCount(const QJsonObject& object, const char* name, int& count) {
  if (const int given = object[QLatin1String(name)].toInt(-1); given >= 0) count = given;
}

void readUsage(const QJsonObject& event, ServerFigures& figures) {
  const QJsonObject usage = event[QLatin1String("usage")].toObject(), timings = event[QLatin1String("timings")].toObject();
  if (!timings.isEmpty()) {
    int computed = -1, cached = -1;
    readCount(timings, "prompt_n", computed);
    readCount(timings, "cache_n", cached);
    if (computed >= 0) figures.promptTokens = computed + std::max(0, cached);
    if (cached >= 0) figures.cachedTokens = cached;
    readCount(timings, "predicted_n", figures.generatedTokens);
    figures.prefillMs = timings[QLatin1String("prompt_ms")].toDouble(-1);
    figures.prefillTokensPerSecond = timings[QLatin1String("prompt_per_second")].toDouble(-1);
  }
  readCount(usage, "prompt_tokens", figures.promptTokens);
  readCount(usage, "completion_tokens", figures.generatedTokens);
  readCount(usage[QLatin1String("prompt_tokens_details")].toObject(), "cached_tokens", figures.cachedTokens);
  readCount(usage[QLatin1String("completion_tokens_details")].toObject(), "reasoning_tokens", figures.reasoningTokens);
}

void readCalls(const QJsonObject& from, ChatDelta& delta) {
  for (const QJsonValue& value : from[QLatin1String("tool_calls")].toArray()) {
    if (delta.calls.size() >= mostCalls) return;
    const QJsonObject function = value[QLatin1String("function")].toObject();
    const QJsonValue arguments = function[QLatin1String("arguments")];
    CallPart part{.index = value[QLatin1String("index")].toInt(-1),
                  .id = value[QLatin1String("id")].toString().toStdString(),
                  .name = textIn(function, "name"),
                  .arguments = {}};
    part.arguments = arguments.isObject() ? QJsonDocument(arguments.toObject()).toJson(QJsonDocument::Compact).toStdString()
                                          : arguments.toString().toStdString();
    delta.calls.push_back(std::move(part));
  }
}

std::unexpected<Error> notAnEvent(const QByteArray& json) {
  return fail({.kind = ErrorKind::corrupt,
               .what = "The server sent something that is not a piece of a reply",
               .where = {},
               .expected = "a JSON object",
               .actual = QString::fromUtf8(json.left(120)).simplified().toStdString(),
               .hint = "Check the address: it must be that of an OpenAI-compatible interface, usually ending with /v1"});
}

// FastAPI's list of what is wrong with which field: of vLLM, and of Mistral.
QString detailsIn(const QJsonValue& details) {
  QStringList texts;
  for (const QJsonValue& detail : details.toArray()) {
    QStringList place;
    for (const QJsonValue& part : detail[QLatin1String("loc")].toArray()) place << part.toVariant().toString();
    if (place.value(0) == QLatin1String("body")) place.removeFirst();
    const QString message = detail[QLatin1String("msg")].toString();
    if (!message.isEmpty()) texts << (place.isEmpty() ? message : place.join(u'.') + QStringLiteral(": ") + message);
  }
  return texts.join(QStringLiteral("; "));
}

// Empty: it is of none of these forms.
QString saidIn(const QJsonObject& refusal) {
  const QJsonValue error = refusal[QLatin1String("error")], list = refusal[QLatin1String("errors")][0];
  QString said = error.isObject() ? error[QLatin1String("message")].toString() : error.toString();
  for (const QJsonValue& other : {refusal[QLatin1String("message")], refusal[QLatin1String("detail")], list[QLatin1String("message")]})
    if (said.isEmpty()) said = other.toString();
  for (const QJsonValue& details : {refusal[QLatin1String("detail")], refusal[QLatin1String("message")][QLatin1String("detail")]})
    if (said.isEmpty()) said = detailsIn(details);
  // OpenRouter's own message is only that the model's provider refused.
  const QString raw = error[QLatin1String("metadata")][QLatin1String("raw")].toString();
  if (!raw.isEmpty()) said += (said.isEmpty() ? QString() : QStringLiteral(": ")) + refusalIn(raw.toUtf8());
  return said;
}

}  // namespace

Result<ChatDelta> readDelta(const QByteArray& json, ServerFigures& figures) {
  const QJsonDocument document = QJsonDocument::fromJson(json);
  if (!document.isObject()) return notAnEvent(json);
  const QJsonObject event = document.object();
  ChatDelta delta;
  if (const QJsonValue error = event[QLatin1String("error")]; !error.isUndefined() && !error.isNull()) {
    delta.error = refusalIn(json);
    return delta;
  }
  const bool counts = event[QLatin1String("usage")].isObject() || event[QLatin1String("timings")].isObject();
  readUsage(event, figures);
  const QJsonValue choices = event[QLatin1String("choices")];
  delta.isOther = !choices.isArray() && !counts;
  const QJsonObject choice = choices.toArray().first().toObject();  // only one was asked for
  QJsonObject part = choice[QLatin1String("delta")].toObject();
  if (part.isEmpty()) part = choice[QLatin1String("message")].toObject();
  readContent(part[QLatin1String("content")], delta);
  if (delta.reasoning.empty()) delta.reasoning = textIn(part, "reasoning_content");
  if (delta.reasoning.empty()) delta.reasoning = textIn(part, "reasoning");
  if (delta.content.empty()) delta.content = textIn(part, "refusal");
  readCalls(part, delta);
  delta.finish = choice[QLatin1String("finish_reason")].toString();
  return delta;
}

QString refusalIn(const QByteArray& body) {
  const QJsonDocument document = QJsonDocument::fromJson(body);
  // Gemini's refusals are in an array.
  QString said = saidIn(document.isArray() ? document.array().first().toObject() : document.object());
  if (said.isEmpty()) said = QString::fromUtf8(body.left(4 * longestQuote));
  said = said.simplified();
  return said.size() > longestQuote ? said.left(longestQuote) + QStringLiteral("…") : said;
}

void CallCollector::add(const CallPart& part) {
  const auto goesOn = [&](const CallPart& call) {
    if (!part.id.empty() && !call.id.empty()) return part.id == call.id;
    return part.index >= 0 ? part.index == call.index : part.name.empty();
  };
  const auto last = std::find_if(m_parts.rbegin(), m_parts.rend(), goesOn);
  if (last == m_parts.rend()) {
    if (m_parts.size() < mostCalls) m_parts.push_back(part);
    return;
  }
  if (last->name.empty()) last->name = part.name;
  last->arguments += part.arguments;
}

std::vector<text::ToolCall> CallCollector::take() {
  std::vector<text::ToolCall> calls;
  for (const CallPart& part : std::exchange(m_parts, {})) {
    text::ToolCall& call = calls.emplace_back();
    call.name = part.name;
    const QJsonDocument arguments = QJsonDocument::fromJson(QByteArray::fromStdString(part.arguments));
    if (!arguments.isObject()) {
      call.text = part.arguments;
      continue;
    }
    const QJsonObject values = arguments.object();
    for (auto value = values.begin(); value != values.end(); ++value) {
      const QByteArray written = QJsonDocument(QJsonArray{*value}).toJson(QJsonDocument::Compact);
      call.arguments.push_back({value.key().toStdString(), written.mid(1, written.size() - 2).toStdString()});
    }
  }
  return calls;
}

}  // namespace minerva::app
