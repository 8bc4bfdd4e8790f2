import { expect, test } from 'vitest';
import { createBodyCodec } from './body-codec.ts';

interface Reply {
  readonly id: string;
  readonly location: string | null;
  readonly body: string;
}
const codec = createBodyCodec<Reply>()(['id', 'location']);
const row = (body: string, location: string | null = '/v1/items/1'): Reply => ({ id: 'a', location, body });

test.for([
  ['an object', '{"data":{"name":"Bolt"}}'],
  ['an object with blanks', '{ "data" : 1.50 }'],
  ['keys that look like numbers', '{"b":1,"2":2,"1":3}'],
  ['the separator itself', '{"name":",\\"\\",{","list":[1,"",{}]}'],
  ['a body in the body', '{"name":",\\"body\\":","body":{"body":"{"}}'],
  ['characters of all kinds', '{"name":"Ün☕ \\ud800 \u2028 \\u0000"}'],
  ['an empty body', ''],
  ['a list', '[1,2]'],
  ['null', 'null'],
  ['text that is not JSON', 'gone {'],
] as const)('the body codec restores %s', ([, body]) => {
  for (const location of [null, '', '/v1/x', 'a,"",{"b', 'a,"body":{"b', 'back\\slash']) {
    const text = codec.encode(row(body, location));
    expect(codec.decode(text)).toStrictEqual(row(body, location));
    expect(() => JSON.parse(text) as unknown).not.toThrow();
  }
});

test('the body codec does not escape the body', () => {
  expect(codec.encode(row('{"data":{}}'))).toBe('["a","/v1/items/1","",{"data":{}}]');
});

test('the body codec reads rows that are objects, wherever their body is', () => {
  for (const old of [
    { id: 'a', body: '{"data":",\\"body\\":"}', location: null },
    { id: 'a', location: '/v1', body: '' },
  ])
    expect(codec.decode(JSON.stringify(old))).toStrictEqual(old);
});

test('the body codec keeps a rare field, which takes no space without a value', () => {
  interface Traced extends Reply {
    readonly trace?: string;
  }
  const traced = createBodyCodec<Traced>()(['id', 'location'], ['trace']);
  const plain = row('{"data":{}}');
  expect(traced.encode(plain)).toBe(codec.encode(plain));
  expect(traced.decode(traced.encode({ ...plain, trace: '00-a' }))).toStrictEqual({ ...plain, trace: '00-a' });
  expect(traced.decode(codec.encode(plain))).toStrictEqual(plain);
});
