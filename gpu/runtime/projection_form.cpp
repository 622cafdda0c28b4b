#include "gpu/runtime/projection_form.h"

#include "gpu/runtime/weight_planes.h"
#include "gpu/shaders/shared/choices.h"

#include <algorithm>
#include <set>

namespace minerva::gpu {

namespace {

std::uint32_t divideUp(std::uint32_t a, std::uint32_t b) { return (a + b - 1) / b; }

// The smallest power of two >= n, but at most `largest`.
std::uint32_t columnsFor(std::uint32_t n, std::uint32_t largest) {
  std::uint32_t columns = 1;
  while (columns < n && columns < largest) columns *= 2;
  return columns;
}

std::uint32_t tokensOf(const UnitTiles& tiles, const vulkan::MatrixUnit& unit) { return tiles.along * tiles.m * unit.m; }

// Of a product in such tiles, if its columns may be split.
ColumnRanges rangesOf(const Tuning& tuning, const ProjectionNeeds& needs, std::uint32_t rows, std::uint32_t tokens) {
  if (needs.places != choice::placesNone) return {};
  const std::uint32_t tiles = divideUp(needs.groups * groupRows, rows) * divideUp(needs.tokens, tokens);
  return columnRanges(tuning.ranges, {.count = tiles, .rows = rows, .tokens = tokens}, needs.blocks, needs.room);
}

// What the kernel of a product with such ranges does.
ProjectionNeeds partialNeeds(const ProjectionNeeds& needs, const ColumnRanges& ranges) {
  ProjectionNeeds partial = needs;
  if (ranges.count == 1) return partial;
  partial.places = choice::placesRanges;
  partial.epilogue = choice::epilogueStore;
  partial.activation = 0;
  return partial;
}

// The largest tiles that yield enough workgroups to occupy the device; of gathered places those that an expert's fill.
ProjectionForm unitsForm(const Tuning& tuning, const vulkan::MatrixUnit& unit, const ProjectionNeeds& needs, bool halfSums,
                         const FormatModule& format) {
  const auto rowsOf = [&](const UnitTiles& t) { return t.threads / tuning.units.lanes / t.along * t.n * unit.n; };
  const auto& all = tuning.units.tiles;
  const bool split = splitsInput(needs.type);
  const auto* tiles = std::find_if(all.begin() + (split ? tuning.units.splits : 0), all.end(), [&](const UnitTiles& t) {
    if (needs.places == choice::placesGathered) return tokensOf(t, unit) < needs.tokens;
    return divideUp(needs.groups * groupRows, rowsOf(t)) * divideUp(needs.tokens, tokensOf(t, unit)) >= tuning.units.busy;
  });
  if (tiles == all.end()) --tiles;
  const ColumnRanges ranges = rangesOf(tuning, needs, rowsOf(*tiles), tokensOf(*tiles, unit));
  const ProjectionNeeds done = partialNeeds(needs, ranges);
  return {(halfSums ? "matmul_units_halves_" : "matmul_units_") + format.name,
          format.behind({tiles->threads, tiles->threads, tuning.units.lanes, unit.m, unit.n, unit.k, tiles->m, tiles->n, tiles->along,
                         done.epilogue, done.activation, done.places, split ? 1u : 0u}),
          tuning.units.lanes,
          rowsOf(*tiles),
          tokensOf(*tiles, unit),
          false,
          true,
          ranges};
}

ProjectionForm tilesForm(const Tuning& tuning, const ProjectionNeeds& needs, const FormatModule& format) {
  const MatmulChoice& tiles = tuning.tiles;
  const std::uint32_t teams = tiles.threads / groupRows;
  const std::uint32_t columns = columnsFor(divideUp(needs.tokens, teams), tiles.columns);
  const ColumnRanges ranges = rangesOf(tuning, needs, tiles.groups * groupRows, columns * teams);
  const ProjectionNeeds done = partialNeeds(needs, ranges);
  const bool bytes = tiles.bytes && needs.rounds && takesBytes(needs.type);
  return {(bytes ? "matmul_bytes_" : "matmul_") + format.name,
          format.behind({tiles.threads, tiles.threads, tiles.groups, columns, done.epilogue, done.activation, done.places}),
          0,
          tiles.groups * groupRows,
          columns * teams,
          false,
          false,
          ranges};
}

// Groups of the matrix for one of the result: with the gated epilogue two, gate and up.
std::uint32_t groupsPerResult(const ProjectionNeeds& needs) { return needs.epilogue == choice::epilogueGated ? 2 : 1; }

ProjectionForm rowsForm(const RowsChoice& rows, const ProjectionNeeds& needs, const FormatModule& format) {
  const std::uint32_t columns = columnsFor(needs.tokens, rows.columns);
  return {"matmul_rows_" + format.name, format.behind({groupRows, columns, needs.epilogue, needs.activation, needs.places}), groupRows,
          groupsPerResult(needs) * groupRows, columns};
}

// Of several tokens that are alike, those that a workgroup multiplies together. Each has three sums for a row, and eight tokens more than
// a GPU has registers for; there is one form, because it is compiled beside the others.
std::uint32_t alikeColumns(std::uint32_t tokens, std::uint32_t most) { return tokens <= 2 ? 1 : std::min(most, 4U); }

// Whether a lane that has a block by itself reads single words of the planes, besides whole quads.
bool readsSingleWords(ElementType type) {
  switch (type) {
    case ElementType::F32:
    case ElementType::F16:
    case ElementType::BF16:
    case ElementType::Q8_0:
    case ElementType::Q4_0:
    case ElementType::Q4_1:
    case ElementType::Q5_0:
    case ElementType::Q5_1:
    case ElementType::Q6_K:
    case ElementType::Q2_K:
    case ElementType::IQ4_NL:
    case ElementType::NVFP4:
    case ElementType::NVFP4_PLANES: return false;
    default: return true;
  }
}

bool hasNoScales(ElementType type) { return type == ElementType::F32 || type == ElementType::F16 || type == ElementType::BF16; }

// Whether matvec.comp can read the whole matrix through texel buffers. Lanes that share a block read its codes word by word, those of
// plain floats aside (format.glsl: rawAt), and a buffer has as many words at most as quads.
bool fitsTexels(const ProjectionNeeds& needs, const MatvecChoice& form) {
  const bool words = form.share > 1 ? !hasNoScales(needs.type) : readsSingleWords(needs.type);
  return needs.bytes / (words ? 4 : 16) <= needs.texels;
}

// What matvec_words.comp requires.
bool takesWords(const ProjectionNeeds& needs) {
  const bool twoBytes = needs.type == ElementType::F16 || needs.type == ElementType::BF16;
  return twoBytes && needs.tokens == 1 && needs.places == choice::placesNone && !needs.normed && needs.blocks > 0 &&
         needs.blocks % tileBlocks == 0;
}

ProjectionForm wordsForm(const ProjectionNeeds& needs, const FormatModule& format) {
  return {"matvec_words_" + format.name,
          format.behind({groupRows, needs.epilogue, needs.activation}),
          groupRows,
          groupsPerResult(needs) * groupRows,
          1,
          true};
}

}  // namespace

// float16 is too coarse for the weights of F32 files, and for activations beside those of F16 files: measured error 0.024 where 0.02 is
// allowed (core's golden values). Files of BF16 and of quantized weights have larger errors anyway.
bool takesUnits(ElementType type) { return type != ElementType::F32; }
bool splitsInput(ElementType type) { return type == ElementType::F16; }
bool takesBytes(ElementType type) {
  return type != ElementType::F32 && type != ElementType::F16 && type != ElementType::BF16 && !signedBytesOf(type);
}
bool takesHalfSums(ElementType type) { return takesUnits(type) && type != ElementType::F16 && type != ElementType::BF16; }

std::array<std::uint32_t, 3> tokensFirst(std::uint32_t tokens, std::uint32_t rows) {
  return {tokens, std::min(rows, choice::rowsOfPlane), divideUp(rows, choice::rowsOfPlane)};
}

ProjectionForm projectionForm(const Tuning& tuning, const vulkan::MatrixUnit& unit, const ProjectionNeeds& needs) {
  const FormatModule format = moduleOf(needs.type);
  const bool gathered = needs.places == choice::placesGathered;
  const ProjectionChoice chosen = gathered ? choiceOfGathered(tuning) : choiceOf(tuning, kindOf(needs.type, needs.groups * groupRows));
  const bool each = needs.places != choice::placesNone && !gathered;
  const bool fits = !splitsInput(needs.type) || tuning.units.splits < tuning.units.tiles.size();
  if (needs.rounds && takesUnits(needs.type) && fits && unit.present() && needs.tokens >= chosen.unitsFrom && !each) {
    return unitsForm(tuning, unit, needs, chosen.halfSums && takesHalfSums(needs.type), format);
  }
  if (needs.tokens >= tuning.rows.from && !each) return rowsForm(tuning.rows, needs, format);
  if (tuning.words && takesWords(needs)) return wordsForm(needs, format);
  if (needs.tokens >= chosen.tilesFrom && !each) return tilesForm(tuning, needs, format);
  const MatvecChoice& form = needs.tokens == 1 || each ? chosen.one : chosen.many;
  const bool alike = needs.alike > 1 && !each;
  const std::uint32_t columns = each ? 1 : alike ? alikeColumns(needs.alike, chosen.many.columns) : columnsFor(needs.tokens, form.columns);
  const std::uint32_t rows = std::clamp(tuning.sums / (groupsPerResult(needs) * columns), 1u, form.rows);
  const std::uint32_t teams = needs.summed > 0 ? needs.summed : form.teams;  // that have the same rows, if results are summed
  return {(form.texel && fitsTexels(needs, form) ? "matvec_texel_" : "matvec_") + format.name,
          format.behind({tuning.lanes * teams, tuning.lanes, rows, columns, needs.epilogue, needs.activation, needs.places,
                         needs.normed ? 1u : 0u, form.share, needs.summed, needs.shared, alike && columns > 1 ? 1u : 0u}),
          tuning.lanes,
          rows * groupsPerResult(needs) * (needs.summed > 0 ? 1 : teams),
          columns,
          needs.places == choice::placesNone};
}

Gathering gatheringOf(const Tuning& tuning, const vulkan::MatrixUnit& unit, const RowsOfOp& rows, std::uint32_t experts, std::uint32_t used,
                      bool rounds) {
  const std::uint32_t entries = rows.count * used;
  const std::uint32_t each = rows.chosenFor * used / experts;
  if (each < leastGathered) return {};
  const ProjectionForm form =
      projectionForm(tuning, unit, {.type = ElementType::Q8_0, .tokens = each, .places = choice::placesGathered, .rounds = rounds});
  return {.tokens = each, .tile = form.columns, .tiles = std::min(entries, experts + entries / form.columns), .rounds = rounds};
}

// A form changes where a kernel takes over, where more tokens fill wider invocations, and where they fill one more tile.
std::vector<std::uint32_t> formStarts(const Tuning& tuning, const vulkan::MatrixUnit& unit, std::uint32_t most) {
  std::set<std::uint32_t> starts{1, 2, 3, 5, tuning.tiles.from, tuning.units.from};
  std::uint32_t tilesFrom = tuning.tiles.from, unitsFrom = tuning.units.from;  // of any kind
  for (const auto& [kind, measured] : tuning.measured) {
    const ProjectionChoice chosen = choiceOf(tuning, kind);
    starts.insert({chosen.tilesFrom, chosen.unitsFrom});
    tilesFrom = std::min(tilesFrom, chosen.tilesFrom);
    unitsFrom = std::min(unitsFrom, chosen.unitsFrom);
  }
  if (tuning.rows.from <= most) {
    starts.insert(tuning.rows.from);
    for (std::uint32_t columns = 1; columns < tuning.rows.columns; columns *= 2) starts.insert(columns + 1);
  }
  const std::uint32_t teams = tuning.tiles.threads / groupRows;
  if (tilesFrom <= most) {
    for (std::uint32_t columns = 1; columns < tuning.tiles.columns; columns *= 2) starts.insert(columns * teams + 1);
    // Columns of a matrix are split where there are few tiles.
    const std::uint32_t tile = tuning.tiles.columns * teams;
    for (std::uint32_t tokens = tile; tokens < most && tuning.ranges.cores > 0; tokens += tile) starts.insert(tokens + 1);
  }
  if (unit.present() && unitsFrom <= most) {
    for (const UnitTiles& tiles : tuning.units.tiles) {
      for (std::uint32_t tokens = 1; tokens <= most; tokens += tokensOf(tiles, unit)) starts.insert(tokens);
    }
  }
  return {starts.begin(), starts.upper_bound(most)};
}

}  // namespace minerva::gpu
