/** Real processes, really killed; real disks, really full. */
import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test } from 'vitest';
import { folder, open } from './support.ts';

const NODE = join(import.meta.dirname, '../../node_modules/.bin/node');
const WRITER = join(import.meta.dirname, 'writer.ts');

interface Writer {
  readonly process: ChildProcessWithoutNullStreams;
  /** Numbers of writes; negative ones were refused. */
  readonly printed: number[];
  /** Resolves when a line has come that passes. */
  until(passes: (printed: readonly number[]) => boolean): Promise<void>;
  kill(): Promise<void>;
}

function start(command: string, args: readonly string[]): Writer {
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
    until: (passes) =>
      new Promise((resolve, reject) => {
        check = () => passes(printed) && resolve();
        check();
        void ended.then(() => reject(new Error(`the writer ended: ${errors}`)));
      }),
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Acknowledged writes that are not there, refused ones that are, and halves of commits: there must be none. */
async function differences(directory: string, printed: readonly number[]): Promise<string[]> {
  const store = await open(directory);
  const numbersOf = ({ rows }: { rows: readonly { id: string }[] }): Set<string> => new Set(rows.map(({ id }) => /\d+$/u.exec(id)![0]));
  const limit = 1_000_000;
  const colour = (equals: string) => ({ where: [{ field: 'colour', equals }], limit });
  const all = await store.read('a', async (tx) => [
    numbersOf(await tx.things.after({ limit })),
    numbersOf(await tx.notes.after({ limit })),
    numbersOf(await tx.marks.after(colour('red'))),
    numbersOf(await tx.marks.after(colour('blué'))),
  ]);
  await store.close();
  const [things] = all as [Set<string>];
  return [
    ...printed.filter((number) => number >= 0 && !things.has(`${number}`)).map((number) => `${number} is lost`),
    ...printed.filter((number) => number < 0 && things.has(`${-number}`)).map((number) => `${-number} was refused and is there`),
    ...all
      .flatMap((some) => [...some].filter((number) => !all.every((each) => each.has(number))))
      .map((number) => `${number} is half there`),
  ];
}

const acknowledged = (printed: readonly number[]): number => printed.filter((number) => number >= 0).length;

describe('a process that is killed', () => {
  test('has lost nothing it acknowledged, checkpoints running or not', async () => {
    const directory = await folder();
    const all: number[] = [];
    for (const [round, enough] of [1, 40, 700, 2500].entries()) {
      const writer = start(NODE, [WRITER, directory, '16', String((round + 1) * 1_000_000)]);
      await writer.until((printed) => printed.length >= enough);
      await writer.kill();
      all.push(...writer.printed);
      expect(await differences(directory, all)).toEqual([]);
    }
    expect((await readdir(directory)).some((file) => file.startsWith('checkpoint'))).toBe(true);
  });
});

describe('a disk that takes no more', () => {
  // A limit on the size of files is a full disk that can be made and unmade without being root.
  test('refuses writes, keeps what was acknowledged, and serves again when there is room', async () => {
    const directory = await folder();
    const writer = start(NODE, [WRITER, directory, '4', '1']);
    await writer.until((printed) => acknowledged(printed) >= 20);
    const limit = (bytes: string): unknown => execFileSync('prlimit', ['--pid', String(writer.process.pid), `--fsize=${bytes}:`]);
    limit('100');
    await writer.until((printed) => printed.filter((number) => number < 0).length >= 12);
    const before = acknowledged(writer.printed);
    limit('unlimited');
    await writer.until((printed) => acknowledged(printed) >= before + 50);
    limit('4096');
    const refused = writer.printed.length - acknowledged(writer.printed);
    await writer.until((printed) => printed.filter((number) => number < 0).length >= refused + 12);
    await writer.kill();
    expect(await differences(directory, writer.printed)).toEqual([]);
  });

  test.runIf(existsSync('/usr/bin/strace'))('or whose sync fails: what was not synced is refused and does not come back', async () => {
    const directory = await folder();
    // Every 40th fdatasync, the one of the zeros ahead and of checkpoints among them, fails with EIO.
    const writer = start('strace', [
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
    await writer.until((printed) => printed.filter((number) => number < 0).length >= 12 && acknowledged(printed) >= 300);
    const [tracee] = execFileSync('pgrep', ['-P', String(writer.process.pid)])
      .toString()
      .trim()
      .split('\n');
    process.kill(Number(tracee), 'SIGKILL');
    await writer.kill();
    expect(await differences(directory, writer.printed)).toEqual([]);
  });
});
