// The hub's token: from the environment, else from the keyring; it is stored only there, and a missing keyring is reported.
#include "app/hub/hub_service.h"
#include "app/hub/token_store.h"
#include "app_test.h"
#include "fake_hub.h"
#include "patience.h"
#include "sample_models.h"

#include <QJsonArray>
#include <QLibrary>

#include <cstdio>
#include <functional>
#include <optional>

using namespace minerva::app;

namespace {

QJsonObject oneModel() {
  return {{QStringLiteral("q-llama-Q4_K_M.gguf"), QJsonObject{{QStringLiteral("path"), gguf}, {QStringLiteral("lfs"), true}}}};
}

const QJsonObject gated{{QStringLiteral("gated"), QStringLiteral("auto")}, {QStringLiteral("granted"), true}};
const QJsonObject rightToken{{QStringLiteral("token"), QStringLiteral("hf_right")}};

struct Keyring : TokenStore {
  Keyring(const QUrl& endpoint, QByteArray& token) : TokenStore(endpoint), kept(token) {}
  void read(Read answer) override {
    ++reads;
    QMetaObject::invokeMethod(
        this, [this, answer] { answer(kept); }, Qt::QueuedConnection);
  }
  void write(const QByteArray& token, Written answer) override {
    kept = token;
    answer({});
  }
  QByteArray& kept;
  int reads = 0;
};

struct HubWithKeyring {
  HubWithKeyring(HubAccess access, const QString& folder)
      : hub(access, folder + QStringLiteral("/requests.log"), folder + QStringLiteral("/models"), {}) {
    hub.setPreferences({}, {.device = QStringLiteral("cpu")});
  }
  Keyring* useKeyring(const QUrl& endpoint, QByteArray& token) {
    auto store = std::make_unique<Keyring>(endpoint, token);
    Keyring* raw = store.get();
    hub.setTokenStore(std::move(store));
    return raw;
  }
  HubService hub;
};

bool waitFor(const std::function<bool()>& done) { return QTest::qWaitFor(done, patienceMs); }
bool isSettled(const HubService& hub) {
  return waitFor([&hub] { return !hub.isBusy() && !hub.isReading(); });
}

QStringList tokensSent(const FakeHub& hub) {
  QStringList sent;
  for (const QJsonValue& one : hub.stats()[QStringLiteral("asked")].toArray()) sent << one[QStringLiteral("token")].toString();
  sent.removeAll(QString());  // the file host gets no token
  sent.removeDuplicates();
  return sent;
}

// The same with a real keyring service in a separate session (see aRealKeyring). Returns 0, or the number of the step that
// failed.
int inARealKeyring() {
  const QUrl hub(QStringLiteral("https://keyring.test"));
  TokenStore store(hub), other(QUrl(QStringLiteral("https://keyring.test:8443")));
  std::optional<minerva::Result<QByteArray>> got;
  std::optional<minerva::Result<void>> done;
  const auto read = [&](TokenStore& from) {
    got.reset();
    from.read([&](const minerva::Result<QByteArray>& token) { got = token; });
    return waitFor([&] { return got.has_value(); }) && *got ? QString::fromUtf8(**got) : QStringLiteral("no answer");
  };
  const auto write = [&](const QByteArray& token) {
    done.reset();
    store.write(token, [&](const minerva::Result<void>& answer) { done = answer; });
    if (!waitFor([&] { return done.has_value(); })) return false;
    if (!*done) std::fprintf(stderr, "%s\n", done->error().message().c_str());
    return done->has_value();
  };
  if (!read(store).isEmpty()) return 2;
  if (!write("hf_kept")) return 3;
  if (read(store) != QStringLiteral("hf_kept")) return 4;
  if (!read(other).isEmpty()) return 5;  // of another hub
  if (!write({}) || !read(store).isEmpty()) return 6;
  return 0;
}

}  // namespace

class TokenTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    if (const QString missing = FakeHub::missing(); !missing.isEmpty()) QSKIP(qPrintable(missing));
  }

  void aKeptTokenOpensAGatedModel() {
    const FakeHub fake(oneModel(), rightToken, gated);
    QTemporaryDir folder;
    HubWithKeyring service(fake.access(), folder.path());
    QByteArray kept("hf_right");
    const Keyring* keyring = service.useKeyring(fake.access().endpoint, kept);
    QTest::qWait(50);
    QCOMPARE(keyring->reads, 0);  // the keyring is not read at startup, because that might prompt the user
    service.hub.open(QStringLiteral("org/model"));
    QVERIFY(isSettled(service.hub));
    QVERIFY2(!service.hub.error().isSet(), qPrintable(service.hub.error().details));
    QVERIFY(!service.hub.about().isEmpty());  // the header was read
    QVERIFY(service.hub.isTokenKept());
    QCOMPARE(tokensSent(fake), QStringList{QStringLiteral("Bearer hf_right")});
    service.hub.open(QStringLiteral("org/model"));
    QVERIFY(isSettled(service.hub));
    QCOMPARE(keyring->reads, 1);
  }

  void aTokenIsGivenAndTakenAway() {
    const FakeHub fake(oneModel(), rightToken, gated);
    QTemporaryDir folder;
    HubWithKeyring service(fake.access(), folder.path());
    QByteArray kept;
    service.useKeyring(fake.access().endpoint, kept);
    service.hub.open(QStringLiteral("org/model"));
    QVERIFY(isSettled(service.hub));
    QVERIFY2(service.hub.error().details.contains(QStringLiteral("settings")), qPrintable(service.hub.error().details));
    service.hub.keepToken(QStringLiteral("  hf_right\n"));
    QCOMPARE(kept, QByteArray("hf_right"));
    service.hub.retry();
    QVERIFY(isSettled(service.hub));
    QVERIFY2(!service.hub.error().isSet(), qPrintable(service.hub.error().details));
    service.hub.keepToken({});
    QVERIFY(kept.isEmpty() && !service.hub.isTokenKept() && service.hub.tokenSource().isEmpty());
    service.hub.retry();
    QVERIFY(isSettled(service.hub));
    QVERIFY(service.hub.error().isSet());
  }

  void theEnvironmentsTokenComesFirst() {
    const FakeHub fake(oneModel(), rightToken, gated);
    QTemporaryDir folder;
    HubAccess access = fake.access();
    access.token = "hf_right";
    access.tokenSource = QStringLiteral("HF_TOKEN");
    HubWithKeyring service(access, folder.path());
    QByteArray kept("hf_other");
    const Keyring* keyring = service.useKeyring(access.endpoint, kept);
    service.hub.open(QStringLiteral("org/model"));
    QVERIFY(isSettled(service.hub));
    QVERIFY(!service.hub.error().isSet());
    QCOMPARE(keyring->reads, 0);
    QCOMPARE(service.hub.tokenSource(), QStringLiteral("HF_TOKEN"));
    QCOMPARE(tokensSent(fake), QStringList{QStringLiteral("Bearer hf_right")});
  }

  // This process has no session bus (main() removes it), and therefore no keyring.
  void withoutAKeyringTheHubWorksAndKeepingSaysWhy() {
    const FakeHub fake(oneModel());
    QTemporaryDir folder;
    HubWithKeyring service(fake.access(), folder.path());
    service.hub.open(QStringLiteral("org/model"));
    QVERIFY(isSettled(service.hub));
    QVERIFY2(!service.hub.error().isSet(), qPrintable(service.hub.error().details));
    QVERIFY(tokensSent(fake).isEmpty());
    service.hub.keepToken(QStringLiteral("hf_secret"));
    QVERIFY(waitFor([&hub = service.hub] { return hub.tokenError().isSet(); }));
    QVERIFY(!service.hub.isTokenKept());
    QVERIFY(service.hub.tokenSource().isEmpty());
    QVERIFY2(service.hub.tokenError().detail.contains(QStringLiteral("keyring service is running")),
             qPrintable(service.hub.tokenError().detail));
    QVERIFY2(service.hub.tokenError().hint.contains(QStringLiteral("HF_TOKEN")), qPrintable(service.hub.tokenError().hint));
  }

  void aProxysPasswordIsInTheKeyringAlone() {
    QByteArray kept;
    QStringList keys;
    const auto keyring = [&](const QString& key) -> std::unique_ptr<TokenStore> {
      keys << key;
      return std::make_unique<Keyring>(QUrl(), kept);
    };
    const QString address = QStringLiteral("http://me@proxy.example:8080");
    {
      ProxyPassword password;
      password.setKeyring(keyring);
      QCOMPARE(password.take(QStringLiteral("http://me:p%40ss@proxy.example:8080")), address);
      QCOMPARE(kept, QByteArray("p@ss"));
      QCOMPARE(password.whole(address), QStringLiteral("http://me:p%40ss@proxy.example:8080"));
      QCOMPARE(password.whole(QStringLiteral("http://me@other.example:8080")), QStringLiteral("http://me@other.example:8080"));
    }
    ProxyPassword later;  // a restart of the application
    later.setKeyring(keyring);
    for (const char* plain : {"", "none", "proxy.example:8080", "http://proxy.example:8080"}) {
      QVERIFY2(!later.isUnread(QString::fromLatin1(plain)), plain);
      QCOMPARE(later.take(QString::fromLatin1(plain)), QString::fromLatin1(plain));
    }
    QVERIFY(later.isUnread(address));
    bool answered = false;
    later.read(address, [&] { answered = true; });
    QVERIFY(waitFor([&] { return answered; }));
    QVERIFY(!later.isUnread(address));
    QCOMPARE(later.whole(address), QStringLiteral("http://me:p%40ss@proxy.example:8080"));
    QCOMPARE(keys, (QStringList{QStringLiteral("proxy me@proxy.example:8080"), QStringLiteral("proxy me@proxy.example:8080")}));
    // Not a valid address; the password is removed all the same.
    QCOMPARE(later.take(QStringLiteral("me:secret@nowhere")), QStringLiteral("me@nowhere"));
  }

  void everyActionWaitsForTheProxysPassword() {
    struct Prompting : TokenStore {
      explicit Prompting(Read& asked) : TokenStore(QUrl()), answer(asked) {}
      void read(Read then) override { answer = std::move(then); }
      Read& answer;
    };
    TokenStore::Read answer;
    int keyrings = 0, ran = 0;
    ProxyPassword password;
    password.setKeyring([&](const QString&) -> std::unique_ptr<TokenStore> {
      ++keyrings;
      return std::make_unique<Prompting>(answer);
    });
    const QString address = QStringLiteral("http://me@proxy.example:8080");
    for (int action = 0; action < 2; ++action) {
      QVERIFY(password.isUnread(address));
      password.read(address, [&] {
        QVERIFY(!password.isUnread(address));
        ++ran;
      });
    }
    QCOMPARE(keyrings, 1);
    QCOMPARE(ran, 0);
    answer(QByteArray("p@ss"));
    QCOMPARE(ran, 2);
    QCOMPARE(password.whole(address), QStringLiteral("http://me:p%40ss@proxy.example:8080"));
    // Typing the password answers, too.
    const QString another = QStringLiteral("http://me@other.example:8080");
    password.read(another, [&] { ++ran; });
    password.setKeyring([](const QString&) { return std::make_unique<TokenStore>(QUrl()); });
    QCOMPARE(password.take(QStringLiteral("http://me:word@other.example:8080")), another);
    QVERIFY(!password.isUnread(another));
    QVERIFY(waitFor([&] { return ran == 3; }));
  }

  void withoutAKeyringAProxysPasswordLastsForTheSession() {
    ProxyPassword password;
    QCOMPARE(password.take(QStringLiteral("me:secret@proxy:80")), QStringLiteral("me@proxy:80"));
    QVERIFY(waitFor([&] { return password.error().isSet(); }));
    QVERIFY2(password.error().hint.contains(QStringLiteral("https_proxy")), qPrintable(password.error().hint));
    QCOMPARE(password.whole(QStringLiteral("me@proxy:80")), QStringLiteral("me:secret@proxy:80"));
  }

  void aRealKeyring() {
    for (const char* program : {"dbus-run-session", "gnome-keyring-daemon"})
      if (QStandardPaths::findExecutable(QString::fromLatin1(program)).isEmpty())
        QSKIP(qPrintable(QStringLiteral("skipped: no %1 on this machine").arg(QString::fromLatin1(program))));
    if (!QLibrary(QStringLiteral("secret-1"), 0).load())
      QSKIP("skipped: no libsecret on this machine, by which QtKeychain asks GNOME Keyring");
    QTemporaryDir home;
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.remove(QStringLiteral("DBUS_SESSION_BUS_ADDRESS"));
    environment.insert(QStringLiteral("HOME"), home.path());
    environment.insert(QStringLiteral("XDG_DATA_HOME"), home.path());
    environment.insert(QStringLiteral("XDG_RUNTIME_DIR"), home.path());
    environment.insert(QStringLiteral("XDG_CURRENT_DESKTOP"), QStringLiteral("GNOME"));
    process.setProcessEnvironment(environment);
    process.setProcessChannelMode(QProcess::MergedChannels);
    const QString script = QStringLiteral(
        "printf password | gnome-keyring-daemon --unlock --components=secrets >/dev/null && exec \"$0\" token --in-a-keyring");
    process.start(QStringLiteral("dbus-run-session"),
                  {QStringLiteral("--"), QStringLiteral("sh"), QStringLiteral("-c"), script, QCoreApplication::applicationFilePath()});
    QVERIFY(process.waitForFinished(60000));
    const QByteArray said = process.readAll();
#ifdef MINERVA_KEYCHAIN
    QVERIFY2(process.exitCode() == 0, said + " exit " + QByteArray::number(process.exitCode()));
#endif
  }
};

namespace {

int runTokenTest(int argc, char** argv) {
  if (argc > 1 && QByteArray(argv[1]) == "--in-a-keyring") {
    const QCoreApplication application(argc, argv);
    return inARealKeyring();
  }
  qputenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/at/all");
  return runAppTest<TokenTest, QCoreApplication>(argc, argv);
}

}  // namespace

APP_TEST_WITH_MAIN(TokenTest, "token", runTokenTest)
#include "tst_token.moc"
