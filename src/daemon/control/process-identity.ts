/**
 * Identifies a process beyond its id, which is reused, and names another process in another container. A signal goes only to a process
 * whose identity is the one that its state file has.
 */
import { readFileSync, readlinkSync } from 'node:fs';

/** The place of the start time in /proc/PID/stat, counted from the state, which follows the name in parentheses. */
const START_TIME_FIELD = 19;

/**
 * The identity of a process: boot, PID namespace and start time. Undefined if there is no such process, and on systems without /proc,
 * which have no PID namespaces either.
 */
export function readProcessIdentity(pid: number): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    const startTime = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[START_TIME_FIELD];
    return startTime === undefined ? undefined : `${boot} ${readlinkSync('/proc/self/ns/pid')} ${startTime}`;
  } catch {
    return undefined;
  }
}

/** What a daemon records about its process. */
export interface RecordedProcess {
  readonly pid: number;
  readonly processIdentity?: string | undefined;
}

/** Whether the id of a recorded process still names it, seen from here. The caller knows that the recorded process is running. */
export const isRecordedProcess = ({ pid, processIdentity }: RecordedProcess): boolean =>
  process.platform === 'linux'
    ? processIdentity !== undefined && readProcessIdentity(pid) === processIdentity
    : processIdentity === undefined;
