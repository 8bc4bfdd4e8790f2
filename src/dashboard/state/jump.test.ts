import { expect, test } from 'vitest';
import { parseJump } from './jump.ts';

test.each([
  ['items', { tab: 'items', filter: '' }],
  ['ord', { tab: 'orders', filter: '' }],
  ['deliv Shop sync', { tab: 'deliveries', filter: 'Shop sync' }],
  ['orders SO-12', { kind: 'orders', name: 'SO-12' }],
  [' Items  KES-HB-250 ', { kind: 'items', name: 'KES-HB-250' }],
  ['SO-000012', { kind: 'orders', name: 'SO-000012' }],
  ['doc TR-000001', { kind: 'documents', name: 'TR-000001' }],
  ['q', { quit: true }],
  ['q!', { quit: true }],
  ['quit', { quit: true }],
])('":%s" goes there', (text, jump) => {
  expect(parseJump(text)).toEqual(jump);
});

test.each(['', 'nowhere', 'contacts'])('":%s" is explained', (text) => {
  expect(parseJump(text)).toEqual({ problem: expect.stringMatching(/^Type :/u) });
});
