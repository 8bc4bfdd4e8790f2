/** Computes the changes that make a copied order equal to the remote one. */
import { orderPatch } from '../../contract/resources/orders.ts';
import type { Draft } from './request-bodies.ts';
import type { SourceRecord } from './source.ts';

/** Returns the body of a PATCH, empty without differences. `draft`: the remote order as a body for the local service; `here`: the copy with its lines. */
export function getOrderChanges(draft: Draft, existing: SourceRecord): Draft {
  const lines = draft['lines'] as readonly Draft[];
  const existingLines = (existing['lines'] ?? []) as readonly SourceRecord[];
  const header = Object.entries(draft).filter(
    ([name, value]) => name !== 'lines' && name in orderPatch.properties && differs(value, existing[name]),
  );
  const isSame = lines.length === existingLines.length && lines.every((line, at) => isSameLine(line, existingLines[at]));
  return { ...Object.fromEntries(header), ...(isSame ? {} : { lines: assignLineIds(lines, existingLines) }) };
}

const differs = (there: unknown, here: unknown): boolean => (there ?? null) !== (here ?? null);

/** Ignores `isManual`, because all lines of a copy are manual. */
const isSameLine = (line: Draft, here: SourceRecord | undefined): boolean =>
  here !== undefined && Object.entries(line).every(([name, value]) => name === 'isManual' || !differs(value, here[name]));

/** Adds the ids of the existing lines: of equal lines first, then of lines with the same kind and item. */
function assignLineIds(lines: readonly Draft[], present: readonly SourceRecord[]): Draft[] {
  const unassigned = new Set(present);
  const assign = (line: Draft, matches: (here: SourceRecord) => boolean): Draft | undefined => {
    for (const here of unassigned) {
      if (here['kind'] !== line['kind'] || differs(line['itemId'], here['itemId']) || !matches(here)) continue;
      unassigned.delete(here);
      return { id: here.id, ...line };
    }
    return undefined;
  };
  const equalLines = lines.map((line) => assign(line, (here) => isSameLine(line, here)));
  return lines.map((line, at) => equalLines[at] ?? assign(line, () => true) ?? line);
}
