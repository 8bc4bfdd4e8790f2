import { describe, expect, test } from 'vitest';
import type { DocumentType } from '../../contract/resources/stock-documents.ts';
import { LINE_FORMS, parseLine, toLineBody } from './line-flag.ts';

const FORM = 'ITEM:QUANTITY[UNIT][@PRICE][-DISCOUNT%][+TAX%]';
const ID = '7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e';
const sent = (type: string | undefined, text: string): unknown =>
  JSON.parse(JSON.stringify(toLineBody(type, parseLine(text, LINE_FORMS[type as DocumentType] ?? FORM))));

describe('--line', () => {
  test.for([
    ['GRN-ETH:60', { item: 'GRN-ETH', quantity: '60' }],
    ['GRN-ETH:60@8.40', { item: 'GRN-ETH', quantity: '60', amount: '8.40' }],
    [`${ID}:-2.5`, { item: ID, quantity: '-2.5' }],
    ['BOX:12/A@B:7@0.1', { item: 'BOX:12/A@B', quantity: '7', amount: '0.1' }],
    ['Tüte 250 g:1', { item: 'Tüte 250 g', quantity: '1' }],
    ['GRN-COL:20kg', { item: 'GRN-COL', quantity: '20', unit: 'kg' }],
    ['GRN-COL:-0.5bag60@8.40', { item: 'GRN-COL', quantity: '-0.5', unit: 'bag60', amount: '8.40' }],
    ['A:B:2 Bag of 60 kg@8+23%', { item: 'A:B', quantity: '2', unit: 'Bag of 60 kg', amount: '8', tax: '23' }],
    ['GRN-COL:1e3each+5.5%', { item: 'GRN-COL', quantity: '1e3', unit: 'each', tax: '5.5' }],
    ['GRN-COL:2-10%', { item: 'GRN-COL', quantity: '2', discount: '10' }],
    ['GRN-COL:2half-bag@8.40-2.5%+23%', { item: 'GRN-COL', quantity: '2', unit: 'half-bag', amount: '8.40', discount: '2.5', tax: '23' }],
  ] as const)('%s', ([text, parts]) => {
    expect(parseLine(text, FORM)).toEqual({ unit: undefined, amount: undefined, discount: undefined, tax: undefined, ...parts });
  });

  test.for([
    '',
    'GRN-ETH',
    ':5',
    'GRN-ETH:',
    'GRN-ETH:many',
    'GRN-ETH:5@',
    'GRN-ETH:5@cheap',
    'GRN-ETH:0/5',
    'GRN-ETH:007',
    'GRN-ETH:5,5',
    'GRN-ETH:5+x%',
    'GRN-ETH:5+23',
    'GRN-ETH:5-10',
    'GRN-ETH:5-x%',
    'GRN-ETH:5-1.2.3%',
    'GRN-ETH:5@8--5%',
    'GRN-ETH: 5',
  ])('"%s" is rejected with the expected format', (text) => {
    expect(() => parseLine(text, FORM)).toThrow(`Invalid line "${text}". Expected ${FORM}`);
  });

  test('keeps every digit', () => {
    expect(JSON.stringify(toLineBody('receipt', parseLine('A:1.10@0.30', FORM)))).toBe('{"itemId":"A","quantity":1.10,"unitCost":0.30}');
  });

  test('sets the fields of the document type', () => {
    expect(sent('count', 'A:0')).toEqual({ itemId: 'A', countedQuantity: 0 });
    expect(sent('adjustment', 'A:-3')).toEqual({ itemId: 'A', quantity: -3 });
    expect(sent('count', 'A:3box')).toEqual({ itemId: 'A', countedQuantity: 3, unitId: 'box' });
    expect(sent('order', 'A:3box@2-5%+6%')).toEqual({
      itemId: 'A',
      quantity: 3,
      unitId: 'box',
      unitPrice: 2,
      discountPercent: 5,
      taxPercent: 6,
    });
    expect(sent('revaluation', 'A:2.5')).toEqual({ itemId: 'A', unitCost: 2.5 });
    expect(() => sent('revaluation', 'A:2@3')).toThrow(/Expected ITEM:COST/u);
    expect(() => sent('issue', 'A:2@3')).toThrow(/Expected ITEM:QUANTITY\[UNIT\]$/u);
    expect(() => sent('receipt', 'A:2-6%')).toThrow(/Expected ITEM:QUANTITY\[UNIT\]\[@COST\]$/u);
    expect(() => sent('receipt', 'A:2+6%')).toThrow(/Expected ITEM:QUANTITY\[UNIT\]\[@COST\]$/u);
    expect(sent('adjustment', 'A:+3box@2')).toEqual({ itemId: 'A', quantity: 3, unitId: 'box', unitCost: 2 });
    for (const type of ['count', 'revaluation']) expect(() => sent(type, 'A:+3')).toThrow(/^Invalid line "A:\+3"/u);
    expect(sent('production', 'A:+3')).toEqual({ itemId: 'A', direction: 'in', quantity: 3 });
    expect(sent('production', 'A:-3')).toEqual({ itemId: 'A', direction: 'out', quantity: 3 });
    expect(sent('production', 'A:12')).toEqual({ itemId: 'A', direction: 'in', quantity: 12 });
    expect(sent(undefined, 'A:3')).toEqual({ itemId: 'A', quantity: 3 });
  });
});
