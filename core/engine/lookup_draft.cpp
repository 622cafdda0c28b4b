#include "core/engine/lookup_draft.h"

#include <algorithm>

namespace minerva::engine {

LookupDraft lookUpDraft(std::span<const text::TokenId> tokens, int most) {
  const auto size = static_cast<int>(tokens.size());
  if (size <= LookupDraft::shortest || most <= 0) return {};
  const text::TokenId* t = tokens.data();
  int best = LookupDraft::shortest - 1, after = 0;
  for (int end = size - 1; end > best; --end) {  // the occurrence would end before `end`
    if (t[end - 1] != t[size - 1] || t[end - 2] != t[size - 2]) continue;
    const int longest = std::min(end, LookupDraft::longest);
    int same = 2;
    while (same < longest && t[end - 1 - same] == t[size - 1 - same]) ++same;
    if (same <= best) continue;
    best = same;
    after = end;
    if (same == LookupDraft::longest) break;
  }
  if (after == 0) return {};
  LookupDraft draft{{}, best};
  for (int i = 0; i < most; ++i) draft.tokens.push_back(t[after + i % (size - after)]);
  return draft;
}

}  // namespace minerva::engine
