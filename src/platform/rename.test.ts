import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type Retries, retryWhileInUse, retryWhileInUseSync } from './rename.ts';

type Work = () => void;
const ways = {
  retryWhileInUse: (work: Work, retries: Retries) => retryWhileInUse(() => setImmediate().then(work), retries),
  retryWhileInUseSync: (work: Work, retries: Retries) => setImmediate().then(() => retryWhileInUseSync(work, retries)),
};

function failing(code: string, times: number) {
  let calls = 0;
  const work = (): void => {
    calls += 1;
    if (calls <= times) throw Object.assign(new Error(code), { code });
  };
  return { work, calls: () => calls };
}

describe.each(Object.entries(ways))('%s', (_name, retry) => {
  test.each(['EPERM', 'EACCES', 'EBUSY'])('repeats what Windows refuses with %s', async (code) => {
    const { work, calls } = failing(code, 2);
    await retry(work, { platform: 'win32', attempts: 5 });
    expect(calls()).toBe(3);
  });

  test.each([
    ['a file that stays in use', 'EPERM', 'win32', 2],
    ['another error', 'ENOENT', 'win32', 1],
    ['any error elsewhere', 'EPERM', 'linux', 1],
  ] as const)('reports %s', async (_case, code, platform, expected) => {
    const { work, calls } = failing(code, 5);
    await expect(retry(work, { platform, attempts: 2 })).rejects.toMatchObject({ code });
    expect(calls()).toBe(expected);
  });
});
