/** The token of the control port, in a file that only its owner can read. It stays the same over restarts, as API keys do. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { getControlTokenFile } from '../../platform/local-paths.ts';
import { readOwnFile, replaceFile } from '../../platform/own-files.ts';

const TOKEN_BYTES = 32;

/** Returns `given`, else the token of the file, else a new one; afterwards the file has it. Call it only while holding the lock. */
export function prepareControlToken(dataDir: string, given: string | undefined): string {
  const path = getControlTokenFile(dataDir);
  const stored = existsSync(path) ? readOwnFile(path).trim() : '';
  const token = given ?? (stored === '' ? randomBytes(TOKEN_BYTES).toString('base64url') : stored);
  if (token !== stored) replaceFile(path, `${token}\n`);
  return token;
}
