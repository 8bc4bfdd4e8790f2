/** Effects that read records of the public API, or change the status of an order. */
import type { Client } from '../../client/client.ts';
import { readDelivery, requeueDelivery } from '../../contract/resources/webhook-replays.ts';
import { type Content, type DeliveryRow, getOpenDetail } from '../state/model.ts';
import { changeOrderStatus, previewOrderStatus } from '../sources/order-status.ts';
import { findByName } from '../sources/records.ts';
import { readRecord, readWithRelated } from '../sources/related-records.ts';
import type { ShownDelivery } from '../sources/source.ts';
import type { EffectOf } from './effects.ts';
import { type EffectContext, NotPossible, isExpected } from './effect-context.ts';
import { getLoadedPath } from './record-paths.ts';

export async function requireApi({ source, state }: EffectContext): Promise<Client> {
  const api = await source.api();
  if (api) return api;
  const { slug } = state().about.tenant;
  const flag = slug === null ? '' : ` --tenant ${slug}`;
  throw new NotPossible(
    `Records are read with an API key of this tenant. Save one with \`stockroom keys create${flag} --all-scopes --save\`.`,
  );
}

export async function toContent<T>(load: () => Promise<T>): Promise<Content<T>> {
  try {
    return { state: 'ready', value: await load() };
  } catch (error) {
    if (!isExpected(error)) throw error;
    return { state: 'failed', reason: error.message };
  }
}

/** Loads what the details of a row show besides it. */
export async function loadDetail({ tab, row, isBrief }: Omit<EffectOf<'load'>, 'type'>, context: EffectContext): Promise<null> {
  const content = await toContent(async () => {
    if (tab === 'deliveries') return showDelivery(row as DeliveryRow, context);
    const path = getLoadedPath(tab, row);
    const api = await requireApi(context);
    return path === null ? undefined : isBrief ? readRecord(api, path) : readWithRelated(api, path);
  });
  context.dispatch({ type: 'loaded', id: row.id, content });
  return null;
}

const toParams = ({ id, webhookId }: DeliveryRow) => ({ webhook_id: webhookId, delivery_id: id });

export async function resendDelivery(row: DeliveryRow, context: EffectContext): Promise<void> {
  const { actions } = context.source;
  if (actions) await actions.resend(row.id);
  else await (await requireApi(context)).perform(requeueDelivery, { params: toParams(row), body: {} });
}

/** The delivery with its attempts. The public API has the body of the request, neither its headers nor responses. */
export async function showDelivery(row: DeliveryRow, context: EffectContext): Promise<ShownDelivery> {
  const { actions } = context.source;
  if (actions) return actions.show(row.id);
  const api = await requireApi(context);
  const { payload, history, ...rest } = (await api.perform(readDelivery, { params: toParams(row) })).body.data;
  const url = context.state().rows.endpoints.find(({ id }) => id === row.webhookId)?.targetUrl ?? '';
  return {
    ...rest,
    webhookId: row.webhookId,
    lastMilliseconds: history.at(-1)?.milliseconds ?? null,
    request: payload === null ? null : { method: 'POST', url, headers: {}, body: JSON.stringify(payload), asSent: false },
    history: history.map((attempt) => ({ ...attempt, response: null })),
  };
}

export async function findRecord({ id, target }: EffectOf<'find'>, context: EffectContext): Promise<null> {
  const content = await toContent(async () => {
    const found = await findByName(await requireApi(context), target);
    if (found === 'none') throw new NotPossible(`No ${target.kind.slice(0, -1)} ${target.name}`);
    if (found === 'several') throw new NotPossible(`Several ${target.kind} are called ${target.name}: use the id`);
    return found;
  });
  context.dispatch({ type: 'found', id, content });
  return null;
}

export async function previewStatus({ order, to }: EffectOf<'preview-status'>, context: EffectContext): Promise<null> {
  const content = await toContent(async () => previewOrderStatus(await requireApi(context), order.id, to));
  context.dispatch({ type: 'previewed', orderId: order.id, to, content });
  return null;
}

export async function setStatus({ order, to, preview }: EffectOf<'set-status'>, context: EffectContext): Promise<string> {
  await changeOrderStatus(await requireApi(context), order.id, to, preview);
  context.dispatch({ type: 'status', orderId: order.id, status: to });
  const detail = getOpenDetail(context.state());
  if (detail?.row.id === order.id) await loadDetail(detail, context);
  return `${order.orderNumber} is ${to}`;
}
