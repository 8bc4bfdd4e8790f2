/** Kestrel Coffee Roasters, Lisbon: buys green coffee, roasts, packs and sells it. Enterprise plan: every operation is allowed. */
import { MAIN_DEMO_TENANT } from '../../contract/admin/demo.ts';
import type { DemoTenant } from '../scenario.ts';
import { kestrelOrders } from './orders.ts';
import { kestrelDocuments, kestrelReorderPoints } from './stock.ts';
import { kestrelContacts } from './contacts.ts';
import { kestrelItems } from './items.ts';
import { kestrelWebhooks } from './webhooks.ts';

export const kestrel: DemoTenant = {
  slug: MAIN_DEMO_TENANT,
  name: 'Kestrel Coffee Roasters',
  plan: 'enterprise',
  currency: 'EUR',
  timezone: 'Europe/Lisbon',
  site: { name: 'Roastery', code: 'ROAST' },
  moreSites: [
    { name: 'Café Baixa', code: 'BAIXA' },
    { name: 'Warehouse North', code: 'NORTH' },
  ],
  units: [
    { symbol: 'bag60', name: 'Bag of 60 kg', dimension: 'mass', precision: 2, factorNum: 60, factorDen: 1 },
    { symbol: 'box12', name: 'Box of 12', dimension: 'count', precision: 0, factorNum: 12, factorDen: 1 },
  ],
  users: [
    { email: 'ana.reis@kestrelcoffee.example', name: 'Ana Reis', role: 'admin', status: 'active' },
    { email: 'tom.okafor@kestrelcoffee.example', name: 'Tom Okafor', role: 'manager', status: 'active' },
    { email: 'mia.lund@kestrelcoffee.example', name: 'Mia Lund', role: 'staff', status: 'active' },
    { email: 'ivo.pires@kestrelcoffee.example', name: 'Ivo Pires', role: 'staff', status: 'active' },
    { email: 'lea.brandt@kestrelcoffee.example', name: 'Lea Brandt', role: 'staff', status: 'active' },
    { email: 'noor.haddad@kestrelcoffee.example', name: 'Noor Haddad', role: 'staff', status: 'invited' },
  ],
  categories: ['Green coffee', 'Packaging', 'Roasted coffee', 'Gift sets', 'Equipment', 'Spare parts', 'Merchandise'],
  contacts: kestrelContacts,
  items: kestrelItems,
  orders: kestrelOrders,
  documents: kestrelDocuments,
  reorderPoints: kestrelReorderPoints,
  webhooks: kestrelWebhooks,
};
