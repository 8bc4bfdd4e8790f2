/** The machine under the bench: which core runs what, what a process has used, and how all of that is called in the results. */
import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { readFileSync, statfsSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, type } from 'node:os';

const TMPFS = 0x0102_1994;
/** Linux counts a process's time in hundredths of a second, whatever the kernel's own tick. */
const MICROS_PER_TICK = 10_000;

export interface Cores {
  /** Servers. */
  readonly server: number;
  /** Load generator, command line, and the bench itself. */
  readonly load: number;
}

/** Two cores of our own to pin to; undefined without `taskset` or without a second core. */
export function findCores(): Cores | undefined {
  if (spawnSync('taskset', ['--version']).status !== 0) return undefined;
  const list = /^Cpus_allowed_list:\s*(\S+)$/mu.exec(readText('/proc/self/status') ?? '')?.[1] ?? '';
  const allowed = list.split(',').flatMap((range) => {
    const [from = Number.NaN, to = from] = range.split('-').map(Number);
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });
  const [server, load] = allowed;
  return server === undefined || load === undefined ? undefined : { server, load };
}

/** Moves this process, and so everything it starts from now on, to the load core. */
export const pinSelf = (cores: Cores | undefined): void => move(process.pid, cores?.load);

/** Moves a running process with all its threads to a core. */
export function move(pid: number, core: number | undefined): void {
  if (core !== undefined) spawnSync('taskset', ['-acp', String(core), String(pid)]);
}

/** Starts this Node on the server core. */
export function spawnServer(cores: Cores | undefined, args: readonly string[], options: SpawnOptions): ChildProcess {
  return cores
    ? spawn('taskset', ['-c', String(cores.server), process.execPath, ...args], options)
    : spawn(process.execPath, [...args], options);
}

/** User and system time of all threads of a process so far; undefined where there is no /proc. */
export function cpuMicros(pid: number): number | undefined {
  const stat = readText(`/proc/${String(pid)}/stat`);
  if (stat === undefined) return undefined;
  // The name in parentheses may hold blanks; utime and stime are the 12th and 13th field behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MICROS_PER_TICK;
}

/** Resident memory of a process in bytes. */
export function residentBytes(pid: number): number | undefined {
  const kilobytes = /^VmRSS:\s*(\d+) kB$/mu.exec(readText(`/proc/${String(pid)}/status`) ?? '')?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly system: string;
  readonly node: string;
  readonly pinned: boolean;
  /** True when the data directory is in memory, where durability costs nothing. */
  readonly dataInMemory: boolean;
  /** Load of the last minute: above 0.5 before the first case, another process is busy. */
  readonly loadBefore: number;
}

export function describeMachine(cores: Cores | undefined, directory: string): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    system: `${type()} ${release()}`,
    node: process.version,
    pinned: cores !== undefined,
    dataInMemory: statfsSync(directory).type === TMPFS,
    loadBefore: loadavg()[0] ?? 0,
  };
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
