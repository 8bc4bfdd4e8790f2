/** The text of a row in the journal and in checkpoints. */
import type { Row } from '../../../domain/kernel/ports.ts';
import type { TableLayout } from '../../table-layout.ts';

/** Parses the row stored at an offset of a buffer. */
export function readRow({ spec }: TableLayout, buffer: Buffer, at: number, length: number): Row {
  const text = buffer.toString('utf8', at, at + length);
  return spec.codec === undefined ? (JSON.parse(text) as Row) : spec.codec.decode(text);
}

/** Serializes a row as the store keeps it. */
export const serializeRow = ({ spec }: TableLayout, row: Row): string =>
  spec.codec === undefined ? JSON.stringify(row) : spec.codec.encode(row);
