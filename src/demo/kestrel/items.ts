/** Items of Kestrel, with recipes and suppliers. */
import { type DemoItem, quantities } from '../scenario.ts';

const green = (origin: string, code: string, price: number, supplier: string): DemoItem => ({
  sku: `GRN-${code}`,
  name: `Green ${origin}`,
  itemType: 'material',
  unit: 'kg',
  category: 'Green coffee',
  purchasePrice: price,
  suppliers: [
    {
      contact: supplier,
      code: `${code}-60`,
      price: Math.round(price * 6000) / 100,
      leadDays: 21,
      unit: 'bag60',
      unitsPerPurchaseUnit: 60,
      minOrderQuantity: 1,
    },
  ],
});

/** Roasting loses 15 % of the green weight: 1 kg roasted needs 1 ÷ 0.85 kg green, which is 17.647 % more. */
const roasted = (origin: string, code: string, price: number): DemoItem => ({
  sku: `RST-${code}`,
  name: `Roasted ${origin} (bulk)`,
  unit: 'kg',
  category: 'Roasted coffee',
  salePrice: price,
  ingredients: [{ sku: `GRN-${code}`, quantity: 1, wastePercent: 17.647 }],
});

const packed = (sku: string, name: string, price: number, bulk: string, kilograms: number, bag: string, barcode: string): DemoItem => ({
  sku,
  name,
  unit: 'pcs',
  category: 'Roasted coffee',
  salePrice: price,
  barcode,
  ingredients: [
    { sku: bulk, quantity: kilograms },
    { sku: bag, quantity: 1, wastePercent: 1 },
    { sku: 'PKG-LABEL', quantity: 1, perQuantity: 8 },
    { sku: 'PKG-VALVE', quantity: 1 },
    { sku: 'PKG-CARTON', quantity: 1, perQuantity: 12 },
  ],
});

const part = (sku: string, name: string, purchasePrice: number, salePrice: number, mpn: string): DemoItem => ({
  sku,
  name,
  itemType: 'material',
  unit: 'pcs',
  category: 'Spare parts',
  purchasePrice,
  salePrice,
  mpn,
  suppliers: [{ contact: 'burr', code: mpn, price: purchasePrice, leadDays: 5 }],
});

type Supplier = NonNullable<DemoItem['suppliers']>[number];

const BOX_OF_12 = { unit: 'box12', unitsPerPurchaseUnit: 12 };

const packaging = (sku: string, name: string, purchasePrice: number, ...suppliers: Supplier[]): DemoItem => ({
  sku,
  name,
  itemType: 'material',
  unit: 'pcs',
  category: 'Packaging',
  purchasePrice,
  suppliers,
});

const giftSet = (sku: string, name: string, salePrice: number, contents: Readonly<Record<string, number>>): DemoItem => ({
  sku,
  name,
  itemType: 'combo',
  category: 'Gift sets',
  salePrice,
  ingredients: quantities(contents),
});

const equipment = (sku: string, name: string, purchasePrice: number, salePrice: number, mpn: string, leadDays: number): DemoItem => ({
  sku,
  name,
  unit: 'pcs',
  category: 'Equipment',
  salePrice,
  purchasePrice,
  mpn,
  suppliers: [{ contact: 'burr', price: purchasePrice, leadDays }],
});

const merchandise = (sku: string, name: string, purchasePrice: number, salePrice: number, supplier: Supplier): DemoItem => ({
  sku,
  name,
  unit: 'pcs',
  category: 'Merchandise',
  salePrice,
  purchasePrice,
  suppliers: [{ price: purchasePrice, ...supplier }],
});

export const kestrelItems: readonly DemoItem[] = [
  green('Ethiopia Guji', 'ETH', 8.4, 'origem'),
  green('Colombia Huila', 'COL', 6.95, 'andes'),
  green('Brazil Cerrado', 'BRA', 5.1, 'origem'),
  green('Sumatra Gayo', 'SUM', 7.3, 'origem'),
  roasted('Guji', 'ETH', 24),
  roasted('Huila', 'COL', 20.5),
  roasted('Cerrado', 'BRA', 16.8),
  roasted('Gayo', 'SUM', 21.5),
  {
    sku: 'RST-HOUSE',
    name: 'House Blend (bulk)',
    unit: 'kg',
    category: 'Roasted coffee',
    salePrice: 18.9,
    ingredients: quantities({ 'RST-COL': 0.5, 'RST-BRA': 0.3, 'RST-SUM': 0.2 }),
  },
  {
    sku: 'RST-DECAF',
    name: 'Descafeinado Serra (bulk)',
    unit: 'kg',
    category: 'Roasted coffee',
    notes: 'Bought in roasted; price on request.',
    suppliers: [{ contact: 'roastlab', price: 14.2, leadDays: 10 }],
  },
  packed('KES-HB-250', 'House Blend 250 g', 7.9, 'RST-HOUSE', 0.25, 'PKG-BAG-250', '5601234500017'),
  packed('KES-HB-1K', 'House Blend 1 kg', 26.5, 'RST-HOUSE', 1, 'PKG-BAG-1K', '5601234500024'),
  packed('KES-GU-250', 'Guji 250 g', 10.9, 'RST-ETH', 0.25, 'PKG-BAG-250', '5601234500031'),
  packed('KES-HU-250', 'Huila 250 g', 9.4, 'RST-COL', 0.25, 'PKG-BAG-250', '5601234500048'),
  packed('KES-GY-250', 'Gayo 250 g', 9.8, 'RST-SUM', 0.25, 'PKG-BAG-250', '5601234500055'),
  packed('KES-CE-1K', 'Cerrado Espresso 1 kg', 22.9, 'RST-BRA', 1, 'PKG-BAG-1K', '5601234500062'),
  {
    sku: 'KES-CB-330',
    name: 'Cold brew 330 ml',
    unit: 'pcs',
    category: 'Roasted coffee',
    salePrice: 3.8,
    barcode: '5601234500079',
    ingredients: quantities({ 'RST-ETH': 0.03, 'PKG-BOTTLE': 1 }),
  },
  {
    sku: 'KES-CB-BULK',
    name: 'Cold brew concentrate',
    unit: 'l',
    category: 'Roasted coffee',
    salePrice: 11.5,
    ingredients: [{ sku: 'RST-ETH', quantity: 0.12 }],
  },
  {
    sku: 'KES-DRIP',
    name: 'Drip bag box (10)',
    unit: 'pcs',
    category: 'Roasted coffee',
    salePrice: 12.5,
    barcode: '5601234500086',
    ingredients: [
      { sku: 'RST-HOUSE', quantity: 0.12 },
      { sku: 'PKG-CARTON', quantity: 1, perQuantity: 24 },
    ],
  },
  {
    sku: 'KES-PT-250',
    name: 'Edição São João — torra média ☕',
    unit: 'pcs',
    category: 'Roasted coffee',
    salePrice: 9.9,
    notes: 'Festival edition, June only.',
    isActive: false,
  },
  packaging(
    'PKG-BAG-250',
    'Bag 250 g, matte black',
    0.21,
    { contact: 'packwell', code: 'MB-250', price: 0.21, leadDays: 14, minOrderQuantity: 1000 },
    { contact: 'etiqueta', price: 0.26, leadDays: 4 },
  ),
  packaging('PKG-BAG-1K', 'Bag 1 kg, matte black', 0.38, {
    contact: 'packwell',
    code: 'MB-1K',
    price: 0.38,
    leadDays: 14,
    minOrderQuantity: 500,
  }),
  { ...packaging('PKG-LABEL', 'Label roll', 0.42, { contact: 'etiqueta', code: 'LR-80', price: 0.42, leadDays: 3 }), unit: 'm' },
  packaging('PKG-VALVE', 'Degassing valve', 0.035, {
    contact: 'packwell',
    code: 'DV-1',
    price: 0.035,
    leadDays: 14,
    minOrderQuantity: 2000,
  }),
  packaging('PKG-CARTON', 'Shipping carton', 0.88, { contact: 'packwell', code: 'SC-12', price: 10.56, leadDays: 14, ...BOX_OF_12 }),
  packaging('PKG-BOTTLE', 'Bottle 330 ml with cap', 0.31, { contact: 'packwell', code: 'BT-330', price: 3.72, leadDays: 10, ...BOX_OF_12 }),
  { sku: 'PKG-TISSUE', name: 'Tissue paper', itemType: 'material', unit: 'm', category: 'Packaging', isActive: false },
  {
    ...giftSet('SET-DISC', 'Discovery Set (3 × 250 g)', 26.9, { 'KES-GU-250': 1, 'KES-HU-250': 1, 'KES-GY-250': 1 }),
    barcode: '5601234500109',
  },
  giftSet('SET-BAR', 'Barista Kit', 54, { 'KES-HB-250': 2, 'MER-MUG': 1, 'MER-TOTE': 1 }),
  giftSet('SET-OFFICE', 'Office Starter', 98, { 'KES-HB-1K': 3, 'MER-MUG': 2 }),
  part('SPR-BURR', 'Grinder burr set 64 mm', 38.5, 69, 'BB-64-TI'),
  part('SPR-GASKET', 'Group head gasket', 2.4, 6.5, 'BB-GH-8'),
  part('SPR-FILTER', 'Water filter cartridge', 11.2, 24, 'BB-WF-200'),
  part('SPR-PUMP', 'Vibration pump 48 W', 17.8, 42, 'BB-VP-48'),
  part('SPR-PROBE', 'Boiler temperature probe', 9.6, 28, 'BB-TP-3'),
  equipment('EQ-GRINDER', 'Counter grinder', 455, 640, 'BB-CG-1', 12),
  equipment('EQ-ESPRESSO', 'Two-group espresso machine', 3600, 4850, 'BB-E2', 30),
  merchandise('MER-MUG', 'Stoneware mug', 5.6, 14, { contact: 'ceramica', code: 'KC-01', leadDays: 18, minOrderQuantity: 24 }),
  merchandise('MER-TOTE', 'Canvas tote', 3.9, 12, { contact: 'ceramica', leadDays: 18 }),
  merchandise('MER-FILTERS', 'Paper filters (100)', 2.1, 5.5, { contact: 'packwell', leadDays: 14 }),
  { sku: 'MER-SCALE', name: 'Pocket scale', unit: 'pcs', category: 'Merchandise' },
  { sku: null, name: 'Sample roast' },
];
