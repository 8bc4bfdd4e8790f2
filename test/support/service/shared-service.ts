/** One service for all tests of a file. */
import { afterAll, beforeAll } from 'vitest';
import { type ServiceTestOptions, type TestService, startService } from './service.ts';

/** Starts a service before the tests of the calling file and stops it after them. Its properties are available in hooks and tests. */
export function useService(options: ServiceTestOptions = {}): TestService {
  let service: TestService | undefined;
  beforeAll(async () => {
    service = await startService(options);
  });
  afterAll(() => service?.[Symbol.asyncDispose]());
  return refer(() => service);
}

/** An object that has the properties of one that hooks create later. */
export function refer<T extends object>(getTarget: () => T | undefined): T {
  const need = (): T => {
    const target = getTarget();
    if (target === undefined) throw new Error('Available only in hooks and tests.');
    return target;
  };
  return new Proxy({} as T, {
    get: (_, name) => Reflect.get(need(), name) as unknown,
    set: (_, name, value) => Reflect.set(need(), name, value),
    has: (_, name) => Reflect.has(need(), name),
    ownKeys: () => Reflect.ownKeys(need()),
    getOwnPropertyDescriptor: (_, name) => ({ ...Reflect.getOwnPropertyDescriptor(need(), name), configurable: true }),
  });
}
