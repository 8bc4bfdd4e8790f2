/**
 * Answers the Tab key: `stockroom __complete -- WORD… CURRENT` prints a line per suggestion, the word and, behind a tab, what it means;
 * the line `:files` says that file names belong here. Quick, silent about errors, and always exit 0: a shell is waiting.
 */
import { readFileSync } from 'node:fs';
import { liveValues, profileNames } from './live.ts';
import { type Suggestion, suggest } from './suggest.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A person waits for the cursor; after this, no values are better than late ones. */
const PATIENCE_MS = 600;

const deadline = setTimeout(() => process.exit(0), PATIENCE_MS);
try {
  await answer(process.argv.slice(process.argv.indexOf('--') + 1));
} catch {
  // Nothing to suggest.
}
clearTimeout(deadline);

async function answer(all: readonly string[]): Promise<void> {
  const [words, typed] = [all.slice(0, -1), all.at(-1) ?? ''];
  const vocabulary = JSON.parse(readFileSync(new URL('completion.json', import.meta.url), 'utf8')) as Vocabulary;
  const found = suggest(vocabulary, words, typed);
  print(found.words);
  if (found.files === true) process.stdout.write(':files\n');
  if (found.profiles !== undefined) print(profileNames(found.profiles));
  if (found.live !== undefined) print(await liveValues(found.live, words));
}

function print(words: readonly Suggestion[]): void {
  process.stdout.write(words.map(({ value, about }) => `${value}\t${about.replaceAll(/\s+/gu, ' ')}\n`).join(''));
}
