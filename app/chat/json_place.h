// A value in a JSON file with its path, for error messages. Cheap to copy.
#pragma once

#include "core/base/error.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QJsonValue>
#include <QString>

namespace minerva::app {

class JsonPlace {
 public:
  JsonPlace(QJsonValue value, QString where) : m_value(std::move(value)), m_where(std::move(where)) {}

  [[nodiscard]] const QJsonValue& value() const { return m_value; }
  [[nodiscard]] bool has(const char* key) const { return m_value.isObject() && m_value.toObject().contains(QLatin1String(key)); }
  [[nodiscard]] JsonPlace at(const char* key) const {
    return {m_value.toObject().value(QLatin1String(key)), m_where + QLatin1Char('.') + QLatin1String(key)};
  }
  [[nodiscard]] JsonPlace item(qsizetype index) const { return {m_value.toArray().at(index), m_where + QStringLiteral("[%1]").arg(index)}; }
  [[nodiscard]] qsizetype size() const { return m_value.toArray().size(); }

  // Errors of all functions below: corrupt, with the path, the expected and the actual value.
  [[nodiscard]] Result<QString> text() const;
  [[nodiscard]] Result<qint64> integer() const;
  [[nodiscard]] Result<void> isArray() const;
  [[nodiscard]] Result<void> isObject() const;
  [[nodiscard]] minerva::Error wrong(const char* expected) const;

 private:
  QJsonValue m_value;
  QString m_where;
};

}  // namespace minerva::app
