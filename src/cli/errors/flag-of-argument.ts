/** Which flag takes a value that was passed as an argument: a list has flags for what it is filtered by, a new record one for its name. */
import { quoteForShell } from './hints.ts';

/** What counts of a flag, of a definition or of the manifest. */
interface FlagTexts {
  readonly helpGroup?: string;
  readonly options?: readonly string[];
}

/** The first that a command has takes a value of any form. */
const FLAGS = ['name', 'record', 'resource-id', 'webhook-id', 'item-id', 'search', 'operation', 'lines'];
/** Lists of records with a number, which a search finds, too. */
const NUMBERS = ['order-number', 'document-number'];

/** `before`: the arguments that the command takes. Returns undefined if no flag is likely. */
export function suggestFlag(
  command: string,
  value: string,
  flags: Readonly<Record<string, FlagTexts>>,
  before: readonly string[] = [],
): string | undefined {
  const own = Object.keys(flags).filter((name) => flags[name]?.helpGroup !== 'GLOBAL');
  const isNumbered = NUMBERS.some((name) => own.includes(name));
  const flag =
    own.find((name) => flags[name]?.options?.includes(value) === true) ??
    FLAGS.find((name) => own.includes(name) && !(isNumbered && name === 'item-id'));
  if (flag === undefined) return undefined;
  const words = [...before.map((word) => quoteForShell(word)), `--${flag}`, quoteForShell(value)];
  return `Pass it as a flag: \`stockroom ${command} ${words.join(' ')}\``;
}
