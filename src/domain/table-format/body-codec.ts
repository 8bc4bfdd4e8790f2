/** Rows with a `body` that is JSON text, such as events and stored replies: it is embedded as JSON instead of being escaped as a string. */
import { type Complete, type FieldList, type RareFields, addRare, fromList, setRare, toList } from './list-codec.ts';
import type { Row, RowCodec } from '../kernel/ports.ts';

interface WithBody extends Row {
  readonly body: string;
}

/** Separates the list from the body. No JSON string contains it, because its quotes would be escaped there. */
const BODY_MARK = ',"",{';

/** `createBodyCodec<R>()(fields)` takes the fields other than `body`, with `rare` ones as the list codec does. Decoding restores exactly the bytes of `body`. */
export const createBodyCodec =
  <R extends WithBody>() =>
  <const F extends FieldList<Omit<R, 'body'>>, const T extends RareFields<Omit<R, 'body'>>>(
    fields: F & Complete<Omit<R, 'body'>, readonly [...F, ...T]>,
    rare: T = [] as unknown as T,
  ): RowCodec<R> => ({
    encode(row) {
      const list = addRare<Omit<R, 'body'>>(toList<Omit<R, 'body'>>(row, fields), row, rare);
      const { body } = row;
      if (list === undefined || !body.startsWith('{')) return JSON.stringify(row);
      return `${JSON.stringify(list).slice(0, -1)},"",${body}]`;
    },
    decode(text) {
      // A row that `encode` could not write as a list.
      if (text.startsWith('{')) return JSON.parse(text) as R;
      const at = text.indexOf(BODY_MARK);
      const stored = JSON.parse(`${text.slice(0, at)}]`) as unknown[];
      const head = setRare(fromList<Omit<R, 'body'>>(stored, fields), stored, fields.length, rare);
      return { ...head, body: text.slice(at + BODY_MARK.length - 1, -1) } as R;
    },
  });
