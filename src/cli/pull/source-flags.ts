/** Where a pull copies from: `--from`, `--from-profile` and where the key is. A key is never on the command line. */
import { readFileSync } from 'node:fs';
import { checkedService } from '../address.ts';
import { readConfig, readKey } from '../../client/saved.ts';
import type { Env } from '../../contract/places.ts';
import { EXIT } from '../exit-codes.ts';
import { Failure, usage } from '../failure.ts';
import { whyUnreadable } from '../../client/reasons.ts';

export interface SourceFlags {
  readonly from?: string | undefined;
  readonly 'from-profile'?: string | undefined;
  readonly 'from-key-file'?: string | undefined;
}

/** The address and the key of the service to copy from. A saved key only goes to the address it was saved for. */
export function sourceOf(flags: SourceFlags, env: Env): { url: string; key: string } {
  const name = flags['from-profile'];
  const profile = name === undefined ? undefined : readConfig(env).profiles[name];
  if (name !== undefined && profile?.url === undefined)
    throw usage(
      profile ? `profile ${name} is for a daemon of this machine` : `there is no profile "${name}"`,
      'give its address with --from',
    );
  const url = (flags.from ?? profile?.url ?? '').replace(/\/+$/u, '');
  if (url === '') throw usage('missing: where to copy from', 'give the address of a service with --from, or a profile with --from-profile');
  checkedService(url, flags.from === undefined ? `profile ${name ?? ''}` : '--from');
  if (name !== undefined && flags.from !== undefined && new URL(flags.from).origin !== new URL(profile?.url ?? '').origin)
    throw usage(`the key of profile ${name} was saved for another address than --from`, 'leave one of the two out');
  const key = (
    keyFile(flags['from-key-file']) ??
    env['STOCKROOM_FROM_API_KEY'] ??
    (name === undefined ? '' : (readKey(env, name) ?? ''))
  ).trim();
  if (key === '')
    throw new Failure('no_key', `there is no key for ${url}`, {
      exit: EXIT.denied,
      hint: 'put it into a file for --from-key-file, pipe it in with --from-key-file -, or set STOCKROOM_FROM_API_KEY',
    });
  return { url, key };
}

function keyFile(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8');
  } catch (error) {
    throw usage(`the key cannot be read from ${path === '-' ? 'stdin' : path}: ${whyUnreadable(error)}`);
  }
}
