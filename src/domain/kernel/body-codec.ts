/** Rows with a `body` that is JSON text, such as events and stored replies: it is embedded as JSON instead of being escaped as a string. */
import { type Complete, type FieldList, toList, fromList } from './list-codec.ts';
import type { Row, RowCodec } from './ports.ts';

interface WithBody extends Row {
  readonly body: string;
}

/** Separates the list from the body. No JSON string contains it, because its quotes would be escaped there. */
const BODY_MARK = ',"",{';

/** `createBodyCodec<R>()(fields)` takes the fields other than `body`. Decoding restores exactly the bytes of `body`. */
export const createBodyCodec =
  <R extends WithBody>() =>
  <const F extends FieldList<Omit<R, 'body'>>>(fields: F & Complete<Omit<R, 'body'>, F>): RowCodec<R> => ({
    encode(row) {
      const list = toList<Omit<R, 'body'>>(row, fields);
      const { body } = row;
      if (list === undefined || !body.startsWith('{')) return JSON.stringify(row);
      return `${JSON.stringify(list).slice(0, -1)},"",${body}]`;
    },
    decode(text) {
      // A row that `encode` could not write as a list.
      if (text.startsWith('{')) return JSON.parse(text) as R;
      const at = text.indexOf(BODY_MARK);
      const head = fromList<Omit<R, 'body'>>(JSON.parse(`${text.slice(0, at)}]`) as unknown[], fields);
      return { ...head, body: text.slice(at + BODY_MARK.length - 1, -1) } as R;
    },
  });
