#include "app/metrics/history_model.h"

#include "app/inference/model_names.h"
#include "app/metrics/figures.h"
#include "core/base/percentile.h"

#include <algorithm>
#include <cmath>

namespace minerva::app {
namespace {

QString fileKey(const ReplyRecord& record) { return record.model + QLatin1Char('\n') + record.path; }

// Versions of a model in different formats are separate filter choices.
QString modelKey(const ReplyRecord& record) {
  return fileKey(record) + QLatin1Char('\n') + record.format + QLatin1Char('\n') + record.type;
}

QVariantMap choice(const QString& value, const QString& title) {
  return {{QStringLiteral("value"), value}, {QStringLiteral("title"), title}};
}

template <class Key, class Title>
QVariantList choices(const std::vector<ReplyRecord>& records, const QString& all, Key key, Title title) {
  QVariantList list{choice({}, all)};
  QStringList seen;
  for (const ReplyRecord& record : records) {
    const QString value = key(record);
    if (value.isEmpty() || seen.contains(value)) continue;
    seen << value;
    list << choice(value, title(record));
  }
  return list;
}

}  // namespace

QVariantMap figuresOf(const ReplyRecord& r) {
  return {{QStringLiteral("prompt"), r.promptTokens},
          {QStringLiteral("reused"), r.reusedTokens},
          {QStringLiteral("generated"), r.generatedTokens},
          {QStringLiteral("prefill"), r.prefillSpeed},
          {QStringLiteral("decode"), r.decodeSpeed},
          {QStringLiteral("ttft"), r.ttftMs},
          {QStringLiteral("p50"), r.p50},
          {QStringLiteral("p95"), r.p95},
          {QStringLiteral("p99"), r.p99},
          {QStringLiteral("stalls"), r.stalls},
          {QStringLiteral("share"), r.share},
          {QStringLiteral("bandwidth"), r.bandwidth},
          {QStringLiteral("bits"), r.bitsPerWeight},
          {QStringLiteral("modelLoad"), r.modelLoadMs},
          {QStringLiteral("wall"), r.phases.wallMs > 0 ? r.phases.wallMs : notMeasured},
          {QStringLiteral("prefillLow"), r.prefillLow},
          {QStringLiteral("prefillHigh"), r.prefillHigh},
          {QStringLiteral("decodeLow"), r.decodeLow},
          {QStringLiteral("decodeHigh"), r.decodeHigh},
          {QStringLiteral("ttftLow"), r.ttftLow},
          {QStringLiteral("ttftHigh"), r.ttftHigh}};
}

int HistoryModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : count(); }

QVariant HistoryModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const ReplyRecord& record = m_all[m_shown[static_cast<std::size_t>(index.row())]];
  switch (role) {
    case RecordIdRole: return record.id;
    case TimeRole: return Figures::moment(record.created);
    case Qt::DisplayRole:
    case TitleRole: return title(record);
    case FormatRole: return record.format;
    case TypeRole: return record.type;
    case DeviceRole: return record.device;
    case BenchmarkRole: return record.kind == ReplyRecord::Kind::benchmark;
    case RepetitionsRole: return record.repetitions;
    case FiguresRole: return figuresOf(record);
    default: return {};
  }
}

QHash<int, QByteArray> HistoryModel::roleNames() const {
  return {{RecordIdRole, "recordId"}, {TimeRole, "time"},     {TitleRole, "title"},         {FormatRole, "format"},
          {TypeRole, "type"},         {DeviceRole, "device"}, {BenchmarkRole, "benchmark"}, {RepetitionsRole, "repetitions"},
          {FiguresRole, "figures"}};
}

void HistoryModel::reset(std::vector<ReplyRecord> records) {
  m_all = std::move(records);
  nameModels();
  choose();
  Q_EMIT listChanged();
}

void HistoryModel::add(const ReplyRecord& record) {
  const bool shown = passes(record);
  if (shown) beginInsertRows({}, 0, 0);
  m_all.insert(m_all.begin(), record);
  m_all.front().intervals.clear();  // saves memory: the list does not show them
  for (std::size_t& place : m_shown) ++place;
  if (shown) {
    m_shown.insert(m_shown.begin(), 0);
    endInsertRows();
  }
  if (!m_titles.contains(fileKey(record))) {
    nameModels();
    if (count() > 0) Q_EMIT dataChanged(index(0), index(count() - 1), {TitleRole});
  }
  Q_EMIT listChanged();
  Q_EMIT shownChanged();
}

void HistoryModel::nameModels() {
  m_titles.clear();
  QStringList keys;
  std::vector<NamedModel> models;
  for (const ReplyRecord& record : m_all) {
    const QString key = fileKey(record);
    if (m_titles.contains(key)) continue;
    m_titles.insert(key, {});
    keys << key;
    models.push_back({record.model, record.path});
  }
  const QStringList names = tellApart(models);
  for (qsizetype i = 0; i < keys.size(); ++i) m_titles[keys[i]] = names[i];
}

QString HistoryModel::title(const ReplyRecord& record) const { return m_titles.value(fileKey(record), record.model); }

QString HistoryModel::titleWithType(const ReplyRecord& record) const {
  return record.type.isEmpty() ? title(record) : title(record) + QStringLiteral(" · ") + record.format + QLatin1Char(' ') + record.type;
}

QVariantList HistoryModel::models() const {
  return choices(m_all, tr("All models"), modelKey, [this](const ReplyRecord& record) { return titleWithType(record); });
}

QVariantList HistoryModel::devices() const {
  return choices(
      m_all, tr("All devices"), [](const ReplyRecord& r) { return r.deviceId; }, [](const ReplyRecord& r) { return r.device; });
}

QVariantList HistoryModel::points() const {
  QVariantList list;
  for (std::size_t i = std::min<std::size_t>(m_shown.size(), mostPoints); i-- > 0;) {
    const ReplyRecord& r = m_all[m_shown[i]];
    QVariantMap point = figuresOf(r);
    point.insert({{QStringLiteral("recordId"), r.id},
                  {QStringLiteral("title"), titleWithType(r)},
                  {QStringLiteral("format"), r.format},
                  {QStringLiteral("time"), Figures::moment(r.created)},
                  {QStringLiteral("benchmark"), r.kind == ReplyRecord::Kind::benchmark}});
    list << point;
  }
  return list;
}

QVariantMap HistoryModel::medians() const {
  const auto median = [this](double ReplyRecord::*figure) {
    std::vector<double> values;
    for (const std::size_t place : m_shown)
      if (!std::isnan(m_all[place].*figure)) values.push_back(m_all[place].*figure);
    std::sort(values.begin(), values.end());
    return values.empty() ? notMeasured : nearestRank(values, 50);
  };
  return {{QStringLiteral("decode"), median(&ReplyRecord::decodeSpeed)},
          {QStringLiteral("ttft"), median(&ReplyRecord::ttftMs)},
          {QStringLiteral("prefill"), median(&ReplyRecord::prefillSpeed)}};
}

std::vector<ReplyRecord> HistoryModel::shown() const {
  std::vector<ReplyRecord> records;
  records.reserve(m_shown.size());
  for (const std::size_t place : m_shown) records.push_back(m_all[place]);
  return records;
}

bool HistoryModel::passes(const ReplyRecord& record) const {
  return (m_model.isEmpty() || modelKey(record) == m_model) && (m_device.isEmpty() || record.deviceId == m_device) &&
         (!m_benchmarksOnly || record.kind == ReplyRecord::Kind::benchmark);
}

void HistoryModel::choose() {
  beginResetModel();
  m_shown.clear();
  for (std::size_t i = 0; i < m_all.size(); ++i)
    if (passes(m_all[i])) m_shown.push_back(i);
  endResetModel();
  Q_EMIT shownChanged();
}

void HistoryModel::setModel(const QString& model) {
  if (m_model == model) return;
  m_model = model;
  choose();
}

void HistoryModel::setDevice(const QString& device) {
  if (m_device == device) return;
  m_device = device;
  choose();
}

void HistoryModel::setBenchmarksOnly(bool only) {
  if (m_benchmarksOnly == only) return;
  m_benchmarksOnly = only;
  choose();
}

}  // namespace minerva::app
