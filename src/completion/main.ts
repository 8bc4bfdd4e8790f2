/**
 * Shell completion: `stockroom __complete -- WORD… CURRENT` prints a line per suggestion: the word, a tab and a description. The line
 * `:files` requests file names. Reports no errors and always exits with 0, because a shell is waiting.
 */
import { readFileSync } from 'node:fs';
import { fetchLiveValues, suggestProfiles } from './live-values.ts';
import { dropLeadingFlags } from '../platform/leading-flags.ts';
import { isSafe, sanitize } from '../platform/terminal-text.ts';
import { type Suggestion, suggest } from './suggest.ts';
import type { Vocabulary } from './vocabulary.ts';

/** In milliseconds. After this, no values are better than late ones. */
const DEFAULT_TIMEOUT_MS = 600;

const wantedMs = Number(process.env['STOCKROOM_COMPLETION_TIMEOUT']);
const deadline = setTimeout(() => process.exit(0), wantedMs > 0 ? wantedMs : DEFAULT_TIMEOUT_MS);
try {
  await printSuggestions(process.argv.slice(process.argv.indexOf('--') + 1));
} catch {
  // Nothing to suggest.
}
clearTimeout(deadline);

async function printSuggestions(all: readonly string[]): Promise<void> {
  const [words, typed] = [all.slice(0, -1), all.at(-1) ?? ''];
  const vocabulary = JSON.parse(readFileSync(new URL('completion.json', import.meta.url), 'utf8')) as Vocabulary;
  const fromCommand = dropLeadingFlags(words);
  if (fromCommand === undefined) return;
  const found = suggest(vocabulary, fromCommand, typed);
  print(found.words);
  if (found.files === true) process.stdout.write(':files\n');
  if (found.profiles !== undefined) print(suggestProfiles(found.profiles));
  if (found.live !== undefined) print(await fetchLiveValues(found.live, words));
}

function print(words: readonly Suggestion[]): void {
  // A suggested value is inserted into the command line.
  const safe = words.filter(({ value }) => isSafe(value));
  process.stdout.write(safe.map(({ value, description }) => `${value}\t${sanitize(description)}\n`).join(''));
}
