/** Orders of Kestrel in the last ten weeks: buy 9, sell 14, make 8, check 5, fix 4, in every status, some overdue, one closed short. */
import type { DemoLine, DemoOrder } from '../scenario.ts';

const VAT = 23;
const line = (sku: string, quantity: number, more: Partial<DemoLine> = {}): DemoLine => ({ sku, quantity, ...more });
const sold = (sku: string, quantity: number, more: Partial<DemoLine> = {}): DemoLine => line(sku, quantity, { taxPercent: VAT, ...more });
const ANA = 'ana.reis@kestrelcoffee.example';
const TOM = 'tom.okafor@kestrelcoffee.example';
const MIA = 'mia.lund@kestrelcoffee.example';
const IVO = 'ivo.pires@kestrelcoffee.example';
const LEA = 'lea.brandt@kestrelcoffee.example';

const ofModule = (module: DemoOrder['module'], orders: readonly Omit<DemoOrder, 'module'>[]): readonly DemoOrder[] =>
  orders.map((order) => ({ module, ...order }));

const buy = ofModule('buy', [
  {
    contact: 'origem',
    daysAgo: 68,
    assignedTo: TOM,
    reference: 'Spring lots',
    lines: [line('GRN-ETH', 6), line('GRN-BRA', 10), line('GRN-SUM', 4)],
    statuses: { open: 68, completed: 47 },
  },
  {
    contact: 'andes',
    daysAgo: 66,
    assignedTo: TOM,
    lines: [line('GRN-COL', 8)],
    statuses: { open: 65, waiting: 60, completed: 44 },
  },
  {
    contact: 'packwell',
    daysAgo: 62,
    lines: [line('PKG-BAG-250', 1000), line('PKG-BAG-1K', 1000), line('PKG-VALVE', 4000), line('PKG-CARTON', 40), line('PKG-BOTTLE', 60)],
    statuses: { open: 62, completed: 46 },
  },
  {
    contact: 'etiqueta',
    daysAgo: 50,
    lines: [line('PKG-LABEL', 500)],
    statuses: { open: 50, completed: 45 },
  },
  {
    contact: 'ceramica',
    daysAgo: 40,
    reference: 'Autumn mugs',
    lines: [line('MER-MUG', 96), line('MER-TOTE', 60)],
    statuses: { open: 39, completed: 20 },
    isClosedShort: true,
  },
  {
    contact: 'packwell',
    daysAgo: 24,
    dueAfterDays: 14,
    priority: 'urgent',
    assignedTo: ANA,
    reference: 'Bags are running out',
    lines: [line('PKG-BAG-250', 1000), line('PKG-VALVE', 5000)],
    statuses: { open: 24, waiting: 9 },
  },
  {
    contact: 'burr',
    daysAgo: 12,
    assignedTo: TOM,
    lines: [line('SPR-BURR', 4), line('SPR-GASKET', 30), line('SPR-FILTER', 12), line('SPR-PUMP', 3), line('SPR-PROBE', 3)],
    statuses: { open: 12, completed: 6 },
  },
  {
    contact: 'origem',
    daysAgo: 8,
    assignedTo: TOM,
    lines: [line('GRN-ETH', 5), line('GRN-SUM', 3)],
    statuses: { open: 7 },
  },
  {
    contact: 'coop',
    daysAgo: 1,
    notes: 'Sample lot; decide after cupping.',
    lines: [line('GRN-COL', 60, { unitPrice: 7.2 })],
  },
]);

const weeklyProducts = [
  ['KES-HB-1K', 'House Blend 1 kg'],
  ['KES-CE-1K', 'Cerrado Espresso 1 kg'],
  ['KES-HB-250', 'House Blend 250 g'],
  ['KES-GU-250', 'Guji 250 g'],
] as const;

/** The blanket order of Nordkaffe for a quarter, one line per week and product. */
const blanketOrderLines: readonly DemoLine[] = Array.from({ length: 40 }, (_, index) =>
  sold(weeklyProducts[index % 4]![0], 6 + ((index * 5) % 11), {
    discountPercent: 12.5,
    description: `${weeklyProducts[index % 4]![1]}, week ${String(Math.floor(index / 4) + 1)}`,
  }),
);

const sell = ofModule('sell', [
  {
    contact: 'alfama',
    daysAgo: 42,
    dueAfterDays: 5,
    lines: [sold('KES-HB-1K', 24, { discountPercent: 10 }), sold('KES-GU-250', 12)],
    statuses: { open: 42, in_progress: 40, completed: 38 },
  },
  {
    contact: 'bicicleta',
    daysAgo: 36,
    dueAfterDays: 4,
    lines: [sold('KES-CE-1K', 10), sold('KES-CB-BULK', 6.5)],
    statuses: { open: 36, completed: 33 },
  },
  {
    contact: 'webshop',
    daysAgo: 31,
    dueAfterDays: 2,
    reference: 'WEB-4471',
    lines: [sold('SET-DISC', 3), sold('MER-FILTERS', 3)],
    statuses: { open: 31, completed: 30 },
  },
  {
    contact: 'hotelmar',
    daysAgo: 28,
    dueAfterDays: 7,
    priority: 'high',
    lines: [sold('KES-HB-1K', 40, { discountPercent: 15 }), sold('MER-MUG', 24)],
    statuses: { open: 28, in_progress: 26, completed: 21 },
  },
  {
    contact: 'kontor',
    daysAgo: 25,
    lines: [sold('SET-OFFICE', 2)],
    statuses: { open: 25, cancelled: 23 },
    cancelReason: 'Office moved to Hamburg',
  },
  {
    contact: 'webshop',
    daysAgo: 19,
    dueAfterDays: 2,
    reference: 'WEB-4502',
    lines: [sold('KES-DRIP', 4), sold('KES-CB-330', 12)],
    statuses: { open: 19, completed: 18 },
  },
  {
    contact: 'nordkaffe',
    daysAgo: 18,
    dueAfterDays: 60,
    assignedTo: ANA,
    reference: 'Frame contract Q4',
    notes: 'Ships weekly.',
    lines: blanketOrderLines,
    statuses: { open: 17, in_progress: 10 },
    shipments: [
      { daysAgo: 10, lines: 4 },
      { daysAgo: 3, lines: 4 },
    ],
  },
  {
    contact: 'mercado',
    daysAgo: 15,
    dueAfterDays: 3,
    lines: [sold('KES-HB-250', 36), sold('KES-HU-250', 24), sold('MER-TOTE', 10)],
    statuses: { open: 15, completed: 13 },
  },
  {
    contact: 'alfama',
    daysAgo: 11,
    dueAfterDays: 14,
    lines: [sold('KES-HB-1K', 18, { discountPercent: 10 }), sold('KES-CE-1K', 6)],
    statuses: { open: 11, waiting: 7 },
  },
  {
    contact: 'roastlab',
    daysAgo: 9,
    dueAfterDays: 10,
    lines: [sold('RST-HOUSE', 37.5), sold('RST-ETH', 12.25)],
    statuses: { open: 8, in_progress: 4 },
  },
  {
    contact: 'bicicleta',
    daysAgo: 6,
    dueAfterDays: 9,
    priority: 'high',
    lines: [sold('KES-CE-1K', 12), sold('KES-GU-250', 18)],
    statuses: { open: 6 },
  },
  {
    contact: 'webshop',
    daysAgo: 3,
    dueAfterDays: 5,
    reference: 'WEB-4533',
    lines: [sold('SET-BAR', 1), sold('SET-DISC', 2), sold('KES-HB-250', 1)],
    statuses: { open: 3 },
  },
  {
    contact: 'hotelmar',
    daysAgo: 2,
    dueAfterDays: 9,
    lines: [sold('KES-HB-1K', 50, { discountPercent: 15 }), sold('KES-DRIP', 80)],
    statuses: { open: 1 },
  },
  {
    contact: 'kontor',
    daysAgo: 0,
    notes: 'Waiting for their purchase order number.',
    lines: [sold('SET-OFFICE', 1), sold('EQ-GRINDER', 1)],
  },
]);

const make = ofModule('make', [
  {
    daysAgo: 43,
    assignedTo: MIA,
    lines: [line('RST-HOUSE', 180)],
    statuses: { open: 43, in_progress: 43, completed: 43 },
  },
  {
    daysAgo: 43,
    assignedTo: MIA,
    lines: [line('RST-ETH', 90)],
    statuses: { open: 43, completed: 42 },
  },
  {
    daysAgo: 42,
    assignedTo: MIA,
    lines: [line('KES-HB-1K', 90)],
    statuses: { open: 42, completed: 41 },
  },
  {
    daysAgo: 37,
    assignedTo: IVO,
    lines: [line('KES-CB-330', 240)],
    statuses: { open: 37, completed: 35 },
  },
  {
    daysAgo: 22,
    assignedTo: MIA,
    lines: [line('KES-HB-250', 400)],
    statuses: { open: 22, in_progress: 21, completed: 20 },
  },
  {
    daysAgo: 7,
    dueAfterDays: 10,
    assignedTo: MIA,
    priority: 'high',
    lines: [line('KES-GU-250', 300)],
    statuses: { open: 7, waiting: 5 },
  },
  {
    daysAgo: 3,
    assignedTo: MIA,
    lines: [line('RST-HOUSE', 120)],
    statuses: { open: 3, in_progress: 1 },
  },
  { daysAgo: 1, lines: [line('KES-DRIP', 200)] },
]);

const check = ofModule('check', [
  {
    daysAgo: 47,
    assignedTo: LEA,
    reference: 'Cupping, spring lots',
    lines: [line('GRN-ETH', 360, { passedQuantity: 360 }), line('GRN-BRA', 600, { passedQuantity: 600 })],
    statuses: { open: 47, completed: 46 },
  },
  {
    daysAgo: 41,
    assignedTo: LEA,
    reference: 'Seal test 1 kg bags',
    lines: [line('KES-HB-1K', 12, { passedQuantity: 11, failedQuantity: 1, failureReason: 'Seal open at the left corner' })],
    statuses: { open: 41, completed: 41 },
  },
  {
    daysAgo: 19,
    dueAfterDays: 30,
    assignedTo: LEA,
    lines: [line('MER-MUG', 24, { passedQuantity: 20, failedQuantity: 4, failureReason: 'Glaze chipped' })],
    statuses: { open: 19, in_progress: 19 },
  },
  {
    daysAgo: 5,
    assignedTo: LEA,
    lines: [line('KES-GU-250', 10)],
    statuses: { open: 5, waiting: 5 },
  },
  { daysAgo: 0, lines: [line('SPR-PUMP', 3)] },
]);

const fix = ofModule('fix', [
  {
    contact: 'alfama',
    daysAgo: 27,
    dueAfterDays: 3,
    assignedTo: TOM,
    reference: 'Grinder slips',
    lines: [
      line('EQ-GRINDER', 1, { kind: 'target', unitPrice: 0 }),
      line('SPR-BURR', 1, { kind: 'part', taxPercent: VAT }),
      { sku: null, kind: 'service', description: 'Fitting and calibration', unit: 'h', quantity: 1.5, unitPrice: 45, taxPercent: VAT },
    ],
    statuses: { open: 27, in_progress: 26, completed: 5 },
  },
  {
    daysAgo: 10,
    assignedTo: IVO,
    reference: 'Café Baixa machine',
    lines: [
      line('EQ-ESPRESSO', 1, { kind: 'target', unitPrice: 0 }),
      line('SPR-GASKET', 2, { kind: 'part' }),
      line('SPR-FILTER', 1, { kind: 'part' }),
    ],
    statuses: { open: 10, completed: 4 },
  },
  {
    contact: 'bicicleta',
    daysAgo: 4,
    dueAfterDays: 7,
    priority: 'urgent',
    assignedTo: TOM,
    reference: 'No steam',
    lines: [
      line('EQ-ESPRESSO', 1, { kind: 'target', unitPrice: 0 }),
      line('SPR-PROBE', 1, { kind: 'part', taxPercent: VAT }),
      { sku: null, kind: 'service', description: 'Call-out', quantity: 1, unitPrice: 60, taxPercent: VAT },
    ],
    statuses: { open: 4, waiting: 3 },
  },
  {
    contact: 'mercado',
    daysAgo: 1,
    lines: [line('EQ-GRINDER', 1, { kind: 'target', unitPrice: 0 }), line('SPR-BURR', 1, { kind: 'part', taxPercent: VAT })],
  },
]);

export const kestrelOrders: readonly DemoOrder[] = [...buy, ...sell, ...make, ...check, ...fix];
