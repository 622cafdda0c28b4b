#include "app/inference/model_names.h"

#include <QHash>
#include <QRegularExpression>
#include <QSet>

#include <algorithm>

namespace minerva::app {
namespace {

// Removes the extension and the shard suffix "-00001-of-00003".
QString modelFileStem(const QString& fileName) {
  static const QRegularExpression ending(QStringLiteral("(-\\d{5}-of-\\d{5})?\\.(gguf|safetensors)$"),
                                         QRegularExpression::CaseInsensitiveOption);
  const QString stem = QString(fileName).remove(ending);
  return stem.isEmpty() ? fileName : stem;
}

QString lettersAndDigitsOf(const QString& text) {
  QString letters;
  for (const QChar c : text)
    if (c.isLetterOrNumber()) letters += c.toLower();
  return letters;
}

// detail 0: the name; 1: plus the file name; 2: plus its extension; n >= 3: plus n - 2 parent folders.
QString describeInDetail(const NamedModel& model, int detail) {
  const QStringList parts = model.path.split(QLatin1Char('/'), Qt::SkipEmptyParts);
  const QString file = parts.isEmpty() ? model.path : parts.last();
  const QString name = model.name.trimmed().isEmpty() ? modelFileStem(file) : model.name.trimmed();
  if (detail == 0 || file.isEmpty()) return name;
  const QString place =
      detail == 1 ? modelFileStem(file) : parts.mid(std::max<qsizetype>(0, parts.size() - detail + 1)).join(QLatin1Char('/'));
  const bool saysTheName = lettersAndDigitsOf(modelFileStem(file)).contains(lettersAndDigitsOf(name));
  return saysTheName ? place : name + QStringLiteral(" · ") + place;
}

int mostDetail(const NamedModel& model) { return static_cast<int>(model.path.count(QLatin1Char('/'))) + 2; }

}  // namespace

QStringList tellApart(const std::vector<NamedModel>& models) {
  std::vector<int> detail(models.size(), 0);
  QStringList texts;
  for (bool finer = true; finer;) {
    finer = false;
    texts.clear();
    QHash<QString, QSet<QString>> paths;  // by text
    for (std::size_t i = 0; i < models.size(); ++i) {
      texts << describeInDetail(models[i], detail[i]);
      paths[texts.last().toCaseFolded()].insert(models[i].path);
    }
    for (std::size_t i = 0; i < models.size(); ++i) {
      if (paths[texts[static_cast<qsizetype>(i)].toCaseFolded()].size() < 2 || detail[i] >= mostDetail(models[i])) continue;
      ++detail[i];
      finer = true;
    }
  }
  QHash<QString, int> seen;
  for (QString& text : texts)
    if (const int before = seen[text]++; before > 0) text += QStringLiteral(" (%1)").arg(before + 1);
  return texts;
}

QString shownType(const QString& typeName) {
  static const QRegularExpression mlx(QStringLiteral("^MLX(\\d)_G(\\d+)_"));
  const auto match = mlx.match(typeName);
  return match.hasMatch() ? match.captured(1) + QStringLiteral("-bit g") + match.captured(2) : typeName;
}

}  // namespace minerva::app
