import { expect, test, vi } from 'vitest';
import { newProgress } from './progress.ts';

/** What a terminal would have been sent. */
function screenOf(): { stream: NodeJS.WriteStream; lines: () => string[] } {
  const lines: string[] = [];
  const stream = { isTTY: true, columns: 80, write: (text: string) => lines.push(text.replaceAll('\r', '').replaceAll('\u001b[K', '')) };
  // Of a stream, progress looks at these three members only.
  return { stream: stream as unknown as NodeJS.WriteStream, lines: () => lines };
}

test.for([
  [1, null, '1 item checked'],
  [2, null, '2 items checked'],
  [1, 1, '1 of 1 item checked  100 %'],
  [1, 1_204, '1 of 1,204 items checked  0 %'],
] as const)('%i of %s is told as a person would', ([done, total, text]) => {
  const { stream, lines } = screenOf();
  newProgress({ what: 'items', done: 'checked', total, stream }).show(done);
  expect(lines()).toEqual([text]);
});

test('what becomes of things need not be said', () => {
  const { stream, lines } = screenOf();
  newProgress({ what: 'contacts', total: null, stream }).show(1);
  expect(lines()).toEqual(['1 contact']);
});

test('the first line is drawn at once, however young the process, and the next when it has been read', () => {
  let now = 40;
  using clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  const { stream, lines } = screenOf();
  const progress = newProgress({ what: 'items', total: null, stream });
  progress.show(1);
  now += 20;
  progress.show(2);
  now += 100;
  progress.show(3);
  expect(lines()).toEqual(['1 item', '3 items']);
  expect(clock).toHaveBeenCalled();
});

test('what was never drawn is not cleared', () => {
  const { stream, lines } = screenOf();
  newProgress({ what: 'items', total: null, stream }).clear();
  expect(lines()).toEqual([]);
});
