#include "app/compare/compare_labels.h"

#include "app/inference/model_names.h"
#include "app/metrics/speed_series.h"

namespace minerva::app {
namespace {

constexpr std::size_t mostPoints = 48;

}  // namespace

QStringList labelsOf(const std::vector<CompareColumn>& columns) {
  std::vector<NamedModel> models;
  for (const CompareColumn& column : columns) models.push_back({column.model.name, column.model.path});
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
