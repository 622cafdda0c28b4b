#include "app/chat/json_place.h"

#include <cmath>

namespace minerva::app {

Result<QString> JsonPlace::text() const {
  if (!m_value.isString()) return fail(wrong("text"));
  return m_value.toString();
}

Result<qint64> JsonPlace::integer() const {
  const double number = m_value.toDouble(NAN);
  if (!(std::abs(number) < 9e15) || number != std::floor(number)) return fail(wrong("a whole number"));
  return m_value.toInteger();
}

Result<void> JsonPlace::isArray() const {
  if (!m_value.isArray()) return fail(wrong("a list"));
  return {};
}

Result<void> JsonPlace::isObject() const {
  if (!m_value.isObject()) return fail(wrong("an object"));
  return {};
}

minerva::Error JsonPlace::wrong(const char* expected) const {
  QString found;
  switch (m_value.type()) {
    case QJsonValue::Undefined: found = QStringLiteral("nothing"); break;
    case QJsonValue::Null: found = QStringLiteral("null"); break;
    case QJsonValue::Bool: found = m_value.toBool() ? QStringLiteral("true") : QStringLiteral("false"); break;
    case QJsonValue::Double: found = QString::number(m_value.toDouble(), 'g', 17); break;
    case QJsonValue::String: found = QLatin1Char('"') + m_value.toString().left(40) + QLatin1Char('"'); break;
    case QJsonValue::Array: found = QStringLiteral("a list of length %1").arg(size()); break;
    case QJsonValue::Object: found = QStringLiteral("an object"); break;
  }
  return {.kind = ErrorKind::corrupt,
          .what = "this is not a conversation that Minerva can read",
          .where = m_where.toStdString(),
          .expected = expected,
          .actual = found.toStdString(),
          .hint = "nothing was imported"};
}

}  // namespace minerva::app
