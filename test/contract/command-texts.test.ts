/** The texts of the command line, the published documents and the MCP tools: short, imperative summaries in standard terms. */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command } from '@oclif/core';
import { beforeAll, describe, expect, test } from 'vitest';
import { ADMIN_OPERATIONS } from '../../src/contract/admin/index.ts';
import { errors } from '../../src/contract/errors.ts';
import { OPERATIONS } from '../../src/contract/index.ts';
import { DEFAULT_URL } from '../../src/platform/local-paths.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { buildApiDocument } from '../../src/contract/openapi/api-document.ts';
import { buildWebhooksDocument } from '../../src/contract/openapi/webhooks-document.ts';
import { TOOLS } from '../../src/contract/mcp-tools.ts';
import { toListedTool } from '../../src/mcp/tool-list.ts';

const SUMMARY_MAX_CHARS = 60;

/** The first word of a summary. Extend the list when a new command needs another verb. */
const VERBS =
  `Add Advance Apply Approve Cancel Check Clear Copy Create Delete Deny Export Fetch Follow Generate Get Import Inject Invite Link List
Load Move Print Receive Register Remove Resend Reset Restart Restore Resume Revoke Rotate Run Save Send Set Show Start Stop Submit Suspend
Switch Sync Trigger Compare Update Verify Wait Watch Deliver Complete Edit Issue Open Post Replay Ship`.split(/\s+/u);

/** Terms with a standard replacement, as regular expressions. */
const NONSTANDARD_TERMS = [
  'tells?',
  'told',
  'telling',
  'tellers?',
  'mend(?:s|ed|ing)?',
  'heed(?:s|ed|ing)?',
  'anew',
  'afresh',
  'whoever',
  'whatever',
  'somebody',
  'nobody',
  'at once',
  'in force',
  'go(?:es|ing)? on',
  'went on',
  'besides?',
  'behind',
  'mishaps?',
  'glances?',
  'deeds?',
  'manners',
  'strangers?',
  'rehears(?:e|es|ed|al)',
  'unmake',
  'remake',
  'go(?:es)? wrong',
  'on purpose',
  'take the place',
  'cut off',
  'this once',
  'so many',
  'left out',
  'leaves? (?:it )?out',
  'stays? as it is',
  'stay as they are',
  'what is not named',
  'is asked',
  'nothing but',
  'gives? up',
  'given up',
  'wire number',
];
const NONSTANDARD = new RegExp(String.raw`\b(?:${NONSTANDARD_TERMS.join('|')})\b`, 'iu');

interface Described {
  readonly description?: string;
  readonly summary?: string;
}
type CommandClass = Pick<typeof Command, 'summary' | 'description'> &
  Partial<Record<'flags' | 'baseFlags' | 'args', Readonly<Record<string, Described>>>>;

const root = fileURLToPath(new URL('../..', import.meta.url));
const { oclif } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as {
  readonly oclif: { readonly topics: Readonly<Record<string, { readonly description: string }>> };
};
const topics = Object.entries(oclif.topics).map(([name, { description }]) => [name, description] as const);

/** The commands by id, loaded from their sources, so that the test needs no build. */
const commands = new Map<string, CommandClass>();
beforeAll(async () => {
  for (const path of globSync('commands/**/*.{ts,tsx}', { cwd: root })) {
    const id = path
      .replace(/^commands\//u, '')
      .replace(/\.tsx?$/u, '')
      .replace(/\/index$/u, '')
      .replaceAll('/', ' ');
    commands.set(id, ((await import(`${root}/${path}`)) as { default: CommandClass }).default);
  }
});

/** The texts that break a rule, with their place. */
const listViolations = (texts: Iterable<readonly [place: string, text: string]>, isValid: (text: string) => boolean): readonly string[] =>
  [...texts].filter(([, text]) => !isValid(text)).map(([place, text]) => `${place}: ${text}`);

const listSummaries = () => [...commands].map(([id, { summary }]) => [id, summary ?? ''] as const);
const listOperationSummaries = () =>
  ([...OPERATIONS, ...ADMIN_OPERATIONS] as readonly Operation[]).map(({ id, summary }) => [id, summary] as const);
const startsWithVerb = (text: string): boolean => VERBS.includes(text.split(' ', 1)[0] ?? '');
const isStandard = (text: string): boolean => !NONSTANDARD.test(text);

describe.for([
  ['every command', listSummaries],
  ['every operation', listOperationSummaries],
] as const)('the summary of %s', ([, list]) => {
  test(`has at most ${String(SUMMARY_MAX_CHARS)} characters`, () => {
    expect(listViolations(list(), (text) => text.length > 0 && text.length <= SUMMARY_MAX_CHARS)).toEqual([]);
  });

  test('starts with an imperative verb', () => {
    expect(listViolations(list(), startsWithVerb)).toEqual([]);
  });

  test('is one sentence without a full stop', () => {
    expect(listViolations(list(), (text) => !/[.;]/u.test(text))).toEqual([]);
  });
});

test('the description of every topic is short and has no full stop', () => {
  expect(listViolations(topics, (text) => text.length <= SUMMARY_MAX_CHARS && !text.endsWith('.'))).toEqual([]);
});

test('the description of every command has at most two sentences', () => {
  const descriptions = [...commands].filter(([id]) => id !== 'help').map(([id, { description }]) => [id, description ?? ''] as const);
  expect(listViolations(descriptions, (text) => text.split(/\.(?=\s)/u).length <= 2)).toEqual([]);
});

describe('standard terms are used', () => {
  test('in summaries, descriptions, flags and arguments of commands', () => {
    const texts = [...commands].flatMap(([id, { summary = '', description = '', flags = {}, baseFlags = {}, args = {} }]) => [
      [id, summary] as const,
      [id, description] as const,
      ...Object.entries({ ...baseFlags, ...flags }).map(([name, flag]) => [`${id} --${name}`, flag.description ?? ''] as const),
      ...Object.entries(args).map(([name, arg]) => [`${id} ${name.toUpperCase()}`, arg.description ?? ''] as const),
    ]);
    expect(listViolations([...texts, ...topics], isStandard)).toEqual([]);
  });

  test('in operations and their fields, error codes, published documents and MCP tools', () => {
    const described = {
      errors,
      admin: ADMIN_OPERATIONS,
      api: buildApiDocument(DEFAULT_URL),
      webhooks: buildWebhooksDocument(),
      tools: TOOLS.map(toListedTool),
    };
    expect(listViolations(listTexts(described), isStandard)).toEqual([]);
  });
});

const TEXT_KEYS: ReadonlySet<string> = new Set(['title', 'summary', 'description', 'meaning', 'hint']);

/** All texts below a value, with their paths. */
function* listTexts(value: unknown, path = ''): Generator<readonly [place: string, text: string]> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    if (typeof child === 'string' && TEXT_KEYS.has(key)) yield [`${path}/${key}`, child];
    else yield* listTexts(child, `${path}/${key}`);
  }
}
