import { describe, expect, test } from 'vitest';
import { suggest } from './suggest.ts';
import type { Vocabulary } from './vocabulary.ts';

const source = { plane: 'service', path: '/v1/things' } as const;
const vocabulary: Vocabulary = {
  topics: { things: 'What is kept' },
  commands: {
    things: { about: 'Show the sum', args: [], flags: [] },
    'things get': {
      about: 'Show a thing',
      args: [{ name: 'thing_id', source }],
      flags: [
        { name: 'output', about: 'Format', char: 'o', values: ['table', 'json'] },
        { name: 'kind', about: 'Kinds', values: ['red', 'green', 'blue'], list: true },
        { name: 'active', about: 'Whether it is used', bare: true, no: true },
        { name: 'set', about: 'A field', several: true },
        { name: 'thing-id', about: 'A thing', source },
        { name: 'profile', about: 'Profile' },
        { name: 'out', about: 'File', file: true },
      ],
    },
    'things list': { about: 'List things', args: [{ name: 'module', values: ['buy', 'sell'] }], flags: [] },
    'things parts remove': {
      about: 'Remove a part',
      args: [
        { name: 'thing_id', source },
        { name: 'part_id', source: { plane: 'service', path: '/v1/things/{thing_id}/parts' } },
      ],
      flags: [],
    },
    help: { about: 'Explain', args: [{ name: 'subject', commands: true, values: ['exit-codes'] }], flags: [] },
    send: {
      about: 'Send a request',
      args: [
        { name: 'method', values: ['GET', 'DELETE'] },
        {
          name: 'path',
          paths: {
            GET: ['/v1/things', '/v1/things/{id}', '/v1/things/{id}/parts', '/v1/sum'],
            DELETE: ['/v1/things/{id}', '/v1/odds/{id}'],
          },
        },
      ],
      flags: [],
    },
  },
};
const values = (words: string[], typed: string) => suggest(vocabulary, words, typed).words.map(({ value }) => value);

describe('what may follow', () => {
  test('at first are topics and commands, with what the topic is about', () => {
    expect(suggest(vocabulary, [], 'th').words).toEqual([{ value: 'things', about: 'What is kept' }]);
  });

  test('after a topic are its commands, each once, also when the topic is a command itself', () => {
    expect(values(['things'], '')).toEqual(['get', 'list', 'parts']);
  });

  test('after a dash are the flags that were not used, and those that may come twice', () => {
    expect(values(['things', 'get', '-o', 'json', '--set', 'a=1', '--no-active'], '--')).toEqual([
      '--kind',
      '--set',
      '--thing-id',
      '--profile',
      '--out',
    ]);
  });

  test('a switch can be turned off', () => {
    expect(values(['things', 'get'], '--no')).toEqual(['--no-active']);
  });

  test('values of a flag stand behind it or behind its sign', () => {
    expect(values(['things', 'get', '--output'], 'j')).toEqual(['json']);
    expect(values(['things', 'get', '-o'], '')).toEqual(['table', 'json']);
    expect(values(['things', 'get'], '--output=t')).toEqual(['--output=table']);
  });

  test('a list goes on behind its comma with what is not in it yet', () => {
    expect(values(['things', 'get', '--kind'], 'red,')).toEqual(['red,green', 'red,blue']);
  });

  test('an argument has its values, and none follows the last', () => {
    expect(values(['things', 'list'], 's')).toEqual(['sell']);
    expect(values(['things', 'list', 'sell'], '')).toEqual([]);
  });

  test('ids are asked of the list they are in, below the arguments before', () => {
    expect(suggest(vocabulary, ['things', 'parts', 'remove', '42'], 'a').live).toEqual({
      source: { plane: 'service', path: '/v1/things/{thing_id}/parts' },
      params: { thing_id: '42' },
      head: '',
      typed: 'a',
    });
    expect(suggest(vocabulary, ['things', 'get'], '--thing-id=7').live).toMatchObject({ head: '--thing-id=', typed: '7' });
  });

  test('help goes on with the words of a command, as far as there are any, or with a topic of its own', () => {
    expect(values(['help'], '')).toEqual(['things', 'help', 'send', 'exit-codes']);
    expect(values(['help', 'things'], 'l')).toEqual(['list']);
    expect(values(['help', 'things', 'list'], '')).toEqual([]);
    expect(values(['help', 'exit-codes'], '')).toEqual([]);
  });

  test('a path goes on as far as the method has one, and with ids where they are listed', () => {
    expect(values(['send', 'get'], '')).toEqual(['/v1/things', '/v1/sum']);
    expect(values(['send', 'GET'], '/v1/things/7/')).toEqual(['/v1/things/7/parts']);
    expect(values(['send', 'DELETE'], '/v1/')).toEqual(['/v1/things/', '/v1/odds/']);
    expect(values(['send', 'NONE'], '/v1/')).toEqual([]);
    expect(suggest(vocabulary, ['send', 'DELETE'], '/v1/things/7').live).toEqual({
      source: { plane: 'service', path: '/v1/things' },
      params: {},
      head: '/v1/things/',
      typed: '7',
    });
    expect(suggest(vocabulary, ['send', 'DELETE'], '/v1/odds/7')).toEqual({ words: [] });
  });

  test('profiles and files are left to who knows them', () => {
    expect(suggest(vocabulary, ['things', 'get', '--profile'], 'k').profiles).toEqual({ head: '', typed: 'k' });
    expect(suggest(vocabulary, ['things', 'get', '--out'], '').files).toBe(true);
    expect(suggest(vocabulary, ['exec', '--'], '')).toEqual({ words: [], files: true });
  });

  test('nothing follows what nobody knows', () => {
    expect(suggest(vocabulary, ['nothing'], '')).toEqual({ words: [] });
    expect(suggest(vocabulary, ['nothing'], '--')).toEqual({ words: [] });
    expect(values(['things', 'get', '--nonsense=x'], '--ki')).toEqual(['--kind']);
  });
});
