import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkProperty } from '../../../test/support/property.ts';
import { type JsonLimits, findExceededLimit } from './json-size.ts';

const NO_LIMITS: JsonLimits = { values: Infinity, depth: Infinity };
const find = (json: string, limits: Partial<JsonLimits>) => findExceededLimit(Buffer.from(json), { ...NO_LIMITS, ...limits });

function measure(value: unknown): JsonLimits {
  if (typeof value !== 'object' || value === null) return { values: 0, depth: 0 };
  const parts = Object.values(value).map(measure);
  const inside = parts.reduce((sum, part) => sum + part.values, 0);
  return { values: inside + Math.max(1, parts.length), depth: 1 + Math.max(0, ...parts.map(({ depth }) => depth)) };
}

test('findExceededLimit agrees with the parsed value about any JSON, however it is indented', async () => {
  const rule = fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(undefined, 1), (value, indent) => {
    const json = JSON.stringify(value, undefined, indent);
    const { values, depth } = measure(value);
    expect(find(json, { values, depth })).toBeUndefined();
    if (values > 0) expect(find(json, { values: values - 1 })).toBe('values');
    if (depth > 0) expect(find(json, { depth: depth - 1 })).toBe('depth');
  });
  await checkProperty(rule, { shortRuns: 300 });
});

test('findExceededLimit ignores punctuation in strings, after escaped quotes and backslashes, too', () => {
  for (const text of ['{[,:', '"{,', '\\"{,', '\\', '\\\\"[', '\u00fc{,'])
    expect(find(JSON.stringify({ [text]: text }), { values: 1, depth: 1 }), text).toBeUndefined();
});

test('findExceededLimit ends at the end of a text that is not valid JSON', () => {
  for (const text of ['"', '"\\', '{"a', ']]]]]]', '"\\"']) expect(find(text, { values: 1, depth: 1 })).toBeUndefined();
});
