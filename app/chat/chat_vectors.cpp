// The vectors of messages in the store, and the search among them: every vector is compared, which takes 0.35 s for 100,000 of 768.
#include "app/chat/chat_store.h"

#include <QHash>
#include <QVariant>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace minerva::app {
namespace {

constexpr const char* embeddable = "m.status NOT IN ('waiting', 'streaming') AND trim(m.text) <> '' AND c.deleted = 0";

// Rounds to nearest; vectors have elements of about 1 at most, so larger ones than a half float has are its largest.
quint16 halfFrom(float value) {
  const auto sign = static_cast<quint16>(std::signbit(value) ? 0x8000 : 0);
  const float scaled = std::min(std::abs(value), 65504.0F) * 0x1p-112F;  // the exponent is now biased as a half's
  const auto bits = std::bit_cast<quint32>(scaled);
  return static_cast<quint16>(sign | ((bits + 0xFFF + ((bits >> 13) & 1)) >> 13));
}

float floatFrom(quint16 half) {
  const float magnitude = std::bit_cast<float>(static_cast<quint32>(half & 0x7FFF) << 13) * 0x1p112F;
  return (half & 0x8000) != 0 ? -magnitude : magnitude;
}

// Every half as a float: a look-up is faster than the conversion.
const std::vector<float>& allHalves() {
  static const std::vector<float> table = [] {
    std::vector<float> values(65536);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = floatFrom(static_cast<quint16>(i));
    return values;
  }();
  return table;
}

float dotProduct(const QByteArray& halves, const std::vector<float>& query, const std::vector<float>& table) {
  constexpr std::size_t lanes = 8;
  std::array<float, lanes> sums{};
  const auto at = [&](std::size_t i) {
    quint16 half = 0;
    std::memcpy(&half, halves.constData() + 2 * i, sizeof half);
    return table[half] * query[i];
  };
  std::size_t i = 0;
  for (; i + lanes <= query.size(); i += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += at(i + lane);
  for (; i < query.size(); ++i) sums[0] += at(i);
  float sum = 0;
  for (const float part : sums) sum += part;
  return sum;
}

}  // namespace

Result<std::vector<TextToEmbed>> ChatStore::withoutVector(const QString& model, int most) {
  std::vector<TextToEmbed> texts;
  MINERVA_TRY(
      m_file->each(QStringLiteral("SELECT m.id, m.conversation, m.text FROM messages m JOIN conversations c ON c.id = m.conversation "
                                  "LEFT JOIN message_vectors v ON v.message = m.id AND v.model = ? "
                                  "WHERE v.message IS NULL AND %1 ORDER BY m.id LIMIT ?")
                       .arg(QLatin1String(embeddable)),
                   {model, most}, [&](const QSqlQuery& row) {
                     texts.push_back({row.value(0).toLongLong(), row.value(1).toLongLong(), row.value(2).toString()});
                   }));
  return texts;
}

Result<VectorCount> ChatStore::countVectors(const QString& model) {
  VectorCount count;
  MINERVA_TRY(m_file->each(QStringLiteral("SELECT count(*), count(v.message) FROM messages m JOIN conversations c ON c.id = m.conversation "
                                          "LEFT JOIN message_vectors v ON v.message = m.id AND v.model = ? WHERE %1")
                               .arg(QLatin1String(embeddable)),
                           {model}, [&](const QSqlQuery& row) { count = {.done = row.value(1).toInt(), .total = row.value(0).toInt()}; }));
  return count;
}

Result<void> ChatStore::saveVectors(const QString& model, const std::vector<TextToEmbed>& texts, const std::vector<float>& vectors,
                                    int dimensions) {
  const auto width = static_cast<std::size_t>(dimensions);
  Q_ASSERT(vectors.size() == texts.size() * width);
  return m_file->together([&]() -> Result<void> {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      QByteArray halves(static_cast<qsizetype>(2 * width), Qt::Uninitialized);
      for (std::size_t k = 0; k < width; ++k) {
        const quint16 half = halfFrom(vectors[i * width + k]);
        std::memcpy(halves.data() + 2 * k, &half, sizeof half);
      }
      // As it is read: half a surrogate pair is kept in the file, but read as a replacement character.
      MINERVA_ASSIGN(const QString now, textOf(texts[i].message));
      if (now != texts[i].text) continue;
      MINERVA_TRY(m_file->run(QStringLiteral("INSERT OR REPLACE INTO message_vectors (message, conversation, model, vector) "
                                             "SELECT id, conversation, ?, ? FROM messages WHERE id = ?"),
                              {model, halves, texts[i].message}));
    }
    return {};
  });
}

Result<void> ChatStore::forgetVectors(const QString& exceptOf) {
  return m_file->run(QStringLiteral("DELETE FROM message_vectors WHERE model <> ?"), {filled(exceptOf)});
}

Result<std::vector<NearMessage>> ChatStore::nearest(const QString& model, const std::vector<float>& query) {
  const auto bytes = static_cast<qsizetype>(2 * query.size());
  const std::vector<float>& table = allHalves();
  QHash<qint64, NearMessage> best;  // by conversation
  MINERVA_TRY(m_file->each(QStringLiteral("SELECT message, conversation, vector FROM message_vectors WHERE model = ? AND conversation IN "
                                          "(SELECT id FROM conversations WHERE deleted = 0)"),
                           {model}, [&](const QSqlQuery& row) {
                             const QByteArray halves = row.value(2).toByteArray();
                             if (halves.size() != bytes) return;
                             const float score = dotProduct(halves, query, table);
                             const qint64 conversation = row.value(1).toLongLong();
                             NearMessage& found = best[conversation];
                             if (std::isfinite(score) && (found.message == 0 || score > found.score))
                               found = {.conversation = conversation, .message = row.value(0).toLongLong(), .score = score};
                           }));
  std::vector<NearMessage> all;
  for (const NearMessage& found : best)
    if (found.message != 0) all.push_back(found);
  std::sort(all.begin(), all.end(),
            [](const NearMessage& a, const NearMessage& b) { return a.score != b.score ? a.score > b.score : a.message > b.message; });
  return all;
}

Result<QString> ChatStore::textOf(qint64 message) {
  QString text;
  MINERVA_TRY(m_file->each(QStringLiteral("SELECT text FROM messages WHERE id = ?"), {message},
                           [&](const QSqlQuery& row) { text = row.value(0).toString(); }));
  return text;
}

}  // namespace minerva::app
