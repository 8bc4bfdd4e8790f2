/** Spoke & Chain Workshop: builds city bikes and repairs customers' bikes. Standard plan: operations of the Enterprise plan are refused. */
import type { DemoDocument, DemoItem, DemoOrder, DemoTenant } from './scenario.ts';

const material = (sku: string, name: string, category: string, cost: number, price: number, supplier: string): DemoItem => ({
  sku,
  name,
  itemType: 'material',
  unit: 'pcs',
  category,
  purchasePrice: cost,
  salePrice: price,
  suppliers: [{ contact: supplier, price: cost, leadDays: 7 }],
});

const items: readonly DemoItem[] = [
  material('FRM-CITY', 'City frame 54 cm', 'Frames', 118, 210, 'ridgeline'),
  material('FRM-STEP', 'Step-through frame 50 cm', 'Frames', 122, 215, 'ridgeline'),
  material('WHL-28', 'Wheelset 28 in', 'Wheels', 64, 129, 'ridgeline'),
  material('TIR-28', 'Tire 28 × 1.6', 'Wheels', 11.5, 24, 'hub'),
  material('TUB-28', 'Tube 28 in', 'Wheels', 2.1, 6.5, 'hub'),
  material('CHN-8', 'Chain 8-speed', 'Drivetrain', 7.4, 19, 'hub'),
  material('CAS-8', 'Cassette 11–32', 'Drivetrain', 14.2, 34, 'hub'),
  material('CRK-38', 'Crankset 38 t', 'Drivetrain', 22.8, 52, 'hub'),
  material('DER-8', 'Rear derailleur 8-speed', 'Drivetrain', 13.9, 36, 'hub'),
  material('BRK-RIM', 'Rim brake pair', 'Brakes', 12.6, 31, 'hub'),
  material('PAD-RIM', 'Brake pads (pair)', 'Brakes', 2.6, 9, 'hub'),
  material('CBL-BRK', 'Brake cable', 'Brakes', 0.9, 4, 'hub'),
  material('CBL-SHF', 'Shift cable', 'Drivetrain', 0.95, 4, 'hub'),
  material('SAD-COM', 'Comfort saddle', 'Contact points', 14.5, 39, 'ridgeline'),
  material('GRP-ERG', 'Ergo grips', 'Contact points', 5.2, 16, 'ridgeline'),
  material('PED-FLT', 'Flat pedals', 'Contact points', 8.4, 22, 'hub'),
  material('LGT-SET', 'Light set', 'Accessories', 16.5, 42, 'hub'),
  material('FND-SET', 'Fender set', 'Accessories', 12.2, 32, 'hub'),
  material('RCK-REA', 'Rear rack', 'Accessories', 15.8, 38, 'ridgeline'),
  material('BEL-BRS', 'Brass bell', 'Accessories', 4.4, 14, 'hub'),
  material('LCK-U', 'U-lock', 'Accessories', 18, 45, 'hub'),
  material('GRS-TUB', 'Grease 100 g', 'Workshop', 3.1, 8, 'hub'),
  {
    sku: 'BIKE-CITY',
    name: 'City bike',
    unit: 'pcs',
    category: 'Bikes',
    salePrice: 749,
    ingredients: [
      { sku: 'FRM-CITY', quantity: 1 },
      { sku: 'WHL-28', quantity: 1 },
      { sku: 'TIR-28', quantity: 2 },
      { sku: 'TUB-28', quantity: 2 },
      { sku: 'CHN-8', quantity: 1 },
      { sku: 'CRK-38', quantity: 1 },
      { sku: 'BRK-RIM', quantity: 2 },
      { sku: 'SAD-COM', quantity: 1 },
      { sku: 'GRP-ERG', quantity: 1 },
    ],
  },
  {
    sku: 'BIKE-STEP',
    name: 'Step-through bike',
    unit: 'pcs',
    category: 'Bikes',
    salePrice: 769,
    ingredients: [
      { sku: 'FRM-STEP', quantity: 1 },
      { sku: 'WHL-28', quantity: 1 },
      { sku: 'TIR-28', quantity: 2 },
      { sku: 'SAD-COM', quantity: 1 },
    ],
  },
  {
    sku: 'BIKE-CUST',
    name: 'Customer bike',
    unit: 'pcs',
    category: 'Bikes',
    notes: 'Stands for the bike on the repair stand; never in stock.',
  },
  {
    sku: 'SET-COMMUTE',
    name: 'Commuter set',
    itemType: 'combo',
    category: 'Accessories',
    salePrice: 109,
    ingredients: [
      { sku: 'LGT-SET', quantity: 1 },
      { sku: 'FND-SET', quantity: 1 },
      { sku: 'RCK-REA', quantity: 1 },
    ],
  },
  { sku: 'SRV-TUNE', name: 'Tune-up voucher', unit: 'pcs', category: 'Workshop', salePrice: 65 },
  { sku: 'FRM-TRIAL', name: 'Trial frame 2019', itemType: 'material', unit: 'pcs', category: 'Frames', isActive: false },
];

const repair = (
  daysAgo: number,
  contact: string,
  reference: string,
  parts: readonly (readonly [sku: string, quantity: number])[],
  hours: number,
  transitions: NonNullable<DemoOrder['transitions']> = [],
): DemoOrder => ({
  module: 'fix',
  contact,
  daysAgo,
  dueAfterDays: 3,
  reference,
  lines: [
    { sku: 'BIKE-CUST', kind: 'target', quantity: 1, unitPrice: 0 },
    ...parts.map(([sku, quantity]) => ({ sku, kind: 'part' as const, quantity })),
    { sku: null, kind: 'service', description: 'Labour', unit: 'h', quantity: hours, unitPrice: 58 },
  ],
  transitions,
});

const completed = (openedDaysAgo: number, completedDaysAgo: number): NonNullable<DemoOrder['transitions']> => [
  { status: 'open', daysAgo: openedDaysAgo },
  { status: 'in_progress', daysAgo: openedDaysAgo },
  { status: 'completed', daysAgo: completedDaysAgo },
];

const orders: readonly DemoOrder[] = [
  {
    module: 'buy',
    contact: 'ridgeline',
    daysAgo: 45,
    lines: [
      { sku: 'FRM-CITY', quantity: 6 },
      { sku: 'FRM-STEP', quantity: 3 },
      { sku: 'WHL-28', quantity: 10 },
      { sku: 'SAD-COM', quantity: 12 },
      { sku: 'GRP-ERG', quantity: 12 },
    ],
    transitions: completed(45, 37),
  },
  {
    module: 'buy',
    contact: 'hub',
    daysAgo: 44,
    lines: [
      { sku: 'TIR-28', quantity: 40 },
      { sku: 'TUB-28', quantity: 80 },
      { sku: 'CHN-8', quantity: 20 },
      { sku: 'CRK-38', quantity: 8 },
      { sku: 'BRK-RIM', quantity: 24 },
      { sku: 'PAD-RIM', quantity: 50 },
      { sku: 'CBL-BRK', quantity: 60 },
    ],
    transitions: completed(44, 38),
  },
  { module: 'make', contact: null, daysAgo: 30, lines: [{ sku: 'BIKE-CITY', quantity: 3 }], transitions: completed(30, 26) },
  {
    module: 'make',
    contact: null,
    daysAgo: 4,
    dueAfterDays: 6,
    lines: [{ sku: 'BIKE-CITY', quantity: 2 }],
    transitions: [
      { status: 'open', daysAgo: 4 },
      { status: 'in_progress', daysAgo: 2 },
    ],
  },
  {
    module: 'sell',
    contact: 'walker',
    daysAgo: 20,
    lines: [
      { sku: 'BIKE-CITY', quantity: 1 },
      { sku: 'LCK-U', quantity: 1 },
    ],
    transitions: completed(20, 19),
  },
  {
    module: 'sell',
    contact: 'cityclub',
    daysAgo: 6,
    lines: [
      { sku: 'TUB-28', quantity: 20, discountPercent: 15 },
      { sku: 'PAD-RIM', quantity: 10 },
    ],
    transitions: [{ status: 'open', daysAgo: 6 }],
  },
  repair(33, 'ferris', 'Brake squeal', [['PAD-RIM', 2]], 0.5, completed(33, 32)),
  repair(29, 'okada', 'Snapped chain', [['CHN-8', 1]], 0.75, completed(29, 28)),
  repair(22, 'walker', 'Flat, both wheels', [['TUB-28', 2]], 0.5, completed(22, 22)),
  repair(17, 'cityclub', 'Club bike no. 7, cables', [['CBL-BRK', 2]], 1, completed(17, 15)),
  repair(9, 'ferris', 'Bent wheel', [['WHL-28', 1]], 1.25, [
    { status: 'open', daysAgo: 9 },
    { status: 'waiting', daysAgo: 8 },
  ]),
  repair(5, 'okada', 'Tune-up', [], 1, [
    { status: 'open', daysAgo: 5 },
    { status: 'in_progress', daysAgo: 1 },
  ]),
  repair(
    3,
    'walker',
    'New tires',
    [
      ['TIR-28', 2],
      ['TUB-28', 2],
    ],
    0.75,
    [{ status: 'open', daysAgo: 3 }],
  ),
  repair(
    2,
    'ferris',
    'Estimate only',
    [
      ['CAS-8', 1],
      ['CHN-8', 1],
    ],
    1,
    [{ status: 'cancelled', daysAgo: 1, reason: 'Customer buys a new bike' }],
  ),
  repair(
    0,
    'cityclub',
    'Club bike no. 3, gears',
    [
      ['DER-8', 1],
      ['CBL-SHF', 1],
    ],
    1,
  ),
];

const SAM = 'sam@spokechain.example';
const openingStock = (
  [
    ['LCK-U', 6, 18],
    ['LGT-SET', 8, 16.5],
    ['FND-SET', 6, 12.2],
    ['RCK-REA', 4, 15.8],
    ['BEL-BRS', 10, 4.4],
    ['CAS-8', 3, 14.2],
    ['DER-8', 2, 13.9],
    ['CBL-SHF', 20, 0.95],
    ['PED-FLT', 6, 8.4],
    ['GRS-TUB', 12, 3.1],
  ] as const
).map(([sku, quantity, unitCost]) => ({ sku, quantity, unitCost }));

const documents: readonly DemoDocument[] = [
  {
    type: 'adjustment',
    reason: 'opening',
    daysAgo: 60,
    by: SAM,
    reference: 'What was on the shelf',
    lines: openingStock,
    transitions: [
      { status: 'submitted', daysAgo: 60 },
      { status: 'approved', daysAgo: 60 },
    ],
  },
  {
    type: 'transfer',
    daysAgo: 25,
    by: SAM,
    toSite: 'STORE',
    lines: [
      { sku: 'TIR-28', quantity: 10 },
      { sku: 'TUB-28', quantity: 20 },
    ],
    transitions: [
      { status: 'submitted', daysAgo: 25 },
      { status: 'approved', daysAgo: 24 },
    ],
  },
  { type: 'count', daysAgo: 0, by: SAM, site: 'STORE', lines: [{ sku: 'TUB-28', countedQuantity: 20 }] },
];

export const spoke: DemoTenant = {
  slug: 'spoke-chain',
  name: 'Spoke & Chain Workshop',
  plan: 'standard',
  currency: 'USD',
  timezone: 'America/Chicago',
  site: { name: 'Workshop', code: 'SHOP' },
  moreSites: [{ name: 'Storage', code: 'STORE' }],
  units: [
    { symbol: 'pcs', name: 'Piece', dimension: 'count', precision: 0, factor: [1, 1] },
    { symbol: 'h', name: 'Hour', dimension: 'time', precision: 2, factor: [1, 1] },
  ],
  users: [
    { email: 'sam@spokechain.example', name: 'Sam Alvarez', role: 'admin', status: 'active' },
    { email: 'jo@spokechain.example', name: 'Jo Lindgren', role: 'staff', status: 'active' },
  ],
  categories: ['Frames', 'Wheels', 'Drivetrain', 'Brakes', 'Contact points', 'Accessories', 'Workshop', 'Bikes'],
  contacts: [
    {
      key: 'ridgeline',
      name: 'Orders',
      company: 'Ridgeline Frames',
      email: 'orders@ridgeline.example',
      contactType: 'supplier',
      country: 'US',
      isPrimaryContact: true,
    },
    {
      key: 'hub',
      name: 'Wholesale desk',
      company: 'Hub & Rim Wholesale',
      email: 'desk@hubrim.example',
      contactType: 'supplier',
      country: 'US',
      isPrimaryContact: true,
    },
    {
      key: 'walker',
      name: 'Dana Walker',
      email: 'dana.walker@mail.example',
      phone: '+1 312 555 0170',
      contactType: 'customer',
      country: 'US',
    },
    { key: 'ferris', name: 'Lou Ferris', email: 'lou@mail.example', contactType: 'customer', country: 'US' },
    { key: 'okada', name: 'Rin Okada', email: 'rin@mail.example', contactType: 'customer', country: 'US' },
    {
      key: 'cityclub',
      name: 'City Cycling Club',
      company: 'City Cycling Club',
      email: 'rides@cityclub.example',
      contactType: 'customer',
      country: 'US',
      isPrimaryContact: true,
    },
  ],
  items,
  orders,
  documents,
  reorderPoints: [{ sku: 'CHN-8', site: 'SHOP', quantity: 25 }],
  webhooks: [],
};

/** An empty tenant on the free plan. */
export const sandbox: DemoTenant = {
  slug: 'sandbox',
  name: 'Empty Sandbox',
  plan: 'free',
  currency: 'EUR',
  timezone: 'UTC',
  site: { name: 'Main', code: 'MAIN' },
  moreSites: [],
  units: [{ symbol: 'pcs', name: 'Piece', dimension: 'count', precision: 0, factor: [1, 1] }],
  users: [],
  categories: [],
  contacts: [],
  items: [],
  orders: [],
  documents: [],
  reorderPoints: [],
  webhooks: [],
};
