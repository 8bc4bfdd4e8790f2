import { expect, test } from 'vitest';
import { t } from './builder.ts';
import { toJoi } from './joi.ts';

test('text has at least its minimum of characters, which code units do not count', () => {
  const schema = toJoi(t.string({ min: 2 }));
  const getError = (value: string) => schema.validate(value).error?.details.map(({ type, context }) => [type, context?.['limit']]);
  for (const short of ['a', '😀']) expect(getError(short), short).toEqual([['string.min', 2]]);
  for (const fitting of ['ab', '😀😀', 'abc']) expect(getError(fitting), fitting).toBeUndefined();
  expect(getError('')).toEqual([['string.empty', undefined]]);
});

test('text without a minimum may be empty, text with one may not', () => {
  expect(toJoi(t.string({})).validate('').error).toBeUndefined();
  expect(toJoi(t.string({ min: 1 })).validate('').error?.details).toMatchObject([{ type: 'string.empty' }]);
  expect(toJoi(t.string({ min: 1 })).validate('a').error).toBeUndefined();
});
