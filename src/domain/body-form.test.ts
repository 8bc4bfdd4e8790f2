import { expect, test } from 'vitest';
import { bodyForm } from './body-form.ts';

interface Reply {
  readonly id: string;
  readonly location: string | null;
  readonly body: string;
}
const form = bodyForm<Reply>()(['id', 'location']);
const row = (body: string, location: string | null = '/v1/items/1'): Reply => ({ id: 'a', location, body });

test.for([
  ['an object', '{"data":{"name":"Bolt"}}'],
  ['an object with blanks, as nobody writes it', '{ "data" : 1.50 }'],
  ['keys that look like numbers', '{"b":1,"2":2,"1":3}'],
  ['the mark itself', '{"name":",\\"\\",{","list":[1,"",{}]}'],
  ['the mark of format 3', '{"name":",\\"body\\":","body":{"body":"{"}}'],
  ['letters of all kinds', '{"name":"Ün☕ \\ud800 \u2028 \\u0000"}'],
  ['nothing', ''],
  ['a list', '[1,2]'],
  ['null', 'null'],
  ['no JSON', 'gone {'],
] as const)('%s is read as it was written', ([, body]) => {
  for (const location of [null, '', '/v1/x', 'a,"",{"b', 'a,"body":{"b', 'back\\slash']) {
    const text = form.write(row(body, location));
    expect(form.read(text)).toStrictEqual(row(body, location));
    expect(() => JSON.parse(text) as unknown).not.toThrow();
  }
});

test('a body is not written as a string of JSON', () => {
  expect(form.write(row('{"data":{}}'))).toBe('["a","/v1/items/1","",{"data":{}}]');
});

test('a row of format 3 is read: an object whose body is what it is', () => {
  for (const location of [null, '/v1/x', 'a,"body":{"b'])
    expect(form.read(`{"id":"a","location":${JSON.stringify(location)},"body":{"data": {"b":1}}}`)).toStrictEqual(
      row('{"data": {"b":1}}', location),
    );
});

test('rows of earlier releases are read, wherever their body stood', () => {
  for (const old of [
    { id: 'a', body: '{"data":",\\"body\\":"}', location: null },
    { id: 'a', location: '/v1', body: '' },
  ])
    expect(form.read(JSON.stringify(old))).toStrictEqual(old);
});
