/** Admin handlers of recorded requests, and of waiting. */
import type { RecordedRequest, requestOperations, verifyRequests } from '../../contract/admin/requests.ts';
import { namesOperations } from '../../contract/index.ts';
import type { OwnedDelivery } from '../../contract/admin/webhooks.ts';
import { WAIT_MAX_S } from '../../contract/limits.ts';
import type { BodyOf } from '../../contract/operation.ts';
import { StockroomError, invalidField } from '../../domain/kernel/errors.ts';
import { parseDuration } from '../../domain/tenancy/durations.ts';
import { type AdminHandlers, type AdminServices, resolveTenant } from './handler.ts';
import { hasDueDeliveries, hasOpenDeliveries } from './due-deliveries.ts';
import { pollAfterCommits } from './poll-after-commits.ts';
import { listDifferences } from './request-differences.ts';
import { presentAdminDelivery } from './webhooks.ts';

export const requestHandlers: AdminHandlers<typeof requestOperations> = {
  'requests.export': async ({ services, query: { tenant, ...filter } }) => ({ data: await listRequests(services, tenant, filter) }),
  async 'requests.verify'({ services, query, body: { body, count, ...filter } }) {
    const found = await listRequests(services, query.tenant, filter);
    const differing = found.map((request) => ({
      request,
      differences: body === undefined ? [] : listDifferences(body, parseBody(request)),
    }));
    const matching = differing.filter(({ differences }) => differences.length === 0).length;
    if (count === undefined ? matching > 0 : matching === count) return { data: { count: matching } };
    throw createMismatch({ operation: filter.operation, count }, matching, differing);
  },
  async 'daemon.wait-for'({ services, query }) {
    const milliseconds = parseDuration(query.timeout, '/timeout');
    if (milliseconds > WAIT_MAX_S * 1_000)
      throw invalidField('/timeout', `timeout must be at most ${String(WAIT_MAX_S)}s`, 'too_big', 'query');
    const tenant = query.tenant === undefined && query.for !== 'delivery' ? undefined : await resolveTenant(services, query.tenant);
    let deliveries: OwnedDelivery[] = [];
    const isOver = async (): Promise<boolean> => {
      if (query.for === 'idle') return !(await hasDueDeliveries(services, tenant?.id));
      if (query.for === 'delivered') return !(await hasOpenDeliveries(services.store, tenant?.id));
      deliveries = await listDeliveries(services, tenant?.id ?? '', query.event);
      return deliveries.filter(({ status }) => status === query.status).length >= query.count;
    };
    const signal = AbortSignal.any([services.closing, AbortSignal.timeout(milliseconds)]);
    if (await pollAfterCommits(services.store, isOver, signal)) return { data: deliveries.filter(({ status }) => status === query.status) };
    const states = [...Map.groupBy(deliveries, ({ status }) => status)].map(([status, rows]) => `${String(rows.length)} ${status}`);
    const what = query.for !== 'delivery' ? 'deliveries are still due' : `deliveries: ${states.join(', ') || 'none'}`;
    throw new StockroomError('INVALID_STATE', `Waited ${query.timeout}; ${what}.`);
  },
};

type Filter = Pick<BodyOf<typeof verifyRequests>, 'status' | 'since'> & { readonly operation?: string };

async function listRequests(services: AdminServices, slug: string | undefined, filter: Filter): Promise<RecordedRequest[]> {
  const { operation, status, since } = filter;
  if (operation !== undefined && !namesOperations(operation))
    throw invalidField('/operation', `no operation begins with "${operation}"`, 'not_allowed');
  const { recorder } = services;
  if (!recorder) throw new StockroomError('NOT_ENABLED', 'The daemon does not record requests. Start it with --record.');
  const tenantId = slug === undefined ? undefined : (await resolveTenant(services, slug)).id;
  const from = since === undefined ? undefined : new Date(since).toISOString();
  const pattern =
    status === undefined ? undefined : new RegExp(`^(?:${status.replaceAll('x', String.raw`\d`).replaceAll(',', '|')})$`, 'u');
  return recorder.list(
    (facts) =>
      (tenantId === undefined || facts.tenantId === tenantId) &&
      (operation === undefined || facts.operationId?.startsWith(operation) === true) &&
      (from === undefined || facts.at >= from) &&
      (pattern === undefined || pattern.test(String(facts.status))),
  );
}

function parseBody({ request: { body } }: RecordedRequest): unknown {
  try {
    return body === null ? undefined : (JSON.parse(body) as unknown);
  } catch {
    return body;
  }
}

interface Compared {
  readonly request: RecordedRequest;
  readonly differences: ReturnType<typeof listDifferences>;
}

function createMismatch(
  { operation, count }: { readonly operation: string; readonly count: number | undefined },
  matching: number,
  compared: readonly Compared[],
): StockroomError {
  const expected = count === undefined ? 'at least one request' : `${String(count)} ${count === 1 ? 'request' : 'requests'}`;
  const nearest = compared
    .filter(({ differences }) => differences.length > 0)
    .toSorted((a, b) => a.differences.length - b.differences.length)[0];
  const message = `Expected ${expected} to ${operation}, found ${String(matching)} of ${String(compared.length)} received.`;
  if (nearest === undefined) return new StockroomError('INVALID_STATE', message, { details: { count: matching } });
  const { request, differences } = nearest;
  return new StockroomError('INVALID_STATE', `${message} ${describe(differences)}`, {
    details: { count: matching, nearest: { requestId: request.requestId, at: request.at, body: parseBody(request) }, differences },
  });
}

const describe = (differences: Compared['differences']): string =>
  `The nearest differs: ${differences
    .slice(0, SHOWN_DIFFERENCES)
    .map(
      ({ path, expected, got }) => `${path === '' ? 'body' : path} is ${JSON.stringify(got) ?? 'absent'}, not ${JSON.stringify(expected)}`,
    )
    .join('; ')}.`;
const SHOWN_DIFFERENCES = 3;

async function listDeliveries({ store }: AdminServices, tenantId: string, event: string | undefined): Promise<OwnedDelivery[]> {
  const where = event === undefined ? [] : [{ field: 'eventType', equals: event }];
  const { rows } = await store.read(tenantId, (tx) => tx.deliveries.listAfter({ where, limit: Number.MAX_SAFE_INTEGER }));
  return rows.map(presentAdminDelivery);
}
