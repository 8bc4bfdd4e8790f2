/** Effects that read records of the public API, or change the status of an order. */
import { ApiError, Unreachable } from '../../client/errors.ts';
import { type AnyRow, type Content, type DataTab, type DeliveryRow, getOpenDetail } from '../state/model.ts';
import type { RecordReader } from '../sources/source.ts';
import type { ShownDelivery } from '../sources/source.ts';
import type { DataEffect } from './effects.ts';
import { type EffectContext, NotPossible } from './effect-context.ts';
import { getLoadedPath } from './record-paths.ts';

export async function requireReader({ source, state }: EffectContext): Promise<RecordReader> {
  const reader = await source.records();
  if (reader) return reader;
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
    if (error instanceof ApiError || error instanceof Unreachable || error instanceof NotPossible)
      return { state: 'failed', reason: error.message };
    throw error;
  }
}

/** The record of a row. */
export async function loadRecord(tab: DataTab, row: AnyRow, isBrief: boolean, context: EffectContext): Promise<null> {
  const path = getLoadedPath(tab, row);
  const content = await toContent(async () => {
    const reader = await requireReader(context);
    return path === null ? undefined : reader.read(path, isBrief);
  });
  context.dispatch({ type: 'loaded', id: row.id, content });
  return null;
}

export async function loadDelivery(row: DeliveryRow, context: EffectContext): Promise<null> {
  context.dispatch({ type: 'loaded', id: row.id, content: await toContent(() => showDelivery(row, context)) });
  return null;
}

export async function resendDelivery({ id, webhookId }: DeliveryRow, context: EffectContext): Promise<void> {
  const { actions } = context.source;
  if (actions) await actions.resend(id);
  else await (await requireReader(context)).resend({ webhook_id: webhookId, delivery_id: id });
}

/** The delivery with its attempts. The public API has the body of the request, neither its headers nor responses. */
export async function showDelivery(row: DeliveryRow, context: EffectContext): Promise<ShownDelivery> {
  const { actions } = context.source;
  if (actions) return actions.show(row.id);
  const parts = { webhook_id: row.webhookId, delivery_id: row.id };
  const { payload, history, ...rest } = await (await requireReader(context)).readDelivery(parts);
  const url = context.state().rows.endpoints.find(({ id }) => id === row.webhookId)?.targetUrl ?? '';
  return {
    ...rest,
    webhookId: row.webhookId,
    lastMilliseconds: history.at(-1)?.milliseconds ?? null,
    request: payload === null ? null : { method: 'POST', url, headers: {}, body: JSON.stringify(payload), asSent: false },
    history: history.map((attempt) => ({ ...attempt, response: null })),
  };
}

export async function findRecord({ id, target }: Extract<DataEffect, { type: 'find' }>, context: EffectContext): Promise<null> {
  const content = await toContent(async () => {
    const found = await (await requireReader(context)).find(target);
    if (found === 'none') throw new NotPossible(`No ${target.kind.slice(0, -1)} ${target.name}`);
    if (found === 'several') throw new NotPossible(`Several ${target.kind} are called ${target.name}: use the id`);
    return found;
  });
  context.dispatch({ type: 'found', id, content });
  return null;
}

export async function previewStatus({ order, to }: Extract<DataEffect, { type: 'preview-status' }>, context: EffectContext): Promise<null> {
  const content = await toContent(async () => (await requireReader(context)).previewStatus(order.id, to));
  context.dispatch({ type: 'previewed', orderId: order.id, to, content });
  return null;
}

export async function setStatus(
  { order, to, preview }: Extract<DataEffect, { type: 'set-status' }>,
  context: EffectContext,
): Promise<string> {
  await (await requireReader(context)).changeStatus(order.id, to, preview);
  context.dispatch({ type: 'status', orderId: order.id, status: to });
  const detail = getOpenDetail(context.state());
  if (detail?.row.id === order.id) await loadRecord('orders', detail.row, false, context);
  return `${order.orderNumber} is ${to}`;
}
