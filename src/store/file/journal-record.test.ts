import { expect, test } from 'vitest';
import { HEADER_BYTES, readRecord, writeHeader } from './journal-record.ts';

const CHANGES = { t: 'a', c: ['things', 2] };

function createRecord(sequence: number): Buffer {
  const changeList = Buffer.from(JSON.stringify(CHANGES));
  const chunks = [Buffer.alloc(HEADER_BYTES), Buffer.from('{}'), changeList];
  writeHeader(chunks, changeList.length, sequence, 3);
  return Buffer.concat(chunks);
}

test.each([1, 2 ** 32 - 1, 2 ** 32, 5 * 2 ** 32 + 7, Number.MAX_SAFE_INTEGER])(
  'the record of commit %d is read as it was written',
  (sequence) => {
    const record = createRecord(sequence);
    expect(readRecord(record, 0, record.length)).toEqual({
      sequence,
      position: 3,
      rowsOffset: HEADER_BYTES,
      end: record.length,
      changeList: CHANGES,
    });
  },
);

test('a record with any changed bit, or without its last byte, is not read', () => {
  const record = createRecord(9);
  for (let bit = 0; bit < 8 * record.length; bit += 1) {
    const damaged = Buffer.from(record);
    damaged[bit >> 3]! ^= 1 << (bit & 7);
    expect([bit, readRecord(damaged, 0, damaged.length)]).toEqual([bit, undefined]);
  }
  expect(readRecord(record, 0, record.length - 1)).toBeUndefined();
});
