/**
 * Runs test files against one mutant after the other, in a process of its own, which the main process kills if a mutant
 * never ends. Vitest stays loaded, so that sources are transformed once.
 */
import { createVitest } from 'vitest/node';
import { ACTIVE_MUTANT } from './environment.ts';

/** Runs `files` with a mutant, or with none. */
export interface RunRequest {
  readonly mutant: number | null;
  readonly files: readonly string[];
}

export interface RunResult {
  readonly failedFiles: readonly string[];
  /** Milliseconds per test file. */
  readonly durations: Readonly<Record<string, number>>;
}

const TEST_TIMEOUT_MS = 15_000;

process.env['NODE_OPTIONS'] = `--import=${import.meta.resolve('./register.ts')}`;
const [workers = '1', bail = '1'] = process.argv.slice(2);
const vitest = await createVitest('test', {
  config: 'test/mutation/vitest.config.ts',
  project: ['unit', 'api', 'delivery', 'store'],
  watch: false,
  bail: Number(bail),
  // Many mutants only show in a test that waits in vain.
  testTimeout: TEST_TIMEOUT_MS,
  maxWorkers: Number(workers),
  reporters: [{}],
});
const specifications = await vitest.globTestSpecifications();

process.on('message', (request: RunRequest) => {
  void run(request).then((result) => process.send?.(result));
});
process.on('disconnect', () => {
  process.exit();
});

async function run({ mutant, files }: RunRequest): Promise<RunResult> {
  process.env[ACTIVE_MUTANT] = String(mutant ?? -1);
  vitest.state.filesMap.clear();
  const wanted = files.map((file) => specifications.find(({ moduleId }) => moduleId.endsWith(`/${file}`)));
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(wanted.filter((found) => found !== undefined));
  // Those that were not started after the first failure are neither passed nor failed.
  const failed = testModules.filter((module) => module.state() === 'failed').map((module) => module.relativeModuleId);
  return {
    failedFiles: failed.length === 0 && unhandledErrors.length > 0 ? ['(unhandled error)'] : failed,
    durations: Object.fromEntries(testModules.map((module) => [module.relativeModuleId, module.diagnostic().duration])),
  };
}
