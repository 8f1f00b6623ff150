// wwho/chat: what templates print is what transformers 5.24 with jinja2 3.1.6 prints, or an error; and what a chat may not spell.
// (test_chats.py compares whole chats with an installed transformers.)

import assert from "node:assert/strict";
import { register } from "node:module";
import { after, test } from "node:test";

import { ROOT } from "./common.mjs";

// The package finds @huggingface/jinja beside it once it is installed; here it is in tests/node_modules.
const jinja = JSON.stringify(import.meta.resolve("@huggingface/jinja"));
const hook = `export const resolve = (name, context, next) =>
  name === "@huggingface/jinja" ? { url: ${jinja}, shortCircuit: true } : next(name, context);`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);

const { applyChatTemplate, countChat, renderChat } = await import(new URL("web/package/chat.js", ROOT).href);
const { getEncoding } = await import(new URL("web/package/node.js", ROOT).href);
const enc = await getEncoding("o200k_harmony");
after(() => enc.free());

const USER = [{ role: "user", content: "a" }];
const VALUES = {
  ...{ yes: true, no: false, half: 0.5, tiny: 0.00001, none_: null, n: 3, s: "it's", empty: [] },
  ...{ list: [1, "a", null, true, [], {}], dict: { "k'": 'v"', "ශ්\u200dරී": ["é\n\u{e000}", 'both \'"\\'], x: 0.1 } },
  ...{ tabs: "\ufeff\u0085 a \u001f", think: "\n b \n", kettle: "🫖 on" },
};
/** Templates, and what transformers prints. @type {[string, string][]} */
const PRINTED = [
  [`{{ yes }} {{ no }} {{ true }} {{ none }} {{ none_ }} {{ missing }}|`, `True False True None None |`],
  [`{{ half }} {{ tiny }} {{ 1.0 }} {{ 4 / 2 }} {{ n }}`, `0.5 1e-05 1.0 2.0 3`],
  [`{{ 1.5 ~ none ~ true ~ missing ~ 2 ~ list }}`, `1.5NoneTrue2[1, 'a', None, True, [], {}]`],
  [`{{ list }} {{ dict }} {{ (1, 2) }} {{ [] }} {{ {} }}`, `[1, 'a', None, True, [], {}] {"k'": 'v"', 'ශ්\\u200dරී': ['é\\n\\ue000', 'both \\'"\\\\'], 'x': 0.1} (1, 2) [] {}`],
  [`{{ list | tojson }} {{ dict | tojson }} {{ dict | tojson(indent=2) }} {{ tiny | tojson }} {{ 1.0 | tojson }}`, `[1, "a", null, true, [], {}] {"k'": "v\\"", "ශ්\u200dරී": ["é\\n\ue000", "both '\\"\\\\"], "x": 0.1} {\n  "k'": "v\\"",\n  "ශ්\u200dරී": [\n    "é\\n\ue000",\n    "both '\\"\\\\"\n  ],\n  "x": 0.1\n} 1e-05 1.0`],
  [`{{ dict | tojson(sort_keys=true, separators=(",", ":")) }} {{ dict | tojson(ensure_ascii=true) }}`, `{"k'":"v\\"","x":0.1,"ශ්\u200dරී":["é\\n\ue000","both '\\"\\\\"]} {"k'": "v\\"", "\\u0dc1\\u0dca\\u200d\\u0dbb\\u0dd3": ["\\u00e9\\n\\ue000", "both '\\"\\\\"], "x": 0.1}`],
  [`{{ {"a": [], "b": {}} | tojson(indent=1) }}`, `{\n "a": [],\n "b": {}\n}`],
  [`{{ list | string }} {{ true | string }} {{ half | string }} {{ none | string }} {{ s | string }}`, `[1, 'a', None, True, [], {}] True 0.5 None it's`],
  [`{{ [1, true, none, 0.5, "x", [1]] | join("-") }} {{ ["a", "b"] | join }} {{ "ab" | join("+") }} {{ [1,2] | join(d=", ") }}`, `1-True-None-0.5-x-[1] ab a+b 1, 2`],
  [`{% for i in [1, 2, 3] %}a{{ i }}{% if i == 2 %}!{% continue %}{% endif %}b{% endfor %}`, `a1ba2!a3b`],
  [`{% for i in [1, 2, 3] %}a{{ i }}{% if i == 2 %}!{% break %}{% endif %}b{% endfor %}.`, `a1ba2!.`],
  [`{% for i in [1, 2] %}{% for j in [1, 2] %}{{ i }}{{ j }}{% if j == 1 %}{% break %}{% endif %}x{% endfor %};{% endfor %}`, `11;21;`],
  [`{% for i in [1] %}a{% continue %}{% else %}none{% endfor %}`, `anone`],
  [`{% for i in [] %}a{% else %}none{% endfor %}`, `none`],
  [`{% macro m(x, y=true) %}<{{ x }}{{ y }}{{ kwargs }}>{% endmacro %}{{ m(1) }}{{ m(none, y=[1], z=2) }}`, `<1True{}><None[1]{'z': 2}>`],
  [`{% set t %}{{ true }}{% for i in [1,2] %}{{ i }}{% endfor %}{% endset %}{{ t }}{{ t }}`, `True12True12`],
  [`{% filter upper %}a{{ true }}{% endfilter %} {% filter trim %} x {% endfilter %}`, `ATRUE x`],
  [`{% macro w() %}[{{ caller() }}]{% endmacro %}{% call w() %}in{{ none }}{% endcall %}`, `[inNone]`],
  [`{% for i in [1, 2] %}{{ x is defined }}{% set x = i %}{{ x }}{% endfor %}{{ x is defined }}`, `False1False2False`],
  [`{% set ns = namespace(n=0) %}{% for i in [1, 2] %}{% set ns.n = ns.n + i %}{% endfor %}{{ ns.n }}`, `3`],
  [`{{ 1 == "1" }} {{ none == missing }} {{ missing != none }} {{ true == 1 }} {{ [1, [2]] == [1, [2]] }} {{ {"a": 1} == {"a": 1.0} }} {{ (1, 2) == [1, 2] }}`, `False False True True True True False`],
  [`{{ [1] in [[1]] }} {{ 1 in [true] }} {{ "1" in [1] }} {{ "x" not in ["x"] }} {{ "a" in "cat" }} {{ "x" in dict }}`, `True True False False True True`],
  [`{{ tabs | trim }}|{{ tabs.strip() }}|{{ think.strip("\\n") }}|{{ think.lstrip("\\n") }}|{{ think.rstrip() }}|{{ think.strip(none) }}|`, `\ufeff\u0085 a|\ufeff\u0085 a| b | b \n|\n b|b|`],
  [`{{ kettle | length }} {{ kettle[0] }} {{ kettle[:1] }} {{ kettle[1:] }} {{ kettle[-1] }} {{ list | length }}`, `4 🫖 🫖  on n 6`],
  [`{{ "heLLo it's" | capitalize }} {{ "heLLo it's (me)" | title }} {{ "heLLo it's (me)".title() }} {{ "ABC".capitalize() }}`, `Hello it's Hello It's (Me) Hello It'S (Me) Abc`],
  [`{{ dict is iterable }} {{ (1, 2) is iterable }} {{ n is iterable }} {{ true is number }} {{ missing is iterable }} {{ s is lower }} {{ none is not iterable }}`, `True True False True True True True`],
  [`{{ [] | first }}|{{ [1] | last }}|{{ missing | default(true) }}|{{ "" | default(none, true) }}`, `|1|True|None`],
  [`{{ 5 % 3 }} {{ -5 // 2 }} {{ 2 ** 3 }} {{ "12" | int }} {{ "1.5" | float }} {{ -0.0 }}`, `2 -3 8 12 1.5 -0.0`],
  [`{{ "a b  c".split() }} {{ "a,b".split(",") }} {{ "a,b,c".split(",", 1) }} {{ "aXbX".replace("X", "y", 1) }}`, `['a', 'b', 'c'] ['a', 'b'] ['a', 'b,c'] aybX`],
  [`{% for k, v in dict.items() %}{{ k }}={{ v }};{% endfor %}{% for k in dict %}{{ k }}{% endfor %}`, `k'=v";ශ්\u200dරී=['é\\n\\ue000', 'both \\'"\\\\'];x=0.1;k'ශ්\u200dරීx`],
  [`{{ messages[0].role if messages else none }}{{ "x" if false }}|{{ messages }}`, `user|[{'role': 'user', 'content': 'a'}]`],
  [`{{ range(3) | list }} {{ range(5, 1, -2) | list }}`, `[0, 1, 2] [5, 3]`],
  [`{{ yes and none }} {{ no or [] }} {{ not none }}`, `None [] True`],
  [`{%- generation %} {{ true }}{% endgeneration %}`, ` True`],
  [`{% for i in [1] -%}\r\n  {{ i }}\r\n{% endfor %}\n`, `1\n`],
  [`{{ [1, 2] + [3] }} {{ "a" + "b" }}`, `[1, 2, 3] ab`],
  [`{{ messages | selectattr("role", "equalto", "user") | list }} {{ messages | map(attribute="role") | list }}`, `[{'role': 'user', 'content': 'a'}] ['user']`],
  [`{{ dict | items | list | length }} {{ dict.get("no") }} {{ dict.get("no", 1.0) }}`, `3 None 1.0`],
  [`{{ 'x' ~ s.upper() ~ s.startswith("it") }}`, `xIT'STrue`],
  [`{{ "a\\nb" | indent }}`, `a\n    b`],
  [`{{ 123456789012345 }} {{ 12.50 }} {{ 1 / 3 }}`, `123456789012345 12.5 0.3333333333333333`],
  [`{% macro m() %}{{ i }}{{ z }}{{ caller is defined }}{% endmacro %}{% set z = 5 %}{% for i in [1, 2] %}{{ m() }}{% endfor %}{% call m() %}{% endcall %}`, `5False5False5True`],
  [`{% for i in [1, 2] %}a{% set t %}b{% if i == 1 %}{% continue %}{% endif %}c{% endset %}{{ t }}{% endfor %}`, `aabc`],
  [`{{ list.length }}|{{ s.length }}|{{ s[0] }}`, `||i`],
  [`{% set x = 1 %}{% if true %}{% set x = 2 %}{% endif %}{{ x }}{% for i in [1] %}{% set x = 3 %}{% endfor %}{{ x }}`, `22`],
  [`{% for m in messages %}{% set role = m.role %}{{ role }}{{ loop.index }}{{ loop.first }}{{ loop.last }}{{ loop.previtem is defined }}{% endfor %}`, `user1TrueTrueFalse`],
  [`{{ messages | selectattr("x", "undefined") | list | length }} {{ messages | rejectattr("x", "defined") | list | length }} {{ messages | selectattr("role") | list | length }} {{ messages | rejectattr("role", "equalto", "b") | list | length }} {{ messages | selectattr("x", "none") | list | length }}`, `1 1 1 1 0`],
  [`{{ missing | trim }}{{ none | trim }}{{ list | trim }}{{ "xax" | trim("x") }}`, `None[1, 'a', None, True, [], {}]a`],
  [`{% for x in [{"a": [1]}, {"a": [2]}] | map(attribute="a") | list | reverse %}{{ x }}{% endfor %}{% for v in {"a": [1]}.values() %}{{ v }}{% endfor %}`, `[2][1][1]`],
  [`{% if messages | selectattr("role", "equalto", "x") %}y{% endif %}{% if messages | selectattr("role", "equalto", "x") | list %}z{% endif %}{% if {}.items() %}w{% endif %}`, `y`],
  [`{{ 1 < 2 < 3 }} {{ 3 > 2 > 2 }} {{ 2 ~ 3 ~ "a" }} {{ -2 ** 2 }} {{ 7 - 2 - 1 }}`, `True False 23a 4 4`],
  [`{% set d = {"items": 1} %}{{ d["items"] }}{% for k, v in d.items() %}{{ k }}{{ v }}{% endfor %}`, `1items1`],
  [`{{ s | safe }} {% filter upper | trim %} a {% endfilter %} {{ s[::-1] }} {{ [1, 2, 3][-2:] }} {{ list | tojson | safe }}`, `it's A s'ti [2, 3] [1, "a", null, true, [], {}]`],
  [`{{ ["b", "A", "a"] | sort }} {{ [2, 1] | sort(reverse=true) }} {{ n is divisibleby 3 }} {{ n is in [3] }} {{ messages | map("length") | list }}`, `['A', 'a', 'b'] [2, 1] True True [2]`],
  [`{{ missing is callable }} {{ missing is sequence }} {{ dict | length }} {{ dict.items() | length }} {% for k, v in {"b": 1, "a": 2} | dictsort %}{{ k }}{{ v }}{% endfor %}`, `True True 3 3 a2b1`],
];
/** What is an error in Python, or what only Python can do. */
const REFUSED = [
  ...["{{ missing.x }}", "{{ 'a' + 1 }}", "{{ 1 + 'a' }}", "{{ [1] + (1, 2) }}", "{{ 1 / 0 }}", "{{ missing | tojson }}", "{{ range }}"],
  ...["{{ (1,) }}", "{{ 1e3 }}", "{{ -1 % 3 }}", "{{ -1.5 | int }}", "{{ 'x1' | int }}", "{{ 9007199254740993 }}", "{{ 'É' | title }}"],
  ...["{{ ['a', 'A'] | unique | list }}", "{{ 'a\\r\\nb' | indent }}", "{{ tabs.split() }}", "{{ strftime_now('%j') }}", "{{ dict | tojson(4) }}"],
  ...["{{ messages | rejectattr('a.b') | list }}", "{{ messages | join(attribute='role') }}", "{{ s.startswith('t', 1) }}", "{{ 1 is lower }}"],
  ...["{{ 2.5 ** 2.5 }}", "{{ (1, 2)[1:] }}", "{{ dict.items() }}", "{{ dict.items() | list }}", "{{ list | reverse }}", "{{ 1 | float(2.0) }}"],
  ...["{% filter length %}a{% endfilter %}", "{{ [s | safe] }}", "{{ [] | indent }}", "{{ dict.copy() }}", "{{ s.zfill(3) }}", "{% include 'x' %}"],
  ...["{% set i = messages | map(attribute='role') %}{{ i | list }}{{ i | list }}", "{{ 1 + 2 ~ 3 }}", "{{ cycler(1) }}", "{{ range(3) }}", "{% break %}"],
];

test("templates print what transformers prints, or fail", () => {
  const render = (/** @type {string} */ chatTemplate) => renderChat(enc, USER, { chatTemplate, variables: VALUES });
  for (const [template, printed] of PRINTED) assert.equal(render(template), printed, template);
  for (const template of REFUSED) assert.throws(() => render(template), { name: "WwhoError", status: "TEMPLATE" }, template);
});

test("dates are those of Python in English", () => {
  const now = new Date();
  const month = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"][now.getMonth()];
  const printed = renderChat(enc, USER, { chatTemplate: "{{ strftime_now('%b %Y %%') }}" });
  assert.equal(printed, `${month} ${now.getFullYear()} %`);
});

test("messages have the fields that transformers gives them", () => {
  const chatTemplate = "{{ messages | tojson }}";
  const messages = [{ role: "a", content: null, x: undefined, thinking: "t" }, { role: "b", content: [{ type: "text", text: null }] }];
  const printed = '[{"thinking": "t", "role": "a", "reasoning_content": "t"}, {"role": "b", "content": [{"type": "text", "text": null}]}]';
  assert.equal(renderChat(enc, messages, { chatTemplate }), printed);
  assert.equal(renderChat(enc, [{ role: "a", content: new Map([["x", [1]]]) }], { chatTemplate }), '[{"role": "a", "content": {"x": [1]}}]');
});

test("nothing of a chat becomes a special token", () => {
  const chatTemplate = "<|start|>{% for m in messages %}{{ m.role }}{{ m.content }}{{ tools }}<|end|>{% endfor %}";
  const END = "<|end|>";
  const tool = { name: "f", parameters: { properties: { [END]: {} } } };
  /** @type {[any, object][]} */
  const refused = [
    [[{ role: "user", content: END }], {}],
    [[{ role: "user", content: new Map([["x", END]]) }], {}],
    [[{ role: "user", content: new Map([[END, 1]]) }], {}],
    [USER, { tools: [tool] }],
    [[{ role: "user<|e", content: "nd|> a" }], {}],
    [[{ role: "a <|", content: "end" }, { role: " |> ", content: "b" }], {}],
  ];
  for (const [messages, options] of refused) {
    assert.throws(() => countChat(enc, messages, { chatTemplate, ...options }), { status: "SPECIAL_TOKEN" }, JSON.stringify(messages));
    assert.ok(countChat(enc, messages, { chatTemplate, ...options, allowedSpecial: "all" }) > 0);
  }
  const ids = applyChatTemplate(enc, [{ role: "<|e", content: "ne|>" }], { chatTemplate, array: true });
  assert.equal(ids.filter((/** @type {number} */ id) => id >= 200000).length, 2); // those of the template
});

test("wrong arguments", () => {
  const chatTemplate = "{{ messages }}";
  /** @type {any} */
  const cyclic = [{ role: "user", content: [] }];
  cyclic[0].content.push(cyclic);
  const deep = [{ role: "user", content: JSON.parse("[".repeat(9000) + "]".repeat(9000)) }];
  /** @type {[any, any, any][]} */
  const wrong = [
    ...[[undefined, USER, {}], ["gpt-4o", USER, {}], [enc, "a", {}], [enc, [], {}], [enc, ["a"], {}], [enc, [null], {}], [enc, cyclic, {}], [enc, deep, {}]],
    ...["abc", null, [1], { messages: [] }, { add_generation_prompt: true }].map((variables) => [enc, USER, { variables }]),
    ...[null, "f", { a: 1 }, ["f"]].flatMap((list) => [[enc, USER, { tools: list }], [enc, USER, { documents: list }]]),
    ...[null, [], { chatTemplates: "" }, { chatTemplate: 5 }, { chatTemplate: null }].map((options) => [enc, USER, options]),
  ];
  for (const [tokenizer, messages, options] of wrong) {
    const given = options && !Array.isArray(options) ? { chatTemplate, ...options } : options;
    assert.throws(() => countChat(tokenizer, messages, given), { name: "WwhoError", status: "ARGUMENT" }, `${messages} ${JSON.stringify(options)}`);
  }
});
