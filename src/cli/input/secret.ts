/** Input and output of API keys: they are never arguments, and never printed in full. */
import { readFileSync } from 'node:fs';
import { usageError } from '../errors/failure.ts';
import { explainReadError } from '../../client/file-errors.ts';

const KEY = /^pk_(?:test|live)_[0-9A-Za-z]{46}$/u;
export const KEY_FORMAT_HINT = 'A key is pk_test_ or pk_live_ followed by 46 letters and digits';
const VISIBLE_CHARS = 16;
/** Enter or Ctrl-D. */
const ENDS_INPUT = ['\r', '\n', '\u0004'];

/** Returns the public part of a key. */
export const maskKey = (key: string): string => `${key.slice(0, VISIBLE_CHARS)}…`;

/** Whether a text can be sent in a header: printable ASCII. */
export const isHeaderText = (text: string): boolean => /^[\u0020-\u007e]*$/u.test(text);

/** Reads a key from `file`, or from stdin if `stdin` is `-`. */
export async function readSecret(source: {
  readonly file?: string | undefined;
  readonly stdin?: string | undefined;
}): Promise<string | undefined> {
  if (source.file !== undefined) return validateKey(readFile(source.file), source.file);
  if (source.stdin === undefined) return undefined;
  // Other processes can read the arguments of a process.
  if (source.stdin !== '-')
    throw usageError('Keys cannot be passed on the command line', 'Pass --api-key-file FILE, or pipe the key in with --api-key-file -');
  return validateKey(process.stdin.isTTY ? await promptForKey() : await readPipe(), 'stdin');
}

/** Reads the key of `--api-key-file`: from a file, or from stdin for `-`. */
export const readKeyFile = (file: string | undefined): Promise<string | undefined> => readSecret(file === '-' ? { stdin: file } : { file });

function readFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw usageError(`Cannot read ${path}: ${explainReadError(error)}`);
  }
}

async function readPipe(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

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
