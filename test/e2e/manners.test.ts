/**
 * Every command in every situation a script meets: its examples against a living service, in a pipe and on a terminal, a wrong flag with
 * `--json`, and no service at all. Says of each what no command may do: crash, leak a key, colour a pipe, lie with its exit code.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { daemonStatuses } from '../../src/daemon/control.ts';
import { makeKey } from '../../src/domain/keys.ts';
import { type Home, RUN, makeHome } from '../support/cli.ts';

interface Manifest {
  readonly commands: Readonly<Record<string, { readonly id: string; readonly hidden?: boolean; readonly examples: readonly string[] }>>;
}
const manifest = JSON.parse(readFileSync(fileURLToPath(new URL('../../oclif.manifest.json', import.meta.url)), 'utf8')) as Manifest;
const commands = Object.values(manifest.commands)
  .filter(({ hidden }) => hidden !== true)
  .map(({ id, examples }) => ({
    id,
    words: id.split(':'),
    examples: examples.map((example) => example.replaceAll('<%= config.bin %>', 'stockroom')),
  }));

/** They end when somebody ends them. */
const STREAMS = /^(?:webhooks:(?:listen|deliveries:tail)|dashboard|mcp)$|(?:daemon logs .*(?:-f|--follow)|--foreground|--watch)/u;
/** They change the service or the profiles under the feet of the others, so they run one after another, in this order. */
const IN_TURN = [
  // One goes on with the last run, which another that listens would be.
  'webhooks:listen',
  'profile:add',
  'profile:show',
  'profile:list',
  'profile:use',
  'config',
  'profile:remove',
  'snapshot:save',
  'snapshot:list',
  'snapshot:load',
  'snapshot:delete',
  'clock',
  'faults',
  'demo',
  'reset',
  'daemon',
];
/** They run programs, need another service, or take minutes: tests of their own run them. */
const ELSEWHERE = /^(?:exec|pull|seed)$|npm test/u;
/** They speak with a person only; in a pipe they say so, which is all there is to see here. */
const WITH_A_PERSON = /^(?:dashboard|oauth:(?:approve|deny)|reset)$/u;
/** Of the right form and of nobody. */
const SOME_KEY = makeKey('development').secret;
const AT_ONCE = 4;
/** How long what goes on is left to go on; and the end of waiting for what does not end by itself and should. */
const STREAM_S = 4;
const PATIENCE_S = 60;
// oxlint-disable-next-line no-control-regex -- what is looked for
const ESCAPE = /\u001b/u;
const STACK = /^\s+at .*[(/].*:\d+:\d+\)?$/mu;
const CODES: readonly number[] = Object.values(EXIT);

interface Outcome {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a line as a person would type it; what does not end by itself is ended, and sooner when it `goesOn`. */
async function inShell(home: Home, line: string, env: Readonly<Record<string, string>> = {}, goesOn = false): Promise<Outcome> {
  const script = `set -o pipefail; stockroom() { exec_node ${RUN} "$@"; }; exec_node() { '${process.execPath}' "$@"; }; ${line}`;
  const { exitCode, signal, stdout, stderr } = await execa(
    'timeout',
    ['-s', 'TERM', '-k', '5', String(goesOn ? STREAM_S : PATIENCE_S), 'bash', '--norc', '-c', script],
    {
      env: { ...home.env, ...env },
      extendEnv: false,
      reject: false,
      input: '',
      cwd: home.path('work'),
    },
  );
  return { exit: exitCode ?? (signal === undefined ? -1 : 128), stdout, stderr };
}

async function each<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = [...all];
  const worker = async (): Promise<void> => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

function ill(what: string, { exit, stdout, stderr }: Outcome, secrets: readonly string[] = []): string[] {
  const told = (problem: string) => [`${what}: ${problem}\n${stdout.slice(0, 300)}\n${stderr.slice(0, 600)}`];
  if (STACK.test(stderr) || STACK.test(stdout)) return told('shows a stack trace');
  if (ESCAPE.test(stdout) || ESCAPE.test(stderr)) return told('colours a pipe');
  if (!CODES.includes(exit) && exit !== 124 && exit !== 130 && exit !== 143) return told(`ends with ${String(exit)}`);
  if (secrets.some((secret) => stdout.includes(secret) || stderr.includes(secret))) return told('shows a key that is saved');
  return [];
}

const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};
/** One JSON value, or one in each line. */
const isJson = (text: string): boolean => text.trim() === '' || parses(text) || text.trim().split('\n').every(parses);

async function place(): Promise<Home> {
  const home = await makeHome();
  await execa('mkdir', [home.path('work')]);
  for (const [name, text] of Object.entries(FILES)) writeFileSync(home.path('work', name), text);
  return home;
}

/** What the examples name. */
const FILES: Readonly<Record<string, string>> = {
  'customers.csv': 'name,email\nAda,ada@example.com\n',
  'addresses.csv': 'Full name,Remarks\nGrace,none\n',
  'catalogue.csv': 'name,sku\nWasher M6,W-M6\n',
  'prices.csv': 'Part no.,name,Colour\nW-M8,Washer M8,red\n',
  'order.json': '{"module":"make","reference":"from a file"}',
  'document.json': '{"type":"issue","reference":"from a file"}',
  'body.json': '{"event":"order.created"}',
  'secret.txt': `whsec_${Buffer.from('no secret of anybody, 32 bytes..').toString('base64')}\n`,
  'key.txt': `${SOME_KEY}\n`,
};

const turnOf = (id: string): number => IN_TURN.findIndex((name) => id === name || id.startsWith(`${name}:`));

test('a wrong flag with --json is one error object on stdout, exit 2, and nothing else anywhere', { timeout: 600_000 }, async () => {
  await using home = await place();
  const problems: string[] = [];
  await each(commands, async ({ id, words }) => {
    const ran = await home.run([...words, '--json', '--no-such-flag']);
    problems.push(...ill(id, ran));
    const error = (parses(ran.stdout) ? JSON.parse(ran.stdout) : {}) as { error?: { exit?: number; code?: string } };
    if (ran.exit !== EXIT.usage || error.error?.exit !== EXIT.usage || ran.stderr !== '') problems.push(`${id}: ${JSON.stringify(ran)}`);
  });
  expect(problems).toEqual([]);
});

test('without a service every command that needs one says so in a sentence and with its exit code', { timeout: 600_000 }, async () => {
  await using home = await place();
  const problems: string[] = [];
  await each(
    commands.filter(({ id }) => turnOf(id) < 0 && !ELSEWHERE.test(id)),
    async ({ id, examples: [example = ''] }) => {
      const ran = await inShell(home, example.includes('|') || example.includes('>') ? example : `${example} --json`);
      if (ran.exit === 124) problems.push(`${example}: did not end`);
      problems.push(...ill(example, ran));
      if (!isJson(ran.stdout) && !/ -o | > |\|/u.test(example) && !['completion', 'help', 'api'].includes(id))
        problems.push(`${example}: stdout is no JSON: ${ran.stdout}`);
      if (parses(ran.stdout)) {
        const { error } = JSON.parse(ran.stdout) as { error?: { exit: number } };
        if (error !== undefined && error.exit !== ran.exit)
          problems.push(`${example}: exit ${String(ran.exit)}, but the object says ${String(error.exit)}`);
      }
      if (ran.exit === EXIT.unexpected) problems.push(`${example}: ${JSON.stringify(ran)}`);
    },
  );
  expect(problems).toEqual([]);
  expect(existsSync(home.path('data', 'stockroom'))).toBe(false);
});

test('the examples of every command run against a living service', { timeout: 600_000 }, async () => {
  await using home = await place();
  const { dataDir: own } = await home.start(['--demo', '--test-clock']);
  await home.run(['profile', 'use', 'kestrel-coffee']);
  const { profiles } = JSON.parse(readFileSync(home.path('config', 'stockroom', 'credentials.json'), 'utf8')) as {
    profiles: Record<string, { apiKey: string }>;
  };
  const secrets = Object.values(profiles).map(({ apiKey }) => apiKey);
  const addShop = (name: string) => inShell(home, `stockroom profile add ${name} --url http://127.0.0.1:1 --api-key-file key.txt`);
  for (const name of ['shop', 'staging']) await addShop(name);
  const problems: string[] = [];
  const attempt = async (id: string, example: string): Promise<void> => {
    const goesOn = STREAMS.test(id) || STREAMS.test(example);
    const env = { STAGING_KEY: SOME_KEY, STOCKROOM_SIGNING_SECRET: FILES['secret.txt'] ?? '' };
    const ran = await inShell(home, example, env, goesOn);
    problems.push(...ill(example, ran, secrets));
    if (ran.exit === EXIT.unexpected || (ran.exit === EXIT.unreachable && turnOf(id) < 0 && !example.includes('--profile')))
      problems.push(`${example}: ${JSON.stringify(ran)}`);
    // Ids in examples are nobody's: the service may refuse them, the command line must not.
    if (ran.exit === EXIT.usage && !/^Request /mu.test(ran.stderr) && !WITH_A_PERSON.test(id))
      problems.push(`${example}: refused: ${ran.stderr}${ran.stdout}`);
    if (ran.exit === 124 && !goesOn) problems.push(`${example}: did not end`);
  };
  const all = commands
    .flatMap(({ id, examples }) => examples.map((example) => ({ id, example })))
    .filter(({ id, example }) => !ELSEWHERE.test(id) && !ELSEWHERE.test(example));
  await each(
    all.filter(({ id }) => turnOf(id) < 0),
    ({ id, example }) => attempt(id, example),
  );
  const later = all.filter(({ id }) => turnOf(id) >= 0).toSorted((a, b) => turnOf(a.id) - turnOf(b.id));
  for (const { id, example } of later) {
    if (turnOf(id) <= turnOf('profile:remove')) await addShop('staging');
    else {
      const isRunning = (await daemonStatuses(home.env)).some(({ status, dataDir }) => status === 'running' && dataDir === own);
      if (!isRunning) await home.run(['daemon', 'start', '--port', '0', '--test-clock']);
      for (const name of ['base', 'before-migration'])
        if (id === 'snapshot:load' || id === 'snapshot:delete') await home.run(['snapshot', 'save', name]);
    }
    await attempt(id, example);
  }
  expect(problems).toEqual([]);
});

test('on a terminal of 80 columns no command crashes, and no table or sentence is wider', { timeout: 600_000 }, async () => {
  await using home = await place();
  await home.start(['--demo', '--test-clock']);
  await home.run(['profile', 'use', 'kestrel-coffee']);
  const problems: string[] = [];
  // What a person asked for in full is not cut; examples for programs and questions to a person are not for this.
  const forPeople = ({ id, example }: { id: string; example: string }): boolean =>
    turnOf(id) < 0 &&
    !ELSEWHERE.test(id) &&
    !STREAMS.test(id) &&
    !STREAMS.test(example) &&
    !/--json|-o |\||[<>]|--data|completion|openapi|export|\bapi\b|mcp|--out/u.test(example);
  const examples = commands.flatMap(({ id, examples: [example = ''] }) => [{ id, example }]).filter(forPeople);
  await each(examples, async ({ id, example }) => {
    const args = /^stockroom (.*)$/u.exec(example)?.[1] ?? '';
    const words = [...args.matchAll(/'([^']*)'|(\S+)/gu)].map(([, quoted, bare]) => quoted ?? bare ?? '');
    const ran = await home.terminal([...words, '--no-input']);
    problems.push(...ill(example, ran));
    const wide = ran.stdout
      .split('\n')
      .filter((line) => line.length > 80 && !/[\da-f]{8}-[\da-f]{4}-|[\da-f]{64}|https?:\/\/|\/tmp\//u.test(line));
    if (wide.length > 0) problems.push(`${id}: wider than the screen:\n${wide.slice(0, 3).join('\n')}`);
  });
  expect(problems).toEqual([]);
});
