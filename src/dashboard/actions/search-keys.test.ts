import { expect, test } from 'vitest';
import { drawInverse, drawLines } from '../../../test/support/dashboard-frames.tsx';
import { SIZE, busy, getStatusLine, play } from '../../../test/support/dashboard-keys.ts';
import { auditRow } from '../../../test/support/dashboard-states.ts';
import type { State } from '../state/model.ts';
import { reduce } from '../state/reduce.ts';

test('/ in details finds text, n and N go to the next and previous line with it, and esc leaves', () => {
  const value = Object.fromEntries(
    Array.from({ length: 90 }, (_, index) => [index % 30 === 7 ? `Kestrel${String(index)}` : `field${String(index)}`, index]),
  );
  const opened = reduce(play(busy, '5', 'enter').state, { type: 'loaded', id: auditRow(49).id, content: { state: 'ready', value } });
  const inverse = (state: State): string[] => {
    const lines = drawLines(state, SIZE);
    const found = drawInverse(state, SIZE).filter((text) => text.toLowerCase() === 'kestrel');
    // As many lines have the text as have it inverse.
    expect(lines.filter((line) => /^kestrel\d/iu.test(line))).toHaveLength(found.length);
    return lines.filter((line) => /^kestrel\d/iu.test(line));
  };
  const typing = play(opened, '/', ...Array.from('kestrel')).state;
  expect(getStatusLine(typing)).toMatch(/^\/kestrel_ +enter find/u);
  const [first, second, third] = [play(typing, 'enter').state, play(typing, 'enter', 'n').state, play(typing, 'enter', 'N').state];
  expect([first, second, third].map(inverse)).toEqual([
    [expect.stringMatching(/^kestrel7 /u)],
    [expect.stringMatching(/^kestrel37 /u)],
    [expect.stringMatching(/^kestrel67 /u)],
  ]);
  expect(play(third, 'n').state).toEqual(first);
  expect(getStatusLine(first)).toContain('n N next match');
  expect(play(first, 'esc').state.ui).toMatchObject({ overlay: null, search: null });
  expect(play(opened, '/', 'x', '!', 'enter').state.ui.notice?.text).toBe('No line with x!');
  expect(play(opened, '/', 'x', 'esc').state).toEqual(opened);
});
