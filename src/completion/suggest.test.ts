import { describe, expect, test } from 'vitest';
import { suggest } from './suggest.ts';
import type { Vocabulary } from './vocabulary.ts';

const source = { plane: 'service', path: '/v1/things' } as const;
const vocabulary: Vocabulary = {
  topics: { things: 'What is kept' },
  commands: {
    things: { description: 'Show the sum', args: [], flags: [] },
    'things get': {
      description: 'Show a thing',
      args: [{ name: 'thing_id', source }],
      flags: [
        { name: 'output', description: 'Format', char: 'o', values: ['table', 'json'] },
        { name: 'kind', description: 'Kinds', values: ['red', 'green', 'blue'], isList: true },
        { name: 'active', description: 'Whether it is used', isBoolean: true, isNegatable: true },
        { name: 'set', description: 'A field', isRepeatable: true },
        { name: 'thing-id', description: 'A thing', source, aliases: ['thing'] },
        { name: 'profile', description: 'Profile' },
        { name: 'out', description: 'File', isFile: true },
      ],
    },
    'things list': { description: 'List things', args: [{ name: 'module', values: ['buy', 'sell'] }], flags: [] },
    'things parts remove': {
      description: 'Remove a part',
      args: [
        { name: 'thing_id', source },
        { name: 'part_id', source: { plane: 'service', path: '/v1/things/{thing_id}/parts' } },
      ],
      flags: [],
    },
    help: { description: 'Explain', args: [{ name: 'subject', commands: true, values: ['exit-codes'] }], flags: [] },
    send: {
      description: 'Send a request',
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

describe('suggest', () => {
  test('suggests topics and commands with their descriptions first', () => {
    expect(suggest(vocabulary, [], 'th').words).toEqual([{ value: 'things', description: 'What is kept' }]);
  });

  test('suggests the commands of a topic once, even if the topic is a command itself', () => {
    expect(values(['things'], '')).toEqual(['get', 'list', 'parts']);
  });

  test('suggests unused and repeatable flags after a dash', () => {
    expect(values(['things', 'get', '-o', 'json', '--set', 'a=1', '--no-active'], '--')).toEqual([
      '--kind',
      '--set',
      '--thing-id',
      '--profile',
      '--out',
    ]);
  });

  test('suggests the negation of boolean flags', () => {
    expect(values(['things', 'get'], '--no')).toEqual(['--no-active']);
  });

  test('suggests values of a flag after it or after its equals sign', () => {
    expect(values(['things', 'get', '--output'], 'j')).toEqual(['json']);
    expect(values(['things', 'get', '-o'], '')).toEqual(['table', 'json']);
    expect(values(['things', 'get'], '--output=t')).toEqual(['--output=table']);
  });

  test('suggests the remaining values of a list after a comma', () => {
    expect(values(['things', 'get', '--kind'], 'red,')).toEqual(['red,green', 'red,blue']);
  });

  test('suggests values of an argument, and nothing after the last argument', () => {
    expect(values(['things', 'list'], 's')).toEqual(['sell']);
    expect(values(['things', 'list', 'sell'], '')).toEqual([]);
  });

  test('requests ids from the list of the argument or flag', () => {
    expect(suggest(vocabulary, ['things', 'parts', 'remove', '42'], 'a').live).toEqual({
      source: { plane: 'service', path: '/v1/things/{thing_id}/parts' },
      params: { thing_id: '42' },
      head: '',
      typed: 'a',
    });
    expect(suggest(vocabulary, ['things', 'get'], '--thing-id=7').live).toMatchObject({ head: '--thing-id=', typed: '7' });
    // Its other name is not suggested, but its values are.
    expect(suggest(vocabulary, ['things', 'get', '--thing'], '7').live).toMatchObject({ source, head: '', typed: '7' });
  });

  test('suggests the words of a command and help topics after help', () => {
    expect(values(['help'], '')).toEqual(['things', 'help', 'send', 'exit-codes']);
    expect(values(['help', 'things'], 'l')).toEqual(['list']);
    expect(values(['help', 'things', 'list'], '')).toEqual([]);
    expect(values(['help', 'exit-codes'], '')).toEqual([]);
  });

  test('suggests paths of the method, and ids from their list', () => {
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

  test('requests profiles and file names', () => {
    expect(suggest(vocabulary, ['things', 'get', '--profile'], 'k').profiles).toEqual({ head: '', typed: 'k' });
    expect(suggest(vocabulary, ['things', 'get', '--out'], '').files).toBe(true);
    expect(suggest(vocabulary, ['exec', '--'], '')).toEqual({ words: [], files: true });
  });

  test('suggests nothing after unknown words', () => {
    expect(suggest(vocabulary, ['nothing'], '')).toEqual({ words: [] });
    expect(suggest(vocabulary, ['nothing'], '--')).toEqual({ words: [] });
    expect(values(['things', 'get', '--nonsense=x'], '--ki')).toEqual(['--kind']);
  });
});
