#include "app/library/twins.h"

#include "app/hub/choices.h"

#include <QRegularExpression>
#include <QSet>

#include <algorithm>
#include <cmath>

namespace minerva::app {
namespace {

constexpr double sameParameters = 0.05;  // tolerance: tied embeddings are stored once or twice

}  // namespace

QString baseNameOf(const QString& name) {
  static const QRegularExpression ending(QStringLiteral("(-\\d{5}-of-\\d{5})?\\.(gguf|safetensors)$"),
                                         QRegularExpression::CaseInsensitiveOption);
  static const QRegularExpression between(QStringLiteral("[^\\p{L}\\p{N}]+"));
  static const QSet<QString> ofFormats{
      QStringLiteral("gguf"), QStringLiteral("mlx"),   QStringLiteral("safetensors"), QStringLiteral("2bit"), QStringLiteral("3bit"),
      QStringLiteral("4bit"), QStringLiteral("5bit"),  QStringLiteral("6bit"),        QStringLiteral("8bit"), QStringLiteral("bf16"),
      QStringLiteral("fp16"), QStringLiteral("f16"),   QStringLiteral("fp32"),        QStringLiteral("f32"),  QStringLiteral("i1"),
      QStringLiteral("imat"), QStringLiteral("mxfp4"), QStringLiteral("fp8"),         QStringLiteral("gptq"), QStringLiteral("awq"),
      QStringLiteral("hf"),   QStringLiteral("qat")};
  QString base = name.section(QLatin1Char('/'), -1).remove(ending);
  if (const QString quantization = quantizationOf(base); !quantization.isEmpty())
    base.remove(base.lastIndexOf(quantization, -1, Qt::CaseInsensitive), quantization.size());
  QStringList words = base.toLower().split(between, Qt::SkipEmptyParts);
  words.removeIf([](const QString& word) { return ofFormats.contains(word); });
  return words.join(QLatin1Char(' '));
}

bool areTwins(const TwinFacts& a, const TwinFacts& b) {
  if (a.base.isEmpty() || a.base != b.base) return false;
  if (!a.family.isEmpty() && !b.family.isEmpty() && a.family != b.family) return false;
  const double larger = std::max(a.parameters, b.parameters);
  return a.parameters <= 0 || b.parameters <= 0 || std::abs(a.parameters - b.parameters) <= sameParameters * larger;
}

}  // namespace minerva::app
