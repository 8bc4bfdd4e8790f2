/** Timestamps like 2026-11-21T02:04:56.000Z as numbers that sort the same: 8 bytes in a typed array instead of 40 as text. */

const digit = (text: string, at: number): number => text.charCodeAt(at) - 48;
const two = (text: string, at: number): number => digit(text, at) * 10 + digit(text, at + 1);

const MARKS: readonly (readonly [number, number])[] = [
  [4, 45],
  [7, 45],
  [10, 84],
  [13, 58],
  [16, 58],
  [19, 46],
  [23, 90],
];
const MARK_AT = new Set(MARKS.map(([at]) => at));

/** The number of a timestamp, or NaN for any text that is not exactly of this form. */
export function packInstant(text: string): number {
  if (text.length !== 24) return Number.NaN;
  for (let at = 0; at < 24; at++) {
    const code = text.charCodeAt(at);
    if (!MARK_AT.has(at) && (code < 48 || code > 57)) return Number.NaN;
  }
  for (const [at, code] of MARKS) if (text.charCodeAt(at) !== code) return Number.NaN;
  const [month, day, hour, minute, second] = [two(text, 5), two(text, 8), two(text, 11), two(text, 14), two(text, 17)];
  // A mixed-radix number, not a date: the 31st of June stays what it is. Only digits that would spill over are refused.
  if (month > 12 || day > 31 || hour > 23 || minute > 59 || second > 59) return Number.NaN;
  const year = two(text, 0) * 100 + two(text, 2);
  const millisecond = digit(text, 20) * 100 + two(text, 21);
  return (((((year * 13 + month) * 32 + day) * 24 + hour) * 60 + minute) * 60 + second) * 1000 + millisecond;
}

const pad = (value: number, length: number): string => String(value).padStart(length, '0');

/** The timestamp of a packed number. */
export function unpackInstant(packed: number): string {
  let rest = packed;
  const take = (radix: number): number => {
    const part = rest % radix;
    rest = (rest - part) / radix;
    return part;
  };
  const [millisecond, second, minute, hour, day, month] = [take(1000), take(60), take(60), take(24), take(32), take(13)];
  return `${pad(rest, 4)}-${pad(month, 2)}-${pad(day, 2)}T${pad(hour, 2)}:${pad(minute, 2)}:${pad(second, 2)}.${pad(millisecond, 3)}Z`;
}
