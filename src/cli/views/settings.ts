/** Settings and their origins at a terminal. Nothing is truncated, because a truncated path is useless. */
import type { Paint } from '../output/style.ts';
import { pad, measureWidth } from '../output/text-width.ts';
import { sanitize } from '../../platform/terminal-text.ts';

export interface SettingRow {
  readonly setting: string;
  readonly value: string | null;
  readonly origin: string | null;
}

const GAP = 2;
const EMPTY = '–';

/** Formats `name  value  origin` in columns if they fit; otherwise each origin follows on its own line. */
export function formatSettings(rows: readonly SettingRow[], withOrigin: boolean, terminalWidth: number, paint: Paint): string[] {
  const texts = rows.map(({ setting, value, origin }) => ({
    name: setting,
    value: sanitize(value ?? EMPTY),
    origin: origin === null || !withOrigin ? '' : sanitize(origin),
  }));
  const widest = (key: 'name' | 'value' | 'origin') => Math.max(0, ...texts.map((row) => measureWidth(row[key])));
  const [name, value] = [widest('name') + GAP, widest('value') + GAP];
  const fits = name + value + widest('origin') <= terminalWidth;
  return texts.flatMap((row) => {
    const head = paint('dim', pad(row.name, name));
    if (row.origin === '') return [head + row.value];
    if (fits) return [head + pad(row.value, value) + paint('dim', row.origin)];
    return [head + row.value, ' '.repeat(name) + paint('dim', `from ${row.origin}`)];
  });
}
