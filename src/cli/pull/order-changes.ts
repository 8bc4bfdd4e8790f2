/** What has to be changed in an order here so that it says what it says there. */
import { orderPatch } from '../../contract/orders.ts';
import type { Draft } from './drafts.ts';
import type { Rec } from './origin.ts';

/** The fields of a PATCH, empty when nothing differs. `draft`: the order there as a body for this service; `here`: the copy with its lines. */
export function orderChanges(draft: Draft, here: Rec): Draft {
  const lines = draft['lines'] as readonly Draft[];
  const present = (here['lines'] ?? []) as readonly Rec[];
  const header = Object.entries(draft).filter(
    ([name, value]) => name !== 'lines' && name in orderPatch.properties && differs(value, here[name]),
  );
  const isSame = lines.length === present.length && lines.every((line, at) => saysTheSame(line, present[at]));
  return { ...Object.fromEntries(header), ...(isSame ? {} : { lines: keyed(lines, present) }) };
}

const differs = (there: unknown, here: unknown): boolean => (there ?? null) !== (here ?? null);

/** Lines of a copy are all made by hand, so `isManual` tells nothing. */
const saysTheSame = (line: Draft, here: Rec | undefined): boolean =>
  here !== undefined && Object.entries(line).every(([name, value]) => name === 'isManual' || !differs(value, here[name]));

/** The lines with the ids of those that they change: the first of the same kind and item that is left. */
function keyed(lines: readonly Draft[], present: readonly Rec[]): Draft[] {
  const left = new Set(present);
  const take = (line: Draft, fits: (here: Rec) => boolean): Draft | undefined => {
    for (const here of left) {
      if (here['kind'] !== line['kind'] || differs(line['itemId'], here['itemId']) || !fits(here)) continue;
      left.delete(here);
      return { id: here.id, ...line };
    }
    return undefined;
  };
  const same = lines.map((line) => take(line, (here) => saysTheSame(line, here)));
  return lines.map((line, at) => same[at] ?? take(line, () => true) ?? line);
}
