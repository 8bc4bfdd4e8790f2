import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { getConfigDirectory } from '../../platform/local-paths.ts';
import { openListenerState } from './listener-state.ts';

const SINCE = '2026-01-01T00:00:00.000Z';
let env: { XDG_CONFIG_HOME: string };
beforeEach(() => {
  env = { XDG_CONFIG_HOME: mkdtempSync(join(tmpdir(), 'sr-')) };
});
afterEach(() => rmSync(env.XDG_CONFIG_HOME, { recursive: true }));

const getFile = (name: string) => join(getConfigDirectory(env), `listen-${name}.ndjson`);
const write = (name: string, head: object, ...ids: string[]) => {
  mkdirSync(getConfigDirectory(env), { recursive: true });
  writeFileSync(getFile(name), `${[JSON.stringify(head), ...ids].join('\n')}\n`);
};
const open = (resume: boolean, project = '/project') => openListenerState({ env, name: 'default', project, resume });
/** Id of another running process. */
const LIVING = process.ppid;

test('a state without a process id belongs to a run that ended', () => {
  write('default', { endpoint: 'w1', since: SINCE }, 'e1');
  const state = open(true);
  expect([state.endpoint, state.since, state.has('e1')]).toEqual(['w1', SINCE, true]);
});

test('the state of a running listener is not changed and cannot be resumed', () => {
  write('default', { endpoint: 'w1', since: SINCE, pid: LIVING });
  const before = readFileSync(getFile('default'), 'utf8');
  expect(() => open(true)).toThrow(`process ${String(LIVING)} is still listening`);
  const memory = open(false);
  memory.begin('w2', SINCE);
  expect([memory.endpoint, memory.leftoverEndpoints]).toEqual(['w2', []]);
  expect(readFileSync(getFile('default'), 'utf8')).toBe(before);
});

test('the state of the last run is kept until the new run begins', () => {
  write('default', { endpoint: 'w1', since: SINCE, pid: null }, 'e1');
  open(false);
  const memory = open(true);
  expect([memory.endpoint, memory.since, memory.has('e1')]).toEqual(['w1', SINCE, true]);
});

test('endpoints of other killed listeners are listed until they are cleared', () => {
  write('default', { endpoint: null, since: SINCE, pid: null });
  write('default+2', { endpoint: 'w2', since: SINCE, pid: LIVING });
  write('default+3', { endpoint: 'w3', since: SINCE });
  const memory = open(false);
  expect(memory.leftoverEndpoints).toEqual(['w3']);
  memory.clearLeftovers();
  expect(open(false).leftoverEndpoints).toEqual([]);
  expect(readFileSync(getFile('default+2'), 'utf8')).toContain('w2');
});

test('a run reuses the endpoint of its project only', () => {
  write('default', { endpoint: 'w1', since: SINCE, pid: null, project: '/one' });
  write('default+2', { endpoint: 'w2', since: SINCE, pid: 1_234_567_890, project: '/two' });
  const reused = (project: string) => {
    const { endpoint, wasKilled, leftoverEndpoints } = open(false, project);
    return { endpoint, wasKilled, leftoverEndpoints };
  };
  expect(reused('/two')).toEqual({ endpoint: 'w2', wasKilled: true, leftoverEndpoints: [] });
  expect(reused('/one')).toEqual({ endpoint: 'w1', wasKilled: false, leftoverEndpoints: ['w2'] });
  expect(reused('/three')).toMatchObject({ endpoint: null, wasKilled: false });
});

test.for(['{broken', 'null', '{"endpoint":5,"since":""}', '{"endpoint":null}'])(
  'a file with the content %s is reported and not changed',
  (head) => {
    write('default', { endpoint: null, since: SINCE });
    writeFileSync(getFile('default'), `${head}\n`);
    expect(() => open(false)).toThrow(`Cannot read ${getFile('default')}: `);
    expect(readFileSync(getFile('default'), 'utf8')).toBe(`${head}\n`);
  },
);
