import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { configDirectory } from '../contract/places.ts';
import { openMemory } from './listen-memory.ts';

const SINCE = '2026-01-01T00:00:00.000Z';
let env: { XDG_CONFIG_HOME: string };
beforeEach(() => {
  env = { XDG_CONFIG_HOME: mkdtempSync(join(tmpdir(), 'sr-')) };
});
afterEach(() => rmSync(env.XDG_CONFIG_HOME, { recursive: true }));

const fileOf = (name: string) => join(configDirectory(env), `listen-${name}.ndjson`);
const write = (name: string, head: object, ...ids: string[]) => {
  mkdirSync(configDirectory(env), { recursive: true });
  writeFileSync(fileOf(name), `${[JSON.stringify(head), ...ids].join('\n')}\n`);
};
/** Of a process that lives and is not this one. */
const LIVING = process.ppid;

test('a memory without a process is that of a run that has ended', () => {
  write('default', { endpoint: 'w1', since: SINCE }, 'e1');
  const memory = openMemory(env, 'default', true);
  expect([memory.endpoint, memory.since, memory.has('e1')]).toEqual(['w1', SINCE, true]);
});

test('the memory of a listener that lives is left alone and not gone on with', () => {
  write('default', { endpoint: 'w1', since: SINCE, pid: LIVING });
  const before = readFileSync(fileOf('default'), 'utf8');
  expect(() => openMemory(env, 'default', true)).toThrow(`process ${String(LIVING)} is listening`);
  const memory = openMemory(env, 'default', false);
  memory.begin('w2', SINCE);
  expect([memory.endpoint, memory.left]).toEqual(['w2', []]);
  expect(readFileSync(fileOf('default'), 'utf8')).toBe(before);
});

test('nothing is forgotten before the new run has begun', () => {
  write('default', { endpoint: 'w1', since: SINCE, pid: null }, 'e1');
  openMemory(env, 'default', false);
  const memory = openMemory(env, 'default', true);
  expect([memory.endpoint, memory.since, memory.has('e1')]).toEqual(['w1', SINCE, true]);
});

test('what killed listeners beside have left is told until it is forgotten', () => {
  write('default', { endpoint: null, since: SINCE, pid: null });
  write('default+2', { endpoint: 'w2', since: SINCE, pid: LIVING });
  write('default+3', { endpoint: 'w3', since: SINCE });
  const memory = openMemory(env, 'default', false);
  expect(memory.left).toEqual(['w3']);
  memory.forgetLeft();
  expect(openMemory(env, 'default', false).left).toEqual([]);
  expect(readFileSync(fileOf('default+2'), 'utf8')).toContain('w2');
});

test.for(['{broken', 'null', '{"endpoint":5,"since":""}', '{"endpoint":null}'])('a file that holds %s is named and left alone', (head) => {
  write('default', { endpoint: null, since: SINCE });
  writeFileSync(fileOf('default'), `${head}\n`);
  expect(() => openMemory(env, 'default', false)).toThrow(`${fileOf('default')} cannot be read: `);
  expect(readFileSync(fileOf('default'), 'utf8')).toBe(`${head}\n`);
});
