#include "app/library/model_header.h"

#include "app/text/error_words.h"
#include "core/format/model_file.h"
#include "core/inspect/model_report.h"
#include "core/model/model_config.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <map>

namespace minerva::app {
namespace {

// The element type with the most bytes; for packed MLX weights that is a type such as MLX4_G64_BF16.
QString commonType(const format::ModelFile& file) {
  std::map<std::string, std::size_t> bytes;
  for (const format::NamedTensor& tensor : file.tensors()) bytes[std::string(traits(tensor.view.type).name)] += tensor.view.bytes.size();
  std::size_t most = 0;
  std::string common;
  for (const auto& [type, count] : bytes)
    if (count > most) {
      most = count;
      common = type;
    }
  return QString::fromStdString(common);
}

QString ownString(const format::ModelFile& file, const char* key) {
  const auto value = file.metadata().string(key);
  return value && *value ? QString::fromUtf8((*value)->data(), static_cast<qsizetype>((*value)->size())) : QString();
}

// If the model's configuration is not supported, tensor elements are counted as parameters, but not for MLX.
void readFigures(const format::ModelFile& file, ModelHeader& header) {
  double elements = 0, bytes = 0;
  for (const format::NamedTensor& tensor : file.tensors()) {
    elements += static_cast<double>(tensor.view.shape.elements());
    bytes += static_cast<double>(storedBytes(tensor.view));
  }
  if (const auto config = model::readModelConfig(file)) {
    header.parameters = static_cast<double>(config->parameters);
    header.contextLength = config->contextLength;
    header.embeds = config->embeds() && !config->ranks();
    header.writes = !config->embeds() && !config->ranks();
  } else if (file.format() != format::FileFormat::mlx) {
    header.parameters = elements;
  }
  if (header.parameters > 0) header.bitsPerWeight = 8 * bytes / header.parameters;
}

}  // namespace

QString placeOf(const QString& path) {
  const QFileInfo info(QDir::cleanPath(QFileInfo(path).absoluteFilePath()));
  const QString folder = QFileInfo(info.absolutePath()).canonicalFilePath();
  return folder.isEmpty() ? info.filePath() : QDir(folder).filePath(info.fileName());
}

QString nameFromPath(const QString& path) {
  const QFileInfo info(QDir::cleanPath(path));  // "folder/" has no file name
  const QString name = info.isDir() ? info.fileName() : info.completeBaseName();
  return name.isEmpty() ? path : name;
}

ModelHeader readModelHeader(const QString& path) {
  ModelHeader header;
  header.path = path;
  header.name = nameFromPath(path);
  header.missing = !QFileInfo::exists(path);
  if (header.missing) return header;
  const auto opened = format::ModelFile::open(QFile::encodeName(path).toStdString());
  if (!opened) {
    header.problem = shownSentence(opened.error().what);
    return header;
  }
  const format::ModelFile& file = **opened;
  header.format = QString::fromLatin1(format::name(file.format()));
  header.sizeBytes = static_cast<double>(file.fileBytes());
  if (const QString own = ownString(file, "general.name"); !own.isEmpty()) header.name = own;
  header.family = QString::fromStdString(architectureOf(file));
  header.type = commonType(file);
  readFigures(file, header);
  return header;
}

}  // namespace minerva::app
