import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { humanLine } from './log-line.ts';
import { fileLog } from './log.ts';
import { lastLines, newLines } from './tail.ts';

function fresh(): string {
  const directory = mkdtempSync(join(tmpdir(), 'log-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return join(directory, 'daemon.log');
}
const numberOf = (line: string): number => (JSON.parse(line) as { n: number }).n;

test('a full file makes way for a new one; two are kept, whole lines, for the owner alone', () => {
  const path = fresh();
  const { log, close } = fileLog(path, 'info', 2_000);
  for (let n = 0; n < 100; n += 1) log.info({ n }, 'x'.repeat(50));
  close();
  for (const file of [path, `${path}.1`]) {
    expect(statSync(file).size).toBeLessThanOrEqual(2_000);
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
  }
  const kept = lastLines(path, 1_000).map(numberOf);
  expect(kept.at(-1)).toBe(99);
  expect(kept).toEqual(kept.map((_, at) => 100 - kept.length + at));
  expect(lastLines(path, 3).map(numberOf)).toEqual([97, 98, 99]);
  expect(lastLines(path, 0)).toEqual([]);
});

test('a follower gets every line once, across a rotation', async () => {
  const path = fresh();
  const { log, close } = fileLog(path, 'info', 4_000);
  log.info({ n: -1 }, 'before');
  const end = new AbortController();
  const lines = newLines(path, end.signal);
  const seen: number[] = [];
  let next = lines.next();
  for (let n = 0; n < 200; n += 1) {
    log.info({ n }, 'ü'.repeat(20));
    // Never more than one file behind: what was rotated away twice is gone.
    if (n % 10 === 9) {
      while (seen.at(-1) !== n) {
        seen.push(numberOf((await next).value as string));
        next = lines.next();
      }
    }
  }
  end.abort();
  close();
  expect(seen).toEqual(Array.from({ length: 200 }, (_, n) => n));
});

test('a level below the wanted one is not written', () => {
  const path = fresh();
  const { log, close } = fileLog(path, 'warn');
  log.info('quiet');
  log.warn('loud');
  close();
  expect(readFileSync(path, 'utf8')).toMatch(/^\{"level":"warn".*"msg":"loud"\}\n$/u);
});

test('a person reads time, level, message, fields and stack; other text stays as it is', () => {
  const line = JSON.stringify({ level: 'warn', time: new Date(2026, 0, 2, 3, 4, 5).toISOString(), port: 1, path: '/x', msg: 'Hello' });
  expect(humanLine(line)).toBe('03:04:05 WARN  Hello  port=1  path=/x');
  expect(humanLine(JSON.stringify({ level: 'error', msg: 'Oh', err: { stack: 'Error: no\n    at f' } }))).toBe(
    '--:--:-- ERROR Oh\n  Error: no\n      at f',
  );
  expect(humanLine('node: out of memory\n')).toBe('node: out of memory');
});
