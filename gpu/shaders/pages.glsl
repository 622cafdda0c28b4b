// Where the cache holds a position of a slot (core/backend/kv_pages.h). pages: uint [slots, slotPages], the page of each run of
// runPositions positions; a page has memory for pagePositions of them.
const uint runPositions = 128u;
uint cachedRow(uvec2 pages, uint slot, uint slotPages, uint pagePositions, uint position) {
  const uint page = Uints(pages).v[slot * slotPages + position / runPositions];
  return page * pagePositions + position % runPositions;
}
