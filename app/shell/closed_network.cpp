#include "app/shell/closed_network.h"

#include <QNetworkAccessManager>
#include <QNetworkRequest>
#include <QQmlEngine>
#include <QQmlNetworkAccessManagerFactory>

namespace minerva::app {
namespace {

class ClosedNetwork : public QNetworkAccessManager {
 public:
  using QNetworkAccessManager::QNetworkAccessManager;

 private:
  QNetworkReply* createRequest(Operation operation, const QNetworkRequest& request, QIODevice*) override {
    qWarning("%s%s and was refused: displayed content must not use the network", refusedRequest,
             qPrintable(request.url().toDisplayString()));
    return QNetworkAccessManager::createRequest(operation, QNetworkRequest(), nullptr);  // fails at once, without a URL
  }
};

// Stateless, since it is also called on the QML engine's threads.
class ClosedNetworkFactory : public QQmlNetworkAccessManagerFactory {
 public:
  QNetworkAccessManager* create(QObject* parent) override { return new ClosedNetwork(parent); }
};

}  // namespace

void closeNetwork(QQmlEngine& engine) {
  static ClosedNetworkFactory factory;
  engine.setNetworkAccessManagerFactory(&factory);
}

}  // namespace minerva::app
