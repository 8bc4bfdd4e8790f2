import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StoreUnavailable } from '../../domain/kernel/ports.ts';
import { expect, onTestFinished, test } from 'vitest';
import { formatLogLine } from './format-line.ts';
import { createFileLog } from './daemon-log.ts';
import { readLastLines, followLines } from './tail.ts';

function createLogPath(): string {
  const directory = mkdtempSync(join(tmpdir(), 'log-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return join(directory, 'daemon.log');
}
const parseNumber = (line: string): number => (JSON.parse(line) as { n: number }).n;

test('a full log file is rotated: two files are kept, with whole lines, readable by the owner only', () => {
  const path = createLogPath();
  const { log, close } = createFileLog(path, 'info', 2_000);
  for (let n = 0; n < 100; n += 1) log.info({ n }, 'x'.repeat(50));
  close();
  for (const file of [path, `${path}.1`]) {
    expect(statSync(file).size).toBeLessThanOrEqual(2_000);
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
  }
  const kept = readLastLines(path, 1_000).map(parseNumber);
  expect(kept.at(-1)).toBe(99);
  expect(kept).toEqual(kept.map((_, at) => 100 - kept.length + at));
  expect(readLastLines(path, 3).map(parseNumber)).toEqual([97, 98, 99]);
  expect(readLastLines(path, 0)).toEqual([]);
});

test('a full log file is not rotated when its path names a file of another process', () => {
  const path = createLogPath();
  const { log, close } = createFileLog(path, 'info', 2_000);
  log.info({ n: 0 }, 'before');
  renameSync(path, `${path}.moved`);
  writeFileSync(path, 'of another process');
  for (let n = 1; n < 100; n += 1) log.info({ n }, 'x'.repeat(50));
  close();
  expect(readFileSync(path, 'utf8')).toBe('of another process');
  expect(existsSync(`${path}.1`)).toBe(false);
  expect(readLastLines(`${path}.moved`, 1_000).map(parseNumber)).toEqual(Array.from({ length: 100 }, (_, n) => n));
});

test('a rotation that cannot create a new file keeps the open one, and uses no other descriptor', () => {
  const path = createLogPath();
  const { log, close } = createFileLog(path, 'info', 2_000);
  log.info({ n: 0 }, 'before');
  // No file can be created under the name of the new one.
  mkdirSync(`${path}.new`);
  for (let n = 1; n < 50; n += 1) log.info({ n }, 'x'.repeat(50));
  // It would get the number of a descriptor that was closed.
  const other = openSync(`${path}.other`, 'w');
  for (let n = 50; n < 100; n += 1) log.info({ n }, 'x'.repeat(50));
  expect(statSync(`${path}.other`).size).toBe(0);
  closeSync(other);
  expect(readLastLines(path, 1_000).map(parseNumber)).toEqual(Array.from({ length: 100 }, (_, n) => n));
  rmSync(`${path}.new`, { recursive: true });
  log.info({ n: 100 }, 'after');
  expect(existsSync(`${path}.1`)).toBe(true);
  expect(readLastLines(path, 1_000).map(parseNumber)).toEqual(Array.from({ length: 101 }, (_, n) => n));
  close();
  close();
  log.info({ n: 101 }, 'closed');
  expect(readLastLines(path, 1).map(parseNumber)).toEqual([100]);
});

test('a log that was moved continues in a new file once it is reopened, and keeps the open one if it cannot', () => {
  const path = createLogPath();
  const { log, reopen, close } = createFileLog(path, 'info');
  log.info({ n: 0 }, 'before');
  reopen?.();
  renameSync(path, `${path}.moved`);
  mkdirSync(path);
  reopen?.();
  log.info({ n: 1 }, 'moved');
  rmSync(path, { recursive: true });
  reopen?.();
  log.info({ n: 2 }, 'after');
  close();
  expect(readFileSync(`${path}.moved`, 'utf8').trim().split('\n').map(parseNumber)).toEqual([0, 1]);
  expect(readFileSync(path, 'utf8').trim().split('\n').map(parseNumber)).toEqual([2]);
});

test('the message of a logged error is not repeated with those of its causes', () => {
  const path = createLogPath();
  const { log, close } = createFileLog(path, 'info');
  const cause = new Error('file damaged');
  log.error({ err: new Error(cause.message, { cause }) }, 'start failed');
  close();
  const { err } = JSON.parse(readLastLines(path, 1)[0] ?? '') as { err: { type: string; message: string; stack: string } };
  expect(err).toMatchObject({ type: 'Error', message: 'file damaged' });
  expect(err.stack).toContain('caused by: Error: file damaged');
});

test('an error with an expected cause is logged without a stack, with the messages of its causes', () => {
  const path = createLogPath();
  const { log, close } = createFileLog(path, 'info');
  log.error({ err: new StoreUnavailable('no connection', { cause: new Error('ECONNREFUSED') }) }, 'poll failed');
  close();
  const line = readLastLines(path, 1)[0] ?? '';
  expect((JSON.parse(line) as { err: unknown }).err).toEqual({
    type: 'StoreUnavailable',
    message: 'no connection',
    causes: ['ECONNREFUSED'],
  });
  expect(formatLogLine(line)).toMatch(/ERROR poll failed\n {2}no connection$/u);
});

test('followLines yields every line once across a rotation', async () => {
  const path = createLogPath();
  const { log, close } = createFileLog(path, 'info', 4_000);
  log.info({ n: -1 }, 'before');
  const end = new AbortController();
  const lines = followLines(path, end.signal);
  const seen: number[] = [];
  let next = lines.next();
  for (let n = 0; n < 200; n += 1) {
    log.info({ n }, 'ü'.repeat(20));
    // Read after each ten lines: a follower that is two rotations behind loses lines.
    if (n % 10 === 9) {
      while (seen.at(-1) !== n) {
        seen.push(parseNumber((await next).value as string));
        next = lines.next();
      }
    }
  }
  end.abort();
  close();
  expect(seen).toEqual(Array.from({ length: 200 }, (_, n) => n));
});

test('messages below the log level are not written', () => {
  const path = createLogPath();
  const { log, close } = createFileLog(path, 'warn');
  log.info('quiet');
  log.warn('loud');
  close();
  expect(readFileSync(path, 'utf8')).toMatch(/^\{"level":"warn".*"msg":"loud"\}\n$/u);
});

test('formatLogLine shows time, level, message, fields and stack, and leaves other text unchanged', () => {
  const line = JSON.stringify({ level: 'warn', time: new Date(2026, 0, 2, 3, 4, 5).toISOString(), port: 1, path: '/x', msg: 'Hello' });
  expect(formatLogLine(line)).toBe('03:04:05 WARN  Hello  port=1  path=/x');
  expect(formatLogLine(JSON.stringify({ level: 'error', msg: 'Oh', err: { stack: 'Error: no\n    at f' } }))).toBe(
    '--:--:-- ERROR Oh\n  Error: no\n      at f',
  );
  expect(formatLogLine('node: out of memory\n')).toBe('node: out of memory');
});
