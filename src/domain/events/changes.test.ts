import { expect, test } from 'vitest';
import { EVENT_MAX_BYTES } from '../../contract/limits.ts';
import { openDeliveryStore } from '../../../test/support/resources/delivery-store.ts';
import { recordChange } from './changes.ts';

/** Records an event whose data has this text, and returns its stored body. */
async function recordText(text: string) {
  const { store, clock, newId, tenantId } = await openDeliveryStore();
  return store.transact(tenantId, async (tx) => {
    const tenant = (await tx.tenants.get(tenantId))!;
    const context = {
      tenant,
      actor: { type: 'system', id: 'test' },
      requestId: newId(),
      ipAddress: null,
      now: clock.now(),
      newId,
    } as const;
    const updatedAt = clock.now().toISOString();
    const event = { name: 'contact.updated', resourceId: newId(), updatedAt, changes: ['notes'], data: { notes: text } } as const;
    await recordChange(tx, context, { action: 'contact.updated', resourceType: 'contact', resourceId: event.resourceId, event });
    const [stored] = (await tx.events.listAfter({ descending: true, limit: 1 })).rows;
    return stored?.body ?? '';
  });
}

test.for([
  ['of one byte', 'n'],
  ['of three bytes', '€'],
] as const)(
  'the body of an event has at most 256 KiB: beyond, characters %s included, its data is cut to the common fields',
  async ([, letter]) => {
    const bytesAround = Buffer.byteLength(await recordText(''));
    const bytes = 262_144 - bytesAround;
    const width = Buffer.byteLength(letter);
    const fitting = letter.repeat(Math.floor(bytes / width)) + '.'.repeat(bytes % width);
    const whole = await recordText(fitting);
    expect(Buffer.byteLength(whole)).toBe(EVENT_MAX_BYTES);
    expect(JSON.parse(whole)).toMatchObject({ event: 'contact.updated', data: { notes: fitting } });
    expect(JSON.parse(await recordText(`${fitting}.`))).toEqual({
      event: 'contact.updated',
      data: {
        id: expect.any(String),
        eventId: expect.any(String),
        sequence: 1,
        position: 1,
        occurredAt: expect.any(String),
        updatedAt: expect.any(String),
        actor: { type: 'system', id: 'test' },
        changes: ['notes'],
        truncated: true,
      },
    });
  },
);
