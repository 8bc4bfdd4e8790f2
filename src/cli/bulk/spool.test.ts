import { expect, test } from 'vitest';
import { formatOfBytes } from './spool.ts';

const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

test('what is piped in is told by its first character, in whatever encoding and behind whatever mark', () => {
  for (const [text, format] of [
    ['{"name":"A"}', 'ndjson'],
    ['name,sku', 'csv'],
    ['"{name}",sku', 'csv'],
    ['ｎame', 'csv'],
  ] as const) {
    for (const before of ['', '\uFEFF', '\r\n \t', '\uFEFF\n'])
      for (const bytes of [Buffer.from(before + text), Buffer.from(before + text, 'utf16le'), utf16be(before + text)])
        expect([text, before, formatOfBytes(bytes)]).toEqual([text, before, format]);
  }
});

test('a first piece without a character tells nothing yet', () => {
  for (const bytes of [Buffer.of(), Buffer.of(0xff, 0xfe), Buffer.of(0xef), Buffer.from('\uFEFF\r\n')])
    expect(formatOfBytes(bytes)).toBeUndefined();
});
