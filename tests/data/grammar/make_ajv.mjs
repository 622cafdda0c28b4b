#!/usr/bin/env node
// Makes ajv.json: schemas as clients' libraries write them (zod, Pydantic, schemars, MCP servers), with texts that fulfil them and texts that
// do not, as ajv says with ajv-formats (draft 4: ajv-draft-04). In a folder with `npm install ajv ajv-formats ajv-draft-04 zod`, run
// node /path/to/make_ajv.mjs. Texts of "narrower" fulfil the schema, but a constrained reply never has that form.
import fs from 'fs';
import {createRequire} from 'module';
import path from 'path';
import {fileURLToPath} from 'url';

const require = createRequire(path.join(process.cwd(), 'x.js'));
const {z} = require('zod');
const validator = draft4 => {
  const Ajv = require(draft4 ? 'ajv-draft-04' : 'ajv/dist/2020').default;
  const ajv = new Ajv({strict: false, unicodeRegExp: true, multipleOfPrecision: 9, validateSchema: false, logger: false});
  require('ajv-formats').default(ajv);
  for (const name of ['starts_with', 'ends_with', 'nanoid', 'cidrv4', 'e164', 'base64url', 'uint', 'uint64', 'sha256_hex'])
    if (!ajv.formats[name]) ajv.addFormat(name, true);
  return ajv;
};
const cases = [];
function check(schema, valid, invalid, narrower = []) {
  const fulfils = validator(JSON.stringify(schema).includes('draft-04')).compile(schema);
  for (const [texts, expected] of [[valid, true], [narrower, true], [invalid, false]])
    for (const text of texts) {
      let answer = false;
      try { answer = fulfils(JSON.parse(text)); } catch { /* no JSON */ }
      if (answer !== expected) throw new Error(`${JSON.stringify(schema)}\n${text}: ${answer}`);
    }
  cases.push({schema, valid, invalid, narrower});
}
const q = texts => texts.map(text => JSON.stringify(text));
const strings = (schema, valid, invalid, narrower = []) => check(schema, q(valid), q(invalid), q(narrower));
const zod = type => z.toJSONSchema(type);

// zod writes a pattern beside each format.
strings(zod(z.email()), ['a@b.com', 'first.last+tag@mail-host.co.uk', 'a_b@x.org'], ['a', '@b.com', 'a@b', 'a..b@c.com', 'a@b.c']);
strings(zod(z.email().min(5).max(100)), ['a@b.com', 'first.last@example.com'], ['a', 'a@b', 'x'.repeat(95) + '@b.com']);
strings(zod(z.uuid()), ['123e4567-e89b-12d3-a456-426614174000', '00000000-0000-0000-0000-000000000000'], ['123e4567-e89b-92d3-a456-426614174000', '123e4567']);
strings(zod(z.uuidv4()), ['123e4567-e89b-42d3-a456-426614174000'], ['123e4567-e89b-12d3-a456-426614174000']);
strings(zod(z.iso.datetime()), ['2024-02-29T12:30:00Z', '2000-02-29T23:59:59.123456Z'], ['2023-02-29T12:30:00Z', '2024-01-31', '2024-01-31T12:30:00+01:00']);
strings(zod(z.iso.datetime({offset: true})), ['2024-01-31T12:30:00+05:30', '2024-01-31T12:30:00.5Z'], ['2024-01-31T12:30:00', '2024-01-31T12:30:00+25:00']);
strings(zod(z.iso.datetime({precision: 3})), ['2024-01-31T12:30:00.123Z'], ['2024-01-31T12:30:00Z', '2024-01-31T12:30:00.12Z']);
strings(zod(z.iso.date()), ['2024-02-29', '0999-12-31', '1900-02-28'], ['1900-02-29', '2023-02-29', '2024-13-01']);
strings(zod(z.iso.time()), ['12:30:00', '23:59', '00:00:00.5'], ['24:00:00', '12:30:00Z']);
strings(zod(z.iso.duration()), ['P3D', 'PT12H30M', 'P1Y2M3DT4H5M6S', 'P2W'], ['P', 'PT', 'P1W2D', '3D'], ['P1Y3D', 'PT1H5S']);
strings(zod(z.ipv4()), ['127.0.0.1', '255.255.255.255'], ['256.0.0.1', '1.2.3', '01.2.3.4']);
strings(zod(z.ipv6()), ['::1', '::', 'fe80::1:2', '2001:db8::', '1:2:3:4:5:6:7:8', '1::8', '1:2:3:4:5:6:7::'], ['1:2:3', 'g::', '1::2::3', ':::', '1:2:3:4:5:6:7:8:9']);
strings(zod(z.hostname()), ['example.com', 'localhost', 'a-b.c.org'], ['', '-a.com', 'a_b.com', 'a..b']);
strings(zod(z.cidrv4()), ['10.0.0.0/8', '1.2.3.4/32'], ['10.0.0.0', '10.0.0.0/33']);
strings(zod(z.e164()), ['+491701234567'], ['0170', '+0123456']);
strings(zod(z.nanoid()), ['V1StGXR8_Z5jdHi6B-myT'], ['short']);
strings(zod(z.base64()), ['', 'aGk=', 'aGVsbG8='], ['a', 'aGk', 'aG k=']);
strings(zod(z.string().startsWith('a').endsWith('b').min(3).max(5)), ['axb', 'axxxb', 'a"xb'], ['ab', 'axxxxb', 'bxa', 'abx']);
strings(zod(z.string().regex(/^[a-z]+$/).min(2).max(3000)), ['ab', 'x'.repeat(3000)], ['a', 'aB', 'x'.repeat(3001)]);
strings(zod(z.hash('sha256')), ['0'.repeat(64)], ['0'.repeat(63), 'g'.repeat(64)]);

// What a pattern looks ahead to, and patterns beside lengths.
const decimal = '^(?!^[-+.]*$)[+-]?0*(?:\\d{0,8}|(?=[\\d.]{1,11}0*$)\\d{0,8}\\.\\d{0,2}0*$)';
strings({type: 'string', pattern: decimal}, ['1.50', '-0.1', '12345678', '1.234'], ['', '+', '.', '-+']);
strings({type: 'string', pattern: '^(?!^[-+.]*$)[+-]?0*\\d*\\.?\\d*$'}, ['1', '-1.5', '.5'], ['-', '.', '1.2.3', '']);
strings({type: 'string', pattern: '^(?=.*[A-Z])(?=.*\\d)[A-Za-z\\d]{8,20}$'}, ['Passw0rd', '0aaaaaaA'], ['password', 'Password', 'Pw0', 'Passw0rd!']);
strings({type: 'string', pattern: '^(?!admin$)[a-z]+$'}, ['admi', 'admins', 'x'], ['admin', '']);
strings({type: 'string', pattern: '^x(?=y).*(?:z$|^)'}, ['xyz', 'xyaz'], ['xz', 'xy', 'xyzz ']);
strings({type: 'string', pattern: '^[a-z][a-z0-9]*(-[a-z0-9]+)*$', minLength: 3, maxLength: 8}, ['abc', 'ab-c-d', 'abcdefgh'], ['ab', 'a-', 'abcdefghi', 'ab--c']);
strings({type: 'string', pattern: 'b', minLength: 2, maxLength: 3}, ['ab', 'xbx', 'b"'], ['b', 'abcd', 'aa']);
strings({allOf: [{type: 'string', pattern: '^a'}, {pattern: 'b$|^ac'}, {minLength: 3}], maxLength: 5}, ['axb', 'acx', 'acccb'], ['ab', 'axx', 'axxxxb', 'xab']);
strings({type: 'string', format: 'date', pattern: '^2'}, ['2024-01-31'], ['1999-01-31', '2']);
strings({type: 'string', enum: ['ab', 'cd', 'abc'], pattern: '^a', maxLength: 2}, ['ab'], ['cd', 'abc', 'a']);

// Formats without a pattern.
strings({type: 'string', format: 'uri'}, ['https://a.b/c?d=e#f', 'http://localhost:8080/x', 'http://127.0.0.1/', 'https://en.wikipedia.org/wiki/A_(b)', 'https://x.com/a%20b?x=1&y=2', 'ftp://x.y', 'urn:isbn:1'],
        ['x', '//a.b', 'http://a b', 'https://x.com/%2', 'http://[::1'], ['https://a.b:99999/']);
strings({type: 'string', format: 'uri', minLength: 1, maxLength: 2083}, ['https://a.b/c?d=e#f', 'http://a.b/' + 'x'.repeat(200)], ['', 'http://a.b/' + 'x'.repeat(2100)]);
strings({type: 'string', format: 'uri-reference'}, ['', '/', '/a/b', '../x', '#frag', '?q=1', 'a/b:c', 'https://x.y', '//a.b', 'a:b'], ['\\\\a', 'a b', '%1']);
strings({type: 'string', format: 'duration'}, ['P1DT2H3M4S', 'PT90M', 'P2W', 'P1Y2M3D', 'PT0S'], ['P', 'PT', 'P1S', '1D', 'P1D2W']);
strings({type: 'string', format: 'time'}, ['10:00:00Z', '10:00:00.123456789-08:00'], ['10:00', '25:00:00Z', '10:00:00']);
strings({type: 'string', format: 'hostname'}, ['example.com', 'localhost', '1.2.3.4'], ['', 'a_b', '-a']);
strings({type: 'string', format: 'json-pointer'}, ['', '/a/b~1c', '/~0'], ['a', '/~2']);
strings({type: 'string', format: 'relative-json-pointer'}, ['0', '1/a', '2#'], ['', '/a', '01']);
strings({type: 'string', format: 'email', maxLength: 20}, ['a@b.com'], ['a', 'aaaaaaaaaaaaaaaaa@b.com']);

// Formats beside a length that is less than their parts could have.
for (const most of [50, 60, 100]) {
  strings({type: 'string', format: 'email', maxLength: most}, ['first.last@mail.example.co.uk', 'someone@hotmail.com'], ['a', 'x'.repeat(most) + '@b.com']);
  strings({type: 'string', format: 'uri', maxLength: most}, ['https://www.example.com/p', 'https://en.wikipedia.org/wiki/Some_long?x=1#T'], ['a', 'http://a.b/' + 'x'.repeat(most)]);
}
strings({type: 'string', format: 'uri', maxLength: 255}, ['https://www.example.com/p', 'https://a.org/path/to/page'], ['http://a.b/' + 'x'.repeat(255)]);
strings({type: 'string', format: 'uri', maxLength: 500}, ['https://www.example.com/p', 'https://en.wikipedia.org/wiki/Some_long_name_of_an_article?action=edit'], ['http://a.b/' + 'x'.repeat(500)]);

// Numbers.
check({type: 'number', minimum: 0.5}, ['0.5', '0.51', '1', '123.456', '0.50'], ['0.4', '0.49999', '0', '-1', '.5']);
check({type: 'number', minimum: -0.25, maximum: 0.75}, ['-0.25', '0', '0.75', '-0.1', '0.749', '-0.2499'], ['-0.251', '0.76', '1', '-1'], ['-0', '1e-1']);
check({type: 'number', exclusiveMinimum: 0.1, exclusiveMaximum: 12.5}, ['0.11', '0.101', '12', '12.4999', '5'], ['0.1', '0.10', '12.5', '12.50', '13', '0']);
check({type: 'number', minimum: -3.4028234663852886e+38, maximum: 3.4028234663852886e+38}, ['1.5', '-7', '123456789'], ['"1"', 'null'], ['1e30']);
check({type: 'number', exclusiveMinimum: 0, maximum: 1}, ['0.5', '1', '1.0', '0.001'], ['0', '0.0', '1.1', '-1']);
check({type: 'number', minimum: 1e-7}, ['0.0000001', '1'], ['0.00000009', '0']);
check({type: 'integer', minimum: 0.5, maximum: 3.5}, ['1', '3'], ['0', '4', '1.5']);
check({type: 'integer', minimum: -2.5, exclusiveMaximum: 2}, ['-2', '1'], ['-3', '2']);
check({type: 'integer', minimum: 100000000000000000, maximum: 9223372036854774784}, ['123456789012345678', '1234567890123456789'], ['99999999999999000', '9300000000000000000']);
check({type: 'integer'}, ['1234567890123456789', '-123456789012345678', '0'], ['1.5', '00', '"1"'], ['12345678901234567890']);
check({type: 'integer', format: 'uint64', minimum: 0}, ['12345678901234567'], ['-1']);
check({type: ['integer', 'null'], format: 'uint', minimum: 0}, ['5', 'null'], ['-1', '1.5']);
check({type: 'integer', multipleOf: 5, minimum: 0}, ['0', '5', '123456785'], ['1', '-5', '12']);
check({type: 'integer', multipleOf: 7, minimum: -20, maximum: 20}, ['-14', '-7', '0', '7', '14'], ['-21', '1', '21']);
check({type: 'integer', multipleOf: 0.5}, ['1', '-3'], ['0.5', '"1"']);
check({type: 'number', multipleOf: 0.01, minimum: 0}, ['0.05', '12.34', '100', '7.5'], ['0.005', '-1', '1.234']);
check({type: 'number', multipleOf: 0.25}, ['0.25', '-1.5', '3', '100.75'], ['0.3', '0.125', '1.1']);
check({type: 'number', multipleOf: 10}, ['10', '-250', '0'], ['5', '10.5']);
check({allOf: [{type: 'integer', multipleOf: 3}, {minimum: 1, maximum: 10}]}, ['3', '9'], ['0', '4', '12']);
check({$schema: 'http://json-schema.org/draft-04/schema#', id: 'http://a.b/c#', type: 'object', required: ['n', 'm'],
       properties: {n: {type: 'number', minimum: 0, exclusiveMinimum: true}, m: {type: 'integer', minimum: 1, exclusiveMinimum: false, maximum: 5, exclusiveMaximum: true}}},
      ['{"n":0.1,"m":1}', '{"n":7,"m":4}'], ['{"n":0,"m":1}', '{"n":1,"m":5}', '{"n":1,"m":0}']);

// Names and numbers of members.
check(zod(z.record(z.string(), z.number())), ['{}', '{"a":1}'], ['{"a":"x"}', '[]']);
check(zod(z.record(z.enum(['a', 'b']), z.number())), ['{"a":1,"b":2}'], ['{}', '{"a":1}', '{"a":1,"b":2,"c":3}'], ['{"b":2,"a":1}']);
check(zod(z.partialRecord(z.enum(['a', 'b']), z.number())), ['{}', '{"b":1}', '{"a":1,"b":2}'], ['{"c":1}', '{"a":"x"}'], ['{"b":2,"a":1}']);
check(zod(z.record(z.string().regex(/^x-/), z.number())), ['{}', '{"x-a":1}', '{"x-":1,"x-b":2}'], ['{"a":1}', '{"x-a":null}']);
check({type: 'object', additionalProperties: {type: 'integer'}, propertyNames: {$ref: '#/$defs/C'}, $defs: {C: {enum: ['r', 'g'], type: 'string'}}}, ['{"g":1}', '{}'], ['{"b":1}']);
check({type: 'object', propertyNames: {minLength: 2, maxLength: 3, pattern: '^[a-z]*$'}, additionalProperties: {type: 'integer'}, minProperties: 1}, ['{"ab":1}', '{"abc":1,"de":2}'], ['{}', '{"a":1}', '{"aB":1}', '{"abcd":1}']);
check({type: 'object', properties: {ab: {type: 'string'}, c: {type: 'string'}}, propertyNames: {minLength: 2}}, ['{}', '{"ab":"x"}'], ['{"c":"x"}']);
check({type: 'object', patternProperties: {'^x': {type: 'integer'}}}, ['{}', '{"x":1,"xy":2}'], ['{"x":"a"}'], ['{"a":"x"}']);
check({type: 'object', patternProperties: {'^x': {type: 'integer'}}, additionalProperties: false}, ['{}', '{"xy":2}'], ['{"a":1}', '{"x":"a"}']);
check({type: 'object', properties: {id: {type: 'integer'}, 'x-a': {type: ['string', 'integer']}}, required: ['id'], additionalProperties: {type: 'boolean'},
       patternProperties: {'^x-': {type: 'string'}, '-n$': {type: 'string', maxLength: 2}}},
      ['{"id":1,"x-b":"y"}', '{"id":1,"x-a":"1","z":true,"x-n":"ab"}', '{"id":1,"a-n":"ab"}'], ['{"id":1,"x-a":1}', '{"id":1,"x-n":"abc"}', '{"id":1,"z":1}', '{"id":1,"a-n":true}']);
check({type: 'object', minProperties: 1}, ['{"a":null}', '{"a":1,"b":2}'], ['{}']);
check({type: 'object', additionalProperties: {type: 'integer'}, minProperties: 1, maxProperties: 2}, ['{"a":1}', '{"a":1,"b":2}'], ['{}', '{"a":1,"b":2,"c":3}']);
check({type: 'object', properties: {a: {type: 'null'}, b: {type: 'null'}, c: {type: 'null'}}, minProperties: 2, maxProperties: 2, additionalProperties: false},
      ['{"a":null,"b":null}', '{"a":null,"c":null}', '{"b":null,"c":null}'], ['{}', '{"b":null}', '{"a":null,"b":null,"c":null}']);
check({type: 'object', properties: {a: {type: 'null'}, b: {type: 'null'}}, required: ['b'], minProperties: 2, maxProperties: 3, additionalProperties: {type: 'integer'}},
      ['{"a":null,"b":null}', '{"b":null,"x":1}', '{"a":null,"b":null,"x":1}', '{"b":null,"x":1,"y":2}'], ['{"b":null}', '{"a":null}', '{"b":null,"x":1,"y":2,"z":3}', '{"a":null,"b":null,"x":1,"y":2}']);

// Alternatives, just one of which may hold.
const pet = (kind, more) => ({type: 'object', properties: {kind: {const: kind, default: kind, type: 'string'}, ...more}});
check({discriminator: {propertyName: 'kind', mapping: {cat: '#/$defs/Cat', dog: '#/$defs/Dog'}}, oneOf: [{$ref: '#/$defs/Cat'}, {$ref: '#/$defs/Dog'}],
       $defs: {Cat: {...pet('cat', {x: {type: 'integer'}}), required: ['x']}, Dog: pet('dog', {y: {type: 'integer'}})}},
      ['{"kind":"cat","x":1}', '{"kind":"dog"}', '{"kind":"dog","y":2}'], ['{"kind":"cat"}', '{"kind":"cow"}', '{"x":1}'], ['{"y":1}']);
check({oneOf: [pet('a', {}), pet('b', {}), {type: 'null'}, {type: 'array', items: {}}]}, ['{"kind":"a"}', '{"kind":"b"}', 'null', '[]'], ['{}', '{"kind":"c"}', '1']);
check({oneOf: [{type: 'object', properties: {v: {enum: [1, 2]}, k: {enum: ['a', 'b']}}}, {type: 'object', properties: {v: {enum: [1, 2]}, k: {enum: ['c']}}}]},
      ['{"v":1,"k":"a"}', '{"k":"c"}'], ['{}', '{"v":1}', '{"k":"d"}'], ['{"k":"a","v":1}']);
check({oneOf: ['a', 'b'].map(name => ({type: 'object', properties: {[name]: {type: 'string'}}, required: [name]}))}, ['{"a":"x"}', '{"b":"x"}'], ['{}', '{"a":"x","b":"y"}', '{"a":1}']);
check(zod(z.xor([z.object({a: z.string()}), z.object({b: z.string()})])), ['{"a":"x"}', '{"b":"x"}'], ['{}', '{"a":"x","b":"y"}']);
check({oneOf: Array.from({length: 200}, (_, i) => ({type: 'object', properties: {type: {const: 'event' + i}, value: {type: 'integer'}}, required: ['type']}))},
      ['{"type":"event7"}', '{"type":"event199","value":3}'], ['{"type":"event200"}', '{"value":1}', '{}']);
// What says nothing of the text.
check({type: 'string', enum: ['r', 'g'], enumNames: ['Red', 'Green'], externalDocs: {url: 'x'}, xml: {name: 'c'}, markdownDescription: 'm', enumDescriptions: ['', '']}, ['"r"'], ['"b"']);

const lines = cases.map(one => '  ' + JSON.stringify(one)).join(',\n');
fs.writeFileSync(path.join(path.dirname(fileURLToPath(import.meta.url)), 'ajv.json'), '{"schemas": [\n' + lines + '\n]}\n');
console.log(cases.length, 'schemas,', cases.reduce((n, c) => n + c.valid.length + c.invalid.length + c.narrower.length, 0), 'texts');
