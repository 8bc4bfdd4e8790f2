/** What the number of rows costs: the same request to a daemon with a thousand items and to one with all of them. */
import type { Case } from '../bench.ts';
import type { Shot } from '../load.ts';
import { measure } from '../rounds.ts';
import { createItem, firstPage, readOne, updateItem } from '../requests.ts';
import { compared } from './http.ts';

const FEW_ROWS = 1_000;
const CONNECTIONS = 16;
/** Within 1.5 times. */
const target = { of: 'ratio', atLeast: 1 / 1.5 } as const;

const REQUESTS: readonly {
  readonly name: string;
  readonly what: string;
  readonly shots: (keys: readonly string[], rows: number) => Shot[];
}[] = [
  { name: 'growth-read', what: 'read one', shots: readOne },
  { name: 'growth-page', what: 'first page', shots: firstPage },
  { name: 'growth-create', what: 'create', shots: createItem },
  { name: 'growth-update', what: 'update', shots: updateItem },
];

export const growthCase: Case = {
  name: 'growth',
  about: 'the same requests with a thousand rows and with all',
  async run(bench) {
    const [few, all] = [await bench.data(FEW_ROWS), await bench.data()];
    return bench.using([bench.daemon({ directory: all.copy() }), bench.daemon({ directory: few.copy() })], async (large, small) => {
      const findings = [];
      for (const { name, what, shots } of REQUESTS) {
        bench.say(`growth: ${what}`);
        const contenders = [
          { arm: large, job: { connections: CONNECTIONS, shots: shots(all.keys, bench.rows) } },
          { arm: small, job: { connections: CONNECTIONS, shots: shots(few.keys, FEW_ROWS) } },
        ];
        const [mine = [], theirs = []] = await measure(bench.load, contenders, bench.effort);
        const title = `${what} with ${bench.rows.toLocaleString('en')} items over 1,000`;
        findings.push(compared({ name, what: title, target }, mine, theirs));
      }
      return findings;
    });
  },
};
