/**
 * Records of daemons whose data directory was deleted or replaced while they ran. They are kept in the registry, because the path may
 * belong to another daemon by then.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Env, getDaemonRegistryDirectory, hashPath } from '../../contract/local-paths.ts';
import { PRIVATE_DIRECTORY_MODE } from './data-directory.ts';
import { replaceJsonFile } from './replace-file.ts';

export interface LostDaemon {
  readonly dataDir: string;
  readonly pid: number;
  readonly url: string;
  readonly instanceId: string;
  /** What was deleted or replaced. */
  readonly reason: string;
}

const SUFFIX = '.lost';

export function recordLostDaemon(env: Env, daemon: LostDaemon): void {
  mkdirSync(getDaemonRegistryDirectory(env), { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
  replaceJsonFile(getPath(env, daemon), daemon);
}

export function removeLostDaemon(env: Env, daemon: LostDaemon): void {
  rmSync(getPath(env, daemon), { force: true });
}

/** Every record, also of daemons that have ended since; only those of `dataDir` unless it is undefined. */
export function listLostDaemons(env: Env, dataDir: string | undefined): LostDaemon[] {
  const directory = getDaemonRegistryDirectory(env);
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith(SUFFIX))
      .map((name) => JSON.parse(readFileSync(join(directory, name), 'utf8')) as LostDaemon)
      .filter((daemon) => dataDir === undefined || daemon.dataDir === dataDir);
  } catch {
    // No daemon has been registered yet, or another process is removing a record.
    return [];
  }
}

const getPath = (env: Env, { dataDir, instanceId }: LostDaemon): string =>
  join(getDaemonRegistryDirectory(env), `${hashPath(dataDir)}-${instanceId}${SUFFIX}`);
