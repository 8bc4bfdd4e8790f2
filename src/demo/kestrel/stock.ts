/** Stock documents of Kestrel, in addition to those posted by orders: every type in every state, one reversed, one count with a variance. */
import type { DemoDocument, DemoReorderPoint, DemoStockLine } from '../scenario.ts';

const TOM = 'tom.okafor@kestrelcoffee.example';
const MIA = 'mia.lund@kestrelcoffee.example';
const IVO = 'ivo.pires@kestrelcoffee.example';

const line = (sku: string, quantity: number, unitCost?: number): DemoStockLine => ({
  sku,
  quantity,
  ...(unitCost === undefined ? {} : { unitCost }),
});
const counted = (sku: string, countedQuantity: number): DemoStockLine => ({ sku, countedQuantity });
const posted = (daysAgo: number): NonNullable<DemoDocument['statuses']> => ({ submitted: daysAgo, approved: daysAgo });
const withdrawn = (daysAgo: number, cancelReason: string): Pick<DemoDocument, 'statuses' | 'cancelReason'> => ({
  statuses: { submitted: daysAgo, cancelled: daysAgo },
  cancelReason,
});

/** The opening stock, two days before the first order. */
const opening: readonly DemoDocument[] = [
  {
    type: 'adjustment',
    reason: 'opening',
    daysAgo: 70,
    by: TOM,
    reference: 'Opening stock, Roastery',
    lines: [
      line('RST-HOUSE', 80, 9.1),
      line('RST-ETH', 25, 10.4),
      line('RST-DECAF', 18, 14.2),
      line('RST-COL', 60, 8.2),
      line('RST-BRA', 40, 6),
      line('RST-SUM', 30, 8.6),
      line('KES-HB-1K', 240, 10.2),
      line('KES-GU-250', 180, 3.1),
      line('KES-HU-250', 60, 2.7),
      line('KES-GY-250', 30, 2.85),
      line('KES-CE-1K', 160, 7.4),
      line('KES-CB-BULK', 22.5, 2.2),
      line('KES-DRIP', 140, 3.4),
      line('PKG-BAG-1K', 50, 0.38),
      line('PKG-LABEL', 60, 0.42),
      line('PKG-VALVE', 300, 0.035),
      line('PKG-CARTON', 24, 0.88),
      line('MER-MUG', 60, 5.6),
      line('MER-TOTE', 40, 3.9),
      line('MER-FILTERS', 48, 2.1),
      line('SPR-BURR', 2, 38.5),
      line('SPR-GASKET', 6, 2.4),
      line('SPR-FILTER', 3, 11.2),
      line('EQ-GRINDER', 2, 455),
    ],
    statuses: posted(70),
  },
  {
    type: 'adjustment',
    reason: 'opening',
    daysAgo: 70,
    by: TOM,
    site: 'BAIXA',
    reference: 'Opening stock, Café Baixa',
    lines: [line('KES-HB-250', 24, 2.6), line('KES-CB-330', 36, 0.65), line('MER-MUG', 12, 5.6), line('MER-TOTE', 10, 3.9)],
    statuses: posted(70),
  },
];

/** Produces roasted coffee from green coffee, with 15 % loss. */
const roast = (daysAgo: number, code: string, kilograms: number, green: number): DemoDocument => ({
  type: 'production',
  daysAgo,
  by: MIA,
  reference: `Roast ${code} ${String(kilograms)} kg`,
  lines: [
    { ...line(`GRN-${code}`, green), direction: 'out' },
    { ...line(`RST-${code}`, kilograms), direction: 'in' },
  ],
  statuses: posted(daysAgo),
});

const events: readonly DemoDocument[] = [
  roast(45, 'BRA', 80, 94.1176),
  roast(45, 'SUM', 50, 58.8235),
  roast(44, 'COL', 120, 141.1764),
  {
    type: 'receipt',
    daysAgo: 16,
    by: TOM,
    contact: 'ceramica',
    reference: 'Pocket scales, first lot',
    lines: [line('MER-SCALE', 10, 8.5)],
    statuses: posted(16),
  },
  {
    type: 'receipt',
    daysAgo: 16,
    by: IVO,
    contact: 'ceramica',
    reference: 'Pocket scales, first lot',
    lines: [line('MER-SCALE', 10, 8.5)],
    statuses: { submitted: 16, approved: 16, cancelled: 15 },
    cancelReason: 'Booked twice',
  },
  {
    type: 'transfer',
    daysAgo: 12,
    by: MIA,
    toSite: 'BAIXA',
    reference: 'Café shelf',
    lines: [line('KES-HB-250', 48), line('KES-DRIP', 20), line('KES-CB-330', 60)],
    statuses: posted(12),
  },
  {
    type: 'count',
    daysAgo: 10,
    by: TOM,
    reference: 'Packaging and merchandise',
    notes: 'A box of bags was wet; one mug is missing, one gasket turned up behind the shelf.',
    lines: [counted('PKG-BAG-1K', 955), counted('MER-MUG', 35), counted('MER-TOTE', 30), counted('SPR-GASKET', 7)],
    statuses: posted(10),
  },
  {
    type: 'issue',
    daysAgo: 9,
    by: IVO,
    reference: 'Samples for the fair',
    lines: [line('KES-HB-1K', 2), line('KES-GU-250', 4)],
    statuses: posted(9),
  },
  {
    type: 'adjustment',
    reason: 'damaged',
    daysAgo: 8,
    by: IVO,
    reference: 'Dropped tray',
    lines: [line('MER-MUG', -2)],
    statuses: posted(8),
  },
];

/** Not posted: drafts, submitted and cancelled documents. */
const pending: readonly DemoDocument[] = [
  { type: 'receipt', daysAgo: 1, by: TOM, contact: 'burr', lines: [line('SPR-PROBE', 2, 9.6)] },
  { type: 'receipt', daysAgo: 2, by: TOM, contact: 'roastlab', lines: [line('RST-DECAF', 30, 14.2)], statuses: { submitted: 2 } },
  {
    type: 'receipt',
    daysAgo: 14,
    by: IVO,
    lines: [line('MER-FILTERS', 24)],
    ...withdrawn(14, 'The parcel was for the neighbor'),
  },
  { type: 'issue', daysAgo: 1, by: IVO, reference: 'Staff coffee', lines: [line('KES-HB-250', 6)] },
  { type: 'issue', daysAgo: 1, by: MIA, reference: 'Cupping', lines: [line('RST-ETH', 0.25)], statuses: { submitted: 1 } },
  { type: 'issue', daysAgo: 17, by: IVO, lines: [line('MER-TOTE', 3)], ...withdrawn(17, 'Paid for after all') },
  { type: 'transfer', daysAgo: 0, by: MIA, toSite: 'BAIXA', lines: [line('KES-GU-250', 12)] },
  {
    type: 'transfer',
    daysAgo: 2,
    by: MIA,
    toSite: 'NORTH',
    reference: 'Weekly van',
    lines: [line('KES-HB-1K', 10)],
    statuses: { submitted: 2 },
  },
  {
    type: 'transfer',
    daysAgo: 6,
    by: MIA,
    toSite: 'NORTH',
    lines: [line('KES-CE-1K', 8)],
    ...withdrawn(6, 'The van broke down'),
  },
  { type: 'adjustment', reason: 'expired', daysAgo: 0, by: IVO, site: 'BAIXA', lines: [line('KES-CB-330', -6)] },
  { type: 'adjustment', reason: 'found', daysAgo: 1, by: IVO, lines: [line('MER-FILTERS', 2)], statuses: { submitted: 1 } },
  {
    type: 'adjustment',
    reason: 'lost',
    daysAgo: 11,
    by: IVO,
    lines: [line('SPR-FILTER', -1)],
    ...withdrawn(11, 'It was in the van'),
  },
  { type: 'count', daysAgo: 0, by: IVO, site: 'BAIXA', lines: [counted('MER-MUG', 12)] },
  {
    type: 'count',
    daysAgo: 1,
    by: IVO,
    site: 'BAIXA',
    lines: [counted('KES-HB-250', 69), counted('MER-TOTE', 10)],
    statuses: { submitted: 1 },
  },
  { type: 'count', daysAgo: 29, by: TOM, lines: [counted('PKG-LABEL', 540)], ...withdrawn(29, 'Interrupted by a delivery') },
  {
    type: 'production',
    daysAgo: 0,
    by: MIA,
    lines: [
      { ...line('GRN-ETH', 29.4118), direction: 'out' },
      { ...line('RST-ETH', 25), direction: 'in' },
    ],
  },
  { ...roast(1, 'SUM', 30, 35.2941), statuses: { submitted: 1 } },
  { ...roast(13, 'BRA', 40, 47.0588), ...withdrawn(13, 'Roaster needed service') },
];

export const kestrelDocuments: readonly DemoDocument[] = [...opening, ...events, ...pending];

export const kestrelReorderPoints: readonly DemoReorderPoint[] = [
  // More than there will be, even when what is on order has come: the one row that is low.
  { sku: 'PKG-BAG-250', site: 'ROAST', quantity: 2000 },
  { sku: 'PKG-BAG-1K', site: 'ROAST', quantity: 250 },
  { sku: 'PKG-VALVE', site: 'ROAST', quantity: 1000 },
  { sku: 'GRN-BRA', site: 'ROAST', quantity: 120 },
  { sku: 'GRN-COL', site: 'ROAST', quantity: 120 },
  { sku: 'GRN-ETH', site: 'ROAST', quantity: 120 },
  { sku: 'GRN-SUM', site: 'ROAST', quantity: 60 },
  { sku: 'PKG-LABEL', site: 'ROAST', quantity: 150 },
  { sku: 'PKG-CARTON', site: 'ROAST', quantity: 60 },
  { sku: 'PKG-BOTTLE', site: 'ROAST', quantity: 120 },
  // What the live demo sells.
  { sku: 'KES-HB-250', site: 'ROAST', quantity: 120 },
  { sku: 'KES-HU-250', site: 'ROAST', quantity: 24 },
  { sku: 'KES-GY-250', site: 'ROAST', quantity: 20 },
  { sku: 'KES-CB-330', site: 'ROAST', quantity: 60 },
  { sku: 'MER-MUG', site: 'ROAST', quantity: 24 },
  { sku: 'MER-TOTE', site: 'ROAST', quantity: 20 },
  { sku: 'MER-FILTERS', site: 'ROAST', quantity: 30 },
];
