/** Input and output of API keys: they are never arguments, and never printed in full. */
import { usageError } from '../errors/failure.ts';
import { readBounded, readBoundedFile } from './bounded-read.ts';

const KEY = /^pk_(?:test|live)_[0-9A-Za-z]{46}$/u;
export const KEY_FORMAT_HINT = 'A key is pk_test_ or pk_live_ followed by 46 letters and digits';
const VISIBLE_CHARS = 16;
/** A file with a key may have white space. */
const FILE_MAX_BYTES = 64 * 1024;
/** Enter or Ctrl-D. */
const ENDS_INPUT = ['\r', '\n', '\u0004'];

/** Returns the public part of a key. */
export const maskKey = (key: string): string => `${key.slice(0, VISIBLE_CHARS)}…`;

/** Whether a text can be sent in a header: printable ASCII. */
export const isHeaderText = (text: string): boolean => /^[\u0020-\u007e]*$/u.test(text);

/** Reads the key of `--api-key-file`: from a file, or from stdin for `-`. */
export async function readKeyFile(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  if (file !== '-') return validateKey((await readBoundedFile(file, FILE_MAX_BYTES)).toString('utf8'), file);
  return validateKey(process.stdin.isTTY ? await promptForKey() : await readPipe(), 'stdin');
}

/** Throws a usage error for a key as the value of a flag: other processes can read the arguments of a process. */
export function rejectKeyArgument(value: string): void {
  if (value !== '-')
    throw usageError('Keys cannot be passed on the command line', 'Pass --api-key-file FILE, or pipe the key in with --api-key-file -');
}

const readPipe = async (): Promise<string> => (await readBounded(process.stdin, FILE_MAX_BYTES, 'stdin')).toString('utf8');

/** Lets the user type or paste a key, which the terminal does not show. */
async function promptForKey(): Promise<string> {
  process.stderr.write('API key (not shown): ');
  const { stdin } = process;
  stdin.setRawMode(true);
  let text = '';
  try {
    for await (const chunk of stdin) {
      const typedText = String(chunk);
      if (typedText.includes('\u0003')) process.exit(130);
      text += typedText;
      if (ENDS_INPUT.some((end) => typedText.includes(end))) break;
    }
  } finally {
    stdin.setRawMode(false);
    process.stderr.write('\n');
  }
  return text;
}

function validateKey(text: string, source: string): string {
  const key = text.trim();
  if (!KEY.test(key)) throw usageError(`${source} contains no valid API key`, KEY_FORMAT_HINT);
  return key;
}
