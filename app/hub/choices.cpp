#include "app/hub/choices.h"

#include <QMap>
#include <QRegularExpression>
#include <QSet>

#include <algorithm>
#include <array>

namespace minerva::app {
namespace {

// In order of preference, by the usual trade-off between quality and size.
constexpr std::array preferred{"Q4_K_M", "UD-Q4_K_XL", "MXFP4", "MXFP4_MOE", "Q4_K", "Q4_K_S", "IQ4_XS", "IQ4_NL",
                               "Q4_0",   "Q4_1",       "Q4",    "Q5_K_M",    "Q5_K", "Q5_K_S", "Q6_K",   "Q8_0"};
constexpr double besideWeights = 1.1;  // allowance for KV cache and scratch memory; the header gives an exact figure

QString fileNameOf(const QString& path) { return path.section(QLatin1Char('/'), -1); }
QString folderOf(const QString& path) { return path.contains(QLatin1Char('/')) ? path.section(QLatin1Char('/'), 0, -2) : QString(); }

// Projectors and importance matrices have their word anywhere in the name. Drafters and adapters begin with theirs, because elsewhere it
// says how a whole model was made or what it holds: "Qwen3.6-35B-A3B-MTP-Q4_K_M.gguf", "DRDG-Llama-8B-lora.Q4_K_M.gguf".
bool noChatModel(const QString& name) {
  static const QRegularExpression pattern(
      QStringLiteral("(?:^|[-._])mmproj(?:[-._]|$)|^(?:ggml[-._])?(?:mtp|eagle3?|dflash|dspark|adapter|lora)[-._]"),
      QRegularExpression::CaseInsensitiveOption);
  static const QRegularExpression matrix(QStringLiteral("(?:^|[-._])imatrix(?:[-._]|$)"), QRegularExpression::CaseInsensitiveOption);
  if (pattern.match(name).hasMatch()) return true;
  const auto word = matrix.match(name);  // one in front of a quantization says how that was made
  return word.hasMatch() && (word.capturedStart() == 0 || quantizationOf(name.mid(word.capturedEnd())).isEmpty());
}

QString quantizationOfItem(const DownloadItem& item) {
  const auto weights = std::ranges::find_if(item.files, [](const HubFile& file) { return isWeights(file.path); });
  return weights == item.files.end() ? QString() : quantizationOf(fileNameOf(weights->path));
}

bool isUnquantized(const DownloadItem& item) {
  static const QSet<QString> floats{QStringLiteral("F16"), QStringLiteral("FP16"), QStringLiteral("BF16"), QStringLiteral("F32"),
                                    QStringLiteral("FP32")};
  return floats.contains(quantizationOfItem(item));
}

struct Part {
  QString stem;
  int number = 1, count = 1;
};

Part partOf(const QString& path) {
  static const QRegularExpression pattern(QStringLiteral("^(.*)-(\\d{5})-of-(\\d{5})\\.gguf$"), QRegularExpression::CaseInsensitiveOption);
  const auto match = pattern.match(path);
  if (!match.hasMatch()) return {path.chopped(5)};
  return {match.captured(1), match.captured(2).toInt(), match.captured(3).toInt()};
}

void sortSmallFirst(QList<HubFile>& files) {
  std::ranges::stable_sort(files, [](const HubFile& a, const HubFile& b) {
    return std::tuple(isWeights(a.path), a.path) < std::tuple(isWeights(b.path), b.path);
  });
}

QList<DownloadItem> ggufChoices(const Repository& repository) {
  QMap<std::pair<QString, int>, QList<HubFile>> sets;  // by stem and number of parts: one may be published whole and split
  for (const HubFile& file : repository.files) {
    if (!file.path.endsWith(QLatin1String(".gguf"), Qt::CaseInsensitive) || noChatModel(fileNameOf(file.path))) continue;
    const Part part = partOf(file.path);
    sets[{part.stem, part.count}] << file;
  }
  QMap<QString, QSet<QString>> uses;
  for (auto set = sets.cbegin(); set != sets.cend(); ++set) uses[quantizationOf(fileNameOf(set.key().first))] << set.key().first;
  QList<DownloadItem> items;
  for (auto set = sets.begin(); set != sets.end(); ++set) {
    const auto& [stem, count] = set.key();
    if (set.value().size() != count) continue;
    const QString quantization = quantizationOf(fileNameOf(stem));
    // With several models in one repository the quantization alone is ambiguous.
    QString label = quantization.isEmpty() || uses[quantization].size() > 1 ? stem : quantization;
    if (count > 1 && sets.contains({stem, 1})) label += QStringLiteral("-in-%1-parts").arg(count);
    sortSmallFirst(set.value());
    items << DownloadItem{repository.name, repository.commit, label, QStringLiteral("GGUF"), set.value()};
  }
  return items;
}

bool goesWithWeights(const QString& name) {
  static const QSet<QString> wanted{QStringLiteral("config.json"),
                                    QStringLiteral("generation_config.json"),
                                    QStringLiteral("tokenizer.json"),
                                    QStringLiteral("tokenizer_config.json"),
                                    QStringLiteral("tokenizer.model"),
                                    QStringLiteral("tekken.json"),
                                    QStringLiteral("tiktoken.model"),
                                    QStringLiteral("qwen.tiktoken"),
                                    QStringLiteral("special_tokens_map.json"),
                                    QStringLiteral("added_tokens.json"),
                                    QStringLiteral("vocab.json"),
                                    QStringLiteral("merges.txt"),
                                    QStringLiteral("chat_template.jinja"),
                                    QStringLiteral("chat_template.json"),
                                    QStringLiteral("vocab.txt"),
                                    QStringLiteral("modules.json"),
                                    QStringLiteral("sentence_bert_config.json"),
                                    QStringLiteral("config_sentence_transformers.json")};
  return wanted.contains(name) || name.endsWith(QLatin1String(".safetensors.index.json"));
}

// If weights are published twice (as shards and as one "consolidated" file), returns the "model*" files only.
QList<HubFile> weightsOf(const QList<HubFile>& folder) {
  QList<HubFile> weights, main;
  for (const HubFile& file : folder) {
    if (!isWeights(file.path) || noChatModel(fileNameOf(file.path))) continue;
    weights << file;
    if (fileNameOf(file.path).startsWith(QLatin1String("model"))) main << file;
  }
  return main.isEmpty() ? weights : main;
}

bool hasFile(const QList<HubFile>& folder, QLatin1String name) {
  return std::ranges::any_of(folder, [&](const HubFile& file) { return fileNameOf(file.path) == name; });
}

// An embedding model's modules.json names folders beside it, such as "1_Pooling" and "2_Dense", that belong to the model.
bool isModule(const QString& folder, const QMap<QString, QList<HubFile>>& folders) {
  static const QRegularExpression numbered(QStringLiteral("^\\d+_\\w+$"));
  return numbered.match(fileNameOf(folder)).hasMatch() && hasFile(folders.value(folderOf(folder)), QLatin1String("modules.json"));
}

// A diffusion model's parts have configurations of their own, but none of them chats.
bool drawsPictures(const QString& folder, const QMap<QString, QList<HubFile>>& folders) {
  for (QString at = folder;; at = folderOf(at)) {
    if (hasFile(folders.value(at), QLatin1String("model_index.json"))) return true;
    if (at.isEmpty()) return false;
  }
}

// The template for requests with tools, where it is a file of its own.
bool isToolTemplate(const QString& path, const QString& folder) {
  const QString name = QStringLiteral("additional_chat_templates/tool_use.jinja");
  return path == (folder.isEmpty() ? name : folder + QLatin1Char('/') + name);
}

QList<DownloadItem> folderChoices(const Repository& repository) {
  QMap<QString, QList<HubFile>> folders;
  for (const HubFile& file : repository.files) folders[folderOf(file.path)] << file;
  const bool mlx = repository.tags.contains(QLatin1String("mlx"));
  QList<DownloadItem> items;
  for (auto folder = folders.cbegin(); folder != folders.cend(); ++folder) {
    QList<HubFile> files = weightsOf(folder.value());
    if (files.isEmpty() || !hasFile(folder.value(), QLatin1String("config.json")) || isModule(folder.key(), folders) ||
        drawsPictures(folder.key(), folders))
      continue;
    for (const HubFile& file : folder.value())
      if (goesWithWeights(fileNameOf(file.path))) files << file;
    for (auto other = folders.cbegin(); other != folders.cend(); ++other) {
      if (folderOf(other.key()) != folder.key() || !isModule(other.key(), folders)) continue;
      for (const HubFile& file : other.value())
        if (fileNameOf(file.path) == QLatin1String("config.json") || isWeights(file.path)) files << file;
    }
    for (const HubFile& file : repository.files)
      if (isToolTemplate(file.path, folder.key())) files << file;
    sortSmallFirst(files);
    const QString format = mlx ? QStringLiteral("MLX") : QStringLiteral("SafeTensors");
    items << DownloadItem{repository.name, repository.commit, folder.key().isEmpty() ? format : folder.key(), format, files};
  }
  return items;
}

}  // namespace

bool opensAModel(const QString& fileName) {
  return fileName.endsWith(QLatin1String(".gguf"), Qt::CaseInsensitive) && !noChatModel(fileName) && partOf(fileName).number == 1;
}

QString stemOf(const QString& path) { return partOf(path).stem; }

bool isWeights(const QString& path) {
  return path.endsWith(QLatin1String(".safetensors"), Qt::CaseInsensitive) || path.endsWith(QLatin1String(".gguf"), Qt::CaseInsensitive);
}

QString quantizationOf(const QString& fileName) {
  static const QRegularExpression pattern(
      QStringLiteral("(?:^|[-._])((?:UD-)?(?:IQ[1-4]_(?:XXS|XS|S|M|NL|XL)|Q[1-8]_K(?:_(?:XXL|XL|L|M|S|XS|P))?|Q[1-8]_["
                     "0-9](?:_\\d+)*|TQ[12]_0|MXFP4(?:_MOE)?|NVFP4|BF16|FP?16|FP?32|Q[2-8]))(?=$|[-._])"),
      QRegularExpression::CaseInsensitiveOption);
  QString found;
  for (auto match = pattern.globalMatch(fileName); match.hasNext();) found = match.next().captured(1).toUpper();
  return found;
}

QList<DownloadItem> choicesOf(const Repository& repository) {
  QList<DownloadItem> all = ggufChoices(repository) + folderChoices(repository);
  std::ranges::stable_sort(all, {}, &DownloadItem::bytes);
  return all;
}

int choicesInPieces(const Repository& repository) {
  static const QRegularExpression piece(QStringLiteral("^(.*\\.gguf)(?:\\.part\\d+of\\d+|-split-[a-z])$"),
                                        QRegularExpression::CaseInsensitiveOption);
  QSet<QString> whole;
  for (const HubFile& file : repository.files)
    if (const auto match = piece.match(file.path); match.hasMatch()) whole.insert(match.captured(1));
  return static_cast<int>(whole.size());
}

int recommended(const QList<DownloadItem>& choices, qint64 memory) {
  const auto fits = [memory](const DownloadItem& item) {
    return memory <= 0 || static_cast<double>(item.bytes()) * besideWeights <= static_cast<double>(memory);
  };
  for (const char* one : preferred)
    for (int i = 0; i < choices.size(); ++i)
      if (quantizationOfItem(choices[i]) == QLatin1String(one) && fits(choices[i])) return i;
  int best = -1;  // of an unquantized file and a smaller one, the smaller
  for (int i = 0; i < choices.size(); ++i)
    if (fits(choices[i]) && (best < 0 || !isUnquantized(choices[i]) || isUnquantized(choices[best]))) best = i;
  return best;
}

Result<DownloadItem> chosen(const QList<DownloadItem>& choices, const QString& wanted, const QString& repository) {
  QStringList labels;
  for (const DownloadItem& item : choices) {
    labels << item.label;
    if (item.label.compare(wanted, Qt::CaseInsensitive) == 0) return item;
    for (const HubFile& file : item.files)
      if (isWeights(file.path) && (file.path == wanted || fileNameOf(file.path) == wanted)) return item;
  }
  const QString quantization = wanted.toUpper();  // as other programs take it: "UD-" may be omitted
  const auto has = [&](const DownloadItem& item) {
    const QString its = quantizationOfItem(item);
    return its == quantization || its == QStringLiteral("UD-") + quantization;
  };
  if (!wanted.isEmpty() && std::ranges::count_if(choices, has) == 1) return *std::ranges::find_if(choices, has);
  const auto liesIn = [folder = wanted + QLatin1Char('/')](const DownloadItem& item) {
    return std::ranges::all_of(item.files, [&](const HubFile& file) { return !isWeights(file.path) || file.path.startsWith(folder); });
  };
  if (std::ranges::count_if(choices, liesIn) == 1) return *std::ranges::find_if(choices, liesIn);
  return fail({.kind = ErrorKind::notFound,
               .what = "there is no such choice in this repository",
               .where = repository.toStdString(),
               .expected = labels.isEmpty() ? "a GGUF file, or a folder of SafeTensors files with a config.json"
                                            : labels.join(QStringLiteral(", ")).toStdString(),
               .actual = wanted.toStdString(),
               .hint = {}});
}

}  // namespace minerva::app
