/** What tests of all commands have in common: the commands with their examples, a place to run them in, and what none of them may do. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { makeKey } from '../../src/domain/keys.ts';
import { type Home, RUN, makeHome } from './cli.ts';

interface Manifest {
  readonly commands: Readonly<Record<string, { readonly id: string; readonly hidden?: boolean; readonly examples: readonly string[] }>>;
}
const manifest = JSON.parse(readFileSync(fileURLToPath(new URL('../../oclif.manifest.json', import.meta.url)), 'utf8')) as Manifest;
export const commands = Object.values(manifest.commands)
  .filter(({ hidden }) => hidden !== true)
  .map(({ id, examples }) => ({
    id,
    words: id.split(':'),
    examples: examples.map((example) => example.replaceAll('<%= config.bin %>', 'stockroom')),
  }));

/** They end when somebody ends them. */
export const STREAMS = /^(?:webhooks:(?:listen|deliveries:tail)|dashboard|mcp)$|(?:daemon logs .*(?:-f|--follow)|--foreground|--watch)/u;
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
export const ELSEWHERE = /^(?:exec|pull|seed)$|npm test/u;
/** Of the right form and of nobody. */
export const SOME_KEY = makeKey('development').secret;
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
export async function inShell(home: Home, line: string, env: Readonly<Record<string, string>> = {}, goesOn = false): Promise<Outcome> {
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

export async function each<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = [...all];
  const worker = async (): Promise<void> => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

export function ill(what: string, { exit, stdout, stderr }: Outcome, secrets: readonly string[] = []): string[] {
  const told = (problem: string) => [`${what}: ${problem}\n${stdout.slice(0, 300)}\n${stderr.slice(0, 600)}`];
  if (STACK.test(stderr) || STACK.test(stdout)) return told('shows a stack trace');
  if (ESCAPE.test(stdout) || ESCAPE.test(stderr)) return told('colours a pipe');
  if (!CODES.includes(exit) && exit !== 124 && exit !== 130 && exit !== 143) return told(`ends with ${String(exit)}`);
  if (secrets.some((secret) => stdout.includes(secret) || stderr.includes(secret))) return told('shows a key that is saved');
  return [];
}

export async function place(): Promise<Home> {
  const home = await makeHome();
  await execa('mkdir', [home.path('work')]);
  for (const [name, text] of Object.entries(FILES)) writeFileSync(home.path('work', name), text);
  return home;
}

/** What the examples name. */
export const FILES: Readonly<Record<string, string>> = {
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

export const turnOf = (id: string): number => IN_TURN.findIndex((name) => id === name || id.startsWith(`${name}:`));
