import { expect, test } from 'vitest';
import { waitWithCountdown } from './wait-indicator.ts';

const wait = async (status: number | null, milliseconds: number): Promise<string> => {
  let text = '';
  // The countdown uses only these members.
  const stream = { isTTY: false, write: (chunk: string) => (text += chunk) } as unknown as NodeJS.WriteStream;
  await waitWithCountdown({ milliseconds, reason: 'service busy', status, nextTry: 2 }, stream);
  return text;
};

test('a retry reports its cause, the actual wait and the number of the attempt', async () => {
  expect(await wait(503, 20)).toBe('503; retrying in 0.0 s (attempt 2)\n');
  expect(await wait(429, 250)).toMatch(/^429 \(rate limited\); retrying in 0\.2 s \(attempt 2\)\n$/u);
  expect(await wait(null, 1_001)).toMatch(/^Connection lost; retrying in (?:1|2) s \(attempt 2\)\n$/u);
});
