// The parts of a download that need no hub: names, choices, journals, rate limits, texts.
#include "app/hub/choices.h"
#include "app/hub/hub_access.h"
#include "app/hub/hub_network.h"
#include "app/hub/hub_refusal.h"
#include "app/hub/part_file.h"
#include "app/hub/progress_text.h"
#include "app_test.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace minerva::app;

namespace {

HubFile hubFile(const char* path, qint64 size) { return {.path = QString::fromLatin1(path), .size = size, .sha256 = QByteArray(64, 'a')}; }

Repository repository(QList<HubFile> files, const QStringList& tags = {}) {
  return {.name = QStringLiteral("org/model"), .commit = QStringLiteral("abc"), .tags = tags, .files = std::move(files)};
}

QStringList labels(const QList<DownloadItem>& items) {
  QStringList all;
  for (const DownloadItem& item : items) all << item.label;
  return all;
}

HubFile described(const QByteArray& content, const char* path = "a.gguf") {
  return {.path = QString::fromLatin1(path),
          .size = content.size(),
          .sha256 = QCryptographicHash::hash(content, QCryptographicHash::Sha256).toHex()};
}

}  // namespace

class HubPartsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void quantizationsAreFoundInNames_data() {
    QTest::addColumn<QString>("label");
    const auto row = [](const char* name, const char* label) { QTest::newRow(name) << QString::fromLatin1(label); };
    row("Llama-3.2-1B-Instruct-Q4_K_M.gguf", "Q4_K_M");
    row("tinyllama-1.1b-chat-v1.0.Q5_0.gguf", "Q5_0");
    row("Qwen3-30B-A3B-UD-Q4_K_XL.gguf", "UD-Q4_K_XL");
    row("gemma-2-2b-it-IQ3_XXS.gguf", "IQ3_XXS");
    row("gpt-oss-20b-mxfp4.gguf", "MXFP4");
    row("qwen2.5-0.5b-instruct-fp16.gguf", "FP16");
    row("model-q8_0.gguf", "Q8_0");
    row("model.Q4_0_4_4.gguf", "Q4_0_4_4");
    row("Phi-3-mini-4k-instruct-q4.gguf", "Q4");
    row("phi-2.gguf", "");
    row("BF16.gguf", "BF16");
  }
  void quantizationsAreFoundInNames() {
    QFETCH(QString, label);
    QCOMPARE(quantizationOf(QString::fromLatin1(QTest::currentDataTag())), label);
  }

  void choicesAreWhatAPersonDownloads() {
    const QList<DownloadItem> items = choicesOf(
        repository({hubFile("m-Q4_K_M.gguf", 400), hubFile("m-Q8_0-00001-of-00002.gguf", 450), hubFile("m-Q8_0-00002-of-00002.gguf", 350),
                    hubFile("mmproj-m-F16.gguf", 10), hubFile("m-Q2_K-00001-of-00002.gguf", 100), hubFile("m.imatrix.gguf", 5),
                    hubFile("README.md", 1), hubFile("f16/m-F16.gguf", 1600)}));
    QCOMPARE(labels(items), (QStringList{QStringLiteral("Q4_K_M"), QStringLiteral("Q8_0"), QStringLiteral("F16")}));  // Q2_K lacks a part
    QCOMPARE(items[1].files.size(), 2);
    QCOMPARE(items[1].bytes(), 800);
    QCOMPARE(items[1].modelPath(QStringLiteral("/m")), QStringLiteral("/m/org/model/m-Q8_0-00001-of-00002.gguf"));
    QCOMPARE(recommended(items, 0), 0);
    QCOMPARE(recommended(items, 300), -1);
    QCOMPARE(recommended({items[1], items[2]}, 1000), 0);
    QCOMPARE(chosen(items, QStringLiteral("q8_0"), {})->label, QStringLiteral("Q8_0"));
    QCOMPARE(chosen(items, QStringLiteral("m-F16.gguf"), {})->label, QStringLiteral("F16"));
    const auto none = chosen(items, QStringLiteral("Q3_K_S"), QStringLiteral("org/model"));
    QVERIFY(!none.has_value());
    QCOMPARE(none.error().expected, std::string("Q4_K_M, Q8_0, F16"));
  }

  void twoModelsInARepositoryKeepTheirNames() {
    const QList<DownloadItem> items = choicesOf(repository({hubFile("a-Q4_0.gguf", 1), hubFile("b-Q4_0.gguf", 2)}));
    QCOMPARE(labels(items), (QStringList{QStringLiteral("a-Q4_0"), QStringLiteral("b-Q4_0")}));
  }

  void aFolderTakesWhatItNeeds() {
    const QList<DownloadItem> items =
        choicesOf(repository({hubFile("model-00001-of-00002.safetensors", 10), hubFile("model-00002-of-00002.safetensors", 10),
                              hubFile("consolidated.safetensors", 20), hubFile("model.safetensors.index.json", 1),
                              hubFile("config.json", 1), hubFile("tokenizer.model", 1), hubFile("tekken.json", 1),
                              hubFile("tiktoken.model", 1), hubFile("original/params.json", 1), hubFile("LICENSE", 1)},
                             {QStringLiteral("mlx")}));
    QCOMPARE(labels(items), QStringList{QStringLiteral("MLX")});
    QCOMPARE(items[0].files.size(), 7);
    QVERIFY(isWeights(items[0].files.last().path) && !isWeights(items[0].files.first().path));
    QCOMPARE(items[0].modelPath(QStringLiteral("/m")), QStringLiteral("/m/org/model"));
    QVERIFY(choicesOf(repository({hubFile("model.safetensors", 10)})).isEmpty());  // nothing states its format
  }

  void anEmbeddingModelTakesItsModules() {
    const QList<DownloadItem> items = choicesOf(repository(
        {hubFile("1_Pooling/config.json", 1), hubFile("2_Dense/config.json", 1), hubFile("2_Dense/model.safetensors", 5),
         hubFile("README.md", 1), hubFile("config.json", 1), hubFile("config_sentence_transformers.json", 1),
         hubFile("model.safetensors", 10), hubFile("modules.json", 1), hubFile("sentence_bert_config.json", 1),
         hubFile("2_other/config.json", 1), hubFile("2_other/sub/config.json", 1), hubFile("2_other/sub/model.safetensors", 3)}));
    QCOMPARE(labels(items), (QStringList{QStringLiteral("2_other/sub"), QStringLiteral("SafeTensors")}));
    QStringList paths;
    for (const HubFile& one : items[1].files) paths << one.path;
    QCOMPARE(paths, (QStringList{QStringLiteral("1_Pooling/config.json"), QStringLiteral("2_Dense/config.json"),
                                 QStringLiteral("2_other/config.json"), QStringLiteral("config.json"),
                                 QStringLiteral("config_sentence_transformers.json"), QStringLiteral("modules.json"),
                                 QStringLiteral("sentence_bert_config.json"), QStringLiteral("2_Dense/model.safetensors"),
                                 QStringLiteral("model.safetensors")}));
    QCOMPARE(items[1].modelPath(QStringLiteral("/m")), QStringLiteral("/m/org/model"));
    const QList<DownloadItem> below = choicesOf(repository({hubFile("a/1_Pooling/config.json", 1), hubFile("a/config.json", 1),
                                                            hubFile("a/model.safetensors", 1), hubFile("a/modules.json", 1)}));
    QCOMPARE(below.size(), 1);
    QCOMPARE(below[0].modelPath(QStringLiteral("/m")), QStringLiteral("/m/org/model/a"));
  }

  void aTemplateForToolsBelongsToItsFolder() {
    for (const char* folder : {"", "a/"}) {
      const auto in = [&](const char* name) { return hubFile((std::string(folder) + name).c_str(), 1); };
      const QList<DownloadItem> items =
          choicesOf(repository({in("additional_chat_templates/rag.jinja"), in("additional_chat_templates/tool_use.jinja"),
                                in("config.json"), in("model.safetensors"), hubFile("b/additional_chat_templates/tool_use.jinja", 1)}));
      QCOMPARE(items.size(), 1);
      QCOMPARE(items[0].files.size(), 3);
      const QString wanted = QString::fromUtf8(folder) + QStringLiteral("additional_chat_templates/tool_use.jinja");
      QVERIFY(std::ranges::any_of(items[0].files, [&](const HubFile& one) { return one.path == wanted; }));
    }
  }

  void oneMayBePublishedWholeAndSplit() {
    const QList<DownloadItem> items = choicesOf(
        repository({hubFile("m-Q8_0.gguf", 800), hubFile("m-Q8_0-00001-of-00002.gguf", 450), hubFile("m-Q8_0-00002-of-00002.gguf", 351)}));
    QCOMPARE(labels(items), (QStringList{QStringLiteral("Q8_0"), QStringLiteral("Q8_0-in-2-parts")}));
    QCOMPARE(items[1].files.size(), 2);
  }

  void theQuantizationIsRecommendedAlsoWhereTheLabelsAreNames() {
    const QList<DownloadItem> items = choicesOf(
        repository({hubFile("a-Q4_K_M.gguf", 1), hubFile("b-Q4_K_M.gguf", 2), hubFile("a-Q8_0.gguf", 3), hubFile("b-F16.gguf", 9)}));
    QCOMPARE(items[recommended(items, 0)].label, QStringLiteral("a-Q4_K_M"));
  }

  // Names of whole models that say how they were made, and of files beside them.
  void namesTellDraftersAndAdaptersFromModels() {
    for (const char* name : {"Qwopus3.5-9B-Coder-MTP-BF16.gguf", "Qwen3.6-35B-A3B-MTP-UD-Q4_K_XL.gguf", "DRDG-Llama-8B-lora.Q4_K_M.gguf",
                             "Beyonder-4x7B-v3-random-lora.Q5_K_M.gguf", "Some-eagle-7B-Q8_0.gguf", "Mistral-7B-imatrix-Q4_K_M.gguf"})
      QVERIFY2(choicesOf(repository({hubFile(name, 1)})).size() == 1 && opensAModel(QString::fromLatin1(name)), name);
    for (const char* name :
         {"mtp-Qwen3.8-27B-Q4_0.gguf", "eagle3-x-Q8_0.gguf", "dflash-Qwen3.6-27B-Q8_0.gguf", "dspark-x.gguf", "lora-f16.gguf",
          "ggml-adapter-model-f16.gguf", "mmproj-F16.gguf", "Qwen2-VL.mmproj-Q8_0.gguf", "model-imatrix.gguf", "imatrix-Q8_0.gguf"})
      QVERIFY2(choicesOf(repository({hubFile(name, 1)})).isEmpty() && !opensAModel(QString::fromLatin1(name)), name);
  }

  void aDrafterBesideTheModelIsNoChoice() {
    const QList<DownloadItem> items =
        choicesOf(repository({hubFile("Qwen3.6-27B-Q8_0.gguf", 28'000), hubFile("dflash-Qwen3.6-27B-Q8_0.gguf", 900)}));
    QCOMPARE(labels(items), QStringList{QStringLiteral("Q8_0")});
    QVERIFY(chosen(items, QStringLiteral("q8_0"), {}).has_value());
    QCOMPARE(recommended(items, 2'000), -1);
  }

  // As llama.cpp and Ollama take it, also where the labels are names.
  void aQuantizationThatOneChoiceHasIsItsName() {
    const QList<DownloadItem> items =
        choicesOf(repository({hubFile("a-Q8_0.gguf", 3), hubFile("b-UD-Q4_K_XL.gguf", 1), hubFile("b-Q8_0.gguf", 4)}));
    QCOMPARE(chosen(items, QStringLiteral("q4_k_xl"), {})->label, QStringLiteral("UD-Q4_K_XL"));
    QVERIFY(!chosen(items, QStringLiteral("Q8_0"), {}).has_value());
    const QList<DownloadItem> named =
        choicesOf(repository({hubFile("a-v1.gguf", 3), hubFile("b-v2.gguf", 1), hubFile("c/Q6_K/c-Q6_K.gguf", 2)}));
    QCOMPARE(chosen(named, QStringLiteral("c/Q6_K"), {})->label, QStringLiteral("Q6_K"));
  }

  void anUnquantizedFileIsNotRecommendedBesideASmallerOne() {
    const QList<DownloadItem> phi = choicesOf(  // resources/catalogue.json
        repository({hubFile("Phi-3-mini-4k-instruct-q4.gguf", 2'390'000'000), hubFile("Phi-3-mini-4k-instruct-fp16.gguf", 7'640'000'000)}));
    for (const qint64 memory : {qint64{0}, qint64{16'000'000'000}}) QCOMPARE(phi[recommended(phi, memory)].label, QStringLiteral("Q4"));
    const QList<DownloadItem> other = choicesOf(repository({hubFile("m-Q3_K_L.gguf", 3), hubFile("m-BF16.gguf", 16)}));
    QCOMPARE(other[recommended(other, 0)].label, QStringLiteral("Q3_K_L"));
    const QList<DownloadItem> only = choicesOf(repository({hubFile("m-F16.gguf", 3), hubFile("m-F32.gguf", 6)}));
    QCOMPARE(only[recommended(only, 0)].label, QStringLiteral("F32"));
  }

  void filesInPiecesAreCounted() {
    const Repository cut =
        repository({hubFile("m.Q4_K_M.gguf", 1), hubFile("m.Q6_K.gguf.part1of2", 1), hubFile("m.Q6_K.gguf.part2of2", 1),
                    hubFile("m.Q8_0.gguf.part1of3", 1), hubFile("m.F16.gguf-split-a", 1), hubFile("m.F16.gguf-split-b", 1)});
    QCOMPARE(choicesInPieces(cut), 3);
    QCOMPARE(choicesOf(cut).size(), 1);
    QCOMPARE(choicesInPieces(repository({hubFile("m-Q8_0-00001-of-00002.gguf", 1)})), 0);
  }

  void partsOfADiffusionModelAreNoChoices() {
    QVERIFY(choicesOf(repository({hubFile("model_index.json", 1), hubFile("unet/config.json", 1), hubFile("unet/model.safetensors", 1),
                                  hubFile("text_encoder/config.json", 1), hubFile("text_encoder/model.safetensors", 1)}))
                .isEmpty());
  }

  void theEnvironmentMayForbidTheHub() {
    const auto with = [](const char* name, const char* value) {
      qputenv(name, value);
      const bool kept = HubAccess::fromEnvironment().isOffline();
      qunsetenv(name);
      return kept;
    };
    for (const char* yes : {"1", "ON", "yes", "True"}) QVERIFY2(with("HF_HUB_OFFLINE", yes), yes);
    for (const char* no : {"", "0", "no", "2"}) QVERIFY2(!with("HF_HUB_OFFLINE", no), no);
    QVERIFY(with("TRANSFORMERS_OFFLINE", "1"));
    HubNetwork network({.keptOffline = true}, nullptr);
    network.access.offline = false;  // as in the settings
    QVERIFY(network.refusal() && network.refusal()->hint.find("HF_HUB_OFFLINE") != std::string::npos);
  }

  void pathsStayInside() {
    for (const char* bad :
         {"",    "/etc/passwd", "../x",    "a/../b", "a//b",          "a\\b",     "c:x",  "a/./b", ".bashrc", "a/\nb",           "a/",
          "CON", "nul.gguf",    "a/Aux",   "com1",   "a/LPT9.tar.gz", "prn .txt", "a./b", "b ",    "a.gguf.", "a/b.gguf:stream", "a?.gguf",
          "a|b", "conout$",     "a/\"b\"", "a\x9bJ", "a/\x80"})
      QVERIFY2(!isSafePath(QString::fromLatin1(bad)), bad);
    for (const char* good :
         {"a", "a/b.gguf", "Q4_K_M/a-00001-of-00002.gguf", "console.gguf", "com10", "nulls/a", "a.con", "\xe9t\xe9.gguf"})
      QVERIFY2(isSafePath(QString::fromLatin1(good)), good);
    for (const char* bad : {"", "a b/c", "../x", "a/..", "a/b/c", "a/.b", "con/model", "org/NUL", "org/a."})
      QVERIFY2(!isRepositoryName(QString::fromLatin1(bad)), bad);
    QVERIFY(isRepositoryName(QStringLiteral("TheBloke/TinyLlama-1.1B-Chat-v1.0-GGUF")));
    QVERIFY(!downloadItemFrom({{QStringLiteral("repository"), QStringLiteral("a/b")}}).has_value());
    const DownloadItem item = choicesOf(repository({hubFile("m-Q4_0.gguf", 1)})).first();
    QCOMPARE(downloadItemFrom(toJson(item)).value(), item);
  }

  void referencesAreRead_data() {
    QTest::addColumn<QString>("repository");
    QTest::addColumn<QString>("revision");
    QTest::addColumn<QString>("choice");
    const auto row = [](const char* given, const char* name, const char* revision, const char* choice) {
      QTest::newRow(given) << QString::fromLatin1(name) << QString::fromLatin1(revision) << QString::fromLatin1(choice);
    };
    row("org/repo", "org/repo", "main", "");
    row(" org/repo:Q4_K_M ", "org/repo", "main", "Q4_K_M");
    row("org/repo:sub/a.gguf", "org/repo", "main", "sub/a.gguf");
    row("https://huggingface.co/org/repo", "org/repo", "main", "");
    row("https://huggingface.co/org/repo/tree/v2", "org/repo", "v2", "");
    row("https://huggingface.co/org/repo/blob/main/a.gguf?download=true", "org/repo", "main", "a.gguf");
    row("https://mirror.example/org/repo/resolve/v1/sub/a.gguf", "org/repo", "v1", "sub/a.gguf");  // a mirror, as with HF_ENDPOINT
    row("HTTPS://HuggingFace.co/org/repo", "org/repo", "main", "");
    row("https://hf.co/org/repo", "org/repo", "main", "");
    row("huggingface.co/org/repo", "org/repo", "main", "");
    row("HF.co/org/repo/tree/v2", "org/repo", "v2", "");
    row("mirror.example:8443/org/repo/blob/main/a.gguf", "org/repo", "main", "a.gguf");
    row("//huggingface.co/org/repo", "org/repo", "main", "");
    row("hf.co/org/repo:Q4_K_M", "org/repo", "main", "Q4_K_M");
    row("https://huggingface.co/org/repo/tree/refs%2Fpr%2F1", "org/repo", "refs/pr/1", "");
    row("https://huggingface.co/org/repo/blob/refs%2Fpr%2F1/sub/a.gguf", "org/repo", "refs/pr/1", "sub/a.gguf");
    row("https://huggingface.co/org/repo/discussions/6", "org/repo", "main", "");
    row("https://huggingface.co/org/repo/commit/0123abc", "org/repo", "0123abc", "");
    row("https://huggingface.co/org/repo/raw/v2/config.json", "org/repo", "v2", "config.json");
    row("https://huggingface.co/org/repo/tree/main/UD-Q4_K_XL", "org/repo", "main", "UD-Q4_K_XL");
    row("hf.co/org/repo:latest", "org/repo", "main", "");
    row("llama serve -hf org/repo:UD-Q4_K_XL", "org/repo", "main", "UD-Q4_K_XL");
    row("$ llama-server -c 4096 --hf-repo=org/repo -ngl 99", "org/repo", "main", "");
    row("ollama run hf.co/org/repo:Q4_K_M", "org/repo", "main", "Q4_K_M");
    row("vllm serve \"org/repo\" --max-model-len 4096", "org/repo", "main", "");
    row("hf download org/repo --local-dir my/models", "org/repo", "main", "");
    row("llama-server -m my/models", "", "", "");
    row("ollama run llama3", "", "", "");
    row("ollama run https://evil.example/org/repo", "refused", "", "");
    row("some.ai/model-1.5", "some.ai/model-1.5", "main", "");
    row("some.ai/model:sub/a.gguf", "some.ai/model", "main", "sub/a.gguf");
    for (const char* refused :
         {"https://evil.example/org/repo", "http://huggingface.co.evil.example/org/repo", "https://huggingface.co/org",
          "https://huggingface.co@evil.example/org/repo", "https://huggingface.co/datasets/org/repo", "ftp://huggingface.co/org/repo",
          "file:///home/me/a.gguf", "evil://llama", "evil.example/org/repo", "evil.example:8080/org/repo/tree/main",
          "//evil.example/org/repo", "huggingface.co/org", "www.huggingface.co/datasets/org/repo"})
      row(refused, "refused", "", "");
    for (const char* none : {"llama", "two words", "org/repo:", "org/repo:../x", "/home/me/a.gguf", "version 1.5/or 2/3", "1.5/2/3 llama"})
      row(none, "", "", "");
  }
  void referencesAreRead() {
    QFETCH(QString, repository);
    QFETCH(QString, revision);
    QFETCH(QString, choice);
    const auto read = referenceFrom(QString::fromLatin1(QTest::currentDataTag()), QUrl(QStringLiteral("https://mirror.example")));
    QCOMPARE(read.has_value(), repository != QLatin1String("refused"));
    if (!read) return;
    const auto& reference = *read;
    QCOMPARE(reference.has_value(), !repository.isEmpty());
    if (!reference) return;
    QCOMPARE(reference->repository, repository);
    QCOMPARE(reference->revision, revision);
    QCOMPARE(reference->choice, choice);
  }

  void aHostThatIsNotTheHubsIsToldEachOnce() {
    const auto expected = [](const char* hub) {
      const auto read = referenceFrom(QStringLiteral("https://example.com/x.gguf"), QUrl(QString::fromLatin1(hub)));
      return read ? std::string() : read.error().expected;
    };
    QCOMPARE(expected("https://huggingface.co"), std::string("huggingface.co"));
    QCOMPARE(expected("https://mirror.example"), std::string("mirror.example or huggingface.co"));
  }

  void aSlashOfARevisionIsNotOneOfThePath() {
    const QUrl url = HubAccess{}.revision(QStringLiteral("models/org/repo"), QStringLiteral("refs/pr/1"));
    QVERIFY2(url.toString(QUrl::FullyEncoded).endsWith(QLatin1String("/api/models/org/repo/revision/refs%2Fpr%2F1")),
             qPrintable(url.toString(QUrl::FullyEncoded)));
  }

  void sha256IsTheOneOfTheStandard() {
    QByteArray bytes(10'000, Qt::Uninitialized);
    for (qsizetype i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 31 + (i >> 7));
    Sha256 hello;
    hello.add("abc");  // the standard's own example
    QCOMPARE(hello.result().toHex(), QByteArray("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
    for (const qsizetype length : {0, 1, 63, 64, 65, 10'000}) {
      const QByteArray part = bytes.left(length);
      for (const qsizetype piece : {1, 7, 64, 4096}) {
        Sha256 hash;
        for (qsizetype at = 0; at < length; at += piece) hash.add(QByteArrayView(part).sliced(at, std::min(piece, length - at)));
        QCOMPARE(hash.result(), QCryptographicHash::hash(part, QCryptographicHash::Sha256));
        QCOMPARE(hash.result(), hash.result());  // the hash of the bytes so far, which can be asked for repeatedly
      }
    }
  }

  void aJournalKeepsWhatWasWhole() {
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("a.journal"));
    {
      auto journal = Journal::open(path);
      QVERIFY(journal.has_value());
      QVERIFY(journal->add({{QStringLiteral("a"), 1}, {QStringLiteral("b"), 2}}).has_value());
      QVERIFY(journal->add({{QStringLiteral("a"), 3}}).has_value());
      QVERIFY(!Journal::open(path).has_value());  // locked
    }
    QFile file(path);
    QVERIFY(file.open(QIODevice::Append));
    file.write("{\"a\": 4");  // a torn write
    file.close();
    auto again = Journal::open(path);
    QVERIFY(again.has_value());
    QCOMPARE(again->facts(), (QJsonObject{{QStringLiteral("a"), 3}, {QStringLiteral("b"), 2}}));
    QVERIFY(again->add({{QStringLiteral("c"), 5}}).has_value());
    QCOMPARE(Journal::read(path).value()[QStringLiteral("c")].toInt(), 5);
    again->remove();
    QVERIFY(!QFile::exists(path));
  }

  void aPartGoesOnWhereItWas() {
    QTemporaryDir folder;
    const QString target = folder.filePath(QStringLiteral("sub/a.gguf"));
    QByteArray content(20 << 20, 'x');
    for (qsizetype i = 0; i < content.size(); i += 4096) content[i] = static_cast<char>(i >> 12);
    const HubFile about = described(content);
    {
      auto part = PartFile::open(target, about);
      QVERIFY(part.has_value());
      QVERIFY(part->append(content.left(11 << 20)).has_value());
    }  // as after a kill: not closed properly
    const QString journal = PartFile::journalName(target);
    QVERIFY(Journal::read(journal).value()[QStringLiteral("durable")].toInteger() >= PartFile::syncEvery);
    {
      auto part = PartFile::open(target, about);
      QCOMPARE(part->bytes(), 11 << 20);
      QCOMPARE(part->unhashed(), 11 << 20);
      QVERIFY(part->hashMore(1 << 30).has_value());
      QVERIFY(part->append(content.mid(11 << 20)).has_value());
      QCOMPARE(part->finish().value(), PartFile::Verdict::verified);
    }
    QFile file(target);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(file.readAll() == content);
    QVERIFY(!QFile::exists(journal) && !QFile::exists(PartFile::partName(target)));
  }

  void afterAPowerCutOnlyWhatWasSyncedCounts() {
    QTemporaryDir folder;
    const QString target = folder.filePath(QStringLiteral("a.gguf"));
    const QByteArray content(20 << 20, 'y');
    {
      auto part = PartFile::open(target, described(content));
      QVERIFY(part->append(content.left(9 << 20)).has_value());
      QVERIFY(part->append(content.left(1 << 20)).has_value());
    }
    {
      auto journal = Journal::open(PartFile::journalName(target));
      QVERIFY(journal->add({{QStringLiteral("boot"), QStringLiteral("another start of the machine")}}).has_value());
    }
    auto part = PartFile::open(target, described(content));
    QCOMPARE(part->bytes(), 9 << 20);
    // A different file of the same name starts from the beginning.
    part = PartFile();
    part = PartFile::open(target, described(content + 'z'));
    QCOMPARE(part->bytes(), 0);
  }

  void anotherTagIsOtherContent() {
    QTemporaryDir folder;
    auto part = PartFile::open(folder.filePath(QStringLiteral("a")), described("hello world"));
    QVERIFY(part->sameContent("one").value());
    QVERIFY(part->append("hello").has_value());
    QVERIFY(part->sameContent("one").value());
    QVERIFY(!part->sameContent("two").value());
    QCOMPARE(part->bytes(), 0);
  }

  void smallFilesAreCheckedByTheirGitId() {
    QTemporaryDir folder;
    // printf 'hello\n' | git hash-object --stdin
    const HubFile about{.path = QStringLiteral("a.json"), .size = 6, .gitId = "ce013625030ba8dba906f756967f9e9ca394464a"};
    auto part = PartFile::open(folder.filePath(QStringLiteral("a.json")), about);
    QVERIFY(part->append("hello\n").has_value());
    QCOMPARE(part->finish().value(), PartFile::Verdict::verified);
  }

  void tooLittleRoomIsSaidWithFigures() {
    QTemporaryDir folder;
    QVERIFY(checkRoomFor(1000, folder.path()).has_value());
    const auto full = checkRoomFor(qint64{1} << 60, folder.path());
    QVERIFY(!full.has_value());
    QCOMPARE(full.error().kind, minerva::ErrorKind::limit);
    QVERIFY(!full.error().expected.empty() && !full.error().actual.empty());
  }

  void ratesAreMeasuredAndLimited() {
    TransferRate rate;
    for (int ms = 0; ms <= 2000; ms += 100) rate.add(ms == 0 ? 0 : 100'000, ms);
    QCOMPARE(rate.perSecond(2000), 1e6);
    QCOMPARE(rate.perSecond(60'000), 0.0);
    RateLimit limit;
    QVERIFY(limit.allowance(0) > 1e12);
    limit.set(1e6, 0);
    QCOMPARE(limit.allowance(100), 100'000);
    limit.spend(100'000);
    QCOMPARE(limit.allowance(100), 0);
    QCOMPARE(limit.allowance(10'000), 250'000);  // unused allowance does not accumulate
  }

  void answersAreExplained() {
    HubAnswer answer{.status = 429, .waitSeconds = 17, .url = QUrl(QStringLiteral("https://huggingface.co/api/models/org/repo"))};
    QVERIFY(worthRepeating(answer));
    QVERIFY(explain(answer).hint.find("17 s") != std::string::npos);
    answer = {.status = 403, .url = QUrl(QStringLiteral("https://cdn.example/x?Signature=1")), .fromHub = false};
    QVERIFY(worthRepeating(answer));
    QVERIFY(explain(answer).message().find("Signature") == std::string::npos);
    answer.fromHub = true;
    QVERIFY(!worthRepeating(answer));
    answer = {.status = 403,
              .code = QStringLiteral("GatedRepo"),
              .url = QUrl(QStringLiteral("https://huggingface.co/org/repo/resolve/main/a")),
              .tokenSource = QStringLiteral("HF_TOKEN")};
    QVERIFY(explain(answer).hint.find("https://huggingface.co/org/repo ") != std::string::npos);
    QVERIFY(worthRepeating({.status = 0, .network = QNetworkReply::RemoteHostClosedError}));
    QVERIFY(!worthRepeating({.status = 0, .network = QNetworkReply::SslHandshakeFailedError}));
    QVERIFY(!worthRepeating({.status = 404}));
    const minerva::Error lost = explain({.network = QNetworkReply::HostNotFoundError,
                                         .networkText = QStringLiteral("Host huggingface.co not found"),
                                         .url = QUrl(QStringLiteral("https://huggingface.co/api/models"))});
    QCOMPARE(lost.what, std::string("the host name was not found"));
    QCOMPARE(lost.actual, std::string("huggingface.co"));  // and not the same sentence once more
  }

  void progressIsOneLine() {
    DownloadStatus status{.state = DownloadStatus::Running,
                          .bytesDone = 1'580'000'000,
                          .bytesTotal = 2'500'000'000,
                          .bytesPerSecond = 11.2e6,
                          .secondsLeft = 84};
    QCOMPARE(progressText(status), QString::fromUtf8("1.58 of 2.50 GB · 11.2 MB/s · 1 min 24 s left · verified while downloading"));
    status = {.state = DownloadStatus::Retrying,
              .bytesDone = 1'580'000'000,
              .bytesTotal = 2'500'000'000,
              .note = QStringLiteral("no connection")};
    status.secondsToRetry = 3.2;
    QCOMPARE(progressText(status), QString::fromUtf8("1.58 of 2.50 GB · no connection; next attempt in 4 s"));
    status.state = DownloadStatus::Done;
    QCOMPARE(progressText(status), QStringLiteral("2.50 GB, verified"));
  }
};

APP_TEST(HubPartsTest, "hub_parts", QCoreApplication)
#include "tst_hub_parts.moc"
