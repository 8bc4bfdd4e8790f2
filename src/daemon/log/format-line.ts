import { sanitize, sanitizeData } from '../../platform/terminal-text.ts';

/** Fields that are not printed as `name=value`. */
const SPECIAL_FIELDS = new Set(['level', 'time', 'msg', 'err']);

/** Formats a line of the log as `12:00:05 WARN  message  name=value …` in local time, safe to print on a terminal. Of other lines, only unsafe characters are replaced. */
export function formatLogLine(line: string): string {
  const entry = parse(line.trimEnd());
  if (typeof entry === 'string') return sanitize(entry);
  const { time, level, msg = '', err } = entry;
  const timeOfDay = typeof time === 'string' ? new Date(time).toTimeString().slice(0, 8) : '--:--:--';
  const rest = Object.entries(entry)
    .filter(([name]) => !SPECIAL_FIELDS.has(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .map(sanitize);
  const head = [`${timeOfDay} ${sanitize(String(level)).toUpperCase().padEnd(5)} ${sanitize(String(msg))}`, ...rest].join('  ');
  const { stack, message } = (err ?? {}) as { readonly stack?: string; readonly message?: string };
  // An error with an expected cause has no stack.
  if (stack === undefined && message !== undefined && message !== msg) return `${head}\n  ${sanitize(message)}`;
  return stack === undefined ? head : `${head}\n  ${sanitizeData(stack).replaceAll('\n', '\n  ')}`;
}

/** Parses a line of the log. Of other lines, the text becomes `msg`. */
export function parseLogEntry(line: string): Readonly<Record<string, unknown>> {
  const entry = parse(line.trimEnd());
  return typeof entry === 'string' ? { msg: entry } : entry;
}

function parse(line: string): Readonly<Record<string, unknown>> | string {
  try {
    const entry = JSON.parse(line) as unknown;
    return typeof entry === 'object' && entry !== null && 'level' in entry ? { ...entry } : line;
  } catch {
    return line;
  }
}
