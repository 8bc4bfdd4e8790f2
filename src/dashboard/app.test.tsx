import type { Key } from 'ink';
import { expect, test } from 'vitest';
import { toKeyPresses } from './app.tsx';

const key = (more: Partial<Key> = {}): Key => ({ ...more }) as Key;
const names = (input: string, more: Partial<Key> = {}): string[] => toKeyPresses(input, key(more)).map(({ name }) => name);

test('keys that arrive in one chunk are handled one by one', () => {
  expect(names('/\u0015shop\r')).toEqual(['/', 'ctrl-u', 's', 'h', 'o', 'p', 'enter']);
  expect(names('a\u007f\u0003')).toEqual(['a', 'backspace', 'ctrl-c']);
  expect(names('1G', { meta: true })).toEqual(['esc', '1', 'G']);
});

test('special keys have a name and no text', () => {
  expect(toKeyPresses('', key({ upArrow: true }))).toEqual([{ name: 'up', text: null }]);
  expect(names('', { tab: true, shift: true })).toEqual(['shift-tab']);
  expect(names('d', { ctrl: true })).toEqual(['ctrl-d']);
  expect(names('\r', { return: true })).toEqual(['enter']);
});

test('one character of any script is one key press', () => {
  expect(toKeyPresses('é☕', key())).toEqual([
    { name: 'é', text: 'é' },
    { name: '☕', text: '☕' },
  ]);
});
