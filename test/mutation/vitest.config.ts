import { mergeConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import base from '../vitest.config.ts';
import { addPlannedMutants } from './plan.ts';

class GivenOrder extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(files);
  }
}

/** The tests of `npm test` over sources with the mutants of the plan. Many mutants only show in a test that waits in vain. */
export default mergeConfig(base, {
  plugins: [
    {
      name: 'mutants',
      enforce: 'pre',
      transform: (source: string, id: string) => addPlannedMutants(id.replace(/\?.*/, ''), source),
    },
  ],
  test: {
    sequence: { sequencer: GivenOrder },
    setupFiles: ['test/mutation/setup.ts'],
    expect: { poll: { timeout: 10_000 } },
    // The cache would return sources with the mutants of another plan.
    fsModuleCache: false,
  },
});
