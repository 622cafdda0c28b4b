// Filters on iterables.
#include "core/text/template/builtins/filters.h"
#include "core/text/template/builtins/globals.h"
#include "core/text/template/value/operations.h"
#include "core/text/template/value/python_text.h"
#include "core/text/template/value/stable_sort.h"
#include "core/text/template/value/unicode.h"

#include <algorithm>

namespace minerva::text::jinja {
namespace {

using Path = std::vector<Value>;  // the steps of an attribute such as 'a.0.b'

Path pathOf(Interpreter& interpreter, const Value& attribute) {
  if (attribute.isNone()) return {};
  if (!attribute.isString()) return {attribute};
  Path path;
  const std::string& text = attribute.text();
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('.', at), text.size());
    const std::string step = text.substr(at, end - at);
    const bool number =
        !step.empty() && step.size() < 18 && std::all_of(step.begin(), step.end(), [](char c) { return c >= '0' && c <= '9'; });
    path.push_back(number ? Value::integer(std::stoll(step)) : interpreter.string(step));
    at = end + 1;
  }
  return path;
}

Value follow(Interpreter& interpreter, Value value, const Path& path, const Value* fallback = nullptr) {
  for (const Value& step : path) {
    value = interpreter.item(value, step);
    if (fallback && value.isUndefined()) value = *fallback;
  }
  return value;
}

// Strings are compared ignoring case unless caseSensitive is set.
Value sortKey(Interpreter& interpreter, const Value& value, bool caseSensitive) {
  return !caseSensitive && value.isString() ? interpreter.string(unicode::lower(value.text())) : value;
}

Value length(Interpreter&, const Value& value, Arguments&) { return Value::integer(static_cast<Int>(requireLength(value))); }

Value first(Interpreter& interpreter, const Value& value, Arguments&) {
  Value item;
  if (iterate(interpreter.heap(), value)(item)) return item;
  return interpreter.undefined("No first item, sequence was empty.");
}

Value last(Interpreter& interpreter, const Value& value, Arguments&) {
  const auto size = lengthOf(value);
  if (!size) raise("'" + typeName(value) + "' object is not reversible");
  if (*size == 0) return interpreter.undefined("No last item, sequence was empty.");
  if (auto item = indexed(interpreter.heap(), value, -1)) return std::move(*item);
  return toVector(interpreter.heap(), value).back();
}

Value toList(Interpreter& interpreter, const Value& value, Arguments&) { return interpreter.list(toVector(interpreter.heap(), value)); }

Value join(Interpreter& interpreter, const Value& value, Arguments& arguments) {
  const BoundArguments bound("join", arguments, {"d", "attribute"});
  const std::string separator = bound.has(0) ? toText(interpreter.heap(), bound[0]) : "";
  const Path path = pathOf(interpreter, bound[1]);
  std::string text;
  bool first = true;
  Value item;
  for (const Puller pull = iterate(interpreter.heap(), value); pull(item);) {
    if (!first) text += separator;
    first = false;
    text += toText(interpreter.heap(), path.empty() ? item : follow(interpreter, item, path));
    interpreter.heap().check(text.size());
    interpreter.heap().work(8);
  }
  return interpreter.string(std::move(text));
}

Value reverse(Interpreter& interpreter, const Value& value, Arguments&) {
  if (!lengthOf(value) && value.kind() != Kind::instance) raise("argument must be iterable");
  std::vector<Value> items = toVector(interpreter.heap(), value);
  std::reverse(items.begin(), items.end());
  if (value.isString()) {
    std::string text;
    for (const Value& item : items) text += item.text();
    return interpreter.string(std::move(text));
  }
  const Value list = interpreter.list(std::move(items));
  return makeGenerator(interpreter.heap(), iterate(interpreter.heap(), list));
}

// Sorts by precomputed keys; stable in both directions, like Python's sort.
std::vector<std::pair<Value, Value>> sorted(Interpreter& interpreter, std::vector<std::pair<Value, Value>> keyed, bool reversed) {
  stableSort(keyed, [&](const auto& a, const auto& b) {
    interpreter.heap().work(8);
    return reversed ? compareValues(b.first, a.first, "<") < 0 : compareValues(a.first, b.first, "<") < 0;
  });
  return keyed;
}

Value sort(Interpreter& interpreter, const Value& value, Arguments& arguments) {
  const BoundArguments bound("sort", arguments, {"reverse", "case_sensitive", "attribute"});
  std::vector<Path> paths;
  if (bound[2].isString()) {
    const std::string& text = bound[2].text();
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t end = std::min(text.find(',', at), text.size());
      paths.push_back(pathOf(interpreter, interpreter.string(text.substr(at, end - at))));
      at = end + 1;
    }
  } else if (!bound[2].isNone()) {
    paths.push_back({bound[2]});
  }
  std::vector<std::pair<Value, Value>> keyed;
  for (const Value& item : toVector(interpreter.heap(), value)) {
    if (paths.empty()) {
      keyed.emplace_back(sortKey(interpreter, item, bound.flag(1)), item);
      continue;
    }
    std::vector<Value> keys;
    for (const Path& path : paths) keys.push_back(sortKey(interpreter, follow(interpreter, item, path), bound.flag(1)));
    keyed.emplace_back(interpreter.list(std::move(keys)), item);
  }
  std::vector<Value> items;
  for (auto& [key, item] : sorted(interpreter, std::move(keyed), bound.flag(0))) items.push_back(item);
  return interpreter.list(std::move(items));
}

Value dictsort(Interpreter& interpreter, const Value& value, Arguments& arguments) {
  const BoundArguments bound("dictsort", arguments, {"case_sensitive", "by", "reverse"});
  if (value.isUndefined()) failUndefined(value);
  if (!value.isDict()) raise("'" + typeName(value) + " object' has no attribute 'items'");
  const std::string by = bound.text(1, "key");
  if (by != "key" && by != "value") raise("You can only sort by either \"key\" or \"value\"");
  std::vector<std::pair<Value, Value>> keyed;
  for (const auto& [key, item] : value.dict().entries)
    keyed.emplace_back(sortKey(interpreter, by == "key" ? key : item, bound.flag(0)), makeTuple(interpreter.heap(), {key, item}));
  std::vector<Value> items;
  for (auto& [key, pair] : sorted(interpreter, std::move(keyed), bound.flag(2))) items.push_back(pair);
  return interpreter.list(std::move(items));
}

Value items(Interpreter& interpreter, const Value& value, Arguments&) {
  if (value.isUndefined()) return makeGenerator(interpreter.heap(), [](Value&) { return false; });
  if (!value.isDict()) raise("Can only get item pairs from a mapping.");
  return makeGenerator(interpreter.heap(),
                       *makeInstance<ViewObject>(interpreter.heap(), value, ViewObject::Part::items).instance().iterate());
}

Value unique(Interpreter& interpreter, const Value& value, Arguments& arguments) {
  const BoundArguments bound("unique", arguments, {"case_sensitive", "attribute"});
  Ref<DictObject> seen = makeDict(interpreter.heap());
  return makeGenerator(interpreter.heap(), [&interpreter, seen, pull = iterate(interpreter.heap(), value),
                                            path = pathOf(interpreter, bound[1]), caseSensitive = bound.flag(0)](Value& out) {
    while (pull(out)) {
      Value key = sortKey(interpreter, follow(interpreter, out, path), caseSensitive);
      if (seen->find(key)) continue;
      seen->set(std::move(key), Value());
      return true;
    }
    return false;
  });
}

template <bool smallest>
Value extreme(Interpreter& interpreter, const Value& value, Arguments& arguments) {
  const BoundArguments bound(smallest ? "min" : "max", arguments, {"case_sensitive", "attribute"});
  const Path path = pathOf(interpreter, bound[1]);
  Value best, bestKey, item;
  bool any = false;
  for (const Puller pull = iterate(interpreter.heap(), value); pull(item);) {
    Value key = sortKey(interpreter, follow(interpreter, item, path), bound.flag(0));
    const bool better = !any || (smallest ? compareValues(key, bestKey, "<") < 0 : compareValues(key, bestKey, ">") > 0);
    any = true;
    if (better) best = item, bestKey = std::move(key);
  }
  return any ? best : interpreter.undefined("No aggregated item, sequence was empty.");
}

Value sum(Interpreter& interpreter, const Value& value, Arguments& arguments) {
  const BoundArguments bound("sum", arguments, {"attribute", "start"});
  const Path path = pathOf(interpreter, bound[0]);
  Value total = bound.has(1) ? bound[1] : Value::integer(0);
  double lost = 0;  // the rounding error: since 3.12 Python adds floats with Neumaier's correction
  Value item;
  for (const Puller pull = iterate(interpreter.heap(), value); pull(item);) {
    const Value next = follow(interpreter, item, path);
    interpreter.heap().work(8);
    if (total.kind() == Kind::real && next.isNumber()) {
      const double a = total.asReal(), b = next.asReal(), both = a + b;
      lost += (a < 0 ? -a : a) >= (b < 0 ? -b : b) ? (a - both) + b : (b - both) + a;
      total = Value::real(both);
    } else {
      total = add(interpreter.heap(), total, next);
    }
  }
  return total.kind() == Kind::real && lost == lost && lost != 0 ? Value::real(total.asReal() + lost) : total;
}

Value map(Interpreter& interpreter, const Value& value, Arguments& arguments) {
  if (!truthy(value)) return makeGenerator(interpreter.heap(), [](Value&) { return false; });
  Puller pull = iterate(interpreter.heap(), value);
  if (arguments.positional.empty()) {
    const BoundArguments bound("map", arguments, {"attribute", "default"});
    if (!bound.has(0)) raise("map requires a filter argument");
    return makeGenerator(interpreter.heap(),
                         [&interpreter, pull = std::move(pull), path = pathOf(interpreter, bound[0]),
                          fallback = bound.has(1) && !bound[1].isNone() ? std::optional(bound[1]) : std::nullopt](Value& out) {
                           if (!pull(out)) return false;
                           out = follow(interpreter, out, path, fallback ? &*fallback : nullptr);
                           return true;
                         });
  }
  const std::string name = toText(interpreter.heap(), arguments.positional[0]);
  if (!findFilter(name)) raise("No filter named '" + name + "'.");
  Arguments rest{{arguments.positional.begin() + 1, arguments.positional.end()}, arguments.keywords};
  return makeGenerator(interpreter.heap(), [&interpreter, pull = std::move(pull), name, rest = std::move(rest)](Value& out) {
    if (!pull(out)) return false;
    out = interpreter.applyFilter(name, out, rest);
    return true;
  });
}

// select, reject, selectattr, rejectattr
template <bool wanted, bool byAttribute>
Value choose(Interpreter& interpreter, const Value& value, Arguments& arguments) {
  if (!truthy(value)) return makeGenerator(interpreter.heap(), [](Value&) { return false; });
  const std::size_t used = byAttribute ? 1 : 0;
  if (arguments.positional.size() < used) raise("Missing parameter for attribute name");
  const Path path = byAttribute ? pathOf(interpreter, arguments.positional[0]) : Path();
  std::string test;
  Arguments rest;
  if (arguments.positional.size() > used) {
    test = toText(interpreter.heap(), arguments.positional[used]);
    rest = {{arguments.positional.begin() + static_cast<std::ptrdiff_t>(used) + 1, arguments.positional.end()}, arguments.keywords};
  }
  return makeGenerator(interpreter.heap(),
                       [&interpreter, pull = iterate(interpreter.heap(), value), path, test, rest = std::move(rest)](Value& out) {
                         while (pull(out)) {
                           const Value subject = byAttribute ? follow(interpreter, out, path) : out;
                           interpreter.heap().work(16);
                           if ((test.empty() ? truthy(subject) : interpreter.applyTest(test, subject, rest)) == wanted) return true;
                         }
                         return false;
                       });
}

Value groupby(Interpreter& interpreter, const Value& value, Arguments& arguments) {
  const BoundArguments bound("groupby", arguments, {"attribute", "default", "case_sensitive"}, 1);
  const Path path = pathOf(interpreter, bound[0]);
  const Value* fallback = bound.has(1) && !bound[1].isNone() ? &bound[1] : nullptr;
  std::vector<std::pair<Value, Value>> keyed;
  for (const Value& item : toVector(interpreter.heap(), value))
    keyed.emplace_back(sortKey(interpreter, follow(interpreter, item, path, fallback), bound.flag(2)), item);
  keyed = sorted(interpreter, std::move(keyed), false);
  std::vector<Value> groups;
  for (std::size_t from = 0; from < keyed.size();) {
    std::vector<Value> members;
    std::size_t to = from;
    for (; to < keyed.size() && equals(keyed[to].first, keyed[from].first); ++to) members.push_back(keyed[to].second);
    // If case is ignored, the group is named as written by its first member.
    const Value grouper = follow(interpreter, members[0], path, fallback);
    const Value group = makeTuple(interpreter.heap(), {grouper, interpreter.list(std::move(members))});
    static_cast<SequenceObject*>(group.object())->group = true;
    groups.push_back(group);
    from = to;
  }
  return interpreter.list(std::move(groups));
}

Value batch(Interpreter& interpreter, const Value& value, Arguments& arguments) {
  const BoundArguments bound("batch", arguments, {"linecount", "fill_with"}, 1);
  const Int count = bound.integer(0, 1);
  if (count > (Int{1} << 24) && !bound[1].isNone()) raiseLimit("a batch of more than 2^24 items");
  return makeGenerator(interpreter.heap(), [&interpreter, pull = iterate(interpreter.heap(), value), count, fill = bound[1]](Value& out) {
    std::vector<Value> row;
    Value item;
    while ((row.empty() || static_cast<Int>(row.size()) != count) && pull(item)) row.push_back(item);
    if (row.empty()) return false;
    while (!fill.isNone() && static_cast<Int>(row.size()) < count) row.push_back(fill);
    out = interpreter.list(std::move(row));
    return true;
  });
}

Value slice(Interpreter& interpreter, const Value& value, Arguments& arguments) {
  const BoundArguments bound("slice", arguments, {"slices", "fill_with"}, 1);
  const std::vector<Value> all = toVector(interpreter.heap(), value);
  const Int slices = bound.integer(0, 1);
  if (slices == 0) raise("division by zero");
  if (slices > (Int{1} << 20)) raiseLimit("more than 2^20 slices");
  const Int each = static_cast<Int>(all.size()) / slices, longer = static_cast<Int>(all.size()) % slices;
  std::vector<Value> rows;
  std::size_t at = 0;
  for (Int i = 0; i < slices; ++i) {
    const auto size = static_cast<std::size_t>(each + (i < longer ? 1 : 0));
    std::vector<Value> row(all.begin() + static_cast<std::ptrdiff_t>(at), all.begin() + static_cast<std::ptrdiff_t>(at + size));
    at += size;
    if (!bound[1].isNone() && i >= longer && longer >= 0) row.push_back(bound[1]);
    rows.push_back(interpreter.list(std::move(row)));
  }
  return makeGenerator(interpreter.heap(), iterate(interpreter.heap(), interpreter.list(std::move(rows))));
}

Value random(Interpreter& interpreter, const Value& value, Arguments&) {
  const std::size_t size = requireLength(value);
  if (size == 0) return interpreter.undefined("No random item, sequence was empty.");
  const auto ticks = static_cast<std::size_t>(interpreter.now().time_since_epoch().count());
  return *indexed(interpreter.heap(), value, static_cast<Int>(ticks * 0x9E3779B97F4A7C15u % size));
}

// clang-format off
constexpr FilterEntry sequenceTable[] = {
    {"length", length}, {"count", length}, {"first", first}, {"last", last}, {"list", toList}, {"join", join},
    {"reverse", reverse}, {"sort", sort}, {"dictsort", dictsort}, {"items", items}, {"unique", unique},
    {"min", extreme<true>}, {"max", extreme<false>}, {"sum", sum}, {"map", map},
    {"select", choose<true, false>}, {"reject", choose<false, false>},
    {"selectattr", choose<true, true>}, {"rejectattr", choose<false, true>},
    {"groupby", groupby}, {"batch", batch}, {"slice", slice}, {"random", random},
};
// clang-format on

}  // namespace

std::span<const FilterEntry> sequenceFilters() { return sequenceTable; }

}  // namespace minerva::text::jinja
