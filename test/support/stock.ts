/** Stock for tests: put there by a document, as anybody would. */
import type { Context } from '../../src/domain/context.ts';
import type { Reply, TestService } from './service.ts';

interface Api {
  post(path: string, body?: unknown): Promise<Reply>;
}

export interface StockLine {
  readonly itemId: string;
  readonly quantity: number;
  readonly unitCost?: number;
}

/** Posts an opening adjustment and returns the id of the document. Without a site it is the default one. */
export async function stockUp(api: Api, lines: readonly StockLine[], siteId?: string): Promise<string> {
  const draft = { type: 'adjustment', reason: 'opening', lines, ...(siteId === undefined ? {} : { siteId }) };
  return postDocument(api, draft);
}

/** Creates, submits and approves a document. */
export async function postDocument(api: Api, draft: object): Promise<string> {
  const { id } = (await done(api.post('/v1/stock-documents', draft), 201)).body.data;
  await done(api.post(`/v1/stock-documents/${id}/submit`, {}), 200);
  await done(api.post(`/v1/stock-documents/${id}/approve`, {}), 200);
  return id;
}

async function done(reply: Promise<Reply>, expected: number): Promise<Reply> {
  const { status, text } = await reply;
  if (status !== expected) throw new Error(`expected ${String(expected)}: ${String(status)} ${text}`);
  return reply;
}

/** The context of a change by the test itself. */
export const contextFor = ({ service, clock, tenant }: TestService): Context => ({
  tenant,
  actor: { type: 'system', id: 'test' },
  requestId: 'test',
  ipAddress: null,
  now: clock.now(),
  newId: service.newId,
});
