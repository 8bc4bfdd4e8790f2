import type { Key } from 'ink';
import { expect, test } from 'vitest';
import { pressesOf } from './app.tsx';

const key = (more: Partial<Key> = {}): Key => ({ ...more }) as Key;
const names = (input: string, more: Partial<Key> = {}): string[] => pressesOf(input, key(more)).map(({ name }) => name);

test('keys that arrive together are pressed one after the other', () => {
  expect(names('/\u0015shop\r')).toEqual(['/', 'ctrl-u', 's', 'h', 'o', 'p', 'enter']);
  expect(names('a\u007f\u0003')).toEqual(['a', 'backspace', 'ctrl-c']);
  expect(names('1G', { meta: true })).toEqual(['esc', '1', 'G']);
});

test('special keys have names and no text', () => {
  expect(pressesOf('', key({ upArrow: true }))).toEqual([{ name: 'up', text: null }]);
  expect(names('', { tab: true, shift: true })).toEqual(['shift-tab']);
  expect(names('d', { ctrl: true })).toEqual(['ctrl-d']);
  expect(names('\r', { return: true })).toEqual(['enter']);
});

test('one character of any script is one key', () => {
  expect(pressesOf('é☕', key())).toEqual([
    { name: 'é', text: 'é' },
    { name: '☕', text: '☕' },
  ]);
});
