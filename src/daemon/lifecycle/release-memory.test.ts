import { execa } from 'execa';
import { expect, test } from 'vitest';

const MODULE = new URL('release-memory.ts', import.meta.url).href;

test('a process that has become idle returns the memory of its garbage to the system', async () => {
  // In a process of its own, which is idle.
  const script = `
    const { releaseMemoryWhenIdle } = await import('${MODULE}');
    let lists = Array.from({ length: 100_000 }, (_, at) => Array.from({ length: 100 }, () => at));
    const before = process.memoryUsage().rss;
    lists = undefined;
    releaseMemoryWhenIdle(50);
    const timer = setInterval(() => {
      const after = process.memoryUsage().rss;
      if (after > before / 2) return;
      clearInterval(timer);
      console.log(JSON.stringify({ before, after }));
    }, 50);`;
  const { stdout } = await execa(process.execPath, ['--input-type=module', '--eval', script]);
  const { before, after } = JSON.parse(stdout) as { before: number; after: number };
  expect(before - after).toBeGreaterThan(50_000_000);
});
