/** The table of request steps in docs/architecture.md lists the steps that the server runs, in their order. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { API_STEPS } from '../../src/http/server.ts';

const ROW = /^\| `(\w+)` \| [^|]+ \| ([^|]+) \|$/gmu;

test('docs/architecture.md lists the request steps in the order in which they run', () => {
  const [, section = ''] = readFileSync(new URL('../../docs/architecture.md', import.meta.url), 'utf8').split('## One write, ');
  const [table = ''] = section.split('\n## ');
  const documented = [...table.matchAll(ROW)].map(([, stage, steps = '']) => [stage, steps.split(', ')]);
  // In the order in which a request passes the stages.
  const { arrival, admission, body, operation, reply, response } = API_STEPS;
  const stages = { arrival, admission, body, operation, reply, response };
  expect(documented).toEqual(Object.entries(stages).map(([stage, steps]) => [stage, steps.map(({ name }) => name)]));
});
