/**
 * Runs the tests, and in the first form `npm run check` at the same time. The last line has the counts of both, as `412 passed, 0 failed`.
 *
 *   node test/run.ts [FILE…]          every test except slow ones
 *   node test/run.ts --slow [OPTION…] the files of `slow-files.ts` instead, also on PostgreSQL; without the check. `--shard=1/2`: half of them
 *   node test/run.ts --long [FILE…]   all files with many more cases, sweeps and crash storms; without the check
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COUNTS_FILE, addCounts, formatCounts } from './counts.ts';
import { POSTGRES_API_FILES, SLOW_FILES } from './slow-files.ts';

const [mode, ...rest] = process.argv.slice(2);
const MODES: Readonly<Record<string, { readonly files: readonly string[]; readonly env: Record<string, string> }>> = {
  '--slow': { files: [...SLOW_FILES, ...POSTGRES_API_FILES, ...rest], env: { STOCKROOM_TEST_SLOW: '1' } },
  '--long': { files: rest, env: { STOCKROOM_TEST_LONG: '1' } },
};
const selected = MODES[mode ?? ''];
const files = selected?.files ?? process.argv.slice(2);
const countsFile = process.env[COUNTS_FILE] ?? join(mkdtempSync(join(tmpdir(), 'stockroom-test-')), 'counts.json');

const check = selected ? Promise.resolve(true) : runCheck();
const testsPassed = await runTests();
const checkPassed = await check;
const counts = addCounts(countsFile, { passed: 0, failed: checkPassed ? 0 : 1, skipped: 0 });
// Vitest may end before it has counted anything.
const isFailed = !testsPassed || !checkPassed || counts.failed > 0;
process.stdout.write(`${formatCounts(isFailed && counts.failed === 0 ? { ...counts, failed: 1 } : counts)}\n`);
process.exitCode = isFailed ? 1 : 0;

/** Prints the output of the check only if it fails. */
async function runCheck(): Promise<boolean> {
  const child = spawn('npm', ['run', '--silent', 'check'], { stdio: ['ignore', 'pipe', 'pipe'], shell: process.platform === 'win32' });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  const [exitCode] = (await once(child, 'close')) as [number | null];
  if (exitCode !== 0) process.stdout.write(`npm run check failed:\n${output}`);
  return exitCode === 0;
}

async function runTests(): Promise<boolean> {
  const env = { ...process.env, [COUNTS_FILE]: countsFile, ...selected?.env };
  const args = ['run', '--config', 'test/vitest.config.ts', ...files];
  const child = spawn('vitest', args, { stdio: 'inherit', env, shell: process.platform === 'win32' });
  const [exitCode] = (await once(child, 'close')) as [number | null];
  return exitCode === 0;
}
