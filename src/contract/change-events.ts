/**
 * The events of the change log, which `GET /v1/events` returns: those of webhooks, and those that only the log has. Each belongs to a
 * resource, whose read scope a key needs to see it.
 */
import { type EmittedEvent, EMITTED_EVENTS } from './events.ts';
import type { Scope } from './scopes.ts';

/** Events that no webhook has. */
const LOG_ONLY_EVENTS = [
  'stock_level.updated',
  'reorder_point.updated',
  'order_line.deleted',
  'site.created',
  'site.updated',
  'site.deleted',
  'unit.created',
  'unit.updated',
  'unit.deleted',
  'category.created',
  'category.updated',
  'category.deleted',
] as const;
export type LogOnlyEvent = (typeof LOG_ONLY_EVENTS)[number];

export type ChangeEvent = EmittedEvent | LogOnlyEvent;
export const CHANGE_EVENTS: readonly ChangeEvent[] = [...EMITTED_EVENTS, ...LOG_ONLY_EVENTS];

/** The resources that events are about, with the scope that reads them. */
const RESOURCE_SCOPES = {
  item: 'items:read',
  order: 'orders:read',
  order_line: 'orders:read',
  contact: 'contacts:read',
  stock_document: 'inventory:read',
  stock_level: 'inventory:read',
  reorder_point: 'inventory:read',
  site: 'inventory:read',
  unit: 'items:read',
  category: 'items:read',
  user: 'organization:read',
  organization: 'organization:read',
  integration: 'organization:read',
} as const satisfies Record<string, Scope>;

export type ChangedResource = keyof typeof RESOURCE_SCOPES;
export const CHANGED_RESOURCES = Object.keys(RESOURCE_SCOPES) as readonly ChangedResource[];

/** `inventory.item.created` is about an `item`: the second to last part of the name. */
export const getChangedResource = (event: ChangeEvent): ChangedResource => event.split('.').at(-2) as ChangedResource;

/** The scope that a key needs to see an event. */
export const getEventScope = (event: ChangeEvent): Scope => RESOURCE_SCOPES[getChangedResource(event)];

const emitted: ReadonlySet<string> = new Set(EMITTED_EVENTS);
/** Whether webhooks have the event. */
export const isWebhookEvent = (event: ChangeEvent): event is EmittedEvent => emitted.has(event);
