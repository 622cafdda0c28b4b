#include "app/compare/compare_labels.h"

#include "app/inference/model_names.h"
#include "app/metrics/speed_series.h"

namespace minerva::app {
namespace {

constexpr std::size_t mostPoints = 48;

}  // namespace

QString shownNameOf(const CompareModel& model) {
  return model.server.isEmpty() ? model.name : QStringLiteral("%1 · %2").arg(model.name, model.server);
}

QStringList labelsOf(const std::vector<CompareColumn>& columns) {
  std::vector<NamedModel> models;
  for (const CompareColumn& column : columns) models.push_back({shownNameOf(column.model), column.model.path});
  return tellApart(models);
}

QList<QPointF> speedsOf(const std::vector<double>& intervals) {
  std::vector<TimePoint> tokens{TimePoint{}};
  double ms = 0;
  for (const double interval : intervals) {
    ms += interval;
    tokens.push_back(TimePoint{} + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double, std::milli>(ms)));
  }
  return speedSeries(tokens, mostPoints);
}

}  // namespace minerva::app
