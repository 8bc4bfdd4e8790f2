/** API keys on their way in and out of the terminal: never as an argument, never in full on the screen. */
import { readFileSync } from 'node:fs';
import { usage } from './failure.ts';
import { whyUnreadable } from '../client/reasons.ts';

const KEY = /^pk_(?:test|live)_[0-9A-Za-z]{46}$/u;
const SHOWN_CHARS = 16;
/** Enter, or Ctrl-D. */
const ENDS_INPUT = ['\r', '\n', '\u0004'];

/** The public part of a key. */
export const masked = (key: string): string => `${key.slice(0, SHOWN_CHARS)}…`;

/** Whether a text can be sent in a header: ASCII without control characters. */
export const isHeaderText = (text: string): boolean => /^[\u0020-\u007e]*$/u.test(text);

/** A key from a file, or from stdin for `-`. */
export async function readSecret(source: {
  readonly file?: string | undefined;
  readonly stdin?: string | undefined;
}): Promise<string | undefined> {
  if (source.file !== undefined) return checked(fromFile(source.file), source.file);
  if (source.stdin === undefined) return undefined;
  // Every process of the machine can read another's arguments.
  if (source.stdin !== '-')
    throw usage('a key is not taken from the command line', 'use --api-key - and pipe it in, or --api-key-file FILE');
  return checked(process.stdin.isTTY ? await typed() : await piped(), 'stdin');
}

function fromFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw usage(`${path} cannot be read: ${whyUnreadable(error)}`);
  }
}

async function piped(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** Typed or pasted at the terminal, which does not show it. */
async function typed(): Promise<string> {
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

function checked(text: string, source: string): string {
  const key = text.trim();
  if (!KEY.test(key)) throw usage(`${source} holds no API key`, 'a key looks like pk_test_ or pk_live_ and 46 letters and digits');
  return key;
}
