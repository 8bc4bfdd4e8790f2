/** The examples in the help of every command, run as they stand there against a living service. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { daemonStatuses } from '../../src/daemon/control.ts';
import { ELSEWHERE, FILES, SOME_KEY, STREAMS, commands, each, ill, inShell, place, turnOf } from '../support/manners.ts';

/** They speak with a person only; in a pipe they say so, which is all there is to see here. */
const WITH_A_PERSON = /^(?:dashboard|oauth:(?:approve|deny)|reset)$/u;

test('the examples of every command run against a living service', { timeout: 600_000 }, async () => {
  await using home = await place();
  const { dataDir: own } = await home.start(['--demo', '--test-clock']);
  await home.run(['profile', 'use', 'kestrel-coffee']);
  const { profiles } = JSON.parse(readFileSync(home.path('config', 'stockroom', 'credentials.json'), 'utf8')) as {
    profiles: Record<string, { apiKey: string }>;
  };
  const secrets = Object.values(profiles).map(({ apiKey }) => apiKey);
  const addShop = (name: string) => inShell(home, `stockroom profile add ${name} --url http://127.0.0.1:1 --api-key-file key.txt`);
  for (const name of ['shop', 'staging']) await addShop(name);
  const problems: string[] = [];
  const attempt = async (id: string, example: string): Promise<void> => {
    const goesOn = STREAMS.test(id) || STREAMS.test(example);
    const env = { STAGING_KEY: SOME_KEY, STOCKROOM_SIGNING_SECRET: FILES['secret.txt'] ?? '' };
    const ran = await inShell(home, example, env, goesOn);
    problems.push(...ill(example, ran, secrets));
    if (ran.exit === EXIT.unexpected || (ran.exit === EXIT.unreachable && turnOf(id) < 0 && !example.includes('--profile')))
      problems.push(`${example}: ${JSON.stringify(ran)}`);
    // Ids in examples are nobody's: the service may refuse them, the command line must not.
    if (ran.exit === EXIT.usage && !/^Request /mu.test(ran.stderr) && !WITH_A_PERSON.test(id))
      problems.push(`${example}: refused: ${ran.stderr}${ran.stdout}`);
    if (ran.exit === 124 && !goesOn) problems.push(`${example}: did not end`);
  };
  const all = commands
    .flatMap(({ id, examples }) => examples.map((example) => ({ id, example })))
    .filter(({ id, example }) => !ELSEWHERE.test(id) && !ELSEWHERE.test(example));
  await each(
    all.filter(({ id }) => turnOf(id) < 0),
    ({ id, example }) => attempt(id, example),
  );
  const later = all.filter(({ id }) => turnOf(id) >= 0).toSorted((a, b) => turnOf(a.id) - turnOf(b.id));
  for (const { id, example } of later) {
    if (turnOf(id) <= turnOf('profile:remove')) await addShop('staging');
    else {
      const isRunning = (await daemonStatuses(home.env)).some(({ status, dataDir }) => status === 'running' && dataDir === own);
      if (!isRunning) await home.run(['daemon', 'start', '--port', '0', '--test-clock']);
      for (const name of ['base', 'before-migration'])
        if (id === 'snapshot:load' || id === 'snapshot:delete') await home.run(['snapshot', 'save', name]);
    }
    await attempt(id, example);
  }
  expect(problems).toEqual([]);
});
