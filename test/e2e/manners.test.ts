/**
 * Every command in every situation a script meets: its examples against a living service, in a pipe and on a terminal, a wrong flag with
 * `--json`, and no service at all. Says of each what no command may do: crash, leak a key, colour a pipe, lie with its exit code.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
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
/** They change the service under the feet of the others, so each of them runs alone. */
const ALONE = /^(?:daemon|demo|exec|reset|snapshot|clock|faults|seed|pull)(?::|$)/u;
/** Their text is a question to a person or belongs to another program. */
const AT_ONCE = 4;
const STREAM_MS = 4000;
// oxlint-disable-next-line no-control-regex -- what is looked for
const ESCAPE = /\u001b/u;
const STACK = /^\s+at .*[(/].*:\d+:\d+\)?$/mu;
const CODES: readonly number[] = Object.values(EXIT);

interface Outcome {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a line as a person would type it; what does not end by itself is ended. */
async function inShell(home: Home, line: string, env: Readonly<Record<string, string>> = {}): Promise<Outcome> {
  const script = `set -o pipefail; stockroom() { exec_node ${RUN} "$@"; }; exec_node() { '${process.execPath}' "$@"; }; ${line}`;
  const { exitCode, signal, stdout, stderr } = await execa(
    'timeout',
    ['-s', 'TERM', '-k', '5', String(STREAM_MS / 1000), 'bash', '--norc', '-c', script],
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
const FILES: Readonly<Record<string, string>> = {};

test('a wrong flag with --json is one error object on stdout, exit 2, and nothing else anywhere', async () => {
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

test('without a service every command that needs one says so in a sentence and with its exit code', async () => {
  await using home = await place();
  const problems: string[] = [];
  await each(
    commands.filter(({ id }) => !ALONE.test(id)),
    async ({ id, examples: [example = ''] }) => {
      const ran = await inShell(home, example.includes('|') || example.includes('>') ? example : `${example} --json`);
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

test('the examples of every command run against a living service', async () => {
  await using home = await place();
  await home.start(['--demo']);
  const { profiles } = JSON.parse(readFileSync(home.path('config', 'stockroom', 'credentials.json'), 'utf8')) as {
    profiles: Record<string, { apiKey: string }>;
  };
  const secrets = Object.values(profiles).map(({ apiKey }) => apiKey);
  const problems: string[] = [];
  const judge = (id: string, example: string, ran: Outcome): void => {
    problems.push(...ill(example, ran, secrets));
    if (ran.exit === EXIT.unexpected || ran.exit === EXIT.unreachable) problems.push(`${example}: ${JSON.stringify(ran)}`);
    if (ran.exit === EXIT.usage) problems.push(`${example}: refused: ${ran.stderr}`);
    if (ran.exit === 124 && !STREAMS.test(id) && !STREAMS.test(example)) problems.push(`${example}: did not end`);
  };
  await each(
    commands.filter(({ id }) => !ALONE.test(id)).flatMap(({ id, examples }) => examples.map((example) => ({ id, example }))),
    async ({ id, example }) => judge(id, example, await inShell(home, example)),
  );
  expect(problems).toEqual([]);
});
