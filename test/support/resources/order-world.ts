/** What orders need around them: items, contacts, a site, users. */
import type { Reply, TestService } from '../service/service.ts';

export interface OrderWorld {
  readonly pcs: string;
  readonly kg: string;
  readonly bolt: string;
  readonly coffee: string;
  readonly combo: string;
  readonly customer: string;
  readonly supplier: string;
  readonly site: string;
  readonly user: string;
}

/** Made over HTTP where /v1 can make it. */
export async function orderWorld(s: TestService): Promise<OrderWorld> {
  // Every tenant starts with these.
  const [pcs, kg] = [await unitId(s, 'pcs'), await unitId(s, 'kg')];
  const item = (body: object) => made(s.post('/v1/items', body));
  const contact = (body: object) => made(s.post('/v1/contacts', body));
  const bolt = await item({ name: 'Bolt', sku: 'BOLT', unitId: pcs, salePrice: 0.35, purchasePrice: 0.2 });
  const combo = await item({ name: 'Gift set', itemType: 'combo', salePrice: 49 });
  await made(s.post(`/v1/items/${combo}/ingredients`, { ingredientItemId: bolt, quantity: 1 }));
  return {
    pcs,
    kg,
    bolt,
    coffee: await item({ name: 'Coffee', sku: 'COFFEE', unitId: kg, salePrice: 18.5, purchasePrice: 8.4 }),
    combo,
    customer: await contact({ name: 'Café Baixa', contactType: 'customer' }),
    supplier: await contact({ name: 'Green Beans Ltd', contactType: 'supplier' }),
    site: await addSite(s, 'NORTH'),
    user: await addUser(s, 'ana@example.com', 'active'),
  };
}

export async function unitId(s: TestService, symbol: string): Promise<string> {
  const unit = await s.service.store.read(s.tenant.id, (tx) => tx.units.findUnique('symbol', symbol));
  if (!unit) throw new Error(`no unit ${symbol}`);
  return unit.id;
}

/** The id of what a POST created. */
export async function made(reply: Promise<Reply>): Promise<string> {
  const { status, body, text } = await reply;
  if (status !== 201) throw new Error(`expected 201: ${String(status)} ${text}`);
  return body.data.id as string;
}

export async function addSite(s: TestService, code: string, isActive = true): Promise<string> {
  const id = s.service.newId();
  const at = s.clock.now().toISOString();
  const site = { id, name: `Site ${code}`, code, address: '', isDefault: false, isActive, createdAt: at, updatedAt: at };
  await s.service.store.transact(s.tenant.id, (tx) => tx.sites.put(site));
  return id;
}

export async function addUser(s: TestService, email: string, status: 'invited' | 'active' | 'deactivated'): Promise<string> {
  const id = s.service.newId();
  const at = s.clock.now().toISOString();
  await s.service.store.transact(s.tenant.id, (tx) =>
    tx.users.put({ id, email, name: email, role: 'staff', status, createdAt: at, updatedAt: at }),
  );
  return id;
}
