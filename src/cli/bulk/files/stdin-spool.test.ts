import { expect, test } from 'vitest';
import { detectFormatOfBytes } from './stdin-spool.ts';

const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

test('the format of stdin is detected from the first character in any encoding', () => {
  for (const [text, format] of [
    ['{"name":"A"}', 'ndjson'],
    ['name,sku', 'csv'],
    ['"{name}",sku', 'csv'],
    ['ｎame', 'csv'],
  ] as const) {
    for (const before of ['', '\uFEFF', '\r\n \t', '\uFEFF\n'])
      for (const bytes of [Buffer.from(before + text), Buffer.from(before + text, 'utf16le'), utf16be(before + text)])
        expect([text, before, detectFormatOfBytes(bytes)]).toEqual([text, before, format]);
  }
});

test('the format of stdin is unknown before the first character', () => {
  for (const bytes of [Buffer.of(), Buffer.of(0xff, 0xfe), Buffer.of(0xef), Buffer.from('\uFEFF\r\n')])
    expect(detectFormatOfBytes(bytes)).toBeUndefined();
});
