import { expect, test, vi } from 'vitest';
import { createProgress } from './progress.ts';

/** Records what is written to a terminal. */
function createScreen(): { stream: NodeJS.WriteStream; lines: () => string[] } {
  const lines: string[] = [];
  const stream = { isTTY: true, columns: 80, write: (text: string) => lines.push(text.replaceAll('\r', '').replaceAll('\u001b[K', '')) };
  // The progress line uses only these members.
  return { stream: stream as unknown as NodeJS.WriteStream, lines: () => lines };
}

test.for([
  [1, null, '1 item checked'],
  [2, null, '2 items checked'],
  [1, 1, '1 of 1 item checked  100 %'],
  [1, 1_204, '1 of 1,204 items checked  0 %'],
] as const)('progress formats %i of %s items', ([done, total, text]) => {
  const { stream, lines } = createScreen();
  createProgress({ noun: 'items', participle: 'checked', total, stream }).show(done);
  expect(lines()).toEqual([text]);
});

test('progress can omit the participle', () => {
  const { stream, lines } = createScreen();
  createProgress({ noun: 'contacts', total: null, stream }).show(1);
  expect(lines()).toEqual(['1 contact']);
});

test('progress draws the first line immediately and later ones at intervals', () => {
  let now = 40;
  using clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  const { stream, lines } = createScreen();
  const progress = createProgress({ noun: 'items', total: null, stream });
  progress.show(1);
  now += 20;
  progress.show(2);
  now += 100;
  progress.show(3);
  expect(lines()).toEqual(['1 item', '3 items']);
  expect(clock).toHaveBeenCalled();
});

test('progress does not clear a line that was not drawn', () => {
  const { stream, lines } = createScreen();
  createProgress({ noun: 'items', total: null, stream }).clear();
  expect(lines()).toEqual([]);
});
