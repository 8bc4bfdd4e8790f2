import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openRefused } from './refused.ts';

function folder(): string {
  const directory = mkdtempSync(join(tmpdir(), 'refused-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

const REFUSAL = { line: 2, error: { code: 'DUPLICATE_VALUE' }, body: '{"name":"Bolt"}' };

test('refused rows may go nowhere', () => {
  const file = openRefused(devNull);
  file.add(REFUSAL);
  file.close();
  expect(statSync(devNull).isFile()).toBe(false);
});

test('what is no file is refused before anything is sent, and without waiting for who is at its other end', () => {
  const pipe = join(folder(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  expect(() => openRefused(pipe)).toThrow(`${pipe} is not a file`);
});

test('a run that goes on keeps what was refused before it', () => {
  const path = join(folder(), 'errors.ndjson');
  const first = openRefused(path);
  first.add(REFUSAL);
  const { bytes } = first;
  first.add({ ...REFUSAL, line: 3 });
  first.close();
  const second = openRefused(path, bytes);
  second.add({ ...REFUSAL, line: 4 });
  second.close();
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { line: number }).line)).toEqual([2, 4]);
  openRefused(path).close();
});
