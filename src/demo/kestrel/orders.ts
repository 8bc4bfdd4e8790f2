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

const buy: readonly DemoOrder[] = [
  {
    module: 'buy',
    contact: 'origem',
    daysAgo: 68,
    assignedTo: TOM,
    reference: 'Spring lots',
    lines: [line('GRN-ETH', 6), line('GRN-BRA', 10), line('GRN-SUM', 4)],
    transitions: [
      { status: 'open', daysAgo: 68 },
      { status: 'completed', daysAgo: 47 },
    ],
  },
  {
    module: 'buy',
    contact: 'andes',
    daysAgo: 66,
    assignedTo: TOM,
    lines: [line('GRN-COL', 8)],
    transitions: [
      { status: 'open', daysAgo: 65 },
      { status: 'waiting', daysAgo: 60 },
      { status: 'completed', daysAgo: 44 },
    ],
  },
  {
    module: 'buy',
    contact: 'packwell',
    daysAgo: 62,
    lines: [line('PKG-BAG-250', 1000), line('PKG-BAG-1K', 1000), line('PKG-VALVE', 4000), line('PKG-CARTON', 40), line('PKG-BOTTLE', 60)],
    transitions: [
      { status: 'open', daysAgo: 62 },
      { status: 'completed', daysAgo: 46 },
    ],
  },
  {
    module: 'buy',
    contact: 'etiqueta',
    daysAgo: 50,
    lines: [line('PKG-LABEL', 500)],
    transitions: [
      { status: 'open', daysAgo: 50 },
      { status: 'completed', daysAgo: 45 },
    ],
  },
  {
    module: 'buy',
    contact: 'ceramica',
    daysAgo: 40,
    reference: 'Autumn mugs',
    lines: [line('MER-MUG', 96), line('MER-TOTE', 60)],
    transitions: [
      { status: 'open', daysAgo: 39 },
      { status: 'completed', daysAgo: 20, closeShort: true },
    ],
  },
  {
    module: 'buy',
    contact: 'packwell',
    daysAgo: 24,
    dueAfterDays: 14,
    priority: 'urgent',
    assignedTo: ANA,
    reference: 'Bags are running out',
    lines: [line('PKG-BAG-250', 1000), line('PKG-VALVE', 5000)],
    transitions: [
      { status: 'open', daysAgo: 24 },
      { status: 'waiting', daysAgo: 9 },
    ],
  },
  {
    module: 'buy',
    contact: 'burr',
    daysAgo: 12,
    assignedTo: TOM,
    lines: [line('SPR-BURR', 4), line('SPR-GASKET', 30), line('SPR-FILTER', 12), line('SPR-PUMP', 3), line('SPR-PROBE', 3)],
    transitions: [
      { status: 'open', daysAgo: 12 },
      { status: 'completed', daysAgo: 6 },
    ],
  },
  {
    module: 'buy',
    contact: 'origem',
    daysAgo: 8,
    assignedTo: TOM,
    lines: [line('GRN-ETH', 5), line('GRN-SUM', 3)],
    transitions: [{ status: 'open', daysAgo: 7 }],
  },
  {
    module: 'buy',
    contact: 'coop',
    daysAgo: 1,
    notes: 'Sample lot; decide after cupping.',
    lines: [line('GRN-COL', 60, { unitPrice: 7.2 })],
  },
];

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

const sell: readonly DemoOrder[] = [
  {
    module: 'sell',
    contact: 'alfama',
    daysAgo: 42,
    dueAfterDays: 5,
    lines: [sold('KES-HB-1K', 24, { discountPercent: 10 }), sold('KES-GU-250', 12)],
    transitions: [
      { status: 'open', daysAgo: 42 },
      { status: 'in_progress', daysAgo: 40 },
      { status: 'completed', daysAgo: 38 },
    ],
  },
  {
    module: 'sell',
    contact: 'bicicleta',
    daysAgo: 36,
    dueAfterDays: 4,
    lines: [sold('KES-CE-1K', 10), sold('KES-CB-BULK', 6.5)],
    transitions: [
      { status: 'open', daysAgo: 36 },
      { status: 'completed', daysAgo: 33 },
    ],
  },
  {
    module: 'sell',
    contact: 'webshop',
    daysAgo: 31,
    dueAfterDays: 2,
    reference: 'WEB-4471',
    lines: [sold('SET-DISC', 3), sold('MER-FILTERS', 3)],
    transitions: [
      { status: 'open', daysAgo: 31 },
      { status: 'completed', daysAgo: 30 },
    ],
  },
  {
    module: 'sell',
    contact: 'hotelmar',
    daysAgo: 28,
    dueAfterDays: 7,
    priority: 'high',
    lines: [sold('KES-HB-1K', 40, { discountPercent: 15 }), sold('MER-MUG', 24)],
    transitions: [
      { status: 'open', daysAgo: 28 },
      { status: 'in_progress', daysAgo: 26 },
      { status: 'completed', daysAgo: 21 },
    ],
  },
  {
    module: 'sell',
    contact: 'kontor',
    daysAgo: 25,
    lines: [sold('SET-OFFICE', 2)],
    transitions: [
      { status: 'open', daysAgo: 25 },
      { status: 'cancelled', daysAgo: 23, reason: 'Office moved to Hamburg' },
    ],
  },
  {
    module: 'sell',
    contact: 'webshop',
    daysAgo: 19,
    dueAfterDays: 2,
    reference: 'WEB-4502',
    lines: [sold('KES-DRIP', 4), sold('KES-CB-330', 12)],
    transitions: [
      { status: 'open', daysAgo: 19 },
      { status: 'completed', daysAgo: 18 },
    ],
  },
  {
    module: 'sell',
    contact: 'nordkaffe',
    daysAgo: 18,
    dueAfterDays: 60,
    assignedTo: ANA,
    reference: 'Frame contract Q4',
    notes: 'Ships weekly.',
    lines: blanketOrderLines,
    transitions: [
      { status: 'open', daysAgo: 17 },
      { status: 'in_progress', daysAgo: 10 },
    ],
    shipments: [
      { daysAgo: 10, lines: 4 },
      { daysAgo: 3, lines: 4 },
    ],
  },
  {
    module: 'sell',
    contact: 'mercado',
    daysAgo: 15,
    dueAfterDays: 3,
    lines: [sold('KES-HB-250', 36), sold('KES-HU-250', 24), sold('MER-TOTE', 10)],
    transitions: [
      { status: 'open', daysAgo: 15 },
      { status: 'completed', daysAgo: 13 },
    ],
  },
  {
    module: 'sell',
    contact: 'alfama',
    daysAgo: 11,
    dueAfterDays: 14,
    lines: [sold('KES-HB-1K', 18, { discountPercent: 10 }), sold('KES-CE-1K', 6)],
    transitions: [
      { status: 'open', daysAgo: 11 },
      { status: 'waiting', daysAgo: 7 },
    ],
  },
  {
    module: 'sell',
    contact: 'roastlab',
    daysAgo: 9,
    dueAfterDays: 10,
    lines: [sold('RST-HOUSE', 37.5), sold('RST-ETH', 12.25)],
    transitions: [
      { status: 'open', daysAgo: 8 },
      { status: 'in_progress', daysAgo: 4 },
    ],
  },
  {
    module: 'sell',
    contact: 'bicicleta',
    daysAgo: 6,
    dueAfterDays: 9,
    priority: 'high',
    lines: [sold('KES-CE-1K', 12), sold('KES-GU-250', 18)],
    transitions: [{ status: 'open', daysAgo: 6 }],
  },
  {
    module: 'sell',
    contact: 'webshop',
    daysAgo: 3,
    dueAfterDays: 5,
    reference: 'WEB-4533',
    lines: [sold('SET-BAR', 1), sold('SET-DISC', 2), sold('KES-HB-250', 1)],
    transitions: [{ status: 'open', daysAgo: 3 }],
  },
  {
    module: 'sell',
    contact: 'hotelmar',
    daysAgo: 2,
    dueAfterDays: 9,
    lines: [sold('KES-HB-1K', 50, { discountPercent: 15 }), sold('KES-DRIP', 80)],
    transitions: [{ status: 'open', daysAgo: 1 }],
  },
  {
    module: 'sell',
    contact: 'kontor',
    daysAgo: 0,
    notes: 'Waiting for their purchase order number.',
    lines: [sold('SET-OFFICE', 1), sold('EQ-GRINDER', 1)],
  },
];

const make: readonly DemoOrder[] = [
  {
    module: 'make',
    contact: null,
    daysAgo: 43,
    assignedTo: MIA,
    lines: [line('RST-HOUSE', 180)],
    transitions: [
      { status: 'open', daysAgo: 43 },
      { status: 'in_progress', daysAgo: 43 },
      { status: 'completed', daysAgo: 43 },
    ],
  },
  {
    module: 'make',
    contact: null,
    daysAgo: 43,
    assignedTo: MIA,
    lines: [line('RST-ETH', 90)],
    transitions: [
      { status: 'open', daysAgo: 43 },
      { status: 'completed', daysAgo: 42 },
    ],
  },
  {
    module: 'make',
    contact: null,
    daysAgo: 42,
    assignedTo: MIA,
    lines: [line('KES-HB-1K', 90)],
    transitions: [
      { status: 'open', daysAgo: 42 },
      { status: 'completed', daysAgo: 41 },
    ],
  },
  {
    module: 'make',
    contact: null,
    daysAgo: 37,
    assignedTo: IVO,
    lines: [line('KES-CB-330', 240)],
    transitions: [
      { status: 'open', daysAgo: 37 },
      { status: 'completed', daysAgo: 35 },
    ],
  },
  {
    module: 'make',
    contact: null,
    daysAgo: 22,
    assignedTo: MIA,
    lines: [line('KES-HB-250', 400)],
    transitions: [
      { status: 'open', daysAgo: 22 },
      { status: 'in_progress', daysAgo: 21 },
      { status: 'completed', daysAgo: 20 },
    ],
  },
  {
    module: 'make',
    contact: null,
    daysAgo: 7,
    dueAfterDays: 10,
    assignedTo: MIA,
    priority: 'high',
    lines: [line('KES-GU-250', 300)],
    transitions: [
      { status: 'open', daysAgo: 7 },
      { status: 'waiting', daysAgo: 5 },
    ],
  },
  {
    module: 'make',
    contact: null,
    daysAgo: 3,
    assignedTo: MIA,
    lines: [line('RST-HOUSE', 120)],
    transitions: [
      { status: 'open', daysAgo: 3 },
      { status: 'in_progress', daysAgo: 1 },
    ],
  },
  { module: 'make', contact: null, daysAgo: 1, lines: [line('KES-DRIP', 200)] },
];

const check: readonly DemoOrder[] = [
  {
    module: 'check',
    contact: null,
    daysAgo: 47,
    assignedTo: LEA,
    reference: 'Cupping, spring lots',
    lines: [line('GRN-ETH', 360, { passed: 360 }), line('GRN-BRA', 600, { passed: 600 })],
    transitions: [
      { status: 'open', daysAgo: 47 },
      { status: 'completed', daysAgo: 46 },
    ],
  },
  {
    module: 'check',
    contact: null,
    daysAgo: 41,
    assignedTo: LEA,
    reference: 'Seal test 1 kg bags',
    lines: [line('KES-HB-1K', 12, { passed: 11, failed: 1, failureReason: 'Seal open at the left corner' })],
    transitions: [
      { status: 'open', daysAgo: 41 },
      { status: 'completed', daysAgo: 41 },
    ],
  },
  {
    module: 'check',
    contact: null,
    daysAgo: 19,
    dueAfterDays: 30,
    assignedTo: LEA,
    lines: [line('MER-MUG', 24, { passed: 20, failed: 4, failureReason: 'Glaze chipped' })],
    transitions: [
      { status: 'open', daysAgo: 19 },
      { status: 'in_progress', daysAgo: 19 },
    ],
  },
  {
    module: 'check',
    contact: null,
    daysAgo: 5,
    assignedTo: LEA,
    lines: [line('KES-GU-250', 10)],
    transitions: [
      { status: 'open', daysAgo: 5 },
      { status: 'waiting', daysAgo: 5 },
    ],
  },
  { module: 'check', contact: null, daysAgo: 0, lines: [line('SPR-PUMP', 3)] },
];

const fix: readonly DemoOrder[] = [
  {
    module: 'fix',
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
    transitions: [
      { status: 'open', daysAgo: 27 },
      { status: 'in_progress', daysAgo: 26 },
      { status: 'completed', daysAgo: 5 },
    ],
  },
  {
    module: 'fix',
    contact: null,
    daysAgo: 10,
    assignedTo: IVO,
    reference: 'Café Baixa machine',
    lines: [
      line('EQ-ESPRESSO', 1, { kind: 'target', unitPrice: 0 }),
      line('SPR-GASKET', 2, { kind: 'part' }),
      line('SPR-FILTER', 1, { kind: 'part' }),
    ],
    transitions: [
      { status: 'open', daysAgo: 10 },
      { status: 'completed', daysAgo: 4 },
    ],
  },
  {
    module: 'fix',
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
    transitions: [
      { status: 'open', daysAgo: 4 },
      { status: 'waiting', daysAgo: 3 },
    ],
  },
  {
    module: 'fix',
    contact: 'mercado',
    daysAgo: 1,
    lines: [line('EQ-GRINDER', 1, { kind: 'target', unitPrice: 0 }), line('SPR-BURR', 1, { kind: 'part', taxPercent: VAT })],
  },
];

export const kestrelOrders: readonly DemoOrder[] = [...buy, ...sell, ...make, ...check, ...fix];
