/** Rows whose `body` is JSON already, such as events and stored replies: written as what it is, not once more as a string of it. */
import { type Complete, type Fields, listOf, rowOf } from './list-form.ts';
import type { Row, RowForm } from './ports.ts';

interface WithBody extends Row {
  readonly body: string;
}

/** No text has this inside: there its quotes would be escaped. */
const BODY = ',"",{';

/** `bodyForm<R>()(fields)` takes the fields besides the body, which are plain values. What is read has the very bytes of `body` that were written. */
export const bodyForm =
  <R extends WithBody>() =>
  <const F extends Fields<Omit<R, 'body'>>>(fields: F & Complete<Omit<R, 'body'>, F>): RowForm<R> => ({
    write(row) {
      const list = listOf<Omit<R, 'body'>>(row, fields);
      const { body } = row;
      if (list === undefined || !body.startsWith('{')) return JSON.stringify(row);
      return `${JSON.stringify(list).slice(0, -1)},"",${body}]`;
    },
    read(text) {
      if (text.startsWith('{')) return readObject<R>(text);
      const at = text.indexOf(BODY);
      const head = rowOf<Omit<R, 'body'>>(JSON.parse(`${text.slice(0, at)}]`) as unknown[], fields);
      return { ...head, body: text.slice(at + BODY.length - 1, -1) } as R;
    },
  });

const OLD_BODY = ',"body":';

/** Whole rows, and those of format 3: objects with their body behind the other fields, as what it is. */
function readObject<R extends WithBody>(text: string): R {
  const at = text.indexOf(OLD_BODY);
  // A body that is no object, and rows of earlier releases, which had others behind it.
  if (text[at + OLD_BODY.length] !== '{') return JSON.parse(text) as R;
  const rest = JSON.parse(`${text.slice(0, at)}}`) as Omit<R, 'body'>;
  return { ...rest, body: text.slice(at + OLD_BODY.length, -1) } as R;
}
