// The count of a conversation's tokens before it is sent is what the engine then processes, message by message, with the built-in model.
#include "app/inference/inference_controller.h"
#include "gpu/available.h"
#include "answer_for.h"
#include "app_test.h"
#include "counted_chat.h"
#include "patience.h"
#include "sample_models.h"

#include <QFile>

#include <algorithm>
#include <random>

using namespace minerva::app;
namespace engine = minerva::engine;
namespace text = minerva::text;

namespace {

// Words, digits, accents, CJK, emoji, code, special tokens spelled out, runs of blanks; sometimes only blanks.
std::string randomText(std::mt19937& random, int most) {
  static const std::vector<std::string> bits{"fox",       " the",    "Straße",   " naïve", "日本語", "🦊",     "\n\n",
                                             "  ",        "<|end|>", "<|user|>", "42",     " 3.5",   "{x: 1}",   "\t",
                                             "assistant", "user\n",  ".",        "'s",     "ﬁ",      "e\xCC\x81"};
  std::string made;
  for (int i = 1 + static_cast<int>(random() % static_cast<unsigned>(most)); i > 0; --i) made += bits[random() % bits.size()];
  return made;
}

engine::Request randomChat(std::mt19937& random) {
  engine::Request request;
  request.maxTokens = 1;
  request.sampling.temperature = 0;
  request.conversation = 1 + random() % 3;
  if (random() % 2 == 0) request.chat.messages.push_back({{"role", "system"}, {"content", randomText(random, 10)}});
  for (int turns = static_cast<int>(random() % 5); turns > 0; --turns) {
    request.chat.messages.push_back({{"role", "user"}, {"content", randomText(random, 12)}});
    request.chat.messages.push_back({{"role", "assistant"}, {"content", randomText(random, 12)}});
  }
  request.chat.messages.push_back({{"role", "user"}, {"content", randomText(random, 12)}});
  return request;
}

int tokensOf(const std::vector<engine::PromptPart>& parts) {
  int sum = 0;
  for (const engine::PromptPart& part : parts) sum += part.tokens;
  return sum;
}

// The built-in model on the CPU, stepped by the test.
struct Driven {
  Driven() {
    auto made = minerva::createBackend("cpu", {});
    if (!made) qFatal("%s", made.error().message().c_str());
    backend = std::move(*made);
    auto loaded = engine::Engine::load(*backend, {.path = builtIn.toStdString()}, [](const engine::LoadProgress&) {}, {});
    if (!loaded) qFatal("%s", loaded.error().message().c_str());
    model = std::move(*loaded);
    model->setSink([this](const engine::Event& event) {
      if (const auto* begun = std::get_if<engine::Started>(&event.body)) started = *begun;
      if (const auto* ended = std::get_if<engine::Finished>(&event.body)) finished = *ended;
      if (std::holds_alternative<engine::Failed>(event.body)) failed = true;
    });
  }
  void run(const engine::Request& request) {
    failed = false;
    started = {};
    finished = {};
    model->submit(request);
    while (model->step()) {
    }
  }
  std::unique_ptr<minerva::backend::Backend> backend;
  std::unique_ptr<engine::Engine> model;
  engine::Started started;
  engine::Finished finished;
  bool failed = false;
};

}  // namespace

class PromptCountTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  // For any conversation, the count before sending equals the number of tokens processed, and the parts add up to it.
  void theCountIsWhatTheEngineProcesses() {
    Driven driven;
    std::mt19937 random(20261122);
    int compared = 0, reused = 0;
    for (int i = 0; i < 1000; ++i) {
      const engine::Request request = randomChat(random);
      PromptQuestion question;
      question.request = request;
      question.wantsParts = true;
      const PromptAnswer answer = answerFor(question, *driven.model);
      QVERIFY(!answer.error);
      QCOMPARE(tokensOf(answer.parts), answer.tokens);
      QCOMPARE(static_cast<int>(answer.pieces.size()), answer.tokens);
      driven.run(request);
      QVERIFY(!driven.failed);
      QCOMPARE(answer.tokens, driven.started.promptTokens);
      QCOMPARE(answer.tokens, driven.finished.timings.promptTokens);
      QCOMPARE(answer.reusable, driven.started.reusedTokens);
      ++compared;
      reused += answer.reusable > 1 ? 1 : 0;
    }
    QCOMPARE(compared, 1000);
    QVERIFY(reused > 100);  // otherwise reuse of the cache was not tested
  }

  // The tokens of a message are those of its text, encoded without the template, plus the two that frame it.
  void everyMessageHasItsOwnTokens() {
    Driven driven;
    const text::Tokenizer& tokenizer = *driven.model->tokenizer();
    std::mt19937 random(7);
    for (int i = 0; i < 200; ++i) {
      PromptQuestion question;
      question.request = randomChat(random);
      question.wantsParts = true;
      const PromptAnswer answer = answerFor(question, *driven.model);
      const auto& messages = question.request.chat.messages;
      for (const engine::PromptPart& part : answer.parts) {
        if (part.message < 0) {
          QCOMPARE(part.tokens, messages[0]["role"] == "system" && &part == &answer.parts.front() ? 0 : 1);
          continue;
        }
        const QString trimmed =
            QString::fromStdString(messages[static_cast<std::size_t>(part.message)]["content"].get<std::string>()).trimmed();
        const auto own = tokenizer.encode(trimmed.toStdString(), {.addSpecial = false, .parseSpecial = true});
        QCOMPARE(part.tokens, static_cast<int>(own.size()) + 2 + (part.message == 0 && messages[0]["role"] == "system" ? 1 : 0));
      }
      QCOMPARE(answer.parts.size(), messages.size() + 2);
    }
  }

  void theCacheIsGoodUpToTheFirstChange() {
    Driven driven;
    engine::Request request;
    request.conversation = 1;
    request.maxTokens = 4;
    for (int i = 0; i < 6; ++i)
      request.chat.messages.push_back(
          {{"role", i % 2 == 0 ? "user" : "assistant"}, {"content", "The quick brown fox number " + std::to_string(i)}});
    request.chat.messages.push_back({{"role", "user"}, {"content", "And now?"}});
    driven.run(request);
    const auto before = driven.model->preview(request);
    QCOMPARE(before->reusable, static_cast<int>(before->tokens.size()) - 1);  // the last token is always computed
    request.chat.messages[2]["content"] = "The slow brown fox number 2";
    const auto after = driven.model->preview(request);
    const auto same = std::ranges::mismatch(before->tokens, after->tokens).in1 - before->tokens.begin();
    QCOMPARE(after->reusable, static_cast<int>(same));
    QVERIFY(after->reusable > 10 && after->reusable < before->reusable);
  }

  // Templates that fold the system prompt into a message, add one of their own, or omit messages.
  void otherTemplatesAreTakenApartToo_data() {
    QTest::addColumn<QString>("source");
    QTest::addColumn<QStringList>("parts");  // "message:text" in order
    QTest::newRow("chatml")
        << s("{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}")
        << QStringList{s("-1:"),
                       s("0:<|im_start|>system\nBe brief.<|im_end|>\n"),
                       s("1:<|im_start|>user\nuser<|im_end|>\n"),
                       s("2:<|im_start|>assistant\nYes.<|im_end|>\n"),
                       s("3:<|im_start|>user\nWhy?<|im_end|>\n"),
                       s("-1:<|im_start|>assistant\n")};
    QTest::newRow("system folded in")
        << s("<s>{% set sys = messages[0].content %}{% for m in messages[1:] %}{% if m.role == 'user' %}[INST] {% if loop.index0 == 0 %}<<SYS>>{{ sys }}<</SYS>>{% endif %}{{ m.content }} [/INST]{% else %} {{ m.content }}</s>{% endif %}{% endfor %}")
        << QStringList{s("-1:"),         s("0:<s>[INST] <<SYS>>Be brief."), s("1:<</SYS>>user [/INST]"),
                       s("2: Yes.</s>"), s("3:[INST] Why? [/INST]"),        s("-1:")};
    QTest::newRow("no system, words of its own")
        << s("Welcome!\n{% for m in messages %}{% if m.role != 'system' %}<{{ m.role }}>{{ m.content | trim }}</>{% endif %}{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}")
        << QStringList{s("-1:Welcome!\n"), s("1:<user>user</>"), s("2:<assistant>Yes.</>"), s("3:<user>Why?</>"), s("-1:<assistant>")};
  }
  void otherTemplatesAreTakenApartToo() {
    QFETCH(const QString, source);
    QFETCH(const QStringList, parts);
    Driven driven;
    const text::Tokenizer& tokenizer = *driven.model->tokenizer();
    const auto chatTemplate = text::ChatTemplate::parse(source.toStdString());
    QVERIFY(chatTemplate.has_value());
    engine::Request request;
    const std::vector<std::pair<const char*, const char*>> said{
        {"system", "Be brief."}, {"user", "user"}, {"assistant", "Yes."}, {"user", "Why?"}};
    for (const auto& [role, content] : said) request.chat.messages.push_back({{"role", role}, {"content", content}});
    const auto prompt = engine::makePrompt(request, &tokenizer, &*chatTemplate, 1 << 20);
    QVERIFY(prompt.has_value());
    QStringList found;
    std::size_t at = 0;
    for (const engine::PromptPart& part : engine::promptParts(request, *prompt, tokenizer, *chatTemplate)) {
      std::string words;
      for (int i = 0; i < part.tokens; ++i) words += tokenizer.piece(prompt->tokens[at++]);
      found << QString::number(part.message) + QLatin1Char(':') + QString::fromStdString(words);
    }
    QCOMPARE(at, prompt->tokens.size());
    QCOMPARE(found, parts);
  }
};

APP_TEST(PromptCountTest, "prompt_count", QGuiApplication)
#include "tst_prompt_count.moc"
