import { expect, test } from 'vitest';
import { drawLines } from '../../../test/support/dashboard-frames.tsx';
import { busyState } from '../../../test/support/dashboard-states.ts';
import { measureWidth } from '../../cli/output/text-width.ts';
import { TABS } from '../state/model.ts';
import { toAscii } from './ascii.ts';

test('every frame can be drawn in ASCII, except for texts of records, with the same columns', () => {
  const busy = busyState();
  for (const tab of TABS)
    for (const line of drawLines({ ...busy, ui: { ...busy.ui, tab } }, { columns: 200, rows: 50 })) {
      const drawn = toAscii(line);
      expect(measureWidth(drawn)).toBe(measureWidth(line));
      // Names of the state.
      expect(drawn.replaceAll(/[☕倉庫é]/gu, '')).toMatch(/^[ -~]*$/u);
    }
});
