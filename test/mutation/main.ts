/**
 * Measures which small changes of the code (mutants) the tests detect. Run by hand; a run takes minutes.
 *
 *   node bin/setup.js test/mutation/main.ts --area delivery|domain|http|store [--count 150] [--seed 1]
 *   node bin/setup.js test/mutation/main.ts --area domain --path src/domain/orders --path src/domain/stock/levels.ts
 *   node bin/setup.js test/mutation/main.ts --area domain --only 17        one mutant of the same plan
 *   ... --list                                                prints the plan
 *   ... --workers 2                                           mutants at the same time
 *   ... --reached FILE                                        keeps what the first step finds, for the next run of the plan
 *
 * First all tests of the area run without a mutant; they record which test files reach which mutant. Then these files run
 * against each mutant until one fails. A mutant that no test reaches, or that no test fails with, survives. A mutant with
 * which the tests never end counts as detected. End-to-end tests of the built CLI take no part.
 */
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { AREAS, isArea } from './areas.ts';
import { PLAN_FILE, REACHED_FILE } from './environment.ts';
import { OPERATORS } from './find-mutants.ts';
import { choosePlan, type Mutant } from './plan.ts';
import { readRuns, type TestFileRuns, writeRuns } from './reached.ts';
import { TestProcess } from './test-process.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const { values: flags } = parseArgs({
  options: {
    area: { type: 'string' },
    path: { type: 'string', multiple: true },
    count: { type: 'string', default: '150' },
    seed: { type: 'string', default: '1' },
    workers: { type: 'string', default: '2' },
    only: { type: 'string', multiple: true },
    reached: { type: 'string' },
    list: { type: 'boolean', default: false },
  },
});
if (flags.area === undefined || !isArea(flags.area)) throw new Error(`--area is one of ${Object.keys(AREAS).join(', ')}.`);
const area = AREAS[flags.area];

const directory = mkdtempSync(join(tmpdir(), 'stockroom-mutation-'));
process.on('exit', () => {
  rmSync(directory, { recursive: true, force: true });
});
const plan = choosePlan(flags.path ?? area.sources, { count: Number(flags.count), seed: Number(flags.seed) });
const mutants = plan.filter(({ id }) => flags.only === undefined || flags.only.includes(String(id)));

if (flags.list) for (const mutant of mutants) process.stdout.write(`${describe(mutant)}\n`);
else await measure();

async function measure(): Promise<void> {
  process.env[PLAN_FILE] = join(directory, 'plan.json');
  writeFileSync(process.env[PLAN_FILE], JSON.stringify(plan));
  const testFiles = area.tests.flatMap((pattern) => globSync(pattern)).filter((file) => !area.excluded.some((name) => file.includes(name)));
  const runs = await runWithoutMutant(testFiles.map((file) => file.replaceAll('\\', '/')));
  const durations = Object.fromEntries(Object.entries(runs).map(([file, { durationMs }]) => [file, durationMs]));
  const findTests = ({ id, runsAtImport }: Mutant): string[] =>
    Object.keys(runs)
      .filter((file) => runsAtImport || runs[file]?.mutants.includes(id))
      .toSorted((a, b) => (durations[a] ?? 0) - (durations[b] ?? 0));

  const survivors: Mutant[] = [];
  const queue = [...mutants];
  const work = async (): Promise<void> => {
    await using runner = new TestProcess({ workers: 1, stopsAtFirstFailure: true });
    for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
      const files = findTests(mutant);
      const detectedBy = files.length === 0 ? undefined : await detect(runner, mutant, files, durations);
      if (detectedBy === undefined) survivors.push(mutant);
      const result = detectedBy ?? (files.length === 0 ? 'SURVIVED, not reached' : 'SURVIVED');
      process.stdout.write(`${describe(mutant)}  ${result}\n`);
    }
  };
  await Promise.all(Array.from({ length: Number(flags.workers) }, work));
  report(survivors);
}

/** What detects a mutant: the test file that fails, or the end of its time. */
async function detect(
  runner: TestProcess,
  mutant: Mutant,
  files: string[],
  durations: Readonly<Record<string, number>>,
): Promise<string | undefined> {
  const expectedMs = files.reduce((sum, file) => sum + (durations[file] ?? 0), 0);
  const result = await runner.run({ mutant: mutant.id, files }, 3 * expectedMs + MINUTE_MS / 2);
  return result === 'hangs' ? 'detected: the tests never end' : result.failedFiles[0] && `detected by ${result.failedFiles[0]}`;
}

/** Runs the test files of which the kept file has no valid run. Those that fail are left out. */
async function runWithoutMutant(testFiles: string[]): Promise<TestFileRuns> {
  const kept = readRuns(flags.reached, plan, testFiles);
  const files = testFiles.filter((file) => !(file in kept));
  const runs = files.length === 0 ? kept : { ...kept, ...(await recordRuns(files)) };
  writeRuns(flags.reached, plan, runs);
  const reached = new Set(Object.values(runs).flatMap(({ mutants: ids }) => ids));
  process.stdout.write(`${String(Object.keys(runs).length)} test files reach ${String(reached.size)} of ${String(plan.length)} mutants.\n`);
  return runs;
}

async function recordRuns(files: readonly string[]): Promise<TestFileRuns> {
  process.env[REACHED_FILE] = join(directory, 'reached.tsv');
  writeFileSync(process.env[REACHED_FILE], '');
  await using runner = new TestProcess({ workers: 2, stopsAtFirstFailure: false });
  const result = await runner.run({ mutant: null, files }, HOUR_MS);
  if (result === 'hangs') throw new Error('The tests never end, without any mutant.');
  const { failedFiles, durations } = result;
  if (failedFiles.length > 0) process.stdout.write(`These fail without a mutant and are left out: ${failedFiles.join(', ')}\n`);
  const reached = readFileSync(process.env[REACHED_FILE], 'utf8')
    .split('\n')
    .map((line) => line.split('\t'));
  // oxlint-disable-next-line typescript/no-dynamic-delete
  delete process.env[REACHED_FILE];
  return Object.fromEntries(
    Object.entries(durations)
      .filter(([file]) => !failedFiles.includes(file))
      .map(([file, durationMs]) => {
        const ids = reached.filter(([, reachingFile]) => reachingFile === file).map(([id]) => Number(id));
        return [file, { durationMs, mutants: [...new Set(ids)] }];
      }),
  );
}

function report(survivors: readonly Mutant[]): void {
  process.stdout.write(`\n${'operator'.padEnd(18)} mutants  detected\n`);
  for (const operator of OPERATORS) {
    const tried = mutants.filter((mutant) => mutant.operator === operator).length;
    const survived = survivors.filter((mutant) => mutant.operator === operator).length;
    process.stdout.write(`${operator.padEnd(18)} ${String(tried).padStart(7)}  ${String(tried - survived).padStart(8)}\n`);
  }
  const score = (100 * (mutants.length - survivors.length)) / mutants.length;
  process.stdout.write(
    `${'all'.padEnd(18)} ${String(mutants.length).padStart(7)}  ${String(mutants.length - survivors.length).padStart(8)}  ${score.toFixed(1)} %\n\nSurvivors:\n`,
  );
  for (const mutant of survivors.toSorted((a, b) => a.id - b.id)) process.stdout.write(`${describe(mutant)}\n`);
}

function describe({ id, path, line, operator, description }: Mutant): string {
  return `${String(id).padStart(4)}  ${path}:${String(line)}  ${operator}: ${description.length > 120 ? `${description.slice(0, 117)}...` : description}`;
}
