/** The hand-written commands against the contract: every operation has a command, every field a way in, every example a command that exists. */
import { beforeAll, describe, expect, test } from 'vitest';
import { Config, type Interfaces } from '@oclif/core';
import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command } from '@oclif/core';
import { hasFlag } from '../../src/cli/input/operation-flags.ts';
import { toFlagName } from '../../src/cli/flag-name.ts';
import { getCommandId } from '../../src/cli/operation-commands.ts';
import { ADMIN_OPERATIONS } from '../../src/contract/admin/index.ts';
import { OPERATIONS } from '../../src/contract/index.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { HELP_TOPICS } from '../../src/cli/help/topics.ts';

/** Fields that a command takes in another form than a flag of their name. */
const OTHERWISE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'faults.set': { target: 'target' },
  'fixtures.apply': { tenants: 'file', scenarios: 'file' },
  // The connection of a command ends with it.
  'tenants.create': { lease: 'template' },
  'keys.create': { scopes: 'scope', rateLimitTier: 'tier' },
  'apps.create': { scopes: 'scope', redirectUris: 'redirect-uri', grantTypes: 'grant-type' },
  'apps.update': { scopes: 'scope', redirectUris: 'redirect-uri', grantTypes: 'grant-type' },
  'apps.approve': { scopes: 'scope' },
  'console.open': { scopes: 'read-only' },
  'doctor.repair': { dryRun: 'dry-run', mode: 'repair' },
  'orders.create': { lines: 'line' },
  'stock_documents.create': { lines: 'line', approve: 'post' },
  'stock.reorder_point.set': { itemId: 'item_id' },
  'webhooks.create': { subscribedEvents: 'event' },
  'webhooks.update': { subscribedEvents: 'event' },
  'webhooks.trigger': { data: 'set' },
  'webhooks.deliveries.list': { event_type: 'event' },
  'webhooks.replays.create': { types: 'event', statuses: 'status' },
  'webhooks.deliveries.tail': { event_type: 'event' },
};

type CommandClass = typeof Command & { flags: Interfaces.FlagInput; baseFlags: Interfaces.FlagInput; args: Interfaces.ArgInput };

const root = fileURLToPath(new URL('../..', import.meta.url));
const commands = new Map<string, CommandClass>();
beforeAll(async () => {
  for (const path of globSync('commands/**/*.{ts,tsx}', { cwd: root })) {
    const id = path
      .replace(/^commands\//u, '')
      .replace(/\.tsx?$/u, '')
      .replace(/\/index$/u, '')
      .replaceAll('/', ':');
    commands.set(id, ((await import(`${root}/${path}`)) as { default: CommandClass }).default);
  }
});

/** `daemon` commands own a process and are more than their operation; `clock --tenant` moves the clock of a tenant; the dashboard has the lists of the owner; `demo`, `seed`, `doctor`, `resend`, `show` and `listen` are one command each. */
const APART =
  /^(?:.*\.list\.owner$|daemon\.|demo\.|seed\.get$|doctor\.progress$|tenants\.clock\.|webhooks\.(?:backfill|deliveries\.(?:resend-failed|get|requeue))$)/u;
const all: readonly Operation[] = [...OPERATIONS, ...ADMIN_OPERATIONS].filter(({ id }) => !APART.test(id));
const getCommand = (op: Operation): CommandClass => {
  const command = commands.get(getCommandId(op));
  if (!command) throw new Error(`no command for ${op.id}: ${getCommandId(op)}`);
  return command;
};

describe.for(all.map((op) => [op.id, op] as const))('%s', ([, op]) => {
  test('has a command with an argument for every path parameter', () => {
    const positional = Object.keys(getCommand(op).args);
    expect(positional.slice(0, Object.keys(op.params?.properties ?? {}).length)).toEqual(Object.keys(op.params?.properties ?? {}));
  });

  test('can be asked for everything the contract knows', () => {
    const flags = Object.keys(getCommand(op).flags ?? {});
    const ways = [...flags, ...Object.keys(getCommand(op).baseFlags)];
    // What the command itself decides: pages, cursors, and `--lines` for include=lines.
    const own = [
      'cursor_created_at',
      'cursor_id',
      'include',
      ...('page' in (op.query?.properties ?? {}) ? ['cursor', 'include_deleted'] : []),
    ];
    for (const name of Object.keys(op.query?.properties ?? {}).filter((key) => !own.includes(key)))
      expect(ways).toContain(OTHERWISE[op.id]?.[name] ?? toFlagName(name));
    const fixed = Object.keys(getCommand(op).args);
    for (const [name, schema] of Object.entries(op.body?.properties ?? {})) {
      const way = OTHERWISE[op.id]?.[name];
      if (way !== undefined) expect([...fixed, ...flags]).toContain(way);
      else if (hasFlag(schema) && flags.includes('data')) expect(flags).toContain(toFlagName(name));
      else if (!flags.includes('data')) expect([...fixed, ...flags, 'requestsPerMinute']).toContain(name);
    }
  });

  test('has --dry-run if it writes', () => {
    const hasDryRun = Object.keys(getCommand(op).flags ?? {}).includes('dry-run');
    expect(hasDryRun || op.method === 'GET').toBe(true);
  });

  test('has no field flag that its body does not know', () => {
    const options = new Set([
      'data',
      'set',
      'dry-run',
      'idempotency-key',
      'tenant',
      'save',
      'force',
      'yes',
      'line',
      'scope',
      'read-only',
      'post',
      'create',
      'tier',
      'event',
      'failed',
      'retrying',
      'discarded',
      'since',
      'webhook-id',
      'open',
    ]);
    const fields = Object.keys(op.body?.properties ?? {}).map(toFlagName);
    const others = Object.values(OTHERWISE[op.id] ?? {});
    const unknownFlags = Object.keys(getCommand(op).flags ?? {}).filter((flag) => ![...options, ...fields, ...others].includes(flag));
    expect(op.body ? unknownFlags : []).toEqual([]);
  });
});

describe('every command', () => {
  test('says in one line what it does and shows at least two examples that parse', async () => {
    const config = await Config.load(root);
    for (const [id, command] of commands) {
      expect(command.summary, id).toMatch(/^\S.{5,110}[^.]$/u);
      const examples = (command.examples ?? []) as readonly string[];
      expect(examples.length, id).toBeGreaterThanOrEqual(2);
      for (const example of examples) {
        const words = getWords(example);
        expect(words.slice(0, id.split(':').length).join(':'), example).toBe(id);
        const argv = words.slice(id.split(':').length);
        const refusal = await parse(command, argv, config).then(
          () => null,
          (error: unknown) => String(error),
        );
        expect(refusal, example).toBeNull();
        checkFileNames(command.flags, argv);
      }
    }
  });

  test('parses as the help topics show it', async () => {
    const config = await Config.load(root);
    const lines = Object.values(HELP_TOPICS).flatMap(
      ({ text }) => text.replaceAll(/ \\\n */gu, ' ').match(/^ {2}stockroom \w.*$/gmu) ?? [],
    );
    expect(lines.length).toBeGreaterThan(8);
    for (const line of lines) {
      const words = getWords(
        line
          .trim()
          .replace('stockroom ', '<%= config.bin %> ')
          .replace(/ {2,}.*$/u, ''),
      );
      const count = [3, 2, 1].find((length) => commands.has(words.slice(0, length).join(':'))) ?? 0;
      const command = commands.get(words.slice(0, count).join(':'));
      expect(command, line).toBeDefined();
      if (!command) continue;
      await expect(parse(command, words.slice(count), config), line).resolves.toBeDefined();
      checkFileNames(command.flags, words.slice(count));
    }
  });
});

/** What stands behind the program's name, as a shell would split it; redirections and what is piped in are left out. */
function getWords(example: string): string[] {
  const line = example
    .replace(/^.*\|\s*(?=<%)/u, '')
    .replace('<%= config.bin %> ', '')
    .replace(/\s+(?:[<|>]|&&).*$/u, '');
  return [...line.matchAll(/(?:'([^']*)'|"([^"]*)"|[^\s'"])+/gu)].map(([word]) =>
    word.replaceAll(/['"]/gu, (quote, at: number) => (isQuote(word, at) ? '' : quote)),
  );
}

/** Whether the quote at this place belongs to the shell, not to what is quoted. */
function isQuote(word: string, at: number): boolean {
  let open: string | null = null;
  for (let place = 0; place <= at; place += 1) {
    const char = word[place] ?? '';
    const shell = (char === "'" || char === '"') && (open === null || open === char);
    if (place === at) return shell;
    if (shell) open = open === null ? char : null;
  }
  return false;
}

/** Only --data reads the file after an @; a flag for a file takes its name. */
function checkFileNames(flags: Interfaces.FlagInput | undefined, argv: readonly string[]): void {
  for (const [at, word] of argv.entries()) {
    const flag = flags?.[word.replace(/^--/u, '')];
    if (flag?.type === 'option' && flag.helpValue?.includes('FILE') && !flag.helpValue.includes('@'))
      expect(argv[at + 1], word).not.toMatch(/^@/u);
  }
}

/** Parses without running. */
async function parse(command: CommandClass, argv: string[], config: Config): Promise<unknown> {
  const Probe = class extends (command as unknown as new (argv: string[], config: Config) => Command) {
    async probe(): Promise<unknown> {
      return this.parse(command, argv);
    }
    async run(): Promise<void> {
      await this.probe();
    }
  };
  return new Probe(argv, config).probe();
}

/** Help values of flags that are given once for each value, because it may contain commas. */
const WITH_COMMAS = {
  'a name and any text': /^(?:NAME|PATH|KEY)=VALUE$/u,
  'a column of a file': /^COLUMN=FIELD$/u,
  'a URL': /(?:^|=)URL$/u,
  'the name of an item': /^ITEM:/u,
};

test('every flag that can be repeated takes values joined by commas and says so, unless its values may contain commas', () => {
  const flags = [...commands].flatMap(([id, command]) =>
    Object.entries(command.flags).map(([name, flag]) => ({ flag, at: `${id} --${name}` })),
  );
  const wrong = flags.flatMap(({ flag, at }) => {
    if (flag.type !== 'option' || flag.multiple !== true) return [];
    const helpValue = String(flag.helpValue);
    const isList = !Object.values(WITH_COMMAS).some((pattern) => pattern.test(helpValue));
    const isRight = isList ? flag.delimiter === ',' && /^A,B$|,…$/u.test(helpValue) : flag.delimiter === undefined;
    return isRight ? [] : [`${at} ${helpValue}`];
  });
  expect(wrong).toEqual([]);
});
