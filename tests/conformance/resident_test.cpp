// The predicted memory is what the system allocates: resident memory of this process before and after placing a model and
// filling its context, for every layout a file may have. Mapped pages are counted apart from anonymous memory. Device memory
// is visible only if the driver runs on the CPU.
#include "core/convert/convert.h"
#include "core/convert/mlx_folder.h"
#include "core/convert/synth.h"
#include "core/format/model_file.h"
#include "core/model/model_config.h"
#include "tests/core/format/temporary_folder.h"
#include "tests/support/backend_test.h"
#include "tests/support/resident.h"
#include "tests/support/sparse_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string_view>
#include <vector>

namespace minerva::tests {
namespace {

constexpr double mostApart = 0.02;
// The driver of a software device is part of this process: pages of its libraries and its compiler's allocations.
constexpr double driversOwn = 8 << 20;

struct Opened {
  std::unique_ptr<const format::ModelFile> file;
  model::Plan plan;
};

Opened open(const std::filesystem::path& path) {
  Opened opened;
  auto file = format::ModelFile::open(path);
  EXPECT_TRUE(file) << file.error().message();
  if (!file) return opened;
  opened.file = std::move(*file);
  auto config = model::readModelConfig(*opened.file);
  EXPECT_TRUE(config) << config.error().message();
  if (!config) return opened;
  auto plan = model::buildPlan(*config);
  EXPECT_TRUE(plan) << plan.error().message();
  if (plan) opened.plan = std::move(*plan);
  return opened;
}

// A step as large as it may be, with logits if these are the last positions.
Result<void> stepAt(backend::Placement& placement, const backend::PlaceOptions& options, int slot, int position, bool last) {
  std::vector<backend::StepRow> rows;
  for (int i = 0; i < options.maxRows; ++i) rows.push_back({i % 7, position + i, slot, last && i < options.maxOutputRows});
  MINERVA_TRY(placement.step(rows));
  if (last) MINERVA_TRY(placement.logits(0));
  return {};
}

// Fills every slot with a text, which must be one step.
Result<void> fillWithTexts(backend::Placement& placement, const backend::PlaceOptions& options) {
  for (int slot = 0; slot < options.slots; ++slot) {
    std::vector<backend::StepRow> rows;
    for (int i = 0; i < options.contextLength; ++i) rows.push_back({i % 7, i, slot, i + 1 == options.contextLength});
    MINERVA_TRY(placement.step(rows));
    MINERVA_TRY(placement.logits(0));
  }
  return {};
}

// Fills every position of every slot, so that the whole cache is touched.
Result<void> fill(backend::Placement& placement, const backend::PlaceOptions& options) {
  for (int slot = 0; slot < options.slots; ++slot) {
    for (int position = 0; position < options.contextLength; position += options.maxRows) {
      const bool last = slot + 1 == options.slots && position + options.maxRows >= options.contextLength;
      MINERVA_TRY(stepAt(placement, options, slot, position, last));
    }
  }
  return {};
}

// The layers are small beside the embedding, which costs little time; few experts, because the pages at the ends of each tensor
// stay mapped.
constexpr int context = 256;  // also of learned positions: every row of their table is read

SparseShape sparseShape(const std::string& family) { return {.family = family, .feedForward = 512, .context = context, .experts = 4}; }

using Conversion = std::function<Result<convert::ConvertReport>(const format::ModelFile&, const std::filesystem::path&)>;

// The families that a format cannot hold.
struct Unmade {
  std::string_view format, family, why;
};
constexpr std::string_view noEncoders = "mlx_lm has no encoders";
constexpr Unmade unmade[] = {{"mlx", "gpt2", "its folders store matrices transposed, and MLX would quantize along the wrong dimension"},
                             {"mlx", "falcon-h1", "in MLX's format its weights may or may not hold the model's multipliers"},
                             {"mlx", "bert", noEncoders},
                             {"mlx", "roberta", noEncoders},
                             {"mlx", "nomic-bert", noEncoders},
                             {"mlx", "modernbert", noEncoders},
                             {"mlx", "jina-bert-v3", noEncoders},
                             {"mlx", "eurobert", noEncoders},
                             {"mlx", "neo-bert", noEncoders},
                             {"gguf", "mistral4", "llama.cpp scales its attention otherwise than Transformers"},
                             {"gguf", "gemma3n", "llama.cpp takes only the published sizes"},
                             {"gguf", "gte", "llama.cpp has no such architecture"},
                             {"gguf", "gpt-j", "llama.cpp does not run it"}};

class ResidentMemory : public BackendTest {
 protected:
  // Measures the second placement: by then kernels and thread stacks exist, and pages of the file are no longer mapped. A
  // single step of the first one has made them.
  void expectTakesWhatIsCounted(const std::filesystem::path& path, const std::string& what, model::KvType kvType = model::KvType::f16) {
    const bool cpu = m_backend->info().kind == "CPU";
    expectTakesWhatIsCounted(
        path, what, {.contextLength = cpu ? context : 32, .slots = 2, .maxRows = cpu ? 64 : 32, .maxOutputRows = 8, .kvType = kvType});
  }
  void expectTakesWhatIsCounted(const std::filesystem::path& path, const std::string& what, backend::PlaceOptions options) {
    SCOPED_TRACE(what);
    for (const bool measured : {false, true}) {
      const Opened model = open(path);
      ASSERT_FALSE(model.plan.ops.empty());
      const bool ofTexts = model.plan.embedding != model::none;
      if (ofTexts) {
        options.contextLength = std::min(options.contextLength, model.plan.contextLength);
        options.maxRows = options.contextLength;
        options.maxOutputRows = options.slots;
      }
      const auto needs = m_backend->memoryNeeds(model.plan, options);
      ASSERT_TRUE(needs) << needs.error().message();
      const ResidentBytes before = residentBytes();
      const auto placement = m_backend->place(model.plan, options, {}, {});
      ASSERT_TRUE(placement) << placement.error().message();
      const auto filled = ofTexts    ? fillWithTexts(**placement, options)
                          : measured ? fill(**placement, options)
                                     : stepAt(**placement, options, 0, 0, true);
      ASSERT_TRUE(filled) << filled.error().message();
      if (measured) expectNear(before, residentBytes(), needs->front().use);
    }
  }
  // Each family as `make` writes it from a folder of floats.
  void expectEveryFamilyTakesWhatIsCounted(std::string_view format, const Conversion& make) {
    for (const std::string& family : sparseFamilies()) {
      const TemporaryFolder folder;
      const auto source = folder.path() / "floats", made = folder.path() / ("model." + std::string(format));
      writeSparseFolder(source, sparseShape(family));
      for (const char* name : {"tokenizer.json", "tokenizer_config.json"})
        std::filesystem::copy_file(std::filesystem::path(MINERVA_TEST_DATA "/golden/models/llama-gqa-bf16/hf") / name, source / name);
      const auto report = make(*open(source).file, made);
      const auto* known = std::ranges::find_if(unmade, [&](const Unmade& one) { return one.format == format && one.family == family; });
      if (known != std::end(unmade)) {
        EXPECT_FALSE(report) << family << " can be made after all, although " << known->why;
        continue;
      }
      EXPECT_TRUE(report) << family << ": " << report.error().message();
      if (!report) continue;
      std::filesystem::remove_all(source);
      expectTakesWhatIsCounted(made, family + " as " + std::string(format));
    }
  }
  // Runs a single step with as many rows as a prefill step in the window, which is the largest step for this context.
  void expectTakesWhatIsCountedAtFullSize(const std::filesystem::path& path, const std::string& what) {
    const int rows = m_backend->info().kind == "CPU" ? 512 : 64;
    m_printed = true;
    expectTakesWhatIsCounted(path, what, {.contextLength = rows, .slots = 1, .maxRows = rows, .maxOutputRows = 32});
  }

 private:
  bool m_printed = false;

  void expectNear(const ResidentBytes& before, const ResidentBytes& after, const backend::MemoryUse& counted) {
    // Pages at the boundaries of tensors stay mapped, which matters in small models.
    const double total = static_cast<double>(counted.total());
    const backend::DeviceInfo device = m_backend->info();
    const double most = std::max(mostApart * total, 512.0 * 1024) + (device.software ? driversOwn : 0);
    if (m_printed) {
      const auto taken =
          static_cast<double>(after.files - before.files + (device.software ? after.data - before.data : after.own - before.own));
      std::printf("counted %.1f MiB (files %.1f, weights %.1f, KV %.1f, scratch %.1f), taken %.1f MiB: %+.2f %%\n", total / (1 << 20),
                  static_cast<double>(counted.mapped) / (1 << 20), static_cast<double>(counted.weights) / (1 << 20),
                  static_cast<double>(counted.kv) / (1 << 20), static_cast<double>(counted.scratch) / (1 << 20), taken / (1 << 20),
                  100 * (taken - total) / total);
    }
    const auto expectClose = [](std::int64_t taken, std::uint64_t expected, double less, double more, const char* of) {
      EXPECT_LE(static_cast<double>(taken), static_cast<double>(expected) + more) << "of " << of;
      EXPECT_GE(static_cast<double>(taken), static_cast<double>(expected) - less) << "of " << of;
    };
    expectClose(after.files - before.files, counted.mapped, most, most, "files");
    // Scratch memory is sized for the largest possible step; these steps touch at least half of it.
    const double untouched = static_cast<double>(counted.scratch) / 2;
    if (device.kind == "CPU") expectClose(after.own - before.own, counted.allocated(), most + untouched, most, "its own");
    else if (device.software) expectClose(after.data - before.data, counted.allocated(), most, most, "the device");
    else EXPECT_LE(static_cast<double>(after.own - before.own), most) << "of the host, beside the device's";
  }
};

class ResidentMemorySweep : public ResidentMemory {};

// Converted families. An instruction set changes what is kept of a tensor not by the family but by the element type, and the folders,
// and every type as GGUF and MLX, are measured on each set: so the widest one is enough here. (On all of them it took ten minutes.)
class ResidentMemorySweepOfCopies : public ResidentMemory {};

std::vector<BackendUnderTest> widestAndGpus() {
  std::vector<BackendUnderTest> all = backendsUnderTest();
  const auto isCpu = [](const BackendUnderTest& backend) { return backend.device == "cpu"; };
  const auto firstGpu = std::ranges::find_if_not(all, isCpu);
  if (firstGpu - all.begin() > 1) all.erase(all.begin(), firstGpu - 1);
  return all;
}

TEST(SparseModels, AreOfEveryFamilyThatIsSupported) {
  std::vector<std::string> made = sparseFamilies(), supported = model::supportedFamilies();
  std::ranges::sort(made);
  std::ranges::sort(supported);
  EXPECT_EQ(made, supported) << "a family without a row in tests/support/sparse_families.cpp is not measured";
  for (const std::string& family : made) {
    const TemporaryFolder folder;
    writeSparseFolder(folder.path(), sparseShape(family));
    const Opened opened = open(folder.path());
    ASSERT_TRUE(opened.file);
    const auto config = model::readModelConfig(*opened.file);
    ASSERT_TRUE(config) << config.error().message();
    EXPECT_EQ(config->family, family);
    EXPECT_TRUE(config->warnings.empty()) << family << ": " << config->warnings.front();
  }
}

TEST_P(ResidentMemorySweep, OfEveryFamilyIsWhatWasCounted) {
  for (const std::string& family : sparseFamilies()) {
    const TemporaryFolder folder;
    writeSparseFolder(folder.path(), sparseShape(family));
    expectTakesWhatIsCounted(folder.path(), family);
  }
}

TEST_P(ResidentMemorySweepOfCopies, OfEveryFamilyAsGgufIsWhatWasCounted) {
  expectEveryFamilyTakesWhatIsCounted("gguf", [](const format::ModelFile& file, const std::filesystem::path& out) {
    convert::ConvertOptions options;
    options.type = "q8_0";
    return convert::convertToGguf(file, out, options);
  });
}

TEST_P(ResidentMemorySweepOfCopies, OfEveryFamilyAsMlxIsWhatWasCounted) {
  expectEveryFamilyTakesWhatIsCounted("mlx", [](const format::ModelFile& file, const std::filesystem::path& out) {
    return convert::convertToMlx(file, out, {.bits = 8});  // at 4 bits, 2 % would be less than the pages at the ends of tensors
  });
}

TEST_P(ResidentMemory, OfEveryElementTypeAndFormatIsWhatWasCounted) {
  const TemporaryFolder folder;
  for (const char* type : {"f16", "q8_0", "q4_0", "q4_k_m"}) {
    const auto path = folder.path() / (std::string(type) + ".gguf");
    ASSERT_TRUE(convert::writeSynthetic(path, {.shape = "llama-68m", .type = type}));
    expectTakesWhatIsCounted(path, type);
    if (type == std::string("q8_0")) expectTakesWhatIsCounted(path, "q8_0 with codes in the cache", model::KvType::q8_0);
  }
  const auto source = folder.path() / "floats", mlx = folder.path() / "mlx", single = folder.path() / "single";
  writeSparseFolder(source, {.family = "llama"});
  ASSERT_TRUE(convert::convertToMlx(*open(source).file, mlx, {}));
  expectTakesWhatIsCounted(mlx, "mlx");
  writeSparseFolder(single, {.family = "llama", .dtype = "F32"});
  expectTakesWhatIsCounted(single, "float32");
}

// Only the header is read before a model is placed.
TEST_P(ResidentMemory, OfAPlanIsNextToNothing) {
  for (const std::string& family : rearrangedFamilies()) {
    const TemporaryFolder folder;
    const std::size_t bytes = writeSparseFolder(folder.path(), {.family = family, .layers = 4, .hidden = 1024, .experts = 32});
    const ResidentBytes before = residentBytes();
    const Opened model = open(folder.path());
    const auto needs = m_backend->memoryNeeds(model.plan, {.contextLength = 64, .maxRows = 1, .maxOutputRows = 1});
    ASSERT_TRUE(needs) << needs.error().message();
    const ResidentBytes after = residentBytes();
    EXPECT_LE(after.own - before.own, static_cast<std::int64_t>(bytes / 50)) << family;
    EXPECT_LE(after.files - before.files, static_cast<std::int64_t>(bytes / 50)) << family;
  }
}

// Run by hand, because each model takes gigabytes. MINERVA_REAL_SIZE is the path of a model, or a family for which a sparse
// model with published sizes is made (holes in a file take no disk space). Prints the predicted and the actual memory.
TEST_P(ResidentMemory, OfAModelOfRealSizeIsWhatWasCounted) {
  const char* const wanted = std::getenv("MINERVA_REAL_SIZE");
  if (wanted == nullptr) GTEST_SKIP() << "skipped: MINERVA_REAL_SIZE names no model";
  const std::vector<SparseShape> published{{.family = "gpt-oss",
                                            .layers = 4,
                                            .hidden = 2880,
                                            .heads = 64,
                                            .kvHeads = 8,
                                            .vocabulary = 201088,
                                            .experts = 32,
                                            .expertsUsed = 4,
                                            .expertSize = 2880},
                                           {.family = "gemma3",
                                            .layers = 8,
                                            .hidden = 2560,
                                            .heads = 8,
                                            .kvHeads = 4,
                                            .headDim = 256,
                                            .feedForward = 10240,
                                            .vocabulary = 262208},
                                           {.family = "deepseek-v2",
                                            .layers = 5,
                                            .hidden = 2048,
                                            .heads = 16,
                                            .kvHeads = 16,
                                            .feedForward = 10944,
                                            .vocabulary = 102400,
                                            .experts = 64,
                                            .expertsUsed = 6,
                                            .expertSize = 1408}};
  const auto shape = std::ranges::find(published, wanted, &SparseShape::family);
  if (shape == published.end()) return expectTakesWhatIsCountedAtFullSize(wanted, wanted);
  const TemporaryFolder folder;
  writeSparseFolder(folder.path(), *shape);
  expectTakesWhatIsCountedAtFullSize(folder.path(), wanted);
}

INSTANTIATE_TEST_SUITE_P(Devices, ResidentMemory, testing::ValuesIn(backendsUnderTest()), [](const auto& info) { return info.param.name; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ResidentMemory);
INSTANTIATE_TEST_SUITE_P(Devices, ResidentMemorySweep, testing::ValuesIn(backendsUnderTest()),
                         [](const auto& info) { return info.param.name; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ResidentMemorySweep);
INSTANTIATE_TEST_SUITE_P(Devices, ResidentMemorySweepOfCopies, testing::ValuesIn(widestAndGpus()),
                         [](const auto& info) { return info.param.name; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ResidentMemorySweepOfCopies);

}  // namespace
}  // namespace minerva::tests
