import { expect, test } from 'vitest';
import { wrapText } from './text-width.ts';

test('a command that fits into a line only without its backticks loses them', () => {
  const command = `webhooks replays cancel ${'x'.repeat(15)}`;
  const wrap = (width: number) => wrapText(`Cancel with \`${command}\``, width);
  expect(wrap(command.length + 2)).toEqual(['Cancel with', `\`${command}\``]);
  expect(wrap(command.length + 1)).toEqual(['Cancel with', command]);
  expect(wrap(20)).toEqual(['Cancel with', `\`${command}\``]);
});
