import fc from 'fast-check';
import { expect, test } from 'vitest';
import { twice } from './quoted.ts';

const SEED = 20_261_121;

test('any JSON comes out as it is and as it stands in quotes', () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom(undefined, 1), (compact, indent) => {
      const json = JSON.stringify(JSON.parse(compact), null, indent);
      const both = Buffer.from(twice('{"text":"', json, '","data":', '}')).toString('utf8');
      expect(both).toBe(`{"text":${JSON.stringify(json)},"data":${json}}`);
    }),
    { seed: SEED },
  );
});

test('so do characters of one, two, three and four bytes, quotes and backslashes', () => {
  const json = JSON.stringify({ 'ä"€': '\\ 🜚 \u2028 \n \ud800' });
  const both = Buffer.from(twice('["', json, '",', ']')).toString('utf8');
  expect(JSON.parse(both)).toEqual([json, JSON.parse(json)]);
});
