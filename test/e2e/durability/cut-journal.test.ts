/** A journal that was cut between two commits. */
import { readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hasProcessEnded } from '../../../src/platform/process-ended.ts';
import { HEADER_BYTES } from '../../../src/store/file/journal-record.ts';
import { SEGMENT_HEADER_BYTES } from '../../../src/store/file/journal/segment-header.ts';
import { makeHome } from '../../support/cli/home.ts';
import { getData } from '../../support/cli/daemon.ts';

test('daemon start logs that commits are missing from the journal, with the time of the last commit', async () => {
  await using home = await makeHome();
  const { pid } = await home.start();
  const { body } = await home.json(['items', 'create', '--name', 'Kept']);
  expect((await home.run(['items', 'create', '--name', 'Lost'])).exit).toBe(0);
  process.kill(pid ?? 0, 'SIGKILL');
  await expect.poll(() => hasProcessEnded(pid ?? 0)).toBe(true);
  const segment = join(getData(home), 'journal-1.log');
  const bytes = await readFile(segment);
  const at = bytes.indexOf('"Lost"');
  let end = SEGMENT_HEADER_BYTES;
  for (let next = end; next < at; next += HEADER_BYTES + bytes.readUInt32LE(next + 4)) end = next;
  await truncate(segment, end);
  await home.start();
  const log = (await readFile(join(getData(home), 'daemon.log'), 'utf8')).split('\n').filter((line) => line.includes('torn-tail'));
  expect(log.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { level: 'warn', kind: 'torn-tail', file: segment, lastCommitAt: (body.data as { createdAt: string }).createdAt },
  ]);
  expect((await home.json(['items', 'list'])).body.data).toMatchObject([{ name: 'Kept' }]);
});
