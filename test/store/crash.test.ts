/** Crash tests with real processes that are killed, and real disks that are full. */
import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isLongRun } from '../support/long-run.ts';
import { createTempDirectory, openStore } from './file-store.ts';

const NODE = join(import.meta.dirname, '../../node_modules/.bin/node');
const WRITER = join(import.meta.dirname, 'crash-writer.ts');

interface Writer {
  readonly process: ChildProcessWithoutNullStreams;
  /** Numbers of acknowledged writes; negative ones were refused. */
  readonly printed: number[];
  /** Resolves when the printed numbers satisfy `condition`. */
  waitUntil(condition: (printed: readonly number[]) => boolean): Promise<void>;
  kill(): Promise<void>;
}

function startWriter(command: string, args: readonly string[]): Writer {
  const child = spawn(command, args);
  onTestFinished(() => void child.kill('SIGKILL'));
  const printed: number[] = [];
  let errors = '';
  let check: () => void = () => {};
  child.stderr.on('data', (text: Buffer) => (errors += text.toString()));
  const lines = createInterface(child.stdout);
  lines.on('line', (line) => {
    if (line !== 'ready') printed.push(Number(line));
    check();
  });
  const ended = new Promise<void>((resolve) => lines.once('close', () => resolve()));
  return {
    process: child,
    printed,
    waitUntil: (condition) =>
      new Promise((resolve, reject) => {
        check = () => condition(printed) && resolve();
        check();
        void ended.then(() => reject(new Error(`the writer ended: ${errors}`)));
      }),
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Acknowledged writes that are missing, refused ones that are stored, and transactions that are stored in part. There must be none. */
async function findDifferences(directory: string, printed: readonly number[]): Promise<string[]> {
  const store = await openStore(directory);
  const toNumbers = ({ rows }: { rows: readonly { id: string }[] }): Set<string> => new Set(rows.map(({ id }) => /\d+$/u.exec(id)![0]));
  const limit = 1_000_000;
  const colour = (equals: string) => ({ where: [{ field: 'colour', equals }], limit });
  const all = await store.read('a', async (tx) => [
    toNumbers(await tx.things.listAfter({ limit })),
    toNumbers(await tx.notes.listAfter({ limit })),
    toNumbers(await tx.marks.listAfter(colour('red'))),
    toNumbers(await tx.marks.listAfter(colour('blué'))),
  ]);
  await store.close();
  const [things] = all as [Set<string>];
  return [
    ...printed.filter((number) => number >= 0 && !things.has(`${number}`)).map((number) => `${number} was acknowledged and is missing`),
    ...printed.filter((number) => number < 0 && things.has(`${-number}`)).map((number) => `${-number} was refused and is stored`),
    ...all
      .flatMap((some) => [...some].filter((number) => !all.every((each) => each.has(number))))
      .map((number) => `${number} is stored in part`),
  ];
}

/** Each is killed four times. */
const DIRECTORIES = Array.from({ length: isLongRun ? 60 : 1 }, (_, at) => at + 1);

const countAcknowledged = (printed: readonly number[]): number => printed.filter((number) => number >= 0).length;

describe('crash', () => {
  test.each(DIRECTORIES)(
    'a killed process has lost no acknowledged write, during checkpoints or not (directory %i)',
    { timeout: 120_000 },
    async () => {
      const directory = await createTempDirectory();
      const all: number[] = [];
      for (const [round, enough] of [1, 40, 700, 2500].entries()) {
        const writer = startWriter(NODE, [WRITER, directory, '16', String((round + 1) * 1_000_000)]);
        await writer.waitUntil((printed) => printed.length >= enough);
        await writer.kill();
        all.push(...writer.printed);
        expect(await findDifferences(directory, all)).toEqual([]);
      }
      expect((await readdir(directory)).some((file) => file.startsWith('checkpoint'))).toBe(true);
    },
  );
});

describe('disk errors', () => {
  // A file size limit acts like a full disk and needs no root permission.
  test('a full disk refuses writes, keeps acknowledged ones, and accepts writes again when there is space', async () => {
    const directory = await createTempDirectory();
    const writer = startWriter(NODE, [WRITER, directory, '4', '1']);
    await writer.waitUntil((printed) => countAcknowledged(printed) >= 20);
    const limit = (bytes: string): unknown => execFileSync('prlimit', ['--pid', String(writer.process.pid), `--fsize=${bytes}:`]);
    limit('100');
    await writer.waitUntil((printed) => printed.filter((number) => number < 0).length >= 12);
    const before = countAcknowledged(writer.printed);
    limit('unlimited');
    await writer.waitUntil((printed) => countAcknowledged(printed) >= before + 50);
    limit('4096');
    const refused = writer.printed.length - countAcknowledged(writer.printed);
    await writer.waitUntil((printed) => printed.filter((number) => number < 0).length >= refused + 12);
    await writer.kill();
    expect(await findDifferences(directory, writer.printed)).toEqual([]);
  });

  test.runIf(existsSync('/usr/bin/strace'))('writes whose sync fails are refused and are not there after a restart', async () => {
    const directory = await createTempDirectory();
    // Every 40th fdatasync fails with EIO, including those of preallocation and checkpoints.
    const writer = startWriter('strace', [
      '-f',
      '-qq',
      '-o',
      '/dev/null',
      '-e',
      'trace=fdatasync',
      '-e',
      'inject=fdatasync:error=EIO:when=20+40',
      NODE,
      WRITER,
      directory,
      '4',
      '1',
    ]);
    await writer.waitUntil((printed) => printed.filter((number) => number < 0).length >= 12 && countAcknowledged(printed) >= 300);
    const [tracee] = execFileSync('pgrep', ['-P', String(writer.process.pid)])
      .toString()
      .trim()
      .split('\n');
    process.kill(Number(tracee), 'SIGKILL');
    await writer.kill();
    expect(await findDifferences(directory, writer.printed)).toEqual([]);
  });
});
