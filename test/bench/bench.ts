/** What every case works with: the machine, how hard to measure, filled data directories, the load generator. */
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { copyData } from './copy-data.ts';
import { type Arm, type DaemonOptions, startBaseline, startDaemon } from './servers.ts';
import { type Filled, plainDirectory } from './fill.ts';
import type { Cores } from './machine.ts';
import type { Finding } from './report.ts';
import type { Effort, LoadGenerator } from './rounds.ts';

export interface Case {
  /** As `--only` takes it. */
  readonly name: string;
  readonly about: string;
  run(bench: Bench): Promise<Finding[]>;
}

/** Thrown by a case that cannot run here; the sentence says why. */
export class NotHere extends Error {
  override readonly name = 'NotHere';
}

export interface Options {
  readonly cores: Cores | undefined;
  readonly effort: Effort;
  readonly rows: number;
  readonly quick: boolean;
  /** On a real disk; everything in it may be removed. */
  readonly work: string;
  /** Where the daemons leave their CPU profiles, when wanted. */
  readonly profiles: string | undefined;
  /** Another built checkout, compared with this one in the same turns. */
  readonly against: string | undefined;
  readonly say: (text: string) => void;
  readonly load: LoadGenerator;
}

export interface Data extends Filled {
  /** A fresh copy of the filled data directory. */
  copy(): string;
  /** The same rows as plain JSON files. */
  readonly plain: string;
}

export interface Bench extends Options {
  /** Made once for each number of rows. */
  data(rows?: number): Promise<Data>;
  daemon(options: DaemonOptions): Promise<Arm>;
  baseline(rows: number, keys: readonly string[]): Promise<Arm>;
  /** Runs `work` and stops what it was given, also when it fails. */
  using<T>(arms: readonly Promise<Arm>[], work: (...arms: Arm[]) => Promise<T>): Promise<T>;
}

export function openBench(options: Options): Bench {
  const { cores, work, profiles, say } = options;
  const filled = new Map<number, Promise<Data>>();
  let copies = 0;

  async function fill(rows: number): Promise<Data> {
    say(`filling ${rows.toLocaleString('en')} items`);
    const directory = join(work, `filled-${String(rows)}`);
    // The other version may be older, and could not read the files of this one.
    const script =
      options.against === undefined ? fileURLToPath(new URL('fill.ts', import.meta.url)) : join(options.against, 'test/bench/fill.ts');
    const { stdout } = await promisify(execFile)(process.execPath, [script, directory, String(rows)]);
    return {
      ...(JSON.parse(stdout) as Filled),
      plain: plainDirectory(directory),
      copy() {
        const target = join(work, `data-${String((copies += 1))}`);
        copyData(directory, target);
        return target;
      },
    };
  }
  return {
    ...options,
    data(rows = options.rows) {
      let data = filled.get(rows);
      if (!data) filled.set(rows, (data = fill(rows)));
      return data;
    },
    daemon({ nodeFlags = [], ...daemon }) {
      const flags = profiles === undefined ? nodeFlags : [...nodeFlags, '--cpu-prof', '--cpu-prof-dir', profiles];
      return startDaemon(cores, join(work, 'home'), { ...daemon, nodeFlags: flags });
    },
    baseline: (rows, keys) => startBaseline(cores, rows, keys),
    async using(starting, run) {
      const settled = await Promise.allSettled(starting);
      const arms = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
      try {
        for (const result of settled) if (result.status === 'rejected') throw result.reason;
        return await run(...arms);
      } finally {
        for (const arm of arms) await arm.stop();
        for (let copy = 1; copy <= copies; copy += 1) rmSync(join(work, `data-${String(copy)}`), { recursive: true, force: true });
      }
    },
  };
}
