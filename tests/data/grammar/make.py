#!/usr/bin/env python3
"""Makes schemas.json: JSON schemas with texts that fulfil them and texts that do not, as python-jsonschema says (with
rfc3339-validator). Texts of "narrower" fulfil the schema, but a constrained reply never has that form: other white space or order,
members that are not declared. "refused": schemas that cannot be followed, with words of the error."""
import json
import pathlib

import jsonschema

CASES = []


def case(schema, valid, invalid=(), narrower=()):
    checker = jsonschema.Draft202012Validator(schema, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER)
    checker.check_schema(schema)
    for text in (*valid, *narrower):
        checker.validate(json.loads(text))
    for text in invalid:
        try:
            fulfils = checker.is_valid(json.loads(text))
        except json.JSONDecodeError:
            fulfils = False
        assert not fulfils, (schema, text)
    CASES.append({"schema": schema, "valid": list(valid), "invalid": list(invalid), "narrower": list(narrower)})


def obj(properties, required=None, **more):
    return {"type": "object", "properties": properties, "required": list(properties) if required is None else required, **more}


NULL, INT, STR, BOOL = {"type": "null"}, {"type": "integer"}, {"type": "string"}, {"type": "boolean"}

case({}, ["1", '"a"', "null", "[]", "{}", '{"a": [1, {"b": true}]}', "-0.5e+10"], ["", "{", "01", "[1,]", "tru", "'a'"], [" 1", "[1 ,2]"])
case(True, ["false", "[[[]]]"], ["nul"])
case(NULL, ["null"], ["0", '""', "nulll"])
case(BOOL, ["true", "false"], ["1", '"true"', "True"])
case(INT, ["0", "-7", "1234567890"], ["1.5", "-", "00", '"1"', "1e"], ["1.0", "12345678901234567890", "1e2"])
case({"type": "number"}, ["0", "-1.5", "2e10", "3.25E-2"], [".5", "1.", '"1"', "+1", "0x1"])
case({"type": ["integer", "null"]}, ["3", "null"], ['"3"', "true"])
case({"type": ["string", "boolean"], "maxLength": 2}, ['"ab"', "true"], ['"abc"', "1"])
case(STR, ['""', '"a b"', '"\\n\\u00e9\\ud83d\\ude00"', '"\u00e9\u20ac\U0001f600"', '"\\/"'], ['"a', '"\\x"', '"\\u12"', '"\n"', "a"])
case({"type": "string", "minLength": 2, "maxLength": 3},
     ['"ab"', '"abc"', '"\u00e9\u20ac"', '"\\n\\""', '"\\ud83d\\ude00a"', '"\U0001f600\U0001f600"'],
     ['"a"', '"abcd"', '"\\ud83d\\ude00"', '"\\u0061"', '""'])
case({"type": "string", "maxLength": 0}, ['""'], ['"a"'])
case({"minLength": 1, "type": "string"}, ['"a"', '"' + "x" * 300 + '"'], ['""'])
for lo, hi, good, bad in [(0, 9, ["0", "5", "9"], ["-1", "10"]), (1, 12, ["1", "9", "10", "12"], ["0", "13", "-1", "01"]),
                          (-5, 5, ["-5", "-1", "0", "5"], ["-6", "6"]), (95, 1203, ["95", "99", "100", "999", "1000", "1203"], ["94", "1204", "1300", "9"]),
                          (-120, -7, ["-120", "-99", "-7"], ["-121", "-6", "0", "7"]), (7, 7, ["7"], ["6", "8"]),
                          (2024, 2099, ["2024", "2031", "2099"], ["2023", "2100"])]:
    case({"type": "integer", "minimum": lo, "maximum": hi}, good, bad)
case({"type": "integer", "minimum": 10}, ["10", "11", "99", "123456"], ["9", "-10", "0"])
case({"type": "integer", "maximum": -3}, ["-3", "-50", "-1000"], ["-2", "0", "3"])
case({"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 3}, ["1", "2"], ["0", "3"])
case({"type": "integer", "minimum": 0.5, "maximum": 2.5}, ["1", "2"], ["0", "3"])
case({"type": "integer", "minimum": 1e3}, ["1000"], ["999"])
case({"type": "number", "minimum": 0, "maximum": 1}, ["0", "0.5", "1", "1.0", "0.999999999"], ["-0.1", "1.1", "2", "1.000000001"])
case({"type": "number", "exclusiveMinimum": 0, "maximum": 100}, ["0.001", "7", "99.99", "100"], ["0", "0.0", "-1", "100.5"])
case({"type": "number", "minimum": -2, "exclusiveMaximum": 2}, ["-2", "-1.5", "-0.25", "0", "1.999"], ["2", "2.0", "-2.5", "-3"])
case({"type": "number", "minimum": -10, "maximum": -5}, ["-10", "-7.25", "-5", "-5.0"], ["-4.9", "-10.1", "0", "5"])
case({"type": "number", "minimum": 3}, ["3", "3.5", "1234"], ["2.9", "0", "-3"])
case({"type": "number", "maximum": 0}, ["0", "-0.5", "-12"], ["0.5", "1"])
case({"const": "a\"b"}, ['"a\\"b"'], ['"a"', "1"])
case({"const": {"a": [1, None]}}, ['{"a":[1,null]}'], ['{"a":[1]}'], ['{"a": [1,null]}'])
case({"enum": ["red", "green", 3, None, True]}, ['"red"', '"green"', "3", "null", "true"], ['"re"', '"blue"', "4", "false", '"redgreen"'])
case({"type": "string", "enum": ["a", 1, "b"]}, ['"a"', '"b"'], ["1", '"c"'])
case({"enum": ["a", "abc", "abcdef"], "minLength": 2, "maxLength": 4, "type": "string"}, ['"abc"'], ['"a"', '"abcdef"'])
case({"enum": [1, 5, 9], "minimum": 3}, ["5", "9"], ["1"])
case({"type": "array"}, ["[]", "[1, \"a\", [], {}]"], ["[", "{}", "[1 2]"])
case({"type": "array", "items": INT}, ["[]", "[1]", "[1,2, 3]"], ['["a"]', "[1,]", "[1,null]"])
case({"type": "array", "items": STR, "minItems": 2, "maxItems": 3}, ['["a","b"]', '["a", "b", "c"]'], ["[]", '["a"]', '["a","b","c","d"]'])
case({"type": "array", "items": INT, "minItems": 1}, ["[1]", "[1,2,3,4,5,6,7,8]"], ["[]"])
case({"type": "array", "items": INT, "maxItems": 1}, ["[]", "[1]"], ["[1,2]"])
case({"type": "array", "items": INT, "maxItems": 0}, ["[]"], ["[1]"])
case({"type": "array", "prefixItems": [INT, STR], "items": False}, ["[]", "[1]", '[1,"a"]'], ['["a"]', '[1,"a",2]'])
case({"type": "array", "prefixItems": [INT, STR], "minItems": 2}, ['[1, "a"]'], ["[]", "[1]", '["a",1]'], ['[1,"a",null]'])
case({"type": "array", "prefixItems": [INT], "items": STR, "minItems": 2, "maxItems": 3}, ['[1,"a"]', '[1,"a","b"]'], ["[1]", "[1,2]", '[1,"a","b","c"]'])
case({"type": "array", "prefixItems": [INT], "minItems": 2}, ["[1,null]", "[1,2,3]"], ["[1]", "[null,1]"])
case({"type": "array", "items": {"type": "array", "items": BOOL, "minItems": 1}}, ["[]", "[[true],[false,true]]"], ["[[]]", "[true]"])
case({"type": "object"}, ["{}", '{"a": 1}', '{"b":{"c":[]},"d":null}'], ["[]", '{"a"}', '{a:1}', '{"a":1,}'])
case(obj({"name": STR, "age": INT}), ['{"name":"a","age":3}', '{"name": "a", "age": 3}', '{\n  "name": "a",\n  "age": 3\n}'],
     ['{"name":"a"}', '{"name":1,"age":3}', "{}", '{"age":3}'], ['{"age":3,"name":"a"}', '{"name":"a","age":3,"x":1}'])
case(obj({"a": INT, "b": INT, "c": INT}, ["b"]), ['{"b":1}', '{"a":1,"b":2}', '{"b":1,"c":2}', '{"a":1,"b":2,"c":3}'], ["{}", '{"a":1}', '{"a":1,"c":2}'])
case(obj({"a": INT, "b": INT, "c": INT}, []), ["{}", '{"a":1}', '{"b":1}', '{"c":1}', '{"a":1,"c":1}', '{"b":1,"c":1}'], ['{"a":"x"}', '{"a":1"b":1}', '{,"b":1}'])
case(obj({"a": INT}, additionalProperties=False), ['{"a":1}'], ["{}", '{"a":1,"b":2}', '{"b":2}'])
case(obj({"a": INT}, additionalProperties=True), ['{"a":1}', '{"a":1,"b":[2],"ab":null}'], ["{}", '{"b":2}'])
case({"type": "object", "additionalProperties": INT}, ["{}", '{"a":1}', '{"a":1,"b":2}'], ['{"a":"x"}'])
case({"type": "object", "additionalProperties": INT, "maxProperties": 2}, ["{}", '{"a":1,"b":2}'], ['{"a":1,"b":2,"c":3}'])
case({"type": "object", "required": ["x"], "additionalProperties": STR}, ['{"x":"1"}', '{"x":"1","y":"2"}'], ["{}", '{"x":1}', '{"y":"2"}'])
case(obj({"a": False, "b": INT}, ["b"]), ['{"b":1}'], ['{"a":1,"b":1}'])
case(obj({"\u00e9 \"q\"": NULL}), ['{"\u00e9 \\"q\\"":null}'], ["{}", '{"\u00e9":null}'])
case(obj({"p": obj({"q": {"type": "array", "items": obj({"r": BOOL})}})}), ['{"p":{"q":[{"r":true},{"r":false}]}}', '{"p":{"q":[]}}'], ['{"p":{}}', '{"p":{"q":[{}]}}'])
case({"anyOf": [INT, STR]}, ["1", '"a"'], ["null", "[1]"])
case({"anyOf": [obj({"a": INT}), obj({"b": INT})]}, ['{"a":1}', '{"b":1}'], ["{}", '{"c":1}'])
case({"type": "object", "properties": {"k": STR}, "required": ["k"], "anyOf": [{"properties": {"a": INT}, "required": ["a"]}, {"properties": {"b": INT}, "required": ["b"]}]},
     ['{"a":1,"k":"x"}', '{"b":1,"k":"x"}'], ['{"k":"x"}', '{"a":1}', "{}"], ['{"k":"x","a":1}'])
case({"oneOf": [INT, STR, NULL]}, ["1", '"a"', "null"], ["true"])
case({"oneOf": [obj({"kind": {"const": "cat"}, "lives": INT}), obj({"kind": {"const": "dog"}, "name": STR})]},
     ['{"kind":"cat","lives":9}', '{"kind":"dog","name":"x"}'], ['{"kind":"cat","name":"x"}', '{"kind":"cow"}', "{}"])
case({"type": "object", "propertyNames": {"type": "string"}, "additionalProperties": INT}, ["{}", '{"a":1}'], ['{"a":null}'])
case({"allOf": [{"type": "integer", "minimum": 3}, {"maximum": 5}]}, ["3", "5"], ["2", "6", '"4"'])
case({"allOf": [obj({"a": INT}), obj({"b": STR})]}, ['{"a":1,"b":"x"}'], ['{"a":1}', '{"b":"x"}', "{}"])
case({"allOf": [obj({"a": {"type": "integer", "minimum": 2}}), obj({"a": {"maximum": 4}})]}, ['{"a":3}'], ['{"a":1}', '{"a":5}'])
case({"allOf": [obj({"a": INT}), {"properties": {"b": INT}, "additionalProperties": INT}]}, ['{"a":1}', '{"a":1,"b":2}', '{"a":1,"b":2,"c":3}'], ['{"a":1,"b":2,"c":"x"}', '{"b":1}'])
case({"allOf": [{"type": "array", "items": {"minimum": 3}}, {"prefixItems": [INT, {"type": "integer", "maximum": 5}], "items": INT}]}, ["[]", "[3]", "[3,5]", "[3,4,9]"], ["[2]", "[3,6]", "[3,4,2]", "[3,4,null]"])
case({"allOf": [{"type": "array", "prefixItems": [INT], "items": False}, {"prefixItems": [{"minimum": 3}, {"type": "null"}]}]}, ["[]", "[3]"], ["[2]", "[3,null]"])
case({"allOf": [{"type": "array", "prefixItems": [INT], "items": BOOL}, {"prefixItems": [{"minimum": 3}, {}, {"const": True}]}]}, ["[3,false,true]", "[3,true,true,false]"], ["[2]", "[3,1]", "[3,true,false]", "[3,true,true,1]"])
case({"allOf": [{"enum": [1, 2, 3]}, {"enum": [2, 3, 4]}]}, ["2", "3"], ["1", "4"])
case({"allOf": [{"type": ["string", "integer"]}, {"type": ["number", "null"]}]}, ["1"], ['"a"', "null"])
case({"$ref": "#/$defs/a", "$defs": {"a": {"type": "array", "items": {"$ref": "#/$defs/b"}}, "b": INT}}, ["[1,2]"], ['["a"]', "1"])
case({"$ref": "#/definitions/a~1b", "definitions": {"a/b": INT}}, ["1"], ['"a"'])
case({"$defs": {"n": {"type": "integer"}}, "$ref": "#/$defs/n", "minimum": 5}, ["5", "77"], ["4", '"a"'])
case(obj({"value": INT, "next": {"anyOf": [{"$ref": "#"}, NULL]}}), ['{"value":1,"next":null}', '{"value":1,"next":{"value":2,"next":{"value":3,"next":null}}}'], ['{"value":1}', '{"value":1,"next":{}}'])
case({"$ref": "#/$defs/t", "$defs": {"t": obj({"v": INT, "kids": {"type": "array", "items": {"$ref": "#/$defs/t"}}})}},
     ['{"v":1,"kids":[{"v":2,"kids":[]},{"v":3,"kids":[{"v":4,"kids":[]}]}]}'], ['{"v":1,"kids":[1]}', '{"v":1}'])
case({"allOf": [{"$ref": "#/$defs/l"}, {"$ref": "#/$defs/m"}], "$defs": {
    "l": {"type": "object", "properties": {"next": {"$ref": "#/$defs/l"}, "a": INT}, "required": ["a"]},
    "m": {"type": "object", "properties": {"next": {"$ref": "#/$defs/m"}, "b": INT}, "required": ["b"]}}},
     ['{"a":1,"b":2}', '{"next":{"next":{"a":1,"b":2},"a":1,"b":2},"a":1,"b":2}'], ['{"a":1}', '{"next":{"a":1},"a":1,"b":2}'])
for pattern, good, bad in [("^a+$", ["a", "aaa"], ["", "b", "ab"]), ("^[A-Z]{2}-\\d{3,4}$", ["AB-123", "XY-0000"], ["AB-12", "ab-123", "AB-12345"]),
                           ("^(foo|ba[rz])$", ["foo", "bar", "baz"], ["ba", "foobar"]), ("^\\w+@\\w+\\.com$", ["a@b.com"], ["a@bxcom", "@b.com"]),
                           ("b", ["b", "abc", "bb"], ["", "ac"]), ("^a", ["a", "abc"], ["ba", ""]), ("c$", ["c", "abc"], ["ca"]),
                           ("^x$|^y", ["x", "yz"], ["xx", "zy"]), ("^(?:a|b)*?c?$", ["", "abac", "c"], ["cc", "d"]), ("^[^a-c\"]$", ["d", "\n", "\u00e9", "\\"], ["a", "\"", "dd", ""]),
                           ("^\\$\\{\\}\\.\\*$", ["${}.*"], ["$"]), ("^.{2}$", ["ab", "\u20ac\""], ["a\n", "abc"]), ("^\\s\\S$", [" x", "\tx"], ["xx"]),
                           ("^\\u00e9\\x41$", ["\u00e9A"], ["eA"]), ("", ["", "anything"], []), ("^[\\d.-]+$", ["1.2-3"], ["a"])]:
    case({"type": "string", "pattern": pattern}, [json.dumps(t, ensure_ascii=False) for t in good], [json.dumps(t) for t in bad])
case({"type": "string", "pattern": "^[a-z]{2,4}$", "minLength": 2, "maxLength": 10}, ['"abc"'], ['"a"'])
for format, good, bad in [("date", ["2024-01-31", "1999-12-01", "2023-02-28"], ["2024-13-01", "2023-02-30", "2024-04-31", "24-01-01"]),
                          ("time", ["12:30:00Z", "23:59:59.123+01:00"], ["24:00:00Z", "12:60:00Z", "12:30"]),
                          ("date-time", ["2024-01-31T12:30:00Z", "2024-01-31T12:30:00.5-05:30"], ["2024-01-31", "2024-01-31T25:00:00Z"]),
                          ("uuid", ["123e4567-e89b-12d3-a456-426614174000"], ["123e4567e89b12d3a456426614174000", "123e4567-e89b-12d3-a456-42661417400g"]),
                          ("email", ["a@b.com", "first.last@mail-host.org"], ["a"]), ("ipv4", ["127.0.0.1", "255.255.0.10"], ["256.0.0.1", "1.2.3"]),
                          ("ipv6", ["1:2:3:4:5:6:7:8", "fe80:0:0:0:0:0:0:1"], ["1:2:3", "g:2:3:4:5:6:7:8"]),
                          ("duration", ["P3D", "PT12H"], []), ("uri", ["https://example.com/a/b", "http://a.org"], [])]:
    case({"type": "string", "format": format}, [json.dumps(t) for t in good], [json.dumps(t) for t in bad])
case({"type": "integer", "format": "uint8", "minimum": 5, "maximum": 255}, ["5", "255"], ["4", "256"])
case({"anyOf": [INT, {"not": {}}, {"type": "string", "not": True}]}, ["1"], ['"a"', "null"])
case(obj({"a": {"not": {}}, "b": INT}, ["b"]), ['{"b":1}'], ['{"a":1,"b":1}'])
case(obj({"a": INT}, additionalProperties={"not": {}}), ['{"a":1}'], ['{"a":1,"b":2}'])
case({"type": "array", "items": {"not": {}}}, ["[]"], ["[1]"])
case({"type": "integer", "not": False}, ["1"], ['"a"'])
case({"title": "t", "description": "d", "default": 1, "examples": [1], "$comment": "c", "x-own": 1, "type": "integer"}, ["1"], ['"a"'])
case({"properties": {"a": INT}, "required": ["a"]}, ['{"a":1}'], ["{}"], ["1", '"a"'])
case({"items": INT}, ["[1]"], ['["a"]'], ["1"])
case({"type": "object", "properties": {"a": {"type": "string", "maxLength": 1}, "b": {"type": "array", "items": {"enum": ["x", "y"]}, "maxItems": 2}}, "required": ["a", "b"], "additionalProperties": False},
     ['{"a":"","b":[]}', '{"a":"q","b":["x","y"]}'], ['{"a":"qq","b":[]}', '{"a":"q","b":["z"]}', '{"a":"q","b":["x","x","x"]}'])

# Keywords that the validator does not know (OpenAPI, older drafts): by their own definitions.
CASES.append({"schema": {"type": "string", "nullable": True}, "valid": ['"a"', "null"], "invalid": ["1"]})
CASES.append({"schema": {"type": "array", "items": [INT, STR], "additionalItems": NULL}, "valid": ['[1,"a",null,null]', "[1]"], "invalid": ['[1,"a",1]']})
CASES.append({"schema": {"type": "integer", "format": "int8"}, "valid": ["-128", "127"], "invalid": ["128", "-129"]})

STRING = {"type": "string"}
REFUSED = [
    ({"type": "object", "properties": {"a": {"type": "array", "uniqueItems": True}}}, "schema.properties.a.uniqueItems"),
    ({"not": STRING}, "schema.not"), ({"if": STRING, "then": STRING}, "schema.if"), ({"type": "object", "patternProperties": {"(": STRING}}, "schema.patternProperties"),
    ({"not": {}}, "No finite text"), ({"not": True, "nullable": True}, "No finite text"), ({"allOf": [STRING, {"not": {}}]}, "No finite text"),
    ({"type": "array", "contains": {}}, "schema.contains"), ({"type": "array", "contains": True}, "schema.contains"),
    ({"type": "integer", "multipleOf": 100003}, "schema.multipleOf"), ({"type": "number", "multipleOf": 0}, "schema.multipleOf"),
    ({"type": "number", "exclusiveMinimum": 0.1234567890123456}, "schema.exclusiveMinimum"), ({"type": "array", "contains": STRING}, "schema.contains"),
    ({"type": "object", "propertyNames": {"anyOf": [{"maxLength": 3}, {"pattern": "^a"}]}, "additionalProperties": True}, "schema.propertyNames.anyOf"), ({"type": "object", "minProperties": 2}, "schema.minProperties"),
    ({"type": "object", "properties": {"a": STRING}, "additionalProperties": STRING, "maxProperties": 100000}, "schema.maxProperties"), ({"type": "object", "dependentRequired": {"a": ["b"]}}, "schema.dependentRequired"),
    ({"type": "object", "unevaluatedProperties": False}, "schema.unevaluatedProperties"), ({"oneOf": [STRING, {"type": "string", "maxLength": 3}]}, "schema.oneOf"),
    ({"oneOf": [{"type": "object", "properties": {"a": STRING}}, {"type": "object", "properties": {"b": STRING}}]}, "schema.oneOf"),
    ({"type": "string", "pattern": "^a(?<=b)"}, "schema.pattern"), ({"type": "string", "pattern": "\\bword"}, "schema.pattern"), ({"type": "string", "pattern": "(a)\\1"}, "schema.pattern"),
    ({"type": "string", "pattern": "a(^b)"}, "schema.pattern"), ({"type": "string", "pattern": "("}, "schema.pattern"), ({"type": "string", "pattern": "a**"}, "schema.pattern"),
    ({"type": "string", "pattern": "^(a|bb)*$", "minLength": 90000}, "schema.minLength"), ({"type": "string", "pattern": "^a*$|^b*$", "minLength": 3, "maxLength": 90000}, "schema.maxLength"),
    ({"type": "string", "format": "date", "pattern": "^x"}, "schema.pattern"), ({"type": "string", "format": "regex"}, "schema.format"), ({"type": "string", "format": "regex", "pattern": "^a"}, "schema.format"), ({"type": "string", "formt": "date"}, "schema.formt"),
    ({"type": "text"}, "schema.type"), ({"type": []}, "schema.type"), ({"type": "string", "minLength": -1}, "schema.minLength"), ({"type": "string", "minLength": 3, "maxLength": 2}, "schema.minLength"),
    ({"type": "array", "items": 3}, "schema.items"), ({"enum": []}, "schema.enum"), ({"anyOf": []}, "schema.anyOf"), ({"properties": []}, "schema.properties"), ({"type": "object", "required": "a"}, "schema.required"),
    ({"$ref": "#/$defs/none"}, "schema.$ref"), ({"$ref": "http://example.com/schema"}, "schema.$ref"), ({"$ref": "#name"}, "schema.$ref"), ({"$ref": 1}, "schema.$ref"),
    ({"$ref": "#"}, "No finite text"), ({"allOf": [{"$ref": "#"}]}, "references and allOf that end"), (False, "No finite text"), (3, "schema"), (["a"], "schema"),
    ({"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]}, "No finite text"), ({"type": "object", "properties": {"a": False}, "required": ["a"]}, "No finite text"),
    ({"type": "object", "required": ["a"], "additionalProperties": False}, "No finite text"), ({"allOf": [{"type": "string"}, {"type": "integer"}]}, "No finite text"), ({"allOf": [{"const": 1}, {"const": 2}]}, "const"),
    ({"type": "string", "enum": [1]}, "No finite text"), ({"enum": ["ab"], "format": "date"}, "schema.format"), ({"enum": ["ab"], "pattern": "("}, "schema.pattern"), ({"allOf": [{"pattern": "^a"}, {"pattern": "("}]}, "pattern"), ({"allOf": [{"type": "object", "patternProperties": {"a": STRING}, "additionalProperties": False}, {"properties": {"b": STRING}}]}, "patternProperties"),
    ({"type": "integer", "minimum": 5, "maximum": 4}, "No finite text"), ({"type": "integer", "minimum": 1e300}, "schema.minimum"), ({"type": "number", "exclusiveMaximum": True}, "schema.exclusiveMaximum"),
]

out = pathlib.Path(__file__).with_name("schemas.json")
lines = lambda rows: ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in rows)
refused = [{"schema": schema, "names": names} for schema, names in REFUSED]
out.write_text('{"schemas": [\n' + lines(CASES) + '\n],\n"refused": [\n' + lines(refused) + "\n]}\n")
print(len(CASES), "schemas,", sum(len(c[k]) for c in CASES for k in ("valid", "invalid") if k in c), "texts")
