/** Loads the demo tenants into a store, each whole or not at all. */
import { StockroomError } from '../domain/errors.ts';
import type { StockroomStore } from '../domain/tables.ts';
import type { TenantRecord } from '../domain/tenants.ts';
import { kestrel } from './kestrel.ts';
import { demoTenantId, playTenant } from './play.ts';
import type { DemoTenant } from './scenes.ts';
import { sandbox, spoke } from './spoke.ts';

/** In the order in which they are shown; the first is the one to try first. */
export const DEMO_TENANTS: readonly DemoTenant[] = [kestrel, spoke, sandbox];

export interface LoadedTenant {
  readonly tenant: TenantRecord;
  /** False when it was there already: it stays as people left it. */
  readonly isNew: boolean;
}

/** Loads what is missing. Throws DUPLICATE_VALUE when a tenant of the user's own has a demo slug. */
export async function loadDemo(store: StockroomStore, now: Date): Promise<LoadedTenant[]> {
  const loaded: LoadedTenant[] = [];
  for (const story of DEMO_TENANTS) {
    const id = demoTenantId(story.slug);
    loaded.push(
      await store.transact(id, async (tx) => {
        const present = await tx.tenants.get(id);
        if (present) return { tenant: present, isNew: false };
        if (await tx.tenants.find('slug', story.slug)) {
          throw new StockroomError(
            'DUPLICATE_VALUE',
            `A tenant of your own has the slug ${story.slug}; rename it before you load the demo.`,
            {
              details: { field: 'slug', value: story.slug },
            },
          );
        }
        return { tenant: await playTenant(tx, story, now), isNew: true };
      }),
    );
  }
  return loaded;
}
