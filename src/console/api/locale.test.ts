import { expect, test } from 'vitest';
import { toLocale } from './locale.ts';

test('a locale that is none becomes the one in it, or English', () => {
  expect(['de', 'pt-BR', 'en-US@posix', 'de_DE.UTF-8', 'C', ''].map(toLocale)).toEqual(['de', 'pt-BR', 'en-US', 'de-DE', 'en-US', 'en-US']);
});
