import { describe, expect, test } from 'vitest';
import type { Failure } from '../errors/failure.ts';
import { ambiguousName, findNamed, unknownName } from './record-names.ts';

const ITEMS = [
  { id: '1', sku: 'KES-HB-250', name: 'House Blend 250 g' },
  { id: '2', sku: null, name: 'Café' },
  { id: '3', sku: 'A:1@B', name: 'café' },
  { id: '4', sku: '', name: 'Cafe' },
];
const find = (typed: string) => findNamed('item', ITEMS, typed).map(({ id }) => id);

describe('findNamed', () => {
  test.for([
    ['KES-HB-250', ['1']],
    ['kes-hb-250 ', ['1']],
    ['house blend 250 G', ['1']],
    ['A:1@B', ['3']],
    ['CAFÉ', ['2', '3']],
    ['Cafe\u0301', ['2', '3']],
    ['cafe', ['4']],
    ['KES-HB', []],
    ['', []],
  ] as const)('"%s" names exactly the records that have this name in any case', ([typed, ids]) => {
    expect(find(typed)).toEqual(ids);
  });

  test('finds names in nested fields and numbers', () => {
    const lines = [
      { id: '1', lineNumber: 1, item: { sku: 'A', name: 'Apple' } },
      { id: '2', lineNumber: 2, item: { sku: null, name: 'Pear' } },
    ];
    expect(findNamed('stockLine', lines, '2')).toEqual([lines[1]]);
    expect(findNamed('stockLine', lines, 'a')).toEqual([lines[0]]);
  });
});

test('an ambiguous name is a usage error that lists the records', () => {
  expect(ambiguousName('item', 'café', ITEMS.slice(1, 3))).toMatchObject({
    exit: 2,
    message: '2 items have the SKU or name "café"',
    details: {
      candidates: [
        { sku: null, name: 'Café', id: '2' },
        { sku: 'A:1@B', name: 'café', id: '3' },
      ],
    },
  });
});

describe('an unknown name', () => {
  const explain = (typed: string): Pick<Failure, 'exit' | 'message' | 'hint'> => unknownName('item', typed, ITEMS, 'stockroom items list');

  test('is not found, and names that contain it are suggested', () => {
    expect(explain('house')).toMatchObject({
      exit: 3,
      message: 'No item with SKU or name "house"',
      hint: 'Did you mean KES-HB-250 (House Blend 250 g)?',
    });
  });

  test('is compared with similar names if none contains it', () => {
    expect(explain('KES-HB-520')).toMatchObject({ hint: 'Did you mean KES-HB-250 (House Blend 250 g)?' });
  });

  test('has a hint to the list if no name is similar', () => {
    expect(explain('zzzzzzzz')).toMatchObject({ hint: 'List the items with `stockroom items list`' });
  });

  test('of a company suggests all its contacts', () => {
    const contacts = [
      { id: '1', name: 'Duarte Pinto', email: 'duarte@alfama.example', company: 'Café Alfama' },
      { id: '2', name: 'Marta Pinto', email: '', company: 'Café Alfama' },
      { id: '3', name: 'Sofie Berg', email: '', company: 'Nordkaffe' },
    ];
    for (const typed of ['alfama', 'Cafe Alfama'])
      expect(unknownName('contact', typed, contacts, null)).toMatchObject({
        message: `No contact with name, e-mail or company "${typed}"`,
        hint: 'Did you mean Duarte Pinto (duarte@alfama.example, Café Alfama) or Marta Pinto (Café Alfama)?',
      });
  });
});
