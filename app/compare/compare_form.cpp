// The part of CompareController about what was chosen and typed and not run, which is there again at the next start.
#include "app/compare/compare_controller.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace minerva::app {

QString CompareController::kept() const {
  const Form now = m_form ? *m_form : form();
  if (now.models.empty() && now.prompt.isEmpty()) return {};
  QJsonArray models;
  for (const CompareModel& model : now.models)
    models.append(QJsonObject{{QStringLiteral("path"), model.path},
                              {QStringLiteral("name"), model.name},
                              {QStringLiteral("format"), model.format},
                              {QStringLiteral("type"), model.type},
                              {QStringLiteral("server"), model.server}});
  const QJsonObject all{{QStringLiteral("prompt"), now.prompt},
                        {QStringLiteral("models"), models},
                        {QStringLiteral("side_by_side"), now.interleaved},
                        {QStringLiteral("greedy"), now.greedy},
                        {QStringLiteral("tokens"), now.maxTokens}};
  return QString::fromUtf8(QJsonDocument(all).toJson(QJsonDocument::Compact));
}

void CompareController::restore(const QString& kept) {
  const QJsonObject all = QJsonDocument::fromJson(kept.toUtf8()).object();
  if (all.isEmpty()) return;
  setPrompt(all[QStringLiteral("prompt")].toString());
  m_interleaved = all[QStringLiteral("side_by_side")].toBool(m_interleaved);
  m_greedy = all[QStringLiteral("greedy")].toBool(m_greedy);
  setMaxTokens(all[QStringLiteral("tokens")].toInt(m_maxTokens));
  for (const QJsonValue& value : all[QStringLiteral("models")].toArray()) {
    const auto text = [&value](const char* key) { return value[QLatin1String(key)].toString(); };
    if (text("path").isEmpty()) continue;
    if (text("server").isEmpty()) addModel(text("path"), text("name"), text("format"), text("type"));
    else addOfServer(text("path"));
  }
}

}  // namespace minerva::app
