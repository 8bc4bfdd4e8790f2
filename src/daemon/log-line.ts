/** A line of the log as a person reads it. */

const SHOWN_APART = new Set(['level', 'time', 'msg', 'err']);

/** `12:00:05 WARN  message  name=value …`, local time; a line that is not ours stays as it is. */
export function humanLine(line: string): string {
  const entry = parse(line.trimEnd());
  if (typeof entry === 'string') return entry;
  const { time, level, msg = '', err } = entry;
  const at = typeof time === 'string' ? new Date(time).toTimeString().slice(0, 8) : '--:--:--';
  const rest = Object.entries(entry)
    .filter(([name]) => !SHOWN_APART.has(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const head = [`${at} ${String(level).toUpperCase().padEnd(5)} ${String(msg)}`, ...rest].join('  ');
  const stack = (err as { stack?: string; message?: string } | undefined)?.stack;
  return stack === undefined ? head : `${head}\n  ${stack.replaceAll('\n', '\n  ')}`;
}

/** The line as a record: one that is not ours has nothing but its text. */
export function entryOf(line: string): Readonly<Record<string, unknown>> {
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
