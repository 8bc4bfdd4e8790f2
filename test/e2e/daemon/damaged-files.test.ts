/** Files of the data directory that another program changed: each start says what is wrong, with exit 7. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { getData } from '../../support/cli/daemon.ts';
import { type Home, makeHome } from '../../support/cli/home.ts';

async function makeStoppedHome(): Promise<Home> {
  const home = await makeHome();
  await home.start();
  expect((await home.run(['daemon', 'stop'])).exit).toBe(0);
  return home;
}

const starts = [
  ['daemon', 'start'],
  ['daemon', 'start', '--foreground'],
].map((args) => [...args, '--port', '0']);

describe('daemon start', () => {
  test.for([0, -1, 4.5, 'x', null])('rejects a manifest with the format %j with exit 7', async (format) => {
    await using home = await makeStoppedHome();
    const path = join(getData(home), 'manifest.json');
    const { manifest } = JSON.parse(await readFile(path, 'utf8')) as { manifest: object };
    const body = { ...manifest, format };
    await writeFile(path, JSON.stringify({ checksum: crc32(JSON.stringify(body)), manifest: body }));
    for (const args of starts) {
      const { exit, stderr } = await home.run(args);
      expect([exit, stderr]).toEqual([7, expect.stringContaining(`${path} is damaged at byte 0: the format ${JSON.stringify(format)}`)]);
      expect(stderr).not.toContain('bug');
    }
  });

  test('says how to replace a lock file that was overwritten, with exit 7', async () => {
    await using home = await makeStoppedHome();
    const path = join(getData(home), 'daemon.lock');
    await writeFile(path, 'overwritten by another program');
    for (const args of [...starts, ['daemon', 'status'], ['daemon', 'stop']]) {
      const { exit, stderr } = await home.run(args);
      expect([exit, stderr]).toEqual([
        7,
        `Error: ${path} is not a lock file: another program has overwritten it\nHint:  If no daemon uses this directory, delete the file and try again`,
      ]);
    }
  });
});

describe('snapshot save and snapshot list', () => {
  test('return 503 with the reason when the snapshot directory cannot be used', async () => {
    await using home = await makeHome();
    await home.start();
    const path = join(getData(home), 'snapshots');
    await writeFile(path, 'a file');
    for (const args of [['save', 'one'], ['list']]) {
      const { exit, body } = await home.json(['snapshot', ...args, '--max-wait', '0']);
      expect([exit, body.error.code]).toEqual([1, 'STORE_UNAVAILABLE']);
      expect(body.error.message).toContain(`cannot access ${path}: it is a file`);
    }
  });
});
