// Which rows of the input and of the result a workgroup's columns are. PLACES is a specialization constant of the kernel; in a gathered
// projection (placesGathered) the columns are entries of a tile that by_expert.comp made, and the matrix is their expert's. With ranges
// (placesRanges) a workgroup multiplies by a range of the matrix' columns, and y counts the tiles of the tokens once for each range.
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer TilesOfExperts { uvec4 v[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer EntriesOfExperts { uint v[]; };

struct Columns {
  uint matrix;  // of an expert or head
  uint first;   // row, or entry
  uint count;   // of valid columns
  uint range;   // of the matrix' columns
};

struct Column {
  uint row, place;
};

// atOnce: columns of a workgroup.
Columns columnsOf(uint group, uint atOnce) {
  if (PLACES == placesGathered) {
    const uvec4 tile = TilesOfExperts(push.route).v[group];
    return Columns(tile.x, tile.y, tile.z, 0u);
  }
  const uint tiles = PLACES == placesRanges ? (push.n + atOnce - 1u) / atOnce : 1u;
  const uint first = (PLACES == placesRanges ? group % tiles : group) * atOnce;
  return Columns(0u, first, push.n > first ? push.n - first : 0u, PLACES == placesRanges ? group / tiles : 0u);
}

// First and past the last block of the matrix' columns that the workgroup multiplies by. REQUIRES ranges of whole blocks, none of them empty.
uvec2 blocksOf(Columns columns) {
  if (PLACES != placesRanges) return uvec2(0u, push.blocks);
  const uint each = push.columns / 32u;
  return uvec2(columns.range * each, min((columns.range + 1u) * each, push.blocks));
}

// Of a column past the last it is the last.
Column columnAt(Columns columns, uint c) {
  const uint at = columns.first + min(c, columns.count - 1u);
  if (PLACES != placesGathered) return Column(at, columns.range);
  const uint entry = EntriesOfExperts(push.route).v[4u * push.routeStride + at];
  return Column(entry / push.places, entry % push.places);
}
