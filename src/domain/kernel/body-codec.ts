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
      if (text.startsWith('{')) return decodeObject<R>(text);
      const at = text.indexOf(BODY_MARK);
      const head = fromList<Omit<R, 'body'>>(JSON.parse(`${text.slice(0, at)}]`) as unknown[], fields);
      return { ...head, body: text.slice(at + BODY_MARK.length - 1, -1) } as R;
    },
  });

const FORMAT_3_BODY_MARK = ',"body":';

/** Rows stored as objects: plain JSON rows, and rows of format 3, which end with the body as JSON. */
function decodeObject<R extends WithBody>(text: string): R {
  const at = text.indexOf(FORMAT_3_BODY_MARK);
  // The body is a string, as in rows of earlier releases or for bodies that are no object.
  if (text[at + FORMAT_3_BODY_MARK.length] !== '{') return JSON.parse(text) as R;
  const rest = JSON.parse(`${text.slice(0, at)}}`) as Omit<R, 'body'>;
  return { ...rest, body: text.slice(at + FORMAT_3_BODY_MARK.length, -1) } as R;
}
