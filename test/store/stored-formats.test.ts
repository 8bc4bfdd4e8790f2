/** Data directories of every format that a release has written, created by formats/create-fixture.ts with the code of that release. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { convertCheckpoint } from '../../src/store/file/checkpoint/upgrade.ts';
import { localDisk } from '../../src/store/file/disk/local-disk.ts';
import { FORMATS } from '../../src/store/file/formats.ts';
import type { Manifest } from '../../src/store/file/manifest.ts';
import { isLongRun } from '../support/long-run.ts';
import { findProblems } from '../support/resources/stock.ts';
import { startService } from '../support/service/service.ts';
import { createTempDirectory, type ManifestFile, readManifest } from './file-store.ts';
import type { StoredFormat } from './stored-formats.ts';

/** Release 0.1.0 wrote format 4. */
const FIRST_FORMAT = 4;
const formats = Array.from({ length: FORMATS.current - FIRST_FORMAT + 1 }, (_, at) => FIRST_FORMAT + at);

async function readFixture(format: number): Promise<StoredFormat> {
  const compressed = await readFile(join(import.meta.dirname, `formats/format-${format}.json.br`));
  return JSON.parse(brotliDecompressSync(compressed).toString()) as StoredFormat;
}

const findLatestTime = (replies: StoredFormat['replies']): Date =>
  new Date(Math.max(...[...JSON.stringify(replies).matchAll(/"updatedAt":"([^"]+)"/gu)].map(([, at]) => Date.parse(at!))));

test.for(formats)('a data directory of format %i opens with all of its data, and again after a checkpoint', async (format) => {
  const { apiKey: key, created, replies, files } = await readFixture(format);
  const contents = Object.fromEntries(Object.entries(files).map(([name, text]) => [name, Buffer.from(text, 'base64')]));
  expect((JSON.parse(contents['manifest.json']!.toString()) as ManifestFile).manifest.format).toBe(format);
  // Soon after it was written, because stored replies expire after a day.
  await using s = await startService({ files: contents, startAt: findLatestTime(replies) });
  for (let start = 0; start < 2; start++) {
    for (const [path, reply] of Object.entries(replies)) expect((await s.get(path, { key })).body, path).toMatchObject(reply as object);
    // Releases that wrote these formats did not ignore accents.
    expect((await s.get('/v1/items?search=armel', { key })).body.data).toMatchObject([{ sku: 'B-1' }]);
    const repeated = await s.call('POST', created.path, { key, body: created.body, idempotencyKey: created.key });
    expect([repeated.status, repeated.headers['idempotent-replayed']]).toEqual([201, 'true']);
    expect(await findProblems(s, (await s.get('/v1/organization', { key })).body.data.id)).toEqual([]);
    await s.service.files!.checkpoint();
    await s.restart();
  }
  expect((await readManifest(s.directory)).format).toBe(FORMATS.current);
});

test('an earlier checkpoint with any byte changed is refused, and not converted', async () => {
  const { files } = await readFixture(5);
  const contents = Object.fromEntries(Object.entries(files).map(([name, text]) => [name, Buffer.from(text, 'base64')]));
  const { manifest } = JSON.parse(contents['manifest.json']!.toString()) as { manifest: Manifest };
  const directory = await createTempDirectory();
  const { file } = manifest.checkpoint!;
  const bytes = contents[file]!;
  await writeFile(join(directory, file), bytes);
  expect(await convertCheckpoint(localDisk, directory, manifest)).toMatchObject({ next: manifest.next + 1, segments: manifest.segments });
  const step = isLongRun ? 17 : 1_009;
  // The first bytes say that it is a checkpoint, which the manifest says, too.
  for (let at = 24; at < bytes.length; at += step) {
    const flipped = Buffer.from(bytes);
    flipped[at]! ^= 1;
    await writeFile(join(directory, file), flipped);
    await expect(convertCheckpoint(localDisk, directory, manifest), `byte ${at}`).rejects.toMatchObject({ name: 'StoreDamaged' });
  }
});
