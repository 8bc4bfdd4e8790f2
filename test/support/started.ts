/** A service of the test file that imports this: started before its tests, gone after them. */
import { afterAll, beforeAll } from 'vitest';
import { type TestService, startService } from './service.ts';

/** There as soon as hooks and tests run. */
export let s: TestService;
beforeAll(async () => {
  s = await startService();
});
afterAll(async () => {
  await s[Symbol.asyncDispose]();
});
