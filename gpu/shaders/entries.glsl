// Which rows of the input and of the result a workgroup's columns are. PLACES is a specialization constant of the kernel; in a gathered
// projection (placesGathered) the columns are entries of a tile that by_expert.comp made, and the matrix is their expert's.
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer TilesOfExperts { uvec4 v[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer EntriesOfExperts { uint v[]; };

struct Columns {
  uint matrix;  // of an expert or head
  uint first;   // row, or entry
  uint count;   // of valid columns
};

struct Column {
  uint row, place;
};

// atOnce: columns of a workgroup.
Columns columnsOf(uint group, uint atOnce) {
  if (PLACES == placesGathered) {
    const uvec4 tile = TilesOfExperts(push.route).v[group];
    return Columns(tile.x, tile.y, tile.z);
  }
  const uint first = group * atOnce;
  return Columns(0u, first, push.n > first ? push.n - first : 0u);
}

// Of a column past the last it is the last.
Column columnAt(Columns columns, uint c) {
  const uint at = columns.first + min(c, columns.count - 1u);
  if (PLACES != placesGathered) return Column(at, 0u);
  const uint entry = EntriesOfExperts(push.route).v[4u * push.routeStride + at];
  return Column(entry / push.places, entry % push.places);
}
