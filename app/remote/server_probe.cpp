#include "app/remote/server_probe.h"

#include "app/remote/remote_refusal.h"
#include "app/remote/server_address.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSet>
#include <QSslError>

#include <array>

namespace minerva::app {
namespace {

constexpr qsizetype mostListBytes = 8 << 20;
constexpr qsizetype mostModels = 2000, longestModelId = 512;

struct OwnerRow {
  const char* owner;  // of `owned_by`
  const char* kind;
};
constexpr std::array ownerTable{OwnerRow{"vllm", "vLLM"},        OwnerRow{"llamacpp", "llama-server"},
                                OwnerRow{"library", "Ollama"},   OwnerRow{"minerva", "Minerva"},
                                OwnerRow{"sglang", "SGLang"},    OwnerRow{"organization_owner", "LM Studio"},
                                OwnerRow{"tabbyAPI", "TabbyAPI"}};

// The length in use, if the server tells it, else the model's longest.
int contextOf(const QJsonObject& model) {
  const QJsonObject meta = model[QLatin1String("meta")].toObject();
  for (const QJsonValue& value :
       {model[QLatin1String("max_model_len")], model[QLatin1String("loaded_context_length")], meta[QLatin1String("n_ctx")],
        model[QLatin1String("context_length")], model[QLatin1String("context_window")], model[QLatin1String("max_context_length")],
        meta[QLatin1String("n_ctx_train")]})
    if (const int length = value.toInt(0); length > 0) return length;
  return 0;
}

std::unexpected<Error> notAList(const QByteArray& json) {
  return fail({.kind = ErrorKind::corrupt,
               .what = "What answers at this address does not list models",
               .where = {},
               .expected = "a JSON object with \"data\"",
               .actual = json.isEmpty() ? "nothing" : QString::fromUtf8(json.left(100)).simplified().toStdString(),
               .hint = "Check the path; the address of an OpenAI-compatible interface usually ends with /v1"});
}

}  // namespace

Result<FoundModels> readModels(const QByteArray& json, const QByteArray& serverHeader) {
  const QJsonDocument document = QJsonDocument::fromJson(json);
  const QJsonValue data = document.object()[QLatin1String("data")];
  if (!document.isArray() && !data.isArray() && !(data.isNull() && document.object().contains(QLatin1String("data"))))
    return notAList(json);
  FoundModels found;
  if (serverHeader.startsWith("llama.cpp")) found.kind = QStringLiteral("llama-server");
  QSet<QString> seen;
  for (const QJsonValue& value : document.isArray() ? document.array() : data.toArray()) {
    const QString id = value[QLatin1String("id")].toString();
    if (id.isEmpty() || id.size() > longestModelId || seen.contains(id) || found.models.size() >= mostModels) continue;
    seen.insert(id);
    found.models.push_back({.id = id, .context = contextOf(value.toObject())});
    for (const OwnerRow& row : ownerTable)
      if (value[QLatin1String("owned_by")].toString() == QLatin1String(row.owner)) found.kind = QString::fromLatin1(row.kind);
  }
  if (!found.models.isEmpty()) return found;
  return fail({.kind = ErrorKind::notFound,
               .what = "The server answers, but has no models",
               .where = {},
               .expected = {},
               .actual = {},
               .hint = "Load or download one there, and look again"});
}

ServerProbe::ServerProbe(HubNetwork* network, const QUrl& server, const QByteArray& key, Then then, QObject* parent)
    : QObject(parent), m_network(network), m_server(server), m_key(key), m_then(std::move(then)) {
  m_limit.setSingleShot(true);
  connect(&m_limit, &QTimer::timeout, this, [this] {
    end(fail({.kind = ErrorKind::limit,
              .what = "The server does not answer",
              .where = below(m_server, QStringLiteral("models")).toString().toStdString(),
              .expected = "a list of models within " + std::to_string(m_limit.interval() / 1000) + " s",
              .actual = std::to_string(m_body.size()) + " bytes",
              .hint = "Check the address, and whether the server is still starting"}));
  });
}

ServerProbe::~ServerProbe() { abandon(m_reply, this); }

void ServerProbe::start(int waitMs) {
  const QUrl url = below(m_server, QStringLiteral("models"));
  std::optional<Error> refusal = m_network->refusalTo(url);
  if (!refusal && !m_key.isEmpty()) refusal = exposesKey(url);
  if (refusal) {  // not within start(): callers expect an answer from the event loop
    QMetaObject::invokeMethod(
        this, [this, refusal] { end(fail(*refusal)); }, Qt::QueuedConnection);
    return;
  }
  m_reply = m_network->send({.url = url, .why = QStringLiteral("list of models"), .key = m_key, .json = std::nullopt});
  connect(m_reply, &QNetworkReply::sslErrors, this,
          [this](const QList<QSslError>& errors) { m_certificate = errors.first().errorString(); });
  connect(m_reply, &QNetworkReply::readyRead, this, &ServerProbe::readSome);
  connect(m_reply, &QNetworkReply::finished, this, &ServerProbe::finished);
  m_limit.start(waitMs);
}

void ServerProbe::readSome() {
  if (!m_reply) return;
  m_body += m_reply->readAll();
  m_reply->setProperty("received", m_body.size());
  if (m_body.size() <= mostListBytes) return;
  end(fail({.kind = ErrorKind::limit,
            .what = "The server's list of models is too long",
            .where = below(m_server, QStringLiteral("models")).toString().toStdString(),
            .expected = "at most " + std::to_string(mostListBytes) + " bytes",
            .actual = "more",
            .hint = "Check the address"}));
}

void ServerProbe::finished() {
  readSome();
  if (!m_reply) return;
  ServerAnswer answer = serverAnswerOf(*m_reply);
  if (answer.status >= 200 && answer.status < 300 && m_reply->error() == QNetworkReply::NoError)
    return end(readModels(m_body, m_reply->rawHeader("Server")));
  answer.certificate = m_certificate;
  answer.body = m_body;
  answer.keySent = !m_key.isEmpty();
  end(fail(explainServer(answer)));
}

void ServerProbe::end(const Result<FoundModels>& found) {
  m_limit.stop();
  abandon(m_reply, this);
  if (const Then then = std::exchange(m_then, {})) then(found);
}

}  // namespace minerva::app
