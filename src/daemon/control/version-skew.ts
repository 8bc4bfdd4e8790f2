import type { DaemonState } from '../../contract/daemon-state.ts';
import { version as ownVersion } from '../package-info.ts';

/** One sentence when the daemon is of another release than this program. */
export function describeVersionSkew(daemon: Pick<DaemonState, 'version'>): string | undefined {
  if (daemon.version === ownVersion) return undefined;
  return `Version mismatch: the daemon is stockroom ${daemon.version}, this command is ${ownVersion}. Run \`stockroom daemon restart\`.`;
}
