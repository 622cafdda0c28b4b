#include "app/compare/builtin_twins.h"

#include "core/convert/mlx_folder.h"
#include "core/format/model_file.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>

namespace minerva::app {
namespace {

std::filesystem::path native(const QString& path) { return QFile::encodeName(path).toStdString(); }

// Each version of the built-in model has its own folder.
QString folderFor(const QString& builtIn, const QString& folder) {
  const QFileInfo weights(builtIn + QStringLiteral("/model.safetensors"));
  return folder + QStringLiteral("/built-in-%1-%2").arg(weights.size()).arg(weights.lastModified().toSecsSinceEpoch());
}

}  // namespace

Result<std::vector<CompareModel>> builtInTwins(const QString& builtIn, const QString& folder, const std::stop_token& stop) {
  MINERVA_ASSIGN(const auto model, format::ModelFile::open(native(builtIn)));
  const QString place = folderFor(builtIn, folder), name = QCoreApplication::translate("BuiltInTwins", "Minerva built-in");
  if (!QDir().mkpath(place))
    return fail({.kind = ErrorKind::io,
                 .what = "the folder for copies cannot be created",
                 .where = place.toStdString(),
                 .hint = "check that it can be written to"});
  const QString gguf = place + QStringLiteral("/Q8_0.gguf"), mlx = place + QStringLiteral("/mlx-4bit");
  if (!QFileInfo::exists(gguf))
    MINERVA_TRY(convert::convertToGguf(*model, native(gguf), {.type = "q8_0", .threads = 0, .progress = {}, .cancel = stop}));
  if (!QFileInfo::exists(mlx)) MINERVA_TRY(convert::convertToMlx(*model, native(mlx), {.cancel = stop}));
  const auto twin = [&](const QString& path, const char* format, const char* type) {
    return CompareModel{path, name + QLatin1Char(' ') + QLatin1String(type), QString::fromLatin1(format), QString::fromLatin1(type)};
  };
  return std::vector<CompareModel>{twin(builtIn, "SafeTensors", "BF16"), twin(gguf, "GGUF", "Q8_0"), twin(mlx, "MLX", "4-bit g64")};
}

}  // namespace minerva::app
