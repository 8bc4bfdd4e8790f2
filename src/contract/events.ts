/** The 14 events. C-6. */
export const events = {
  'inventory.item.created': { status: 'emitted', summary: 'An item was created.' },
  'inventory.item.updated': { status: 'emitted', summary: 'An item, its ingredients or its suppliers changed, or the item was deleted.' },
  'order.created': { status: 'emitted', summary: 'An order was created.' },
  'order.updated': { status: 'emitted', summary: 'An order changed.' },
  'contact.created': { status: 'emitted', summary: 'A contact was created.' },
  'contact.updated': { status: 'emitted', summary: 'A contact changed or was deleted.' },
  'stock_document.created': { status: 'emitted', summary: 'A stock document was created.' },
  'stock_document.updated': { status: 'emitted', summary: 'A stock document or its lines changed, or it was posted, reversed or deleted.' },
  'user.invited': { status: 'emitted', summary: 'A user was invited to the tenant.' },
  'organization.updated': { status: 'emitted', summary: 'The profile, plan or settings of the organization changed.' },
  'integration.connected': { status: 'emitted', summary: 'A partner application was connected.' },
  'bom.created': { status: 'planned', summary: 'Reserved: a bill of materials was created.' },
  'bom.updated': { status: 'planned', summary: 'Reserved: a bill of materials changed.' },
  'webhook.test': { status: 'test', summary: 'Unsigned connectivity check; not recorded in the delivery log.' },
} as const satisfies Record<string, { status: 'emitted' | 'planned' | 'test'; summary: string }>;

export type EventName = keyof typeof events;
/** An event that the service records and sends. */
export type EmittedEvent = { [K in EventName]: (typeof events)[K]['status'] extends 'emitted' ? K : never }[EventName];
/** An event that an endpoint can subscribe to: all except `webhook.test`. */
export type SubscribableEvent = Exclude<EventName, 'webhook.test'>;

const listEvents = <S extends EventName>(keep: (status: string) => boolean): readonly S[] =>
  (Object.keys(events) as EventName[]).filter((name): name is S => keep(events[name].status));
export const EMITTED_EVENTS = listEvents<EmittedEvent>((status) => status === 'emitted');
export const SUBSCRIBABLE_EVENTS = listEvents<SubscribableEvent>((status) => status !== 'test');
/** Endpoints can subscribe to these, but the service does not send them. */
export const RESERVED_EVENTS = listEvents<Exclude<SubscribableEvent, EmittedEvent>>((status) => status === 'planned');
/** The connectivity check. Endpoints cannot subscribe to it. */
export const TEST_EVENT = 'webhook.test' satisfies EventName;
