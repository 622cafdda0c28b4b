#include "app/hub/hub_client.h"

#include <QUrlQuery>

#include <array>

namespace minerva::app {
namespace {

constexpr int mostHits = 50;
constexpr qsizetype mostFiles = 100'000;
constexpr int mostPages = 1000;  // of which some may have only folders
// Of a hit, asked for by name because the hub leaves out `gated` otherwise.
constexpr std::array hitFields{"tags", "downloads", "likes", "gated", "library_name"};

}  // namespace

HubClient::~HubClient() = default;

void HubClient::stop() {
  for (const auto& stream : m_streams) stream->stop();
}

void HubClient::ask(const QUrl& url, const QString& why, Answer answer) {
  std::erase_if(m_streams, [](const auto& stream) { return stream->property("ended").toBool(); });
  struct Heard {
    QByteArray body;
    HubHead head;
  };
  const auto heard = std::make_shared<Heard>();
  const auto head = [heard](const HubHead& said) -> Result<void> {
    heard->head = said;
    return {};
  };
  const auto take = [heard](const QByteArray& body) -> Result<void> {
    heard->body = body;
    return {};
  };
  auto stream = std::make_unique<HubStream>(m_network, HubStream::Order{.url = url, .why = why, .ranged = false}, head, take);
  connect(stream.get(), &HubStream::ended, this, [this, heard, answer, ended = stream.get()](const std::optional<Error>& error) {
    ended->setProperty("ended", true);
    // Deferred, since the callback may start another query, which would destroy the stream that is emitting this signal.
    const auto tell = [heard, answer, error] {
      if (error) answer(fail(*error), heard->head);
      else answer(heard->body, heard->head);
    };
    QMetaObject::invokeMethod(this, tell, Qt::QueuedConnection);
  });
  connect(stream.get(), &HubStream::waiting, this, &HubClient::waiting);
  connect(stream.get(), &HubStream::answered, this, &HubClient::answered);
  stream->start();
  m_streams.push_back(std::move(stream));
}

void HubClient::search(const QString& text, Hits answer) {
  QUrlQuery query;
  query.addQueryItem(QStringLiteral("search"), QString::fromLatin1(QUrl::toPercentEncoding(text)));
  query.addQueryItem(QStringLiteral("sort"), QStringLiteral("downloads"));
  query.addQueryItem(QStringLiteral("direction"), QStringLiteral("-1"));
  query.addQueryItem(QStringLiteral("limit"), QString::number(mostHits));
  for (const char* field : hitFields) query.addQueryItem(QStringLiteral("expand[]"), QString::fromLatin1(field));
  ask(m_network->access.api(QStringLiteral("models"), query.toString(QUrl::FullyEncoded)), QStringLiteral("search"),
      [answer](const Result<QByteArray>& body, const HubHead&) {
        if (body) answer(hitsFrom(*body));
        else answer(fail(body.error()));
      });
}

void HubClient::repository(const QString& name, const QString& revision, Files answer) {
  const QString path = QStringLiteral("models/") + name;
  ask(m_network->access.revision(path, revision), QStringLiteral("model"),
      [this, answer, path](const Result<QByteArray>& body, const HubHead&) {
        if (!body) return answer(fail(body.error()));
        auto repository = repositoryFrom(*body);
        if (!repository) return answer(fail(repository.error()));
        const QString tree = QStringLiteral("models/%1/tree/%2").arg(repository->name, repository->commit);
        nextPage(std::make_shared<Repository>(std::move(*repository)), m_network->access.api(tree, QStringLiteral("recursive=true")), 1,
                 answer);
      });
}

void HubClient::nextPage(std::shared_ptr<Repository> repository, const QUrl& url, int page, Files answer) {
  ask(url, QStringLiteral("files"), [this, repository, answer, url, page](const Result<QByteArray>& body, const HubHead& head) {
    if (!body) return answer(fail(body.error()));
    auto files = filesFrom(*body);
    if (!files) return answer(fail(files.error()));
    repository->files += *files;
    const QUrl next = head.nextPage.isEmpty() ? QUrl() : url.resolved(QUrl::fromEncoded(head.nextPage));
    const bool more = m_network->access.isHub(next) && repository->files.size() < mostFiles && page < mostPages;
    if (more) nextPage(repository, next, page + 1, answer);
    else answer(*repository);
  });
}

}  // namespace minerva::app
