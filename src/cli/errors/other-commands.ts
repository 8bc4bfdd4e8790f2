/** Hints for commands and flags that do not exist, where another command does what they mean. */

const ON_HAND =
  'Quantities on hand change with stock documents: `stockroom stock documents create --type adjustment --reason found --line BOLT-M6:40` adds 40, `--type count --line BOLT-M6:40` sets 40; then `stockroom stock documents post`';
const LOW_STOCK = 'List items that are low with `stockroom stock levels --low-stock`';

const COMMAND_HINTS: readonly (readonly [RegExp, string])[] = [
  [/^restore\b/u, 'Did you mean "snapshot load"?'],
  [/^stock (?:set|add|adjust)\b/u, ON_HAND],
];

const FLAG_HINTS: ReadonlyMap<string, string> = new Map([
  ['items list --low-stock', LOW_STOCK],
  ['stock reorder --low-stock', LOW_STOCK],
  ['stock levels set --on-hand', ON_HAND],
  ['stock levels set --quantity', ON_HAND],
]);

export const getCommandHint = (typed: string): string | undefined => COMMAND_HINTS.find(([pattern]) => pattern.test(typed))?.[1];

export const getFlagHint = (command: string, flag: string): string | undefined => FLAG_HINTS.get(`${command} ${flag}`);
