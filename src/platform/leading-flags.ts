/** Global flags before the command: `stockroom --json items list`. oclif expects the command first. */

/** The flags that can precede a command, and whether they take a value. A test compares them with those of the commands. */
export const LEADING_FLAGS: Readonly<Record<string, boolean>> = {
  '--output': true,
  '-o': true,
  '--jq': true,
  '--json': false,
  '--columns': true,
  '--csv-safe': false,
  '--no-color': false,
  '--no-input': false,
  '--verbose': false,
  '--profile': true,
  '--max-wait': true,
  '--url': true,
  '--data-dir': true,
  '--api-key-file': true,
  '--tenant': true,
};

/** Moves global flags before the command behind it, but before `--`, after which all words belong to another program. */
export function moveLeadingFlags(words: readonly string[]): string[] {
  const count = countLeadingFlags(words);
  // Flags without a command are reported as they are.
  if (count === 0 || count >= words.length) return [...words];
  const flags = words.slice(0, count);
  const rest = words.slice(count);
  const end = rest.indexOf('--');
  return end === -1 ? [...rest, ...flags] : [...rest.slice(0, end), ...flags, ...rest.slice(end)];
}

/** The words from the command on; undefined if the value of a global flag comes next. */
export function dropLeadingFlags(words: readonly string[]): readonly string[] | undefined {
  const count = countLeadingFlags(words);
  return count > words.length ? undefined : words.slice(count);
}

/** Counts the words before the command that are global flags or their values. */
function countLeadingFlags(words: readonly string[]): number {
  let count = 0;
  for (let word = words[count]; word !== undefined && word.startsWith('-'); word = words[count]) {
    const [name = '', value] = word.split('=', 2);
    const takesValue = LEADING_FLAGS[name];
    if (takesValue === undefined && !/^-o./u.test(word)) break;
    count += takesValue === true && value === undefined ? 2 : 1;
  }
  return count;
}
