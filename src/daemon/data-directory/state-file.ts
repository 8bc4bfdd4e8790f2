/** The state file of a data directory: process id, address and options of its daemon. */
import { readFileSync, rmSync } from 'node:fs';
import type { DaemonState } from '../../platform/daemon-state.ts';
import { findAdminSocketPath, getStateFile } from '../../platform/local-paths.ts';
import { replaceJsonFile } from './replace-file.ts';

/** The content of the state file, which may be out of date; undefined when there is none or it is unreadable. */
export function readStateFile(dataDir: string): DaemonState | undefined {
  try {
    const state = JSON.parse(readFileSync(getStateFile(dataDir), 'utf8')) as Partial<DaemonState> | null;
    if (typeof state?.pid !== 'number' || typeof state.url !== 'string' || typeof state.instanceId !== 'string') return undefined;
    return { ...(state as DaemonState), adminSocket: findAdminSocketPath(dataDir, state) };
  } catch {
    return undefined;
  }
}

export function writeStateFile(state: DaemonState): void {
  replaceJsonFile(getStateFile(state.dataDir), state);
}

export function removeStateFile(dataDir: string): void {
  rmSync(getStateFile(dataDir), { force: true });
}
