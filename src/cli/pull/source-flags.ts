/** The flags for the source of a pull: `--from`, `--from-profile` and the file with the key. Keys are never on the command line. */
import { readWholeFile } from '../input/bounded-read.ts';
import { validateServiceUrl } from '../input/service-url.ts';
import { readConfig, readKey } from '../../client/settings/profiles.ts';
import type { Env } from '../../platform/local-paths.ts';
import { Failure, usageError } from '../errors/failure.ts';

type SourceFlags = Partial<Record<'from' | 'from-profile' | 'from-key-file', string | undefined>>;

/** Returns URL and key of the service to copy from. A saved key is only sent to the URL it was saved for. */
export function resolveSource(flags: SourceFlags, env: Env): { url: string; key: string } {
  const name = flags['from-profile'];
  const profile = name === undefined ? undefined : readConfig(env).profiles[name];
  if (name !== undefined && profile?.url === undefined)
    throw usageError(profile ? `Profile ${name} is for a daemon on this machine` : `No profile "${name}"`, 'Pass a URL with --from');
  const url = (flags.from ?? profile?.url ?? '').replace(/\/+$/u, '');
  if (url === '') throw usageError('Missing required flag --from or --from-profile', 'Pass the URL of a service, or a profile');
  validateServiceUrl(url, flags.from === undefined ? `profile ${name ?? ''}` : '--from');
  if (name !== undefined && flags.from !== undefined && new URL(flags.from).origin !== new URL(profile?.url ?? '').origin)
    throw usageError(`The key of profile ${name} was saved for another URL than --from`, 'Omit --from or --from-profile');
  const key = (
    readKeyFile(flags['from-key-file']) ??
    env['STOCKROOM_FROM_API_KEY'] ??
    (name === undefined ? '' : (readKey(env, name) ?? ''))
  ).trim();
  if (key === '')
    throw new Failure('NO_KEY', `No key for ${url}`, {
      hint: 'Pass a file with --from-key-file, pipe the key in with --from-key-file -, or set STOCKROOM_FROM_API_KEY',
    });
  return { url, key };
}

function readKeyFile(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  return path === '-' ? readWholeFile(0, 'the key from stdin').toString() : readWholeFile(path, `the key from ${path}`).toString();
}
