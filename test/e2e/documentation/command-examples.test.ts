/** Runs the examples of every command's help against a running service. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { EXIT } from '../../../src/cli/errors/exit-codes.ts';
import { listDaemonStatuses } from '../../../src/daemon/control/status.ts';
import {
  FILES,
  TESTED_ELSEWHERE,
  TIMED_OUT,
  UNKNOWN_KEY,
  commands,
  createExampleHome,
  findProblems,
  forEachConcurrently,
  getSequence,
  isLongRunning,
  runLine,
} from '../../support/cli/all-commands.ts';
import { isLongRun } from '../../support/long-run.ts';

/** How many examples of each command run. */
const EXAMPLES = isLongRun ? Infinity : 1;
/** Commands that need a terminal to ask at or for an editor; in a pipe they only say so. */
const INTERACTIVE = /^(?:dashboard|oauth:(?:approve|deny)|reset|snapshot:load)$|:edit$/u;

test('the help examples of every command run against a service', { timeout: 600_000 }, async () => {
  await using home = await createExampleHome();
  const { dataDir: own } = await home.start(['--demo', '--test-clock']);
  await home.run(['profile', 'use', 'kestrel-coffee']);
  const { profiles } = JSON.parse(readFileSync(home.path('config', 'stockroom', 'credentials.json'), 'utf8')) as {
    profiles: Record<string, { apiKey: string }>;
  };
  const secrets = Object.values(profiles).map(({ apiKey }) => apiKey);
  const addProfile = (name: string) => runLine(home, `stockroom profile add ${name} --url http://127.0.0.1:1 --api-key-file key.txt`);
  for (const name of ['shop', 'staging']) await addProfile(name);
  const problems: string[] = [];
  const attempt = async (id: string, example: string): Promise<void> => {
    const isLong = isLongRunning(id, example);
    const staging = example.includes('STAGING_KEY') ? { STAGING_KEY: UNKNOWN_KEY } : {};
    const env = { STOCKROOM_SIGNING_SECRET: FILES['secret.txt'] ?? '', ...staging };
    const ran = await runLine(home, example, { env, isLong });
    problems.push(...findProblems(example, ran, secrets));
    if (ran.exit === EXIT.unexpected || (ran.exit === EXIT.unreachable && getSequence(id) < 0 && !/--(?:profile|against)/u.test(example)))
      problems.push(`${example}: ${JSON.stringify(ran)}`);
    // The service may refuse the ids of examples, which do not exist; the command line must accept them.
    if (ran.exit === EXIT.usage && !/^Request /mu.test(ran.stderr) && !INTERACTIVE.test(id))
      problems.push(`${example}: refused: ${ran.stderr}${ran.stdout}`);
    if (ran.exit === TIMED_OUT) problems.push(`${example}: timed out`);
  };
  const all = commands
    .flatMap(({ id, examples }) => examples.slice(0, EXAMPLES).map((example) => ({ id, example })))
    .filter(({ id, example }) => !TESTED_ELSEWHERE.test(id) && !TESTED_ELSEWHERE.test(example));
  await forEachConcurrently(
    all.filter(({ id }) => getSequence(id) < 0),
    ({ id, example }) => attempt(id, example),
  );
  const sequential = all.filter(({ id }) => getSequence(id) >= 0).toSorted((a, b) => getSequence(a.id) - getSequence(b.id));
  for (const { id, example } of sequential) {
    if (getSequence(id) <= getSequence('profile:remove')) await addProfile('staging');
    else {
      const isRunning = (await listDaemonStatuses(home.env)).some(({ status, dataDir }) => status === 'running' && dataDir === own);
      if (!isRunning) await home.run(['daemon', 'start', '--port', '0', '--test-clock']);
      for (const name of ['base', 'before-migration'])
        if (id === 'snapshot:load' || id === 'snapshot:delete') await home.run(['snapshot', 'save', name]);
    }
    await attempt(id, example);
  }
  expect(problems).toEqual([]);
});
