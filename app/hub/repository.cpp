#include "app/hub/repository.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QRegularExpression>
#include <QUrl>

namespace minerva::app {
namespace {

std::unexpected<Error> strange(const char* list, const QJsonParseError& parse) {
  return fail({.kind = ErrorKind::corrupt,
               .what = std::string("the hub's ") + list + " cannot be read",
               .where = {},
               .expected = "JSON as the hub documents it",
               .actual = parse.error == QJsonParseError::NoError ? "JSON with a different structure" : parse.errorString().toStdString(),
               .hint = "a proxy may be answering instead of the hub; check HF_ENDPOINT if it is set"});
}

QStringList texts(const QJsonValue& list) {
  QStringList all;
  for (const QJsonValue& value : list.toArray())
    if (value.isString()) all << value.toString();
  return all;
}

std::unexpected<Error> refusedLink(const char* what, const QString& expected, const QString& actual) {
  return fail({.kind = ErrorKind::invalidArgument,
               .what = what,
               .where = {},
               .expected = expected.toStdString(),
               .actual = actual.toStdString(),
               .hint = "no request was made; HF_ENDPOINT names a mirror of the hub"});
}

// First path components of hub pages that are not models.
const QStringList& notModels() {
  static const QStringList names{QStringLiteral("datasets"), QStringLiteral("spaces"), QStringLiteral("collections"),
                                 QStringLiteral("papers"),   QStringLiteral("blog"),   QStringLiteral("docs"),
                                 QStringLiteral("api"),      QStringLiteral("posts"),  QStringLiteral("settings")};
  return names;
}

// Adds the scheme to a link without one: "//host/...", "hub/...", and "host.tld/a/b", which has too many parts for ORG/REPO, whose
// names may contain dots. A colon after the first part begins a choice.
QString withScheme(const QString& given, const QStringList& hubs) {
  if (given.startsWith(QLatin1String("//"))) return QStringLiteral("https:") + given;
  static const QRegularExpression address(QStringLiteral("^(?!.*\\s)([A-Za-z0-9-]+(?:\\.[A-Za-z0-9-]+)*)(:\\d+)?/([^:]*)"));
  const auto match = address.match(given);
  if (!match.hasMatch()) return given;
  const QString host = match.captured(1).toLower();
  const bool several = match.captured(3).split(QLatin1Char('/'), Qt::SkipEmptyParts).size() > 1;
  const bool hostLike = host.contains(QLatin1Char('.')) || match.hasCaptured(2);
  return hubs.contains(host) || (several && hostLike) ? QStringLiteral("https://") + given : given;
}

// What follows the command of another program that takes a model of the hub; empty if the text is no such line.
QString argumentsIn(const QString& line) {
  static const QRegularExpression command(
      QStringLiteral("^(?:\\$\\s*)?(?:llama(?:-\\w+)?\\s(?:.*\\s)?(?:-hfr?|--hf-repo)[\\s=]|ollama\\s+(?:run|pull)\\s|vllm\\s+serve\\s|"
                     "(?:hf|huggingface-cli)\\s+download\\s|lms\\s+get\\s|minerva\\s+get\\s)(.*)$"),
      QRegularExpression::CaseInsensitiveOption | QRegularExpression::DotMatchesEverythingOption);
  return command.match(line).captured(1);
}

// The hub sends false, "auto" or "manual".
bool isGated(const QJsonValue& gated) { return gated.isString() || gated.toBool(); }

}  // namespace

Result<Repository> repositoryFrom(const QByteArray& json) {
  QJsonParseError parse{};
  const QJsonObject object = QJsonDocument::fromJson(json, &parse).object();
  Repository repository{object[QStringLiteral("id")].toString(object[QStringLiteral("modelId")].toString()),
                        object[QStringLiteral("sha")].toString(), texts(object[QStringLiteral("tags")]),
                        isGated(object[QStringLiteral("gated")])};
  if (!isRepositoryName(repository.name) || !isSafePath(repository.commit)) return strange("description of the model", parse);
  return repository;
}

Result<QList<HubFile>> filesFrom(const QByteArray& json) {
  QJsonParseError parse{};
  const QJsonDocument document = QJsonDocument::fromJson(json, &parse);
  if (!document.isArray()) return strange("list of files", parse);
  QList<HubFile> files;
  for (const QJsonValue& value : document.array()) {
    const QJsonObject entry = value.toObject();
    if (entry[QStringLiteral("type")].toString() != QLatin1String("file")) continue;
    const QJsonObject large = entry[QStringLiteral("lfs")].toObject();
    const auto file =
        hubFileFrom({{QStringLiteral("path"), entry[QStringLiteral("path")]},
                     {QStringLiteral("size"), large.isEmpty() ? entry[QStringLiteral("size")] : large[QStringLiteral("size")]},
                     {QStringLiteral("sha256"), large[QStringLiteral("oid")].toString()},
                     {QStringLiteral("git"), entry[QStringLiteral("oid")]}});
    if (file) files << *file;
  }
  return files;
}

Result<QList<SearchHit>> hitsFrom(const QByteArray& json) {
  QJsonParseError parse{};
  const QJsonDocument document = QJsonDocument::fromJson(json, &parse);
  if (!document.isArray()) return strange("list of models", parse);
  QList<SearchHit> hits;
  for (const QJsonValue& value : document.array()) {
    const QJsonObject entry = value.toObject();
    const QStringList tags = texts(entry[QStringLiteral("tags")]);
    SearchHit hit{.name = entry[QStringLiteral("id")].toString(entry[QStringLiteral("modelId")].toString()),
                  .formats = {},
                  .downloads = entry[QStringLiteral("downloads")].toDouble(),
                  .likes = entry[QStringLiteral("likes")].toDouble(),
                  .gated = isGated(entry[QStringLiteral("gated")])};
    const bool mlx = tags.contains(QLatin1String("mlx")) || entry[QStringLiteral("library_name")].toString() == QLatin1String("mlx");
    if (tags.contains(QLatin1String("gguf"))) hit.formats << QStringLiteral("GGUF");
    if (mlx) hit.formats << QStringLiteral("MLX");
    else if (tags.contains(QLatin1String("safetensors"))) hit.formats << QStringLiteral("SafeTensors");
    if (isRepositoryName(hit.name) && !hit.formats.isEmpty()) hits << hit;
  }
  return hits;
}

Result<std::optional<ModelReference>> referenceFrom(const QString& text, const QUrl& endpoint) {
  const QStringList hosts{endpoint.host(), QStringLiteral("huggingface.co"), QStringLiteral("www.huggingface.co"), QStringLiteral("hf.co")};
  for (QString word : argumentsIn(text.trimmed()).split(QRegularExpression(QStringLiteral("\\s+")), Qt::SkipEmptyParts)) {
    word.remove(QRegularExpression(QStringLiteral("[\"'`]")));
    if (!word.contains(QLatin1Char('/')) || word.startsWith(QLatin1Char('-'))) continue;
    if (auto named = referenceFrom(word, endpoint); !named || *named) return named;
  }
  const QString given = withScheme(text.trimmed(), hosts);
  ModelReference reference;
  QString path = given;
  static const QRegularExpression link(QStringLiteral("^([A-Za-z][A-Za-z0-9+.-]*)://"));
  if (const auto scheme = link.match(given); scheme.hasMatch()) {
    const QUrl url(given);
    if (url.scheme() != QLatin1String("https") && url.scheme() != QLatin1String("http"))
      return refusedLink("this link does not point to a model", QStringLiteral("https://%1/ORG/REPO").arg(hosts.first()), given);
    if (!hosts.contains(url.host())) {
      const bool usual = hosts.first() == hosts[1];
      return refusedLink("this link points to a different host than the hub",
                         usual ? hosts.first() : hosts.first() + QStringLiteral(" or huggingface.co"), url.host());
    }
    // .../ORG/REPO, .../ORG/REPO/tree/REVISION/FOLDER, .../ORG/REPO/blob/REVISION/FILE, .../ORG/REPO/discussions/6
    // Split as written: the slash in refs%2Fpr%2F1 is part of the revision.
    QStringList parts = url.path(QUrl::FullyEncoded).split(QLatin1Char('/'), Qt::SkipEmptyParts);
    for (QString& part : parts) part = QUrl::fromPercentEncoding(part.toUtf8());
    if (parts.size() < 2 || notModels().contains(parts[0]))
      return refusedLink("this link does not point to a model", QStringLiteral("https://%1/ORG/REPO").arg(url.host()), given);
    const qsizetype colon = parts[1].indexOf(QLatin1Char(':'));  // hf.co/ORG/REPO:Q4_K_M
    if (colon > 0) reference.choice = parts[1].mid(colon + 1);
    path = parts[0] + QLatin1Char('/') + parts[1].left(colon);
    static const QStringList withPath{QStringLiteral("tree"), QStringLiteral("blob"), QStringLiteral("resolve"), QStringLiteral("raw"),
                                      QStringLiteral("blame")};
    static const QStringList withoutPath{QStringLiteral("commit"), QStringLiteral("commits")};
    const bool hasPath = withPath.contains(parts.value(2));
    if (parts.size() > 3 && (hasPath || withoutPath.contains(parts[2]))) reference.revision = parts[3];
    if (parts.size() > 4 && hasPath) reference.choice = parts.mid(4).join(QLatin1Char('/'));
  } else if (const qsizetype colon = given.indexOf(QLatin1Char(':')); colon > 0) {
    path = given.left(colon);
    reference.choice = given.mid(colon + 1);
    if (reference.choice.isEmpty()) return std::nullopt;
  }
  if (reference.choice.compare(QLatin1String("latest"), Qt::CaseInsensitive) == 0) reference.choice.clear();  // a tag that means any
  if (!path.contains(QLatin1Char('/')) || !isRepositoryName(path) || !isSafePath(reference.revision)) return std::nullopt;
  if (!reference.choice.isEmpty() && !isSafePath(reference.choice)) return std::nullopt;
  reference.repository = path;
  return reference;
}

}  // namespace minerva::app
