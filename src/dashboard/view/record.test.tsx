import { expect, test } from 'vitest';
import { NOW, auditRow, busyState, deliveryRow, failedRow, iso, withUpdates } from '../../../test/support/dashboard-states.ts';
import { stripVTControlCharacters } from 'node:util';
import { renderToString } from 'ink';
import { measureWidth } from '../../cli/output/text-width.ts';
import { listFoundParts } from '../details/record.ts';
import type { RecordOverlay } from '../state/model.ts';
import { type RenderContext, createRenderContext } from '../tables/table.ts';
import { Document, listLines } from './document.tsx';

const line = (lineNumber: number, name: string) => ({
  id: `0199f2a0-ed01-7c6d-8e7f-00000000000${String(lineNumber)}`,
  lineNumber,
  itemId: '0199f2a0-1e01-7c6d-8e7f-000000000001',
  item: { id: '0199f2a0-1e01-7c6d-8e7f-000000000001', name, sku: `SKU-${String(lineNumber)}` },
  description: name,
  quantity: 2,
  unit: { name: 'Piece', symbol: 'pcs' },
  unitPrice: 7.9,
  lineTotal: 15.8,
  fulfilledQuantity: null,
});
const order = {
  id: '0199f2a0-0001-7c6d-8e7f-000000000001',
  orderNumber: 'SO-000012',
  contactId: '0199f2a0-c001-7c6d-8e7f-000000000001',
  contact: { id: '0199f2a0-c001-7c6d-8e7f-000000000001', name: 'Café \u001b[31mAlfama' },
  siteId: null,
  site: null,
  notes: '',
  currency: 'EUR',
  subtotal: 31.6,
  taxTotal: 0,
  total: 31.6,
  closedShort: false,
  stockDocumentIds: [],
  createdBy: { type: 'api', id: '0199f2a0-4e11-7c6d-8e7f-000000000001' },
  lines: [line(1, 'House Blend 250 g'), line(2, 'Huila 250 g')],
};
function draw(overlay: RecordOverlay, context: RenderContext, width: number): readonly string[] {
  const lines = listLines(listFoundParts(overlay, context), context, width);
  return stripVTControlCharacters(renderToString(<Document lines={lines} />, { columns: width })).split('\n');
}
const render = (width: number, showsRecordsAsJson = false): readonly string[] =>
  draw(
    { kind: 'record', id: 'x', content: { state: 'ready', value: { path: '/v1/orders/1', value: order } }, scroll: 0 },
    { ...createRenderContext(busyState(1), NOW), showsRecordsAsJson },
    width,
  );

test('a record is shown as the fields that have a value, with names instead of ids, and its lines as a table', () => {
  expect(render(80)).toEqual([
    'order number    SO-000012',
    'contact         Café \ufffd[31mAlfama',
    'total           31.60 EUR',
    'created by      api 0199f2a0-4e11-7c6d-8e7f-000000000001',
    '',
    'lines (2)',
    'LINE  SKU    DESCRIPTION        QUANTITY  UNIT  UNIT PRICE  LINE TOTAL',
    '   1  SKU-1  House Blend 250 g         2  pcs         7.90       15.80',
    '   2  SKU-2  Huila 250 g               2  pcs         7.90       15.80',
    '',
    'id              0199f2a0-0001-7c6d-8e7f-000000000001',
    'path            /v1/orders/1',
  ]);
});

test('amounts of a record without a currency, and those in its tables, have the currency of the tenant', () => {
  const value = { name: 'Gift', salePrice: 5.5, stockLevels: [{ site: 'Main', stockValue: 61, averageCost: 30.5 }] };
  const overlay = { kind: 'record', id: 'x', content: { state: 'ready', value: { path: '/', value } }, scroll: 0 } as const;
  const text = draw(overlay, { ...createRenderContext(busyState(1), NOW), currency: 'KWD' }, 100).join('\n');
  expect(text).toMatch(/^sale price +5\.500 KWD$/mu);
  expect(text).toMatch(/STOCK VALUE +AVERAGE COST\nMain +61\.000 +30\.500/u);
});

test('a narrow screen hides columns of the lines from the right and wraps long values', () => {
  const lines = render(60);
  for (const text of lines) expect(measureWidth(text)).toBeLessThanOrEqual(60);
  expect(lines).toContainEqual(expect.stringMatching(/^LINE +SKU +DESCRIPTION +QUANTITY/u));
});

test('as JSON a record is complete', () => {
  expect(JSON.parse(render(200, true).slice(0, -1).join(''))).toMatchObject({ contactId: order.contactId, siteId: null });
});

test('the history of a record names the deliveries of its events, who made each change, and what changed', () => {
  const state = withUpdates(busyState(2), { deliveries: [deliveryRow(90, { eventId: 'e1' }), failedRow(91, { eventId: 'e1' })] });
  const value = {
    orderNumber: 'SO-000012',
    events: [{ occurredAt: iso(60), event: 'order.updated', id: 'e1' }],
    audit: [
      auditRow(1, { actorId: 'ana', metadata: { changes: { status: { from: 'open', to: 'completed' }, lines: { from: [], to: [] } } } }),
    ],
  };
  const overlay = { kind: 'record', id: 'x', content: { state: 'ready', value: { path: '/', value } }, scroll: 0 } as const;
  const text = draw(overlay, createRenderContext(state, NOW), 160).join('\n');
  expect(text).toMatch(/order\.updated +Shop sync: delivered, Shop sync: failed/u);
  expect(text).toMatch(/item\.created +status open → completed, lines +ana/u);
});
