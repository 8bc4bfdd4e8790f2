/**
 * Conventions that hold for every command: in a pipe and at a terminal, with an unknown flag and `--json`, and without a service, none prints
 * a stack trace, a saved key or colors in a pipe, and the exit code matches the error object.
 */
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { EXIT } from '../../../src/cli/errors/exit-codes.ts';
import {
  TESTED_ELSEWHERE,
  TIMED_OUT,
  commands,
  createExampleHome,
  findProblems,
  forEachConcurrently,
  getSequence,
  isLongRunning,
  parseArgs,
  runLine,
} from '../../support/cli/all-commands.ts';
import { isLongRun } from '../../support/long-run.ts';

const COLUMNS = 80;
/** One in so many examples runs at a real terminal, all in the long tests; the others run with streams that claim to be one. */
const REAL_TERMINALS = isLongRun ? 1 : 15;

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

test('every command rejects an unknown flag with exit 2 and one JSON error on stdout', { timeout: 600_000 }, async () => {
  await using home = await createExampleHome();
  const problems: string[] = [];
  await forEachConcurrently(commands, async ({ id, words }) => {
    const ran = await home.run([...words, '--json', '--no-such-flag']);
    problems.push(...findProblems(id, ran));
    const error = (parses(ran.stdout) ? JSON.parse(ran.stdout) : {}) as { error?: { exit?: number; code?: string } };
    if (ran.exit !== EXIT.usage || error.error?.exit !== EXIT.usage || ran.stderr !== '') problems.push(`${id}: ${JSON.stringify(ran)}`);
  });
  expect(problems).toEqual([]);
});

test('every command that needs a service fails without one, with a message and its exit code', { timeout: 600_000 }, async () => {
  await using home = await createExampleHome();
  const problems: string[] = [];
  await forEachConcurrently(
    commands.filter(({ id }) => getSequence(id) < 0 && !TESTED_ELSEWHERE.test(id)),
    async ({ id, examples: [example = ''] }) => {
      const ran = await runLine(home, example.includes('|') || example.includes('>') ? example : `${example} --json`);
      if (ran.exit === TIMED_OUT) problems.push(`${example}: timed out`);
      problems.push(...findProblems(example, ran));
      if (!isJson(ran.stdout) && !/ -o | > |\|/u.test(example) && !['completion', 'help', 'api'].includes(id))
        problems.push(`${example}: stdout is not JSON: ${ran.stdout}`);
      if (parses(ran.stdout)) {
        const { error } = JSON.parse(ran.stdout) as { error?: { exit: number } };
        if (error !== undefined && error.exit !== ran.exit)
          problems.push(`${example}: exit code ${String(ran.exit)}, but the error object has ${String(error.exit)}`);
      }
      if (ran.exit === EXIT.unexpected) problems.push(`${example}: ${JSON.stringify(ran)}`);
    },
  );
  expect(problems).toEqual([]);
  expect(existsSync(home.path('data', 'stockroom'))).toBe(false);
});

test('no command prints lines wider than 80 columns in a terminal of that width', { timeout: 600_000 }, async () => {
  await using home = await createExampleHome();
  await home.start(['--demo', '--test-clock']);
  await home.run(['profile', 'use', 'kestrel-coffee']);
  const problems: string[] = [];
  // Output for programs may be wider, and so may a body that was asked for in full.
  const isForPeople = ({ id, example }: { id: string; example: string }): boolean =>
    getSequence(id) < 0 &&
    !TESTED_ELSEWHERE.test(id) &&
    !isLongRunning(id, example) &&
    !/--json|-o |\||[<>]|--data|completion|openapi|export|\bapi\b|mcp|--out/u.test(example);
  const examples = commands.flatMap(({ id, examples: [example = ''] }) => [{ id, example }]).filter(isForPeople);
  await forEachConcurrently(examples, async ({ id, example }, index) => {
    const args = [...(parseArgs(example) ?? []), '--no-input'];
    const shown = index % REAL_TERMINALS === 0 ? await home.terminal(args) : await home.run(args, { columns: COLUMNS });
    // A slow machine shows the progress of some, which erases itself.
    const ran = { ...shown, stderr: shown.stderr.replaceAll(/\r[^\r\n]*\p{Cc}\[K/gu, '') };
    problems.push(...findProblems(example, ran));
    const wide = `${ran.stdout}\n${ran.stderr}`
      .split('\n')
      // `stock reorder` prints commands to copy, each on one line.
      .filter(
        (line) => line.length > COLUMNS && !/^stockroom orders create |[\da-f]{8}-[\da-f]{4}-|[\da-f]{64}|https?:\/\/|\/tmp\//u.test(line),
      );
    if (wide.length > 0) problems.push(`${id}: wider than the terminal:\n${wide.slice(0, 3).join('\n')}`);
  });
  expect(problems).toEqual([]);
});
