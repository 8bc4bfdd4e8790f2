/** String formats: UUID, date and timestamp. */

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu;
const DATE = /^\d{4}-\d{2}-\d{2}$/u;
// RFC 3339 with an offset. Whether the day exists is checked with `Date`.
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T(?:[01]\d|2[0-3]):\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/u;

/** Whether the text would be a timestamp with a `+` instead of its space: a `+` in a URL that is not encoded is a space. */
export const hasLostPlus = (text: string): boolean => / \d{2}:\d{2}$/u.test(text) && isTimestamp(text.replace(/ (?=\d{2}:\d{2}$)/u, '+'));

/** Whether the text is a UUID in its canonical 8-4-4-4-12 form. */
export const isUuid = (text: string): boolean => UUID.test(text);
/** Whether the text is a valid calendar date, YYYY-MM-DD. */
export const isDate = (text: string): boolean => DATE.test(text) && isRealDay(text);
/** Whether the text is an RFC 3339 timestamp with an offset. */
export const isTimestamp = (text: string): boolean =>
  TIMESTAMP.test(text) && isRealDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text));

function isRealDay(day: string): boolean {
  const date = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}
