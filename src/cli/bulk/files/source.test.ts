import { appendFile, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSource } from './source.ts';
import { decodeText } from './text-decoder.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sr-source-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const write = async (name: string, content: string | Buffer) => {
  const path = join(directory, name);
  await writeFile(path, content);
  return path;
};
const drain = async (blocks: AsyncIterable<unknown>, onFirst: () => Promise<void> = () => Promise.resolve()) => {
  let count = 0;
  for await (const _ of blocks) if ((count += 1) === 1) await onFirst();
  return count;
};
const read = async (path: string, encoding?: string) => {
  let text = '';
  const source = await openSource(path);
  try {
    for await (const piece of decodeText(source.readForCheck(), path, encoding)) text += piece;
  } finally {
    await source.close();
  }
  return text;
};

test('a file that grows while it is read is rejected', async () => {
  const path = await write('growing', 'x'.repeat(200_000));
  const source = await openSource(path);
  await expect(drain(source.readForCheck(), () => appendFile(path, 'more'))).rejects.toThrow('from 200000 to 200004 bytes');
  await source.close();
});

test('a file that shrinks while it is read is rejected', async () => {
  const path = await write('shrinking', 'x'.repeat(200_000));
  const source = await openSource(path);
  await expect(drain(source.readForCheck(), () => truncate(path, 70_000))).rejects.toThrow('became shorter');
  await source.close();
});

test('the second pass ignores added bytes and stops before a changed block', async () => {
  const path = await write('changed', 'x'.repeat(200_000));
  const source = await openSource(path);
  await drain(source.readForCheck());
  await appendFile(path, 'more');
  expect(await drain(source.readForSending())).toBe(4);
  expect(await source.getGrowth()).toBe(4);
  await writeFile(path, `${'x'.repeat(150_000)}y${'x'.repeat(50_003)}`);
  let blocks = 0;
  const second = async () => {
    for await (const _ of source.readForSending()) blocks += 1;
  };
  await expect(second()).rejects.toThrow('changed after it was checked');
  expect(blocks).toBe(2);
  await source.close();
});

test('characters may span blocks, and a byte order mark is removed', async () => {
  const text = `\uFEFF${'é€😀x'.repeat(30_000)}`;
  expect(await read(await write('utf8', text))).toBe(text.slice(1));
  expect(await read(await write('utf16', Buffer.from('\uFEFFnäme\n', 'utf16le')))).toBe('näme\n');
  expect(await read(await write('latin', Buffer.from('Café', 'latin1')), 'windows-1252')).toBe('Café');
});

test.for([
  [Buffer.from('name\nA\nCaf\u00e9,2\n', 'latin1'), 'line 3, byte 4 is 0xE9'],
  [Buffer.concat([Buffer.from('n\n'.repeat(40_000)), Buffer.from([0x61, 0xff, 0x0a])]), 'line 40001, byte 2 is 0xFF'],
  [Buffer.concat([Buffer.from('x'.repeat(65_530)), Buffer.from([0xc3, 0xa9, 0x62, 0xc3])]), 'ends in the middle of a character'],
  [Buffer.from('PK\u0003\u0004sheet'), 'is an Excel workbook'],
] as const)('invalid UTF-8 is reported with its position: %#', async ([bytes, words]) => {
  await expect(read(await write('wrong', bytes))).rejects.toThrow(words);
});

test('a directory and a missing file are rejected', async () => {
  await expect(openSource(directory)).rejects.toThrow('is not a file');
  await expect(openSource(join(directory, 'nowhere'))).rejects.toThrow('no such file');
});

test('endsMidLine detects a missing line end, also in UTF-16', async () => {
  const isOpenEnded = async (content: Buffer) => {
    const source = await openSource(await write('ended', content));
    await drain(source.readForCheck());
    await source.close();
    return source.endsMidLine;
  };
  const utf16 = (text: string) => Buffer.from(text, 'utf16le');
  for (const end of ['\n', '\r\n', '\r'])
    for (const bytes of [Buffer.from(`a${end}`), utf16(`a${end}`), utf16(`a${end}`).swap16()]) expect(await isOpenEnded(bytes)).toBe(false);
  for (const text of ['a', 'a\nb', `${'x'.repeat(65_536)}y`])
    for (const bytes of [Buffer.from(text), utf16(text), utf16(text).swap16()]) expect(await isOpenEnded(bytes)).toBe(true);
  expect(await isOpenEnded(Buffer.of())).toBe(false);
});
