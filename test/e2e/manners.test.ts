/**
 * Every command in every situation a script meets: in a pipe and on a terminal, with a wrong flag and `--json`, and without any service.
 * Says of each what no command may do: crash, leak a key, colour a pipe, lie with its exit code.
 */
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { ELSEWHERE, STREAMS, commands, each, ill, inShell, place, turnOf } from '../support/manners.ts';

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
