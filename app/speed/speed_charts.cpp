#include "app/speed/speed_charts.h"

#include "app/inference/model_names.h"
#include "app/metrics/figures.h"
#include "app/text/text.h"
#include "core/speed/chart.h"

#include <QCoreApplication>
#include <QPointF>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace minerva::app {
namespace {

using speed::Json;

struct ChartKey {
  const char* key;
  const char* field;   // of a row and its repetitions
  const char* across;  // field of a row
  const char* other;   // which is the smallest in all points
  const char* title;
};

constexpr ChartKey chartKeys[] = {
    {"decodeByBatch", "decode_tokens_per_second", "batch", "depth",
     QT_TRANSLATE_NOOP("SpeedCharts", "Decode by conversations at the same time")},
    {"prefillByBatch", "prefill_tokens_per_second", "batch", "depth",
     QT_TRANSLATE_NOOP("SpeedCharts", "Prefill by conversations at the same time")},
    {"decodeByDepth", "decode_tokens_per_second", "depth", "batch",
     QT_TRANSLATE_NOOP("SpeedCharts", "Decode by tokens already in the context")},
    {"prefillByDepth", "prefill_tokens_per_second", "depth", "batch",
     QT_TRANSLATE_NOOP("SpeedCharts", "Prefill by tokens already in the context")},
};

QString chartText(const char* source) { return QCoreApplication::translate("SpeedCharts", source); }

QVariantList ticksTo(double most, double& upper) {
  const double step = speed::tickStep(most);
  upper = step * std::max(1.0, std::ceil(most / step - 1e-9));
  QVariantList ticks;
  for (int i = 0; i * step <= upper * (1 + 1e-9); ++i) ticks << i * step;
  return ticks;
}

QVariantMap pointOf(const Json& row, const ChartKey& chart) {
  const double value = row[chart.field].get<double>();
  double low = value, high = value;
  for (const Json& repetition : row["repetitions"]) {
    low = std::min(low, repetition[chart.field].get<double>());
    high = std::max(high, repetition[chart.field].get<double>());
  }
  const double x = row[chart.across].get<double>();
  const QString xText = Figures::integer(x);
  const QString place = QLatin1String(chart.across) == QLatin1String("batch")
                            ? QCoreApplication::translate("SpeedCharts", "%n conversation(s)", nullptr, static_cast<int>(x))
                            : chartText(QT_TRANSLATE_NOOP("SpeedCharts", "%1 tokens in the context")).arg(xText);
  const QString words = chartText(QT_TRANSLATE_NOOP("SpeedCharts", "%1: %2 tok/s (%3 to %4)"))
                            .arg(place, Figures::speed(value), Figures::speed(low), Figures::speed(high));
  return {{QStringLiteral("x"), x},       {QStringLiteral("value"), value}, {QStringLiteral("low"), low},
          {QStringLiteral("high"), high}, {QStringLiteral("xText"), xText}, {QStringLiteral("words"), words}};
}

// The rows of a chart, by ascending x; of several at one x the last one.
std::vector<const Json*> rowsOf(const Json& rows, const ChartKey& chart) {
  int least = std::numeric_limits<int>::max();
  for (const Json& row : rows) least = std::min(least, row[chart.other].get<int>());
  std::map<int, const Json*> byX;
  for (const Json& row : rows)
    if (row[chart.other].get<int>() == least) byX[row[chart.across].get<int>()] = &row;
  std::vector<const Json*> found;
  for (const auto& [x, row] : byX) found.push_back(row);
  return found;
}

QVariantMap chartOf(const std::vector<const Json*>& rows, const ChartKey& chart) {
  QVariantList points;
  QList<QPointF> line;
  QStringList words;
  double most = 0, mostX = 0;
  for (const Json* row : rows) {
    const QVariantMap point = pointOf(*row, chart);
    points << point;
    line << QPointF(point[QStringLiteral("x")].toDouble(), point[QStringLiteral("value")].toDouble());
    words << point[QStringLiteral("words")].toString();
    most = std::max(most, point[QStringLiteral("high")].toDouble());
    mostX = std::max(mostX, point[QStringLiteral("x")].toDouble());
  }
  double upper = 1, upperX = 1;
  const QVariantList ticks = ticksTo(most, upper), ticksX = ticksTo(mostX, upperX);
  const QString title = chartText(chart.title);
  return {{QStringLiteral("key"), QLatin1String(chart.key)},
          {QStringLiteral("title"), title},
          {QStringLiteral("across"), QLatin1String(chart.across)},
          {QStringLiteral("most"), upper},
          {QStringLiteral("ticks"), ticks},
          {QStringLiteral("mostX"), upperX},
          {QStringLiteral("ticksX"), ticksX},
          {QStringLiteral("line"), QVariant::fromValue(line)},
          {QStringLiteral("points"), points},
          {QStringLiteral("words"), title + QStringLiteral(": ") + words.join(QStringLiteral("; "))}};
}

}  // namespace

QVariantList speedCharts(const speed::SpeedReport& report) {
  QVariantList charts;
  for (const ChartKey& chart : chartKeys) {
    const std::vector<const Json*> rows = rowsOf(report.rows, chart);
    if (rows.size() > 1) charts << chartOf(rows, chart);
  }
  return charts;
}

QVariantList speedTable(const speed::SpeedReport& report) {
  QVariantList rows;
  for (const Json& row : report.rows) {
    const Json& share = row["bandwidth_share"];
    const bool known = share.is_number() && share.get<double>() > 0;
    rows << QVariantMap{{QStringLiteral("batch"), row["batch"].get<int>()},
                        {QStringLiteral("depth"), row["depth"].get<int>()},
                        {QStringLiteral("prefill"), row["prefill_tokens_per_second"].get<double>()},
                        {QStringLiteral("decode"), row["decode_tokens_per_second"].get<double>()},
                        {QStringLiteral("ttft"), row["ttft_ms"].get<double>()},
                        {QStringLiteral("tpot"), row["tpot_ms"]["p50"].get<double>()},
                        {QStringLiteral("tpot95"), row["tpot_ms"]["p95"].get<double>()},
                        {QStringLiteral("share"), known ? share.get<double>() : std::nan("")}};
  }
  return rows;
}

QVariantMap speedSubject(const speed::SpeedReport& report) {
  if (report.rows.empty()) return {};
  const Json& row = report.rows.front();
  const auto field = [&row](const char* name) { return text(row[name].get<std::string>()); };
  const QString detail = field("device_detail");
  return {{QStringLiteral("model"), field("model")},
          {QStringLiteral("format"), field("format")},
          {QStringLiteral("type"), shownType(field("type"))},
          {QStringLiteral("device"), field("device_name") + (detail.isEmpty() ? QString() : QStringLiteral(" · ") + detail)},
          {QStringLiteral("prompt"), row["prompt"].get<int>()},
          {QStringLiteral("generate"), row["generate"].get<int>()},
          {QStringLiteral("repetitions"), static_cast<int>(row["repetitions"].size())},
          {QStringLiteral("disturbed"), report.machine.disturbed},
          {QStringLiteral("machine"), text(speed::toText(report.machine))}};
}

}  // namespace minerva::app
