/** Environment variables that reach every process of the tests. */

/** Path of the plan. */
export const PLAN_FILE = 'STOCKROOM_MUTATION_PLAN';
/** Id of the mutant that is active in this process. */
export const ACTIVE_MUTANT = 'STOCKROOM_MUTATION_ACTIVE';
/** Path of the file that records which mutants the tests reach. */
export const REACHED_FILE = 'STOCKROOM_MUTATION_REACHED';
/** The test file that runs. */
export const TEST_FILE = 'STOCKROOM_MUTATION_TEST';
