// The search by meaning: vectors in the store, computing while idle, and what the list shows. The model is a small BERT with random
// weights, so scores are compared with those of its own vectors.
#include "app/chat/meaning_search.h"
#include "app_test.h"
#include "chat_bench.h"
#include "patience.h"
#include "store_samples.h"

#include <QElapsedTimer>
#include <QTemporaryDir>

#include <cmath>
#include <random>

using namespace minerva::app;

namespace {

const QString model = QStringLiteral("m");

QString embeddingModel() { return QStringLiteral(MINERVA_REFERENCE_DIR "/oracle-2026/embeddings/bert-cls/hf"); }

std::vector<float> randomVectors(int count, int dimensions, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(static_cast<std::size_t>(count) * static_cast<std::size_t>(dimensions));
  for (float& value : values) value = normal(random);
  for (std::size_t i = 0; i < values.size(); i += static_cast<std::size_t>(dimensions)) {
    double square = 0;
    for (int k = 0; k < dimensions; ++k) square += std::pow(static_cast<double>(values[i + static_cast<std::size_t>(k)]), 2);
    for (int k = 0; k < dimensions; ++k) values[i + static_cast<std::size_t>(k)] /= static_cast<float>(std::sqrt(square));
  }
  return values;
}

}  // namespace

class MeaningTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { m_folder = std::make_unique<QTemporaryDir>(); }
  QString file() const { return m_folder->filePath(QStringLiteral("chat.sqlite")); }

  // Messages 1000 + i, ten in each of the conversations 1 to 10.
  std::unique_ptr<ChatStore> filled(int conversations, int each) const {
    auto store = ChatStore::open(file());
    if (!store) qFatal("%s", store.error().message().c_str());
    if (!(*store)->begin()) qFatal("begin");
    for (int c = 1; c <= conversations; ++c) {
      if (!(*store)->save(conversation(c))) qFatal("save");
      for (int i = 0; i < each; ++i) {
        const int id = 1000 + (c - 1) * each + i;
        if (!(*store)->save(message(id, c, 0, QStringLiteral("text %1").arg(id)))) qFatal("save");
      }
    }
    if (!(*store)->commit()) qFatal("commit");
    return std::move(*store);
  }

  void theNearestAreThoseOfABruteForceComputation() {
    constexpr int dimensions = 67;  // not a multiple of the vectors' lanes
    auto store = filled(10, 10);
    const auto texts = store->withoutVector(model, 1000);
    QCOMPARE(texts->size(), 100U);
    QCOMPARE(texts->at(0).message, 1000);
    QCOMPARE(store->withoutVector(model, 7)->size(), 7U);
    const std::vector<float> vectors = randomVectors(100, dimensions, 1), query = randomVectors(1, dimensions, 2);
    QVERIFY(store->saveVectors(model, *texts, vectors, dimensions).has_value());
    QVERIFY(store->withoutVector(model, 1000)->empty());
    QVERIFY((*store->countVectors(model) == VectorCount{100, 100}));
    QVERIFY((*store->countVectors(QStringLiteral("other")) == VectorCount{0, 100}));
    QVERIFY(store->setDeleted(4, true).has_value());
    std::vector<NearMessage> wanted;
    for (int c = 1; c <= 10; ++c) {
      if (c == 4) continue;
      NearMessage best{.conversation = c, .message = 0, .score = -2};
      for (int i = 0; i < 10; ++i) {
        double score = 0;
        const auto at = static_cast<std::size_t>((c - 1) * 10 + i) * dimensions;
        for (std::size_t k = 0; k < dimensions; ++k) score += static_cast<double>(vectors[at + k]) * query[k];
        if (score > best.score) best = {.conversation = c, .message = 1000 + (c - 1) * 10 + i, .score = static_cast<float>(score)};
      }
      wanted.push_back(best);
    }
    std::sort(wanted.begin(), wanted.end(), [](const NearMessage& a, const NearMessage& b) { return a.score > b.score; });
    const auto found = store->nearest(model, query);
    QCOMPARE(found->size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      QCOMPARE(found->at(i).conversation, wanted[i].conversation);
      QCOMPARE(found->at(i).message, wanted[i].message);
      QVERIFY(std::abs(found->at(i).score - wanted[i].score) < 1e-3F);
    }
    QVERIFY(store->nearest(model, randomVectors(1, 66, 2))->empty());  // of another model at the same path
    QVERIFY(store->nearest(QStringLiteral("other"), query)->empty());
  }

  // The file keeps half a surrogate pair, which is read as another character.
  void aTextWithHalfACharacterGetsItsVectorToo() {
    auto store = std::move(*ChatStore::open(QStringLiteral(":memory:")));
    QVERIFY(store->save(conversation(1)).has_value());
    QVERIFY(store->save(message(2, 1, 0, QStringLiteral("half ") + QChar(0xD83D))).has_value());
    const auto texts = store->withoutVector(QStringLiteral("m"), 10);
    QCOMPARE(texts->size(), 1U);
    QVERIFY(store->saveVectors(QStringLiteral("m"), *texts, {1, 0}, 2).has_value());
    QVERIFY(store->withoutVector(QStringLiteral("m"), 10)->empty());
  }

  void vectorsGoWithTheirTexts() {
    auto store = filled(2, 2);
    const auto texts = store->withoutVector(model, 10);
    QVERIFY(store->saveVectors(model, *texts, {1, 0, 1, 0, 1, 0, 1, 0}, 2).has_value());
    QVERIFY(store->save(message(1000, 1, 0, QStringLiteral("text 1000"))).has_value());  // unchanged
    QCOMPARE(store->countVectors(model)->done, 4);
    QVERIFY(store->save(message(1000, 1, 0, QStringLiteral("rewritten"))).has_value());
    QCOMPARE(store->countVectors(model)->done, 3);
    QVERIFY(store->saveVectors(model, {texts->at(0)}, {1, 0}, 2).has_value());  // of the earlier text
    QCOMPARE(store->countVectors(model)->done, 3);
    Message writing = message(1900, 1, 0, QStringLiteral("half a"));
    writing.status = Status::streaming;
    QVERIFY(store->save(writing).has_value());
    QCOMPARE(store->countVectors(model)->total, 4);
    QVERIFY(store->setDeleted(2, true).has_value());
    QVERIFY((*store->countVectors(model) == VectorCount{1, 2}));
    QVERIFY(store->removeForGood(2).has_value());
    QCOMPARE(store->nearest(model, {1, 0})->size(), 1U);
    QVERIFY(store->forgetVectors(model).has_value());
    QCOMPARE(store->countVectors(model)->done, 1);
    QVERIFY(store->forgetVectors(QStringLiteral("other")).has_value());
    QCOMPARE(store->countVectors(model)->done, 0);
  }

  // By hand: MINERVA_MEASURE=1.
  void aHundredThousandTakeWellUnderASecond() {
    if (!qEnvironmentVariableIsSet("MINERVA_MEASURE")) QSKIP("a measurement");
    constexpr int dimensions = 768;
    auto store = filled(1000, 100);
    const std::vector<float> some = randomVectors(1000, dimensions, 1), query = randomVectors(1, dimensions, 2);
    for (auto texts = store->withoutVector(model, 1000); !texts->empty(); texts = store->withoutVector(model, 1000))
      QVERIFY(store->saveVectors(model, *texts, some, dimensions).has_value());
    for (int run = 0; run < 3; ++run) {
      QElapsedTimer timer;
      timer.start();
      QCOMPARE(store->nearest(model, query)->size(), 1000U);
      qInfo("100,000 vectors of 768: %lld ms", timer.elapsed());
    }
  }

  void onlyWhatStandsOutIsShown() {
    const auto scores = [](std::initializer_list<float> all) {
      std::vector<NearMessage> near;
      for (const float score : all) near.push_back({.conversation = static_cast<qint64>(near.size()) + 1, .message = 1, .score = score});
      return thatStandOut(near, 20).size();
    };
    QCOMPARE(scores({}), 0U);
    QCOMPARE(scores({0.4F}), 1U);
    QCOMPARE(scores({0.9F, 0.85F, 0.71F, 0.7F, 0.7F, 0.69F}), 2U);  // a model whose scores are all high
    QCOMPARE(scores({0.5F, 0.4F, 0.12F, 0.1F, 0.05F, -0.1F}), 2U);  // one whose scores are spread
    QCOMPARE(thatStandOut(std::vector<NearMessage>(50, {.conversation = 1, .message = 1, .score = 1}), 20).size(), 20U);
  }

  void conversationsAreFoundBelowThoseWithTheWords() {
    Bench bench(m_folder->path());
    MeaningSearch meaning(&bench.store);
    bench.chat.searchByMeaning(&meaning);
    for (const char* text : {"the cat sat on the mat", "a <b>cat</b> was there", "numbers: 1 2 3 4 5 6"}) {
      bench.chat.newConversation();
      bench.chat.send(s(text));
      bench.reply("<think>\nhidden\n</think>\n\nok");
    }
    QSignalSpy found(&meaning, &MeaningSearch::found);
    bench.chat.conversations()->setSearch(s("cat"));
    QTRY_COMPARE(bench.chat.conversations()->count(), 2);
    QTRY_COMPARE(found.count(), 1);  // off: nothing
    QVERIFY(found[0][1].value<std::vector<Found>>().empty());
    QCOMPARE(meaning.total(), 0);
    meaning.setModel(embeddingModel());
    meaning.setBusy(true);
    QTest::qWait(MeaningSearch::idleMs + 500);
    QCOMPARE(meaning.done(), 0);  // not while a reply is generated
    QVERIFY(!meaning.isComputing());
    meaning.setBusy(false);
    QTest::qWait(MeaningSearch::idleMs / 2);
    QVERIFY(!meaning.isComputing());
    QTRY_VERIFY(meaning.total() == 6 && meaning.done() == 6);
    QCOMPARE(meaning.problem(), QString());
    // A message's own text is nearest to it.
    found.clear();
    meaning.ask(s("numbers: 1 2 3 4 5 6"));
    QTRY_COMPARE(found.count(), 1);
    const auto similar = found[0][1].value<std::vector<Found>>();
    QVERIFY(!similar.empty());
    QCOMPARE(similar[0].excerpt, s("numbers: 1 2 3 4 5 6"));
    // In the list: those with the words first, as without the model; the others in their own section, with escaped excerpts.
    ConversationListModel& list = *bench.chat.conversations();
    list.setSearch(s("a <b>cat</b> was there"));
    QTRY_COMPARE(found.count(), 2);
    QCOMPARE(list.idAt(0), found[1][1].value<std::vector<Found>>().at(0).conversation);
    list.setSearch(s("a <b>cat</b> was near"));  // no message has all the words
    QTRY_VERIFY(found.count() == 3 && list.count() > 0);
    const auto value = [&](int role) { return list.data(list.index(0), role).toString(); };
    QCOMPARE(value(ConversationListModel::SectionRole), s("Similar in meaning"));
    QCOMPARE(value(ConversationListModel::ExcerptRole), s("a &lt;b&gt;cat&lt;/b&gt; was there"));
    QSignalSpy revealed(&bench.chat, &ChatController::revealed);
    bench.chat.open(list.idAt(0));
    QTRY_COMPARE(revealed.count(), 1);
    meaning.setModel({});
    QTRY_COMPARE(list.count(), 0);
  }

  void aReplyInterruptsIt() {
    { filled(10, 200); }
    StoreThread store(file());
    MeaningSearch meaning(&store);
    meaning.setModel(embeddingModel());
    QTRY_VERIFY(meaning.done() > 0);
    meaning.setBusy(true);
    QTRY_VERIFY(!meaning.isComputing());
    const int before = meaning.done();
    QTest::qWait(MeaningSearch::idleMs + 500);
    QVERIFY2(meaning.done() < meaning.total() && meaning.done() - before <= 2 * MeaningSearch::stepMessages,
             qPrintable(QStringLiteral("%1, then %2 of %3").arg(before).arg(meaning.done()).arg(meaning.total())));
    QVERIFY(!meaning.isComputing());
    meaning.setBusy(false);
    QTRY_VERIFY(meaning.total() == 2000 && meaning.done() == 2000);
  }

  void whatCannotBeUsedIsSaidOnce_data() {
    QTest::addColumn<QString>("path");
    QTest::newRow("gone") << QStringLiteral("/nowhere/model.gguf");
    QTest::newRow("no embedding model") << QStringLiteral(MINERVA_SOURCE_DIR "/resources/builtin-model");
    QTest::newRow("damaged") << QStringLiteral(MINERVA_SOURCE_DIR "/tests/app/README.md");
  }
  void whatCannotBeUsedIsSaidOnce() {
    QFETCH(QString, path);
    Bench bench(m_folder->path());
    MeaningSearch meaning(&bench.store);
    bench.chat.searchByMeaning(&meaning);
    bench.chat.send(s("Tell me about foxes"));
    bench.reply("Red.");
    meaning.setModel(path);
    QTRY_VERIFY(!meaning.problem().isEmpty());
    QVERIFY(!meaning.problem().contains(QLatin1Char('\n')));
    bench.chat.conversations()->setSearch(s("foxes"));  // words are found as ever
    QTRY_COMPARE(bench.chat.conversations()->count(), 1);
  }

 private:
  std::unique_ptr<QTemporaryDir> m_folder;
};

APP_TEST(MeaningTest, "meaning", QGuiApplication)
#include "tst_meaning.moc"
