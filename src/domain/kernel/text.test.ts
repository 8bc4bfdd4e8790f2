import { expect, test } from 'vitest';
import { foldCase } from './text.ts';

test('foldCase makes all spellings of a text equal that differ by case only, also at the end of a word', () => {
  for (const spellings of [
    ['ΣΑΣ', 'σας', 'σασ', 'Σας'],
    ['ΟΔΟΣ 1', 'οδος 1', 'οδοσ 1'],
    ['BOLT', 'bolt'],
    ['É', 'E\u0301', 'é'],
  ])
    expect(new Set(spellings.map(foldCase)), spellings.join(' ')).toHaveLength(1);
});

test('foldCase of a text is that of its upper case and that of itself', () => {
  for (const text of ['ὈΔΥΣΣΕΎΣ', 'Μέγας Αλέξανδρος', 'σ', 'ς', 'AΣ.B', 'Straße'])
    expect([foldCase(text.toLowerCase()), foldCase(foldCase(text))]).toEqual([foldCase(text), foldCase(text)]);
});
