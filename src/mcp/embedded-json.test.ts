import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeJsonTwice } from './embedded-json.ts';
import { checkProperty } from '../../test/support/property.ts';

test('encodeJsonTwice returns any JSON unchanged and as a JSON string', async () => {
  await checkProperty(
    fc.property(fc.json(), fc.constantFrom(undefined, 1), (compact, indent) => {
      const json = JSON.stringify(JSON.parse(compact), null, indent);
      const both = Buffer.from(encodeJsonTwice('{"text":"', json, '","data":', '}')).toString('utf8');
      expect(both).toBe(`{"text":${JSON.stringify(json)},"data":${json}}`);
    }),
    { shortRuns: 100 },
  );
});

test('encodeJsonTwice handles characters of one to four bytes, quotes and backslashes', () => {
  const json = JSON.stringify({ 'ä"€': '\\ 🜚 \u2028 \n \ud800' });
  const both = Buffer.from(encodeJsonTwice('["', json, '",', ']')).toString('utf8');
  expect(JSON.parse(both)).toEqual([json, JSON.parse(json)]);
});
