#include "app/settings/reply_terms.h"

#include "app/settings/settings.h"

#include <cmath>

namespace minerva::app {

ReplyTerms replyTerms(const Settings& settings, const QVariantMap& over) {
  const auto value = [&](const char* name) {
    const QString key = QString::fromLatin1(name);
    const auto found = over.constFind(key);
    return found == over.constEnd() ? settings.value(key) : *found;
  };
  ReplyTerms terms;
  terms.sampling.temperature = value("temperature").toFloat();
  terms.sampling.topK = value("topK").toInt();
  terms.sampling.topP = value("topP").toFloat();
  terms.sampling.minP = value("minP").toFloat();
  terms.sampling.repeatPenalty = value("repeatPenalty").toFloat();
  terms.sampling.repeatLastN = value("repeatLastN").toInt();
  terms.sampling.seed = static_cast<std::uint64_t>(settings.seed());
  terms.maxTokens = value("maxTokens").toInt();
  terms.systemPrompt = value("systemPrompt").toString().trimmed();
  return terms;
}

QVariantMap settingsFrom(const engine::SamplingOptions& options) {
  // Rounded to a float's significant decimals: 0.3, not 0.30000001.
  const auto number = [](float value) { return QVariant(std::round(static_cast<double>(value) * 1e5) / 1e5); };
  return {{QStringLiteral("temperature"), number(options.temperature)},
          {QStringLiteral("topK"), options.topK},
          {QStringLiteral("topP"), number(options.topP)},
          {QStringLiteral("minP"), number(options.minP)},
          {QStringLiteral("repeatPenalty"), number(options.repeatPenalty)},
          {QStringLiteral("repeatLastN"), options.repeatLastN}};
}

}  // namespace minerva::app
