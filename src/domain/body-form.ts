/** Rows whose `body` is JSON already, such as events and stored replies: written as what it is, not once more as a string of it. */
import type { Row, RowForm } from './ports.ts';

interface WithBody extends Row {
  readonly body: string;
}

/** No text has this inside: there its quotes would be escaped. */
const BODY = ',"body":';

/** `head` takes the other fields of a row. What is read has the very bytes of `body` that were written. */
export const bodyForm = <R extends WithBody>(head: (row: R) => Omit<R, 'body'>): RowForm<R> => ({
  write(row) {
    const { body } = row;
    return `${JSON.stringify(head(row)).slice(0, -1)}${BODY}${body.startsWith('{') ? body : JSON.stringify(body)}}`;
  },
  read(text) {
    const at = text.indexOf(BODY);
    // A body that is no object, and rows of earlier releases, which had others behind it.
    if (text[at + BODY.length] !== '{') return JSON.parse(text) as R;
    const rest = JSON.parse(`${text.slice(0, at)}}`) as Omit<R, 'body'>;
    return { ...rest, body: text.slice(at + BODY.length, -1) } as R;
  },
});
