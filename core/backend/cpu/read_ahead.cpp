#include "core/backend/cpu/read_ahead.h"

#include "core/backend/cpu/memory.h"
#include "core/backend/cpu/panels.h"
#include "core/base/clock.h"
#include "core/base/cpu_features.h"
#include "core/base/kept_file.h"
#include "core/base/percentile.h"
#include "core/base/processors.h"
#include "core/base/system_memory.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <utility>

namespace minerva::cpu {

FetchSettings fetchSettings{{usualReadAhead[0].bytes, usualReadAhead[1].bytes, -usualReadAhead[2].bytes}, usualFirstCache};

namespace {

// What is compared: left to the hardware, into the first cache, into the second. Of panels, 0 is not quite left to it: codes are still
// fetched while the headers before them are passed (dotInteger). Kernels that multiply rows side by side always fetch as
// many rows behind them, into the second cache, except with 0 and a single row of activations (dotInRows).
constexpr std::array panelChoices{ReadAhead{0, false},    ReadAhead{2048, false}, ReadAhead{4096, false},
                                  ReadAhead{6144, false}, ReadAhead{8192, false}, ReadAhead{4096, true},
                                  ReadAhead{6144, true},  ReadAhead{8192, true},  ReadAhead{16384, true}};
constexpr std::array rowChoices{ReadAhead{0, false},    ReadAhead{4096, false}, ReadAhead{5120, false}, ReadAhead{6144, false},
                                ReadAhead{8192, false}, ReadAhead{8192, true},  ReadAhead{16384, true}, ReadAhead{32768, true}};
constexpr std::array cacheChoices{ReadAhead{0, true}, ReadAhead{8192, true}, ReadAhead{16384, true}, ReadAhead{32768, true}};
constexpr int passes = 4;  // before the same bytes are read again
constexpr int rounds = 9, fewestRounds = 3;
constexpr int fileVersion = 4;   // of what is kept: to be raised with kernels that read otherwise, or what is measured
constexpr int agreements = 3;    // until a choice is believed: one that was made beside other busy programs must not stay for ever
constexpr double longest = 250;  // milliseconds, of which filling the memory is a part; who cannot measure a few rounds in that does not
                                 // wait for memory

// Reads the bytes of one thread's part of a pass, all of the same size.
using Read = std::function<void(std::byte* part)>;

// One row of activations times as many panels of this layout as the part holds.
Read readWeights(const Kernels& kernels, WeightLayout layout, std::size_t panel, std::size_t columns, std::size_t partBytes) {
  const auto bytes = static_cast<int>(Rounding::bytes), words = static_cast<int>(Rounding::words);
  const int rounding = kernels.dot[bytes][layout] != nullptr ? bytes : words;
  const std::vector<float> x(columns, 1.0F);
  std::vector<std::byte> row(std::max(quantizedRowBytes(columns), columns * sizeof(float)));
  if (layout == rowsOf(ElementType::F16)) std::memcpy(row.data(), x.data(), columns * sizeof(float));
  else kernels.quantize[rounding](x.data(), static_cast<int>(columns), quantizedRow(row.data(), 0, 1, columns));
  return [=, dot = kernels.dot[rounding][layout]](std::byte* part) {
    float y[panelRows];
    for (std::size_t p = 0; p < partBytes / panel; ++p) dot(part + p * panel, static_cast<int>(columns), row.data(), row.size(), 1, y);
  };
}

// Queries of one KV head after the other, over as many pages as the part holds: of halves and, in half of the part, of blocks.
Read readCache(const Kernels& kernels, std::size_t partBytes) {
  constexpr int dim = 128, queries = 4, heads = 2;
  constexpr std::size_t blocks = attentionBlock / 16;
  return [attend = kernels.attend, partBytes](std::byte* part) {
    std::vector<float> q(dim, 0.01F), out(dim), scratch(attentionScratch(dim, dim));
    for (const auto& [type, bytes] : {std::pair{CacheType::half, partBytes}, {CacheType::blocks, partBytes / 2}}) {
      const std::size_t keys = blocks * keyBlockBytes(type, dim), head = keys + blocks * valueBlockBytes(type, dim);
      std::vector<int> pages(bytes / (heads * head));
      std::iota(pages.begin(), pages.end(), 0);
      const int positions = static_cast<int>(pages.size()) * attentionBlock;
      const std::vector<AttentionQuery> all(queries, AttentionQuery{q.data(), out.data(), 0, positions});
      for (std::size_t h = 0; h < heads && positions > 0; ++h) {
        const KvHead kv{part + h * head, part + h * head + keys, pages.data(), heads * head, positions};
        attend[static_cast<int>(type)](kv, {dim, dim, 0.1F, 0}, all.data(), queries, scratch.data());
      }
    }
  };
}

std::span<const ReadAhead> choices(Fetched what) {
  switch (what) {
    case Fetched::panels: return panelChoices;
    case Fetched::rows: return rowChoices;
    case Fetched::cache: return cacheChoices;
  }
  return {};
}

Read reading(Fetched what, const Kernels& kernels, std::size_t partBytes) {
  constexpr std::size_t columns = 4096, floats = 2048;  // as many as leave room in the first cache for what is fetched
  switch (what) {
    case Fetched::panels:
      return readWeights(kernels, panelsOf(ElementType::Q4_0), panelBytes(ElementType::Q4_0, columns), columns, partBytes);
    case Fetched::rows: return readWeights(kernels, rowsOf(ElementType::F16), panelRows * floats * 2, floats, partBytes);
    case Fetched::cache: return readCache(kernels, partBytes);
  }
  return {};
}

bool isSame(const ReadAhead& a, const ReadAhead& b) { return a.bytes == b.bytes && a.second == b.second; }

// Milliseconds of a function on all threads, without what it waited for the steps of other models that share them.
template <class Function>
double timeOn(ThreadPool& pool, const Function& function) {
  TimePoint start;
  pool.run([&](int thread) {
    if (thread == 0) start = Clock::now();
    function(thread);
  });
  return millisecondsBetween(start, Clock::now());
}

// The best choice; nothing if nothing was learnt (chooseReadAhead).
std::optional<ReadAhead> measureReadAhead(Fetched what, const Kernels& kernels, ThreadPool& pool, const SetReadAhead& set,
                                          const std::stop_token& stop) {
  const std::uint64_t memoryBytes = beyondCaches();
  if (stop.stop_requested() || systemMemory().available < 4 * memoryBytes) return {};
  const TimePoint began = Clock::now();
  const auto memory = HostMemory::create(memoryBytes, what != Fetched::rows);  // a mapped file has small pages
  if (!memory) return {};
  const std::size_t partBytes = memoryBytes / passes / static_cast<std::size_t>(pool.size()) / 4096 * 4096;
  const auto part = [&](int pass, int thread) {
    return memory->data() + (static_cast<std::size_t>(pass % passes * pool.size() + thread)) * partBytes;
  };
  double own = timeOn(pool, [&](int thread) {  // each touches what it will read: numbers near 1, whose products take no longer than any
    for (int pass = 0; pass < passes; ++pass) std::memset(part(pass, thread), 0x3c, partBytes);
  });
  const Read read = reading(what, kernels, partBytes);
  const std::span<const ReadAhead> all = choices(what);
  const ReadAhead before = usualReadAhead[static_cast<int>(what)];
  std::vector<std::vector<double>> milliseconds(all.size());
  const int count = static_cast<int>(all.size());
  int pass = 0;
  for (; pass < rounds * count && millisecondsBetween(began, Clock::now()) < longest; ++pass) {
    if (stop.stop_requested()) return {};
    const auto choice = static_cast<std::size_t>(pass % count);
    set(what, all[choice]);
    const double time = timeOn(pool, [&](int thread) { read(part(pass, thread)); });
    milliseconds[choice].push_back(time);
    own += time;
    if (pass == 0 && own + time * (fewestRounds * count - 1) > longest) return before;
  }
  const int whole = pass / count;
  if (whole < fewestRounds) return own > longest / 2 ? std::optional(before) : std::nullopt;
  for (std::vector<double>& each : milliseconds) each.resize(static_cast<std::size_t>(whole));
  const auto usual = std::ranges::find_if(all, [&](const ReadAhead& choice) { return isSame(choice, before); }) - all.begin();
  return all[bestReadAhead(milliseconds, static_cast<std::size_t>(usual))];
}

std::filesystem::path readAheadFile(const std::filesystem::path& folder, Fetched what, const Kernels& kernels, int threads) {
  constexpr std::array names{"panels", "rows", "cache"};
  std::ostringstream name;
  name << "cpu-" << std::hex << cpuFeatures().signature << std::dec << '-' << kernels.name << '-' << threads << '.'
       << names[static_cast<std::size_t>(what)];
  return folder / name.str();
}

// The file: a version, then bytes and whether into the second cache, of each measurement so far. One
// that names what is not measured today counts as absent.
std::vector<ReadAhead> keptReadAheads(const std::filesystem::path& file, Fetched what) {
  const std::vector<std::byte> bytes = keptBytes(file);
  std::istringstream in(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  int version = 0;
  if (!(in >> version) || version != fileVersion) return {};
  std::vector<ReadAhead> kept;
  for (ReadAhead one{}; in >> one.bytes >> one.second;) {
    if (std::ranges::none_of(choices(what), [&](const ReadAhead& choice) { return isSame(choice, one); })) return {};
    kept.push_back(one);
  }
  if (!in.eof()) kept.clear();
  return kept;
}

void keepReadAheads(const std::filesystem::path& file, const std::vector<ReadAhead>& measured) {
  std::ostringstream out;
  out << fileVersion << '\n';
  for (const ReadAhead& one : measured) out << one.bytes << ' ' << one.second << '\n';
  const std::string text = out.str();
  keepBytes(file, std::as_bytes(std::span(text)));
}

// The first that was measured so often that another measurement would tell nothing new.
std::optional<ReadAhead> settled(const std::vector<ReadAhead>& measured) {
  const auto often = std::ranges::find_if(measured, [&](const ReadAhead& one) {
    return std::ranges::count_if(measured, [&](const ReadAhead& other) { return isSame(one, other); }) >= agreements;
  });
  return often == measured.end() ? std::nullopt : std::optional(*often);
}

}  // namespace

std::uint64_t beyondCaches(std::uint64_t lastCaches) { return std::max(std::uint64_t{256} << 20, 2 * lastCaches); }
std::uint64_t beyondCaches() { return beyondCaches(lastCacheBytes(allowedCpus())); }

std::size_t bestReadAhead(const std::vector<std::vector<double>>& milliseconds, std::size_t usual) {
  constexpr double worthIt = 1.03;
  std::size_t best = usual;
  double most = worthIt;
  for (std::size_t i = 0; i < milliseconds.size(); ++i) {
    std::vector<double> gains;
    for (std::size_t r = 0; r < milliseconds[i].size(); ++r) gains.push_back(milliseconds[usual][r] / milliseconds[i][r]);
    const double gain = i == usual ? 1 : median(gains);
    if (gain < most) continue;
    most = gain;
    best = i;
  }
  return best;
}

void setReadAhead(Fetched what, ReadAhead ahead) {
  __atomic_store_n(&fetchSettings.ahead[static_cast<int>(what)], ahead.second ? -ahead.bytes : ahead.bytes, __ATOMIC_RELAXED);
}

void setFirstCache(int bytes) { __atomic_store_n(&fetchSettings.firstCache, bytes, __ATOMIC_RELAXED); }

bool chooseReadAhead(Fetched what, const Kernels& kernels, ThreadPool& pool, const std::filesystem::path& cacheFolder,
                     const SetReadAhead& set, const std::stop_token& stop) {
  const auto file = cacheFolder.empty() ? std::filesystem::path() : readAheadFile(cacheFolder, what, kernels, pool.size());
  std::vector<ReadAhead> kept = file.empty() ? std::vector<ReadAhead>() : keptReadAheads(file, what);
  const auto known = settled(kept);
  const auto found = known ? known : measureReadAhead(what, kernels, pool, set, stop);
  set(what, found.value_or(usualReadAhead[static_cast<int>(what)]));
  if (found && !known && !file.empty()) {
    kept.push_back(*found);
    keepReadAheads(file, kept);
  }
  return found.has_value();
}

}  // namespace minerva::cpu
