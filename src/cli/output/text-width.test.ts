import { expect, test } from 'vitest';
import { wrapText } from './text-width.ts';

test('a command that is too long for a line gets a line of its own, without backticks', () => {
  const command = `webhooks replays cancel ${'x'.repeat(15)}`;
  const wrap = (width: number) => wrapText(`Cancel with \`${command}\``, width);
  expect(wrap(command.length + 2)).toEqual(['Cancel with', `\`${command}\``]);
  expect(wrap(command.length + 1)).toEqual(['Cancel with', command]);
  expect(wrap(20)).toEqual(['Cancel with', command]);
});
