/** Packs timestamps like 2026-11-21T02:04:56.000Z into numbers that sort the same: 8 bytes in a typed array instead of 40 as text. */

const parseDigit = (text: string, at: number): number => text.charCodeAt(at) - 48;
const parseTwoDigits = (text: string, at: number): number => parseDigit(text, at) * 10 + parseDigit(text, at + 1);

/** Rows often have the same timestamp in several fields. */
let lastText = '';
let lastPacked = Number.NaN;

/** Packs a timestamp; NaN for any text that is not exactly of this form. */
export function packInstant(text: string): number {
  if (text.length !== 24) return Number.NaN;
  if (text === lastText) return lastPacked;
  lastPacked = pack(text);
  lastText = text;
  return lastPacked;
}

function pack(text: string): number {
  for (let at = 0; at < 24; at++) {
    const code = text.charCodeAt(at);
    const separator = getSeparator(at);
    if (separator === 0 ? code < 48 || code > 57 : code !== separator) return Number.NaN;
  }
  const month = parseTwoDigits(text, 5);
  const day = parseTwoDigits(text, 8);
  const hour = parseTwoDigits(text, 11);
  const minute = parseTwoDigits(text, 14);
  const second = parseTwoDigits(text, 17);
  // A mixed-radix number, not a date: February 31 keeps its digits. Only values that would carry over are rejected.
  if (month > 12 || day > 31 || hour > 23 || minute > 59 || second > 59) return Number.NaN;
  const year = parseTwoDigits(text, 0) * 100 + parseTwoDigits(text, 2);
  const millisecond = parseDigit(text, 20) * 100 + parseTwoDigits(text, 21);
  return (((((year * 13 + month) * 32 + day) * 24 + hour) * 60 + minute) * 60 + second) * 1000 + millisecond;
}

/** Character code of the separator at a position, 0 for a digit. */
function getSeparator(at: number): number {
  switch (at) {
    case 4:
    case 7:
      return 45;
    case 10:
      return 84;
    case 13:
    case 16:
      return 58;
    case 19:
      return 46;
    case 23:
      return 90;
    default:
      return 0;
  }
}

const pad = (value: number, length: number): string => String(value).padStart(length, '0');

/** Unpacks a timestamp. */
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
