/** Leases of several owners in one process, given by the test. */
import type { LeaseHolder, Leases } from '../../../src/domain/kernel/shared-state.ts';

export interface FakeOwner {
  readonly leases: Leases;
  /** The names that the holder has last set; undefined while no group is open. */
  readonly names: readonly string[] | undefined;
  readonly holder: LeaseHolder;
}

export interface FakeLeases {
  createOwner(): FakeOwner;
  /** Takes the lease from its owner, and gives it to `owner`; without one, it has expired. */
  give(name: string, owner?: FakeOwner): void;
}

export function createFakeLeases(): FakeLeases {
  const owners = new Map<string, FakeOwner>();
  return {
    createOwner() {
      let names: readonly string[] | undefined;
      let current: LeaseHolder | undefined;
      const owner: FakeOwner = {
        leases: {
          openGroup(_group, holder) {
            names = [];
            current = holder;
            return {
              setNames: (newNames) => (names = newNames),
              isOwned: (name) => owners.get(name) === owner,
              close() {
                names = undefined;
                for (const [name, other] of owners) if (other === owner) owners.delete(name);
                return Promise.resolve();
              },
            };
          },
        },
        get names() {
          return names;
        },
        get holder() {
          if (!current) throw new Error('no group was opened');
          return current;
        },
      };
      return owner;
    },
    give(name, owner) {
      if (!owner) return void owners.delete(name);
      owners.set(name, owner);
      owner.holder.onAcquired(name);
    },
  };
}
