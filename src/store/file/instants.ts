/** Timestamps like 2026-11-21T02:04:56.000Z as numbers that sort the same: 8 bytes in a typed array instead of 40 as text. */

const digit = (text: string, at: number): number => text.charCodeAt(at) - 48;
const two = (text: string, at: number): number => digit(text, at) * 10 + digit(text, at + 1);

/** Rows of one moment have the same text in several fields. */
let lastText = '';
let lastPacked = Number.NaN;

/** The number of a timestamp, or NaN for any text that is not exactly of this form. */
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
    const mark = markAt(at);
    if (mark === 0 ? code < 48 || code > 57 : code !== mark) return Number.NaN;
  }
  const month = two(text, 5);
  const day = two(text, 8);
  const hour = two(text, 11);
  const minute = two(text, 14);
  const second = two(text, 17);
  // A mixed-radix number, not a date: the 31st of June stays what it is. Only digits that would spill over are refused.
  if (month > 12 || day > 31 || hour > 23 || minute > 59 || second > 59) return Number.NaN;
  const year = two(text, 0) * 100 + two(text, 2);
  const millisecond = digit(text, 20) * 100 + two(text, 21);
  return (((((year * 13 + month) * 32 + day) * 24 + hour) * 60 + minute) * 60 + second) * 1000 + millisecond;
}

/** The code of the mark at a place, 0 where a digit belongs. */
function markAt(at: number): number {
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
