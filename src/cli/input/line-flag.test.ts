import { describe, expect, test } from 'vitest';
import { toLineBody, parseLine } from './line-flag.ts';

const ID = '7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e';
const sent = (type: string | undefined, text: string): unknown =>
  JSON.parse(JSON.stringify(toLineBody(type, parseLine(text, 'ITEM:QUANTITY[@COST]'))));

describe('--line', () => {
  test.for([
    ['GRN-ETH:60', { item: 'GRN-ETH', quantity: '60' }],
    ['GRN-ETH:60@8.40', { item: 'GRN-ETH', quantity: '60', amount: '8.40' }],
    [`${ID}:-2.5`, { item: ID, quantity: '-2.5' }],
    ['BOX:12/A@B:7@0.1', { item: 'BOX:12/A@B', quantity: '7', amount: '0.1' }],
    ['Tüte 250 g:1', { item: 'Tüte 250 g', quantity: '1' }],
  ] as const)('%s', ([text, parts]) => {
    expect(parseLine(text, 'ITEM:QUANTITY[@COST]')).toEqual({ amount: undefined, ...parts });
  });

  test.for(['', 'GRN-ETH', ':5', 'GRN-ETH:', 'GRN-ETH:many', 'GRN-ETH:5@', 'GRN-ETH:5@cheap', 'GRN-ETH:0x5', 'GRN-ETH: 5'])(
    '"%s" is rejected with the expected format',
    (text) => {
      expect(() => parseLine(text, 'ITEM:QUANTITY[@COST]')).toThrow(`Invalid line "${text}". Expected ITEM:QUANTITY`);
    },
  );

  test('keeps every digit', () => {
    expect(JSON.stringify(toLineBody('receipt', parseLine('A:1.10@0.30', '')))).toBe('{"itemId":"A","quantity":1.10,"unitCost":0.30}');
  });

  test('sets the fields of the document type', () => {
    expect(sent('count', 'A:0')).toEqual({ itemId: 'A', countedQuantity: 0 });
    expect(sent('adjustment', 'A:-3')).toEqual({ itemId: 'A', quantity: -3 });
    expect(sent('revaluation', 'A:2.5')).toEqual({ itemId: 'A', unitCost: 2.5 });
    expect(() => sent('revaluation', 'A:2@3')).toThrow(/takes ITEM:COST/u);
    expect(sent('production', 'A:-3')).toEqual({ itemId: 'A', direction: 'out', quantity: 3 });
    expect(sent('production', 'A:12')).toEqual({ itemId: 'A', direction: 'in', quantity: 12 });
    expect(sent(undefined, 'A:3')).toEqual({ itemId: 'A', quantity: 3 });
  });
});
