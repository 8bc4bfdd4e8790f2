import { expect, test } from 'vitest';
import { parseTraceparent } from './tracing.ts';

const VALID = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

test.each([
  [VALID, VALID],
  [VALID.replace(/^00/u, 'cc'), VALID],
  [`${VALID.replace(/^00/u, 'cc')}-what-a-later-version-adds`, VALID],
  [`${VALID}-more`, undefined],
  [VALID.replace(/^00/u, 'ff'), undefined],
  [VALID.toUpperCase(), undefined],
  ['00-00000000000000000000000000000000-b7ad6b7169203331-01', undefined],
  ['00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01', undefined],
  ['', undefined],
  [undefined, undefined],
])('the traceparent %s is read as %s', (header, expected) => {
  expect(parseTraceparent(header)).toBe(expected);
});
