/** Support for tests of all commands: the commands with their examples, a home to run them in, and checks that hold for each of them. */
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { EXIT } from '../../../src/cli/errors/exit-codes.ts';
import { generateKey } from '../../../src/domain/tenancy/api-keys.ts';
import { type Home, type Ran, RUN, makeHome } from './home.ts';

interface Manifest {
  readonly commands: Readonly<Record<string, { readonly id: string; readonly hidden?: boolean; readonly examples: readonly string[] }>>;
}
const manifest = JSON.parse(readFileSync(fileURLToPath(new URL('../../../oclif.manifest.json', import.meta.url)), 'utf8')) as Manifest;
export const commands = Object.values(manifest.commands)
  .filter(({ hidden }) => hidden !== true)
  .map(({ id, examples }) => ({
    id,
    words: id.split(':'),
    examples: examples.map((example) => example.replaceAll('<%= config.bin %>', 'stockroom')),
  }));

/** Commands and examples that run until a signal. */
const LONG_RUNNING =
  /^(?:webhooks:(?:listen|deliveries:tail)|requests:tail|events:tail|dashboard|mcp)$|(?:(?:daemon logs|audit list) .*(?:-f|--follow)|--foreground|--watch|demo --live)/u;
export const isLongRunning = (id: string, example: string): boolean => LONG_RUNNING.test(id) || LONG_RUNNING.test(example);
/** Commands that change the service or the profiles for all others, in the order in which they run. */
const SEQUENTIAL = [
  // Resumes the last session, and another listener would be one.
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
/** Position of a command in that order; -1: it can run at the same time as others. */
export const getSequence = (id: string): number => SEQUENTIAL.findIndex((name) => id === name || id.startsWith(`${name}:`));
/** Commands that run programs, need another service, or take minutes: they have tests of their own. */
export const TESTED_ELSEWHERE =
  /^(?:exec|fixtures:(?:apply|check|export|init)|migrate|pull|requests:replay|seed|torture)$|npm test|--fixtures/u;
/** A well-formed key that no service knows. */
export const UNKNOWN_KEY = generateKey('development').secret;
const CONCURRENCY = 2;
/** How long a long-running command runs on after its first output. */
const OBSERVED_MS = 300;
/** Time limit of any other command. */
const TIMEOUT_MS = 60_000;
/** Exit code of a command that exceeded it, as of `timeout`. */
export const TIMED_OUT = 124;
const INTERRUPTED = 143;
// oxlint-disable-next-line no-control-regex -- the escape character is what this looks for
const ESCAPE = /\u001b/u;
const STACK = /^\s+at .*[(/].*:\d+:\d+\)?$/mu;
const CODES: readonly number[] = [...Object.values(EXIT), TIMED_OUT, INTERRUPTED];

/** Arguments of a line without shell syntax other than quotes; undefined for any other line. */
export function parseArgs(line: string): string[] | undefined {
  const args = /^stockroom((?: +(?:'[^']*'|[^\s'"|<>$&;*~\\])+)*)$/u.exec(line)?.[1];
  if (args === undefined) return undefined;
  return [...args.matchAll(/(?:'[^']*'|[^\s'])+/gu)].map(([arg]) => arg.replaceAll("'", ''));
}

/** Runs a line of a shell in the folder of the files below. A long-running command is terminated after its first output. */
export async function runLine(
  home: Home,
  line: string,
  { env = {}, isLong = false }: { env?: Readonly<Record<string, string>>; isLong?: boolean } = {},
): Promise<Ran> {
  const args = parseArgs(line);
  if (args === undefined) return runInShell(home, line, env);
  const options = { env, cwd: home.path('work') };
  if (isLong) return observe(home, args, options);
  const timeout = new AbortController();
  const exceeded = sleep(TIMEOUT_MS, { exit: TIMED_OUT, stdout: '', stderr: '' }, { signal: timeout.signal });
  exceeded.catch(() => undefined);
  const ran = await Promise.race([home.run(args, options), exceeded]);
  timeout.abort();
  return ran;
}

async function observe(home: Home, args: readonly string[], options: Parameters<Home['spawn']>[1]): Promise<Ran> {
  const child = home.spawn(args, options);
  const output = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr]) stream?.once('data', () => output.resolve());
  await Promise.race([output.promise, child]);
  await Promise.race([sleep(OBSERVED_MS), child]);
  child.kill('SIGTERM');
  const { exitCode, stdout, stderr } = await child;
  return { exit: exitCode ?? INTERRUPTED, stdout: String(stdout), stderr: String(stderr) };
}

async function runInShell(home: Home, line: string, env: Readonly<Record<string, string>>): Promise<Ran> {
  const script = `set -o pipefail; stockroom() { '${process.execPath}' '${RUN}' "$@"; }; ${line}`;
  const { exitCode, stdout, stderr } = await execa('bash', ['--norc', '-c', script], {
    env: { ...home.env, ...env },
    extendEnv: false,
    reject: false,
    input: '',
    cwd: home.path('work'),
    timeout: TIMEOUT_MS,
  });
  return { exit: exitCode ?? TIMED_OUT, stdout, stderr };
}

export async function forEachConcurrently<T>(items: readonly T[], work: (item: T, index: number) => Promise<void>): Promise<void> {
  const entries = items.entries();
  const run = async (): Promise<void> => {
    for (const [index, item] of entries) await work(item, index);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, run));
}

/** What is wrong with the output of a command in a pipe, whatever the command. */
export function findProblems(command: string, { exit, stdout, stderr }: Ran, secrets: readonly string[] = []): string[] {
  const report = (problem: string) => [`${command}: ${problem}\n${stdout.slice(0, 300)}\n${stderr.slice(0, 600)}`];
  if (STACK.test(stderr) || STACK.test(stdout)) return report('prints a stack trace');
  if (ESCAPE.test(stdout) || ESCAPE.test(stderr)) return report('prints escape sequences');
  if (!CODES.includes(exit)) return report(`exits with ${String(exit)}`);
  if (secrets.some((secret) => stdout.includes(secret) || stderr.includes(secret))) return report('prints a saved key');
  return [];
}

/** A home with the files that examples name, in its folder `work`. */
export async function createExampleHome(): Promise<Home> {
  const home = await makeHome();
  await mkdir(home.path('work'));
  for (const [name, text] of Object.entries(FILES)) await writeFile(home.path('work', name), text);
  return home;
}

export const FILES: Readonly<Record<string, string>> = {
  'customers.csv': 'name,email\nAda,ada@example.com\n',
  'addresses.csv': 'Full name,Remarks\nGrace,none\n',
  'catalogue.csv': 'name,sku\nWasher M6,W-M6\n',
  'prices.csv': 'Part no.,name,Color\nW-M8,Washer M8,red\n',
  'orders.csv': 'module,contact,item.sku,quantity\nsell,Compras,MER-MUG,1\n',
  'webshop.csv': 'module,Customer,item.sku,quantity\nsell,Compras,MER-MUG,2\n',
  'recipes.csv': 'item.sku,ingredient.sku,quantity\nSET-BAR,MER-TOTE,1\n',
  'terms.csv': 'item.sku,supplier,purchasePrice\nMER-TOTE,Greta Lindqvist,4\n',
  'sheet.csv': 'site,item.sku,countedQuantity\nROAST,MER-MUG,31\n',
  'opening.csv': 'site,item.sku,quantity,unitCost\nBAIXA,MER-MUG,3,2\n',
  'order.json': '{"module":"make","reference":"from a file"}',
  'document.json': '{"type":"issue","reference":"from a file"}',
  'body.json': '{"event":"order.created"}',
  'secret.txt': `whsec_${Buffer.from('no secret of anybody, 32 bytes..').toString('base64')}\n`,
  'key.txt': `${UNKNOWN_KEY}\n`,
};
