import { expect, test } from 'vitest';
import { quoteForShell } from './hints.ts';

test.each([
  ['linux', 'plain-1.json', 'plain-1.json'],
  ['linux', "it's here", "'it'\\''s here'"],
  ['win32', 'C:\\Temp\\record.json', 'C:\\Temp\\record.json'],
  // Both cmd and PowerShell take single quotes of a path to be part of it, or double quotes to enclose it.
  ['win32', 'C:\\Users\\Ada Lovelace\\record.json', '"C:\\Users\\Ada Lovelace\\record.json"'],
  ['win32', 'say "hi"', '"say ""hi"""'],
] as const)('on %s, %s is quoted as one word of its shells', (platform, text, expected) => {
  expect(quoteForShell(text, platform)).toBe(expected);
});
