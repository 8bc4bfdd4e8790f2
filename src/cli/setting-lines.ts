/** Settings with where they come from, for a terminal of any width: nothing is cut, because half a path is of no use. */
import type { Paint } from './style.ts';
import { pad, visible, widthOf } from './width.ts';

export interface SettingRow {
  readonly setting: string;
  readonly value: string | null;
  readonly origin: string | null;
}

const GAP = 2;
const NOTHING = '–';

/** `name  value  origin` in columns when all of it fits the screen; else each origin stands on a line below its value. */
export function settingLines(rows: readonly SettingRow[], withOrigin: boolean, screen: number, paint: Paint): string[] {
  const told = rows.map(({ setting, value, origin }) => ({
    name: setting,
    value: visible(value ?? NOTHING),
    origin: origin === null || !withOrigin ? '' : visible(origin),
  }));
  const widest = (key: 'name' | 'value' | 'origin') => Math.max(0, ...told.map((row) => widthOf(row[key])));
  const [name, value] = [widest('name') + GAP, widest('value') + GAP];
  const fits = name + value + widest('origin') <= screen;
  return told.flatMap((row) => {
    const head = paint('dim', pad(row.name, name));
    if (row.origin === '') return [head + row.value];
    if (fits) return [head + pad(row.value, value) + paint('dim', row.origin)];
    return [head + row.value, ' '.repeat(name) + paint('dim', `from ${row.origin}`)];
  });
}
