/** The leases that a daemon has in one group, by its own monotonic clock, and which of them it gives back. */

/** Leases are used until this long before they expire in the database. */
const SAFETY_MARGIN = 0.1;

interface GiveBackOptions {
  /** All leases of the group. */
  readonly names: ReadonlySet<string>;
  /** How many of them this daemon may have. */
  readonly share: number;
  readonly isBusy: (name: string) => boolean;
}

export class OwnedLeases {
  readonly #validMs: number;
  readonly #now: () => number;
  /** By name: until when it may be used. */
  readonly #validUntil = new Map<string, number>();
  /** Leases under which nothing new is started, because they are given back. */
  readonly #leaving = new Set<string>();

  constructor(lifetimeMs: number, now: () => number = () => performance.now()) {
    this.#validMs = lifetimeMs * (1 - SAFETY_MARGIN);
    this.#now = now;
  }

  get size(): number {
    return this.#validUntil.size;
  }

  /** Whether leases are given back as soon as the work under them has ended. */
  get isGivingBack(): boolean {
    return this.#leaving.size > 0;
  }

  has(name: string): boolean {
    return this.#validUntil.has(name);
  }

  /** Whether work may be started under the lease now. */
  isUsable(name: string): boolean {
    const until = this.#validUntil.get(name);
    return until !== undefined && this.#now() < until && !this.#leaving.has(name);
  }

  /** The statement that was sent at `sentAt` has renewed exactly these leases. Returns those that were not usable before. */
  renew(names: readonly string[], sentAt: number): readonly string[] {
    const kept = new Set(names);
    for (const name of this.#validUntil.keys())
      if (!kept.has(name)) {
        this.#validUntil.delete(name);
        this.#leaving.delete(name);
      }
    return this.add(names, sentAt);
  }

  /** The statement that was sent at `sentAt` has taken or renewed these leases. Returns those that were not usable before. */
  add(names: readonly string[], sentAt: number): readonly string[] {
    const now = this.#now();
    const acquired = names.filter((name) => !((this.#validUntil.get(name) ?? 0) > now));
    for (const name of names) this.#validUntil.set(name, sentAt + this.#validMs);
    return acquired;
  }

  /**
   * Chooses leases to give back: those that no longer exist, and what exceeds the share. Forgets and returns those without work in
   * progress; under the others no work is started from now on. `resumed`: leases that are no longer to be given back.
   */
  giveBack({ names, share, isBusy }: GiveBackOptions): { readonly released: readonly string[]; readonly resumed: readonly string[] } {
    const existing = [...this.#validUntil.keys()].filter((name) => names.has(name));
    const gone = [...this.#validUntil.keys()].filter((name) => !names.has(name));
    // Idle ones first, and those that are leaving already.
    const rank = (name: string): number => (isBusy(name) ? (this.#leaving.has(name) ? 1 : 2) : 0);
    const surplus = existing.sort((a, b) => rank(a) - rank(b)).slice(0, Math.max(0, existing.length - share));
    const leaving = [...this.#leaving];
    this.#leaving.clear();
    const released: string[] = [];
    for (const name of [...gone, ...surplus])
      if (isBusy(name)) this.#leaving.add(name);
      else {
        this.#validUntil.delete(name);
        released.push(name);
      }
    return { released, resumed: leaving.filter((name) => this.isUsable(name)) };
  }

  clear(): void {
    this.#validUntil.clear();
    this.#leaving.clear();
  }
}
